//! The gradual guarantee: to forget a value adds no error and no rewrite.
//!
//! In: folders of Python files, and a number of generated kernels. The constants and data types of each function become
//! parameters of a factory around it, one for each value: numbers alone, data types alone, both, and numbers of which
//! the factory asserts a part. What is reported of the function then must have been reported of the text with the
//! values: errors and warnings by their rule, findings and simplifications by rule and place, shared values by the
//! places that become one. Losing some is allowed.
//!
//! Unknown is not equal to unknown: in planted functions, occurrences with different unknown names must stay apart.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::Path;

use dataflow::analyses::Analyses;
use frontend::tvmscript::{FunctionItem, FunctionKind, Lowered, Severity, functions, lower};
use ir::effects::EffectTable;
use ir::plan::{CseGroup, Decision, Refusal, SourceView, finding::Place, simplify::Step};
use ir::{ExprId, ExprKind, OccurrenceId, Occurrences, arena::Id as _};
use syntax::{SyntaxKind, TextRange};
use transform::{
    cse::{self, CseOptions},
    findings::{self, FindingOptions},
    simplify::{self, SimplifyOptions},
};

use crate::conformance::corpus::{self, File};
use crate::conformance::parallel;
use crate::conformance::report::{Report, Target};

/// Columns of the report: as before, with less, with more, and those that are not found again.
const KINDS: &[&str] = &["same", "less", "more", "lost"];
/// Values of one function that are forgotten; others stay.
const MOST_VALUES: usize = 12;
/// Numbers that are small stay: 0, 1 and 2 are seldom parameters.
const LEAST_NUMBER: u64 = 3;
/// The data types that are forgotten.
const TYPES: &[&str] = &[
    "int8", "int32", "int64", "uint8", "uint32", "uint64", "float16", "float32", "float64",
    "bfloat16",
];
/// The generated kernels of a run, beside the files.
const GENERATED: usize = 200;

/// The values that are forgotten at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Forgotten {
    Numbers,
    Types,
    Both,
    /// Numbers, of which the factory asserts a part: remainders, bounds, and which is less.
    Checked,
}

const FORGOTTEN: [(&str, Forgotten); 4] = [
    ("numbers", Forgotten::Numbers),
    ("types", Forgotten::Types),
    ("both", Forgotten::Both),
    ("checked", Forgotten::Checked),
];

/// Compares every function of every file below a folder, generated kernels, and the planted functions.
pub(crate) fn compare(folder: &Path, filter: Option<&str>) -> anyhow::Result<Report> {
    let mut files: Vec<File> = corpus::below(folder, filter)?;
    files.retain(|it| it.text.contains("prim_func"));
    files.extend((0..GENERATED).map(|number| File {
        group: "generated".to_owned(),
        name: number.to_string(),
        path: number.to_string().into(),
        text: format!("from tvm.script import tirx as T\n\n{}", generated(number)),
    }));
    let mut report = Report::new("Functions after their constants are forgotten", KINDS);
    for (file, changes) in files.iter().zip(parallel(&files, of_file)) {
        for (group, change) in changes {
            count(&mut report, file, group, change);
        }
    }
    let all: usize = KINDS[..3].iter().map(|it| report.total(it)).sum();
    let what = "functions of which nothing more is said";
    report.target(Target { what, least: 100.0 }, all - report.total("more"), all);
    report.at_least("functions compared", all, 1);
    let merged = PLANTED.iter().filter(|it| !stays_apart(it)).count();
    for planted in PLANTED.iter().filter(|it| !stays_apart(it)) {
        report.list(9, "planted functions in which unknown values become one", *planted);
    }
    let what = "planted unknown values that stay apart";
    report.target(Target { what, least: 100.0 }, PLANTED.len() - merged, PLANTED.len());
    Ok(report)
}

