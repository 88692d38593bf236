//! Text edits from a plan for operations.
//!
//! In: a lowered unit, its text, a plan made from it. Out: edits in offsets of the unit's text; comments, names and
//! layout stay. After them, the text lowers to the result of the plan's rewriter; [`super::checked`] reads the text
//! back to check it.
//!
//! * A deleted operation takes its line with it, unless something else stands there: another operation, a brace, a
//!   comment. Comments inside it stay, each on a line of its own (`comments`).
//! * A use of a replaced value becomes the name of the replacement, with its number in a pack (`%0#1`).
//! * A moved operation is written, with its uses as they are then, on a line of its own above its new successor. If its
//!   name is defined elsewhere in the unit, it gets a new one.
//! * A loop-carried or passed value that is removed is deleted from all lists, with its types (`handed`). If one of the
//!   lists is not written as expected, none of them changes, and the operations that only this value needed stay.
//! * An output of a program of PIR gets a copy: a line with the next free number behind the operation that stays.
//!
//! Operations without text (an implied terminator, the body of a named structured operation) are not edited, and
//! actions that need such an edit are left out. O(operations + operands), and the replaced text.

mod carried;
mod comments;
mod fresh;
mod lists;

use std::borrow::Cow;

use ir::{
    Body, Dialect, OpId, OpKind, Type, ValueId,
    arena::Id,
    plan::ops::{OpAction, OpActionKind, OpChange, OpPlan, OutputCopy, copies},
};
use rustc_hash::{FxHashMap, FxHashSet};
use syntax::{PackedEdits, TextEdit, TextRange, TextSize, first_line_end};

use self::{carried::ArgumentRemovals, fresh::FreshNames};
use super::{OpSourceMap, source_map::used_values};

/// The edits that apply a plan, not read back: users get edits from [`checked_edits`](super::checked_edits).
pub fn edits(text: &str, map: &OpSourceMap, body: &Body, plan: &OpPlan) -> TextEdit {
    let actions: Vec<&OpAction> = plan.actions.iter().collect();
    // Edits over one another would be an error of ours, and then nothing is done.
    written(text, map, body, &actions).0.and_then(PackedEdits::unpack).unwrap_or_default()
}

/// The edits that apply some actions of a plan, and which of them have a text that could be edited. The actions that
/// they need (a move before a merge into the moved operation) must be among them. None if edits are over one another.
pub(super) fn written(
    text: &str,
    map: &OpSourceMap,
    body: &Body,
    actions: &[&OpAction],
) -> (Option<PackedEdits>, Vec<bool>) {
    let mut writer = Writer::new(text, map, body);
    let mut can: Vec<bool> = actions.iter().map(|it| writer.take(it)).collect();
    // Only programs of PIR have outputs.
    if body.dialect == Dialect::Pir {
        let taken = actions.iter().zip(&can).filter_map(|(it, can)| can.then_some(*it));
        writer.copies = copies(body, taken);
    }
    let (edits, has_drops) = writer.write();
    for (can, action) in can.iter_mut().zip(actions) {
        *can &= has_drops || !is_about_drop(action);
    }
    (edits, can)
}

struct Writer<'a> {
    text: &'a str,
    map: &'a OpSourceMap,
    body: &'a Body,
    /// The replacement of each value; empty where none is replaced.
    replaced: Vec<ValueId>,
    single: FxHashMap<(OpId, u32), ValueId>,
    /// By operation: whether it goes; empty where none does.
    gone: Vec<bool>,
    /// Operations and their new successors, in the order of the plan.
    moved: Vec<(OpId, OpId)>,
    new_names: FxHashMap<ValueId, String>,
    /// Removed carried values and arguments, and the edits for them.
    dropped: FxHashSet<ValueId>,
    drops: ArgumentRemovals,
    /// Operations that only they needed.
    unneeded: Vec<OpId>,
    /// Copies for outputs of a program of PIR.
    copies: Vec<OutputCopy>,
    /// Names that have two definitions in a program of PIR: which one a use would mean could not be said.
    ambiguous: FxHashSet<&'a str>,
    /// Values that have a use without a place: a name in an operation of unknown form that may as well be a definition.
    perhaps_used: FxHashSet<ValueId>,
    /// The numbers of values within packs; absent for values of their own.
    in_pack: FxHashMap<ValueId, u32>,
    /// Edits inside of operations that move, and of all others.
    inside: FxHashMap<OpId, Vec<(TextRange, String)>>,
    edits: PackedEdits,
    /// The next removal: neighbours on one line are removed together, so that the line goes too.
    removal: Option<TextRange>,
}

