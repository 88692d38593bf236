//! Units of MLIR and PIR over edits: which unit keeps its identity, and which queries an edit reruns.

use db::{AliasName, Content, RootDatabase, Settings, SourceFile, Unit};
use syntax::{Edit, Language, Parse, TextRange, UnitKind};

const TEXT: &str = "\
#map = affine_map<(d0) -> (d0)>
!t = i32
module {
  func.func @f(%a: i32) -> i32 {
    return %a : i32
  }
  func.func @main() {
    return
  }
}
// -----
#map = affine_map<(d0) -> (d0 + 1)>
func.func @main() {
  return
}
";

/// A file that is edited, and the database that is asked about it.
struct World {
    db: RootDatabase,
    file: SourceFile,
    parse: Parse,
    text: String,
}

impl World {
    fn new(language: Language, text: &str) -> World {
        let db = RootDatabase::default();
        let parse = syntax::parse_as(language, text);
        let configuration = db.add_configuration(Settings::default());
        let file = db.add_file(Content::Tree(parse.clone()), configuration);
        World { db, file, parse, text: text.to_owned() }
    }

    #[track_caller]
    fn edit(&mut self, old: &str, new: &str) {
        let at = self.text.find(old).expect("the text that is to be replaced");
        let range = TextRange::at((at as u32).into(), syntax::TextSize::of(old));
        let edit = Edit::replace(range, new);
        edit.apply(&mut self.text);
        self.parse = self.parse.reparse(&edit).parse;
        self.db.set_content(self.file, Content::Tree(self.parse.clone()));
    }

    /// The kind, the name, the slot and the document of each unit, and its text.
    fn units(&self) -> Vec<(String, String)> {
        let db = &self.db;
        let show = |it: Unit<'_>| {
            let identity = it.identity(db);
            let who = format!(
                "{:?} {}#{} in {}",
                it.kind(db),
                identity.name,
                identity.slot,
                it.document(db)
            );
            (who, it.green(db).text())
        };
        db::placed_units(db, self.file).map(|it| show(it.unit)).collect()
    }

    fn who(&self) -> Vec<String> {
        self.units().into_iter().map(|it| it.0).collect()
    }

    fn alias(&self, document: u32, name: &str) -> Option<String> {
        let name = AliasName::new(&self.db, self.file, document, name);
        db::alias(&self.db, name).as_ref().map(|it| it.to_string())
    }
}

#[test]
fn file_has_frames_and_functions() {
    let world = World::new(Language::Mlir, TEXT);
    let expected = [
        "Frame #0 in 0",
        "Function f#0 in 0",
        "Function main#0 in 0",
        "Frame #1 in 1",
        "Function main#1 in 1",
    ];
    assert_eq!(world.who(), expected);
    let units = db::units(&world.db, world.file);
    assert_eq!((units.functions.len(), units.frames.len()), (3, 2));
}

#[test]
fn units_are_where_they_are_in_the_file() {
    let world = World::new(Language::Mlir, TEXT);
    for placed in db::placed_units(&world.db, world.file) {
        if placed.unit.kind(&world.db) == UnitKind::Function {
            let name = placed.to_file(placed.unit.name_range(&world.db));
            assert_eq!(
                world.text[std::ops::Range::<usize>::from(name)].trim_start_matches('@'),
                placed.unit.name(&world.db)
            );
        }
        let at =
            db::unit_at(&world.db, world.file, placed.to_file(TextRange::empty(0.into())).start());
        assert_eq!(at.map(|it| it.unit), Some(placed.unit));
    }
}

#[test]
fn document_above_moves_no_unit_below() {
    let mut world = World::new(Language::Mlir, TEXT);
    let before = world.who();
    world.edit("#map", "func.func @main() {\n  a.b\n}\n// -----\n#map");
    let after = world.who();
    for unit in &before {
        assert!(after.contains(unit), "{unit:?} is gone: {after:?}");
    }
    assert_eq!(after.len(), before.len() + 2);
}

#[test]
fn aliases_are_those_of_the_document() {
    let mut world = World::new(Language::Mlir, TEXT);
    assert_eq!(world.alias(0, "#map").as_deref(), Some("affine_map<(d0) -> (d0)>"));
    assert_eq!(world.alias(1, "#map").as_deref(), Some("affine_map<(d0) -> (d0 + 1)>"));
    assert_eq!(world.alias(0, "!t").as_deref(), Some("i32"));
    assert_eq!(world.alias(1, "!t"), None);
    world.edit("i32", "i64");
    assert_eq!(world.alias(0, "!t").as_deref(), Some("i64"));
}