/// A kernel with constants in its shapes, its index arithmetic and its types.
fn generated(number: usize) -> String {
    let (n, k) = (16 + number % 7 * 8, 3 + number % 5);
    let dtype = TYPES[number % TYPES.len()];
    let mut text = format!(
        "@T.prim_func\ndef f(A: T.Buffer(({n},), \"{dtype}\"), B: T.Buffer(({n},), \"{dtype}\"), x: T.int32):\n"
    );
    for step in 0..3 + number % 3 {
        let _ = write!(
            text,
            "    for i in range({n}):\n        if i // {k} < x:\n            \
             A[i // {k} + {step}] = B[i // {k} + {step}] * T.Cast(\"{dtype}\", i % {k} + {})\n",
            4 + step
        );
    }
    text
}

/// The reports about a function.
#[derive(Default)]
struct Reported {
    /// Errors and warnings by rule.
    claims: BTreeMap<&'static str, usize>,
    /// Rules and places of findings and simplifications.
    found: BTreeSet<(&'static str, (u32, u32))>,
    /// The places that simplifications rewrite: expressions, and statements with all that is in them.
    rewritten: Vec<(u32, u32)>,
    /// The places that become one, by group.
    shared: Vec<Vec<TextRange>>,
    /// The refused groups by their places.
    refused: BTreeMap<(u32, u32), Refusal>,
    /// The expression at a place.
    values: BTreeMap<(u32, u32), (ExprId, bool)>,
}

impl Reported {
    /// The reports about a lowered function; `back` leads from its places to those of the text with all values.
    fn of(lowered: &Lowered, back: impl Fn(TextRange) -> TextRange) -> Reported {
        let mut reported = Reported::default();
        for diagnostic in &lowered.diagnostics {
            if diagnostic.severity <= Severity::Warning {
                *reported.claims.entry(diagnostic.code).or_default() += 1;
            }
        }
        let body = &lowered.body;
        let occurrences = Occurrences::collect(body);
        let analyses = Analyses::of(body, &occurrences, EffectTable::builtin());
        lowered.source_map.with_view(|view| {
            reported.findings(lowered, &analyses, view, &back);
            reported.groups(lowered, &analyses, view, &back);
        });
        let map = &lowered.source_map;
        for index in 0..occurrences.len() {
            let id = OccurrenceId::new(index);
            if map.is_real(id) {
                let (expr, range) = (occurrences[id].expr, back(map.occurrence_range(id)));
                let is_constant =
                    matches!(body.expr(expr).kind, ExprKind::Int(_) | ExprKind::Float(_));
                reported.values.entry(key(range)).or_insert((expr, is_constant));
            }
        }
        reported
    }

    fn findings(
        &mut self,
        lowered: &Lowered,
        analyses: &Analyses<'_>,
        view: SourceView<'_>,
        back: &impl Fn(TextRange) -> TextRange,
    ) {
        let map = &lowered.source_map;
        let at = |place| map.place(place).map_or((0, 0), |it| key(back(it)));
        for it in findings::findings(analyses, Some(view), &FindingOptions::default()) {
            if it.kind.rule().level.is_some_and(|it| it <= Severity::Warning) {
                *self.claims.entry(it.kind.name()).or_default() += 1;
            }
            self.found.insert((it.kind.name(), at(it.place)));
        }
        let plan = simplify::plan(analyses, Some(view), &SimplifyOptions::default());
        for it in plan.items.iter().filter(|it| it.round == 0) {
            self.rewritten.extend(it.steps.iter().map(|step| at(rewritten_by(step))));
            if !it.kind.is_finding() {
                self.found.insert((it.kind.name(), at(it.place)));
            }
        }
    }

    fn groups(
        &mut self,
        lowered: &Lowered,
        analyses: &Analyses<'_>,
        view: SourceView<'_>,
        back: &impl Fn(TextRange) -> TextRange,
    ) {
        let map = &lowered.source_map;
        let plan = cse::plan(analyses, Some(view), &CseOptions::default());
        let places = |group: &CseGroup| -> Vec<TextRange> {
            let real = group.occurrences.iter().filter(|it| map.is_real(**it));
            real.map(|it| back(map.occurrence_range(*it))).collect()
        };
        for group in &plan.groups {
            match group.decision {
                Decision::Refuse(refusal) => {
                    self.refused.extend(places(group).into_iter().map(|it| (key(it), refusal)));
                }
                _ => self.shared.push(places(group)),
            }
        }
    }

