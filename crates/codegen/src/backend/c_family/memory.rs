//! Loads, stores and addresses.
//!
//! A buffer's element `[i, j]` is the scalar `(offset + i * stride_i + j * stride_j) * lanes` of its root. The address
//! is computed in the type of the indices where the buffer is known to be small, in 64 bits otherwise, so that no
//! overflow is added (`SEMANTICS: I1`, `M2`).

use ir::{BufferId, DataType, ExprId, ExprKind, ExprListId};

use super::{
    constants,
    dialect::StoreForm,
    expr::{Place, prec},
    helpers::{Helper, Scalar},
    types::lanes,
    writer::{Writer, no_type},
};
use crate::{
    kernel::{Refusal, Result, Root, Space, access, split::has_free_offset},
    reasons,
};

impl Writer<'_> {
    /// Writes one lane of a load.
    pub(super) fn load(
        &mut self,
        buffer: BufferId,
        indices: ExprListId,
        dtype: DataType,
        place: &Place,
    ) -> Result<()> {
        self.register_type(dtype)?;
        let element = self.body.buffers[buffer].dtype.element();
        let (pointer, aliased) = self.pointer(buffer)?;
        let (before, after) = self.dialect.load(element, aliased, &pointer);
        self.out.push_str(&before);
        let indices = self.body.items(indices);
        self.address(buffer, indices, place)?;
        self.out.push_str(&after);
        Ok(())
    }

    /// The spelling of a store to a buffer.
    pub(super) fn store_form(&mut self, buffer: BufferId) -> Result<StoreForm> {
        let element = self.body.buffers[buffer].dtype.element();
        self.register_type(element)?;
        let (pointer, aliased) = self.pointer(buffer)?;
        Ok(self.dialect.store(element, aliased, &pointer))
    }

    /// The pointer to the root of a buffer, as a pointer to its elements.
    pub(super) fn pointer_text(&mut self, buffer: BufferId) -> Result<String> {
        Ok(self.pointer(buffer)?.0)
    }

    /// The pointer to the root of a buffer, as a pointer to its elements; and whether that may alias other types.
    fn pointer(&mut self, buffer: BufferId) -> Result<(String, bool)> {
        let root = self.root(buffer)?;
        let element = self.body.buffers[buffer].dtype.element();
        let memory = self.memory_type(element)?;
        let name = self.root_slot(root);
        let missing =
            || Refusal::new(reasons::BUFFER_POINTER, "a buffer has no memory in this kernel");
        let usage = self.kernel.root_use(root).ok_or_else(missing)?;
        let space = self.dialect.space(usage.space);
        let constant = if usage.written { "" } else { "const " };
        let own = match root {
            Root::Alloc(owner) if usage.space != Space::Global => {
                Some(self.body.buffers[owner].dtype.element())
            }
            _ => usage.dtypes.first().copied(),
        };
        if usage.dtypes.len() > 1 || own != Some(element) {
            let alias = self.helper(Helper::Alias(Scalar::of(element)));
            return Ok((format!("(({space}{constant}{alias}*){name})"), true));
        }
        let array = matches!(root, Root::Alloc(_)) && usage.space != Space::Global;
        if array && self.dialect.array_type(element) != Some(memory) {
            return Ok((format!("(({space}{constant}{memory}*){name})"), false));
        }
        Ok((name, false))
    }

    /// Writes the number of the scalar that one lane of an access touches.
    pub(super) fn address(
        &mut self,
        buffer: BufferId,
        indices: &[ExprId],
        place: &Place,
    ) -> Result<()> {
        let data = &self.body.buffers[buffer];
        let per_element = lanes(data.dtype).ok_or_else(|| no_type(data.dtype))?;
        let (index_lane, inner) = (place.lane / per_element, place.lane % per_element);
        let binders = place.binders.clone();
        let place = Place { lane: index_lane, prec: prec::ANY, binders, wraps: false };
        if per_element == 1 {
            return self.element(buffer, indices, &place);
        }
        if let (Some(number), None) = (self.constant_element(buffer, indices), self.offset(buffer)?)
        {
            let lanes = i64::from(per_element);
            let scalar = number.checked_mul(lanes).and_then(|it| it.checked_add(inner.into()));
            if let Some(scalar) = scalar {
                self.out.push_str(&scalar.to_string());
                return Ok(());
            }
        }
        self.element(buffer, indices, &Place { prec: prec::UNARY, ..place })?;
        self.out.push_str(&format!(" * {per_element}"));
        if inner > 0 {
            self.out.push_str(&format!(" + {inner}"));
        }
        Ok(())
    }

    /// The number of an element of a vector buffer of one dimension, if it is a constant.
    fn constant_element(&mut self, buffer: BufferId, indices: &[ExprId]) -> Option<i64> {
        match (&self.body.buffers[buffer].strides, indices) {
            (None, &[index]) if self.dtype(index).ok()?.is_scalar() => self.constant(index),
            _ => None,
        }
    }

    /// Writes the number of the element, at strength `place.prec`.
    fn element(&mut self, buffer: BufferId, indices: &[ExprId], place: &Place) -> Result<()> {
        let body = self.body;
        let data = &body.buffers[buffer];
        if indices.len() != data.shape.len() {
            return Err(Refusal::new(
                reasons::BUFFER_RANK,
                "an access has another rank than its buffer",
            ));
        }
        if has_free_offset(body, self.root_buffer(buffer)?) && access::inherits_offset(body, buffer)
        {
            return Err(Refusal::new(
                reasons::BUFFER_OFFSET,
                "the offset of a buffer is not written in its accesses",
            ));
        }
        let offset = self.offset(buffer)?;
        let plain = offset.is_none() && data.strides.is_none();
        match (plain, indices) {
            (true, []) => {
                self.out.push('0');
                return Ok(());
            }
            (true, &[index]) => return self.expr(index, place),
            _ => {}
        }
        let wide = !self.is_small(buffer);
        let parens = prec::SUM < place.prec;
        self.out.push_str(if parens { "(" } else { "" });
        let mut first = true;
        if let Some(offset) = offset {
            self.term(offset, None, wide, &mut first, place)?;
        }
        for (dim, &index) in indices.iter().enumerate() {
            self.dimension(buffer, dim, index, wide, &mut first, place)?;
        }
        if first {
            self.out.push('0');
        }
        self.out.push_str(if parens { ")" } else { "" });
        Ok(())
    }

    fn dimension(
        &mut self,
        buffer: BufferId,
        dim: usize,
        index: ExprId,
        wide: bool,
        first: &mut bool,
        place: &Place,
    ) -> Result<()> {
        let data = &self.body.buffers[buffer];
        let factors = match &data.strides {
            Some(strides) => match strides.get(dim) {
                Some(&stride) => vec![stride],
                None => return Err(Refusal::new(reasons::BUFFER_RANK, "a buffer lacks a stride")),
            },
            None => data.shape[dim + 1..].to_vec(),
        };
        self.term(index, Some(&factors), wide, first, place)
    }

    /// `+ index * factor * factor …`; constant factors are multiplied.
    fn term(
        &mut self,
        index: ExprId,
        factors: Option<&[ExprId]>,
        wide: bool,
        first: &mut bool,
        place: &Place,
    ) -> Result<()> {
        if self.constant(index) == Some(0) && !*first {
            return Ok(());
        }
        self.out.push_str(if *first { "" } else { " + " });
        *first = false;
        let place = Place { prec: prec::UNARY, ..place.clone() };
        self.widened(index, wide, &place)?;
        let mut constant = 1i64;
        for &factor in factors.unwrap_or_default() {
            match self.constant(factor).and_then(|it| constant.checked_mul(it)) {
                Some(product) => constant = product,
                None => {
                    self.out.push_str(" * ");
                    self.widened(factor, wide, &Place { lane: 0, ..place.clone() })?;
                }
            }
        }
        if constant != 1 {
            let ty = if wide { DataType::INT64 } else { DataType::INT32 };
            let constant = constants::int(constant, ty, self.dialect);
            self.out.push_str(&format!(" * {constant}"));
        }
        Ok(())
    }

    fn widened(&mut self, expr: ExprId, wide: bool, place: &Place) -> Result<()> {
        let dtype = self.dtype(expr)?;
        if wide && dtype.bits < 64 && self.constant(expr).is_none() {
            let ty = self.register_type(DataType::INT64)?;
            self.out.push_str(&format!("({ty})"));
        }
        self.expr(expr, place)
    }

    /// Returns true if every element number fits 32 bits.
    fn is_small(&mut self, buffer: BufferId) -> bool {
        let data = &self.body.buffers[buffer];
        if data.strides.is_some() || data.elem_offset.is_some() {
            return false;
        }
        let mut product = 1i64;
        for &extent in &data.shape {
            match self.constant(extent).and_then(|it| product.checked_mul(it)) {
                Some(it) if it < i64::from(i32::MAX) => product = it,
                _ => return false,
            }
        }
        true
    }

    /// The offset of a buffer, unless it is none or zero.
    pub(super) fn offset(&mut self, buffer: BufferId) -> Result<Option<ExprId>> {
        let offset = access::offset(self.body, buffer)?;
        Ok(offset.filter(|&it| self.constant(it) != Some(0)))
    }

    fn root_buffer(&mut self, buffer: BufferId) -> Result<BufferId> {
        Ok(match self.root(buffer)? {
            Root::Param(it) | Root::Alloc(it) => it,
            Root::Handle(_) => buffer,
        })
    }

    /// Returns true if the value or index of a store may read the memory it writes.
    pub(super) fn may_read(&mut self, exprs: &[ExprId], written: Root) -> Result<bool> {
        let body = self.body;
        let mut stack = exprs.to_vec();
        let mut seen = rustc_hash::FxHashSet::default();
        while let Some(expr) = stack.pop() {
            if !body.expr(expr).flags.has_load || !seen.insert(expr) {
                continue;
            }
            let kind = body.expr(expr).kind;
            if let ExprKind::Load { buffer, .. } = kind {
                let root = self.root(buffer)?;
                let external =
                    |it: Root| self.kernel.root_use(it).is_some_and(|it| it.space == Space::Global);
                if root == written || (!self.kernel.noalias && external(root) && external(written))
                {
                    return Ok(true);
                }
            }
            body.each_child(kind, &mut |child| stack.push(child));
        }
        Ok(false)
    }
}
