//! Incremental relowering: a function after an edit that changed a few operations of one block reuses the lowering of
//! the others.
//!
//! In: a function as it was, with its tree and its lowering, and its tree now. Out: the result of
//! [`super::lower_function`], up to the numbering of interned parts ([`Body::with_run`]); or `None`, where that is not
//! certain, and the whole function must be read.
//!
//! The operations that changed are read by themselves, in a body of their own, whose values for the names from outside
//! are found in the old body by name and scope. They must have no regions, labels and successors, nor may the next
//! operation in the block; names that are used outside must be defined again, with their types, others must not occur
//! elsewhere; and the old operations may not have been read with a diagnostic or with a use before its definition. The
//! new ones may use what is defined behind them or nowhere, as half of a name does while it is typed. O(children of
//! the changed block) and one pass over each table.

use ir::{Body, NameId, OpKind, OpRun, RegionId, Type, ValueId, ValueKind, arena::Id};
use parser::{
    SyntaxKind::{self, *},
    mlir::Shapes,
};
use rustc_hash::{FxHashMap, FxHashSet};
use syntax::{ChangedRun, GreenStep};

use super::{aliases::Aliases, diagnostics, reader::Reader, unit::step_of};
use crate::ops::{Lowered, MapRun};

/// The number of operations around a run that are asked for their results.
const NEAR: usize = 16;

/// How a function was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Traits {
    /// Nothing was reported, and nothing was used before its definition.
    pub(super) is_plain: bool,
    /// Something in its text fits nowhere: less is known of an operation than there will be again.
    pub(super) has_errors: bool,
    /// Some region has several blocks.
    pub(super) has_branches: bool,
    /// The number of operations inserted since the last full reading: their interned parts may be unused.
    pub(super) n_spliced: usize,
}

impl Traits {
    /// Returns true if the versions behind the version with these traits should be made from it, and not from the one
    /// before: while somebody types, that is the last one that was complete, if it `is_near`.
    pub fn is_base_after(self, before: Traits, is_near: bool) -> bool {
        let is_complete = !self.has_errors || before.has_errors;
        !before.is_plain || self.is_plain && (is_complete || !is_near)
    }
}

/// A function as it was.
#[derive(Clone, Copy, Debug)]
pub struct Previous<'a> {
    /// The result of lowering it.
    pub lowered: &'a Lowered,
    /// How.
    pub traits: Traits,
}

/// Lowers a function that differs from the previous one by a run of children of one block ([`syntax::changed_run`]).
/// `text` is that of the function now; aliases and shapes must be those that the previous one was lowered with.
pub fn relower(
    previous: Previous<'_>,
    change: &ChangedRun,
    text: &str,
    aliases: &Aliases,
    shapes: &Shapes,
) -> Option<(Lowered, Traits)> {
    let Previous { lowered, traits } = previous;
    let body = &lowered.body;
    if !traits.is_plain || traits.n_spliced > 1_000 + body.ops.len() / 4 {
        return None;
    }
    let place = place_of(lowered, change)?;
    let scopes = scopes_around(body, &place, shapes)?;

    let mut reader = Reader::within_block(text, change.start.into(), shapes);
    let outside = bind_outer(&mut reader, body, &place, &scopes, change)?;
    let n_outer = outside.before.len();
    change.walk(|step| reader.step(step_of(step), aliases));
    let is_leaf = !reader.has_branches && reader.pending_targets.is_empty();
    let is_taken = defines_taken_name(body, &place, &reader.body, n_outer);
    if !reader.is_quiet() || !is_leaf || reader.body.regions.len() > 1 || is_taken {
        return None;
    }
    let (is_plain, has_errors) = (reader.is_plain(), traits.has_errors || reader.has_errors);
    let behind = reader.defined_behind(|name| outside.behind.get(name).copied())?;
    reader.undefined_values();
    let (part, map, said) = (reader.body, reader.map, reader.diagnostics);

    let old_end = u32::from(change.start + change.old_len);
    let new_end = u32::from(change.start + change.new_len);
    let at = MapRun { old_end, new_end };
    let source_map = lowered.source_map.with_run(&place, at, &map, n_outer)?;
    let body = body.with_run(&place, &part, &outside.before, &behind)?;
    let check_dominance = traits.has_branches || !is_plain;
    let diagnostics = diagnostics::of_body(text, &body, &source_map, check_dominance, said);
    let n_spliced = traits.n_spliced + part.ops.len() + 1;
    let traits = Traits { is_plain, has_errors, n_spliced, ..traits };
    Some((Lowered { body, source_map, diagnostics }, traits))
}

