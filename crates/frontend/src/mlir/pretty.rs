//! Pretty operations: attributes, results, segments and regions by the table of forms.
//!
//! Every part of an operation that may say more than its operands and types do (words, flags, attributes, numbers in
//! lists) is *claimed* by an item of its row. Unclaimed parts go into the dictionary under keys of their own (`$0`,
//! `$1` …), so that operations whose texts differ there are never equal: a missing row costs equality with the generic
//! form, not soundness.

use ir::{BlockId, OpId, OpKind, RegionId, Type, arena::Id};
use parser::SyntaxKind::{self, *};
use smallvec::SmallVec;

use super::{
    aliases::Aliases,
    canonical::{self, Writer},
    cursor::{Cursor, items},
    forms::{self, Convert, Results, Rule, Segment, Source},
    operation::{AttrDictId0, Entries, Made},
    reader::{Definition, Form, Frame, Part, Reader},
    types,
};

/// The key of the text of an operation that is compared by it, without the names of values.
pub(super) const SKELETON: &str = "$form";

/// The number that MLIR writes for "dynamic" in static lists.
const DYNAMIC: &str = "-9223372036854775808";

/// The state of a row's items: the parts of an operation, and which of them are claimed.
pub(super) struct Pretty {
    pub(super) frame: Frame,
    pub(super) parts: SmallVec<[Part; 12]>,
    pub(super) claimed: SmallVec<[bool; 12]>,
    pub(super) entries: Entries,
    pub(super) made: Made,
    /// True if it is known to have no results.
    pub(super) no_results: bool,
}

pub(super) fn is_attribute(kind: SyntaxKind) -> bool {
    matches!(
        kind,
        MLIR_STRING_ATTR
            | MLIR_NUMBER_ATTR
            | MLIR_ARRAY_ATTR
            | MLIR_HASH_ATTR
            | MLIR_BUILTIN_ATTR
            | MLIR_SYMBOL_REF
    )
}

pub(super) fn is_type(kind: SyntaxKind) -> bool {
    matches!(kind, MLIR_TYPE | MLIR_FUNCTION_TYPE)
}

impl Pretty {
    /// The parts of a kind, by number.
    pub(super) fn nth(&self, number: usize, mut is: impl FnMut(&Part) -> bool) -> Option<usize> {
        (0..self.parts.len()).filter(|&at| is(&self.parts[at])).nth(number)
    }

    pub(super) fn nth_kind(&self, kind: SyntaxKind, number: usize) -> Option<usize> {
        self.nth(number, |it| it.kind == kind)
    }

    pub(super) fn claim(&mut self, part: usize) -> Part {
        self.claimed[part] = true;
        self.parts[part]
    }

    pub(super) fn push(&mut self, key: &str, value: impl Into<String>) {
        self.entries.push((key.to_owned(), value.into()));
    }
}

