//! Depth and work.

use super::*;

/// The work of a parse: how many tokens were looked at.
fn work(text: &str) -> u64 {
    let mut p = Parser::new(text, 0, Dialect::Mlir, Shapes::builtin());
    grammar::file(&mut p);
    p.work
}

/// Texts that grow with `n`, each a way to be slow.
fn families(n: usize) -> Vec<(&'static str, String)> {
    let mut res = vec![
        ("flat", "%0 = arith.addi %a, %b : i32\n".repeat(n)),
        ("results on lines", "%0,\n".repeat(n)),
        ("values on lines", format!("a.b {}", "%0,\n".repeat(n))),
        ("open brackets", "a.b (\n".repeat(n)),
        ("open angles", format!("!t = !a.b{}", "<".repeat(n))),
        ("closing brackets", "a.b ) ] } >\n".repeat(n)),
        ("strings on lines", "a.b \"x\"\n".repeat(n)),
        ("words on lines", format!("a.b {}", "x\n".repeat(n))),
        ("dotted words on lines", "a.b = c.d\n".repeat(n)),
        ("empty braces", format!("a.b {}", "{}".repeat(n))),
        ("unknown regions", format!("{}{}", "a.b {\nc.d\n".repeat(n), "}\n".repeat(n))),
        ("braces in doubt", format!("{}c.d\n{}", "a.b : {\n".repeat(n), "}\n".repeat(n))),
        ("regions in doubt", "a.b {\nc.d : 1\n".repeat(n)),
        (
            "braces in doubt around regions",
            format!("{}{}", "a.b {\nc.d : 1 {\nc.e\n".repeat(n), "}\nc.f\n}\n".repeat(n)),
        ),
        ("closed braces in doubt", "a.b {c.d : 1}\n".repeat(n)),
        ("keys in doubt", format!("a.b {}", "{c : ".repeat(n))),
        ("keys and lines in doubt", format!("a.b {}\nc.d\n", "{c : ".repeat(n))),
        ("keys and brackets in doubt", format!("a.b {}\nc.d\n", "{c : (d {e : 1\n".repeat(n))),
        ("regions", format!("{}{}", "scf.if %c {\n".repeat(n), "}\n".repeat(n))),
        (
            "generic regions",
            format!("{}{}", "\"a.b\"() ({\n".repeat(n), "}) : () -> ()\n".repeat(n)),
        ),
        ("functions left open", "func.func @f() {\nscf.if %c {\n".repeat(n)),
        ("arrays", format!("#a = {}{}", "[".repeat(n), "]".repeat(n))),
        ("dictionaries", format!("#a = {}{{}}{}", "{a = ".repeat(n), "}".repeat(n))),
        ("function types", format!("!t = {}i32", "(i32) -> (".repeat(n))),
        ("block labels", "^bb0:\n".repeat(n)),
        ("split markers", "// -----\n".repeat(n)),
        ("parts", "//--- a.mlir\n".repeat(n)),
        ("parts that are not read", "//--- a.c\nint x;\n".repeat(n)),
        ("comments", "// c\n".repeat(n)),
        ("stray", ")".repeat(n)),
    ];
    let blocks: String = (0..n).map(|i| format!("^bb{i}:\n  cf.br ^bb{i}\n")).collect();
    res.push(("blocks", format!("func.func @f() {{\n{blocks}}}\n")));
    res
}

#[test]
fn work_is_linear_in_every_family() {
    for ((name, small), (_, large)) in families(1_000).iter().zip(&families(4_000)) {
        let (small_work, large_work) = (work(small), work(large));
        assert!(
            large_work <= small_work * 4 + small_work / 4 + 1_000,
            "{name}: {small_work} for {} bytes, {large_work} for {}",
            small.len(),
            large.len()
        );
        assert!(large_work <= 16 * large.len() as u64 + 1_000, "{name}: {large_work}");
        check_lossless(large);
    }
}

#[test]
fn nests_of_ten_thousand_are_read() {
    for (name, text) in families(10_000) {
        let steps = check_lossless(&text);
        if matches!(
            name,
            "regions" | "generic regions" | "unknown regions" | "arrays" | "dictionaries"
        ) {
            assert_eq!(count(&steps, ERRORS), 0, "{name}");
        }
    }
}

#[test]
fn text_nested_below_the_limit_is_kept_unread() {
    for (name, text) in families(14_000) {
        let steps = check_lossless(&text);
        if matches!(
            name,
            "regions" | "generic regions" | "unknown regions" | "arrays" | "function types"
        ) {
            assert!(count(&steps, &[TOO_DEEP]) > 0, "{name}");
        }
    }
}
