//! The verifier: the invariants of a body, checked.
//!
//! Run around every pass in tests and debug builds. Checked:
//!
//! 1. links: operations, blocks and regions name their parents; results and block arguments name their definition;
//! 2. shape: each kind of operation has the operands and regions that [`crate::OpKind`] prescribes;
//! 3. types: the operands of a binary operator have one type; conditions are bool (unknown types are not judged);
//! 4. scopes: a value or buffer is used only where its definition is visible ([`crate::visibility`]) — after it in its
//!    block, in the regions below, and in the blocks that its block dominates (any order in graph regions);
//! 5. binders: no operand has an open bound variable.
//!
//! O(operations + occurrences of nodes per operation, each node once an operation), no recursion.

use rustc_hash::FxHashSet;

use crate::{
    BlockId, Body, BufferId, BufferOrigin, Callee, DataType, ExprId, ExprKind, Intrinsic, OpId,
    OpKind, RegionId, RegionKind, Type, ValueId, ValueKind,
    arena::Id,
    dominators::Dominators,
    expr::UnaryOp,
    visibility::{self, Reach},
};

/// A broken invariant.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct VerifyError {
    /// The place; none for the signature.
    pub op: Option<OpId>,
    /// The value that is used where it is not visible, if that is the defect.
    pub value: Option<ValueId>,
    /// The description of the defect.
    pub message: String,
}

/// Checks all invariants; empty when they hold.
pub fn verify(body: &Body) -> Vec<VerifyError> {
    let visible = Visible {
        values: vec![false; body.values.len()],
        buffers: FxHashSet::default(),
        threads: FxHashSet::default(),
    };
    let mut verifier = Verifier {
        body,
        errors: Vec::new(),
        visible,
        unreachable: 0,
        trees: Vec::new(),
        operands: 0,
        seen_in: vec![0; body.n_exprs()],
        nodes: Vec::new(),
    };
    verifier.signature();
    verifier.regions();
    verifier.errors
}

/// Panics with the errors and the printed function if an invariant is broken. For tests and debug builds.
#[track_caller]
pub fn assert_valid(body: &Body) {
    let errors = verify(body);
    assert!(errors.is_empty(), "invalid body: {errors:#?}\n{}", crate::print::tvmscript(body, 0));
}

struct Visible {
    /// By value.
    values: Vec<bool>,
    buffers: FxHashSet<BufferId>,
    /// Thread indices that have a name, for launches to run them.
    threads: FxHashSet<ValueId>,
}

/// The values that the open scopes made visible, to be hidden when the scopes end.
#[derive(Default)]
struct Undo {
    values: Vec<ValueId>,
    buffers: Vec<BufferId>,
    threads: Vec<ValueId>,
    /// The place where the open scopes begin in all three.
    scopes: Vec<[u32; 3]>,
}

impl Undo {
    fn open(&mut self) {
        let lens = [self.values.len(), self.buffers.len(), self.threads.len()];
        self.scopes.push(lens.map(|it| it as u32));
    }
}

struct Verifier<'a> {
    body: &'a Body,
    errors: Vec<VerifyError>,
    visible: Visible,
    /// Blocks around that cannot be reached: in MLIR every definition dominates them.
    unreachable: u32,
    /// Dominator trees of the regions around.
    trees: Vec<Dominators>,
    /// The number of operands that were looked into.
    operands: u32,
    /// By node: the operand in which it was seen last, by its number.
    seen_in: Vec<u32>,
    /// The nodes of an operand that are to be looked at; empty between operands.
    nodes: Vec<ExprId>,
}

enum Step {
    Region(RegionId),
    /// A block and those that it dominates in the innermost tree.
    Tree(BlockId),
    EndTree,
    Block(BlockId),
    Op(OpId),
    /// From here on the results of an operation are visible.
    Results(OpId),
    /// The code up to the next mark is unreachable.
    Unreachable,
    Reachable,
    /// Hides the definitions of the scope.
    Close,
    /// The regions of an operation are done: the values that it keeps visible stay.
    KeepOpen,
}

