//! Files are read and written; the dialects of the product are whole.

use expect_test::{Expect, expect};

use crate::{Row, effect_fields, file, shipped, write};

#[track_caller]
fn check_error(text: &str, expect: Expect) {
    expect.assert_eq(&file::read(text).expect_err("a bad file").to_string());
}

#[test]
fn a_file_is_read_and_written_as_it_is() {
    let text = "dialect = \"toy\"\nsource = \"toy 1.0\"\n\n[shapes]\nown = \"V ',' V D\"\n\n[defaults]\nconvergent = true\n\n\
                [[operations]]\nops = [\"add\", \"v.*\"]\noperands = [\"lhs\", \"rest*\"]\ntraits = [\"Pure\"]\neffects = [\"none\"]\n\
                format = \"$lhs `,` $rest attr-dict\"\n\n[[operations]]\nops = [\"get\"]\nshape = \"own\"\nfunction = true\n\
                effect = \"read\"\nmemory = \"argument\"\nconvergent = true\nflags = [\"per-thread\", \"marker\"]\nreads = [0, \"*\"]\n\
                reason = \"it says so\"\n";
    let dialect = file::read(text).expect("a good file");
    assert_eq!((dialect.rows[1].line, dialect.rows[1].column), (17, 1));
    assert_eq!(dialect.rows[0].parts.to_text(), "operands lhs rest*");
    assert_eq!(file::parts_of_text("operands lhs rest*"), dialect.rows[0].parts);
    let written = write(&dialect);
    let again = file::read(&written).expect("a written file");
    assert_eq!(write(&again), written);
    assert_eq!(again.rows[1].fields.len(), dialect.rows[1].fields.len());
}

#[test]
fn mistakes_have_their_place() {
    check_error("dialect = 4\n", expect!["1:11: invalid type: integer `4`, expected a string"]);
    check_error("dialect = \"a b\"\n", expect!["1:1: `a b` is not the name of a dialect"]);
    let row = |row: &str| format!("dialect = \"x\"\n\n[[operations]]\n{row}\n");
    check_error(&row("ops = [\"a b\"]"), expect!["3:1: `a b` is not the name of an operation"]);
    check_error(&row("ops = []"), expect!["3:1: `ops` names no operation"]);
    check_error(&row("ops = [\"a*b*\"]"), expect!["3:1: `a*b*` has more than one `*`"]);
    check_error(
        &row("ops = [\"a\"]\nmemory = \"all\""),
        expect!["3:1: `memory` is there without `effect`"],
    );
    check_error(&row("ops = [\"a\"]\nbare = false"), expect!["3:1: `bare` is `true`, or absent"]);
    check_error(
        &row("ops = [\"a\"]\noperands = [\"a-b\"]"),
        expect!["3:1: `a-b` is not the name of a part"],
    );
}

#[test]
fn definitions_are_found_by_name() {
    let add = shipped::operation("stablehlo.add").expect("a definition");
    assert_eq!((add.name, add.dialect.dialect), ("stablehlo.add", "stablehlo"));
    assert_eq!(shipped::stated()[usize::from(add.stated)].text, "none");
    // Parts are known also of operations whose form only code knows.
    let generic = shipped::operation("linalg.generic").expect("a definition");
    assert_eq!(generic.format, None);
    assert!(generic.parts.contains("attributes indexing_maps iterator_types"), "{}", generic.parts);
    assert!(shipped::operation("stablehlo.ad").is_none() && shipped::operation("").is_none());
    let names: Vec<&str> = shipped::operations().map(|it| it.name).collect();
    assert!(names.is_sorted() && names.len() > 7_000, "{}", names.len());
    assert!(names.iter().all(|it| shipped::operation(it).is_some_and(|found| found.name == *it)));
    let n: usize = shipped::definitions().iter().map(|it| usize::from(it.n_operations)).sum();
    assert_eq!(n, names.len());
}

#[test]
fn what_is_not_stated_is_unknown() {
    let fields = |effects: &[&str], traits: &[&str]| {
        let of = |it: &[&str]| it.iter().map(|it| (*it).to_owned()).collect();
        let row = Row { effects: of(effects), traits: of(traits), ..Row::default() };
        let defaults = [("convergent".to_owned(), "true".to_owned())];
        let fields = effect_fields(&row, &defaults)?;
        Some(fields.iter().map(|it| format!("{}={}", it.0, it.1)).collect::<Vec<_>>().join(" "))
    };
    for (effects, traits) in
        [(&[][..], &["Terminator"][..]), (&["code"], &[]), (&["code", "recursive"], &[])]
    {
        assert_eq!(fields(effects, traits), None);
    }
    let known = |effects: &[&str], traits: &[&str]| fields(effects, traits).expect("a row");
    assert_eq!(
        known(&["none"], &["Pure", "Commutative"]),
        "effect=none commutative=all convergent=true"
    );
    assert_eq!(known(&["none"], &["NoMemoryEffect"]), "effect=none may_trap=yes convergent=true");
    assert_eq!(
        known(&["recursive"], &["IsolatedFromAbove"]),
        "effect=unknown may_trap=body flags=isolated recursive"
    );
    assert_eq!(known(&["read $m"], &[]), "effect=read memory=unknown may_trap=mem convergent=true");
    assert_eq!(known(&["allocate $r"], &[]), "effect=alloc memory=unknown may_trap=mem");
    let written =
        "effect=readwrite memory=unknown may_trap=yes convergent=true deterministic=false";
    for effects in
        [&["read $m", "write $m"][..], &["allocate"], &["free $m"], &["allocate", "none"]]
    {
        assert_eq!(known(effects, &[]), written);
    }
}

#[test]
fn every_default_and_departure_gives_its_reason() {
    for row in shipped::overlays() {
        let has = |key: &str| row.fields.iter().any(|it| it.0 == key);
        assert!(!has("departs") || has("reason"), "{:?}", row.ops);
    }
}
