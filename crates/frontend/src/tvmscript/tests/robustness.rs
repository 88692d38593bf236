//! No input makes lowering fail: prefixes, mutations, depth.

use test_utils::Rng;

use super::super::{FunctionKind, functions, lower};

/// Lowers all functions of a text; sources must line up and the bodies be valid.
fn lower_all(text: &str) -> usize {
    let file = functions(&syntax::parse(text));
    let mut n = 0;
    for item in file.functions.iter().filter(|it| it.source.kind == FunctionKind::PrimFunc) {
        let lowered = lower(&item.source, &file.environment(item));
        let occurrences = ir::Occurrences::collect(&lowered.body);
        assert_eq!(occurrences.len(), lowered.source_map.occurrences().len());
        let errors = ir::verify::verify(&lowered.body);
        assert!(errors.is_empty(), "{errors:?}\n{text}");
        n += lowered.body.ops.len();
    }
    n
}

fn small_samples() -> Vec<String> {
    let mut samples: Vec<String> = test_utils::sample_files()
        .into_iter()
        .filter(|it| it.text.len() < 4000 && !it.name.starts_with("relax"))
        .map(|it| it.text)
        .collect();
    samples.truncate(12);
    samples
}

#[test]
fn every_prefix_is_lowered() {
    for (n, text) in small_samples().iter().take(3).enumerate() {
        for end in (n..text.len()).step_by(7).filter(|&end| text.is_char_boundary(end)) {
            lower_all(&text[..end]);
        }
    }
}

#[test]
fn random_mutations_are_lowered() {
    let mut rng = Rng::new(7);
    let pieces = [
        "",
        " ",
        "\n",
        "    ",
        "(",
        ")",
        "[",
        "]",
        ",",
        ":",
        "T.",
        "=",
        "x",
        "0",
        "1.5",
        "\"",
        "and ",
        "if ",
        "* ",
        "*",
        "lambda ",
        "None",
        "T.int64(1)",
        "A",
        ".view(4)",
        "for i in range(4):\n",
        "-",
        "T.Let(",
        "//",
        "0:4",
        "# ",
        "'n'",
    ];
    for text in small_samples() {
        for _ in 0..150 {
            let mut text = text.clone();
            for _ in 0..1 + rng.below(4) {
                let mut at = rng.below(text.len());
                while !text.is_char_boundary(at) {
                    at -= 1;
                }
                let mut end = (at + rng.below(6)).min(text.len());
                while !text.is_char_boundary(end) {
                    end += 1;
                }
                let piece: &str = rng.pick::<&str>(&pieces);
                text.replace_range(at..end, piece);
            }
            lower_all(&text);
        }
    }
}

#[test]
fn depth_does_not_overflow_the_stack() {
    let head = "@T.prim_func\ndef f(B: T.Buffer((16,), \"int32\"), n: T.int32):\n";
    let sum = format!("{head}    B[0] = n{}\n", " + n".repeat(10_000));
    let parens = format!("{head}    B[0] = {}n{}\n", "(n * ".repeat(10_000), ")".repeat(10_000));
    let negations = format!("{head}    B[0] = {}n\n", "-".repeat(10_000));
    let mut elifs = format!("{head}    if n == 0:\n        B[0] = 0\n");
    for i in 1..5_000 {
        elifs.push_str(&format!("    elif n == {i}:\n        B[0] = {i}\n"));
    }
    let mut blocks = head.to_owned();
    for depth in 1..1_000 {
        blocks.push_str(&format!("{}if n == {depth}:\n", " ".repeat(depth)));
    }
    blocks.push_str(&format!("{}B[0] = 0\n", " ".repeat(1_000)));
    let statements = format!("{head}{}", "    B[0] = B[0] + n * 2\n".repeat(20_000));
    let attrs = "T.attr(0, \"k\", 1), ".repeat(20_000);
    let items = format!("{head}    with {attrs}T.attr(0, \"k\", 1):\n        B[0] = 0\n");
    for text in [sum, parens, negations, elifs, blocks, statements, items] {
        assert!(lower_all(&text) > 0);
    }
}

#[test]
fn a_macro_that_calls_itself_ends() {
    let text = "@T.macro\ndef m(x):\n    T.evaluate(x)\n    m(x + 1)\n@T.prim_func\ndef f(n: T.int32):\n    m(n)\n";
    assert!(lower_all(text) > 10);
}

#[test]
fn unbounded_growth_is_cut_off() {
    let head = "@T.prim_func\ndef f(B: T.Buffer((16,), \"int32\"), n: T.int32):\n";
    let mut names = format!("{head}    x0 = T.meta_var(n + n)\n");
    for i in 1..60 {
        names.push_str(&format!("    x{i} = T.meta_var(x{} * x{})\n", i - 1, i - 1));
    }
    names.push_str("    B[0] = x59\n");
    let abs = format!("{head}    B[0] = {}n{}\n", "T.abs(".repeat(40), ")".repeat(40));
    let mut macros = "@T.macro\ndef m0(x):\n    T.evaluate(x)\n".to_owned();
    for i in 1..40 {
        macros.push_str(&format!("@T.macro\ndef m{i}(x):\n    m{}(x)\n    m{}(x)\n", i - 1, i - 1));
    }
    macros.push_str(&format!("{head}    m39(n)\n"));
    for text in [names, abs, macros] {
        assert!(lower_all(&text) > 0);
    }
}