/// Returns true if a child of a block is read as an operation.
fn is_operation(kind: SyntaxKind) -> bool {
    matches!(kind, MLIR_GENERIC_OP | MLIR_CUSTOM_OP | MLIR_OPAQUE_OP | ERROR_NODE)
}

/// Returns the place where the run is in the body. The tree and the map must agree about it.
fn place_of(lowered: &Lowered, change: &ChangedRun) -> Option<OpRun> {
    let Lowered { body, source_map: map, .. } = lowered;
    let are_operations =
        change.old_nodes.iter().copied().chain(change.new_nodes()).all(is_operation);
    let (next, distance) = change.next?;
    if !are_operations || !is_operation(next) {
        return None;
    }
    let end = change.start + change.old_len;
    let ops = map.ops_in(change.start, end);
    let next = ir::OpId::new(ops.end);
    let next_data = body.ops.get(next)?;
    let block = next_data.parent;
    let is_leaf = |id: usize| {
        let data = &body.ops[ir::OpId::new(id)];
        data.regions.is_empty() && data.successors.is_empty() && data.parent == block
    };
    let fits = map.op(next).start() == end + distance
        && next_data.regions.is_empty()
        && ops.len() == change.old_nodes.len()
        && ops.clone().all(is_leaf);
    if !fits {
        return None;
    }
    let results = |id: usize| body.ops[ir::OpId::new(id)].results.iter().map(|it| it.index());
    let values: Vec<usize> = ops.clone().flat_map(results).collect();
    let values = match values.first() {
        Some(&first) => {
            let is_dense = values.iter().enumerate().all(|(at, &it)| it == first + at);
            is_dense.then_some(first..first + values.len())?
        }
        None => {
            let first = first_value_behind(body, &ops, block)?;
            first..first
        }
    };
    Some(OpRun { block, ops, values })
}

/// The number of the first value that is made behind a run without results.
fn first_value_behind(
    body: &Body,
    ops: &std::ops::Range<usize>,
    block: ir::BlockId,
) -> Option<usize> {
    // Between operations of one block without regions nothing else is made.
    for (_, op) in body.ops.iter().skip(ops.end).take(NEAR) {
        if op.parent != block || !op.regions.is_empty() {
            break;
        }
        if let Some(first) = op.results.first() {
            return Some(first.index());
        }
    }
    for id in (0..ops.start).rev().take(NEAR) {
        let op = &body.ops[ir::OpId::new(id)];
        if op.parent != block || !op.regions.is_empty() {
            break;
        }
        if let Some(last) = op.results.last() {
            return Some(last.index() + 1);
        }
    }
    None
}

/// The regions around a run, innermost first; none if an operation between them and the function hides names.
fn scopes_around(body: &Body, place: &OpRun, shapes: &Shapes) -> Option<Vec<RegionId>> {
    let mut scopes = vec![body.blocks[place.block].parent];
    while let Some(op) = scopes.last().and_then(|it| body.regions[*it].parent) {
        let (OpKind::Named(name) | OpKind::Opaque(name)) = body.ops[op].kind else { return None };
        if shapes.is_isolated(body.name(name)) {
            return None;
        }
        scopes.push(body.blocks[body.ops[op].parent].parent);
    }
    Some(scopes)
}

/// The values around a run that names in it may mean.
struct Outside {
    /// Those defined in front of it, in the order of the reader's own.
    before: Vec<ValueId>,
    /// The first of each name that is defined behind it.
    behind: FxHashMap<String, ValueId>,
}

