//! Inlining: a name's uses become its value again, the inverse of binding one.
//!
//! In: a binding, and one of its uses or all of them. Out: the fix that does it, or why it would be wrong
//! (`SEMANTICS: E4`): the value must be a function of its operands and of memory, and memory must be the same at the
//! use as at the binding. The binding is removed with its last use. Linear in the occurrences, and in the loads of the
//! value for each use.

use dataflow::{analyses::Analyses, memory::MemoryVersions, scopes::ScopeTree};
use ir::{
    Body, Callee, ExprKind, OccurrenceId, Occurrences, OpId, OpKind, Type, ValueId, ValueKind,
    arena::Id as _,
    effects::EffectTable,
    plan::finding::{FindingFix, FixEdit, Replacement},
};

/// The reason why a name cannot be inlined.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Obstacle {
    /// It is no binding of one value.
    NoBinding,
    /// Its value has a call that may have an effect, or may give another value each time.
    Impure,
    /// Its value is an integer narrower than 32 bits, which C and CUDA cut to its width because it has a name (`I3`).
    NarrowInteger,
    /// The memory that its value reads may be written before this use.
    WriteBetween {
        /// The use.
        at: OccurrenceId,
        /// A store or call that may write it, if there is one between in the text.
        by: Option<OpId>,
    },
    /// Another place reads more from the name than its value shows: one bound of a part of a buffer, while the other
    /// one stays.
    Seen {
        /// The use.
        at: OccurrenceId,
    },
    /// Its value is not read as that there: an element may be meant as a place, nothing is divided by a zero that can
    /// be seen, a constant beside a number of Python is computed with as one.
    Unread {
        /// The use.
        at: OccurrenceId,
    },
    /// It has no use that is written.
    NoUse,
}

/// The uses to replace.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Uses {
    /// This one.
    One(OccurrenceId),
    /// All of them, and the binding goes.
    All,
}

/// The fix that inlines a binding.
pub fn inline(analyses: &Analyses<'_>, value: ValueId, uses: Uses) -> Result<FindingFix, Obstacle> {
    let Analyses { body, occurrences, effects, .. } = *analyses;
    let (op, bound) = binding(body, occurrences, value)?;
    check_value(body, occurrences, effects, bound)?;
    let all: Vec<OccurrenceId> = uses_of(body, occurrences, value);
    let chosen = match uses {
        Uses::All => all.clone(),
        Uses::One(it) => all.iter().copied().filter(|use_| *use_ == it).collect(),
    };
    if chosen.is_empty() {
        return Err(Obstacle::NoUse);
    }
    let roles = analyses.roles();
    let new = occurrences[bound].expr;
    if chosen.len() < all.len()
        && let Some(&at) = chosen.iter().find(|it| !roles.role(**it).takes_equal())
    {
        return Err(Obstacle::Seen { at });
    }
    let is_read = |at: &&OccurrenceId| roles.is_read_there(body, occurrences, effects, **at, new);
    if let Some(&at) = chosen.iter().find(|it| !is_read(it)) {
        return Err(Obstacle::Unread { at });
    }
    if body.expr(occurrences[bound].expr).flags.has_load {
        let (memory, scopes) = (analyses.memory(), analyses.scopes());
        for &it in &chosen {
            check_memory(occurrences, &memory, scopes, bound, it)?;
        }
    }
    let replaced = chosen
        .iter()
        .map(|&occurrence| FixEdit::Replace { occurrence, with: Replacement::Copy(bound) });
    let mut edits: Vec<FixEdit> = replaced.collect();
    if chosen.len() == all.len() {
        edits.push(FixEdit::RemoveOp(op));
    }
    Ok(FindingFix { edits, rests_on: Vec::new() })
}

/// The operation that binds a value, and the occurrence that is it.
fn binding(
    body: &Body,
    occurrences: &Occurrences,
    value: ValueId,
) -> Result<(OpId, OccurrenceId), Obstacle> {
    let ValueKind::Result(op, _) = body.values[value].kind else { return Err(Obstacle::NoBinding) };
    let data = &body.ops[op];
    if data.kind != OpKind::Bind || !data.regions.is_empty() || data.results.len() != 1 {
        return Err(Obstacle::NoBinding);
    }
    let bound = occurrences.of_operand(op, 0).ok_or(Obstacle::NoBinding)?;
    Ok((op, bound))
}

/// The uses of a value in evaluated operands.
pub fn uses_of(body: &Body, occurrences: &Occurrences, value: ValueId) -> Vec<OccurrenceId> {
    let is_use = |expr| matches!(body.expr(expr).kind, ExprKind::Value(it) if it == value);
    occurrences.iter().filter(|(_, it)| is_use(it.expr)).map(|(id, _)| id).collect()
}

fn check_value(
    body: &Body,
    occurrences: &Occurrences,
    effects: &EffectTable,
    bound: OccurrenceId,
) -> Result<(), Obstacle> {
    let node = body.expr(occurrences[bound].expr);
    let is_narrow = match node.ty {
        Type::Prim(dtype) => {
            dtype.is_symbolic() || dtype.is_integer() && dtype.bits < 32 && !dtype.is_bool()
        }
        Type::Unknown => !ir::role::is_open_number(body, occurrences[bound].expr),
        _ => false,
    };
    if is_narrow && !node.is_leaf() {
        return Err(Obstacle::NarrowInteger);
    }
    let is_value = |id: usize| match body.expr(occurrences[OccurrenceId::new(id)].expr).kind {
        call @ ExprKind::Call { callee: Callee::Intrinsic(..), .. } => {
            effects.call(body, call).is_pure_value()
        }
        ExprKind::Call { .. } | ExprKind::Opaque { .. } | ExprKind::Region(..) => false,
        _ => true,
    };
    let flags = node.flags;
    let is_pure = !flags.has_impure
        && !flags.has_unknown
        && (bound.index()..occurrences[bound].end.index()).all(is_value);
    if is_pure { Ok(()) } else { Err(Obstacle::Impure) }
}

/// Checks that all memory that a value reads is unchanged where the value is used.
fn check_memory(
    occurrences: &Occurrences,
    memory: &MemoryVersions<'_>,
    scopes: &ScopeTree,
    bound: OccurrenceId,
    at: OccurrenceId,
) -> Result<(), Obstacle> {
    for index in bound.index()..occurrences[bound].end.index() {
        let id = OccurrenceId::new(index);
        let Some(class) = memory.class_of(id) else { continue };
        if memory.at_occurrence(id, class) == memory.at_occurrence(at, class) {
            continue;
        }
        let (from, to) = (scopes.order(occurrences[bound].op), scopes.order(occurrences[at].op));
        let is_between = |op: &OpId| (from..=to).contains(&scopes.order(*op));
        let by = memory.writes(class).map(|it| it.0).find(is_between);
        return Err(Obstacle::WriteBetween { at, by });
    }
    Ok(())
}