impl<'a> Writer<'a> {
    fn new(text: &'a str, map: &'a OpSourceMap, body: &'a Body) -> Writer<'a> {
        Writer {
            text,
            map,
            body,
            replaced: Vec::new(),
            single: FxHashMap::default(),
            gone: Vec::new(),
            moved: Vec::new(),
            new_names: FxHashMap::default(),
            dropped: FxHashSet::default(),
            drops: ArgumentRemovals::default(),
            unneeded: Vec::new(),
            copies: Vec::new(),
            ambiguous: ambiguous(body),
            perhaps_used: perhaps_used(map, body),
            in_pack: FxHashMap::default(),
            inside: FxHashMap::default(),
            edits: PackedEdits::new(),
            removal: None,
        }
    }

    /// The edits, and whether removals of carried values are among them.
    fn write(mut self) -> (Option<PackedEdits>, bool) {
        let mut has_drops = true;
        if !self.is_idle() {
            has_drops = self.drops();
            self.rename_what_moves();
            self.uses_and_removals();
            self.moves();
            self.copies();
        }
        (self.edits.sorted(), has_drops)
    }

    fn is_idle(&self) -> bool {
        self.replaced.is_empty()
            && self.single.is_empty()
            && self.gone.is_empty()
            && self.moved.is_empty()
            && self.dropped.is_empty()
    }

    /// Notes an action; whether it can be written.
    fn take(&mut self, action: &OpAction) -> bool {
        let (body, map, op) = (self.body, self.map, action.op);
        match &action.change {
            // Only that which is handed on no more needed it.
            OpChange::Delete if is_of_drop(action.kind) => self.unneeded.push(op),
            OpChange::Delete => {
                if !map.is_written(op) {
                    return false;
                }
                self.goes(op);
            }
            OpChange::Merge { into } | OpChange::MergeWithCopies { into, .. } => {
                let is_clear = |it: &ValueId| !self.ambiguous.contains(name_of(body, *it));
                if !map.is_written(op)
                    || !map.is_written(*into)
                    || !body.ops[*into].results.iter().all(is_clear)
                    || body.ops[op].results.iter().any(|it| self.perhaps_used.contains(it))
                {
                    return false;
                }
                self.goes(op);
                for (&from, &to) in body.ops[op].results.iter().zip(&body.ops[*into].results) {
                    self.replace(from, to);
                }
            }
            OpChange::MergeUses { into, uses } => {
                if !map.is_written(*into) {
                    return false;
                }
                for &(user, at) in uses {
                    let value = used_values(body, user).nth(at as usize).flatten();
                    let results = &body.ops[op].results;
                    let index = value.and_then(|it| results.iter().position(|x| *x == it));
                    if let Some(index) = index {
                        self.single.insert((user, at), body.ops[*into].results[index]);
                    }
                }
            }
            OpChange::Hoist { before } => {
                let is_perhaps_used =
                    body.ops[op].results.iter().any(|it| self.perhaps_used.contains(it));
                if is_perhaps_used || !map.is_written(op) || !map.is_written(*before) {
                    return false;
                }
                self.moved.push((op, *before));
            }
            OpChange::Argument { argument, value } => {
                if map.definition(*value).is_empty() || self.perhaps_used.contains(argument) {
                    return false;
                }
                self.replace(*argument, *value);
            }
            OpChange::RemoveArgument { argument } => drop(self.dropped.insert(*argument)),
        }
        true
    }

    fn goes(&mut self, op: OpId) {
        if self.gone.is_empty() {
            self.gone = vec![false; self.body.ops.len()];
        }
        self.gone[op.index()] = true;
    }

    fn replace(&mut self, value: ValueId, by: ValueId) {
        if self.replaced.is_empty() {
            self.replaced = self.body.values.ids().collect();
        }
        self.replaced[value.index()] = by;
    }

    fn value(&self, mut value: ValueId) -> ValueId {
        while let Some(&by) = self.replaced.get(value.index())
            && by != value
        {
            value = by;
        }
        value
    }

    // ---- names ----

    /// Renames values that move out of a region and would meet another definition of their name. All values of a pack
    /// have one name.
    fn rename_what_moves(&mut self) {
        if self.moved.is_empty() {
            return;
        }
        let mut n_definitions: FxHashMap<&str, u32> = FxHashMap::default();
        let mut last = TextRange::default();
        for value in self.body.values.ids() {
            let (name, place) = (self.bare_name(value), self.map.definition(value));
            // A pack is one definition; what goes defines nothing any more.
            let is_counted = !name.is_empty() && place != last && !self.is_of_gone(value);
            last = place;
            if is_counted {
                *n_definitions.entry(name).or_default() += 1;
            }
        }
        let mut fresh = FreshNames::of(self.text);
        for (op, _) in &self.moved {
            for pack in self.body.ops[*op]
                .results
                .chunk_by(|a, b| self.map.definition(*a) == self.map.definition(*b))
            {
                let name = self.bare_name(pack[0]);
                if n_definitions.get(name).copied().unwrap_or(0) < 2 {
                    continue;
                }
                let name = fresh.like(name);
                self.new_names.extend(pack.iter().map(|it| (*it, name.clone())));
            }
        }
    }

    fn is_of_gone(&self, value: ValueId) -> bool {
        match self.body.values[value].kind {
            ir::ValueKind::Result(op, _) => self.gone.get(op.index()).is_some_and(|it| *it),
            _ => false,
        }
    }

    /// `%x` of a definition `%x` or `%x:2`.
    fn bare_name(&self, value: ValueId) -> &'a str {
        self.map.bare_name(self.text, value)
    }