    /// The reports that are here, and not in `known`, which is of the text with all values.
    fn beyond(&self, known: &Reported) -> Vec<String> {
        let mut more = Vec::new();
        for (code, number) in &self.claims {
            if number > known.claims.get(code).unwrap_or(&0) {
                more.push(format!("a new claim: {code}"));
            }
        }
        for (rule, at) in self.found.difference(&known.found) {
            // A constant that is known needs no rewrite, and what is rewritten as a whole is not in parts.
            if !known.is_constant_around(at.0) && !known.is_found_around(*at) {
                more.push(format!("a new finding: {rule}"));
            }
        }
        let shared = self.shared.iter().filter_map(|group| known.objection(group));
        more.extend(shared.map(|it| format!("a new shared value: {it}")));
        more.dedup();
        more
    }

    /// Returns true if the largest expression that begins at a place is a constant.
    fn is_constant_around(&self, at: u32) -> bool {
        self.values.range((at, 0)..(at + 1, 0)).next_back().is_some_and(|(_, it)| it.1)
    }

    /// Returns true if something was found at a place that contains this one.
    fn is_found_around(&self, at: (u32, u32)) -> bool {
        let found = self.found.iter().map(|(_, it)| it);
        found.chain(&self.rewritten).any(|it| it.0 <= at.0 && at.1 <= it.1)
    }

