//! Statements: regions become blocks of naga, scoping constructs without meaning at run time become nothing.

use ::naga::{Barrier, BinaryOperator as Op, Block, Scalar, Statement, UnaryOperator};
use ir::{BufferId, ExprId, ForKind, OpId, OpKind, RegionId};

use super::{
    expr::Place,
    function::Node,
    types,
    writer::{Writer, lanes},
};
use crate::{
    backend::c_family::is_hint,
    kernel::{Refusal, Result, Root, Space, barrier::is_barrier},
    reasons,
};

/// Statements that may stand in each other: naga's validator and writers recurse over them.
const MAX_NESTING: usize = 200;

impl Writer<'_> {
    /// Notes one more region around what follows.
    pub(super) fn nested(&mut self) -> Result<()> {
        self.nesting += 1;
        match self.nesting > MAX_NESTING {
            true => {
                Err(Refusal::new(reasons::NESTING_TOO_DEEP, "statements nest too deep for naga"))
            }
            false => Ok(()),
        }
    }

    fn region(&mut self, region: RegionId) -> Result<()> {
        ir::stack::with_room(|| {
            let body = self.body;
            let [block] = body.regions[region].blocks.as_slice() else {
                return Err(Refusal::new(reasons::CONTROL_FLOW, "a region of several blocks"));
            };
            for &op in &body.blocks[*block].ops {
                self.op(op).map_err(|it| it.at(op))?;
                // Nothing may stand behind a jump, and nothing there is executed.
                if matches!(body.ops[op].kind, OpKind::Break | OpKind::Continue) {
                    break;
                }
            }
            Ok(())
        })
    }

    /// A region as a block of its own.
    fn block(&mut self, region: RegionId) -> Result<Block> {
        self.nested()?;
        self.out.open_block();
        self.region(region)?;
        self.nesting -= 1;
        Ok(self.out.close_block())
    }

    /// The regions of an operation, in the scope it stands in.
    fn transparent(&mut self, op: OpId) -> Result<()> {
        let body = self.body;
        body.ops[op].regions.iter().try_for_each(|&it| self.region(it))
    }

    /// Translates one operation, and marks where that begins.
    pub(super) fn op(&mut self, op: OpId) -> Result<()> {
        let is_written = is_written(self.body.ops[op].kind);
        if is_written {
            self.out.mark(op);
        }
        self.statement(op)?;
        if is_written {
            self.out.drop_idle_mark();
        }
        Ok(())
    }

    fn statement(&mut self, op: OpId) -> Result<()> {
        ir::interrupt::check();
        let body = self.body;
        let operation = &body.ops[op];
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
                let usage = self.kernel.root_use(Root::Alloc(buffer));
                // One that is never accessed is nothing.
                if let Some(usage) = usage.filter(|it| it.space == Space::Local) {
                    self.local_array(usage, buffer)?;
                }
                self.transparent(op)
            }
            OpKind::Bind => self.bind(op),
            OpKind::Store { predicated: true, .. } => {
                Err(Refusal::new(reasons::PREDICATED_ACCESS, "a store has a lane predicate"))
            }
            OpKind::Store { buffer, .. } => self.store(op, buffer),
            OpKind::For(kind) => self.for_loop(op, kind),
            OpKind::If => {
                let condition = self.expr(operation.operands[0], &Place::lane(0))?;
                let accept = self.block(operation.regions[0])?;
                let reject = match operation.regions.get(1) {
                    Some(&otherwise) => self.block(otherwise)?,
                    None => Block::new(),
                };
                self.out.push(Statement::If { condition, accept, reject });
                Ok(())
            }
            OpKind::While => self.while_loop(op),
            OpKind::Break => {
                self.out.push(Statement::Break);
                Ok(())
            }
            OpKind::Continue => {
                self.out.push(Statement::Continue);
                Ok(())
            }
            OpKind::Evaluate => self.evaluate(operation.operands[0]),
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

    fn bind(&mut self, op: OpId) -> Result<()> {
        let body = self.body;
        let operation = &body.ops[op];
        let (value, expr) = (operation.results[0], operation.operands[0]);
        if matches!(body.values[value].ty, ir::Type::Pointer { .. }) {
            return Err(Refusal::new(reasons::POINTER_BINDING, "a pointer is bound to a name"));
        }
        let n_lanes = lanes(self.dtype(expr)?)?;
        let mut nodes = Vec::new();
        for lane in 0..n_lanes {
            let node = self.expr(expr, &Place::lane(lane))?;
            let name = self.out.names.entity(body.name(body.values[value].name));
            self.out.name(node, name);
            nodes.push(node);
        }
        self.values.insert(value, nodes);
        self.transparent(op)
    }

    /// All lanes are computed before one is written (`SEMANTICS: P3`).
    fn store(&mut self, op: OpId, buffer: BufferId) -> Result<()> {
        let body = self.body;
        let operands = &body.ops[op].operands;
        let (value, indices) = (operands[0], &operands[1..]);
        let dtype = body.access_dtype(buffer, indices);
        let found = self.dtype(value)?;
        if found != dtype {
            return Err(Refusal::new(
                reasons::STORE_TYPE,
                format!("a `{found}` is stored as `{dtype}`"),
            ));
        }
        let mut stores = Vec::new();
        for lane in 0..lanes(dtype)? {
            let place = Place::lane(lane);
            let node = self.expr(value, &place)?;
            stores.push((self.element_at(buffer, indices, &place)?, node));
        }
        let kind = dtype.element();
        stores.into_iter().try_for_each(|(element, node)| self.write(element, node, kind))
    }

    // ---- control flow ----

    fn for_loop(&mut self, op: OpId, kind: ForKind) -> Result<()> {
        let body = self.body;
        let operation = &body.ops[op];
        let (min, extent) = (operation.operands[0], operation.operands[1]);
        match kind {
            ForKind::Serial | ForKind::Parallel | ForKind::Unrolled => {}
            ForKind::Vectorized if self.constant(extent).is_some_and(|it| it <= 1) => {}
            ForKind::Vectorized => {
                let text = "a loop that is still to be vectorised";
                return Err(Refusal::new(reasons::VECTORIZED_LOOP, text));
            }
            ForKind::ThreadBinding(_) => {
                let text = "a loop that is still to be bound to threads";
                return Err(Refusal::new(reasons::THREAD_BINDING_LOOP, text));
            }
        }
        let region = operation.regions[0];
        let var = body.blocks[body.entry(region)].args[0];
        let dtype = self.dtype(min)?;
        let step = match operation.operands.get(2) {
            Some(&step) => self.constant(step).filter(|&it| it > 0).ok_or_else(|| {
                Refusal::new(reasons::LOOP_STEP, "the step of a loop is no positive constant")
            })?,
            None => 1,
        };
        // Both are computed once (`SEMANTICS: L1`).
        self.exact(min)?;
        self.exact(extent)?;
        let first = self.expr(min, &Place::lane(0))?;
        let end = self.loop_end(min, first, extent)?;
        let scalar = types::register(dtype, self.language)?;
        let ty = self.out.scalar_type(scalar);
        let name = body.name(body.values[var].name);
        let wanted = self.out.names.made(format!("{name}_next"));
        let pointer = self.out.variable(wanted, ty)?;
        self.out.store(pointer, first);

        self.out.open_block();
        let current = self.out.load(pointer)?;
        let wanted = self.out.names.entity(name);
        self.out.name(current, wanted);
        let goes_on = self.out.binary(Op::Less, current, end)?;
        self.leave_unless(goes_on)?;
        self.values.insert(var, vec![current]);
        self.nested()?;
        self.region(region)?;
        self.nesting -= 1;
        let inside = self.out.close_block();

        self.out.open_block();
        let step = self.int(step, dtype)?;
        let next = self.out.binary(Op::Add, current, step)?;
        self.out.store(pointer, next);
        let continuing = self.out.close_block();
        self.out.push(Statement::Loop { body: inside, continuing, break_if: None });
        Ok(())
    }

    fn loop_end(&mut self, min: ExprId, first: Node, extent: ExprId) -> Result<Node> {
        let dtype = self.dtype(extent)?;
        if let (Some(min), Some(extent)) = (self.constant(min), self.constant(extent))
            && let Some(end) = min.checked_add(extent)
        {
            return self.int(end, dtype);
        }
        let extent = self.expr(extent, &Place::lane(0))?;
        if self.constant(min) == Some(0) {
            return Ok(extent);
        }
        self.out.binary(Op::Add, first, extent)
    }

    /// `if condition {} else { break; }`
    fn leave_unless(&mut self, condition: Node) -> Result<()> {
        let condition = self.unary(UnaryOperator::LogicalNot, condition)?;
        let accept = Block::from_vec(vec![Statement::Break]);
        self.out.push(Statement::If { condition, accept, reject: Block::new() });
        Ok(())
    }

    /// The condition is computed anew before each iteration, with all its parts inside the loop (`SEMANTICS: L5`).
    fn while_loop(&mut self, op: OpId) -> Result<()> {
        let body = self.body;
        let operation = &body.ops[op];
        self.nested()?;
        self.out.open_block();
        let condition = self.expr(operation.operands[0], &Place::lane(0))?;
        self.leave_unless(condition)?;
        self.region(operation.regions[0])?;
        let inside = self.out.close_block();
        self.nesting -= 1;
        self.out.push(Statement::Loop { body: inside, continuing: Block::new(), break_if: None });
        Ok(())
    }

    fn evaluate(&mut self, expr: ExprId) -> Result<()> {
        if is_barrier(self.body, expr)? {
            // It orders global memory, too (`SEMANTICS: Y1`).
            let barrier = Barrier::WORK_GROUP | Barrier::STORAGE;
            self.out.push(Statement::ControlBarrier(barrier));
        }
        Ok(())
    }

    /// Assumes of a scalar argument of 64 bits that it fits 32: the host checks it before the launch.
    pub(super) fn assume_narrow(
        &mut self,
        source: crate::kernel::ScalarSource,
        host: &crate::kernel::host::HostExpr,
    ) -> Result<()> {
        self.bounds.assume_narrow(source);
        self.checks.push(crate::kernel::host::HostExpr::at_most(host, i32::MAX.into()));
        self.checks.push(crate::kernel::host::HostExpr::at_least(host, i32::MIN.into()));
        debug_assert!(types::register(ir::DataType::INT64, self.language) == Ok(Scalar::I32));
        Ok(())
    }
}

/// Returns true if an operation has statements of its own.
fn is_written(kind: OpKind) -> bool {
    matches!(
        kind,
        OpKind::Bind
            | OpKind::Store { .. }
            | OpKind::For(_)
            | OpKind::If
            | OpKind::While
            | OpKind::Break
            | OpKind::Continue
            | OpKind::Evaluate
    )
}
