//! The end of an operation: builds the operation in the body from the parts that were read.

use ir::{Attr, AttrDict, AttrDictId, Body, ExprId, OpId, OpKind, Successor, Type};
use parser::SyntaxKind::*;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::{
    aliases::Aliases,
    blocks::text_range,
    canonical::{self, Writer},
    cursor::Cursor,
    forms::{self, Rule},
    names::{NONE, Slot},
    reader::{Form, Frame, Reader},
    types,
};
use crate::ops::{
    Diagnostic, Severity,
    codes::{COUNT_MISMATCH, count},
};

/// Attributes by name, in canonical text.
pub(super) type Entries = Vec<(String, String)>;

/// The earlier results in this unit, by their text.
#[derive(Default)]
pub(super) struct Caches<'t> {
    types: FxHashMap<&'t str, Type>,
    /// Function types: where their inputs and results are in `signature_types`.
    signatures: FxHashMap<&'t str, (u32, u32, u32)>,
    signature_types: Vec<Type>,
    attrs: FxHashMap<(u32, &'t str), AttrDictId>,
    /// Types derived from others.
    pub(super) derived: FxHashMap<(Type, u8), Type>,
}

/// An operation as it will be.
#[derive(Default)]
pub(super) struct Made {
    pub(super) results: SmallVec<[Type; 2]>,
    pub(super) attrs: AttrDictId0,
    pub(super) n_operands: usize,
    /// Operands of each successor: ranges of the frame's operands.
    pub(super) arguments: SmallVec<[(usize, usize); 2]>,
    /// True if the numbers of values and types were compared.
    pub(super) counted: bool,
}

/// A dictionary; the empty one if not said.
#[derive(Clone, Copy)]
pub(super) struct AttrDictId0(pub(super) AttrDictId);

impl Default for AttrDictId0 {
    fn default() -> Self {
        AttrDictId0(Body::no_attrs())
    }
}

impl<'t> Reader<'t> {
    /// The type in this part of the text.
    pub(super) fn type_at(&mut self, place: (u32, u32), aliases: &Aliases) -> Type {
        let text = self.slice(place);
        if text.is_empty() {
            return Type::Unknown;
        }
        if let Some(&ty) = self.caches.types.get(text) {
            return ty;
        }
        let canonical = canonical::type_(text, aliases);
        let ty = self.named_type(&canonical);
        self.caches.types.insert(text, ty);
        ty
    }

    /// The type with this canonical text.
    pub(super) fn named_type(&mut self, text: &str) -> Type {
        Type::Named(self.body.intern(text))
    }

    pub(super) fn type_text(&self, ty: Type) -> &str {
        match ty {
            Type::Named(name) => self.body.name(name),
            _ => "",
        }
    }

    /// Inputs and results of the function type in this part of the text.
    pub(super) fn signature(
        &mut self,
        place: (u32, u32),
        aliases: &Aliases,
    ) -> (SmallVec<[Type; 4]>, SmallVec<[Type; 2]>) {
        let text = self.slice(place);
        let (start, middle, end) = match self.caches.signatures.get(text) {
            Some(&found) => found,
            None => {
                let found = self.read_signature(text, aliases);
                self.caches.signatures.insert(text, found);
                found
            }
        };
        let types = &self.caches.signature_types;
        (types[start as usize..middle as usize].into(), types[middle as usize..end as usize].into())
    }

    fn read_signature(&mut self, text: &'t str, aliases: &Aliases) -> (u32, u32, u32) {
        let start = self.caches.signature_types.len();
        let (inputs, results) = types::function_parts(text).unwrap_or_default();
        let middle = start + inputs.len();
        for ty in inputs.into_iter().chain(results) {
            let base = self.text.as_ptr() as usize;
            let at = (ty.as_ptr() as usize - base) as u32;
            let ty = self.type_at((at, at + ty.len() as u32), aliases);
            self.caches.signature_types.push(ty);
        }
        (start as u32, middle as u32, self.caches.signature_types.len() as u32)
    }

    // ---- the end ----

