//! Sources line up with occurrences; sites and names are where they are in the text.

use expect_test::{Expect, expect};
use ir::{ExprKind, Occurrences, OpId};

use super::{
    super::{FunctionKind, Lowered, functions, lower},
    lowered,
};

/// Each occurrence of the last operation: its text if it is real.
#[track_caller]
fn check(statement: &str, expect: Expect) {
    let text = format!(
        "@T.prim_func(s_tir=True)\ndef f(A: T.Buffer((16,), \"float32\"), B: T.Buffer((16,), \"int32\"), x: T.int32, y: T.int32, n: T.int64, p: T.bool):\n    {statement}\n"
    );
    let (item, lowered) = lowered(&text);
    let occurrences = Occurrences::collect(&lowered.body);
    let mut lines = String::new();
    for (id, occurrence) in occurrences.iter() {
        let source = lowered.source_map.occurrence(id);
        let range = source.range + item.range.start();
        let depth = std::iter::successors(occurrence.parent, |it| occurrences[*it].parent).count();
        let own = ir::print::expr_text(&lowered.body, occurrence.expr);
        let from = if source.is_real { "" } else { " from" };
        lines.push_str(&format!("{}{own} ={from} `{}`\n", "  ".repeat(depth), &text[range]));
    }
    expect.assert_eq(&lines);
}

