//! Lines that repeat: operations that are made as an earlier one was, but for the values they use and define.
//!
//! In: a line and the number of its form ([`Piece::Line`]). The first line of a form is read step by step; what came of
//! it is kept, if nothing but its text and the types of its operands decided that. A later line finds its values and is
//! made from that, without its parts being looked at. One that differs (a name that waits for its definition, an
//! operand of another type) is read step by step. O(names + bytes of names) a line.

use std::rc::Rc;

use ir::{Attr, AttrDictId, ExprKind, OpId, OpKind, Type, ValueId, arena::Id};
use parser::{
    Step,
    SyntaxKind::{VALUE_ID, WHITESPACE},
    mlir::{Piece, name_end, read_line},
};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use syntax::{TextRange, TextSize};

use super::Reader;
use crate::mlir::{aliases::Aliases, blocks::text_range, forms, names::Found, pretty::SKELETON};

/// Names of values in a line, about.
type PerName<T> = SmallVec<[T; 4]>;

/// The lines of a unit.
#[derive(Default)]
pub(super) struct Lines {
    /// By the number of the form. A unit has few of all forms of its file.
    forms: FxHashMap<u16, Known>,
    /// Room for the steps of a line.
    steps: Vec<Piece>,
}

/// The operations of a form.
enum Known {
    /// More than their text and types decides what they are.
    Various,
    Alike(Rc<Alike>),
}

/// The operation that a line was read as.
struct Alike {
    kind: OpKind,
    attrs: AttrDictId,
    /// The bytes before each name of a value, from the one before on.
    gaps: PerName<u16>,
    /// True if the first name is the one of its result.
    is_named: bool,
    results: SmallVec<[Type; 2]>,
    /// The operands: one a name, in the order of the text.
    uses: PerName<Use>,
    /// The place of the operation's name.
    name: (Place, Place),
    /// The places of dictionaries.
    dictionaries: SmallVec<[(Place, Place); 1]>,
}

/// An operand.
struct Use {
    /// `#n` behind its name.
    number: u32,
    /// The length of that.
    len: u8,
    ty: Type,
}

/// A place in a line: behind so many names, so many bytes from the end of the last one.
#[derive(Clone, Copy)]
struct Place {
    n_names: u8,
    offset: u16,
}

/// The sizes of what reading an operation may change.
#[derive(PartialEq, Eq)]
struct Sizes {
    n_ops: usize,
    n_regions: usize,
    n_diagnostics: usize,
    n_waited: usize,
    n_targets: usize,
    n_mismatches: usize,
    pack_budget: u32,
}

impl<'t> Reader<'t> {
    /// Reads a line.
    pub(super) fn line(&mut self, form: u16, len: u32, aliases: &Aliases) {
        if self.frame_unit {
            // The meaning of an alias may change from line to line.
            return self.line_by_steps(len, aliases);
        }
        match self.lines.forms.get(&form) {
            Some(Known::Alike(first)) => {
                let first = Rc::clone(first);
                if !self.repeats(&first, len) {
                    self.line_by_steps(len, aliases);
                }
            }
            Some(Known::Various) => self.line_by_steps(len, aliases),
            None => {
                let (start, before) = (self.pos(), self.sizes());
                self.line_by_steps(len, aliases);
                let first = self.alike(start, &before);
                let known = first.map_or(Known::Various, |it| Known::Alike(Rc::new(it)));
                self.lines.forms.insert(form, known);
            }
        }
    }

    fn line_by_steps(&mut self, len: u32, aliases: &Aliases) {
        let start = self.pos() as usize;
        let mut steps = std::mem::take(&mut self.lines.steps);
        if !read_line(self.text, start, start + len as usize, self.shapes, &mut steps) {
            // The parser has read it so before.
            debug_assert!(false, "a line is read in one way only");
            steps = vec![Piece::Step(Step::Token { kind: WHITESPACE, len })];
        }
        for step in &steps {
            self.piece(*step, aliases);
        }
        self.lines.steps = steps;
    }

    fn sizes(&self) -> Sizes {
        Sizes {
            n_ops: self.body.ops.len(),
            n_regions: self.body.regions.len(),
            n_diagnostics: self.diagnostics.len(),
            n_waited: self.names.n_waited(),
            n_targets: self.pending_targets.len(),
            n_mismatches: self.n_mismatches,
            pack_budget: self.pack_budget,
        }
    }

