//! Facts, decisions and refusals that a person can check, and the contexts that decide.

use ir::{Buffer, BufferId, BufferOrigin, DataType, ExprId};

use super::support::Bench;
use crate::{Analyzer, ContextId, Overflow};

/// Expressions by text, all made before the analyzer looks at the body.
pub(super) struct Question {
    bench: Bench,
    /// `("n > 0")`, or `("i in 0, n")` for a range.
    context: Vec<Step>,
    query: ExprId,
}

enum Step {
    Assume(ExprId, bool),
    Range(ir::ValueId, ExprId, ExprId),
}

impl Question {
    pub(super) fn new(variables: &[&str], context: &[&str], query: &str) -> Question {
        let mut bench = Bench::new(variables);
        let context = context.iter().map(|text| step(&mut bench, text)).collect();
        let query = bench.expr(query);
        Question { bench, context, query }
    }
    pub(super) fn ask<T>(&self, ask: impl FnOnce(&mut Analyzer<'_>, ContextId, ExprId) -> T) -> T {
        let mut analyzer = Analyzer::new(&self.bench.body);
        let ctx = self.contexts(&mut analyzer).pop().unwrap_or(analyzer.root());
        ask(&mut analyzer, ctx, self.query)
    }
    /// The context after each step.
    fn contexts(&self, analyzer: &mut Analyzer<'_>) -> Vec<ContextId> {
        let mut ctx = analyzer.root();
        let mut all = Vec::new();
        for step in &self.context {
            ctx = match *step {
                Step::Assume(cond, holds) => analyzer.assume(ctx, cond, holds),
                Step::Range(var, min, extent) => analyzer.range(ctx, var, min, extent),
            };
            all.push(ctx);
        }
        all
    }
}

/// `i in min, extent`, `not: condition`, `condition`, or `x := value` (which binds and is no step).
fn step(bench: &mut Bench, text: &str) -> Step {
    if let Some((var, range)) = text.split_once(" in ") {
        let (min, extent) = range.split_once(", ").expect("min and extent");
        let (min, extent) = (bench.expr(min), bench.expr(extent));
        let var = bench.variable(var);
        bench.body.value_expr(var);
        return Step::Range(var, min, extent);
    }
    match text.strip_prefix("not: ") {
        Some(text) => Step::Assume(bench.expr(text), false),
        None => Step::Assume(bench.expr(text), true),
    }
}

#[track_caller]
pub(super) fn check_bound(variables: &[&str], context: &[&str], query: &str, expected: &str) {
    let question = Question::new(variables, context, query);
    let (bound, modular) =
        question.ask(|it, ctx, query| (it.bound(ctx, query), it.modular(ctx, query)));
    let text = match modular.is_everything() || modular.as_constant().is_some() {
        true => bound.to_string(),
        false => format!("{bound}, {modular}"),
    };
    assert_eq!(text, expected, "{query}");
}

/// Returns the decisions in each reading.
pub(super) fn decisions(variables: &[&str], context: &[&str], query: &str) -> [Option<bool>; 2] {
    let question = Question::new(variables, context, query);
    question.ask(|it, ctx, query| {
        [Overflow::Wraps, Overflow::Excluded].map(|reading| it.decide_with(reading, ctx, query))
    })
}

/// Returns whether a value was computed on the way, and whether computing it adds no overflow.
pub(super) fn computed(variables: &[&str], context: &[&str], query: &str) -> (bool, bool) {
    let question = Question::new(variables, context, query);
    question.ask(|it, ctx, query| (it.is_computed(ctx, query), it.adds_no_overflow(ctx, query)))
}

#[track_caller]
pub(super) fn check_decides(
    variables: &[&str],
    context: &[&str],
    query: &str,
    expected: Option<bool>,
) {
    assert_eq!(decisions(variables, context, query), [expected; 2], "{query}");
}

/// Decided only where overflow is excluded.
#[track_caller]
fn check_decides_where_evaluated(variables: &[&str], context: &[&str], query: &str, truth: bool) {
    assert_eq!(decisions(variables, context, query), [None, Some(truth)], "{query}");
}

#[track_caller]
fn check_trap(variables: &[&str], context: &[&str], query: &str, culprit: Option<&str>) {
    let question = Question::new(variables, context, query);
    let found = question.ask(|it, ctx, query| it.why_may_trap(ctx, query));
    let text = found.map(|it| ir::print::expr_text(&question.bench.body, it));
    assert_eq!(text.as_deref(), culprit, "{query}");
}

const XYZ: &[&str] = &["x: int32", "y: int32", "z: int32"];
const THREADS: &[&str] = &["b: int32", "t: int32", "n: size int32"];

#[test]
fn bounds_follow_loops_and_threads() {
    let launch = &["b in 0, 128", "t in 0, 256"];
    check_bound(THREADS, launch, "b * 256 + t", "[0, 32767]");
    check_bound(THREADS, launch, "(b * 256 + t) * 4 + 2", "[2, 131070], 4*k + 2");
    check_bound(THREADS, launch, "(b * 256 + t) % 256 - t", "[-255, 255]");
    check_bound(THREADS, launch, "(b * 4 + 3) % 4", "[3, 3]");
    check_bound(THREADS, &["b in 0, n"], "n", "[1, 2147483647]");
    check_bound(THREADS, &["b in 0, n"], "b", "[0, 2147483646]");
    check_bound(THREADS, &[], "n + 1", "[-2147483648, 2147483647]");
    check_bound(THREADS, &["b in 0, (n + 511) // 512"], "b", "[0, 4194302]");
}

#[test]
fn conditions_tighten_variables() {
    check_bound(XYZ, &["x < 10", "not: x < 3"], "x", "[3, 9]");
    check_bound(XYZ, &["x % 8 == 5", "x > 0 and x < 20"], "x", "[5, 13], 8*k + 5");
    check_bound(XYZ, &["x >= 0", "x != 0"], "x", "[1, 2147483647]");
    check_bound(XYZ, &["x // 4 == 3"], "x", "[12, 15]");
    check_bound(XYZ, &["min(x, y) > 4"], "y", "[5, 2147483647]");
    check_bound(XYZ, &["0 <= y", "y < 16", "x == y * 8"], "x", "[0, 120], 8*k");
    check_bound(XYZ, &["x in 0, 50", "y in 0, 100", "x + y * 10 < 35"], "y", "[0, 3]");
    check_bound(XYZ, &["x in 0, 1000", "x * 3 >= 7", "x * 3 <= 100"], "x", "[3, 33]");
}

#[test]
fn shifts_and_masks_are_divisions() {
    check_bound(XYZ, &["x in 0, 100"], "(x * 8 + 3) & 7", "[3, 3]");
    check_bound(XYZ, &["x in 0, 100"], "(x * 32) >> 3", "[0, 396], 4*k");
    check_bound(XYZ, &["x >> 4 == 2"], "x", "[32, 47]");
    check_bound(XYZ, &["x & 3 == 1", "x in 0, 8"], "x", "[1, 5], 4*k + 1");
    check_bound(XYZ, &["x > 0"], "(x + y) % (y + x) + x // x", "[1, 1]");
    check_decides(XYZ, &["x >> 2 < y", "y <= 6"], "x <= 23", Some(true));
    check_bound(XYZ, &[], "5 ^ 3 | 8", "[14, 14]");
}

#[test]
fn factors_of_a_positive_product_are_positive() {
    let sizes = &["n: size int32", "m: size int32", "i: int32"];
    check_bound(sizes, &["n * m > 0"], "m", "[1, 2147483647]");
    check_bound(sizes, &["i in 0, n * m"], "n", "[1, 2147483647]");
    let question = Question::new(sizes, &["i in 0, (n * m + 511) // 512"], "m");
    let facts = question.ask(|it, ctx, query| it.facts_with(Overflow::Excluded, ctx, query));
    assert_eq!(facts.interval.min, 1);
}

#[test]
fn values_are_those_of_the_arm_that_is_chosen() {
    check_bound(XYZ, &[], "if_then_else(x > 5, x, 6)", "[6, 2147483647]");
    check_bound(XYZ, &["y in 0, 4"], "select(y < 2, y * 2, 7)", "[0, 7]");
    check_bound(XYZ, &["y in 0, 4"], "select(y < 9, y * 2, 7)", "[0, 6], 2*k");
}

#[test]
fn comparisons_are_decided_by_what_is_left_of_the_difference() {
    check_decides(XYZ, &["x in 0, 64", "y in 0, 64"], "x * 64 + y < 4096", Some(true));
    check_decides(XYZ, &["x in 0, 64"], "x * 4 + 1 == 2", Some(false));
    check_decides(XYZ, &["x in 0, 64", "y in 0, 9"], "x + y >= x", Some(true));
    check_decides(XYZ, &["x in 0, 64"], "x < 63", None);
    check_decides(XYZ, &["x % 2 == 1"], "x == 4", Some(false));
    check_decides(XYZ, &["x != y"], "y == x", Some(false));
    check_decides(XYZ, &["x != 7"], "x == 7", Some(false));
    check_decides(XYZ, &["x < y"], "y <= x", Some(false));
    check_decides(XYZ, &["x < y"], "x == y", Some(false));
    check_decides(XYZ, &["x <= y", "y <= x"], "x == y", Some(true));
}

#[test]
fn inequalities_are_added_up() {
    check_decides(XYZ, &["x < y", "y < z"], "x < z", Some(true));
    check_decides(XYZ, &["x < y", "y <= z", "z < 10"], "x < 9", Some(true));
    check_decides(THREADS, &["t in 0, 4", "n < 100", "b in 0, n"], "b * 4 + t < n * 4", Some(true));
    check_decides(XYZ, &["x < y"], "x < z", None);
    check_decides(XYZ, &["x // 4 < y", "y <= 6"], "x <= 23", Some(true));
    check_decides(XYZ, &["x < min(y, z)"], "x < z", Some(true));
}

#[test]
fn sums_that_may_wrap_decide_only_what_is_evaluated() {
    check_decides_where_evaluated(XYZ, &[], "x < x + 1", true);
    check_decides_where_evaluated(THREADS, &["b in 0, n"], "b + 1 <= n + 3", true);
    check_decides_where_evaluated(XYZ, &["x > 0", "y > 0"], "x * y > 0", true);
    check_decides(&["x: uint32"], &[], "x < x + 1", None);
    check_decides(&["x: int16"], &[], "x < x + 1", None);
    check_decides(&["x: int16"], &["x < 100"], "x < x + 1", Some(true));
}

#[test]
fn overflow_that_select_hides_is_not_excluded() {
    check_decides(XYZ, &[], "select(x + 1 > x, 1, 2) == 1", None);
    check_decides(XYZ, &["x < 9"], "select(x + 1 > x, 1, 2) == 1", Some(true));
    check_decides_where_evaluated(XYZ, &[], "if_then_else(x + 1 > x, 1, 2) == 1", true);
}

#[test]
fn logic_is_decided_part_by_part() {
    check_decides(XYZ, &["x > 3"], "x > 2 and x > 1", Some(true));
    check_decides(XYZ, &["x > 3"], "y > 2 and x < 1", Some(false));
    check_decides(XYZ, &["x > 3"], "y > 2 or x > 1", Some(true));
    check_decides(XYZ, &["x > 3"], "not (x > 3)", Some(false));
    check_decides(XYZ, &["x > 3 and y > 5"], "y > 5", Some(true));
    check_decides(XYZ, &["not: x > 3 or y > 5"], "y > 5", Some(false));
    check_decides(XYZ, &["x > 3 or y > 5"], "y > 5", None);
}

#[test]
fn same_value_written_otherwise_is_the_same() {
    check_decides(XYZ, &["x * y < z"], "y * x >= z", Some(false));
    check_decides(XYZ, &["x * (y * z) == 4"], "z * y * x == 4", Some(true));
    check_decides(XYZ, &[], "(x + y) * z == z * y + z * x", Some(true));
    check_decides(XYZ, &["x * y != 0"], "y * x == 0", Some(false));
}

#[test]
fn division_traps_unless_its_divisor_is_shown() {
    check_trap(XYZ, &[], "x // y", Some("x // y"));
    check_trap(XYZ, &["y != 0"], "x // y", Some("x // y"));
    check_trap(XYZ, &["y != 0", "y != -1"], "x // y", None);
    check_trap(XYZ, &["y > 0"], "x // y + z", None);
    check_trap(XYZ, &["x >= 0", "y != 0"], "x % y", None);
    check_trap(XYZ, &["x > 0", "y > 0"], "z // (x * y)", Some("z // (x * y)"));
    check_trap(XYZ, &["0 < x and x < 1000", "0 < y and y < 1000"], "z // (x * y)", None);
    check_trap(THREADS, &[], "b // (n + 1)", Some("b // (n + 1)"));
    check_trap(THREADS, &["n < 2147483647"], "b // (n + 1)", None);
    check_trap(&["x: uint32", "y: uint32"], &["y != 0"], "x // y", None);
}

#[test]
fn guards_inside_the_expression_count_only_where_one_arm_is_evaluated() {
    check_trap(XYZ, &[], "if_then_else(y > 0, x // y, 0)", None);
    // The condition is used, and may come from an overflow.
    let text = "if_then_else(y + 1 > 0, 1, 2)";
    check_trap(XYZ, &[], text, Some("T.if_then_else(y + 1 > 0, 1, 2)"));
    check_trap(XYZ, &["y < 9"], text, None);
    check_trap(XYZ, &[], "select(y > 0, x // y, 0)", Some("x // y"));
    check_trap(XYZ, &[], "y > 0 and x // y > 1", Some("x // y"));
}

#[test]
fn shifts_trap_unless_their_amount_is_shown() {
    check_trap(XYZ, &[], "x << y", Some("x << y"));
    check_trap(XYZ, &["y in 0, 32"], "x << y", None);
    check_trap(XYZ, &["y in 0, 33"], "x >> y", Some("x >> y"));
}

/// A buffer parameter `A` of this shape, and whether an access is in bounds.
#[track_caller]
fn check_access(variables: &[&str], context: &[&str], shape: &[&str], indices: &[&str], is: bool) {
    let mut question = Question::new(variables, context, "0");
    let bench = &mut question.bench;
    let shape = shape.iter().map(|it| bench.expr(it)).collect();
    let indices: Vec<ExprId> = indices.iter().map(|it| bench.expr(it)).collect();
    let buffer = buffer(bench, shape, BufferOrigin::Param);
    let found = question.ask(|it, ctx, _| it.in_bounds(ctx, buffer, &indices));
    assert_eq!(found, is, "{context:?}");
}

fn buffer(bench: &mut Bench, shape: Vec<ExprId>, origin: BufferOrigin) -> BufferId {
    let (name, scope) = (bench.body.intern("A"), bench.body.memory_scope("global"));
    let is_param = origin == BufferOrigin::Param;
    let buffer = bench.body.buffers.push(Buffer {
        name,
        dtype: DataType::FLOAT32,
        shape,
        strides: None,
        elem_offset: None,
        scope,
        origin,
        attrs: ir::Body::no_attrs(),
    });
    if is_param {
        let ty = DataType::HANDLE.into();
        let value = bench.body.new_value("A", ty, ir::ValueKind::Param(0));
        bench.body.params.push(ir::Param { value, buffer: Some(buffer) });
    }
    buffer
}

#[test]
fn accesses_are_in_bounds_where_every_index_is() {
    let launch = &["b in 0, 4", "t in 0, 128"];
    check_access(THREADS, launch, &["512"], &["b * 128 + t"], true);
    check_access(THREADS, launch, &["511"], &["b * 128 + t"], false);
    check_access(THREADS, launch, &["4", "128"], &["b", "t"], true);
    check_access(THREADS, launch, &["4", "128"], &["t", "b"], false);
    check_access(THREADS, &["b in 0, n"], &["n"], &["b"], true);
    check_access(THREADS, &["b in 0, n"], &["n"], &["b + 1"], false);
    check_access(
        THREADS,
        &["t in 0, 4", "n < 1000", "b in 0, n"],
        &["n * 4"],
        &["b * 4 + t"],
        true,
    );
    // The product may wrap where n is large.
    check_access(THREADS, &["t in 0, 4", "b in 0, n"], &["n * 4"], &["b * 4 + t"], false);
    let guarded = &["b in 0, (n + 511) // 512", "t in 0, 512", "b * 512 + t < n"];
    check_access(THREADS, guarded, &["n"], &["b * 512 + t"], true);
}

/// Checks whether cell 0 of a view, whose extents are all positive here, is in the parameter it shows.
#[track_caller]
fn check_view(shape: &[&str], view: &[&str], is: bool) {
    let sizes = &["n: size int32", "m: size int32", "k: int32"];
    let context = &["n > 0", "m > 0", "k > 0", "n * m > 0", "n * 2 * m > 0", "m * n * 2 > 0"];
    let mut question = Question::new(sizes, context, "0");
    let bench = &mut question.bench;
    let [shape, view] = [shape, view].map(|it| it.iter().map(|it| bench.expr(it)).collect());
    let source = buffer(bench, shape, BufferOrigin::Param);
    let pointer = bench.body.buffer_field(source, ir::BufferField::Data, DataType::HANDLE.into());
    let view = buffer(bench, view, BufferOrigin::Decl { data: Some(pointer) });
    let zeros = vec![question.query; question.bench.body.buffers[view].shape.len()];
    let found = question.ask(|it, ctx, _| it.in_bounds(ctx, view, &zeros));
    assert_eq!(found, is);
}

#[test]
fn view_has_its_cells_if_its_source_has_as_many() {
    check_view(&["4", "8"], &["32"], true);
    check_view(&["4", "8"], &["33"], false);
    check_view(&["4", "8"], &["2", "3"], true);
    check_view(&["n", "m"], &["n * m"], true);
    check_view(&["n", "m", "2"], &["m * n * 2"], true);
    check_view(&["n", "m"], &["m * n * 2"], false);
    check_view(&["n * m", "2"], &["n * 2 * m"], false);
    check_view(&["n * m", "2"], &["n * m", "2"], true);
    check_view(&["n"], &["n", "m"], false);
    check_view(&["n", "m"], &["n"], false);
    check_view(&["k"], &["k"], true);
}

/// The step of the context that decides, and whether the context without conditions decides too.
#[track_caller]
fn check_why(context: &[&str], query: &str, step: Option<usize>, is_unconditional: bool) {
    let question = Question::new(XYZ, context, query);
    let mut analyzer = Analyzer::new(&question.bench.body);
    let contexts = question.contexts(&mut analyzer);
    let last = *contexts.last().expect("a context");
    let why = analyzer.why(Overflow::Wraps, last, question.query);
    assert_eq!(why, step.map(|it| contexts[it]), "{query}");
    let bare = analyzer.unconditional(last);
    assert_eq!(analyzer.decide(bare, question.query).is_some(), is_unconditional, "{query}");
}

#[test]
fn deciding_context_is_named() {
    let context = &["x > 10", "y > 3", "x > 20", "z == 1"];
    check_why(context, "x > 5", Some(0), false);
    check_why(context, "x > 15", Some(2), false);
    check_why(context, "x > 5 and z < 100", Some(3), false);
    check_why(context, "z > 1", Some(3), false);
    check_why(context, "x < z", Some(3), false);
    check_why(&["x < y", "y < z", "y < 5", "z > 7"], "x < 6", Some(2), false);
    check_why(&["x in 0, 16", "y > 3", "x > 4"], "x < 16", Some(0), true);
    check_why(&["x in 0, 16", "y > 3"], "x * 0 == 0", None, true);
    check_why(&["x > 1", "y > 3"], "x > 7", None, false);
}

#[test]
fn contradiction_is_seen() {
    for (context, is) in [
        (&["x > 3", "x < 2"][..], true),
        (&["x > 3", "x < 5", "x == 4"], false),
        (&["x % 4 == 1", "x == 6"], true),
        (&["x < y", "y < x"], true),
        (&["x != 4", "x > 3", "x < 5"], true),
    ] {
        let question = Question::new(XYZ, context, "x");
        let found = question.ask(|it, ctx, _| it.is_contradiction(Overflow::Wraps, ctx));
        assert_eq!(found, is, "{context:?}");
    }
}