    /// How a value is written where it is used.
    fn use_text(&mut self, value: ValueId) -> Cow<'a, str> {
        let written = self.bare_name(value);
        let name = match self.new_names.get(&value).filter(|_| !self.new_names.is_empty()) {
            Some(name) => Cow::Owned(name.clone()),
            None => Cow::Borrowed(written),
        };
        let definition = self.map.definition(value);
        if usize::from(definition.len()) == written.len() {
            return name;
        }
        if !self.text[definition].contains(':') {
            return name;
        }
        if self.drops.renumbered.contains(&value) && self.is_alone(value) {
            return name;
        }
        let number = self.number_in_pack(value);
        Cow::Owned(format!("{name}#{number}"))
    }

    fn number_in_pack(&mut self, value: ValueId) -> u32 {
        if let Some(&number) = self.in_pack.get(&value) {
            return number;
        }
        let stays = |it: &ValueId| !self.drops.values.contains(it);
        for (number, it) in self.map.pack(self.body, value).filter(stays).enumerate() {
            self.in_pack.insert(it, number as u32);
        }
        self.in_pack.get(&value).copied().unwrap_or(0)
    }

    /// Returns true if all others of a pack are deleted.
    fn is_alone(&self, value: ValueId) -> bool {
        let mut pack = self.map.pack(self.body, value);
        pack.all(|it| it == value || self.drops.values.contains(&it))
    }

    // ---- edits ----

    /// Writes the removal of carried or passed values; returns true if that could be written.
    fn drops(&mut self) -> bool {
        if self.dropped.is_empty() {
            return true;
        }
        let drops = carried::drops(self.text, self.map, self.body, &self.dropped);
        let Some(mut drops) = drops else { return false };
        for (range, text) in std::mem::take(&mut drops.edits) {
            self.edits.push_apart(range, &text);
        }
        self.drops = drops;
        for op in std::mem::take(&mut self.unneeded) {
            self.goes(op);
        }
        let gone = &self.gone;
        self.moved.retain(|it| !gone.get(it.0.index()).is_some_and(|it| *it));
        true
    }

    /// Renames uses everywhere outside removed text, and removes that text. In the order of the text, so that nothing
    /// is to be sorted.
    fn uses_and_removals(&mut self) {
        let (body, map) = (self.body, self.map);
        let moved: FxHashSet<OpId> = self.moved.iter().map(|it| it.0).collect();
        self.gone_with_insides(&moved);
        let outputs =
            self.copies.iter().flat_map(|it| it.outputs.iter().map(|at| (*at, &*it.name)));
        let outputs: FxHashMap<(OpId, u32), String> =
            outputs.map(|(at, name)| (at, name.to_owned())).collect();
        // Of what moves; all else is written at once.
        let mut inside = Vec::new();
        let mut removed = TextSize::new(0);
        for op in body.ops.ids() {
            let goes = self.gone.get(op.index()).is_some_and(|it| *it);
            let moves = !moved.is_empty() && moved.contains(&op);
            if goes || moves {
                let range = map.op(op);
                if !range.is_empty() && range.start() >= removed {
                    removed = range.end();
                    self.remove(range);
                }
            }
            let places = map.uses_of(op);
            if goes || (places.len() == 0 && !moves) {
                continue;
            }
            let mut edit = |this: &mut Self, place: TextRange, text: &str| match moves {
                true => inside.push((place, text.to_owned())),
                false => {
                    if this.removal.is_some_and(|it| it.end() <= place.start()) {
                        this.write_removal();
                    }
                    this.edits.push(place, text);
                }
            };
            for (at, (value, place)) in used_values(body, op).zip(places).enumerate() {
                let Some(value) = value.filter(|_| !place.is_empty()) else { continue };
                let slot = (op, at as u32);
                if !self.drops.operands.is_empty() && self.drops.operands.contains(&slot) {
                    continue;
                }
                if !outputs.is_empty()
                    && let Some(name) = outputs.get(&slot)
                {
                    edit(self, place, name);
                    continue;
                }
                let single = match self.single.is_empty() {
                    true => None,
                    false => self.single.get(&slot).copied(),
                };
                let now = self.value(single.unwrap_or(value));
                let is_renamed = (!self.new_names.is_empty() && self.new_names.contains_key(&now))
                    || (!self.drops.renumbered.is_empty() && self.drops.renumbered.contains(&now));
                if now != value || is_renamed {
                    let text = self.use_text(now);
                    if *text != self.text[place] {
                        edit(self, place, &text);
                    }
                }
            }
            if moves {
                for value in &body.ops[op].results {
                    if let Some(name) = self.new_names.get(value) {
                        // The number of values of a pack stays.
                        let at = map.definition(*value).start();
                        let written = TextSize::of(self.bare_name(*value));
                        inside.push((TextRange::at(at, written), name.clone()));
                    }
                }
                self.inside.insert(op, std::mem::take(&mut inside));
            }
        }
        for &(op, _) in &self.moved {
            self.inside.entry(op).or_default();
        }
        self.write_removal();
    }

    /// Marks the operations inside deleted ones as deleted too, except those that move out.
    fn gone_with_insides(&mut self, moved: &FxHashSet<OpId>) {
        let mut stack = Vec::new();
        for (op, _) in &self.moved {
            if let Some(gone) = self.gone.get_mut(op.index()) {
                *gone = false;
            }
        }
        for at in 0..self.gone.len() {
            if !self.gone[at] {
                continue;
            }
            stack.push(OpId::new(at));
            while let Some(op) = stack.pop() {
                for &region in &self.body.ops[op].regions {
                    for &block in &self.body.regions[region].blocks {
                        for &inner in &self.body.blocks[block].ops {
                            if !moved.contains(&inner)
                                && !std::mem::replace(&mut self.gone[inner.index()], true)
                            {
                                stack.push(inner);
                            }
                        }
                    }
                }
            }
        }
    }

    /// Writes moved operations at their new places.
    fn moves(&mut self) {
        let newline = first_line_end(self.text);
        for (op, before) in std::mem::take(&mut self.moved) {
            let range = self.map.op(op);
            let mut edits = self.inside.remove(&op).unwrap_or_default();
            edits.sort_by_key(|it| it.0.start());
            edits.dedup_by_key(|it| it.0);
            let mut line = String::new();
            let mut done = range.start();
            for (place, text) in edits {
                line.push_str(&self.text[TextRange::new(done, place.start())]);
                line.push_str(&text);
                done = place.end();
            }
            line.push_str(&self.text[TextRange::new(done, range.end())]);
            let at = self.map.op(before).start();
            let start = line_start(self.text, at);
            let indent = &self.text[TextRange::new(start, at)];
            if is_blank(indent) {
                self.edits.push(TextRange::empty(start), &format!("{indent}{line}{newline}"));
            } else {
                self.edits.push(TextRange::empty(at), &format!("{line}{newline}"));
            }
        }
    }

    /// Removes a range behind all that was removed so far, and the lines that are empty then.
    fn remove(&mut self, range: TextRange) {
        match &mut self.removal {
            Some(it) if is_blank(&self.text[TextRange::new(it.end(), range.start())]) => {
                *it = TextRange::new(it.start(), range.end());
            }
            _ => {
                self.write_removal();
                self.removal = Some(range);
            }
        }
    }

    fn write_removal(&mut self) {
        if let Some(range) = self.removal.take() {
            let (range, kept) = match self.kept_comments(range) {
                Some(kept) => (with_blanks(self.text, range), kept),
                None => (whole_line(self.text, range), String::new()),
            };
            match self.moved.is_empty() {
                true => self.edits.push(range, &kept),
                // What moves may be put between two lines that go.
                false => self.edits.push_apart(range, &kept),
            }
        }
    }

    /// Returns the comments of a removed range that stay. A moved operation takes its comments along.
    fn kept_comments(&self, range: TextRange) -> Option<String> {
        // Programs of PIR have no comments.
        if self.body.dialect != Dialect::Mlir || !self.text[range].contains("//") {
            return None;
        }
        let moved = self.moved.iter().map(|it| self.map.op(it.0));
        let moved: Vec<TextRange> = moved.filter(|it| range.contains_range(*it)).collect();
        comments::kept(self.text, range, &moved)
    }

    /// Lines for the copies. Each is inserted right behind its operation, as Paddle does: the last one comes first.
    fn copies(&mut self) {
        let newline = first_line_end(self.text);
        for copy in self.copies.iter().rev() {
            let place = self.map.op(copy.into);
            let start = line_start(self.text, place.start());
            let before = &self.text[TextRange::new(start, place.start())];
            let indent = &before[..before.len() - before.trim_start().len()];
            let ty = match self.body.values[copy.value].ty {
                Type::Named(name) => self.body.name(name),
                _ => "",
            };
            let stops = copy.stop_gradient.as_ref();
            let attrs = stops.map_or(String::new(), |it| format!("stop_gradient:[{it}]"));
            let (name, from) = (&copy.name, name_of(self.body, copy.value));
            let line = format!("({name}) = \"pd_op.assign\" ({from}) {{{attrs}}} : ({ty}) -> {ty}");
            let line = format!("{newline}{indent}{line}");
            self.edits.push(TextRange::empty(place.end()), &line);
        }
    }
}