/// Binds the names in a run to the values that they have in front of it. One pass over all values.
fn bind_outer(
    reader: &mut Reader<'_>,
    body: &Body,
    place: &OpRun,
    scopes: &[RegionId],
    change: &ChangedRun,
) -> Option<Outside> {
    let mut wanted: Vec<(String, Option<NameId>, bool)> = Vec::new();
    let mut seen: FxHashSet<&str> = FxHashSet::default();
    change.walk(|step| {
        if let GreenStep::Token(VALUE_ID, text) = step {
            let name = text.split('#').next().unwrap_or(text);
            if seen.insert(name) {
                let single = body.lookup_name(name);
                let pack = body.lookup_name(&format!("{name}#0"));
                wanted.push((name.to_owned(), pack.or(single), pack.is_some()));
                if pack.is_some() && single.is_some() {
                    // Both may be visible.
                    wanted.push((name.to_owned(), single, false));
                }
            }
        }
    });
    let mut found: Vec<Option<ValueId>> = vec![None; wanted.len()];
    let by_name = Numbers::new(wanted.iter().map(|it| it.1));
    let mut behind = FxHashMap::default();
    for (id, value) in body.values.iter() {
        let Some(number) = by_name.get(value.name) else { continue };
        if place.values.contains(&id.index()) || !is_visible(body, value.kind, scopes) {
            continue;
        }
        if id.index() >= place.values.end {
            behind.entry(wanted[number].0.clone()).or_insert(id);
        } else if found[number].replace(id).is_some() {
            return None;
        }
    }
    let mut outer = Vec::new();
    let mut bound: FxHashSet<&str> = FxHashSet::default();
    for ((name, _, is_pack), value) in wanted.iter().zip(found) {
        let Some(value) = value else { continue };
        if !bound.insert(name) {
            return None;
        }
        let count = if *is_pack { pack_size(body, value) } else { 1 };
        let values: Vec<ValueId> = (0..count).map(|at| ValueId::new(value.index() + at)).collect();
        reader.bind(name, values.iter().map(|&it| type_text(body, it)));
        outer.extend(values);
    }
    Some(Outside { before: outer, behind })
}

/// The type of a value, by its text; none if it is not known.
fn type_text(body: &Body, value: ValueId) -> Option<&str> {
    match body.values[value].ty {
        Type::Named(name) => Some(body.name(name)),
        _ => None,
    }
}

/// Returns the number of results that the operation has from this one on.
fn pack_size(body: &Body, first: ValueId) -> usize {
    let prefix = body.name(body.values[first].name).trim_end_matches('0').to_owned();
    let ValueKind::Result(op, at) = body.values[first].kind else { return 1 };
    let results = body.ops[op].results.iter().skip(at as usize);
    results
        .enumerate()
        .take_while(|(at, it)| body.name(body.values[**it].name) == format!("{prefix}{at}"))
        .count()
}

fn is_visible(body: &Body, kind: ValueKind, scopes: &[RegionId]) -> bool {
    let block = match kind {
        ValueKind::Result(op, _) => body.ops[op].parent,
        ValueKind::BlockArg(block, _) => block,
        _ => return false,
    };
    scopes.contains(&body.blocks[block].parent)
}

/// Returns true if a run defines a pack, or a new name that also occurs elsewhere: as a definition, or in an operation
/// that is not understood, where it would become a use.
fn defines_taken_name(body: &Body, place: &OpRun, part: &Body, n_outer: usize) -> bool {
    let old: FxHashSet<NameId> =
        place.values.clone().map(|it| body.values[ValueId::new(it)].name).collect();
    let is_taken = |text: &str| {
        text.contains('#')
            || body.lookup_name(text).is_some_and(|it| !old.contains(&it))
            || body.lookup_name(&format!("{text}#0")).is_some()
    };
    let mut names = part.values.iter().skip(n_outer).map(|(_, it)| part.name(it.name));
    names.any(|it| !it.is_empty() && is_taken(it))
}

/// Names by their numbers, for asking about every value of a body.
struct Numbers {
    /// Numbers plus one, by name.
    of_name: Vec<u32>,
}

impl Numbers {
    fn new(names: impl Iterator<Item = Option<NameId>>) -> Numbers {
        let mut of_name = Vec::new();
        for (number, name) in names.enumerate() {
            let Some(name) = name else { continue };
            if of_name.len() <= name.index() {
                of_name.resize(name.index() + 1, 0);
            }
            of_name[name.index()] = number as u32 + 1;
        }
        Numbers { of_name }
    }

    fn get(&self, name: NameId) -> Option<usize> {
        let number = *self.of_name.get(name.index())? as usize;
        number.checked_sub(1)
    }
}
