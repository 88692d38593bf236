//! Paths: evaluations that exclude each other, and evaluations that are repeated.
//!
//! In: the scopes, and the operands that are evaluated lazily. Out: [`Paths`], which answers whether two occurrences of
//! one operation are in the two arms of a `T.if_then_else` (`SEMANTICS: S5`; the arms of `T.Select` are both evaluated,
//! `S4`), and whether a scope may be executed again while another one around it is executed once. Building is
//! O(scopes + lazy operands); questions are O(1), and O(log depth) for two occurrences, by jump pointers.

use dataflow::scopes::{ScopeId, ScopeKind, ScopeTree};
use ir::{Body, ExprKind, OccurrenceId, Occurrences, arena::Id};
use rustc_hash::FxHashMap;

/// A lazily evaluated operand, as a node of the tree of these.
#[derive(Clone, Copy, Debug)]
struct Lazy {
    /// The innermost one around it.
    around: Option<OccurrenceId>,
    /// One further out, so chosen that a path of jumps and steps is logarithmic.
    jump: Option<OccurrenceId>,
    depth: u32,
}

/// The paths through a body.
#[derive(Clone, Debug)]
pub(super) struct Paths {
    lazy: FxHashMap<OccurrenceId, Lazy>,
    /// By scope: the depth of the innermost one at or around it that may be executed again; 0 if there is none.
    repeated: Vec<u32>,
}

impl Paths {
    pub(super) fn new(body: &Body, scopes: &ScopeTree) -> Paths {
        let mut repeated: Vec<u32> = Vec::with_capacity(scopes.len());
        for scope in scopes.ids() {
            let around = scopes.parent(scope).map_or(0, |it| repeated[it.index()]);
            let own = repeats(body, scopes, scope);
            repeated.push(if own { scopes.depth(scope) } else { around });
        }
        Paths { lazy: FxHashMap::default(), repeated }
    }

    /// Adds a lazily evaluated operand and the innermost one around it, which has been added.
    pub(super) fn add_lazy(&mut self, operand: OccurrenceId, around: Option<OccurrenceId>) {
        let at = |it: Option<OccurrenceId>| it.and_then(|it| self.lazy.get(&it).copied());
        let depth = |it: Option<OccurrenceId>| at(it).map_or(0, |it| it.depth);
        let jump = at(around).and_then(|it| it.jump);
        let far = at(jump).and_then(|it| it.jump);
        // Two jumps of equal length make one of twice the length (skew binary numbers).
        let doubles = around.is_some() && depth(around) - depth(jump) == depth(jump) - depth(far);
        let new =
            Lazy { around, jump: if doubles { far } else { around }, depth: depth(around) + 1 };
        self.lazy.insert(operand, new);
    }

    /// In how many lazily evaluated operands this one is, itself included.
    pub(super) fn lazy_depth(&self, operand: OccurrenceId) -> u32 {
        self.lazy.get(&operand).map_or(0, |it| it.depth)
    }

    /// Returns true if one execution of `above`, which encloses `below`, may execute `below` more than once.
    pub(super) fn is_repeated(&self, scopes: &ScopeTree, above: ScopeId, below: ScopeId) -> bool {
        self.repeated[below.index()] > scopes.depth(above)
    }

    /// Returns true if exactly one of two occurrences is evaluated when the innermost expression or operation around
    /// both is evaluated. `lazy` is the innermost lazily evaluated operand at or around each.
    pub(super) fn are_exclusive(
        &self,
        body: &Body,
        occurrences: &Occurrences,
        [a, b]: [OccurrenceId; 2],
        lazy: [Option<OccurrenceId>; 2],
    ) -> bool {
        let outermost =
            |from: Option<OccurrenceId>, other| self.outermost(occurrences, from, other);
        let (Some(a), Some(b)) = (outermost(lazy[0], b), outermost(lazy[1], a)) else {
            return false;
        };
        let choice =
            occurrences[a].parent.filter(|_| occurrences[a].parent == occurrences[b].parent);
        choice.is_some_and(|it| {
            matches!(body.expr(occurrences[it].expr).kind, ExprKind::IfThenElse(..))
        })
    }

    /// The outermost lazy operand at or around `from` that does not hold `other`.
    fn outermost(
        &self,
        occurrences: &Occurrences,
        from: Option<OccurrenceId>,
        other: OccurrenceId,
    ) -> Option<OccurrenceId> {
        let is_apart = |it: &OccurrenceId| other < *it || occurrences[*it].end <= other;
        let mut at = from.filter(is_apart)?;
        loop {
            let here = self.lazy.get(&at)?;
            match here.jump.filter(is_apart).or(here.around.filter(is_apart)) {
                Some(up) => at = up,
                None => return Some(at),
            }
        }
    }
}

/// Returns true if a scope may be executed more often than the one around it. Unknown scopes may.
fn repeats(body: &Body, scopes: &ScopeTree, scope: ScopeId) -> bool {
    match scopes.kind(scope) {
        ScopeKind::Loop(_) => {
            let extent = scopes.creator(scope).and_then(|it| body.ops[it].operands.get(1));
            !extent.is_some_and(|&it| matches!(body.expr(it).kind, ExprKind::Int(it) if it <= 1))
        }
        ScopeKind::While
        | ScopeKind::UnknownArm(_)
        | ScopeKind::Launch
        | ScopeKind::Other
        | ScopeKind::Successor => true,
        ScopeKind::Function
        | ScopeKind::Arm(_)
        | ScopeKind::Attr
        | ScopeKind::SBlock(_)
        | ScopeKind::Init
        | ScopeKind::Binding => false,
    }
}