fn is_of_drop(kind: OpActionKind) -> bool {
    matches!(kind, OpActionKind::UnneededArgument | OpActionKind::UnneededCarried)
}

/// Returns true if the action depends on the removal of a carried or passed value.
fn is_about_drop(action: &OpAction) -> bool {
    match action.change {
        OpChange::RemoveArgument { .. } => true,
        OpChange::Delete => is_of_drop(action.kind),
        _ => false,
    }
}

fn name_of(body: &Body, value: ValueId) -> &str {
    body.name(body.values[value].name)
}

/// The names with several definitions in a program of PIR. Its printer gives each value a name of its own.
fn ambiguous(body: &Body) -> FxHashSet<&str> {
    let mut seen = FxHashSet::default();
    let mut twice = FxHashSet::default();
    if body.dialect == Dialect::Pir {
        let names = body.values.ids().map(|it| name_of(body, it));
        twice.extend(names.filter(|it| !seen.insert(*it)));
    }
    twice
}

/// Values with uses that have no place, in operations that were not understood.
fn perhaps_used(map: &OpSourceMap, body: &Body) -> FxHashSet<ValueId> {
    let mut res = FxHashSet::default();
    for (op, data) in body.ops.iter() {
        if matches!(data.kind, OpKind::Opaque(_)) {
            let uses = used_values(body, op).zip(map.uses_of(op));
            res.extend(uses.filter(|it| it.1.is_empty()).filter_map(|it| it.0));
        }
    }
    res
}