    /// The reason why places should not be one, as the text with all values has it.
    fn objection(&self, places: &[TextRange]) -> Option<String> {
        let mut values = places.iter().filter_map(|it| self.values.get(&key(*it)));
        let (first, is_constant) = values.next()?;
        if *is_constant {
            return None;
        }
        // Some of them may be one, and not all: also by a law of arithmetic.
        let is_known = |group: &Vec<TextRange>| places.iter().all(|it| group.contains(it));
        if self.shared.iter().any(is_known) {
            return None;
        }
        if values.any(|(it, _)| it != first) {
            return Some("different values".to_owned());
        }
        let refusals = places.iter().filter_map(|it| self.refused.get(&key(*it)));
        let mut refusals = refusals.filter(|it| !matches!(it, Refusal::Simplifies { .. }));
        refusals.next().map(|it| format!("refused as {} before", it.name()))
    }
}

/// The place of what a step rewrites.
fn rewritten_by(step: &Step) -> Place {
    match *step {
        Step::Replace { occurrence, .. } => Place::Occurrence(occurrence),
        Step::Operand { op, .. }
        | Step::Remove { op, .. }
        | Step::Open { op, .. }
        | Step::Unwrap { op, .. }
        | Step::Hoist { op, .. }
        | Step::Negate { op, .. }
        | Step::DropElse { op } => Place::Op(op),
        Step::Merge { outer, .. } => Place::Op(outer),
        Step::Join { first, .. } => Place::Op(first),
    }
}

fn key(range: TextRange) -> (u32, u32) {
    (range.start().into(), range.end().into())
}

/// The changes for a function when values of a kind are forgotten.
struct Change {
    line: usize,
    name: String,
    /// `None` if it is not found again.
    more: Option<Vec<String>>,
    is_less: bool,
}

/// The changes of the functions of a file.
fn of_file(file: &File) -> Vec<(&'static str, Change)> {
    let parse = syntax::parse(&file.text);
    let found = functions(&parse);
    let kernels: Vec<&FunctionItem> =
        found.functions.iter().filter(|it| it.source.kind == FunctionKind::PrimFunc).collect();
    let known: Vec<Reported> = kernels
        .iter()
        .map(|item| Reported::of(&lower(&item.source, &found.environment(item)), |it| it))
        .collect();
    let mut changes = Vec::new();
    for (group, forgotten) in FORGOTTEN {
        let (text, maps) = forget(&file.text, &kernels, forgotten);
        let parse = syntax::parse(&text);
        let again = functions(&parse);
        let prim: Vec<&FunctionItem> =
            again.functions.iter().filter(|it| it.source.kind == FunctionKind::PrimFunc).collect();
        for (number, item) in kernels.iter().enumerate() {
            // Without a value to forget it is the same.
            if !maps[number].is_changed {
                continue;
            }
            let more = prim.get(number).filter(|it| it.source.name == item.source.name).map(|it| {
                let lowered = lower(&it.source, &again.environment(it));
                let start = u32::from(it.range.start());
                let reported = Reported::of(&lowered, |range| maps[number].back(range, start));
                (
                    reported.beyond(&known[number]),
                    reported.shared.len() < known[number].shared.len()
                        || reported.found.len() < known[number].found.len(),
                )
            });
            let line = file.text[..usize::from(item.range.start())].matches('\n').count() + 1;
            let (more, is_less) = more.map_or((None, false), |(more, less)| (Some(more), less));
            let name = item.source.name.to_string();
            changes.push((group, Change { line, name, more, is_less }));
        }
    }
    changes
}

fn count(report: &mut Report, file: &File, group: &str, change: Change) {
    let column = match &change.more {
        None => "lost",
        Some(more) if !more.is_empty() => "more",
        Some(_) if change.is_less => "less",
        Some(_) => "same",
    };
    report.count(group, column);
    for what in change.more.into_iter().flatten() {
        let place = format!("{}.py:{} {}", file.label(), change.line, change.name);
        report.list(0, "of which more is said", format!("{place}, {group}: {what}"));
        report.tally(0, "what is said beyond", what, 1);
    }
}

/// The way back from the places of a function without values to those with them.
#[derive(Default)]
struct Map {
    /// Pieces of text: where each begins in the new file, its length, and where it was in the function.
    pieces: Vec<(u32, u32, u32)>,
    is_changed: bool,
}

impl Map {
    /// A range of the new function, which begins at `start` of the new file, in the old function.
    fn back(&self, range: TextRange, start: u32) -> TextRange {
        let at = |offset: u32| {
            let index = self.pieces.partition_point(|it| it.0 <= offset + start);
            let Some(&(begin, length, old)) = index.checked_sub(1).map(|it| &self.pieces[it])
            else {
                return 0;
            };
            old + (offset + start - begin).min(length)
        };
        let (start, end) = (at(range.start().into()), at(range.end().into()));
        TextRange::new(start.into(), end.max(start).into())
    }
}

/// The file with the values of its kernels forgotten: each is in a factory that has them as parameters.
fn forget(text: &str, kernels: &[&FunctionItem], forgotten: Forgotten) -> (String, Vec<Map>) {
    let mut out = String::with_capacity(text.len() * 2);
    let mut maps = Vec::new();
    let mut done = 0;
    for item in kernels {
        let (start, end) = (usize::from(item.range.start()), usize::from(item.range.end()));
        let end = start + text[start..end].trim_end().len();
        let line = text[..start].rfind('\n').map_or(0, |it| it + 1);
        if line < done {
            maps.push(Map::default());
            continue;
        }
        let values = values(item, forgotten);
        // What is in a module calls its neighbours by the module's name: no factory can be around it alone.
        let is_member = in_class(item, text);
        let map = match values.is_empty() || is_member {
            true => Map::default(),
            false => {
                out.push_str(&text[done..line]);
                done = end;
                let checked = match forgotten {
                    Forgotten::Checked => assertions(&text[start..end], &values),
                    _ => Vec::new(),
                };
                wrap(&mut out, &text[line..start], &text[start..end], &values, &checked)
            }
        };
        maps.push(map);
    }
    out.push_str(&text[done..]);
    (out, maps)
}

/// Returns true if a function is a member of a class.
fn in_class(item: &FunctionItem, text: &str) -> bool {
    let around = item.source.key.path.rsplit('.').next().unwrap_or_default();
    !around.is_empty() && text.contains(&format!("class {around}"))
}

/// The literals of a function to forget: their ranges, and the name that stands for each.
fn values(item: &FunctionItem, forgotten: Forgotten) -> Vec<(TextRange, String)> {
    let root = item.source.green.syntax();
    let mut names: BTreeMap<String, String> = BTreeMap::new();
    let mut values = Vec::new();
    // Decorators and the name come first.
    let begin = item.source.name_range.end();
    for token in root.tokens().filter(|it| it.text_range().start() >= begin) {
        let text = token.text().to_owned();
        let is_number = token.kind() == SyntaxKind::INT
            && text.parse::<u64>().is_ok_and(|it| it >= LEAST_NUMBER);
        let is_type =
            token.kind() == SyntaxKind::STRING && TYPES.contains(&text.trim_matches(['"', '\'']));
        let is_wanted = match forgotten {
            Forgotten::Numbers | Forgotten::Checked => is_number,
            Forgotten::Types => is_type,
            Forgotten::Both => is_number || is_type,
        };
        if !is_wanted || (names.len() == MOST_VALUES && !names.contains_key(&text)) {
            continue;
        }
        let number = names.len();
        let name = names.entry(text).or_insert_with(|| format!("forgotten_{number}"));
        values.push((token.text_range(), name.clone()));
    }
    values
}

/// Conditions that hold of the values of a function.
fn assertions(text: &str, values: &[(TextRange, String)]) -> Vec<String> {
    let value = |range: &TextRange| {
        text[usize::from(range.start())..usize::from(range.end())].parse::<u64>().ok()
    };
    let numbers: BTreeMap<u64, &str> =
        values.iter().filter_map(|(range, name)| Some((value(range)?, &**name))).collect();
    let mut conditions = Vec::new();
    for (number, name) in &numbers {
        conditions.push(format!("{name} % 4 == {} and {name} > {}", number % 4, number - 1));
        conditions.push(format!("{name} <= {}", number.saturating_mul(2)));
    }
    let names: Vec<&&str> = numbers.values().collect();
    conditions.extend(names.windows(2).map(|it| format!("{} < {}", it[0], it[1])));
    conditions
}

/// Writes a function in a factory around it, which has the names of the values.
fn wrap(
    out: &mut String,
    indent: &str,
    text: &str,
    values: &[(TextRange, String)],
    checked: &[String],
) -> Map {
    let names: BTreeSet<&str> = values.iter().map(|it| it.1.as_str()).collect();
    let names: Vec<&str> = names.into_iter().collect();
    let _ = writeln!(out, "{indent}def factory({}):", names.join(", "));
    for condition in checked {
        let _ = writeln!(out, "{indent}    assert {condition}");
    }
    let _ = write!(out, "{indent}    ");
    let mut map = Map { pieces: Vec::new(), is_changed: true };
    let mut at = 0;
    let copy = |out: &mut String, map: &mut Map, from: usize, to: usize| {
        for (number, line) in text[from..to].split_inclusive('\n').enumerate() {
            if number > 0 {
                out.push_str("    ");
            }
            let old = line.as_ptr() as usize - text.as_ptr() as usize;
            map.pieces.push((out.len() as u32, line.len() as u32, old as u32));
            out.push_str(line);
        }
        // A line that ends here goes on in the next piece.
        if text[from..to].ends_with('\n') {
            out.push_str("    ");
        }
    };
    for (range, name) in values {
        let (start, end) = (usize::from(range.start()), usize::from(range.end()));
        copy(out, &mut map, at, start);
        map.pieces.push((out.len() as u32, 0, start as u32));
        out.push_str(name);
        at = end;
    }
    copy(out, &mut map, at, text.len());
    map
}

/// Functions with two unknown values in the same place: nothing in them may become one.
const PLANTED: &[&str] = &[
    "A[0] = T.Cast(\"float32\", T.Cast(d1, x * y))\n    A[1] = T.Cast(\"float32\", T.Cast(d2, x * y))",
    "A[0] = T.reinterpret(d1, A[2])\n    A[1] = T.reinterpret(d2, A[2])",
    "A[0] = T.call_pure_extern(\"float32\", d1, A[2])\n    A[1] = T.call_pure_extern(\"float32\", d2, A[2])",
    "A[0] = d1(A[2])\n    A[1] = d2(A[2])",
    "A[0] = A[d1 + x]\n    A[1] = A[d2 + x]",
    "A[0] = A[x * d1.n]\n    A[1] = A[x * d2.n]",
    "A[0] = A[x * d1.n]\n    A[1] = A[x * d1.m]",
    "A[0] = A[x * d1[0]]\n    A[1] = A[x * d1[1]]",
    "A[0] = A[x * len(d1)]\n    A[1] = A[x * len(d2)]",
    "A[T.Ramp(0, 1, d1)] = T.Broadcast(x * y, d1)\n    A[T.Ramp(0, 1, d2)] = T.Broadcast(x * y, d2)",
    "B = T.alloc_buffer((8,), d1)\n    C = T.alloc_buffer((8,), d2)\n    \
     B[0] = T.Cast(d1, x) + B[1]\n    C[0] = T.Cast(d2, x) + C[1]",
    "A[0] = T.Cast(f\"{d1}x4\", x)\n    A[1] = T.Cast(f\"{d2}x4\", x)",
];

/// Returns true if no shared value of a planted function has occurrences with different texts.
fn stays_apart(statements: &str) -> bool {
    let text = format!(
        "from tvm.script import tirx as T\n\ndef factory(d1, d2):\n  @T.prim_func\n  \
         def f(A: T.Buffer((64,), \"float32\"), x: T.int32, y: T.int32):\n    {statements}\n"
    );
    let parse = syntax::parse(&text);
    let found = functions(&parse);
    let Some(item) = found.functions.first() else { return false };
    let lowered = lower(&item.source, &found.environment(item));
    let source = &text[usize::from(item.range.start())..usize::from(item.range.end())];
    let reported = Reported::of(&lowered, |it| it);
    reported.shared.iter().all(|group| {
        let texts: BTreeSet<&str> =
            group.iter().map(|it| &source[std::ops::Range::<usize>::from(*it)]).collect();
        texts.len() <= 1
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "from tvm.script import tirx as T

@T.prim_func
def f(A: T.Buffer((64,), \"float32\")):
    for i in range(64):
        A[i] = A[i // 16] * T.float32(2)
";

    #[test]
    fn values_become_parameters_and_places_lead_back() {
        let parse = syntax::parse(TEXT);
        let found = functions(&parse);
        let items: Vec<&FunctionItem> = found.functions.iter().collect();
        let (text, maps) = forget(TEXT, &items, Forgotten::Both);
        let expected = "from tvm.script import tirx as T

def factory(forgotten_0, forgotten_1, forgotten_2):
    @T.prim_func
    def f(A: T.Buffer((forgotten_0,), forgotten_1)):
        for i in range(forgotten_0):
            A[i] = A[i // forgotten_2] * T.float32(2)
";
        assert_eq!(text.trim_end(), expected.trim_end());
        let parse = syntax::parse(&text);
        let again = functions(&parse);
        let start = u32::from(again.functions[0].range.start());
        let at = text.find("A[i // ").unwrap() as u32 - start;
        let old = TEXT.find("A[i // ").unwrap() as u32 - u32::from(items[0].range.start());
        let range = TextRange::new(at.into(), (at + 4).into());
        assert_eq!(key(maps[0].back(range, start)), (old, old + 4));
    }

    #[test]
    fn forgetting_numbers_of_a_plain_kernel_adds_nothing() {
        let file = File {
            group: "g".to_owned(),
            name: "n".to_owned(),
            path: "n.py".into(),
            text: TEXT.to_owned(),
        };
        let changes = of_file(&file);
        let numbers = changes.iter().find(|it| it.0 == "numbers").expect("it has numbers");
        assert_eq!(numbers.1.more, Some(Vec::new()));
    }

    #[test]
    fn a_claim_and_a_merge_that_are_new_are_told() {
        let range = |start: u32| TextRange::new(start.into(), (start + 2).into());
        let value = |at: u32, expr: usize| (key(range(at)), (ExprId::new(expr), false));
        let known = Reported {
            values: [value(0, 1), value(10, 2), value(20, 3), value(30, 3)].into(),
            refused: [(key(range(20)), Refusal::Convergent)].into(),
            ..Reported::default()
        };
        let reported = Reported {
            claims: [("dtype-mismatch", 1)].into(),
            found: [("dead-store", (4, 6))].into(),
            shared: vec![vec![range(0), range(10)], vec![range(20), range(30)]],
            ..Reported::default()
        };
        assert_eq!(
            reported.beyond(&known),
            [
                "a new claim: dtype-mismatch",
                "a new finding: dead-store",
                "a new shared value: different values",
                "a new shared value: refused as convergent before",
            ]
        );
    }
}