#[test]
fn edit_in_a_body_reads_no_frame_again() {
    let mut world = World::new(Language::Mlir, TEXT);
    world.alias(0, "!t");
    world.edit("return %a", "a.b\n    return %a");
    world.db.start_log();
    world.alias(0, "!t");
    assert_eq!(world.db.take_log(), ["file_index", "alias(!t)", "units"]);
}

#[test]
fn facts_of_a_unit_are_worked_out_once() {
    let text = "func.func @f(%a: i32) -> i32 {\n  %0 = arith.addi %a, %a : i32\n  return %0 : i32\n}\n\
        func.func @g() {\n  return\n}\n";
    let mut world = World::new(Language::Mlir, text);
    let asked = |world: &World| {
        world.db.start_log();
        let unit = db::placed_units(&world.db, world.file)
            .find(|it| it.unit.name(&world.db) == "f")
            .expect("a function");
        assert!(db::operation_facts(&world.db, unit.unit).is_some());
        let log = world.db.take_log();
        log.into_iter().filter(|it| it.starts_with("unit_facts")).count()
    };
    assert_eq!(asked(&world), 1);
    assert_eq!(asked(&world), 0);
    // Another function, and a comment.
    world.edit("@g() {", "@g() {\n  \"a.b\"() : () -> ()");
    world.edit("  %0 =", "  // a comment\n  %0 =");
    assert_eq!(asked(&world), 0);
    world.edit("%a, %a", "%a, %a overflow<nsw>");
    assert_eq!(asked(&world), 1);
}

#[test]
fn programs_of_pir_are_units() {
    let mut world = World::new(
        Language::Pir,
        "{\n    () = \"a.a\" () {} : () -> \n}\n{\n    () = \"a.b\" () {} : () -> \n}\n",
    );
    assert_eq!(world.who(), ["Frame #0 in 0", "Program #0 in 0", "Program #1 in 0"]);
    world.edit("{\n    () = \"a.a\" () {} : () -> \n}\n", "");
    assert_eq!(world.who(), ["Frame #0 in 0", "Program #1 in 0"]);
}

/// The names of the queries of units that run, after an edit.
fn log_after(old: &str, new: &str) -> (Vec<String>, db::Work) {
    let mut world = World::new(Language::Mlir, TEXT);
    let ask = |world: &World| {
        for at in db::placed_units(&world.db, world.file) {
            db::plan(&world.db, at.unit);
        }
    };
    ask(&world);
    world.edit(old, new);
    let before = world.db.work();
    world.db.start_log();
    ask(&world);
    let log = world
        .db
        .take_log()
        .into_iter()
        .filter(|it| ["lowered(", "body(", "plan("].iter().any(|query| it.starts_with(query)));
    (log.collect(), world.db.work() - before)
}

#[test]
fn edit_in_a_body_reaches_only_its_function() {
    let (log, work) = log_after("return %a", "a.b\n    return %a");
    assert_eq!(log, ["lowered(f)", "body(f)", "plan(f)"]);
    assert_eq!((work.lowered_functions, work.planned_functions), (1, 1));
    assert!(work.lowered_bytes < 100, "{work:?}");
}

#[test]
fn comment_or_name_changes_no_plan() {
    assert_eq!(log_after("return %a", "// why\n    return %a").0, ["lowered(f)", "body(f)"]);
}

#[test]
fn alias_reaches_only_those_who_mention_it() {
    let (log, _) = log_after("#map = affine_map<(d0) -> (d0)>\n!t", "#map = 1\n!t");
    let functions: Vec<&String> = log.iter().filter(|it| !it.contains("frame")).collect();
    assert_eq!(functions, [] as [&String; 0], "{log:?}");
}

#[test]
fn document_above_reaches_nothing_below() {
    let (log, _) = log_after("#map", "func.func @main() {\n  return\n}\n// -----\n#map");
    let planned: Vec<&String> = log.iter().filter(|it| it.starts_with("plan")).collect();
    // The new ones; the frame below has a line more.
    assert_eq!(planned.len(), 2, "{log:?}");
}