    pub(super) fn end_operation(&mut self, aliases: &Aliases) {
        let Some(mut frame) = self.frames.last().copied() else { return };
        frame.head = self.head(&frame);
        if let Some(open) = self.frames.last_mut() {
            open.head = frame.head;
        }
        let made = match frame.form {
            Form::Generic => self.generic(&frame, aliases),
            Form::Custom => self.custom(&frame, aliases),
            Form::Opaque => self.opaque(&frame),
        };
        if frame.is_unit {
            self.finish_unit(&frame, &made);
        } else if let Some(op) = self.make_op() {
            self.finish_op(op, &frame, &made);
            if frame.form == Form::Custom {
                self.implied_region(op, &frame, &made, aliases);
            }
        }
        self.frames.pop();
        self.parts.truncate(frame.parts);
        self.operands.truncate(frame.operands);
        self.definitions.truncate(frame.definitions);
        self.targets.truncate(frame.targets);
    }

    fn finish_op(&mut self, op: OpId, frame: &Frame, made: &Made) {
        let name = self.heads[frame.head as usize].name;
        let kind = match frame.form {
            Form::Opaque => OpKind::Opaque(name),
            _ => OpKind::Named(name),
        };
        self.body.ops[op].kind = kind;
        self.body.ops[op].attrs = made.attrs.0;
        let whole = self.relative((frame.start, self.pos()));
        let name_place = self.relative(frame.name);
        self.map.set_op(op, whole, name_place);
        self.put_operands(op, frame, made);
        self.put_successors(op, frame, made);
        self.put_results(op, frame, made);
        for at in frame.parts..self.parts.len() {
            let part = self.parts[at];
            if matches!(part.kind, MLIR_ATTR_DICT | MLIR_PROPERTIES) {
                let place = self.relative((part.start, part.end));
                self.map.push_dictionary(op, place);
            }
        }
    }

    fn put_operands(&mut self, op: OpId, frame: &Frame, made: &Made) {
        let swapped = frame.form == Form::Custom && self.heads[frame.head as usize].is_swapped;
        let n_certain = self.certain_uses(op, frame);
        for at in 0..made.n_operands {
            // The first two stand the other way round in the text.
            let from = if swapped && at < 2 && made.n_operands > 1 { 1 - at } else { at };
            let operand = self.operands[frame.operands + from];
            let is_perhaps = at >= n_certain;
            let expr = self.operand_expr(op, Slot::Operand(at as u32), &operand, is_perhaps);
            self.body.ops[op].operands.push(expr);
            // What may be a definition has no place as a use: it is not to be renamed with one.
            let place = match operand.value == NONE && is_perhaps {
                true => (operand.place.0, operand.place.0),
                false => operand.place,
            };
            let place = self.relative(place);
            self.map.push_use(op, place);
        }
    }

    /// Returns the number of operands that are certainly uses. In a form that is not understood a name may be one
    /// that the operation gives to its regions or to the parameters of a declaration, and behind an arrow one of
    /// its results. Code that a form of a definition calls may print such a name there too.
    fn certain_uses(&self, op: OpId, frame: &Frame) -> usize {
        let mut definitions = self.definitions[frame.definitions..].iter();
        let mut defines = || definitions.any(|it| it.context == MLIR_POSSIBLE_DEF);
        match frame.form {
            Form::Opaque if defines() || self.may_define(op) => return 0,
            Form::Opaque => {}
            Form::Custom if self.heads[frame.head as usize].is_by_definition => {}
            _ => return usize::MAX,
        }
        let arrow = self.parts[frame.parts..].iter().find(|it| it.kind == ARROW);
        arrow.map_or(usize::MAX, |it| it.operands.0 as usize)
    }

    fn put_successors(&mut self, op: OpId, frame: &Frame, made: &Made) {
        let n_targets = self.targets.len() - frame.targets;
        if n_targets > 0 {
            // A list that grows takes room for four.
            self.body.ops[op].successors.reserve_exact(n_targets);
        }
        for index in 0..n_targets {
            let target = self.targets[frame.targets + index];
            let (start, end) = made.arguments.get(index).copied().unwrap_or((0, 0));
            let mut args: SmallVec<[ExprId; 4]> = SmallVec::new();
            for (slot, at) in (start..end).enumerate() {
                let operand = self.operands[frame.operands + at];
                let slot = Slot::Argument(index as u32, slot as u32);
                args.push(self.operand_expr(op, slot, &operand, false));
                let place = self.relative(operand.place);
                self.map.push_use(op, place);
            }
            let args = self.body.list(&args);
            // The block is put in at the end of the region.
            let block = self.body.ops[op].parent;
            self.body.ops[op].successors.push(Successor { block, args });
            self.push_target(op, index as u32, target.label);
        }
    }