impl<'t> Reader<'t> {
    pub(super) fn text_of(&self, part: Part) -> &'t str {
        self.slice((part.start, part.end))
    }

    /// A pretty operation from its parts.
    pub(super) fn custom(&mut self, frame: &Frame, aliases: &Aliases) -> Made {
        let rule = forms::rule(self.heads[frame.head as usize].rule);
        let parts: SmallVec<[Part; 12]> = self.parts[frame.parts..].into();
        let mut pretty = Pretty {
            frame: *frame,
            claimed: SmallVec::from_elem(false, parts.len()),
            parts,
            entries: Entries::new(),
            made: Made::default(),
            no_results: false,
        };
        self.own_operands(&mut pretty);
        if let Some(special) = rule.special {
            self.special(special, &mut pretty, aliases);
        }
        for &(key, source, convert) in &rule.attrs {
            // What cannot be converted is not claimed: it stays, as something that nobody knows.
            if let Some(part) = self.find(&pretty, source)
                && let Some(value) = self.converted(pretty.parts[part], convert, aliases)
            {
                pretty.claim(part);
                pretty.push(key, value);
            }
        }
        self.dictionaries(&mut pretty, aliases);
        let states_results = rule.known || self.heads[frame.head as usize].states_results;
        if pretty.made.results.is_empty() && !pretty.no_results && states_results {
            self.results(&mut pretty, rule.results, aliases);
        }
        if !rule.segments.is_empty() {
            self.segments(&mut pretty, &rule.segments);
        }
        self.unclaimed(&mut pretty, rule, aliases);
        if self.has_skeleton(frame, rule) {
            let text = self.skeleton(frame);
            pretty.push(SKELETON, text);
        }
        self.check_stated_types(frame, &pretty.parts, aliases);
        let entries = std::mem::take(&mut pretty.entries);
        pretty.made.attrs = AttrDictId0(self.dictionary(entries, rule));
        if let Some(op) = self.frames.last().and_then(|it| it.op) {
            self.pad_regions(op, rule.regions);
        } else if rule.regions > 0
            && !frame.is_unit
            && !(self.frame_unit && self.heads[frame.head as usize].is_function)
            && let Some(op) = self.make_op()
        {
            self.pad_regions(op, rule.regions);
        }
        pretty.made
    }

    /// Operands that are no successor's.
    fn own_operands(&mut self, pretty: &mut Pretty) {
        let frame = pretty.frame;
        let first = self.targets.get(frame.targets).map(|it| it.operands.0 as usize);
        pretty.made.n_operands = first.unwrap_or(self.operands.len() - frame.operands);
        for target in &self.targets[frame.targets..] {
            let (start, end) = target.operands;
            pretty.made.arguments.push((start as usize, end as usize));
        }
    }

    fn pad_regions(&mut self, op: OpId, n: usize) {
        while self.body.ops[op].regions.len() < n {
            let region = self.body.push_region(op);
            let here = self.relative((self.pos(), self.pos()));
            self.map.set_region(region, here);
            let block = self.body.entry(region);
            self.map.set_block(block, here);
        }
    }

    // ---- attributes ----

    fn is_shape_word(&self, frame: &Frame, word: &str) -> bool {
        self.heads[frame.head as usize].words.iter().any(|it| **it == *word)
    }

    /// The part that a source names.
    fn find(&self, pretty: &Pretty, source: Source) -> Option<usize> {
        let flag = |it: &Part| {
            let text = self.text_of(*it);
            text.split('<').next().unwrap_or_default()
        };
        match source {
            Source::Word(number) => pretty.nth(number, |it| {
                matches!(it.kind, IDENT | STRING)
                    && !self.is_shape_word(&pretty.frame, self.text_of(*it))
            }),
            Source::Mark(word) => pretty.nth(0, |it| it.kind == IDENT && self.text_of(*it) == word),
            Source::Flag(name) => pretty.nth(0, |it| it.kind == MLIR_FLAG && flag(it) == name),
            Source::AnyFlag => {
                let free = |at: &usize| pretty.parts[*at].kind == MLIR_FLAG && !pretty.claimed[*at];
                (0..pretty.parts.len()).find(free)
            }
            Source::Params(number) => pretty.nth_kind(MLIR_PARAMS, number),
            Source::Attr(number) => pretty.nth(number, |it| is_attribute(it.kind)),
            Source::Index(number) => pretty.nth_kind(MLIR_INDEX_LIST, number),
            Source::Tuple(number) => pretty.nth_kind(MLIR_OPERAND_TUPLE, number),
            Source::Type(number) => pretty.nth(number, |it| is_type(it.kind)),
        }
    }

    pub(super) fn converted(
        &self,
        part: Part,
        convert: Convert,
        aliases: &Aliases,
    ) -> Option<String> {
        let text = self.text_of(part);
        Some(match convert {
            Convert::Same if is_type(part.kind) => canonical::type_(text, aliases),
            Convert::Same => canonical::attribute(text, aliases),
            Convert::Number(name, ty) => {
                format!("{} : {ty}", forms::enum_number(name, text.trim_matches('"'))?)
            }
            Convert::Wrap(name) => {
                let body = text.split_once('<').map(|it| it.1).and_then(|it| it.strip_suffix('>'));
                let text = format!("{name}<{}>", body.unwrap_or(text.trim_matches('"')));
                canonical::attribute(&text, aliases)
            }
            Convert::Typed(_) if text.contains(':') => canonical::attribute(text, aliases),
            Convert::Typed(ty) => canonical::attribute(&format!("{text} : {ty}"), aliases),
            Convert::Quoted => format!("\"{}\"", text.trim_matches('"')),
            Convert::Array(ty) => array(ty, items(text).into_iter()),
            Convert::Static => array(
                "i64",
                items(text).into_iter().map(|it| if it.starts_with('%') { DYNAMIC } else { it }),
            ),
            Convert::First => format!("{} : index", items(text).first()?),
            Convert::Inner => {
                let inner = text.strip_prefix('<').and_then(|it| it.strip_suffix('>'));
                canonical::attribute(inner.unwrap_or(text), aliases)
            }
            Convert::List => canonical::attribute(text, aliases),
            Convert::Constant(value) => value.to_owned(),
        })
    }

    fn dictionaries(&mut self, pretty: &mut Pretty, aliases: &Aliases) {
        for at in 0..pretty.parts.len() {
            let part = pretty.parts[at];
            if let Some(text) = self.dictionary_alias(pretty, at, aliases) {
                pretty.claimed[at] = true;
                pretty.entries.extend(Writer::new(aliases).entries(&mut Cursor::new(&text)));
                continue;
            }
            if !pretty.claimed[at] && matches!(part.kind, MLIR_ATTR_DICT | MLIR_PROPERTIES) {
                pretty.claimed[at] = true;
                let found = self.entries(&[(part.start, part.end)], aliases);
                pretty.entries.extend(found);
            }
        }
    }

    /// The dictionary that an alias stands for which is written in its place: `linalg.generic #trait`.
    fn dictionary_alias(
        &self,
        pretty: &Pretty,
        at: usize,
        aliases: &Aliases,
    ) -> Option<std::sync::Arc<str>> {
        let part = pretty.parts[at];
        if pretty.claimed[at] || part.kind != MLIR_HASH_ATTR {
            return None;
        }
        let name = self.body.name(self.heads[pretty.frame.head as usize].name);
        let is_written_so = name.starts_with("linalg.") || name == "vector.contract";
        let text = aliases.get(self.text_of(part)).filter(|it| it.starts_with('{'))?;
        is_written_so.then(|| text.clone())
    }

    /// Stores the unclaimed parts as attributes, so that they still distinguish operations.
    fn unclaimed(&mut self, pretty: &mut Pretty, rule: &Rule, aliases: &Aliases) {
        let mut number = 0;
        let has_skeleton = self.has_skeleton(&pretty.frame, rule);
        for at in 0..pretty.parts.len() {
            let part = pretty.parts[at];
            if pretty.claimed[at] {
                continue;
            }
            let text = self.text_of(part);
            let says_something = match part.kind {
                IDENT | STRING => !self.is_shape_word(&pretty.frame, text),
                // The skeleton has them without the names of values, which a plan may change.
                MLIR_INDEX_LIST | MLIR_OPERAND_TUPLE if has_skeleton => false,
                MLIR_INDEX_LIST | MLIR_OPERAND_TUPLE => {
                    items(text).iter().any(|it| !it.starts_with('%'))
                }
                MLIR_TYPE | MLIR_FUNCTION_TYPE | MLIR_TYPE_LIST | MLIR_BLOCK_ARGS => !rule.known,
                MLIR_FLAG | MLIR_PARAMS | MLIR_MAP_OPERANDS | MLIR_SYMBOL_DEF => true,
                kind => is_attribute(kind),
            };
            if says_something {
                let value = canonical::attribute(text, aliases);
                pretty.push(&format!("${number}"), value);
                number += 1;
            }
        }
    }

    /// Returns true if an operation is compared by its text: the form is that of a definition, and no row reads it.
    fn has_skeleton(&self, frame: &Frame, rule: &Rule) -> bool {
        self.heads[frame.head as usize].is_by_definition && !rule.known
    }

    /// The text of an operation between its name and its first region, with values as `%`. Two operations of an
    /// assembly format are equal only if these are: marks, and the lists in which values stand, mean something too, and
    /// the generic form may have another order.
    fn skeleton(&self, frame: &Frame) -> String {
        // Where it was written means nothing.
        let (location, end) = frame.location;
        let end = if end == self.pos() { location } else { self.pos() };
        let end = end.min(frame.first_region);
        let mut res = String::new();
        let mut rest = self.slice((frame.name.1, end.max(frame.name.1)));
        while let Some(at) = rest.find('%') {
            push_words(&rest[..at], &mut res);
            res.push('%');
            rest = &rest[at + 1..];
            let is_name = |it: char| it.is_ascii_alphanumeric() || "_$.-#".contains(it);
            rest = rest.trim_start_matches(is_name);
        }
        push_words(rest, &mut res);
        res
    }

    // ---- results ----

    /// The types behind the last arrow that stands directly in the operation.
    pub(super) fn behind_arrow(
        &mut self,
        pretty: &Pretty,
        aliases: &Aliases,
    ) -> SmallVec<[Type; 2]> {
        let Some(arrow) = pretty.parts.iter().rposition(|it| it.kind == ARROW) else {
            return SmallVec::new();
        };
        let behind = &pretty.parts[arrow + 1..];
        let end = behind.iter().position(|it| matches!(it.kind, COLON | IDENT));
        self.types_of(&behind[..end.unwrap_or(behind.len())], aliases)
    }

    fn types_of(&mut self, parts: &[Part], aliases: &Aliases) -> SmallVec<[Type; 2]> {
        let mut res = SmallVec::new();
        for part in parts {
            match part.kind {
                MLIR_TYPE | MLIR_FUNCTION_TYPE => {
                    res.push(self.type_at((part.start, part.end), aliases));
                }
                MLIR_TYPE_LIST => res.extend(self.listed_types(*part, aliases)),
                _ => {}
            }
        }
        res
    }

    /// The types of `(T {attributes}, U)`.
    pub(super) fn listed_types(&mut self, part: Part, aliases: &Aliases) -> Vec<Type> {
        let text = self.text_of(part);
        let base = self.text.as_ptr() as usize;
        let mut res = Vec::new();
        for item in items(text) {
            let ty = types::without_attributes(item);
            let at = (ty.as_ptr() as usize - base) as u32;
            res.push(self.type_at((at, at + ty.len() as u32), aliases));
        }
        res
    }

    fn results(&mut self, pretty: &mut Pretty, rule: Results, aliases: &Aliases) {
        let frame = pretty.frame;
        let direct: SmallVec<[Part; 4]> =
            pretty.parts.iter().copied().filter(|it| is_type(it.kind)).collect();
        let at = |it: &Part| (it.start, it.end);
        let last = direct.last().copied();
        let mut res: SmallVec<[Type; 2]> = SmallVec::new();
        match rule {
            Results::None => return,
            Results::Last => res.extend(last.map(|it| self.type_at(at(&it), aliases))),
            Results::Twice => {
                res.extend(last.map(|it| self.type_at(at(&it), aliases)));
                res.extend(res.first().copied());
            }
            Results::Type(number) => {
                res.extend(direct.get(number).map(|it| self.type_at(at(it), aliases)));
            }
            Results::All => res = self.types_of(&direct, aliases),
            Results::Function => {
                let signature = pretty.parts.iter().rfind(|it| it.kind == MLIR_FUNCTION_TYPE);
                if let Some(part) = signature {
                    res = self.signature(at(part), aliases).1;
                }
            }
            Results::Arrow => {
                res = self.behind_arrow(pretty, aliases);
                if res.is_empty() && self.n_names(&frame) > 0 {
                    // Other versions write no types of results: those of equal texts are equal.
                    let form = self.skeleton(&frame);
                    pretty.push("$form", form);
                }
            }
            Results::Bool => {
                if let Some(part) = last {
                    let ty = self.type_at(at(&part), aliases);
                    res.push(self.derive(ty, 0, |it| types::with_element(it, "i1")));
                }
            }
            Results::Named(name) => res.push(self.named_type(name)),
            Results::Element => {
                if let Some(part) = direct.first() {
                    let ty = self.type_at(at(part), aliases);
                    let element = |it: &str| types::element_of(it).unwrap_or("none").to_owned();
                    res.push(self.derive(ty, 1, element));
                }
            }
            Results::ArrowOrParameter => {
                res = self.behind_arrow(pretty, aliases);
                if let (Some(part), true) = (direct.first(), res.is_empty()) {
                    let ty = self.type_at(at(part), aliases);
                    let parameter = |it: &str| {
                        let body = it.split_once('<').and_then(|it| it.1.strip_suffix('>'));
                        body.unwrap_or("none").to_owned()
                    };
                    res.push(self.derive(ty, 2, parameter));
                }
            }
            Results::Elements => {
                if let Some(part) = last {
                    let ty = self.type_at(at(&part), aliases);
                    // As many as the type has elements, but no more than the text names.
                    let n = types::n_elements(self.type_text(ty)).min(self.n_names(&frame).max(1));
                    let element = |it: &str| types::element_of(it).unwrap_or("none").to_owned();
                    let element = self.derive(ty, 1, element);
                    res.extend(std::iter::repeat_n(element, n));
                }
            }
            Results::Operand(number) => {
                let operand = self.operands.get(frame.operands + number).copied();
                res.extend(operand.map(|it| self.operand_type(it)));
            }
            Results::OfAttr => {
                if let Some(part) = pretty.nth(0, |it| is_attribute(it.kind)) {
                    let text = self.text_of(pretty.parts[part]);
                    let text = canonical::attribute(text, aliases);
                    res.push(self.named_type(attribute_type(&text)));
                }
            }
            Results::IndexEach => {
                let index = self.named_type("index");
                res.extend(std::iter::repeat_n(index, self.n_names(&frame)));
            }
            Results::Unknown => res = self.guessed_results(pretty, &direct, aliases),
        }
        pretty.made.results = res;
    }

    /// Without a rule: the types behind an arrow, else the last types.
    fn guessed_results(
        &mut self,
        pretty: &Pretty,
        direct: &[Part],
        aliases: &Aliases,
    ) -> SmallVec<[Type; 2]> {
        if let Some(part) = pretty.parts.iter().rfind(|it| it.kind == MLIR_FUNCTION_TYPE) {
            return self.signature((part.start, part.end), aliases).1;
        }
        let behind = self.behind_arrow(pretty, aliases);
        if !behind.is_empty() {
            return behind;
        }
        let n = self.n_names(&pretty.frame);
        let all = self.types_of(direct, aliases);
        match all.len() {
            0 => SmallVec::new(),
            have if have >= n => all[have - n..].into(),
            have => SmallVec::from_elem(all[have - 1], n),
        }
    }

    /// Returns the number of results that the text names.
    pub(super) fn n_names(&self, frame: &Frame) -> usize {
        self.definitions[frame.definitions..]
            .iter()
            .take_while(|it| it.context == MLIR_RESULT_LIST)
            .map(|it| it.count as usize)
            .sum()
    }

    pub(super) fn operand_type(&self, operand: super::reader::Operand) -> Type {
        match operand.value {
            super::names::NONE => Type::Unknown,
            value => self.body.values[ir::ValueId::new(value as usize)].ty,
        }
    }

    /// A type made from another, remembered.
    pub(super) fn derive(&mut self, ty: Type, rule: u8, f: impl FnOnce(&str) -> String) -> Type {
        if let Some(&found) = self.caches.derived.get(&(ty, rule)) {
            return found;
        }
        let text = f(self.type_text(ty));
        let derived = self.named_type(&text);
        self.caches.derived.insert((ty, rule), derived);
        derived
    }

    // ---- segments ----

    fn segments(&mut self, pretty: &mut Pretty, segments: &[Segment]) {
        let total = pretty.made.n_operands;
        let mut sizes: SmallVec<[usize; 8]> = SmallVec::new();
        for segment in segments {
            let list = |kind, number| {
                pretty.nth_kind(kind, number).map_or(0, |at| {
                    let (start, end) = pretty.parts[at].operands;
                    (end - start) as usize
                })
            };
            sizes.push(match *segment {
                Segment::Fixed(n) => n,
                Segment::Index(number) => list(MLIR_INDEX_LIST, number),
                Segment::Tuple(number) => list(MLIR_OPERAND_TUPLE, number),
                Segment::Behind(word) => self.behind_word(pretty, word, total),
                Segment::Plain => self.plain(pretty, total),
                Segment::Rest => usize::MAX,
            });
        }
        let known: usize = sizes.iter().filter(|it| **it != usize::MAX).sum();
        for size in &mut sizes {
            if *size == usize::MAX {
                *size = total.saturating_sub(known);
            }
        }
        let sizes: Vec<String> = sizes.iter().map(ToString::to_string).collect();
        pretty.push("operandSegmentSizes", array("i32", sizes.iter().map(String::as_str)));
    }

    /// Returns the number of operands between a word of the shape and the next one.
    fn behind_word(&self, pretty: &Pretty, word: &str, total: usize) -> usize {
        let is_word =
            |it: &Part| it.kind == IDENT && self.is_shape_word(&pretty.frame, self.text_of(*it));
        let found = pretty.nth(0, |it| it.kind == IDENT && self.text_of(*it) == word);
        let Some(at) = found else { return 0 };
        let start = pretty.parts[at].operands.0 as usize;
        let next = pretty.parts[at + 1..].iter().find(|it| is_word(it));
        next.map_or(total, |it| (it.operands.0 as usize).min(total)).saturating_sub(start)
    }

    /// Returns the number of operands before the first word of the shape, outside of lists.
    fn plain(&self, pretty: &Pretty, total: usize) -> usize {
        let mut in_lists = 0;
        for part in &pretty.parts {
            match part.kind {
                IDENT if self.is_shape_word(&pretty.frame, self.text_of(*part)) => {
                    return (part.operands.0 as usize).min(total).saturating_sub(in_lists);
                }
                MLIR_INDEX_LIST | MLIR_OPERAND_TUPLE => {
                    in_lists += (part.operands.1 - part.operands.0) as usize;
                }
                _ => {}
            }
        }
        total.saturating_sub(in_lists)
    }

    // ---- regions ----

    /// The definitions of an operation that become arguments of the region that opens, in the order of the generic
    /// form.
    pub(super) fn argument_order(&self, frame: &Frame) -> Vec<usize> {
        let mut order: Vec<usize> = (frame.bound..self.definitions.len())
            .filter(|&at| self.definitions[at].context != MLIR_RESULT_LIST)
            .collect();
        let head = &self.heads[frame.head as usize];
        if forms::rule(head.rule).special == Some("launch") && order.len() >= 12 {
            // In the text each dimension stands with its sizes: blocks, grid sizes, threads, block sizes.
            order[3..9].rotate_left(3);
        }
        order
    }

    /// The type of such an argument: written with it, that of the results, of an operand, or `index`.
    pub(super) fn argument_type(
        &mut self,
        frame: &Frame,
        definition: &Definition,
        assigned: usize,
        aliases: &Aliases,
    ) -> Type {
        if definition.ty.0 < definition.ty.1 {
            return self.type_at(definition.ty, aliases);
        }
        if frame.form != Form::Custom {
            return Type::Unknown;
        }
        let parts: SmallVec<[Part; 12]> = self.parts[frame.parts..].into();
        let function = parts.iter().find(|it| it.kind == MLIR_FUNCTION_TYPE);
        if definition.context == MLIR_ASSIGN {
            if let Some(part) = function {
                let inputs = self.signature((part.start, part.end), aliases).0;
                return inputs.get(assigned).copied().unwrap_or(Type::Unknown);
            }
            if let Some(arrow) = parts.iter().rposition(|it| it.kind == ARROW) {
                let behind = &parts[arrow + 1..];
                let end = behind.iter().position(|it| matches!(it.kind, COLON | IDENT));
                let types = self.types_of(&behind[..end.unwrap_or(behind.len())], aliases);
                return types.get(assigned).copied().unwrap_or(Type::Unknown);
            }
            if forms::rule(self.heads[frame.head as usize].rule).each {
                let mut types = parts.iter().filter(|it| is_type(it.kind));
                let part = types.nth(assigned);
                return part.map_or(Type::Unknown, |it| self.type_at((it.start, it.end), aliases));
            }
            return self.named_type("index");
        }
        if definition.context == MLIR_CUSTOM_OP {
            // `scf.for %i = … : i32`
            let colon = parts.iter().rposition(|it| it.kind == COLON);
            if let Some(part) = colon.and_then(|at| parts.get(at + 1)).filter(|it| is_type(it.kind))
            {
                return self.type_at((part.start, part.end), aliases);
            }
        }
        self.named_type("index")
    }

    /// Adds the operation that ends a region where the text leaves it out.
    pub(super) fn implied_terminator(
        &mut self,
        _region: RegionId,
        block: BlockId,
        aliases: &Aliases,
    ) {
        let _ = aliases;
        let Some(frame) = self.frames.last().copied() else { return };
        if frame.form != Form::Custom || frame.is_unit {
            return;
        }
        let head = self.head(&frame);
        let rule = forms::rule(self.heads[head as usize].rule);
        let Some(terminator) = rule.terminator else { return };
        let (terminator, with_region) = match terminator.strip_suffix("+region") {
            Some(name) => (name, true),
            None => (terminator, false),
        };
        let last = self.body.blocks[block].ops.last().copied();
        let is_there = last.is_some_and(|it| match self.body.ops[it].kind {
            OpKind::Named(name) | OpKind::Opaque(name) => self.body.name(name) == terminator,
            _ => false,
        });
        if is_there {
            return;
        }
        let name = self.body.intern(terminator);
        let op = self.body.push_op(block, OpKind::Named(name), &[]);
        let here = self.relative((self.pos(), self.pos()));
        self.map.set_op(op, here, here);
        if with_region {
            self.pad_regions(op, 1);
        }
        if rule.special == Some("mask")
            && let Some(last) = last
        {
            let results: SmallVec<[_; 2]> = self.body.ops[last].results.iter().copied().collect();
            for value in results {
                let expr = self.body.value_expr(value);
                self.body.ops[op].operands.push(expr);
            }
        }
    }
}