#[test]
fn operators_and_loads_have_their_own_text() {
    check(
        "B[x + y] = (x + y) * B[x]",
        expect![[r#"
        (x + y) * B[x] = `(x + y) * B[x]`
          x + y = `x + y`
            x = `x`
            y = `y`
          B[x] = `B[x]`
            x = `x`
        x + y = `x + y`
          x = `x`
          y = `y`
    "#]],
    );
}

#[test]
fn promotion_is_virtual() {
    check(
        "A[x] = x * n + 1",
        expect![[r#"
            T.Cast("float32", T.Cast("int64", x) * n + T.int64(1)) = from `x * n + 1`
              T.Cast("int64", x) * n + T.int64(1) = `x * n + 1`
                T.Cast("int64", x) * n = `x * n`
                  T.Cast("int64", x) = from `x`
                    x = `x`
                  n = `n`
                T.int64(1) = `1`
            x = `x`
        "#]],
    );
}

#[test]
fn the_middle_of_a_chain_has_one_text() {
    check(
        "T.evaluate(0 < x * y < 5)",
        expect![[r#"
            0 < x * y and x * y < 5 = `0 < x * y < 5`
              0 < x * y = from `0 < x * y`
                0 = `0`
                x * y = `x * y`
                  x = `x`
                  y = `y`
              x * y < 5 = from `x * y < 5`
                x * y = from `x * y`
                  x = from `x`
                  y = from `y`
                5 = `5`
        "#]],
    );
}

#[test]
fn an_augmented_store_reads_without_text() {
    check(
        "B[x + 1] += y",
        expect![[r#"
            B[x + 1] + y = from `B[x + 1] += y`
              B[x + 1] = from `B[x + 1]`
                x + 1 = from `x + 1`
                  x = from `x`
                  1 = from `1`
              y = `y`
            x + 1 = `x + 1`
              x = `x`
              1 = `1`
        "#]],
    );
}

#[test]
fn a_slice_is_a_ramp_with_its_text() {
    check(
        "A[x + 1:x + 1 + 4] = T.Broadcast(1.0, 4)",
        expect![[r#"
            T.Broadcast(T.float32(1.0), 4) = `T.Broadcast(1.0, 4)`
              T.float32(1.0) = `1.0`
              4 = `4`
            T.Ramp(x + 1, 1, 4) = `x + 1:x + 1 + 4`
              x + 1 = `x + 1`
                x = `x`
                1 = `1`
              1 = from `x + 1:x + 1 + 4`
              4 = from `x + 1:x + 1 + 4`
        "#]],
    );
}

#[test]
fn parentheses_are_not_part_of_an_expression() {
    check(
        "T.evaluate(((x)) + (y * (x + y)))",
        expect![[r#"
        x + y * (x + y) = `((x)) + (y * (x + y))`
          x = `x`
          y * (x + y) = `y * (x + y)`
            y = `y`
            x + y = `x + y`
              x = `x`
              y = `y`
    "#]],
    );
}

#[test]
fn loop_bounds() {
    check(
        "for i in range(x, y + 4): T.evaluate(i)",
        expect![[r#"
        x = `x`
        y + 4 - x = from `x, y + 4`
          y + 4 = `y + 4`
            y = `y`
            4 = `4`
          x = from `x`
        i = `i`
    "#]],
    );
}

#[test]
fn sites_are_where_a_line_can_be_inserted() {
    let text = "@T.prim_func
def f(B: T.Buffer((16,), \"int32\"), n: T.int32):
    for i, j in T.grid(4, 4):
        B[i] = j; B[j] = i
        if n > 0:
            B[0] = 1
        elif n < 0:
            B[0] = 2
        x = n + 1
    if n == 3: B[0] = 3
";
    let (_, lowered) = lowered(text);
    let mut lines = String::new();
    for op in lowered.body.ops_preorder() {
        let kind = format!("{:?}", lowered.body.ops[op].kind);
        let kind = kind.split([' ', '(']).next().unwrap_or_default();
        match lowered.source_map.site(op) {
            Some(site) => {
                let line = text[..usize::from(site.offset)].lines().count();
                lines.push_str(&format!("{kind}: line {line}, {} columns\n", site.indent.len()));
            }
            None => lines.push_str(&format!("{kind}: none\n")),
        }
    }
    expect![[r#"
        For: line 3, 4 columns
        For: none
        Store: line 4, 8 columns
        Store: none
        If: line 5, 8 columns
        Store: line 6, 12 columns
        If: none
        Store: line 8, 12 columns
        Alloc: line 9, 8 columns
        Store: none
        If: line 10, 4 columns
        Store: none
    "#]]
    .assert_eq(&lines);
}

#[test]
fn names_are_connected() {
    let text = "@T.prim_func
def f(A: T.Buffer((16,), \"int32\"), n: T.int32):
    for i in range(n):
        x: T.let = i + n
        A[i] = x
    for i in range(2):
        A[i] = i
";
    let (item, lowered) = lowered(text);
    let map = &lowered.source_map;
    let mut lines = String::new();
    for (index, definition) in map.definitions().iter().enumerate() {
        let id = super::super::DefinitionId(index as u32);
        let places: Vec<String> = map
            .mentions_of(id)
            .map(|range| {
                let start = usize::from(range.start() + item.range.start());
                assert_eq!(&text[range + item.range.start()], &*definition.name);
                text[..start].lines().count().to_string()
            })
            .collect();
        lines.push_str(&format!(
            "{:?} {}: lines {}\n",
            definition.kind,
            definition.name,
            places.join(" ")
        ));
    }
    expect![[r#"
        Captured T: lines 1 2 4
        Param A: lines 2 5 7
        Param n: lines 2 3 4
        Index i: lines 3 4 5
        Binding x: lines 4 5
        Index i: lines 6 7 7
    "#]]
    .assert_eq(&lines);
}

/// Checks the properties of every function.
fn check_alignment(text: &str, lowered: &Lowered) {
    let (body, map) = (&lowered.body, &lowered.source_map);
    let occurrences = Occurrences::collect(body);
    assert_eq!(occurrences.len(), map.occurrences().len());
    for (id, occurrence) in occurrences.iter() {
        let source = map.occurrence(id);
        let text = &text[source.range];
        if !source.is_real {
            continue;
        }
        assert!(!text.is_empty());
        match body.expr(occurrence.expr).kind {
            // A name may stand for another: an environment thread, a quoted symbol.
            ExprKind::Value(value) => {
                let name = body.name(body.values[value].name);
                let same = text == name || text.trim_matches(['"', '\'']) == name;
                assert!(same, "{text} is not {name}");
            }
            ExprKind::Binary(..) | ExprKind::Call { .. } | ExprKind::IfThenElse(..) => {
                assert!(text.len() >= 3, "{text}")
            }
            ExprKind::Load { .. } => {
                assert!(text.ends_with([']', ')']) || !text.contains('['), "{text}")
            }
            _ => {}
        }
        if let Some(parent) = occurrence.parent.filter(|it| map.is_real(*it)) {
            assert!(map.occurrence(parent).range.contains_range(source.range));
        }
    }
    check_sites(text, lowered);
}

fn check_sites(text: &str, lowered: &Lowered) {
    for op in lowered.body.ops_preorder().collect::<Vec<OpId>>() {
        assert!(usize::from(lowered.source_map.op_range(op).end()) <= text.len());
        let Some(site) = lowered.source_map.site(op) else { continue };
        let before = &text[..usize::from(site.offset)];
        let line = before.rfind('\n').map_or(before, |at| &before[at + 1..]);
        assert_eq!(line, &*site.indent);
        assert!(line.chars().all(char::is_whitespace));
    }
}

#[test]
fn samples_are_understood_and_aligned() {
    let mut n_functions = 0;
    for sample in test_utils::sample_files() {
        let file = functions(&syntax::parse(&sample.text));
        for item in file.functions.iter().filter(|it| it.source.kind == FunctionKind::PrimFunc) {
            let lowered = lower(&item.source, &file.environment(item));
            let text = &sample.text[item.range];
            check_alignment(text, &lowered);
            let errors = ir::verify::verify(&lowered.body);
            assert!(errors.is_empty(), "{}: {errors:?}", sample.name);
            let opaque =
                lowered.body.ops.iter().any(|(_, op)| matches!(op.kind, ir::OpKind::Opaque(_)));
            assert!(!opaque, "{}: {:?}", sample.name, lowered.diagnostics);
            n_functions += 1;
        }
    }
    assert!(n_functions > 50);
}
