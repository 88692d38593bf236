//! The tree of scopes of a body.
//!
//! In: a [`Body`]. Out: a [`ScopeTree`]: for every operation its scope and its place in program order, for every scope
//! its parent, its creator and its kind. A value defined in a scope is visible in the rest of it and in the scopes
//! below that come later.
//!
//! Every block is a scope (crate README). `for`, `if`, `while`, `attr`, `launch_thread` and schedulable blocks have
//! regions of one block; other languages may have more, related by dominance. Building is O(operations), without
//! recursion; [`ScopeTree::is_ancestor`] and [`ScopeTree::dominates`] are O(1), [`ScopeTree::common`] and
//! [`ScopeTree::child_towards`] O(log depth) by jump pointers.

use ir::{
    BlockId, Body, ForKind, OpId, OpKind, RegionId, ValueId, ValueKind,
    arena::{Id, Table},
    dominators::Dominators,
    visibility::{Reach, launched, reach},
};

/// A scope of one [`ScopeTree`]; numbered in preorder.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ScopeId(u32);

impl Id for ScopeId {
    fn new(index: usize) -> Self {
        ScopeId(u32::try_from(index).expect("fewer scopes than 2^32 operations"))
    }
    fn index(self) -> usize {
        self.0 as usize
    }
}

/// The kind of a scope.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ScopeKind {
    /// The function.
    Function,
    /// The body of a `for`.
    Loop(ForKind),
    /// The body of a `while`.
    While,
    /// An arm of an `if`, by the index of its region.
    Arm(u32),
    /// Below an `if` on an unresolved name, or a statement that is kept by its text: it is unknown whether, when and
    /// how often it is executed (`SEMANTICS: X8`, `X2`).
    UnknownArm(u32),
    /// Below `T.attr`.
    Attr,
    /// Below `T.launch_thread`.
    Launch,
    /// The body of a schedulable block; `true` if a predicate guards it.
    SBlock(bool),
    /// The `init` of a schedulable block.
    Init,
    /// All that sees a binding or allocation written as a `with`.
    Binding,
    /// Below an operation of another language.
    Other,
    /// A block that another block of its region dominates.
    Successor,
}

#[derive(Clone, Debug)]
struct Scope {
    parent: ScopeId,
    depth: u32,
    /// An ancestor further up, so chosen that a path of jumps and parents is logarithmic.
    jump: ScopeId,
    /// The last scope below it.
    last: ScopeId,
    creator: Option<OpId>,
    kind: ScopeKind,
    block: BlockId,
    /// The outermost launch or thread-binding scope it is in.
    kernel: Option<ScopeId>,
    /// The innermost schedulable block around it: its operation.
    sblock: Option<OpId>,
    /// The order of the first operation that is not before it.
    start: u32,
}

/// The scopes of a body.
#[derive(Clone, Debug)]
pub struct ScopeTree {
    scopes: Table<ScopeId, Scope>,
    of_op: Table<OpId, ScopeId>,
    order: Table<OpId, u32>,
    of_block: Table<BlockId, ScopeId>,
}

enum Step {
    Block(BlockId, Option<ScopeId>, Option<OpId>, ScopeKind, usize),
    Op(OpId, ScopeId),
    Leave(ScopeId),
}

impl ScopeTree {
    /// The scopes of `body`.
    pub fn build(body: &Body) -> ScopeTree {
        let root = ScopeId(0);
        let mut tree = ScopeTree {
            scopes: Table::default(),
            of_op: Table::filled(body.ops.len(), root),
            order: Table::filled(body.ops.len(), u32::MAX),
            of_block: Table::filled(body.blocks.len(), root),
        };
        tree.scopes.reserve(body.blocks.len());
        let mut dominators: Vec<Dominators> = Vec::new();
        let mut stack = Vec::new();
        let mut order = 0;
        push_region(body, body.root, None, None, ScopeKind::Function, &mut dominators, &mut stack);
        while let Some(step) = stack.pop() {
            match step {
                Step::Leave(scope) => {
                    tree.scopes[scope].last = ScopeId::new(tree.scopes.len() - 1);
                }
                Step::Block(block, parent, creator, kind, table) => {
                    let scope = tree.push(block, parent, creator, kind, order);
                    stack.push(Step::Leave(scope));
                    let ops = &body.blocks[block].ops;
                    if let Some(dominators) = dominators.get(table) {
                        let creator = ops.last().copied();
                        for &below in dominators.children(block).iter().rev() {
                            let kind = ScopeKind::Successor;
                            stack.push(Step::Block(below, Some(scope), creator, kind, table));
                        }
                    }
                    stack.extend(ops.iter().rev().map(|&op| Step::Op(op, scope)));
                }
                Step::Op(op, scope) => {
                    tree.of_op[op] = scope;
                    tree.order[op] = order;
                    order += 1;
                    for (index, &region) in body.ops[op].regions.iter().enumerate().rev() {
                        let kind = kind_of(body, op, index as u32);
                        push_region(
                            body,
                            region,
                            Some(scope),
                            Some(op),
                            kind,
                            &mut dominators,
                            &mut stack,
                        );
                    }
                }
            }
        }
        tree
    }

