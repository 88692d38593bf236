//! Regions, blocks, definitions and uses of the reader.

use ir::{BlockId, ExprId, NameId, OpId, OpKind, RegionKind, Type, ValueId, arena::Id};
use parser::SyntaxKind::{self, *};
use rustc_hash::{FxHashMap, FxHashSet};

use super::{
    aliases::Aliases,
    diagnostics, forms,
    names::{Found, Label, NONE, Slot, Waiting},
    reader::{Definition, Form, Frame, Head, OpenRegion, Operand, PendingTarget, Reader},
};
use crate::ops::{
    Diagnostic, Severity,
    codes::{
        BLOCK_REDEFINITION, COUNT_MISMATCH, UNDEFINED_BLOCK, UNDEFINED_VALUE, VALUE_REDEFINITION,
    },
};

impl<'t> Reader<'t> {
    // ---- names ----

    /// The number of a name in the table that names are kept in.
    pub(super) fn name_number(&mut self, name: &'t str) -> NameId {
        match &mut self.local_names {
            Some(names) => names.number(name),
            None => self.body.intern(name),
        }
    }

    /// A name as the body gets it.
    pub(super) fn kept_name<'n>(&self, name: &'n str) -> &'n str {
        if self.local_names.is_some() { "" } else { name }
    }

    /// The name of a value or block that stands at an offset, without a number behind it.
    fn written_name(&self, start: u32) -> &'t str {
        let rest = &self.text[start as usize..];
        let is_end = |it: char| !(it.is_alphanumeric() || matches!(it, '$' | '.' | '_' | '-'));
        let end = rest.char_indices().skip(1).find(|it| is_end(it.1));
        end.map_or(rest, |(end, _)| &rest[..end])
    }

    // ---- regions and blocks ----

    /// `false`: the region is left out.
    pub(super) fn begin_region(&mut self, aliases: &Aliases) -> bool {
        let Some(mut frame) = self.frames.last().copied() else { return false };
        let head = self.head(&frame);
        frame.head = head;
        let Head { is_function, is_module, is_isolated, rule, .. } = self.heads[head as usize];
        let rule = forms::rule(rule);
        if frame.is_unit && frame.regions > 0 || self.frame_unit && is_function {
            return false;
        }
        let region = if frame.is_unit {
            self.body.root
        } else {
            let Some(op) = self.make_op() else { return false };
            self.body.push_region(op)
        };
        if is_module || rule.graph {
            self.body.regions[region].kind = RegionKind::Graph;
        }
        self.map.set_region(region, self.relative((self.pos(), self.pos())));
        self.names.open_region(is_isolated, self.body.values.len());
        let block = self.body.entry(region);
        let first_target = self.pending_targets.len();
        let is_read = frame.form != Form::Opaque;
        let n_outside = match is_read {
            true => self.n_outside(),
            // What its text may define, it may well name twice.
            false => usize::MAX,
        };
        let dialect = self.dialect_inside(&frame);
        let open = OpenRegion { region, block, begun: false, first_target, n_outside, dialect };
        self.regions.push(open);
        self.map.set_block(block, self.relative((self.pos(), self.pos())));
        let here = self.pos();
        if let Some(frame) = self.frames.last_mut() {
            frame.first_region = frame.first_region.min(here);
            frame.regions += 1;
        }
        self.entry_arguments(frame, block, aliases);
        if !is_read && let Some(open) = self.regions.last_mut() {
            open.n_outside = self.body.values.len();
        }
        true
    }

    /// Values with smaller numbers are from around an operation that was not understood, whose regions may define their
    /// names again.
    fn n_outside(&self) -> usize {
        self.regions.last().map_or(0, |it| it.n_outside)
    }

    /// The definitions of an operation that are no results are arguments of the region that opens next; where its row
    /// says so, or the operation was not understood, of each.
    fn entry_arguments(&mut self, frame: Frame, block: BlockId, aliases: &Aliases) {
        let bound = self.definitions.len();
        let order = self.argument_order(&frame);
        let mut assigned = 0;
        for at in order {
            let definition = self.definitions[at];
            let ty = self.argument_type(&frame, &definition, assigned, aliases);
            assigned += usize::from(definition.context == MLIR_ASSIGN);
            self.define_argument(block, &definition, ty);
        }
        let is_of_each = forms::rule(self.heads[frame.head as usize].rule).each;
        if let Some(frame) =
            self.frames.last_mut().filter(|it| it.form != Form::Opaque && !is_of_each)
        {
            frame.bound = bound;
        }
    }

    pub(super) fn define_argument(&mut self, block: BlockId, definition: &Definition, ty: Type) {
        let name = self.slice(definition.name);
        let value = self.body.new_block_arg(block, self.kept_name(name), ty);
        let place = self.relative(definition.whole);
        self.map.set_value(value, place);
        if !name.is_empty() {
            self.define(name, value, 1, place);
        }
    }

    pub(super) fn end_region(&mut self, aliases: &Aliases) {
        let Some(open) = self.regions.pop() else { return };
        let start = u32::from(self.map.region(open.region).start());
        self.map.set_region(open.region, (start, self.pos() - self.base));
        self.implied_terminator(open.region, open.block, aliases);
        let (mut undefined, mut again) = (Vec::new(), Vec::new());
        self.names.close_region(|labels| {
            let pairs = labels.array_windows().filter(|[a, b]| a.name == b.name);
            again.extend(pairs.map(|[a, b]| (a.start, b.start)));
            for target in self.pending_targets.drain(open.first_target..) {
                let at = labels.partition_point(|it| it.name < target.name);
                match labels.get(at).filter(|it| it.name == target.name) {
                    Some(&Label { block, .. }) => {
                        self.body.ops[target.op].successors[target.index as usize].block = block;
                    }
                    None => undefined.push(target),
                }
            }
        });
        for target in undefined {
            self.undefined_block(&target);
        }
        // What is inside of a form that is not known may be no blocks.
        if self.frames.last().is_none_or(|it| it.form != Form::Opaque) {
            again.into_iter().for_each(|(first, start)| self.block_again(first, start));
        }
    }

    fn block_again(&mut self, first: u32, start: u32) {
        let place = |start: u32| {
            let len = self.written_name(start).len() as u32;
            text_range(self.relative((start, start + len)))
        };
        let name = self.written_name(start);
        self.report(Diagnostic {
            code: BLOCK_REDEFINITION,
            severity: Severity::Error,
            range: place(start),
            message: format!("there is a block `{name}` in this region already"),
            related: vec![(place(first), "it begins here".to_owned())],
            ..Diagnostic::default()
        });
    }

    pub(super) fn push_target(&mut self, op: OpId, index: u32, label: (u32, u32)) {
        let name = self.name_number(self.slice(label));
        if self.local_names.is_none() {
            self.map.push_successor(op, index, self.relative(label));
        }
        self.pending_targets.push(PendingTarget { op, index, name, label: label.0 });
    }

    pub(super) fn begin_label(&mut self, place: (u32, u32)) {
        let name = self.name_number(self.slice(place));
        let relative = self.relative(place);
        let Some(open) = self.regions.last_mut() else { return };
        if open.begun {
            open.block = self.body.new_block(open.region);
            self.has_branches = true;
        }
        open.begun = true;
        let block = open.block;
        if self.local_names.is_none() {
            self.map.set_block(block, relative);
        }
        self.names.label(Label { name, block, start: place.0 });
        // The arguments that follow are definitions of no operation.
        self.labelled = self.definitions.len();
    }

    pub(super) fn end_label(&mut self, aliases: &Aliases) {
        let Some(block) = self.current_block() else { return };
        for at in self.labelled..self.definitions.len() {
            let definition = self.definitions[at];
            let ty = self.type_at(definition.ty, aliases);
            self.define_argument(block, &definition, ty);
        }
        self.definitions.truncate(self.labelled);
    }

    // ---- definitions and uses ----

    pub(super) fn push_definition(&mut self, context: SyntaxKind) {
        let here = (self.pos(), self.pos());
        self.definitions.push(Definition {
            name: here,
            count: 1,
            whole: here,
            ty: here,
            attrs: here,
            context,
        });
    }

    /// Binds a name to a pack of values; uses that waited for it are put in.
    pub(super) fn define(&mut self, name: &'t str, first: ValueId, count: u32, place: (u32, u32)) {
        let id = self.name_number(name);
        let (body, late) = (&mut self.body, &mut self.late_arguments);
        let mut out_of_pack = Vec::new();
        let old = self.names.define(id, first, count, |waiting, value| match value {
            Some(value) => {
                let expr = body.value_expr(value);
                put(body, late, waiting.op, waiting.slot, expr);
            }
            None => out_of_pack.push((waiting.op, waiting.slot, waiting.place)),
        });
        for (op, slot, place) in out_of_pack {
            let expr = self.unknown_value(name);
            put(&mut self.body, &mut self.late_arguments, op, slot, expr);
            self.no_such_result(name, place);
        }
        if let Some(old) = old.filter(|it| it.index() >= self.n_outside()) {
            let related = vec![(self.map.definition(old), "it is defined here".to_owned())];
            self.report(Diagnostic {
                code: VALUE_REDEFINITION,
                severity: Severity::Error,
                range: text_range(place),
                message: format!("`{name}` is already defined"),
                help: Some("a name is defined once in a function, nested regions included".into()),
                related,
                ..Diagnostic::default()
            });
        }
    }

    /// Binds a name to values from outside the text, whose types are given by their texts.
    pub(super) fn bind<'a>(&mut self, name: &str, types: impl Iterator<Item = Option<&'a str>>) {
        let first = ValueId::new(self.body.values.len());
        for ty in types {
            let ty = ty.map_or(Type::Unknown, |it| self.named_type(it));
            self.body.new_value(name, ty, ir::ValueKind::Captured);
        }
        let count = (self.body.values.len() - first.index()) as u32;
        let id = self.body.intern(name);
        self.names.define(id, first, count, |_, _| {});
    }

    pub(super) fn report(&mut self, diagnostic: Diagnostic) {
        self.diagnostics.push(diagnostic);
    }

    fn no_such_result(&mut self, name: &str, place: (u32, u32)) {
        self.report(Diagnostic {
            code: COUNT_MISMATCH,
            severity: Severity::Error,
            range: text_range(place),
            message: format!("`{name}` has fewer results than this number"),
            ..Diagnostic::default()
        });
    }

    /// A use: the text from `start` is `%name` or `%name#n`. In an operation that is not understood it may as well be a
    /// definition for its regions.
    pub(super) fn end_use(&mut self, start: u32, is_of_operation: bool) {
        let place = (start, self.pos());
        let operand = self.resolve(place);
        self.operands.push(operand);
        let is_opaque = self.frames.last().is_some_and(|it| it.form == Form::Opaque);
        if operand.value == NONE && is_of_operation && is_opaque {
            self.push_possible(place);
        }
    }

    /// A definition if a region follows.
    fn push_possible(&mut self, place: (u32, u32)) {
        self.push_definition(MLIR_OPAQUE_OP);
        let len = self.written_name(place.0).len() as u32;
        if let Some(definition) = self.definitions.last_mut() {
            (definition.name, definition.whole) = ((place.0, place.0 + len), place);
        }
    }

    fn resolve(&mut self, place: (u32, u32)) -> Operand {
        let text = self.slice(place);
        // Names are short: a loop is faster than a search.
        let (name, number) = match text.bytes().position(|it| it == b'#') {
            Some(at) => (&text[..at], text[at + 1..].parse().unwrap_or(u32::MAX)),
            None => (text, 0),
        };
        let id = self.name_number(name);
        let value = match self.names.lookup(id, number) {
            Found::Value(value) => value.index() as u32,
            Found::Nothing => NONE,
            Found::OutOfPack => {
                let place = self.relative(place);
                self.no_such_result(name, place);
                NONE
            }
        };
        Operand { value, name: id, number, place }
    }

    /// In an operation of unknown form: a use if the name is visible, a definition for the region that follows if it is
    /// not visible there: without a definition, or outside of an operation that is isolated from above.
    pub(super) fn end_possible(&mut self, start: u32) {
        let place = (start, self.pos());
        let operand = self.resolve(place);
        if operand.value != NONE {
            self.operands.push(operand);
        }
        if operand.value == NONE || self.is_in_isolated() {
            self.push_possible(place);
            if let Some(definition) = self.definitions.last_mut() {
                definition.context = MLIR_POSSIBLE_DEF;
            }
        }
    }

    /// Returns true if the innermost operation is isolated from above.
    fn is_in_isolated(&mut self) -> bool {
        let Some(frame) = self.frames.last().copied() else { return false };
        let head = self.head(&frame) as usize;
        self.heads[head].is_isolated
    }

    /// The expression of a use that goes into `slot` of `op`; it waits where the name is not defined yet. One that
    /// `is_perhaps` none is never reported.
    pub(super) fn operand_expr(
        &mut self,
        op: OpId,
        slot: Slot,
        operand: &Operand,
        is_perhaps: bool,
    ) -> ExprId {
        if operand.value != NONE {
            let value = ValueId::new(operand.value as usize);
            return self.body.value_expr(value);
        }
        let place = self.relative(operand.place);
        self.names.wait(op, slot, operand.name, operand.number, place, is_perhaps);
        // Put in when the name is defined, or at the end.
        ExprId::new(0)
    }

    /// A value that nothing defines.
    fn unknown_value(&mut self, name: &str) -> ExprId {
        let value = self.body.new_value(name, Type::Unknown, ir::ValueKind::Captured);
        let id = self.body.intern(name);
        self.body.unresolved.push(id);
        self.body.value_expr(value)
    }

    /// At the end of a part of a unit: puts values in the place of names that the rest of the unit defines, which
    /// `find` looks for. Gives what it found, in the order of the last values of the body; none if a use is of more
    /// than the first result.
    pub(super) fn defined_behind(
        &mut self,
        mut find: impl FnMut(&str) -> Option<ValueId>,
    ) -> Option<Vec<ValueId>> {
        let mut values: FxHashMap<NameId, Option<ExprId>> = FxHashMap::default();
        let (mut found, mut is_simple) = (Vec::new(), true);
        let mut names = std::mem::take(&mut self.names);
        names.resolve_waiting(|waiting| {
            is_simple &= waiting.number == 0;
            let value = *values.entry(waiting.name).or_insert_with(|| {
                found.push(find(self.written_name(waiting.place.0 + self.base))?);
                let value = self.body.new_value("", Type::Unknown, ir::ValueKind::Captured);
                Some(self.body.value_expr(value))
            });
            if let Some(expr) = value {
                put(&mut self.body, &mut self.late_arguments, waiting.op, waiting.slot, expr);
            }
            value.is_some()
        });
        self.names = names;
        is_simple.then_some(found)
    }

    /// At the end of the unit: reports names that are used and never defined.
    pub(super) fn undefined_values(&mut self) {
        let undefined: Vec<_> = self.names.undefined().copied().collect();
        let mut known: FxHashMap<NameId, ExprId> = FxHashMap::default();
        let reported: FxHashSet<_> = self.diagnostics.ranges().collect();
        let bound = self.bound_by_form(&undefined);
        for waiting in undefined {
            if waiting.is_perhaps || bound.contains(&(waiting.op, waiting.name)) {
                let value = self.body.new_value("", Type::Unknown, ir::ValueKind::Captured);
                let expr = self.body.value_expr(value);
                put(&mut self.body, &mut self.late_arguments, waiting.op, waiting.slot, expr);
                continue;
            }
            let name = self.written_name(waiting.place.0 + self.base).to_owned();
            let expr = match known.get(&waiting.name) {
                Some(&expr) => expr,
                None => {
                    let expr = self.unknown_value(&name);
                    known.insert(waiting.name, expr);
                    expr
                }
            };
            put(&mut self.body, &mut self.late_arguments, waiting.op, waiting.slot, expr);
            if reported.contains(&text_range(waiting.place)) {
                continue;
            }
            self.report(Diagnostic {
                code: UNDEFINED_VALUE,
                severity: Severity::Error,
                range: text_range(waiting.place),
                message: format!("`{name}` is not defined here"),
                ..Diagnostic::default()
            });
        }
    }

    /// The names that an operation which nobody defines may bind itself: they stand in it more than once, and nothing
    /// else defines them.
    fn bound_by_form(&self, undefined: &[Waiting]) -> FxHashSet<(OpId, NameId)> {
        let mut seen: FxHashSet<(OpId, NameId)> = FxHashSet::default();
        let is_unknown = |op: OpId| match self.body.ops[op].kind {
            OpKind::Opaque(name) => !diagnostics::is_known(self.body.name(name)),
            _ => false,
        };
        let again = undefined.iter().map(|it| (it.op, it.name)).filter(|it| !seen.insert(*it));
        again.filter(|it| is_unknown(it.0)).collect()
    }

    /// Returns true if names in an operation, whose place is known, may be definitions for its regions. Empty braces
    /// may be a region too.
    pub(super) fn may_define(&self, op: OpId) -> bool {
        let data = &self.body.ops[op];
        let place = self.map.op(op);
        let text = &self.text[self.base as usize..][place];
        let has_empty = || text.split('{').skip(1).any(|it| without_comments(it).starts_with('}'));
        matches!(data.kind, OpKind::Opaque(_)) && (!data.regions.is_empty() || has_empty())
    }

    /// At the end of the unit: puts in the arguments of successors that waited.
    pub(super) fn late_arguments(&mut self) {
        let mut late = std::mem::take(&mut self.late_arguments);
        late.sort_unstable();
        for of_list in late.chunk_by(|a, b| (a.op, a.successor) == (b.op, b.successor)) {
            let LateArgument { op, successor, .. } = of_list[0];
            let list = self.body.ops[op].successors[successor as usize].args;
            let mut items = self.body.items(list).to_vec();
            for it in of_list {
                items[it.at as usize] = it.expr;
            }
            let list = self.body.list(&items);
            self.body.ops[op].successors[successor as usize].args = list;
        }
    }

    pub(super) fn undefined_block(&mut self, target: &PendingTarget) {
        let name = self.written_name(target.label);
        let start = target.label - self.base;
        let place = (start, start + name.len() as u32);
        if let OpKind::Named(kind) = self.body.ops[target.op].kind {
            // Where control goes is not known.
            self.body.ops[target.op].kind = OpKind::Opaque(kind);
        }
        self.report(Diagnostic {
            code: UNDEFINED_BLOCK,
            severity: Severity::Error,
            range: text_range(place),
            message: format!("there is no block `{name}` in this region"),
            ..Diagnostic::default()
        });
    }
}

/// A text without blanks and comments before it.
fn without_comments(text: &str) -> &str {
    let mut rest = text.trim_start();
    while let Some(comment) = rest.strip_prefix("//") {
        rest = comment.find('\n').map_or("", |end| comment[end..].trim_start());
    }
    rest
}

pub(super) fn text_range((start, end): (u32, u32)) -> syntax::TextRange {
    syntax::TextRange::new(start.into(), end.max(start).into())
}

/// Resolves a use; an argument of a successor is appended at the end of the unit.
fn put(body: &mut ir::Body, late: &mut Vec<LateArgument>, op: OpId, slot: Slot, expr: ExprId) {
    match slot {
        Slot::Operand(at) => body.ops[op].operands[at as usize] = expr,
        Slot::Argument(successor, at) => late.push(LateArgument { op, successor, at, expr }),
    }
}

/// An argument of a successor that was used before its definition. The list of arguments is made again once for all of
/// them.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct LateArgument {
    op: OpId,
    successor: u32,
    at: u32,
    expr: ExprId,
}
