//! Certain execution: which places are executed whenever another one is.
//!
//! In: a body and its scopes. Out: [`Certainty`], which answers whether one place is reached whenever another is. It
//! rests on `SEMANTICS: L2` (a loop may run no iteration unless its extent is a positive constant), `L5` (a `while`
//! body is lazy), `L6`, `L10`, `X3` (what may end a list early), `L7` (an arm is lazy; both arms together are not),
//! `L9` (a predicate guards its block). Operands are another matter: which of them are lazy is the caller's
//! (`S2`–`S5`).
//!
//! An error (division by zero, …) is no exit: on an input on which the program has one, nothing is promised about it
//! (`SEMANTICS: 0`). Building is O(operations + expressions); queries are O(1), or O(log depth) where they climb.

use ir::{
    BlockId, Body, ExprKind, OpId, OpKind,
    arena::{Id, Table},
    effects::EffectTable,
    walk::WalkEvent,
};

use crate::{
    flow::leaving,
    scopes::{ScopeId, ScopeKind, ScopeTree},
};

/// How an operation may keep the rest of its list from being executed.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Exit {
    No,
    /// `break`, `continue`: to the enclosing loop.
    Loop,
    /// As far as the function.
    Function,
}

/// The places that are certain to be executed.
#[derive(Clone, Debug)]
pub struct Certainty {
    /// Number of exits before an operation in its block.
    exits_before: Table<OpId, u32>,
    /// The outermost scope from whose start this scope's start is certain to be reached.
    reached_from: Vec<ScopeId>,
    /// True for each scope that is entered whenever its creator is executed.
    entered: Vec<bool>,
    /// Number of exits in a block.
    exits_in: Table<BlockId, u32>,
    /// The outermost scope that is left for certain when this scope's end is reached.
    left_with: Vec<Option<ScopeId>>,
}

impl Certainty {
    /// Computes it.
    pub fn build(body: &Body, scopes: &ScopeTree, effects: &EffectTable) -> Certainty {
        let (exits_before, exits_in) = count_exits(body, effects);
        let entered: Vec<bool> = scopes.ids().map(|it| is_entered(body, scopes, it)).collect();
        let mut reached_from: Vec<ScopeId> = Vec::with_capacity(scopes.len());
        for scope in scopes.ids() {
            let top = match (scopes.parent(scope), scopes.creator(scope)) {
                (Some(parent), Some(creator))
                    if entered[scope.index()] && exits_before[creator] == 0 =>
                {
                    reached_from[parent.index()]
                }
                _ => scope,
            };
            reached_from.push(top);
        }
        let left_with = Vec::with_capacity(scopes.len());
        let mut this = Certainty { exits_before, reached_from, entered, exits_in, left_with };
        for scope in scopes.ids() {
            let left = this.left_with(body, scopes, scope);
            this.left_with.push(left);
        }
        this
    }

    fn left_with(&self, body: &Body, scopes: &ScopeTree, scope: ScopeId) -> Option<ScopeId> {
        let (parent, creator) = (scopes.parent(scope)?, scopes.creator(scope)?);
        // Where these go at their end is not known from the nest.
        let unknown = matches!(
            scopes.kind(scope),
            ScopeKind::UnknownArm(_) | ScopeKind::Other | ScopeKind::Successor
        );
        if unknown {
            return None;
        }
        let goes_on = self.runs_to_end(body, creator);
        goes_on.then(|| self.left_with[parent.index()]).flatten().or(Some(scope))
    }

    /// Returns true if no operation from this one on, itself included, may leave the list early.
    pub fn runs_to_end(&self, body: &Body, op: OpId) -> bool {
        self.exits_before[op] == self.exits_in[body.ops[op].parent]
    }

    /// Returns true if control that reaches the end of `inner` also reaches the point right after the operation that
    /// made `outer`, which contains `inner`.
    pub fn is_left_with(&self, inner: ScopeId, outer: ScopeId) -> bool {
        self.left_with[inner.index()].is_some_and(|it| it <= outer)
    }

    /// Returns true if nothing between the start of its block and the operation may leave the list early.
    pub fn reached_from_block_start(&self, op: OpId) -> bool {
        self.exits_before[op] == 0
    }

