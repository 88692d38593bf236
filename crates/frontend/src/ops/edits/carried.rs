//! Edits for removed loop-carried values and block arguments: the argument, the incoming value of every edge, the types
//! of both, and the result are removed.
//!
//! In: the arguments that go. Out: [`ArgumentRemovals`], or none where one of the places is not written as expected (a
//! comment or attributes in a list): then nothing of it is done. Pretty and generic forms of `scf.for`, `scf.yield`,
//! `cf.br`, `cf.cond_br`, labels of blocks. Linear in their headers.

use std::collections::BTreeSet;

use ir::{
    Body, OpId, ValueId,
    plan::ops::{CarriedValue, carried_values},
};
use rustc_hash::FxHashSet;
use syntax::TextRange;

use super::lists::{self, List};
use crate::ops::OpSourceMap;

/// The edits that remove carried or passed values.
#[derive(Default)]
pub(super) struct ArgumentRemovals {
    pub(super) edits: Vec<(TextRange, String)>,
    /// Arguments and results that go.
    pub(super) values: FxHashSet<ValueId>,
    /// Operands that go, counted as in plans.
    pub(super) operands: FxHashSet<(OpId, u32)>,
    /// Results that stay where others of their operation go.
    pub(super) renumbered: FxHashSet<ValueId>,
}

/// The edits for removed carried values and arguments.
pub(super) fn drops(
    text: &str,
    map: &OpSourceMap,
    body: &Body,
    arguments: &FxHashSet<ValueId>,
) -> Option<ArgumentRemovals> {
    let all: Vec<CarriedValue> =
        carried_values(body).into_iter().filter(|it| arguments.contains(&it.argument)).collect();
    let mut writer = Writer { text, map, body, drops: ArgumentRemovals::default() };
    let drops = &mut writer.drops;
    for it in &all {
        drops.values.insert(it.argument);
        drops.values.extend(it.result.map(|it| it.1));
        drops.operands.extend(it.ways.iter().copied());
    }
    if all.len() != arguments.len() {
        return None;
    }
    let mut ends: BTreeSet<OpId> = BTreeSet::new();
    for of_block in all.chunk_by(|a, b| a.block == b.block) {
        let first = &of_block[0];
        // Maps of the command line have no places of labels.
        let is_generic = |op: OpId| text[map.op_name(op)].starts_with('"');
        let is_pretty_loop = first.result.is_some_and(|(op, _)| !is_generic(op));
        if !is_pretty_loop {
            writer.label(first)?;
        }
        if let Some((op, _)) = first.result {
            writer.results(op)?;
            match is_pretty_loop {
                true => writer.loop_header(first)?,
                false => writer.generic(op)?,
            }
        }
        let ways = of_block.iter().flat_map(|it| &it.ways);
        let is_loop = |it: OpId| first.result.is_some_and(|(op, _)| op == it);
        ends.extend(ways.map(|it| it.0).filter(|it| !is_loop(*it)));
    }
    for op in ends {
        match text[map.op_name(op)].starts_with('"') {
            true => writer.generic(op)?,
            false => writer.end(op)?,
        }
    }
    Some(writer.drops)
}

struct Writer<'a> {
    text: &'a str,
    map: &'a OpSourceMap,
    body: &'a Body,
    drops: ArgumentRemovals,
}