    fn put_results(&mut self, op: OpId, frame: &Frame, made: &Made) {
        let n_names = (frame.definitions..self.definitions.len())
            .take_while(|&at| self.definitions[at].context == MLIR_RESULT_LIST)
            .count();
        let named: usize = self.definitions[frame.definitions..frame.definitions + n_names]
            .iter()
            .map(|it| it.count as usize)
            .sum();
        if named > 0 && named != made.results.len() && made.counted {
            self.count_mismatch(frame, named, made.results.len());
        }
        let whole = self.relative((frame.start, frame.start));
        if n_names == 0 {
            for &ty in &made.results {
                let value = self.body.push_result(op, "", ty);
                self.map.set_value(value, whole);
            }
            return;
        }
        let mut types = made.results.iter().copied();
        for at in frame.definitions..frame.definitions + n_names {
            let definition = self.definitions[at];
            let place = self.relative(definition.whole);
            let name = self.slice(definition.name);
            let mut first = None;
            for number in 0..definition.count {
                let ty = types.next().unwrap_or(Type::Unknown);
                let value = if definition.count == 1 {
                    self.body.push_result(op, self.kept_name(name), ty)
                } else {
                    let name = format!("{name}#{number}");
                    self.body.push_result(op, self.kept_name(&name), ty)
                };
                self.map.set_value(value, place);
                first = first.or(Some(value));
            }
            if let Some(first) = first {
                self.define(name, first, definition.count, place);
            }
        }
        for ty in types {
            let value = self.body.push_result(op, "", ty);
            self.map.set_value(value, whole);
        }
    }

    fn count_mismatch(&mut self, frame: &Frame, named: usize, types: usize) {
        let place = self.relative(frame.name);
        self.report(Diagnostic {
            code: COUNT_MISMATCH,
            severity: Severity::Error,
            range: text_range(place),
            message: format!(
                "{}, but {}",
                count(named, "named result"),
                count(types, "result type")
            ),
            ..Diagnostic::default()
        });
    }

    fn finish_unit(&mut self, frame: &Frame, made: &Made) {
        self.body.attrs = self.body.dict(made.attrs.0).clone().into();
        let symbol = (self.parts[frame.parts..].iter())
            .find(|it| it.kind == MLIR_SYMBOL_DEF)
            .map(|it| canonical::symbol_text(self.slice((it.start, it.end))));
        let name = match (symbol, self.body.func_attr("sym_name")) {
            (Some(symbol), _) => symbol[1..].to_owned(),
            (None, Some(Attr::Text(name))) => name.trim_matches('"').to_owned(),
            _ => String::new(),
        };
        self.body.name = name.trim_matches('"').into();
    }

    // ---- the generic form ----

    fn generic(&mut self, frame: &Frame, aliases: &Aliases) -> Made {
        let rule = forms::rule(self.heads[frame.head as usize].rule);
        let mut made = Made { counted: true, ..Made::default() };
        let n_operands = self.operands.len() - frame.operands;
        made.n_operands = n_operands;
        let mut dictionaries: SmallVec<[(u32, u32); 2]> = SmallVec::new();
        for at in frame.parts..self.parts.len() {
            let part = self.parts[at];
            match part.kind {
                MLIR_PROPERTIES | MLIR_ATTR_DICT => dictionaries.push((part.start, part.end)),
                MLIR_FUNCTION_TYPE => {
                    let (inputs, results) = self.signature((part.start, part.end), aliases);
                    made.results = results;
                    if inputs.len() != n_operands {
                        self.operand_mismatch(frame, n_operands, inputs.len());
                    } else {
                        self.check_operand_types(frame, &inputs);
                    }
                }
                _ => {}
            }
        }
        let n_targets = self.targets.len() - frame.targets;
        if n_targets > 0 && rule.branch {
            let mut entries = self.entries(&dictionaries, aliases);
            self.split_arguments(&mut made, &mut entries, n_targets);
            made.attrs = AttrDictId0(self.dictionary(entries, rule));
            return made;
        }
        made.attrs = AttrDictId0(match dictionaries[..] {
            [] => self.dictionary(Vec::new(), rule),
            [(start, end)] => {
                let key = (frame.head, self.slice((start, end)));
                match self.caches.attrs.get(&key) {
                    Some(&found) => found,
                    None => {
                        let entries = self.entries(&dictionaries, aliases);
                        let found = self.dictionary(entries, rule);
                        self.caches.attrs.insert(key, found);
                        found
                    }
                }
            }
            _ => {
                let entries = self.entries(&dictionaries, aliases);
                self.dictionary(entries, rule)
            }
        });
        made
    }