    fn push(
        &mut self,
        block: BlockId,
        parent: Option<ScopeId>,
        creator: Option<OpId>,
        kind: ScopeKind,
        start: u32,
    ) -> ScopeId {
        let id = ScopeId::new(self.scopes.len());
        self.of_block[block] = id;
        let is_kernel =
            matches!(kind, ScopeKind::Launch | ScopeKind::Loop(ForKind::ThreadBinding(_)));
        let own = is_kernel.then_some(id);
        let is_sblock = matches!(kind, ScopeKind::SBlock(_) | ScopeKind::Init);
        let sblock = creator.filter(|_| is_sblock);
        let scope = match parent {
            None => Scope {
                parent: id,
                depth: 0,
                jump: id,
                last: id,
                creator,
                kind,
                block,
                kernel: own,
                sblock,
                start,
            },
            Some(parent) => {
                let above = &self.scopes[parent];
                let jump = &self.scopes[above.jump];
                let far = &self.scopes[jump.jump];
                // Two jumps of equal length make one of twice the length (skew binary numbers).
                let doubles = above.depth - jump.depth == jump.depth - far.depth;
                Scope {
                    parent,
                    depth: above.depth + 1,
                    jump: if doubles { jump.jump } else { parent },
                    last: id,
                    creator,
                    kind,
                    block,
                    kernel: above.kernel.or(own),
                    sblock: sblock.or(above.sblock),
                    start,
                }
            }
        };
        self.scopes.push(scope)
    }

    /// The scope of the function.
    pub fn root(&self) -> ScopeId {
        ScopeId(0)
    }
    /// Number of scopes.
    pub fn len(&self) -> usize {
        self.scopes.len()
    }
    /// Returns true if there are no scopes. This is never the case for a tree that was built.
    pub fn is_empty(&self) -> bool {
        self.scopes.is_empty()
    }
    /// All scopes, each before those below it.
    pub fn ids(&self) -> impl DoubleEndedIterator<Item = ScopeId> + ExactSizeIterator + use<> {
        self.scopes.ids()
    }
    /// The scope around it; none for the function.
    pub fn parent(&self, scope: ScopeId) -> Option<ScopeId> {
        let parent = self.scopes[scope].parent;
        (parent != scope).then_some(parent)
    }
    /// Distance from the function.
    pub fn depth(&self, scope: ScopeId) -> u32 {
        self.scopes[scope].depth
    }
    /// Returns the kind of a scope.
    pub fn kind(&self, scope: ScopeId) -> ScopeKind {
        self.scopes[scope].kind
    }
    /// Its block.
    pub fn block(&self, scope: ScopeId) -> BlockId {
        self.scopes[scope].block
    }
    /// The scope of a block.
    pub fn of_block(&self, block: BlockId) -> ScopeId {
        self.of_block[block]
    }
    /// The operation of the parent scope that made it (crate README); none for the function.
    pub fn creator(&self, scope: ScopeId) -> Option<OpId> {
        self.scopes[scope].creator
    }
    /// The scope in which an operation is.
    pub fn of_op(&self, op: OpId) -> ScopeId {
        self.of_op[op]
    }
    /// The number of an operation in a walk of the tree: in one scope program order, and a dominating operation always
    /// has the smaller number.
    pub fn order(&self, op: OpId) -> u32 {
        self.order[op]
    }
    /// Returns true if an operation is in the regions of the body.
    pub fn contains(&self, op: OpId) -> bool {
        self.order[op] != u32::MAX
    }
    /// The number of the first operation that is in the scope or comes after it.
    pub fn start(&self, scope: ScopeId) -> u32 {
        self.scopes[scope].start
    }
    /// The outermost scope around (or at) this one whose code runs in the threads of a kernel: code above it is host
    /// code (`SEMANTICS: P6`, `H1`).
    pub fn kernel(&self, scope: ScopeId) -> Option<ScopeId> {
        self.scopes[scope].kernel
    }
    /// Returns true if the user of a name may use it when the name is bound right before an operation, as far as
    /// schedulable blocks are concerned. The regions of a block are made of the regions of the blocks in it and lie
    /// outside the bindings of the block, so a name bound in the block must not get into them.
    pub fn is_in_block_of(&self, body: &Body, before: OpId, user: OpId) -> bool {
        // The bindings of a block are part of it.
        let is_block = matches!(body.ops[user].kind, OpKind::SBlock(_));
        let is_outside = self.scopes[self.of_op(before)].sblock.is_none();
        is_outside || !is_block && self.is_in_one_block(before, user)
    }
    /// Returns true if the same holds for code right before another operation.
    pub fn is_in_one_block(&self, before: OpId, at: OpId) -> bool {
        let block = |op: OpId| self.scopes[self.of_op(op)].sblock;
        block(before).is_none() || block(before) == block(at)
    }
    /// Returns true if `below` is `above` or inside it.
    pub fn is_ancestor(&self, above: ScopeId, below: ScopeId) -> bool {
        above <= below && below <= self.scopes[above].last
    }
    /// Returns true if code right before `first` has run whenever `then` runs.
    pub fn dominates(&self, first: OpId, then: OpId) -> bool {
        self.order[first] <= self.order[then]
            && self.is_ancestor(self.of_op[first], self.of_op[then])
    }

