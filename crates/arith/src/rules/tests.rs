//! The tables of rules: that they parse, and the errors of malformed rules.

use rustc_hash::FxHashSet;

use super::{Sort, Term, all, find, parse};

#[track_caller]
fn check_error(table: &'static str, expected: &str) {
    assert_eq!(parse("test.rules", table).expect_err("wrong").to_string(), expected);
}

#[test]
fn every_table_reads_and_every_name_is_its_own() {
    let mut names = FxHashSet::default();
    for rule in all() {
        assert!(names.insert(rule.name), "{}:{}: {} is taken", rule.file, rule.line, rule.name);
        assert!(rule.doc.ends_with('.'), "{}: a sentence", rule.name);
    }
    assert!(all().len() > 100);
}

#[test]
fn a_rule_is_found_by_its_name() {
    let rule = find("floordiv-lt").expect("a rule");
    assert_eq!(rule.text, "x // y < z => x < y * z if y >= 0, no_overflow(y * z)");
    assert_eq!(rule.conditions.len(), 2);
    assert_eq!(find("no-such-rule"), None);
}

#[test]
fn the_name_of_a_variable_says_what_it_stands_for() {
    let table = "# Doc.\nr: min(x, c1) * c + select(b2, beta, 0) => cat + 0 if 1 < 2";
    check_error(table, "test.rules:2: cat is not on the left side");
    let rules = parse("test.rules", "# Doc.\nr: select(b2, cat + c, 0) => cat").expect("a rule");
    let sorts: Vec<Sort> = rules[0].variables.iter().map(|it| it.sort).collect();
    assert_eq!(sorts, [Sort::Bool, Sort::Value, Sort::Constant]);
}

#[test]
fn a_rule_goes_on_on_indented_lines() {
    let rules = parse("test.rules", "# One.\n# Two.\nr: x - x\n    => 0\n").expect("a rule");
    assert_eq!((rules[0].doc.as_str(), rules[0].line), ("One. Two.", 3));
    assert_eq!(rules[0].rhs, Term::Int(0));
}

#[test]
fn errors_in_a_table_are_reported_with_their_line() {
    check_error("\n# Doc.\nr: x + => x", "test.rules:3: => where a term should be");
    check_error("r: x + 0 => x", "test.rules:1: says nothing in a comment above it");
    check_error("# Doc.\nR: x + 0 => x", "test.rules:2: \"R\" is not in kebab-case");
    check_error("# Doc.\nr: x => x + 0", "test.rules:2: the left side has an operator at its root");
    check_error("# Doc.\nr: x + 0 => y", "test.rules:2: y is not on the left side");
    check_error("# Doc.\nr: x + 0 => x + 0", "test.rules:2: both sides are the same");
    check_error("# Doc.\nr: x + 0 => x if x", "test.rules:2: a condition is a comparison");
    check_error(
        "# Doc.\nr: x + 0 => x [fast]",
        "test.rules:2: the flags are wrapping, float and any",
    );
    check_error("# Doc.\nr: f(x) => x", "test.rules:2: f of 1 is not known");
    check_error("# Doc.\nr: x $ 0 => x", "test.rules:2: what is '$' here?");
    check_error("  goes on", "test.rules:1: goes on without a rule");
}
