//! Depth and time, on the test thread's small stack.

use super::*;
use crate::tvmscript::{MAX_DEPTH, parse};

fn nested(open: &str, inner: &str, close: &str, depth: usize) -> String {
    format!("x = {}{inner}{}\ny\n", open.repeat(depth), close.repeat(depth))
}

#[test]
fn ten_thousand_levels_are_read() {
    for (open, close) in [
        ("(", ")"),
        ("[", "]"),
        ("{", "}"),
        ("f(", ")"),
        ("a[", "]"),
        ("(1 + a * ", ")"),
        ("-", ""),
        ("not ", ""),
        ("a ** ", ""),
        ("lambda: ", ""),
        ("lambda x=", ": 0"),
        ("(yield ", ")"),
        ("(x := ", ")"),
        ("a[b:", "]"),
        ("a if b else ", ""),
        ("{a: ", "}"),
    ] {
        let text = nested(open, "z", close, 10_000);
        assert_eq!(count(&check_lossless(&text), is_error), 0, "{open}");
    }
}

#[test]
fn ten_thousand_blocks_are_read() {
    let mut text = String::new();
    for depth in 0..10_000 {
        text.push_str(&"\t".repeat(depth));
        text.push_str("if a:\n");
    }
    text.push_str(&"\t".repeat(10_000));
    text.push_str("b\nc\n");
    assert_eq!(count(&check_lossless(&text), is_error), 0);
}

#[test]
fn beyond_the_limit_nothing_is_lost_and_the_next_line_is_fine() {
    for (open, close) in [
        ("(", ")"),
        ("f(", ")"),
        ("a[", "]"),
        ("-", ""),
        ("a if b else ", ""),
        ("lambda x=", ": 0"),
    ] {
        for close in [close, ""] {
            let text = nested(open, "z", close, MAX_DEPTH as usize * 3);
            let parse = check_lossless(&text);
            assert_eq!(count(&parse, |it| it == TOO_DEEP), 1, "{open}");
            assert_eq!(count(&parse, |it| it == EXPR_STMT), 1, "{open}");
        }
    }
    for header in ["if a:", "match a:", "else:"] {
        let lines =
            (0..MAX_DEPTH + 100).map(|depth| format!("{}{header}\n", "\t".repeat(depth as usize)));
        let text = lines.collect::<String>() + "c\n";
        let parse = check_lossless(&text);
        assert_eq!(count(&parse, |it| it == TOO_DEEP), 1, "{header}");
        assert_eq!(count(&parse, |it| it == EXPR_STMT), 1, "{header}");
    }
    let text = "if a: ".repeat(MAX_DEPTH as usize * 2) + "\nc\n";
    assert_eq!(count(&check_lossless(&text), |it| it == TOO_DEEP), 1);
}

#[test]
fn long_chains_are_no_nesting() {
    for term in ["a + ", "a.", "a and ", "a < ", "a, "] {
        let text = format!("{}a\n", term.repeat(100_000));
        assert_eq!(count(&check_lossless(&text), is_error), 0, "{term}");
    }
    let text = format!("f{}{}\n", "()".repeat(100_000), "[0]".repeat(100_000));
    assert_eq!(count(&check_lossless(&text), is_error), 0);
}

#[test]
fn work_grows_with_the_text_and_not_faster() {
    let families: &[(&str, &str)] = &[
        ("", "x = f(a\n"),
        ("", "x = f(a,\n"),
        ("", "with (\n"),
        ("", "match (\n"),
        ("", "f(for\n"),
        ("x = (\n", "a b = c(\n"),
        ("x = (\n", "\n"),
        ("x = (\n", "# c\n"),
        ("x = (\n", "for a in b\n"),
        ("x = (\n", "from a\n"),
        ("", "f\"{\" "),
        ("", "f'{x:\n"),
        ("", "if a:\n\n\n"),
        ("", "@a\n"),
        ("", "[)"),
        ("", "([)]"),
        ("", "a if "),
        ("", "lambda "),
        ("", "a[b:c, "),
        ("", "else: "),
        ("", "'''"),
        ("", "\\\n"),
        ("", "not "),
        ("", "await "),
        ("", "\0 $ "),
        ("match x:\n", " a\n"),
        ("", "x =\n"),
        ("", "(yield "),
    ];
    for (prefix, unit) in families {
        let text = |times| format!("{prefix}{}", unit.repeat(times));
        let (once, twice) = (steps(&text(3_000)), steps(&text(6_000)));
        assert!(twice <= once * 5 / 2 + 10_000, "{prefix:?} {unit:?}: {once} steps, then {twice}");
        check_lossless(&text(300));
    }
}

#[test]
fn blank_lines_and_comments_behind_deep_blocks_are_seen_once() {
    let text = |depth: usize| {
        let headers = (0..depth).map(|it| format!("{}if a:\n", " ".repeat(it)));
        let inner = format!("{}b\n", " ".repeat(depth));
        headers.collect::<String>() + &inner + &"\n# c\n".repeat(depth) + "d\n"
    };
    let (once, twice) = (steps(&text(500)), steps(&text(1_000)));
    assert!(twice <= once * 5 / 2 + 10_000, "{once} steps, then {twice}");
}

#[test]
fn long_lines_are_fine() {
    for unit in ["a, ", "# ", "'", "\"a\" ", "\\", "é", "\t", "f'{a}' ", "0x"] {
        let parse = parse(&unit.repeat(1_000_000 / unit.len()));
        assert!(parse.event_count() > 0);
    }
}