    /// The innermost scope that holds both.
    pub fn common(&self, a: ScopeId, b: ScopeId) -> ScopeId {
        let (mut at, other) = if a <= b { (a, b) } else { (b, a) };
        while !self.is_ancestor(at, other) {
            let scope = &self.scopes[at];
            at = if self.is_ancestor(scope.jump, other) { scope.parent } else { scope.jump };
        }
        at
    }

    /// The scope directly below `above` that is or holds `below`. None if that is not below it.
    pub fn child_towards(&self, above: ScopeId, below: ScopeId) -> Option<ScopeId> {
        if above == below || !self.is_ancestor(above, below) {
            return None;
        }
        let depth = self.depth(above) + 1;
        let mut at = below;
        while self.depth(at) > depth {
            let scope = &self.scopes[at];
            at = if self.depth(scope.jump) >= depth { scope.jump } else { scope.parent };
        }
        Some(at)
    }

    /// From which number on a value is visible (in the scopes below its own): that of the first operation after its
    /// definition. 0 for parameters, symbols and captured names. A thread index that has a name is visible in its
    /// launches only: of these [`ScopeTree::launch`] knows.
    pub fn visible_from(&self, body: &Body, value: ValueId) -> u32 {
        match reach(body, value) {
            Reach::Function => 0,
            Reach::Block(block) => self.start(self.of_block(block)),
            Reach::After(op) => self.order(op).saturating_add(1),
            Reach::Launches => match body.values[value].kind {
                ValueKind::Result(op, _) => self.order(op).saturating_add(1),
                _ => 0,
            },
        }
    }

    /// The outermost scope around (or at) this one in which a thread index with a name runs.
    pub fn launch(&self, body: &Body, value: ValueId, scope: ScopeId) -> Option<ScopeId> {
        let mut found = None;
        let mut at = Some(scope);
        while let Some(scope) = at {
            if self.creator(scope).is_some_and(|it| launched(body, it) == Some(value)) {
                found = Some(scope);
            }
            // Above the kernel nothing runs in threads.
            at = self.parent(scope).filter(|_| self.kernel(scope).is_some());
        }
        found
    }

    /// Returns true if a value is visible right before an operation ([`ir::visibility`]). O(1), for thread indices with
    /// a name O(depth).
    pub fn sees(&self, body: &Body, at: OpId, value: ValueId) -> bool {
        let scope = self.of_op(at);
        match reach(body, value) {
            Reach::Function => true,
            Reach::Block(block) => self.is_ancestor(self.of_block(block), scope),
            Reach::After(op) => {
                self.is_ancestor(self.of_op(op), scope) && self.order(op) < self.order(at)
            }
            Reach::Launches => self.launch(body, value, scope).is_some(),
        }
    }
}

fn push_region(
    body: &Body,
    region: RegionId,
    parent: Option<ScopeId>,
    creator: Option<OpId>,
    kind: ScopeKind,
    dominators: &mut Vec<Dominators>,
    stack: &mut Vec<Step>,
) {
    match body.regions[region].blocks[..] {
        [] => {}
        [only] => stack.push(Step::Block(only, parent, creator, kind, usize::MAX)),
        [..] => {
            let table = dominators.len();
            dominators.push(Dominators::compute(body, region));
            for &root in dominators[table].roots().iter().rev() {
                stack.push(Step::Block(root, parent, creator, kind, table));
            }
        }
    }
}

fn kind_of(body: &Body, op: OpId, region: u32) -> ScopeKind {
    let data = &body.ops[op];
    match data.kind {
        OpKind::For(kind) => ScopeKind::Loop(kind),
        OpKind::While => ScopeKind::While,
        OpKind::If => {
            let unknown = data.operands.first().is_some_and(|&it| body.expr(it).flags.has_unknown);
            if unknown { ScopeKind::UnknownArm(region) } else { ScopeKind::Arm(region) }
        }
        OpKind::Opaque(_) => ScopeKind::UnknownArm(region),
        OpKind::Attr(_) | OpKind::AttrDict => ScopeKind::Attr,
        OpKind::LaunchThread { .. } => ScopeKind::Launch,
        OpKind::SBlock(block) if region == 0 => {
            ScopeKind::SBlock(body.sblocks[block].has_predicate)
        }
        OpKind::SBlock(_) => ScopeKind::Init,
        OpKind::Bind | OpKind::Alloc { .. } => ScopeKind::Binding,
        _ => ScopeKind::Other,
    }
}

#[cfg(test)]
mod tests;
