//! Annotated fixtures: a comment line `# KEY: facts` among the statements gives the facts at that point: before the
//! next statement of the same indentation, or after the one before it where there is none.

use dataflow::{alias::AliasClasses, analyses::Analyses, flow::Flow, point::Point};
use frontend::tvmscript::{FunctionKind, Lowered, functions, lower};
use ir::{Body, BufferId, Occurrences, OpId, ValueId, effects::EffectTable};

/// A function of the new dialect with two buffers, two numbers and the given statements.
pub(crate) fn kernel(statements: &str) -> String {
    let mut text = String::from(
        "from tvm.script import tirx as T\n\n@T.prim_func\ndef f(A: T.Buffer((1024,), \"int32\"), \
         B: T.Buffer((1024,), \"int32\"), n: T.int32, m: T.int32):\n    T.func_attr({\"tirx.noalias\": \
         True})\n",
    );
    for line in test_utils::trim_indent(statements).lines() {
        text.push_str(if line.is_empty() { "" } else { "    " });
        text.push_str(line);
        text.push('\n');
    }
    text
}

/// The one function of a file.
pub(crate) fn lowered(text: &str) -> (Lowered, usize) {
    let parse = syntax::parse(text);
    let file = functions(&parse);
    let item = file
        .functions
        .iter()
        .find(|it| it.source.kind == FunctionKind::PrimFunc)
        .expect("the fixture has a function");
    (lower(&item.source, &file.environment(item)), item.range.start().into())
}

/// Compares the facts that `answer` gives for the annotated points with the annotations of `key` in the statements.
#[track_caller]
pub(crate) fn check(
    key: &str,
    statements: &str,
    answer: impl FnOnce(&Flow<'_>, &AliasClasses, &[Point]) -> Vec<String>,
) {
    let text = kernel(statements);
    let (lowered, start) = lowered(&text);
    let body = &lowered.body;
    let occurrences = Occurrences::collect(body);
    let analyses = Analyses::of(body, &occurrences, EffectTable::builtin());
    let (flow, aliases) = (analyses.flow(), analyses.aliases());
    let ops = ops_by_line(&text, &lowered, start);
    let lines: Vec<&str> = text.lines().collect();
    let mark = format!("# {key}:");
    let rows: Vec<usize> =
        (0..lines.len()).filter(|&it| lines[it].trim_start().starts_with(&mark)).collect();
    let points: Vec<Point> = rows.iter().map(|&it| point(body, &lines, &ops, it)).collect();
    let answers = answer(&flow, aliases, &points);
    let mut actual = lines.clone();
    let found: Vec<String> = rows
        .iter()
        .zip(answers)
        .map(|(&row, facts)| {
            let indent = " ".repeat(indent(lines[row]));
            format!("{indent}{mark} {facts}").trim_end().to_owned()
        })
        .collect();
    for (&row, line) in rows.iter().zip(&found) {
        actual[row] = line;
    }
    assert!(!rows.is_empty(), "no annotation `{mark}`");
    assert!(actual == lines, "the facts are:\n\n{}\n", actual.join("\n"));
}

/// The operations that start in each line, in program order.
fn ops_by_line(text: &str, lowered: &Lowered, start: usize) -> Vec<Vec<OpId>> {
    let mut ops = vec![Vec::new(); text.lines().count() + 1];
    for op in lowered.body.ops_preorder() {
        let at = start + usize::from(lowered.source_map.op_range(op).start());
        ops[text[..at].matches('\n').count()].push(op);
    }
    ops
}

fn indent(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

fn point(body: &Body, lines: &[&str], ops: &[Vec<OpId>], row: usize) -> Point {
    let is_code = |line: &str| !line.trim().is_empty() && !line.trim_start().starts_with('#');
    let next = (row + 1..lines.len()).find(|&it| is_code(lines[it]));
    if let Some(next) = next.filter(|&it| indent(lines[it]) == indent(lines[row]))
        && let Some(&op) = ops[next].first()
    {
        return Point::Before(op);
    }
    // A line like `else:` has no operation of its own: it belongs to the statement before it.
    let before = (0..row)
        .rev()
        .find(|&it| !ops[it].is_empty() && indent(lines[it]) == indent(lines[row]))
        .expect("a statement before the annotation");
    let block = body.ops[ops[before][0]].parent;
    let last = ops[before].iter().rev().find(|&&it| body.ops[it].parent == block);
    Point::After(*last.expect("the first one is in its own block"))
}

pub(crate) fn value_name(body: &Body, value: ValueId) -> String {
    body.name(body.values[value].name).to_owned()
}

pub(crate) fn buffer_name(body: &Body, buffer: BufferId) -> String {
    body.name(body.buffers[buffer].name).to_owned()
}

/// Names in order, without repetition.
pub(crate) fn listed(names: impl IntoIterator<Item = String>) -> String {
    let mut list: Vec<String> = names.into_iter().collect();
    list.sort();
    list.dedup();
    list.join(", ")
}
