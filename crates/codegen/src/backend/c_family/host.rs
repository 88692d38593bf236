//! Functions that the host calls: a result code, heap memory, and a common exit.
//!
//! The function returns 0, the number of the failed assertion (from 1, in the order of the text; earlier stores stay),
//! or -1 if memory is exhausted. An array of at most [`STACK_ARRAY`] bytes is a local variable. A larger array, or one
//! whose size is no constant, comes from the heap. If its size is known at the entry, it is allocated there, before
//! anything is stored. Otherwise (its size is computed later, or each iteration of a parallel loop has its own) it is
//! allocated in place, and if that fails the rest of its block is skipped.
//!
//! One walk over the operations, before anything is written.

use ir::{BufferId, ExprId, ExprKind, ForKind, OpId, OpKind, walk::WalkEvent};
use rustc_hash::{FxHashMap, FxHashSet};

use super::{
    expr::{Place, prec},
    types::lanes,
    writer::{Writer, no_type},
};
use crate::kernel::{Refusal, Result, Root, Space};
use crate::reasons;

/// Bytes of the largest array on the stack.
const STACK_ARRAY: u64 = 16 << 10;
/// Bytes of all arrays on the stack together.
const STACK_TOTAL: u64 = 128 << 10;
/// The code of a function that got no memory.
const NO_MEMORY: i32 = -1;
/// The end of a function that has memory to free.
const END: &str = "tir_end";

/// The place where the memory of an allocation comes from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Heap {
    /// Taken at the entry.
    Entry,
    /// Taken where it is allocated.
    Here,
}

/// The state of a host function while it is written.
#[derive(Default)]
pub(super) struct HostFrame {
    heap: FxHashMap<BufferId, Heap>,
    /// Those of the entry, in order.
    at_entry: Vec<BufferId>,
    /// Blocks around that give memory back at their end; of these, those inside of the innermost loop.
    open_blocks: usize,
    open_in_loop: usize,
    /// Loops around that run in parallel.
    parallel: usize,
    /// Assertions written.
    asserts: i32,
    /// True if something jumps to the end.
    jumps: bool,
}

impl HostFrame {
    fn has_heap(&self) -> bool {
        !self.heap.is_empty()
    }
}