/// `array<T: a, b>`; `array<T>` without items.
pub(super) fn array<'a>(ty: &str, items: impl Iterator<Item = &'a str>) -> String {
    let items: Vec<&str> = items.collect();
    if items.is_empty() {
        format!("array<{ty}>")
    } else {
        format!("array<{ty}: {}>", items.join(", "))
    }
}

/// The type of an attribute in canonical text: what follows its last colon outside of brackets.
pub(super) fn attribute_type(text: &str) -> &str {
    if matches!(text, "true" | "false") {
        return "i1";
    }
    let mut depth = 0i32;
    let mut found = None;
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'(' | b'[' | b'{' | b'<' => depth += 1,
            b'>' if at > 0 && text.as_bytes()[at - 1] == b'-' => {}
            b')' | b']' | b'}' | b'>' => depth -= 1,
            b':' if depth == 0 && found.is_none() => found = Some(at + 1),
            _ => {}
        }
    }
    found.map_or("none", |at| text[at..].trim())
}

/// Adds a text with every run of white space as one blank.
fn push_words(text: &str, out: &mut String) {
    for (at, word) in text.split(char::is_whitespace).filter(|it| !it.is_empty()).enumerate() {
        if at > 0 {
            out.push(' ');
        }
        out.push_str(word);
    }
}
