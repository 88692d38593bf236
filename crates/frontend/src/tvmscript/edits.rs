//! From a plan to edits of the text.
//!
//! In: a lowered function, its text, a plan made from it. Out: a [`TextEdit`] in offsets of the function's text, that
//! inserts the bindings and puts their names where their values stood; comments and layout are not touched. After it,
//! the text lowers to the result of the plan's rewriter.
//!
//! * A binding is a line of its own at a [`Site`](super::source_map::Site), spelled as TVM's printer does for the
//!   dialect, with the function's own name for `T`. Its value is the text of the first occurrence that can be written
//!   there.
//! * A scalar for a partial redundancy is declared and stored on lines of its own; at the end of an arm of an `if`
//!   after its last line, in an `else` of its own if there is none.
//! * A replaced occurrence becomes the bare name; its own parentheses are removed with it.
//! * `A[e:e + 4]` contains its `e` twice, but only the first is an occurrence: the end of such a slice is written anew.
//!
//! Linear in the replaced text.

mod cells;
pub(super) mod names;
mod slices;
mod value;

use ir::{
    Body, Dialect, OccurrenceId, Occurrences, Type,
    plan::{CsePlan, Decision},
};
use rustc_hash::FxHashMap;
use syntax::{Edit, TextEdit, TextRange};

pub(super) use value::one_line;

use super::{SourceMap, WrittenFunction};

/// The groups of a plan to apply.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Selection {
    /// All that the plan applies.
    All,
    /// One group, by its index in [`CsePlan::groups`], as if it were the only one.
    Group(usize),
}

/// The edits that apply a plan. Empty if nothing of the selection is applied.
pub fn cse_edits(it: WrittenFunction<'_>, plan: &CsePlan, selection: Selection) -> TextEdit {
    let only;
    let plan = match selection {
        Selection::All => plan,
        Selection::Group(group) => match plan.only(group) {
            Some(it) => {
                only = it;
                &only
            }
            None => return TextEdit::new(),
        },
    };
    let writer = Writer {
        body: &it.lowered.body,
        map: &it.lowered.source_map,
        occurrences: it.occurrences,
        text: it.text,
        plan,
    };
    writer.edits()
}

struct Writer<'a> {
    body: &'a Body,
    map: &'a SourceMap,
    occurrences: &'a Occurrences,
    text: &'a str,
    plan: &'a CsePlan,
}

impl Writer<'_> {
    fn edits(&self) -> TextEdit {
        let mut replaced: FxHashMap<TextRange, (OccurrenceId, &str)> = FxHashMap::default();
        for binding in &self.plan.bindings {
            ir::interrupt::check();
            self.replace(&mut replaced, &binding.replaces, &binding.name);
        }
        for group in &self.plan.groups {
            if let Decision::Reuse(reuse) = &group.decision {
                let name = reuse.name(self.body);
                self.replace(&mut replaced, &reuse.replaces, name);
            }
        }
        for (_, cell) in self.plan.inserted() {
            self.replace(&mut replaced, &cell.replaces, &cell.name);
        }
        let mut places: Vec<(TextRange, OccurrenceId, &str)> =
            replaced.into_iter().map(|(range, (id, name))| (range, id, name)).collect();
        places.sort_unstable_by_key(|it| (it.0.start(), it.0.end()));
        let mut names: Vec<Edit> = places
            .iter()
            .map(|&(range, _, name)| {
                ir::interrupt::check();
                names::name_edit(self.text, range, name)
            })
            .collect();
        let ends = self.slice_ends(&places, &names);
        names.extend(ends);
        names.sort_by_key(|it| (it.range.start(), it.range.end()));
        let mut edits = self.bindings();
        edits.extend(self.cells());
        let mut end = None;
        for edit in names {
            ir::interrupt::check();
            // Two copies of one text are one edit; nothing else can overlap.
            if end.is_none_or(|it| it <= edit.range.start()) {
                end = Some(edit.range.end());
                edits.push(edit);
            }
        }
        TextEdit::from_edits(edits).unwrap_or_default()
    }

    fn replace<'n>(
        &self,
        replaced: &mut FxHashMap<TextRange, (OccurrenceId, &'n str)>,
        occurrences: &[OccurrenceId],
        name: &'n str,
    ) {
        // A virtual occurrence is a copy of a real one that is replaced too: it has no text of its own.
        for &occurrence in occurrences.iter().filter(|&&it| self.map.is_real(it)) {
            ir::interrupt::check();
            let range = self.map.occurrence_range(occurrence);
            replaced.entry(range).or_insert((occurrence, name));
        }
    }

    /// The range with the parentheses right around it that only group it.
    fn without_parentheses(&self, range: TextRange) -> (TextRange, bool) {
        names::without_parentheses(self.text, range)
    }

    // ---- bindings ----

    /// The line break that the text uses.
    fn newline(&self) -> &'static str {
        syntax::first_line_end(self.text)
    }

    fn bindings(&self) -> Vec<Edit> {
        let newline = self.newline();
        let alias = script_alias(self.text);
        let mut edits = Vec::new();
        for (index, binding) in self.plan.bindings.iter().enumerate() {
            ir::interrupt::check();
            let Some(site) = self.map.site(binding.before) else { continue };
            let names = self.names_inside(&binding.uses, &binding.reuses);
            let group = self.group_occurrences(index);
            let value = self.value(binding.expr, group, &names, site.offset);
            let name = &binding.name;
            let ty = self.body.ty(binding.expr);
            let line = binding_line(self.body.dialect, ty, alias, name, &value);
            edits.push(Edit::insert(site.offset, format!("{line}{newline}{}", site.indent)));
        }
        edits
    }

    fn group_occurrences(&self, binding: usize) -> &[OccurrenceId] {
        &self.plan.groups[self.plan.bindings[binding].group].occurrences
    }

    fn text_of(&self, range: TextRange) -> &str {
        &self.text[std::ops::Range::<usize>::from(range)]
    }
}

/// The statement that gives a value a name. The type is written where it is known and has a name.
pub(super) fn binding_line(
    dialect: Dialect,
    ty: Type,
    alias: &str,
    name: &str,
    value: &str,
) -> String {
    let is_legacy = dialect == Dialect::Tir;
    match ty {
        // There the name of a value of IR is a binding, whatever its type.
        ty if ty.is_open() && is_legacy => format!("{name} = {value}"),
        Type::Prim(dtype) if dtype.is_symbolic() => format!("{name} = {alias}.bind({value})"),
        Type::Prim(dtype) if !dialect.has_cells() => format!("{name}: {alias}.{dtype} = {value}"),
        Type::Prim(dtype) => format!("{name}: {alias}.let[{alias}.{dtype}] = {value}"),
        _ => format!("{name} = {alias}.bind({value})"),
    }
}

/// Returns the name that the function uses for `tvm.script.tirx` or `tvm.script.tir`: the one in its decorator.
pub(super) fn script_alias(text: &str) -> &str {
    let mut lines = text.lines().map(str::trim_start);
    lines
        .find_map(|line| {
            let decorator = line.strip_prefix('@')?;
            let end = decorator.find(|it: char| !(it.is_alphanumeric() || it == '_' || it == '.'));
            let path = &decorator[..end.unwrap_or(decorator.len())];
            path.rsplit_once('.').filter(|(_, name)| *name == "prim_func").map(|(alias, _)| alias)
        })
        .unwrap_or("T")
}