impl Writer<'_> {
    /// Decides where memory comes from, and writes the code at the entry.
    pub(super) fn enter_host(&mut self) -> Result<()> {
        self.plan_memory()?;
        if !self.host.has_heap() {
            return Ok(());
        }
        self.needs.heap = true;
        self.line("int32_t tir_status = 0;");
        let mut names = Vec::new();
        for buffer in self.host.at_entry.clone() {
            self.take_memory(buffer)?;
            names.push(self.root_slot(Root::Alloc(buffer)));
        }
        if !names.is_empty() {
            let tests: Vec<String> = names.iter().map(|it| format!("{it} == 0")).collect();
            let exit = self.exit(NO_MEMORY)?;
            self.line(&format!("if ({}) {exit}", tests.join(" || ")));
        }
        Ok(())
    }

    /// Writes the end of the function.
    pub(super) fn leave_host(&mut self) {
        if !self.host.has_heap() {
            self.line("return 0;");
            return;
        }
        if self.host.jumps {
            self.out.push_str(&format!("{END}:\n"));
        }
        for buffer in self.host.at_entry.clone() {
            let name = self.root_slot(Root::Alloc(buffer));
            self.line(&format!("free({name});"));
        }
        self.line("return tir_status;");
    }

    /// `assert c`: the function ends with the number of the assertion.
    pub(super) fn assertion(&mut self, condition: ExprId) -> Result<()> {
        self.host.asserts += 1;
        let exit = self.exit(self.host.asserts)?;
        self.start_line();
        self.out.push_str("if (!(");
        self.expr(condition, &Place::lane(0))?;
        self.out.push_str(&format!(")) {exit}\n"));
        Ok(())
    }

    /// `return` in the middle.
    pub(super) fn return_early(&mut self, op: OpId) -> Result<()> {
        let body = self.body;
        let operation = &body.ops[op];
        if !operation.operands.iter().all(|&it| body.expr(it).is_constant()) {
            return Err(Refusal::new(reasons::RETURN_VALUE, "the function returns a value"));
        }
        let is_last = body.blocks[operation.parent].ops.last() == Some(&op)
            && body.parent_op(op) == Some(self.kernel.op);
        if !is_last {
            let exit = self.exit(0)?;
            self.line(&exit);
        }
        Ok(())
    }

    /// A statement that ends the function with a code.
    fn exit(&mut self, code: i32) -> Result<String> {
        if self.host.open_blocks > 0 {
            return Err(jump_over_allocation());
        }
        if self.host.parallel > 0 {
            return Err(Refusal::new(
                reasons::EXIT_IN_PARALLEL_LOOP,
                "an assertion or `return` inside a parallel loop",
            ));
        }
        if !self.host.has_heap() {
            return Ok(format!("return {code};"));
        }
        self.host.jumps = true;
        Ok(format!("{{ tir_status = {code}; goto {END}; }}"))
    }

    /// Refuses `break` and `continue` out of a block that has memory to free.
    pub(super) fn check_jump(&self) -> Result<()> {
        if self.host.open_in_loop == 0 { Ok(()) } else { Err(jump_over_allocation()) }
    }

    /// Opens the block of an allocation on the heap that is made where it stands; the caller writes what follows and
    /// calls [`Writer::close_heap`]. False for all other operations.
    pub(super) fn open_heap(&mut self, op: OpId) -> Result<Option<BufferId>> {
        let OpKind::Alloc { buffer, .. } = self.body.ops[op].kind else { return Ok(None) };
        if self.host.heap.get(&buffer) != Some(&Heap::Here) {
            return Ok(None);
        }
        self.note_line(op);
        self.take_memory(buffer)?;
        let name = self.root_slot(Root::Alloc(buffer));
        self.line(&format!("if ({name} == 0) {{"));
        self.needs.parallel = true;
        self.line("  TIR_ATOMIC");
        self.line(&format!("  tir_status = {NO_MEMORY};"));
        self.line("} else {");
        self.indent += 1;
        self.host.open_blocks += 1;
        self.host.open_in_loop += 1;
        Ok(Some(buffer))
    }

    /// Ends the block.
    pub(super) fn close_heap(&mut self, buffer: BufferId) {
        self.host.open_blocks -= 1;
        self.host.open_in_loop -= 1;
        self.indent -= 1;
        self.line("}");
        let name = self.root_slot(Root::Alloc(buffer));
        self.line(&format!("free({name});"));
    }

    /// Returns true if an allocation is on the heap: then its declaration stands elsewhere.
    pub(super) fn is_on_heap(&self, buffer: BufferId) -> bool {
        self.host.heap.contains_key(&buffer)
    }

    /// Writes the body of a loop that may run in parallel; the outermost of a nest does.
    pub(super) fn in_parallel(
        &mut self,
        inside: impl FnOnce(&mut Self) -> Result<()>,
    ) -> Result<()> {
        self.host.parallel += 1;
        let result = self.in_loop(inside);
        self.host.parallel -= 1;
        result
    }

    /// Writes the body of a loop: `break` and `continue` leave only blocks that are opened inside it.
    pub(super) fn in_loop(&mut self, inside: impl FnOnce(&mut Self) -> Result<()>) -> Result<()> {
        let around = std::mem::take(&mut self.host.open_in_loop);
        let result = inside(self);
        self.host.open_in_loop = around;
        result
    }

    /// Returns true if a parallel loop that starts here is the outermost.
    pub(super) fn is_outside_parallel(&self) -> bool {
        self.host.parallel == 0
    }

    // ---- memory ----

    fn plan_memory(&mut self) -> Result<()> {
        let body = self.body;
        let mut stack = 0u64;
        let mut parallel = 0usize;
        let mut order = Vec::new();
        for event in body.ops[self.kernel.op].regions.iter().flat_map(|&it| body.walk(it)) {
            match event {
                WalkEvent::Enter(op) if is_parallel(body, op) => parallel += 1,
                WalkEvent::Leave(op) if is_parallel(body, op) => parallel -= 1,
                WalkEvent::Enter(op) => {
                    if let OpKind::Alloc { buffer, .. } = body.ops[op].kind {
                        order.push((buffer, parallel > 0));
                    }
                }
                _ => {}
            }
        }
        for (buffer, in_parallel) in order {
            let usage = self.kernel.root_use(Root::Alloc(buffer));
            if usage.is_none_or(|it| it.space != Space::Local) {
                continue;
            }
            let size = self
                .array_len(buffer)
                .ok()
                .map(|it| it.saturating_mul(body.buffers[buffer].dtype.element().bytes() as u64));
            match size {
                Some(size) if size <= STACK_ARRAY && stack + size <= STACK_TOTAL => stack += size,
                _ if !in_parallel && self.is_known_at_entry(buffer) => {
                    self.host.heap.insert(buffer, Heap::Entry);
                    self.host.at_entry.push(buffer);
                }
                _ => {
                    self.host.heap.insert(buffer, Heap::Here);
                }
            }
        }
        Ok(())
    }

    /// Returns true if the extents of a buffer are sums and products of parameters.
    fn is_known_at_entry(&self, buffer: BufferId) -> bool {
        let body = self.body;
        let mut stack = body.buffers[buffer].shape.clone();
        let mut seen = FxHashSet::default();
        while let Some(expr) = stack.pop() {
            if !seen.insert(expr) {
                continue;
            }
            let kind = body.expr(expr).kind;
            let is_known = match kind {
                ExprKind::Int(_) | ExprKind::Cast(_) => true,
                ExprKind::Value(value) => self.declared.contains(&value),
                ExprKind::BufferField(..) => self.fields.contains_key(&expr),
                ExprKind::Binary(op, _, b) => {
                    let divides = matches!(
                        op,
                        ir::BinaryOp::Div
                            | ir::BinaryOp::Mod
                            | ir::BinaryOp::FloorDiv
                            | ir::BinaryOp::FloorMod
                    );
                    !divides || matches!(body.expr(b).kind, ExprKind::Int(1..))
                }
                _ => false,
            };
            if !is_known {
                return false;
            }
            body.each_child(kind, &mut |child| stack.push(child));
        }
        true
    }

    /// `T* const name = (T*)tir_allocate(count, sizeof(T));`
    fn take_memory(&mut self, buffer: BufferId) -> Result<()> {
        let root = Root::Alloc(buffer);
        let missing =
            || Refusal::new(reasons::BUFFER_POINTER, "a buffer has no memory in this kernel");
        let usage = self.kernel.root_use(root).cloned().ok_or_else(missing)?;
        let data = &self.body.buffers[buffer];
        let scalars = u64::from(lanes(data.dtype).ok_or_else(|| no_type(data.dtype))?);
        // As many elements of the array as a scalar of the buffer has: bytes, where it is accessed as several types.
        let (element, per_element) = self.array_element(&usage, buffer, scalars)?;
        let name = self.root_slot(root);
        self.start_line();
        self.out.push_str(&format!("{element}* const {name} = ({element}*)tir_allocate("));
        for _ in &data.shape {
            self.out.push_str("tir_count(");
        }
        self.out.push_str(&per_element.to_string());
        for &extent in &data.shape {
            self.out.push_str(", ");
            self.expr(extent, &Place { prec: prec::ANY, ..Place::lane(0) }.wrapping())?;
            self.out.push(')');
        }
        self.out.push_str(&format!(", sizeof({element}));\n"));
        Ok(())
    }
}

fn jump_over_allocation() -> Refusal {
    Refusal::new(
        reasons::JUMP_OVER_ALLOCATION,
        "a jump out of a block that allocates memory of the heap",
    )
}

fn is_parallel(body: &ir::Body, op: OpId) -> bool {
    body.ops[op].kind == OpKind::For(ForKind::Parallel)
}
