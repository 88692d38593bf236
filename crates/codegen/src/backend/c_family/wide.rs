//! One access for all lanes of a vector, where the languages have one and the address is as aligned as it is wide.
//!
//! A vector load becomes an array in registers that one wide access fills, declared before its statement; a store fills
//! such an array first. That is what `SEMANTICS: P3` asks for: loads before stores. The pointers of parameters are as
//! aligned as their buffers claim (`P5`), 64 bytes unless they say otherwise; what is allocated here is aligned to 16.

use ir::{Attr, BufferId, BufferOrigin, ExprId, ExprKind};

use super::{
    expr::{Place, prec},
    types::lanes,
    writer::{Writer, no_type},
};
use crate::kernel::{Result, Root, Space, split::has_free_offset};

/// The widest access of a thread, in bytes.
const WIDEST: u64 = 16;
/// The alignment that a buffer claims unless it says so.
const CLAIMED: i64 = 64;

/// One or more accesses of the same width side by side.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wide {
    /// The type of one access.
    ty: &'static str,
    /// The number of accesses.
    count: u64,
    /// Bytes of an access.
    bytes: u64,
}

impl Writer<'_> {
    /// Declares the vector loads of a statement's expressions that one access can do.
    pub(super) fn wide_loads(&mut self, exprs: &[ExprId]) -> Result<()> {
        let mut stack: Vec<ExprId> = exprs.iter().rev().copied().collect();
        while let Some(expr) = stack.pop() {
            let flags = self.body.expr(expr).flags;
            // Below a binder an expression may have another value at each use.
            if !flags.has_load || flags.has_binder || self.wide.contains_key(&expr) {
                continue;
            }
            match self.body.expr(expr).kind {
                ExprKind::Load { buffer, indices, predicate: None } => {
                    let indices = self.body.items(indices);
                    match self.wide_access(buffer, indices)? {
                        Some(wide) => self.declare_wide(expr, buffer, indices, wide)?,
                        None => stack.extend(indices),
                    }
                }
                // What is not certainly evaluated must not be loaded.
                ExprKind::Select(condition, ..) | ExprKind::IfThenElse(condition, ..) => {
                    stack.push(condition);
                }
                ExprKind::Binary(op, a, _) if op.is_logical() => stack.push(a),
                ExprKind::Call { .. } | ExprKind::Shuffle { .. } => {}
                kind => self.body.each_child(kind, &mut |child| stack.push(child)),
            }
        }
        Ok(())
    }

    /// The access for all lanes of a vector.
    pub(super) fn wide_access(
        &mut self,
        buffer: BufferId,
        indices: &[ExprId],
    ) -> Result<Option<Wide>> {
        let body = self.body;
        let data = &body.buffers[buffer];
        let &[index] = indices else { return Ok(None) };
        let ExprKind::Ramp { base, stride, .. } = body.expr(index).kind else { return Ok(None) };
        let n_lanes = u64::from(lanes(self.dtype(index)?).ok_or_else(|| no_type(data.dtype))?);
        let element = data.dtype;
        if !element.is_scalar() || element.bits < 8 || data.strides.is_some() {
            return Ok(None);
        }
        if self.constant(stride) != Some(1) || self.offset(buffer)?.is_some() {
            return Ok(None);
        }
        let size = element.bytes() as u64;
        let total = size * n_lanes;
        let bytes = total.min(WIDEST);
        if n_lanes < 2 || bytes <= size || !total.is_power_of_two() {
            return Ok(None);
        }
        let Some(ty) = self.dialect.wide_type(element, bytes / size) else { return Ok(None) };
        if !self.is_aligned(buffer)? || 1 << self.alignment.zeros(base) < bytes / size {
            return Ok(None);
        }
        Ok(Some(Wide { ty, count: total / bytes, bytes }))
    }

    /// Returns true if lanes that are loaded one by one under conditions go to shared memory. One store would wait for
    /// all of them: on an H100 it cost convolutions up to a fifth of their time.
    pub(super) fn gathers_into_shared(&self, value: ExprId, root: Root) -> bool {
        if !self.kernel.root_use(root).is_some_and(|it| it.space == Space::Shared) {
            return false;
        }
        let mut stack = vec![value];
        while let Some(expr) = stack.pop() {
            let node = self.body.expr(expr);
            if !node.flags.has_load || self.wide.contains_key(&expr) {
                continue;
            }
            if matches!(node.kind, ExprKind::Select(..) | ExprKind::IfThenElse(..)) {
                return true;
            }
            self.body.each_child(node.kind, &mut |child| stack.push(child));
        }
        false
    }

    /// Returns true if the memory of a buffer begins where the widest access may.
    fn is_aligned(&mut self, buffer: BufferId) -> Result<bool> {
        let root = self.root(buffer)?;
        let element = self.body.buffers[buffer].dtype.element();
        let Some(usage) = self.kernel.root_use(root) else { return Ok(false) };
        let space = usage.space;
        // Shared memory is aligned whoever has a pointer to it.
        if usage.dtypes[..] != [element] || usage.has_pointer && space != Space::Shared {
            return Ok(false);
        }
        Ok(match root {
            Root::Alloc(owner) => {
                space != Space::Local && self.body.buffers[owner].dtype.element() == element
            }
            Root::Param(owner) => {
                let data = &self.body.buffers[owner];
                let is_plain = data.elem_offset.is_none() && data.strides.is_none();
                is_plain
                    && matches!(data.origin, BufferOrigin::Param | BufferOrigin::Match { .. })
                    && !has_free_offset(self.body, owner)
                    && self.claimed(owner) % WIDEST as i64 == 0
            }
            Root::Handle(_) => false,
        })
    }

    /// The alignment in bytes that a buffer claims.
    fn claimed(&self, buffer: BufferId) -> i64 {
        let body = self.body;
        let attrs = body.dict(body.buffers[buffer].attrs);
        let said = attrs.iter().find(|(key, _)| &**key == "align").map(|(_, value)| value);
        match said {
            None => CLAIMED,
            Some(Attr::Int(0 | -1, _)) => CLAIMED,
            Some(Attr::Int(bytes, _)) => *bytes,
            Some(_) => 1,
        }
    }

    fn declare_wide(
        &mut self,
        expr: ExprId,
        buffer: BufferId,
        indices: &[ExprId],
        wide: Wide,
    ) -> Result<()> {
        let name = self.wide_array(buffer, wide)?;
        let pointer = self.pointer_text(buffer)?;
        for at in 0..wide.count {
            self.start_line();
            let Wide { ty, .. } = wide;
            let to = wide.part(&name, at);
            self.out.push_str(&format!("{to} = *(const {ty}*)({pointer} + "));
            self.wide_address(buffer, indices, wide, at)?;
            self.out.push_str(");\n");
        }
        self.wide.insert(expr, name);
        Ok(())
    }

    /// Writes all lanes of a store at once; `value` writes one.
    pub(super) fn store_wide(
        &mut self,
        buffer: BufferId,
        value: ExprId,
        indices: &[ExprId],
        wide: Wide,
    ) -> Result<()> {
        let name = self.wide_array(buffer, wide)?;
        let element = self.body.buffers[buffer].dtype.element();
        let form = self.dialect.store(element, false, &name);
        let n_lanes = wide.count * wide.bytes / element.bytes() as u64;
        for lane in 0..n_lanes as u32 {
            self.start_line();
            self.out.push_str(&format!("{}{lane}{}", form.open, form.middle));
            let start = self.out.len();
            self.expr_to_store(value, &Place::lane(lane))?;
            self.close_store(&form, start, element);
        }
        let pointer = self.pointer_text(buffer)?;
        for at in 0..wide.count {
            self.start_line();
            let Wide { ty, .. } = wide;
            self.out.push_str(&format!("*({ty}*)({pointer} + "));
            self.wide_address(buffer, indices, wide, at)?;
            self.out.push_str(&format!(") = {};\n", wide.part(&name, at)));
        }
        Ok(())
    }

    /// Declares an array in registers with the elements of a wide access.
    fn wide_array(&mut self, buffer: BufferId, wide: Wide) -> Result<String> {
        let element = self.body.buffers[buffer].dtype.element();
        let memory = self.memory_type(element)?;
        let name = self.new_slot("wide");
        let len = wide.count * wide.bytes / element.bytes() as u64;
        self.line(&format!("__align__({}) {memory} {name}[{len}];", wide.bytes));
        Ok(name)
    }

    /// Writes the number of the first element of the access `at`, as the operand of a sum.
    fn wide_address(
        &mut self,
        buffer: BufferId,
        indices: &[ExprId],
        wide: Wide,
        at: u64,
    ) -> Result<()> {
        let size = self.body.buffers[buffer].dtype.element().bytes() as u64;
        let lane = (at * wide.bytes / size) as u32;
        let place = Place { prec: prec::PRODUCT, ..Place::lane(lane) };
        self.address(buffer, indices, &place)
    }
}

impl Wide {
    /// The access `at` of an array in registers.
    fn part(self, name: &str, at: u64) -> String {
        match self.count {
            1 => format!("*({}*){name}", self.ty),
            _ => format!("(({}*){name})[{at}]", self.ty),
        }
    }
}