    fn operand_mismatch(&mut self, frame: &Frame, operands: usize, types: usize) {
        let place = self.relative(frame.name);
        self.report(Diagnostic {
            code: COUNT_MISMATCH,
            severity: Severity::Error,
            range: text_range(place),
            message: format!(
                "{}, but {}",
                count(operands, "operand"),
                count(types, "operand type")
            ),
            ..Diagnostic::default()
        });
    }

    /// Finds the operands of a branch in the generic form that belong to its successors, by the segment sizes.
    fn split_arguments(&self, made: &mut Made, entries: &mut Entries, n_targets: usize) {
        let mut take = |key: &str| {
            let at = entries.iter().position(|(it, _)| it == key)?;
            Some(array_items(&entries.remove(at).1))
        };
        let sizes = take("operandSegmentSizes").or_else(|| take("operand_segment_sizes"));
        let cases = take("case_operand_segments");
        let own = match (&sizes, n_targets) {
            (None, 1) => 0,
            (Some(sizes), _) => sizes.first().copied().unwrap_or(0),
            (None, _) => made.n_operands,
        };
        let mut lengths: Vec<usize> = sizes.unwrap_or_default();
        match (lengths.len(), cases) {
            (0, _) => lengths = vec![made.n_operands - own; usize::from(n_targets == 1)],
            (3, Some(cases)) => {
                lengths.truncate(2);
                lengths.remove(0);
                lengths.extend(cases);
            }
            _ => {
                lengths.remove(0);
            }
        }
        let mut start = own.min(made.n_operands);
        let total = made.n_operands;
        made.n_operands = start;
        for length in lengths.into_iter().take(n_targets) {
            let end = (start + length).min(total);
            made.arguments.push((start, end));
            start = end;
        }
    }

    /// The entries of dictionaries in braces or `<{…}>`.
    pub(super) fn entries(&self, places: &[(u32, u32)], aliases: &Aliases) -> Entries {
        let mut res = Entries::new();
        for &place in places {
            let text = self.slice(place);
            let mut cursor = Cursor::new(text);
            cursor.eat('<');
            res.extend(Writer::new(aliases).entries(&mut cursor));
        }
        res
    }

    /// The dictionary of these entries without the defaults of the table.
    pub(super) fn dictionary(&mut self, mut entries: Entries, rule: &Rule) -> AttrDictId {
        rule.normalize(&mut entries);
        if entries.is_empty() {
            return Body::no_attrs();
        }
        entries.sort_by(|a, b| a.0.cmp(&b.0));
        // Properties and attributes may have one name and two values: then both count.
        entries.dedup();
        let dict: AttrDict = entries
            .into_iter()
            .map(|(key, value)| (key.into_boxed_str(), Attr::Text(value.into_boxed_str())))
            .collect();
        self.body.attr_dict(dict)
    }

    // ---- what is not understood ----

    /// All values are operands; types are not known.
    fn opaque(&mut self, frame: &Frame) -> Made {
        let n_targets = self.targets.len() - frame.targets;
        let mut made = Made { n_operands: self.operands.len() - frame.operands, ..Made::default() };
        if n_targets > 0 {
            // Arguments of successors are operands like all others: which block gets which is not known.
            made.arguments = SmallVec::from_elem((0, 0), n_targets);
        }
        made
    }
}

/// The numbers of `array<i32: 1, 2>`, `dense<[1, 2]> : …` or `[1, 2]`.
pub(super) fn array_items(text: &str) -> Vec<usize> {
    let body = match text.strip_prefix("array<") {
        Some(body) => body.split_once(':').map_or("", |(_, it)| it),
        None => text.split(" : ").next().unwrap_or_default(),
    };
    body.split(|it: char| !it.is_ascii_digit()).filter_map(|it| it.parse().ok()).collect()
}