    /// Number of operations before this one in its block that may end the list. Two operations of one block with the
    /// same number are both executed or both not.
    pub fn segment(&self, op: OpId) -> u32 {
        self.exits_before[op]
    }

    /// Returns true if the scope is entered whenever the operation that made it is executed.
    pub fn is_entered(&self, scope: ScopeId) -> bool {
        self.entered[scope.index()]
    }

    /// The outermost scope from whose start the start of this one is certain to be reached.
    pub fn reached_from(&self, scope: ScopeId) -> ScopeId {
        self.reached_from[scope.index()]
    }

    /// The operation of `above` whose execution makes `op` certain to be executed: `op` itself if it is in `above`.
    /// None if there is none.
    pub fn executed_by(&self, scopes: &ScopeTree, op: OpId, above: ScopeId) -> Option<OpId> {
        let scope = scopes.of_op(op);
        if scope == above {
            return Some(op);
        }
        let child = scopes.child_towards(above, scope)?;
        let top = self.reached_from(scope);
        (self.reached_from_block_start(op) && self.is_entered(child) && top <= child)
            .then(|| scopes.creator(child))?
    }
}

fn is_entered(body: &Body, scopes: &ScopeTree, scope: ScopeId) -> bool {
    match scopes.kind(scope) {
        ScopeKind::Function | ScopeKind::Attr | ScopeKind::Binding => true,
        ScopeKind::SBlock(guarded) => !guarded,
        ScopeKind::Loop(_) => extent(body, scopes, scope, 1).is_some_and(|it| it > 0),
        ScopeKind::Launch => extent(body, scopes, scope, 0).is_some_and(|it| it > 0),
        ScopeKind::While
        | ScopeKind::Arm(_)
        | ScopeKind::UnknownArm(_)
        | ScopeKind::Init
        | ScopeKind::Other
        | ScopeKind::Successor => false,
    }
}

/// A constant operand of the operation that made the scope.
fn extent(body: &Body, scopes: &ScopeTree, scope: ScopeId, operand: usize) -> Option<i64> {
    let creator = scopes.creator(scope)?;
    match body.expr(*body.ops[creator].operands.get(operand)?).kind {
        ExprKind::Int(value) => Some(value),
        _ => None,
    }
}

/// The number of exits before each operation in its block, and in each block.
fn count_exits(body: &Body, effects: &EffectTable) -> (Table<OpId, u32>, Table<BlockId, u32>) {
    let leaves = leaving(body, effects);
    let mut exit: Table<OpId, Exit> = Table::default();
    let mut before: Table<OpId, u32> = Table::default();
    let mut inside: Table<BlockId, u32> = Table::default();
    for _ in body.ops.ids() {
        exit.push(Exit::No);
        before.push(0);
    }
    for _ in body.blocks.ids() {
        inside.push(0);
    }
    // Operations are left after those in their regions, so an operation knows its inner ones.
    for event in body.walk(body.root) {
        let op = match event {
            WalkEvent::Leave(op) => op,
            WalkEvent::LeaveRegion(region) => {
                for &block in &body.regions[region].blocks {
                    let mut count = 0;
                    for &op in &body.blocks[block].ops {
                        before[op] = count;
                        count += u32::from(exit[op] != Exit::No);
                    }
                    inside[block] = count;
                }
                continue;
            }
            _ => continue,
        };
        let data = &body.ops[op];
        let inner = data
            .regions
            .iter()
            .flat_map(|&it| &body.regions[it].blocks)
            .flat_map(|&it| &body.blocks[it].ops)
            .map(|&it| exit[it])
            .max()
            .unwrap_or(Exit::No);
        let own = match data.kind {
            OpKind::Return | OpKind::Assert | OpKind::Opaque(_) | OpKind::Named(_) => {
                Exit::Function
            }
            // It may not end (L10).
            OpKind::While => Exit::Function,
            OpKind::Break | OpKind::Continue => Exit::Loop,
            _ if data.operands.iter().any(|it| leaves[it.index()] != 0) => Exit::Function,
            _ => Exit::No,
        };
        let absorbs = matches!(data.kind, OpKind::For(_) | OpKind::While);
        let inner = if absorbs && inner == Exit::Loop { Exit::No } else { inner };
        exit[op] = own.max(inner);
    }
    (before, inside)
}

#[cfg(test)]
mod tests;