impl Writer<'_> {
    fn remove(&mut self, start: usize, end: usize) {
        self.drops.edits.push((lists::range(start, end), String::new()));
    }

    /// Removes elements of a list, by their numbers.
    fn remove_of(&mut self, list: &List, goes: impl Fn(usize) -> bool) {
        for (start, end) in list.removals(goes) {
            self.remove(start, end);
        }
    }

    fn goes(&self, op: OpId, at: usize) -> bool {
        self.drops.operands.contains(&(op, at as u32))
    }

    /// The arguments behind a label: `^bb0(%a: i32, %b: i32)`.
    fn label(&mut self, of: &CarriedValue) -> Option<()> {
        let args = &self.body.blocks[of.block].args;
        let first = usize::from(self.map.definition(*args.first()?).start());
        let open = lists::open_before(self.text, first)?;
        let list = List::inside(self.text, open)?;
        let starts = args.iter().map(|it| usize::from(self.map.definition(*it).start()));
        if !list.elements.iter().map(|it| it.0).eq(starts) {
            return None;
        }
        let goes: Vec<bool> = args.iter().map(|it| self.drops.values.contains(it)).collect();
        match goes.contains(&false) {
            true => self.remove_of(&list, |it| goes[it]),
            false => self.remove(open, list.end + 1),
        }
        Some(())
    }

    /// `iter_args(%x = %a, %y = %b) -> (i32, i32)`.
    fn loop_header(&mut self, of: &CarriedValue) -> Option<()> {
        let args = &self.body.blocks[of.block].args[1..];
        let definition = |it: &ValueId| usize::from(self.map.definition(*it).start());
        let open = lists::open_before(self.text, definition(args.first()?))?;
        let list = List::inside(self.text, open)?;
        let types = lists::arrow_list(self.text, list.end + 1)?;
        let is_as_expected = list.elements.iter().map(|it| it.0).eq(args.iter().map(definition))
            && types.elements.len() == args.len();
        let before = self.text[..open].trim_end();
        let keyword = before.strip_suffix("iter_args").filter(|_| is_as_expected)?;
        let goes: Vec<bool> = args.iter().map(|it| self.drops.values.contains(it)).collect();
        if goes.contains(&false) {
            self.remove_of(&list, |it| goes[it]);
            self.remove_of(&types, |it| goes[it]);
        } else {
            self.remove(keyword.trim_end().len(), types.end + 1);
        }
        Some(())
    }

    /// `%r:2 = `, or several names.
    fn results(&mut self, op: OpId) -> Option<()> {
        let results = &self.body.ops[op].results;
        let goes = |it: &ValueId| self.drops.values.contains(it);
        let start = usize::from(self.map.op(op).start());
        let name = usize::from(self.map.op_name(op).start());
        if start == name {
            // They have no names.
            return Some(());
        }
        let equals = start + self.text[start..name].rfind('=')?;
        let list = List::between(self.text, start, equals)?;
        let packs: Vec<&[ValueId]> =
            results.chunk_by(|a, b| self.map.definition(*a) == self.map.definition(*b)).collect();
        let places = packs.iter().map(|it| self.map.definition(it[0]));
        if !list.elements.iter().map(|it| lists::range(it.0, it.1)).eq(places) {
            return None;
        }
        let kept: Vec<usize> =
            packs.iter().map(|it| it.iter().filter(|it| !goes(it)).count()).collect();
        self.drops
            .renumbered
            .extend(results.iter().copied().filter(|it| !goes(it)).collect::<Vec<_>>());
        if kept.iter().all(|it| *it == 0) {
            self.remove(start, name);
            return Some(());
        }
        for ((pack, &n), &(from, to)) in packs.iter().zip(&kept).zip(&list.elements) {
            if n == 0 || n == pack.len() {
                continue;
            }
            let colon = from + self.text[from..to].find(':')?;
            let count = if n == 1 { String::new() } else { format!(":{n}") };
            self.drops.edits.push((lists::range(colon, to), count));
        }
        self.remove_of(&list, |it| kept[it] == 0);
        Some(())
    }

    /// `scf.yield %a, %b : i32, i32`, or the lists behind the labels of a branch.
    fn end(&mut self, op: OpId) -> Option<()> {
        let n = self.body.ops[op].operands.len();
        if (0..n).any(|at| self.goes(op, at)) {
            let name = usize::from(self.map.op_name(op).end());
            let end = usize::from(self.map.op(op).end());
            let end = lists::before_location(self.text, name, end);
            self.values_and_types(op, 0..n, (name, end), (name, end))?;
        }
        let mut first = n;
        for successor in &self.body.ops[op].successors {
            let next = first + self.body.items(successor.args).len();
            if (first..next).any(|at| self.goes(op, at)) {
                let uses = self.map.uses_of(op).nth(first)?;
                let open = lists::open_before(self.text, uses.start().into())?;
                let close = List::inside(self.text, open)?.end;
                self.values_and_types(op, first..next, (open + 1, close), (open, close + 1))?;
            }
            first = next;
        }
        Some(())
    }

    /// Removes operands and their types from `%a, %b : i32, i32`; all of `whole` where all go.
    fn values_and_types(
        &mut self,
        op: OpId,
        numbers: std::ops::Range<usize>,
        inside: (usize, usize),
        whole: (usize, usize),
    ) -> Option<()> {
        let colon = lists::colons(self.text, inside.0, inside.1)?.first().copied()?;
        let values = List::between(self.text, inside.0, colon)?;
        let types = List::between(self.text, colon + 1, inside.1)?;
        self.is_written(op, numbers.clone(), &values)?;
        if types.elements.len() != numbers.len() {
            return None;
        }
        let goes: Vec<bool> = numbers.map(|at| self.goes(op, at)).collect();
        if goes.contains(&false) {
            self.remove_of(&values, |it| goes[it]);
            self.remove_of(&types, |it| goes[it]);
        } else {
            self.remove(whole.0, whole.1);
        }
        Some(())
    }

    /// Checks that the text of a list consists of the operands of these numbers; `None` if not.
    fn is_written(&self, op: OpId, numbers: std::ops::Range<usize>, list: &List) -> Option<()> {
        let places = self.map.uses_of(op).skip(numbers.start).take(numbers.len());
        let are_there = list.elements.iter().map(|it| lists::range(it.0, it.1)).eq(places);
        are_there.then_some(())
    }

    /// `"name"(%a, %b)[^x] ({ … }) : (i32, i32) -> (i32)`.
    fn generic(&mut self, op: OpId) -> Option<()> {
        let data = &self.body.ops[op];
        let name = usize::from(self.map.op_name(op).end());
        let end = usize::from(self.map.op(op).end());
        let open = name + self.text[name..end].find('(')?;
        let operands = List::inside(self.text, open)?;
        let n = self.map.uses_of(op).len();
        self.is_written(op, 0..n, &operands)?;
        let behind_regions = data.regions.last().map(|it| usize::from(self.map.region(*it).end()));
        let after = match behind_regions {
            Some(at) => at + self.text[at..end].find(')')? + 1,
            None => operands.end + 1,
        };
        let colon = lists::colons(self.text, after, end)?.last().copied()?;
        let types_open = colon + 1 + self.text[colon + 1..end].find('(')?;
        let types = List::inside(self.text, types_open)?;
        if types.elements.len() != n {
            return None;
        }
        let goes: Vec<bool> = (0..n).map(|at| self.goes(op, at)).collect();
        self.remove_of(&operands, |it| goes[it]);
        self.remove_of(&types, |it| goes[it]);
        if !data.results.is_empty() {
            let results = lists::arrow_list(self.text, types.end + 1)?;
            let goes: Vec<bool> =
                data.results.iter().map(|it| self.drops.values.contains(it)).collect();
            if results.elements.len() != goes.len() {
                return None;
            }
            self.remove_of(&results, |it| goes[it]);
        }
        if data.successors.len() > 1 {
            self.segments(op, operands.end + 1, colon)?;
        }
        Some(())
    }

    /// `operandSegmentSizes = array<i32: 1, 2, 0>`.
    fn segments(&mut self, op: OpId, start: usize, end: usize) -> Option<()> {
        let key = start + self.text[start..end].find("operandSegmentSizes")?;
        let open = key + self.text[key..end].find('<')?;
        let close = open + self.text[open..end].find('>')?;
        let sizes = List::between(self.text, open + self.text[open..close].find(':')? + 1, close)?;
        let data = &self.body.ops[op];
        let args = data.successors.iter().map(|it| self.body.items(it.args).len());
        let counts: Vec<usize> = std::iter::once(data.operands.len()).chain(args).collect();
        if sizes.elements.len() != counts.len() {
            return None;
        }
        let mut first = 0;
        for (&(from, to), &n) in sizes.elements.iter().zip(&counts) {
            let kept = (first..first + n).filter(|at| !self.goes(op, *at)).count();
            first += n;
            if kept != n {
                self.drops.edits.push((lists::range(from, to), kept.to_string()));
            }
        }
        Some(())
    }
}