impl Verifier<'_> {
    fn error(&mut self, op: Option<OpId>, message: String) {
        self.errors.push(VerifyError { op, value: None, message });
    }

    fn signature(&mut self) {
        let body = self.body;
        for (value, data) in body.values.iter() {
            if matches!(data.kind, ValueKind::Param(_) | ValueKind::Symbol | ValueKind::Captured) {
                self.visible.values[value.index()] = true;
            }
        }
        for (index, param) in body.params.iter().enumerate() {
            if body.values[param.value].kind != ValueKind::Param(index as u32) {
                self.error(None, format!("parameter {index} does not name its value"));
            }
            if let Some(buffer) = param.buffer {
                self.visible.buffers.insert(buffer);
            }
        }
    }

    fn regions(&mut self) {
        let body = self.body;
        let mut undo = Undo::default();
        undo.open();
        let mut stack = vec![Step::Region(body.root)];
        while let Some(step) = stack.pop() {
            crate::interrupt::check();
            match step {
                Step::Region(region) => self.region(region, &mut stack),
                Step::Tree(block) => {
                    // A block is closed after all that it dominates.
                    stack.push(Step::Close);
                    let children = self.trees.last().map_or(&[][..], |it| it.children(block));
                    stack.extend(children.iter().rev().map(|&it| Step::Tree(it)));
                    stack.push(Step::Block(block));
                }
                Step::EndTree => {
                    self.trees.pop();
                }
                Step::Block(block) => {
                    undo.open();
                    for (index, &arg) in body.blocks[block].args.iter().enumerate() {
                        if body.values[arg].kind != ValueKind::BlockArg(block, index as u32) {
                            self.error(
                                None,
                                format!("argument {index} of {block:?} does not name its block"),
                            );
                        }
                        self.define_value(arg, &mut undo);
                    }
                    let around = body.regions[body.blocks[block].parent].parent;
                    if let Some(thread) = around.and_then(|it| visibility::launched(body, it))
                        && !self.visible.values[thread.index()]
                    {
                        self.define_value(thread, &mut undo);
                    }
                    stack.extend(body.blocks[block].ops.iter().rev().map(|&op| Step::Op(op)));
                }
                Step::Unreachable => self.unreachable += 1,
                Step::Reachable => self.unreachable -= 1,
                Step::Op(op) => self.op(op, &mut stack, &mut undo),
                Step::Results(op) => self.define_results(op, &mut undo),
                Step::Close => {
                    if let Some([values, buffers, threads]) = undo.scopes.pop() {
                        for value in undo.values.drain(values as usize..) {
                            self.visible.values[value.index()] = false;
                        }
                        for buffer in undo.buffers.drain(buffers as usize..) {
                            self.visible.buffers.remove(&buffer);
                        }
                        for thread in undo.threads.drain(threads as usize..) {
                            self.visible.threads.remove(&thread);
                        }
                    }
                }
                // What it defined is now the outer scope's.
                Step::KeepOpen => {
                    undo.scopes.pop();
                }
            }
        }
    }

    /// Schedules the blocks of a region so that a block's definitions are visible in the blocks it dominates.
    fn region(&mut self, region: RegionId, stack: &mut Vec<Step>) {
        let body = self.body;
        let data = &body.regions[region];
        for &block in &data.blocks {
            if body.blocks[block].parent != region {
                self.error(None, format!("{block:?} does not name its region"));
            }
        }
        if data.kind == RegionKind::Graph {
            self.define_graph_region(region);
        }
        if let [block] = data.blocks[..] {
            stack.push(Step::Close);
            stack.push(Step::Block(block));
            return;
        }
        let dominators = Dominators::compute(body, region);
        let entry = data.blocks[0];
        let lenient = body.dialect.is_of_operations();
        stack.push(Step::EndTree);
        for &root in dominators.roots().iter().rev() {
            if lenient && root != entry {
                // Roots dominate nothing.
                stack.extend([Step::Reachable, Step::Close]);
                stack.extend([Step::Block(root), Step::Unreachable]);
            } else {
                stack.push(Step::Tree(root));
            }
        }
        self.trees.push(dominators);
    }

    fn define_graph_region(&mut self, region: RegionId) {
        for &block in &self.body.regions[region].blocks {
            for &op in &self.body.blocks[block].ops {
                for &result in &self.body.ops[op].results {
                    self.visible.values[result.index()] = true;
                }
            }
        }
    }

    fn define_value(&mut self, value: ValueId, undo: &mut Undo) {
        self.visible.values[value.index()] = true;
        undo.values.push(value);
    }

    fn define_results(&mut self, op: OpId, undo: &mut Undo) {
        for &result in &self.body.ops[op].results {
            match visibility::reach(self.body, result) {
                Reach::Launches => {
                    self.visible.threads.insert(result);
                    undo.threads.push(result);
                }
                _ => self.define_value(result, undo),
            }
        }
    }

    fn define_buffer(&mut self, buffer: BufferId, undo: &mut Undo) {
        self.visible.buffers.insert(buffer);
        undo.buffers.push(buffer);
    }

    fn op(&mut self, op: OpId, stack: &mut Vec<Step>, undo: &mut Undo) {
        let body = self.body;
        let data = &body.ops[op];
        self.shape(op);
        for (index, &operand) in data.operands.iter().enumerate() {
            let ahead = visibility::seen_ahead(body, op, index);
            self.with_visible(ahead, |verifier| verifier.expr(op, operand));
        }
        if let OpKind::Store { buffer, .. } = data.kind {
            self.use_buffer(op, buffer);
        }
        if let Some(thread) = visibility::launched(body, op)
            && !self.visible.threads.contains(&thread)
        {
            self.use_value(op, thread);
        }
        for successor in &data.successors {
            for &arg in body.items(successor.args) {
                self.expr(op, arg);
            }
        }
        for (index, &result) in data.results.iter().enumerate() {
            if body.values[result].kind != ValueKind::Result(op, index as u32) {
                self.error(Some(op), format!("result {index} does not name its operation"));
            }
        }
        // What is inside of an operation of MLIR does not see its results.
        if body.dialect.is_of_operations() && !data.regions.is_empty() {
            stack.push(Step::Results(op));
        } else {
            self.define_results(op, undo);
        }
        match data.kind {
            OpKind::Alloc { buffer, .. } => self.define_buffer(buffer, undo),
            OpKind::DeclBuffer { buffer } => {
                match &body.buffers[buffer].origin {
                    BufferOrigin::View { source, .. } => self.use_buffer(op, *source),
                    BufferOrigin::MatchRegion(region) => self.use_buffer(op, region.buffer),
                    _ => {}
                }
                self.define_buffer(buffer, undo);
            }
            _ => {}
        }
        for &region in &data.regions {
            if body.regions[region].parent != Some(op) {
                self.error(Some(op), format!("{region:?} does not name its operation"));
            }
        }
        // The `T.init()` of a block sees what its body allocates; what an opaque statement defines may be visible
        // after it.
        match (data.kind, &data.regions[..]) {
            (OpKind::SBlock(_), &[first, init]) => {
                stack.push(Step::Close);
                stack.push(Step::Region(init));
                let block = body.entry(first);
                undo.open();
                stack.extend([Step::KeepOpen, Step::Block(block)]);
            }
            (OpKind::Opaque(_), regions) if !body.dialect.is_of_operations() => {
                for &region in regions.iter().rev() {
                    stack.push(Step::KeepOpen);
                    stack.push(Step::Block(body.entry(region)));
                }
            }
            (_, regions) => stack.extend(regions.iter().rev().map(|&it| Step::Region(it))),
        }
    }

    /// Numbers of operands, results and regions that a kind has.
    fn shape(&mut self, op: OpId) {
        let body = self.body;
        let data = &body.ops[op];
        let n = data.operands.len();
        let (operands_fit, n_regions) = match data.kind {
            OpKind::For(_) => (n == 2 || n == 3, 1..=1),
            OpKind::If => (n == 1, 1..=2),
            OpKind::While => (n == 1, 1..=1),
            OpKind::SBlock(block) => {
                let block = &body.sblocks[block];
                (n == block.iter_vars.len() + usize::from(block.has_predicate), 1..=2)
            }
            OpKind::LaunchThread { .. } => (n == 1, 1..=1),
            OpKind::EnvThread(_) => (n == 0 && data.results.len() == 1, 0..=0),
            OpKind::Attr(_) => (n == 2, 1..=1),
            OpKind::AttrDict => (n == 0, 1..=1),
            OpKind::Store { predicated, .. } => (n > usize::from(predicated), 0..=0),
            OpKind::Bind => (n == 1 && data.results.len() == 1, 0..=1),
            OpKind::Alloc { buffer, .. } | OpKind::DeclBuffer { buffer } => {
                (data.operands.iter().copied().eq(body.buffers[buffer].operands()), 0..=1)
            }
            OpKind::Evaluate | OpKind::Assert => (n == 1, 0..=0),
            OpKind::Return => (n <= 1, 0..=0),
            OpKind::Break | OpKind::Continue => (n == 0, 0..=0),
            OpKind::Opaque(_) | OpKind::Named(_) => (true, 0..=usize::MAX),
        };
        if !operands_fit {
            self.error(Some(op), format!("{:?} has {n} operands", data.kind));
        }
        if !n_regions.contains(&data.regions.len()) {
            self.error(Some(op), format!("{:?} has {} regions", data.kind, data.regions.len()));
        }
        if matches!(data.kind, OpKind::If | OpKind::While | OpKind::Assert)
            && let Some(&condition) = data.operands.first()
            && !body.ty(condition).is_open()
            && !body.ty(condition).is_bool()
        {
            self.error(Some(op), "the condition is not bool".to_owned());
        }
    }

    /// Checks with the arguments of a block visible that the walk has not come to.
    fn with_visible(&mut self, ahead: Option<BlockId>, check: impl FnOnce(&mut Self)) {
        let hidden: Vec<ValueId> = ahead
            .iter()
            .flat_map(|&it| &self.body.blocks[it].args)
            .copied()
            .filter(|it| !self.visible.values[it.index()])
            .collect();
        hidden.iter().for_each(|it| self.visible.values[it.index()] = true);
        check(self);
        hidden.iter().for_each(|it| self.visible.values[it.index()] = false);
    }

    fn use_value(&mut self, op: OpId, value: ValueId) {
        if self.unreachable == 0 && !self.visible.values[value.index()] {
            let name = self.body.name(self.body.values[value].name).to_owned();
            let message = format!("value `{name}` ({}) is not visible", value.index());
            self.errors.push(VerifyError { op: Some(op), value: Some(value), message });
        }
    }

    fn use_buffer(&mut self, op: OpId, buffer: BufferId) {
        if !self.visible.buffers.contains(&buffer) {
            let name = self.body.name(self.body.buffers[buffer].name).to_owned();
            self.error(Some(op), format!("buffer `{name}` ({}) is not visible", buffer.index()));
        }
    }

    /// Checks that a choice is of one type, by a truth value.
    fn choice(&mut self, op: OpId, condition: ExprId, then: ExprId, otherwise: ExprId) {
        let body = self.body;
        let is_bool = |it: DataType| it.is_bool() || it.is_symbolic();
        if body.dtype(condition).is_some_and(|it| !is_bool(it)) {
            self.error(Some(op), "a choice by a value that is not bool".to_owned());
        }
        if let (Some(a), Some(b)) = (body.dtype(then), body.dtype(otherwise))
            && a != b
            && body.ty(condition) != Type::Unknown
            && !(a.is_symbolic() || b.is_symbolic())
        {
            self.error(Some(op), format!("a choice of {a} and {b}"));
        }
    }

    /// Checks the nodes under an operand, each once.
    fn expr(&mut self, op: OpId, root: ExprId) {
        let body = self.body;
        if let Some(value) = root.as_operand() {
            return self.use_value(op, value);
        }
        if body.expr(root).flags.open_binders != 0 {
            self.error(Some(op), "an operand has an open bound variable".to_owned());
        }
        self.operands += 1;
        let mut stack = std::mem::take(&mut self.nodes);
        stack.push(root);
        while let Some(id) = stack.pop() {
            if std::mem::replace(&mut self.seen_in[id.index()], self.operands) == self.operands {
                continue;
            }
            let kind = body.expr(id).kind;
            match kind {
                ExprKind::Value(value) => self.use_value(op, value),
                ExprKind::Load { buffer, .. }
                | ExprKind::BufferField(buffer, _)
                | ExprKind::Buffer(buffer)
                | ExprKind::Region(buffer, _) => self.use_buffer(op, buffer),
                ExprKind::Binary(operator, lhs, rhs) => {
                    let (a, b) = (body.ty(lhs), body.ty(rhs));
                    if a != b && !a.is_open() && !b.is_open() {
                        self.error(Some(op), format!("{operator:?} of {a:?} and {b:?}"));
                    }
                }
                ExprKind::Call { callee: Callee::Intrinsic(name, it), .. }
                    if Intrinsic::of_name(body.name(name)) != it =>
                {
                    self.error(
                        Some(op),
                        format!("a call of `{}` is taken for {it:?}", body.name(name)),
                    );
                }
                ExprKind::Select(condition, then, otherwise)
                | ExprKind::IfThenElse(condition, then, otherwise) => {
                    self.choice(op, condition, then, otherwise);
                }
                ExprKind::Unary(UnaryOp::Not, operand)
                    if !body.ty(operand).is_bool() && !body.ty(operand).is_open() =>
                {
                    self.error(Some(op), "`not` of a value that is not bool".to_owned());
                }
                _ => {}
            }
            body.each_child(kind, &mut |child| stack.push(child));
        }
        self.nodes = stack;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{BinaryOp, DataType, Dialect, ForKind, Successor};

    fn messages(body: &Body) -> Vec<String> {
        verify(body).into_iter().map(|it| it.message).collect()
    }

    #[test]
    fn a_choice_is_of_one_type_by_a_truth_value() {
        let mut body = Body::new("f", Dialect::Tirx);
        let entry = body.entry(body.root);
        let [one, two] = [1, 2].map(|it| body.int(it, DataType::INT32));
        let wide = body.int(1, DataType::INT64);
        let condition = body.binary(BinaryOp::Lt, one, two);
        for choice in [
            body.if_then_else(condition, one, two),
            body.if_then_else(condition, one, wide),
            body.if_then_else(one, one, two),
        ] {
            body.push_op(entry, OpKind::Evaluate, &[choice]);
        }
        let expected = ["a choice of int32 and int64", "a choice by a value that is not bool"]
            .map(str::to_owned);
        assert_eq!(messages(&body), expected);
    }

    #[test]
    fn a_loop_variable_is_not_visible_after_its_loop() {
        let mut body = Body::new("f", Dialect::Tirx);
        let entry = body.entry(body.root);
        let (zero, four) = (body.int(0, DataType::INT32), body.int(4, DataType::INT32));
        let op = body.push_op(entry, OpKind::For(ForKind::Serial), &[zero, four]);
        let region = body.push_region(op);
        let block = body.entry(region);
        let i = body.new_block_arg(block, "i", DataType::INT32.into());
        let i = body.value_expr(i);
        body.push_op(block, OpKind::Evaluate, &[i]);
        assert!(messages(&body).is_empty());
        body.push_op(entry, OpKind::Evaluate, &[i]);
        assert_eq!(messages(&body), ["value `i` (0) is not visible"]);
    }

    #[test]
    fn a_named_thread_index_is_visible_in_its_launches_and_nowhere_else() {
        let mut body = Body::new("f", Dialect::Tirx);
        let entry = body.entry(body.root);
        let tag = body.thread_tag("threadIdx.x");
        let named = body.push_op(entry, OpKind::EnvThread(tag), &[]);
        let var = body.push_result(named, "tx", DataType::INT32.into());
        let (tx, four) = (body.value_expr(var), body.int(4, DataType::INT32));
        for _ in 0..2 {
            let launch = body.push_op(entry, OpKind::LaunchThread { tag, var }, &[four]);
            let region = body.push_region(launch);
            let inside = body.entry(region);
            body.push_op(inside, OpKind::Evaluate, &[tx]);
        }
        assert!(messages(&body).is_empty());
        body.push_op(entry, OpKind::Evaluate, &[tx]);
        assert_eq!(messages(&body), ["value `tx` (0) is not visible"]);
    }

    #[test]
    fn mixed_operand_types_are_found() {
        let mut body = Body::new("f", Dialect::Tirx);
        let entry = body.entry(body.root);
        let (a, b) = (body.int(1, DataType::INT32), body.int(1, DataType::INT64));
        let sum = body.make(ExprKind::Binary(BinaryOp::Add, a, b), DataType::INT32.into());
        body.push_op(entry, OpKind::Evaluate, &[sum]);
        assert_eq!(messages(&body), ["Add of Prim(int32) and Prim(int64)"]);
    }

    #[test]
    fn a_definition_is_visible_where_its_block_dominates_and_nowhere_else() {
        // entry -> {left, right} -> join; a value of `left` is not visible in `join`.
        let mut body = Body::new("f", Dialect::Mlir);
        let root = body.root;
        let entry = body.entry(root);
        let (left, right, join) =
            (body.new_block(root), body.new_block(root), body.new_block(root));
        let empty = body.list(&[]);
        let br = body.intern("cf.br");
        for (from, targets) in [(entry, vec![left, right]), (left, vec![join]), (right, vec![join])]
        {
            let mut defined = None;
            if from == left {
                let name = body.intern("test.def");
                let op = body.push_op(from, OpKind::Named(name), &[]);
                defined = Some(body.push_result(op, "x", DataType::INT32.into()));
            }
            let op = body.push_op(from, OpKind::Named(br), &[]);
            body.ops[op].successors =
                targets.into_iter().map(|block| Successor { block, args: empty }).collect();
            if let Some(x) = defined {
                let x = body.value_expr(x);
                body.push_op(join, OpKind::Evaluate, &[x]);
            }
        }
        assert_eq!(messages(&body), ["value `x` (0) is not visible"]);
    }
}
