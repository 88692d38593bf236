//! Statements: regions become blocks of C, scoping constructs without meaning at run time become nothing.

use ir::{BufferId, ExprId, ExprKind, ForKind, OpId, OpKind, RegionId};

use super::{
    constants,
    expr::{Place, prec},
    types::lanes,
    writer::{Writer, no_type},
};
use crate::{
    kernel::{Refusal, Result, Root, Space, access::is_fragment, barrier::is_barrier},
    reasons,
};
use barriers::instructions::instruction;

/// Keys of `T.attr` that are hints to a compiler and do not change the computation.
pub(crate) fn is_hint(key: &str) -> bool {
    key.starts_with("pragma_")
        || matches!(key, "hand_threaded" | "storage_alignment" | "compute_scope" | "realize_scope")
        // Copies that may be asynchronous may also be done at once; then there is nothing to wait for.
        || matches!(
            key,
            "async_scope"
                | "async_commit_queue_scope"
                | "async_wait_queue_scope"
                | "async_wait_inflight_count"
        )
}

impl Writer<'_> {
    fn region(&mut self, region: RegionId) -> Result<()> {
        ir::stack::with_room(|| {
            let body = self.body;
            let [block] = body.regions[region].blocks.as_slice() else {
                return Err(Refusal::new(reasons::CONTROL_FLOW, "a region of several blocks"));
            };
            let mut opened = Vec::new();
            for &op in &body.blocks[*block].ops {
                self.op(op).map_err(|it| it.at(op))?;
                if body.ops[op].regions.is_empty() {
                    opened.extend(self.open_heap(op).map_err(|it| it.at(op))?);
                }
            }
            opened.into_iter().rev().for_each(|it| self.close_heap(it));
            Ok(())
        })
    }

    /// The regions of an operation, in the scope it stands in.
    fn transparent(&mut self, op: OpId) -> Result<()> {
        let body = self.body;
        body.ops[op].regions.iter().try_for_each(|&it| self.region(it))
    }

    /// ` {`, the region, `}` without the line's end.
    fn braces(&mut self, region: RegionId) -> Result<()> {
        self.out.push_str(" {\n");
        self.indent += 1;
        self.region(region)?;
        self.indent -= 1;
        self.start_line();
        self.out.push('}');
        Ok(())
    }

    /// Writes one operation.
    pub(super) fn op(&mut self, op: OpId) -> Result<()> {
        ir::interrupt::check();
        self.note_line(op);
        let body = self.body;
        let operation = &body.ops[op];
        let hoisted = !matches!(
            operation.kind,
            OpKind::LaunchThread { .. }
                | OpKind::Attr(_)
                | OpKind::While
                | OpKind::DeclBuffer { .. }
        );
        if hoisted {
            for &operand in &operation.operands {
                self.hoist_lets(operand, &[])?;
            }
        }
        match operation.kind {
            OpKind::LaunchThread { .. } | OpKind::AttrDict | OpKind::DeclBuffer { .. } => {
                self.transparent(op)
            }
            OpKind::EnvThread(_) => Ok(()),
            OpKind::Attr(key) => match body.name(key) {
                key if is_hint(key) => self.transparent(op),
                key => Err(Refusal::new(
                    reasons::ATTRIBUTE,
                    format!("`T.attr(…, \"{key}\", …)` is not lowered"),
                )),
            },
            OpKind::Alloc { buffer, .. } => {
                self.alloc(buffer)?;
                if !operation.regions.is_empty()
                    && let Some(buffer) = self.open_heap(op)?
                {
                    self.transparent(op)?;
                    self.close_heap(buffer);
                    return Ok(());
                }
                self.transparent(op)
            }
            OpKind::Bind => self.bind(op),
            OpKind::Store { predicated: true, .. } => {
                Err(Refusal::new(reasons::PREDICATED_ACCESS, "a store has a lane predicate"))
            }
            OpKind::Store { buffer, .. } => self.store(op, buffer),
            OpKind::For(kind) => self.for_loop(op, kind),
            OpKind::If => self.if_statement(op),
            OpKind::While => self.while_loop(op),
            OpKind::Break => {
                self.check_jump()?;
                self.line("break;");
                Ok(())
            }
            OpKind::Continue => {
                self.check_jump()?;
                self.line("continue;");
                Ok(())
            }
            OpKind::Evaluate => self.evaluate(operation.operands[0]),
            OpKind::Assert if self.dialect.is_host() => {
                self.assertion(operation.operands[0])?;
                self.transparent(op)
            }
            OpKind::Return if self.dialect.is_host() => self.return_early(op),
            OpKind::Assert => {
                Err(Refusal::new(reasons::ASSERT_IN_KERNEL, "an assertion inside a kernel"))
            }
            OpKind::Return => {
                Err(Refusal::new(reasons::RETURN_IN_KERNEL, "a `return` inside a kernel"))
            }
            OpKind::SBlock(_) => {
                Err(Refusal::new(reasons::UNLOWERED_BLOCK, "a block that is still to be scheduled"))
            }
            OpKind::Opaque(text) => {
                let text = body.name(text).lines().next().unwrap_or_default();
                Err(Refusal::new(reasons::OPAQUE_STATEMENT, format!("`{text}` is not understood")))
            }
            OpKind::Named(name) => Err(Refusal::new(
                reasons::OPERATION,
                format!("`{}` is not lowered", body.name(name)),
            )),
        }
    }

    /// Declares local memory, if the kernel uses it.
    pub(super) fn alloc(&mut self, buffer: BufferId) -> Result<()> {
        let root = Root::Alloc(buffer);
        let Some(usage) = self.kernel.root_use(root).cloned() else {
            // Never accessed.
            return Ok(());
        };
        if usage.space != Space::Local || self.is_on_heap(buffer) {
            return Ok(());
        }
        if is_fragment(self.body, buffer) && self.dialect.has_ptx() {
            return self.fragment_array(buffer);
        }
        let len = self.array_len(buffer)?;
        let (element, len) = self.array_element(&usage, buffer, len)?;
        let align = if usage.dtypes.len() > 1 || usage.has_pointer {
            " __attribute__((aligned(16)))"
        } else {
            ""
        };
        let name = self.root_slot(root);
        self.line(&format!("{element} {name}[{len}]{align};"));
        Ok(())
    }

    fn bind(&mut self, op: OpId) -> Result<()> {
        let body = self.body;
        let operation = &body.ops[op];
        let (value, expr) = (operation.results[0], operation.operands[0]);
        if matches!(body.values[value].ty, ir::Type::Pointer { .. }) {
            return Err(Refusal::new(reasons::POINTER_BINDING, "a pointer is bound to a name"));
        }
        let dtype = self.dtype(expr)?;
        let ty = self.register_type(dtype)?;
        let n_lanes = lanes(dtype).ok_or_else(|| no_type(dtype))?;
        if n_lanes > 1 {
            self.wide_loads(&[expr])?;
        }
        for lane in 0..n_lanes {
            let name =
                if n_lanes > 1 { self.lane_slot(value, lane) } else { self.value_slot(value) };
            self.start_line();
            self.out.push_str(&format!("const {ty} {name} = "));
            self.expr(expr, &Place::lane(lane).wrapping())?;
            self.out.push_str(";\n");
        }
        self.wide.clear();
        self.declared.insert(value);
        self.transparent(op)
    }

    // ---- stores ----

    fn store(&mut self, op: OpId, buffer: BufferId) -> Result<()> {
        let body = self.body;
        let operands = body.ops[op].operands.clone();
        let (value, indices) = (operands[0], &operands[1..]);
        let dtype = body.access_dtype(buffer, indices);
        let n_lanes = lanes(dtype).ok_or_else(|| no_type(dtype))?;
        if self.dtype(value)? != dtype {
            let found = self.dtype(value)?;
            return Err(Refusal::new(
                reasons::STORE_TYPE,
                format!("a `{found}` is stored as `{dtype}`"),
            ));
        }
        let root = self.root(buffer)?;
        if n_lanes == 1 {
            return self.store_lane(buffer, indices, 0, &mut |writer, place| {
                writer.expr_to_store(value, place)
            });
        }
        self.wide_loads(&[value])?;
        let gathers = self.gathers_into_shared(value, root);
        let stored = match self.wide_access(buffer, indices)?.filter(|_| !gathers) {
            Some(wide) => self.store_wide(buffer, value, indices, wide),
            None => self.store_lanes(&operands, buffer, root, dtype),
        };
        self.wide.clear();
        stored
    }

    /// Writes the lanes of a vector one after the other.
    fn store_lanes(
        &mut self,
        operands: &[ExprId],
        buffer: BufferId,
        root: Root,
        dtype: ir::DataType,
    ) -> Result<()> {
        let (value, indices) = (operands[0], &operands[1..]);
        let n_lanes = lanes(dtype).ok_or_else(|| no_type(dtype))?;
        if !self.may_read(operands, root)? {
            for lane in 0..n_lanes {
                self.store_lane(buffer, indices, lane, &mut |writer, place| {
                    writer.expr_to_store(value, place)
                })?;
            }
            return Ok(());
        }
        self.store_in_lockstep(buffer, value, indices, dtype)
    }

    /// All lanes are computed before one is written (`SEMANTICS: P3`).
    fn store_in_lockstep(
        &mut self,
        buffer: BufferId,
        value: ExprId,
        indices: &[ExprId],
        dtype: ir::DataType,
    ) -> Result<()> {
        if indices.iter().any(|&it| self.body.expr(it).flags.has_load) {
            return Err(Refusal::new(
                reasons::VECTOR_INDEX,
                "a vector store reads its index from memory",
            ));
        }
        let ty = self.register_type(dtype)?;
        let n_lanes = lanes(dtype).ok_or_else(|| no_type(dtype))?;
        let mut names = Vec::new();
        for lane in 0..n_lanes {
            let name = self.new_slot("lane");
            self.start_line();
            self.out.push_str(&format!("const {ty} {name} = "));
            self.expr(value, &Place::lane(lane))?;
            self.out.push_str(";\n");
            names.push(name);
        }
        for (lane, name) in (0..n_lanes).zip(names) {
            self.store_lane(buffer, indices, lane, &mut |writer, _| {
                writer.out.push_str(&name);
                Ok(())
            })?;
        }
        Ok(())
    }

    fn store_lane(
        &mut self,
        buffer: BufferId,
        indices: &[ExprId],
        lane: u32,
        value: &mut dyn FnMut(&mut Self, &Place) -> Result<()>,
    ) -> Result<()> {
        let form = self.store_form(buffer)?;
        // A scalar of the program is no memory: what is put into it need not be used.
        let is_cell = self.body.buffers[buffer].origin == ir::BufferOrigin::Cell;
        let place = Place { wraps: is_cell, ..Place::lane(lane) };
        self.start_line();
        self.out.push_str(&form.open);
        if form.value_first {
            value(self, &place)?;
            self.out.push_str(&form.middle);
            self.address(buffer, indices, &place)?;
        } else {
            self.address(buffer, indices, &place)?;
            self.out.push_str(&form.middle);
            let start = self.out.len();
            value(self, &place)?;
            self.close_store(&form, start, self.body.buffers[buffer].dtype.element());
            return Ok(());
        }
        self.out.push_str(&form.close);
        self.out.push('\n');
        Ok(())
    }

    // ---- control flow ----

    /// A comment that tells why a loop is no pipeline, as its lowering does; a text of the user's is no reason.
    fn not_pipelined(&self, op: OpId) -> Option<String> {
        let attrs = self.body.dict(self.body.ops[op].attrs);
        let reason = attrs.iter().find(|it| &*it.0 == lower::software_pipeline::LEFT);
        let Some((_, ir::Attr::Str(why))) = reason else { return None };
        let is_ours = why.chars().all(|it| it.is_ascii_alphabetic() || " ,".contains(it));
        is_ours.then(|| format!("// not pipelined: {why}"))
    }

    fn for_loop(&mut self, op: OpId, kind: ForKind) -> Result<()> {
        let body = self.body;
        let operation = &body.ops[op];
        let (min, extent) = (operation.operands[0], operation.operands[1]);
        self.not_pipelined(op).into_iter().for_each(|it| self.line(&it));
        match kind {
            ForKind::Serial | ForKind::Parallel => {}
            ForKind::Unrolled => {
                self.dialect.unroll().into_iter().for_each(|it| self.line(it));
            }
            ForKind::Vectorized if self.constant(extent).is_some_and(|it| it <= 1) => {}
            ForKind::Vectorized => {
                return Err(Refusal::new(
                    reasons::VECTORIZED_LOOP,
                    "a loop that is still to be vectorised",
                ));
            }
            ForKind::ThreadBinding(_) => {
                return Err(Refusal::new(
                    reasons::THREAD_BINDING_LOOP,
                    "a loop that is still to be bound to threads",
                ));
            }
        }
        let region = operation.regions[0];
        let var = body.blocks[body.entry(region)].args[0];
        let dtype = self.dtype(min)?;
        let ty = self.register_type(dtype)?;
        let step = match operation.operands.get(2) {
            Some(&step) => self.constant(step).filter(|&it| it > 0).ok_or_else(|| {
                Refusal::new(reasons::LOOP_STEP, "the step of a loop is no positive constant")
            })?,
            None => 1,
        };
        let end = self.loop_end(min, extent, ty)?;
        let name = self.value_slot(var);
        self.declared.insert(var);
        let parallel = kind == ForKind::Parallel
            && self.dialect.is_host()
            && self.is_outside_parallel()
            && !breaks(body, region);
        if parallel {
            self.needs.parallel = true;
            self.line("TIR_PARALLEL");
        }
        self.start_line();
        self.out.push_str(&format!("for ({ty} {name} = "));
        self.expr(min, &Place::lane(0))?;
        let advance = match step {
            1 => format!("++{name}"),
            _ => format!("{name} += {}", constants::int(step, dtype, self.dialect)),
        };
        self.out.push_str(&format!("; {name} < {end}; {advance})"));
        match kind {
            ForKind::Parallel => self.in_parallel(|it| it.braces(region))?,
            _ => self.in_loop(|it| it.braces(region))?,
        }
        self.out.push('\n');
        Ok(())
    }

    /// The end of a loop, which is computed once (`SEMANTICS: L1`): a constant, or a name bound before the loop.
    fn loop_end(&mut self, min: ExprId, extent: ExprId, ty: &str) -> Result<String> {
        let dtype = self.dtype(extent)?;
        if let (Some(min), Some(extent)) = (self.constant(min), self.constant(extent))
            && let Some(end) = min.checked_add(extent)
        {
            return Ok(constants::int(end, dtype, self.dialect));
        }
        let zero = self.constant(min) == Some(0);
        if zero
            && let ExprKind::Value(value) = self.body.expr(extent).kind
            && self.declared.contains(&value)
        {
            return Ok(self.value_slot(value));
        }
        let name = self.new_slot("end");
        self.start_line();
        self.out.push_str(&format!("const {ty} {name} = "));
        if !zero {
            self.expr(min, &Place { prec: prec::SUM, ..Place::lane(0) })?;
            self.out.push_str(" + ");
        }
        let prec = if zero { prec::ANY } else { prec::PRODUCT };
        self.expr(extent, &Place { prec, ..Place::lane(0) })?;
        self.out.push_str(";\n");
        Ok(name)
    }

    /// A chain of conditions is written flat, as `else if`: the text is linear in its length.
    fn if_statement(&mut self, op: OpId) -> Result<()> {
        self.start_line();
        let mut next = Some(op);
        while let Some(op) = next {
            let otherwise = self.if_arm(op).map_err(|it| it.at(op))?;
            next = otherwise.and_then(|it| self.lone_if(it));
            match (otherwise, next) {
                (Some(_), Some(op)) => {
                    self.out.push_str(" else ");
                    self.note_line(op);
                }
                (Some(otherwise), None) => {
                    self.out.push_str(" else");
                    self.braces(otherwise)?;
                }
                (None, _) => {}
            }
        }
        self.out.push('\n');
        Ok(())
    }

    /// The condition and the first arm, without the line's end. Returns the other arm.
    fn if_arm(&mut self, op: OpId) -> Result<Option<RegionId>> {
        ir::interrupt::check();
        let operation = &self.body.ops[op];
        self.out.push_str("if (");
        self.expr(operation.operands[0], &Place::lane(0))?;
        self.out.push(')');
        self.braces(operation.regions[0])?;
        Ok(operation.regions.get(1).copied())
    }

    /// The only operation of a region, if it is a choice whose condition needs no statement before it.
    fn lone_if(&self, region: RegionId) -> Option<OpId> {
        let body = self.body;
        let [block] = body.regions[region].blocks[..] else { return None };
        let [op] = body.blocks[block].ops[..] else { return None };
        let operation = &body.ops[op];
        let is_choice = operation.kind == OpKind::If;
        (is_choice && !body.expr(operation.operands[0]).flags.has_binder).then_some(op)
    }

    /// The condition is computed anew before each iteration, with all its parts inside the loop (`SEMANTICS: L5`).
    fn while_loop(&mut self, op: OpId) -> Result<()> {
        let body = self.body;
        let operation = &body.ops[op];
        self.line("while (1) {");
        self.indent += 1;
        self.hoist_lets(operation.operands[0], &[])?;
        self.start_line();
        self.out.push_str("if (!(");
        self.expr(operation.operands[0], &Place::lane(0))?;
        self.out.push_str(")) break;\n");
        self.in_loop(|it| it.region(operation.regions[0]))?;
        self.indent -= 1;
        self.line("}");
        Ok(())
    }

    fn evaluate(&mut self, expr: ExprId) -> Result<()> {
        if self.dialect.has_ptx()
            && let Some(known) = instruction(self.body, expr)
        {
            return self.instruction(&known);
        }
        if is_barrier(self.body, expr)? {
            self.line(self.dialect.barrier());
        }
        Ok(())
    }
}

/// Returns true if a loop's own iterations are left early: such a loop cannot run in parallel.
fn breaks(body: &ir::Body, region: RegionId) -> bool {
    let mut inner = 0usize;
    for event in body.walk(region) {
        let (op, enters) = match event {
            ir::walk::WalkEvent::Enter(op) => (op, true),
            ir::walk::WalkEvent::Leave(op) => (op, false),
            _ => continue,
        };
        match body.ops[op].kind {
            OpKind::For(_) | OpKind::While if enters => inner += 1,
            OpKind::For(_) | OpKind::While => inner -= 1,
            OpKind::Break if enters && inner == 0 => return true,
            _ => {}
        }
    }
    false
}
