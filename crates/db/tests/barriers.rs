//! Invalidation barriers: the queries that an edit must and must not rerun, asserted on the query log.

use std::fmt::Write as _;

use db::{Content, RootDatabase, Settings, SourceFile, Work};
use expect_test::{Expect, expect};
use syntax::{Edit, Language, Parse};

const TWO_FUNCTIONS: &str = "\
from tvm.script import tirx as T

N = 16
M = 32


@T.prim_func
def f(A: T.Buffer((N,), \"int32\"), B: T.Buffer((N,), \"int32\"), i: T.int32):
    A[i * 4 + 1] = i * 4 + 1
    B[i * 4 + 2] = i * 4 + 2


@T.prim_func
def g(A: T.Buffer((M,), \"int32\"), i: T.int32):
    A[i * 8 + 1] = i * 8 + 1
";

/// A file that is edited, and the database that is asked about it.
struct World {
    db: RootDatabase,
    file: SourceFile,
    parse: Parse,
    text: String,
}

impl World {
    fn new(text: &str) -> World {
        let db = RootDatabase::default();
        let parse = syntax::parse(text);
        let configuration = db.add_configuration(Settings::default());
        let file = db.add_file(Content::Tree(parse.clone()), configuration);
        let world = World { db, file, parse, text: text.to_owned() };
        world.ask_all();
        world
    }

    fn ask_all(&self) {
        for &unit in &db::units(&self.db, self.file).functions {
            db::plan(&self.db, unit);
        }
    }

    #[track_caller]
    fn edit(&mut self, old: &str, new: &str) {
        let at = self.text.find(old).expect("the text that is to be replaced");
        let end = at + old.len();
        let range = syntax::TextRange::new((at as u32).into(), (end as u32).into());
        let edit = Edit::replace(range, new);
        edit.apply(&mut self.text);
        self.parse = self.parse.reparse(&edit).parse;
        self.db.set_content(self.file, Content::Tree(self.parse.clone()));
    }

    /// The queries that ask_all runs now, and the work it is.
    fn log(&self) -> (String, Work) {
        let before = self.db.work();
        self.db.start_log();
        self.ask_all();
        let mut log = String::new();
        for query in self.db.take_log() {
            writeln!(log, "{query}").unwrap();
        }
        (log, self.db.work() - before)
    }

    #[track_caller]
    fn check(&self, expected: Expect) {
        expected.assert_eq(&self.log().0);
    }
}

#[test]
fn nothing_runs_twice() {
    World::new(TWO_FUNCTIONS).check(expect![""]);
}

#[test]
fn edit_in_a_body_reaches_only_its_function() {
    let mut world = World::new(TWO_FUNCTIONS);
    world.edit("B[i * 4 + 2]", "B[i * 5 + 2]");
    let (log, work) = world.log();
    expect![[r#"
        file_index
        units
        lowered(f)
        naming
        body(f)
        plan(f)
        analysis_tables(f)
        occurrences(f)
        text_facts(f)
    "#]]
    .assert_eq(&log);
    assert_eq!((work.lowered_functions, work.planned_functions), (1, 1));
    assert!(work.lowered_bytes < 200, "{work:?}");
}

/// The queries `findings` that run after an edit.
fn findings_after(old: &str, new: &str) -> Vec<String> {
    let mut world = World::new(TWO_FUNCTIONS);
    let ask = |world: &World| {
        for &unit in &db::units(&world.db, world.file).functions {
            db::findings(&world.db, unit);
        }
    };
    ask(&world);
    world.edit(old, new);
    world.db.start_log();
    ask(&world);
    world.db.take_log().into_iter().filter(|it| it.starts_with("findings")).collect()
}

#[test]
fn findings_follow_their_function_only() {
    assert_eq!(findings_after("B[i * 4 + 2]", "B[i * 5 + 2]"), ["findings(f)"]);
    assert_eq!(findings_after("N = 16", "# why\nN = 16"), [] as [&str; 0]);
    assert_eq!(findings_after("    B[i", "    # why\n    B[i"), [] as [&str; 0]);
}

#[test]
fn comment_changes_no_plan() {
    let mut world = World::new(TWO_FUNCTIONS);
    world.edit("    B[i", "    # why\n    B[i");
    world.check(expect![[r#"
        file_index
        units
        lowered(f)
        naming
        body(f)
        text_facts(f)
    "#]]);
    world.edit("i * 8 + 1\n", "i*8 + 1  # why\n");
    world.check(expect![[r#"
        file_index
        units
        naming
        lowered(g)
        body(g)
        text_facts(g)
    "#]]);
}

#[test]
fn edit_of_a_helper_reaches_its_users_only() {
    let mut world = World::new(
        "from tvm.script import tirx as T\nSIZE = 4\ndef scale(i):\n    return i * SIZE\n\
         def half(n):\n    return n // 2\nN = half(16)\n\
         @T.prim_func\ndef f(A: T.Buffer((64,), \"int32\")):\n    for i in range(8):\n        A[scale(i)] = 1\n\
         @T.prim_func\ndef g(A: T.Buffer((64,), \"int32\")):\n    for i in range(N):\n        A[i] = 1\n",
    );
    let lowered = |world: &World| {
        let (log, _) = world.log();
        log.lines().filter(|it| it.starts_with("lowered")).map(str::to_owned).collect::<Vec<_>>()
    };
    world.edit("return i * SIZE", "return i * SIZE + 1");
    assert_eq!(lowered(&world), ["lowered(f)"]);
    world.edit("SIZE = 4", "SIZE = 5");
    assert_eq!(lowered(&world), ["lowered(f)"]);
    world.edit("return n // 2", "return n // 4");
    assert_eq!(lowered(&world), ["lowered(g)"]);
    // Another text with the same value.
    world.edit("return n // 4", "return n // (2 + 2)");
    assert_eq!(lowered(&world), [] as [&str; 0]);
}

#[test]
fn insertion_above_reaches_no_function_below() {
    let mut world = World::new(TWO_FUNCTIONS);
    world.edit("N = 16\n", "import os\n\n\ndef helper(x):\n    return x\n\n\nN = 16\n");
    world.check(expect![[r#"
        file_index
        units
        naming
        capture(T)
        capture(N)
        capture(M)
    "#]]);
    world.edit(
        "@T.prim_func\ndef f(",
        "@T.prim_func\ndef before(A: T.Buffer((4,), \"int32\")):\n    A[0] = 1\n\n\n@T.prim_func\ndef f(",
    );
    world.check(expect![[r#"
        file_index
        units
        plan(before)
        body(before)
        lowered(before)
        naming
        capture(T)
        analysis_tables(before)
        occurrences(before)
        text_facts(before)
        capture(N)
        capture(M)
    "#]]);
}

#[test]
fn second_function_of_the_same_name_does_not_disturb_the_first() {
    let mut world = World::new(TWO_FUNCTIONS);
    let second = "@T.prim_func\ndef f(C: T.Buffer((4,), \"int32\")):\n    C[0] = 1\n\n\n";
    world.edit("@T.prim_func\ndef f(A", &format!("{second}@T.prim_func\ndef f(A"));
    let (log, work) = world.log();
    expect![[r#"
        file_index
        units
        plan(f)
        body(f)
        lowered(f)
        naming
        capture(T)
        analysis_tables(f)
        occurrences(f)
        text_facts(f)
        capture(N)
        capture(M)
    "#]]
    .assert_eq(&log);
    assert_eq!(work.lowered_functions, 1, "only the new one");
    world.edit("C[0] = 1", "C[0] = 2");
    assert_eq!(world.log().1.lowered_functions, 1);
    world.edit("B[i * 4 + 2]", "B[i * 5 + 2]");
    assert_eq!(world.log().1.lowered_functions, 1);
    world.edit(&second.replace("= 1", "= 2"), "");
    assert_eq!(world.log().1.lowered_functions, 0, "who is left is who was there");
}

#[test]
fn equal_functions_keep_their_identities_when_one_is_edited() {
    let twin = "@T.prim_func\ndef main(A: T.Buffer((4,), \"int32\"), i: T.int32):\n    A[i + 1] = i + 1\n\n\n";
    let mut world =
        World::new(&format!("from tvm.script import tirx as T\n\n\n{twin}{twin}{twin}"));
    world.edit("A[i + 1]", "A[i + 2]");
    assert_eq!(world.log().1.lowered_functions, 1);
    world.edit("A[i + 2]", "A[i + 3]");
    assert_eq!(world.log().1.lowered_functions, 1);
}

#[test]
fn renamed_constant_reaches_only_its_users() {
    let mut world = World::new(TWO_FUNCTIONS);
    world.edit("N = 16", "K = 16");
    world.check(expect![[r#"
        file_index
        units
        naming
        capture(T)
        capture(N)
        lowered(f)
        body(f)
        plan(f)
        analysis_tables(f)
        occurrences(f)
        text_facts(f)
        capture(M)
    "#]]);
}

#[test]
fn changed_constant_reaches_only_its_users() {
    let mut world = World::new(TWO_FUNCTIONS);
    world.edit("M = 32", "M = 33");
    world.check(expect![[r#"
        file_index
        units
        naming
        capture(T)
        capture(N)
        capture(M)
        lowered(g)
        body(g)
        plan(g)
        analysis_tables(g)
        occurrences(g)
        text_facts(g)
    "#]]);
}

#[test]
fn options_change_plans_and_nothing_below() {
    let mut world = World::new(TWO_FUNCTIONS);
    let mut settings = Settings::default();
    settings.options.cse.preset = ir::plan::Preset::Tvm;
    let configuration = world.file.configuration(&world.db);
    world.db.set_settings(configuration, settings);
    world.check(expect![[r#"
        plan(f)
        plan(g)
    "#]]);
}

#[test]
fn closed_files_are_read_from_their_text() {
    let db = RootDatabase::default();
    let configuration = db.add_configuration(Settings::default());
    let file = db.add_file(Content::Text(Language::TvmScript, TWO_FUNCTIONS.into()), configuration);
    let functions = db::units(&db, file).functions.iter();
    let names: Vec<&str> = functions.map(|it| it.name(&db)).collect();
    assert_eq!(names, ["f", "g"]);
}

/// A function of so many statements.
fn large(n: usize) -> String {
    let mut text = TWO_FUNCTIONS.to_owned();
    for i in 0..n {
        writeln!(text, "    A[i * 8 + {i}] = i * 8 + {i}").unwrap();
    }
    text
}

#[test]
fn the_text_of_a_large_function_is_made_from_the_one_before() {
    let mut world = World::new(&large(500));
    let text = |world: &World| {
        let unit = db::units(&world.db, world.file).functions[1];
        db::function_text(&world.db, unit).clone()
    };
    text(&world);
    let before = world.db.work();
    assert!(before.written_bytes > 10_000, "{before:?}");
    let start = world.text.find("@T.prim_func\ndef g").unwrap();
    let edits = [
        ("i * 8 + 250", "i * 9 + 250"),
        ("A[i * 8 + 3]", "# é\n    A[i * 8 + 3]"),
        ("    A[i * 8 + 499] = i * 8 + 499\n", ""),
        ("    A[i * 8 + 10]", "\r\n    for j in range(2):\r\n        A[i * 8 + 10]"),
        ("i * 8 + 1\n", "i * 8 + 1"),
    ];
    for (old, new) in edits {
        world.edit(old, new);
        let after = text(&world);
        assert_eq!(*after.text, world.text[start..]);
        let lines = syntax::LineIndex::new(&after.text);
        for offset in 0..=after.text.len() as u32 {
            assert_eq!(after.lines.line(offset.into()), lines.line(offset.into()));
        }
    }
    assert_eq!((world.db.work() - before).written_bytes, 0);
    // Outside of the body there is nothing to begin with.
    world.edit("def g(A: T.Buffer((M,)", "def g(A: T.Buffer((N,)");
    assert_eq!(*text(&world).text, world.text[start..]);
    assert!((world.db.work() - before).written_bytes > 10_000);
}

#[test]
fn syntax_errors_after_edits_are_those_of_the_tree() {
    let mut world = World::new(&large(200));
    let edits = [
        ("i * 8 + 150", "i * (8 + 150"),
        ("i * (8 + 150", "i * (8 + 150)"),
        ("A[i * 8 + 20]", "A[i * 8 + ]"),
        ("A[i * 8 + 30]", "A[i * 8 + 30"),
        ("A[i * 8 + ]", "A[i * 8 + 20]"),
        ("A[i * 8 + 30", "A[i * 8 + 30]"),
    ];
    let mut n_errors = Vec::new();
    for (old, new) in edits {
        world.edit(old, new);
        let unit = db::units(&world.db, world.file).functions[1];
        let errors = db::syntax_errors(&world.db, unit);
        let tree = unit.green(&world.db).syntax();
        assert_eq!(errors, syntax::syntax_errors(&tree));
        n_errors.push(errors.len());
    }
    assert_eq!(n_errors, [1, 0, 1, 2, 1, 0]);
}