    /// The operation that was just read, if lines of its form are all read so.
    fn alike(&self, start: u32, before: &Sizes) -> Option<Alike> {
        if self.sizes() != (Sizes { n_ops: before.n_ops + 1, ..*before }) {
            return None;
        }
        let op = OpId::new(before.n_ops);
        let data = &self.body.ops[op];
        let head = self.head_of(data.kind)?;
        let whole = (start - self.base, self.pos() - self.base);
        if forms::rule(head).looks_at_names()
            || self.map.op(op) != text_range(whole)
            || self.has_names(data.attrs)
            || data.results.iter().any(|it| self.type_text(self.body.values[*it].ty).contains('%'))
        {
            return None;
        }
        let names = self.names_of_steps(start);
        let is_named = match data.results[..] {
            [only] if !self.map.definition(only).is_empty() => {
                names.first() == Some(&self.map.definition(only))
            }
            _ => false,
        };
        let is_unnamed = |it: &ValueId| self.map.definition(*it).is_empty();
        let used = names.get(usize::from(is_named)..)?;
        if !is_named && !data.results.iter().all(is_unnamed) || used.len() != data.operands.len() {
            return None;
        }
        let mut uses = PerName::new();
        for ((&expr, at), name) in data.operands.iter().zip(self.map.uses_of(op)).zip(used) {
            let ExprKind::Value(value) = self.body.expr(expr).kind else { return None };
            if at.start() != name.start() {
                return None;
            }
            let behind = at.end().checked_sub(name.end())?;
            let text = &self.text[self.base as usize..][TextRange::at(name.end(), behind)];
            let number = text.strip_prefix('#').map_or(Some(0), |it| it.parse().ok())?;
            let ty = self.body.values[value].ty;
            uses.push(Use { number, len: u8::try_from(u32::from(behind)).ok()?, ty });
        }
        let mut gaps = PerName::new();
        let mut end = TextSize::from(whole.0);
        for name in &names {
            gaps.push(u16::try_from(u32::from(name.start() - end)).ok()?);
            end = name.end();
        }
        let place = |at: TextSize| {
            let n_names = names.partition_point(|it| it.end() <= at);
            let from = n_names.checked_sub(1).map_or(whole.0.into(), |it| names[it].end());
            let offset = u16::try_from(u32::from(at - from)).ok()?;
            Some(Place { n_names: u8::try_from(n_names).ok()?, offset })
        };
        let range = |it: TextRange| Some((place(it.start())?, place(it.end())?));
        Some(Alike {
            kind: data.kind,
            attrs: data.attrs,
            gaps,
            is_named,
            results: data.results.iter().map(|it| self.body.values[*it].ty).collect(),
            uses,
            name: range(self.map.op_name(op))?,
            dictionaries: self.map.dictionaries(op).map(range).collect::<Option<_>>()?,
        })
    }

    /// The number of the rule of an operation that is understood.
    fn head_of(&self, kind: OpKind) -> Option<u32> {
        let OpKind::Named(name) = kind else { return None };
        self.heads.iter().find(|it| it.name == name).map(|it| it.rule)
    }

    /// Returns true if attributes may be made of names of values, or of a location: lines of one form differ in these.
    fn has_names(&self, attrs: AttrDictId) -> bool {
        let has = |it: &Attr| match it {
            Attr::Text(text) => text.contains('%') || text.contains("loc("),
            _ => false,
        };
        // The skeleton of an operation has values without their names.
        self.body.dict(attrs).iter().any(|(key, it)| **key != *SKELETON && has(it))
    }

    /// The names of values of the line whose steps were read.
    fn names_of_steps(&self, start: u32) -> Vec<TextRange> {
        let mut at = start - self.base;
        let mut names = Vec::new();
        for step in &self.lines.steps {
            if let Piece::Step(Step::Token { kind, len }) = *step {
                if kind == VALUE_ID {
                    names.push(text_range((at, at + len)));
                }
                at += len;
            }
        }
        names
    }

    /// Makes the operation of a line; false, and nothing is done, if it is not read as the others of its form.
    fn repeats(&mut self, alike: &Alike, len: u32) -> bool {
        let start = self.pos();
        let mut names: PerName<(u32, u32)> = PerName::new();
        let mut end = start;
        for gap in &alike.gaps {
            let name = end + u32::from(*gap);
            end = name_end(self.text, name as usize) as u32;
            names.push((name, end));
        }
        let used = &names[usize::from(alike.is_named)..];
        let mut values: PerName<ValueId> = PerName::new();
        for (name, use_) in used.iter().zip(&alike.uses) {
            let name = self.name_number(self.slice(*name));
            let Found::Value(value) = self.names.lookup(name, use_.number) else { return false };
            if self.body.values[value].ty != use_.ty {
                return false;
            }
            values.push(value);
        }
        let Some(open) = self.regions.last_mut() else { return false };
        open.begun = true;
        let op = self.body.push_op(open.block, alike.kind, &[]);
        self.body.ops[op].attrs = alike.attrs;
        let place = |it: (Place, Place)| {
            let of = |it: Place| {
                let behind = usize::from(it.n_names).checked_sub(1);
                behind.map_or(start, |it| names[it].1) + u32::from(it.offset)
            };
            (of(it.0), of(it.1))
        };
        self.map.set_op(op, self.relative((start, start + len)), self.relative(place(alike.name)));
        for ((value, use_), name) in values.into_iter().zip(&alike.uses).zip(used) {
            let expr = self.body.value_expr(value);
            self.body.ops[op].operands.push(expr);
            self.map.push_use(op, self.relative((name.0, name.1 + u32::from(use_.len))));
        }
        for &ty in &alike.results {
            let name = if alike.is_named { self.slice(names[0]) } else { "" };
            let value = self.body.push_result(op, self.kept_name(name), ty);
            let whole = if alike.is_named { names[0] } else { (start, start) };
            self.map.set_value(value, self.relative(whole));
            if alike.is_named {
                self.define(name, value, 1, self.relative(whole));
            }
        }
        for &it in &alike.dictionaries {
            self.map.push_dictionary(op, self.relative(place(it)));
        }
        self.pos += len;
        true
    }
}
