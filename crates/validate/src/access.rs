//! Accesses to memory: indices, loads, stores, scalars, properties of buffers.

use ir::{BufferField, BufferId, ExprId, ExprListId, Type, arena::Id as _};

use crate::{
    engine::{Engine, Stop},
    memory::ClassId,
    names::initial_memory,
    side::{Side, Value},
    term::{Op, Sort, Term},
};

type Result<T> = std::result::Result<T, Stop>;

impl Engine<'_> {
    /// The indices of an access, checked against the extents (`M1`).
    pub(crate) fn indices(
        &mut self,
        side: &mut Side<'_>,
        buffer: BufferId,
        indices: &[ExprId],
    ) -> Result<Vec<Term>> {
        let shape = side.body.buffers[buffer].shape.clone();
        let mut terms = Vec::with_capacity(indices.len());
        for &index in indices {
            let value = self.eval(side, index)?;
            self.used(side, value);
            terms.push(self.wide(value.term, side.body.ty(index)));
        }
        if shape.is_empty() && terms.is_empty() {
            return Ok(vec![self.pool.bits(0, 64)]);
        }
        if shape.len() != terms.len() {
            return Err(Stop::unsupported("an access of another rank than its buffer"));
        }
        let is_scalar = terms.iter().all(|&it| self.pool.sort(it) == Sort::bits(64));
        if !is_scalar {
            let name = format!("inside {}", buffer.index());
            let ok = self.pool.function(&name, &terms, Sort::BOOL);
            self.require(side, ok);
            return Ok(terms);
        }
        for (&index, &extent) in terms.iter().zip(&shape) {
            let extent_value = self.quiet(side, extent)?;
            let extent = self.wide(extent_value.term, side.body.ty(extent));
            let zero = self.pool.bits(0, 64);
            let above = self.pool.relation(Op::LessEq(true), zero, index);
            let below = self.pool.relation(Op::Less(true), index, extent);
            let inside = self.pool.and(above, below);
            self.require(side, inside);
        }
        Ok(terms)
    }

    /// The parts of an access besides the memory: the operands that make the view, and the indices.
    fn view(&mut self, side: &mut Side<'_>, buffer: BufferId) -> Vec<Term> {
        side.buffers.get(&buffer).cloned().unwrap_or_default()
    }

    pub(crate) fn load(
        &mut self,
        side: &mut Side<'_>,
        buffer: BufferId,
        indices: ExprListId,
        predicate: Option<ExprId>,
        ty: Type,
    ) -> Result<Value> {
        if side.body.buffers[buffer].is_cell() {
            return Ok(self.cell(side, buffer));
        }
        let items = side.body.items(indices).to_vec();
        let terms = match predicate {
            None => self.indices(side, buffer, &items)?,
            Some(predicate) => {
                // `S8`: lanes that are off are not accessed.
                let mut terms = Vec::new();
                for &it in items.iter().chain([&predicate]) {
                    let value = self.eval(side, it)?;
                    self.used(side, value);
                    terms.push(value.term);
                }
                let name = format!("inside {}", buffer.index());
                let ok = self.pool.function(&name, &terms, Sort::BOOL);
                self.require(side, ok);
                terms
            }
        };
        let class = self.class(buffer)?;
        let memory = self.memory_of(side, class);
        let elem = self.sort_of(ty);
        let term = if self.memory.describes(class).is_array {
            self.pool.select(memory, &terms, elem)
        } else {
            let mut args = vec![memory];
            args.extend(self.view(side, buffer));
            args.extend(terms);
            self.pool.function(&format!("load {}", buffer.index()), &args, Sort::Flat(elem))
        };
        Ok(self.plain(term))
    }

    /// `E2`: value and indices are evaluated, then the store.
    pub(crate) fn store(
        &mut self,
        side: &mut Side<'_>,
        buffer: BufferId,
        predicated: bool,
        operands: &[ExprId],
    ) -> Result<()> {
        let [value, indices @ ..] = operands else {
            return Err(Stop::unsupported("a store without a value"));
        };
        let stored = self.eval(side, *value)?;
        if side.body.buffers[buffer].is_cell() {
            side.cells.insert(buffer, stored);
            return Ok(());
        }
        let terms = if predicated {
            let mut terms = Vec::new();
            for &it in indices {
                let value = self.eval(side, it)?;
                self.used(side, value);
                terms.push(value.term);
            }
            let name = format!("inside {}", buffer.index());
            let ok = self.pool.function(&name, &terms, Sort::BOOL);
            self.require(side, ok);
            terms
        } else {
            self.indices(side, buffer, indices)?
        };
        self.used(side, stored);
        let class = self.class(buffer)?;
        let memory = self.memory_of(side, class);
        let after = if self.memory.describes(class).is_array {
            self.pool.store(memory, &terms, stored.term)
        } else {
            let sort = self.pool.sort(memory);
            let mut args = vec![memory, stored.term];
            args.extend(self.view(side, buffer));
            args.extend(terms);
            self.pool.function(&format!("store {}", buffer.index()), &args, sort)
        };
        // Arms of conditions are joined where they end.
        side.memory.insert(class, after);
        Ok(())
    }

    /// A scalar of tirx (`E6`).
    pub(crate) fn cell(&mut self, side: &mut Side<'_>, buffer: BufferId) -> Value {
        if let Some(&value) = side.cells.get(&buffer) {
            return value;
        }
        let value = self.initial_cell(side, buffer);
        side.cells.insert(buffer, value);
        value
    }

    /// The value of a scalar before anything is written to it.
    pub(crate) fn initial_cell(&mut self, side: &Side<'_>, buffer: BufferId) -> Value {
        let sort = Sort::Flat(self.sort_of(Type::Prim(side.body.buffers[buffer].dtype)));
        let term = self.pool.var(&format!("cell {}", buffer.index()), sort);
        self.plain(term)
    }

    fn class(&self, buffer: BufferId) -> Result<ClassId> {
        self.memory.class(buffer).ok_or_else(|| Stop::unsupported("a buffer without memory"))
    }

    pub(crate) fn memory_of(&mut self, side: &mut Side<'_>, class: ClassId) -> Term {
        if let Some(&term) = side.memory.get(&class) {
            return term;
        }
        let sort = self.memory_sort(side, class);
        let term = self.pool.var(&initial_memory(class), sort);
        side.memory.insert(class, term);
        term
    }

    pub(crate) fn memory_sort(&mut self, side: &Side<'_>, class: ClassId) -> Sort {
        if self.memory.describes(class).is_array {
            let buffer = &side.body.buffers[class];
            let elem = self.sort_of(Type::Prim(buffer.dtype));
            if buffer.shape.is_empty() {
                return Sort::Array(1, elem);
            }
            return Sort::Array(buffer.shape.len() as u8, elem);
        }
        Sort::Flat(self.pool.named(&format!("memory {}", class.index())))
    }

    pub(crate) fn field(
        &mut self,
        side: &mut Side<'_>,
        buffer: BufferId,
        field: BufferField,
        ty: Type,
    ) -> Result<Value> {
        let data = &side.body.buffers[buffer];
        let known = match field {
            BufferField::Shape(dim) => data.shape.get(dim as usize).copied(),
            BufferField::ElemOffset => data.elem_offset,
            BufferField::Stride(dim) => {
                data.strides.as_ref().and_then(|it| it.get(dim as usize)).copied()
            }
            BufferField::Data => None,
        };
        if let Some(expr) = known.filter(|&it| side.body.ty(it) == ty) {
            return self.quiet(side, expr);
        }
        let view = self.view(side, buffer);
        let sort = Sort::Flat(self.sort_of(ty));
        let term = self.pool.function(&format!("{field:?} {}", buffer.index()), &view, sort);
        Ok(self.plain(term))
    }
}
