//! Values that Python knows and the text does not say (`SEMANTICS: G1` to `G6`): what is planned around them is what
//! would be planned for any value, and what is not known is never equal to something else.

use expect_test::{Expect, expect};
use frontend::tvmscript::{Lowered, Severity};
use ir::plan::{CsePlan, Decision};
use test_utils::sample_files;
use transform::cse::CseOptions;

use crate::support::{lowered, plan_of_text, sound};

/// A factory with parameters around a function, and what is planned for it.
#[track_caller]
fn check(parameters: &str, signature: &str, statements: &str, expected: Expect) {
    let mut text = format!(
        "from tvm.script import tirx as T\n\ndef make({parameters}):\n    @T.prim_func\n    def f({signature}):\n"
    );
    for line in test_utils::trim_indent(statements).lines() {
        text.push_str(&format!("        {line}\n"));
    }
    expected.assert_eq(&sound(&text));
}

const A: &str = "A: T.Buffer((1024,), \"int32\"), B: T.Buffer((1024,), \"float32\"), x: T.int32";

#[test]
fn a_captured_number_is_one_value() {
    check(
        "k, m",
        A,
        "
        for i in range(x):
            A[i] = A[i // k] * A[i // k]
            A[i * k + 3] = A[i * k + m] + A[i * m]
            B[i * (k * m)] = B[i * (k * m) + 1]
        ",
        expect![[r#"
            for i in range(x):
                cse_v1: T.let[T.int32] = A[i // k]
                A[i] = cse_v1 * cse_v1
                cse_v2 = T.bind(i * k)
                A[cse_v2 + 3] = A[cse_v2 + m] + A[i * m]
                cse_v3 = T.bind(i * (k * m))
                B[cse_v3] = B[cse_v3 + 1]
            ---
            A[i // k]: 2 times, cost 8, bind cse_v1
            i // k: 2 times, cost 4, covered by [cse_v1]
            i * k: 2 times, cost 1, bind cse_v2
            i * (k * m): 2 times, cost 1, bind cse_v3
        "#]],
    );
}

#[test]
fn two_captured_types_are_two() {
    check(
        "d, e, s, t",
        A,
        "
        B[0] = T.cast(T.cast(A[0] * 3, d), \"float32\") + T.cast(T.cast(A[0] * 3, e), \"float32\")
        B[1] = T.max_value(d) + T.max_value(e)
        B[2] = T.call_pure_extern(d, \"g\", x) + T.call_pure_extern(e, \"g\", x)
        B[3] = T.call_pure_extern(\"float32\", s, x) + T.call_pure_extern(\"float32\", t, x)
        B[4] = T.reinterpret(d, A[0]) + T.reinterpret(e, A[0])
        B[5] = T.cast(x, f\"{d}x4\") + T.cast(x, f\"{d}x2\")
        ",
        expect![[r#"
            cse_v1: T.let[T.int32] = A[0] * 3
            B[0] = T.Cast("float32", T.cast(cse_v1, d)) + T.Cast("float32", T.cast(cse_v1, e))
            B[1] = T.max_value(d) + T.max_value(e)
            B[2] = T.call_pure_extern(d, "g", x) + T.call_pure_extern(e, "g", x)
            B[3] = T.call_pure_extern("float32", s, x) + T.call_pure_extern("float32", t, x)
            cse_v2: T.let[T.int32] = A[0]
            B[4] = T.reinterpret(d, cse_v2) + T.reinterpret(e, cse_v2)
            B[5] = T.cast(x, f"{d}x4") + T.cast(x, f"{d}x2")
            ---
            A[0] * 3: 2 times, cost 5, bind cse_v1
            A[0]: 2 times, cost 4, covered by [cse_v1]
            A[0]: 2 times, cost 4, memory
            A[0]: 2 times, cost 4, bind cse_v2
        "#]],
    );
}

#[test]
fn two_calls_of_an_unknown_function_are_two() {
    check(
        "g, h",
        A,
        "
        A[0] = g(x) + g(x)
        A[1] = x * 7 + h.value(x * 7)
        A[2] = A[3] * A[3] + g(A[3])
        ",
        expect![[r#"
            A[0] = g(x) + g(x)
            A[1] = x * 7 + h.value(x * 7)
            A[2] = A[3] * A[3] + g(A[3])
            ---
            A[3]: 2 times, cost 4, memory
        "#]],
    );
}

#[test]
fn captured_lanes_stay_where_they_are() {
    check(
        "n, m",
        A,
        "
        A[T.Ramp(x * 4, 1, n)] = A[T.Ramp(x * 4, 1, m)] + T.Broadcast(x * 4, n)
        A[T.Ramp(0, 1, n * 2)] = A[T.Ramp(0, 1, n * 2)] * A[T.Ramp(0, 1, n * 2)]
        ",
        expect![[r#"
            cse_v1: T.let[T.int32] = x * 4
            A[T.Ramp(cse_v1, 1, n)] = A[T.Ramp(cse_v1, 1, m)] + T.Broadcast(cse_v1, n)
            A[T.Ramp(0, 1, n * 2)] = A[T.Ramp(0, 1, n * 2)] * A[T.Ramp(0, 1, n * 2)]
            ---
            x * 4: 3 times, cost 1, bind cse_v1
        "#]],
    );
}

#[test]
fn arithmetic_of_an_unknown_type_may_be_narrow_and_may_be_of_floats() {
    check(
        "d",
        "A: T.Buffer((16,), d), B: T.Buffer((16,), d), x: T.int32",
        "
        A[0] = (B[1] + B[2]) * (B[1] + B[2])
        A[1] = B[1] + B[2]
        A[2] = T.max(B[2], B[1])
        A[3] = T.max(B[1], B[2])
        A[4] = B[x * 4 + 1] + B[x * 4 + 1]
        A[5] = B[3] - B[3]
        A[6] = B[3] * 0
        ",
        expect![[r#"
            A[0] = (B[1] + B[2]) * (B[1] + B[2])
            A[1] = B[1] + B[2]
            A[2] = T.max(B[2], B[1])
            A[3] = T.max(B[1], B[2])
            cse_v1: T.let[T.int32] = x * 4 + 1
            A[4] = B[cse_v1] + B[cse_v1]
            A[5] = B[3] - B[3]
            A[6] = B[3] * 0
            ---
            x * 4 + 1: 2 times, cost 2, bind cse_v1
            x * 4: 2 times, cost 1, covered by [cse_v1]
        "#]],
    );
}

#[test]
fn nothing_is_shared_between_the_arms_of_a_choice_of_python() {
    check(
        "fused, k",
        A,
        "
        for i in range(x):
            if fused:
                A[i] = A[i * k + 1]
            else:
                A[i] = A[i * k + 1] + 2
        for i in range(x):
            A[i * k] = 1
            if fused:
                A[i * k] = 2
            else:
                A[i * k] = A[i * k] + i * 5 + i * 5
        ",
        expect![[r#"
            for i in range(x):
                if fused:
                    A[i] = A[i * k + 1]
                else:
                    A[i] = A[i * k + 1] + 2
            for i in range(x):
                cse_v1 = T.bind(i * k)
                A[cse_v1] = 1
                if fused:
                    A[cse_v1] = 2
                else:
                    cse_v2: T.let[T.int32] = i * 5
                    A[cse_v1] = A[cse_v1] + cse_v2 + cse_v2
            ---
            i * k: 4 times, cost 1, bind cse_v1
            i * 5: 2 times, cost 1, bind cse_v2
        "#]],
    );
}

#[test]
fn nothing_is_shared_between_the_operands_of_a_choice_of_python() {
    check(
        "fused, k",
        A,
        "
        for i in range(x):
            A[i] = i * x * 5 if fused else i * x * 5 + 2
            B[i] = T.exp(B[x]) if fused else T.exp(B[x]) + B[k]
        ",
        expect![[r#"
            for i in range(x):
                A[i] = i * x * 5 if fused else i * x * 5 + 2
                B[i] = T.exp(B[x]) if fused else T.exp(B[x]) + B[k]
            ---
        "#]],
    );
}

#[test]
fn an_element_of_something_captured_may_be_memory() {
    check(
        "shape, dst",
        A,
        "
        A[0] = x * shape[0] + x * shape[0]
        ",
        expect![[r#"
            cse_v1 = T.bind(x * shape[0])
            A[0] = cse_v1 + cse_v1
            ---
            x * shape[0]: 2 times, cost 1, bind cse_v1
        "#]],
    );
    check(
        "shape, dst",
        A,
        "
        A[0] = x * shape[0] + x * shape[0]
        dst[x] = 1
        A[1] = x * shape[0]
        ",
        expect![[r#"
            A[0] = x * (shape[0]) + x * (shape[0])
            dst[x] = 1
            A[1] = x * (shape[0])
            ---
        "#]],
    );
}

#[test]
fn a_stored_value_is_of_the_type_of_the_memory() {
    check(
        "k, d",
        "A: T.Buffer((16,), \"int8\"), B: T.Buffer((16,), d), x: T.int32",
        "
        A[0] = x * k
        B[0] = x * 3
        B[1] = A[0]
        B[2] = B[0]
        ",
        expect![[r#"
            A[0] = x * k
            B[0] = x * 3
            B[1] = A[0]
            B[2] = B[0]
            ---
        "#]],
    );
}

/// Values of a function, forgotten.
struct Forgotten {
    /// The text with names in the place of values.
    text: String,
    /// As many lines before the functions, with the values in place.
    known: String,
    /// The names and what stood there.
    names: Vec<(String, String)>,
}

/// Numbers from 8 on and names of element types become names, which the module takes from something unknown.
fn forget(text: &str, numbers: bool, types: bool) -> Option<Forgotten> {
    let mut names: Vec<(String, String)> = Vec::new();
    let mut name_of = |text: &str, prefix: &str| {
        if let Some((name, _)) = names.iter().find(|(_, it)| it == text) {
            return name.clone();
        }
        let name = format!("{prefix}_{}", names.len());
        names.push((name.clone(), text.to_owned()));
        name
    };
    let mut out = String::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let len = if first == '"' {
            rest[1..].find('"').map_or(rest.len(), |it| it + 2)
        } else if first.is_alphanumeric() || first == '_' {
            // The sign of an exponent is a part of the number.
            let mut before = ' ';
            let end = rest.find(|it: char| {
                let is_sign = first.is_ascii_digit() && before == 'e' && it == '-';
                before = it;
                !(it.is_alphanumeric() || it == '_' || it == '.' || is_sign)
            });
            end.unwrap_or(rest.len())
        } else if first == '#' {
            rest.find('\n').unwrap_or(rest.len())
        } else {
            first.len_utf8()
        };
        let (token, tail) = rest.split_at(len);
        let is_number = token.parse::<u32>().is_ok_and(|it| it >= 8);
        let is_type = ["\"float16\"", "\"float32\"", "\"int8\"", "\"int32\""].contains(&token);
        match (is_number && numbers, is_type && types) {
            (true, _) => out.push_str(&name_of(token, "n")),
            (_, true) => out.push_str(&name_of(token, "dtype")),
            _ => out.push_str(token),
        }
        rest = tail;
    }
    if names.is_empty() {
        return None;
    }
    let at = out.find("\n@")? + 1;
    let at_known = text.find("\n@")? + 1;
    let open: String =
        names.iter().map(|(name, _)| format!("{name} = settings[\"{name}\"]\n")).collect();
    let closed: String = names.iter().map(|(name, it)| format!("{name}_known = {it}\n")).collect();
    out.insert_str(at, &open);
    let mut known = text.to_owned();
    known.insert_str(at_known, &closed);
    Some(Forgotten { text: out, known, names })
}

/// A value in a text: its line, and its text with values in the place of names.
type Written = (usize, String);

/// The values that a plan shares, by the places where they are written.
fn shared(
    it: &Lowered,
    text: &str,
    plan: &CsePlan,
    names: &[(String, String)],
) -> Vec<Vec<Written>> {
    let mut all = Vec::new();
    for group in &plan.groups {
        if matches!(group.decision, Decision::Refuse { .. }) {
            continue;
        }
        let mut places = Vec::new();
        for &occurrence in group.occurrences.iter().filter(|&&id| it.source_map.is_real(id)) {
            let range = it.source_map.occurrence_range(occurrence);
            let range = std::ops::Range::<usize>::from(range);
            let line = text[..range.start].matches('\n').count();
            let mut value = text[range].to_owned();
            for (name, known) in names.iter().rev() {
                value = value.replace(name, known);
            }
            places.push((line, value));
        }
        all.push(places);
    }
    all
}

#[test]
fn forgetting_a_value_adds_no_error_and_no_rewrite() {
    let mut n_functions = 0;
    let mut failures = Vec::new();
    for sample in sample_files().iter().filter(|it| it.text.len() < 12_000) {
        for (numbers, types) in [(true, false), (false, true), (true, true)] {
            let Some(it) = forget(&sample.text, numbers, types) else { continue };
            let open = lowered(&it.text);
            for (known, open) in lowered(&it.known).iter().zip(&open) {
                n_functions += 1;
                let place = format!("{} {} {numbers} {types}", sample.name, known.0.source.name);
                let bad = |it: &Lowered| {
                    it.diagnostics.iter().filter(|it| it.severity <= Severity::Warning).count()
                };
                if bad(&open.2) > bad(&known.2) {
                    let first =
                        open.2.diagnostics.iter().find(|it| it.severity <= Severity::Warning);
                    failures.push(format!("{place}: {first:?}"));
                    continue;
                }
                let options = CseOptions::default();
                let before = plan_of_text(&known.2, &options);
                let after = plan_of_text(&open.2, &options);
                let before = shared(&known.2, &known.1, &before, &[]).concat();
                // All of what was shared, or a part of it.
                let is_old = |it: &Written| {
                    before.iter().any(|(line, text)| *line == it.0 && text.contains(&it.1))
                };
                let new = shared(&open.2, &open.1, &after, &it.names)
                    .into_iter()
                    .find(|it| !it.iter().any(is_old));
                if let Some(new) = new {
                    failures.push(format!("{place}: {new:?}"));
                }
            }
        }
    }
    assert!(n_functions > 300, "only {n_functions} functions");
    assert!(failures.is_empty(), "{} of {n_functions}: {failures:#?}", failures.len());
}