fn is_blank(text: &str) -> bool {
    text.bytes().all(|it| it == b' ' || it == b'\t')
}

fn line_start(text: &str, at: TextSize) -> TextSize {
    let before = &text[..usize::from(at)];
    let start = before.rfind(['\n', '\r']).map_or(0, |it| it + 1);
    TextSize::new(start as u32)
}

/// A range and the rest of its lines, with the line break, if nothing else stands there; else the blanks behind it.
fn whole_line(text: &str, range: TextRange) -> TextRange {
    let start = line_start(text, range.start());
    let rest = &text[usize::from(range.end())..];
    let n_blank = rest.bytes().take_while(|it| matches!(it, b' ' | b'\t')).count();
    let after = &rest[n_blank..];
    let n_break = match after.as_bytes() {
        [b'\r', b'\n', ..] => Some(2),
        [b'\n' | b'\r', ..] => Some(1),
        [] => Some(0),
        _ => None,
    };
    let is_first = is_blank(&text[TextRange::new(start, range.start())]);
    match n_break {
        Some(n) if is_first => {
            let end = usize::from(range.end()) + n_blank + n;
            TextRange::new(start, TextSize::new(end as u32))
        }
        // Blanks at the end of a line, or before what follows.
        _ => with_blanks(text, range),
    }
}

/// A range and the blanks behind it.
fn with_blanks(text: &str, range: TextRange) -> TextRange {
    let rest = &text[usize::from(range.end())..];
    let n_blank = rest.bytes().take_while(|it| matches!(it, b' ' | b'\t')).count();
    TextRange::new(range.start(), range.end() + TextSize::new(n_blank as u32))
}
