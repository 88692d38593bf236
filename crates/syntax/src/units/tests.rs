//! The units of files, and their stability under edits.

use dialects::{Dialect, Mark, Row};
use expect_test::{Expect, expect};
use test_utils::{Rng, ir_samples};

use super::*;
use crate::{Edit, Language, Shapes, parse_as, parse_with};

const TEXT: &str = "\
#map = affine_map<(d0) -> (d0)>
module @m {
  func.func private @g(i32) -> i32
  func.func @f(%a: i32) -> i32 attributes {x} {
    return %a : i32
  } loc(\"here\")
  gpu.module @k {
    gpu.func @f() kernel { gpu.return }
  }
}
// -----
\"func.func\"() <{sym_name = \"k\", function_type = () -> ()}> ({
  \"func.return\"() : () -> ()
}) : () -> ()
memref.global @v : memref<4xf32>
";

fn render(parse: &Parse, units: &Units) -> String {
    let text = parse.text();
    let mut out = String::new();
    for item in &units.functions {
        let it = &item.source;
        let name = &text[std::ops::Range::<usize>::from(it.name_range + item.range.start())];
        let frame = &units.frames[item.frame as usize].source;
        let header = &frame.green.text()[usize::from(item.frame_start)..];
        let header = header.lines().next().unwrap_or_default();
        out += &format!(
            "{:?} {}/{} `{name}` in {}: {header}\n",
            it.kind, it.path, it.name, item.frame
        );
    }
    for item in &units.frames {
        out += &format!("--- {:?}\n{}\n", item.functions, item.source.green.text());
    }
    out
}

#[track_caller]
fn check(language: Language, text: &str, expected: Expect) {
    let parse = parse_as(language, text);
    expected.assert_eq(&render(&parse, &units(&parse)));
}

#[test]
fn functions_are_found_in_modules_and_frames_are_what_is_left() {
    check(
        Language::Mlir,
        TEXT,
        expect![[r#"
        Function m/g `@g` in 0: func.func private @g(i32) -> i32
        Function m/f `@f` in 0: func.func @f(%a: i32) -> i32 attributes {x}  loc("here")
        Function m.k/f `@f` in 0: gpu.func @f() kernel 
        Function /k `k` in 1: "func.func"() <{sym_name = "k", function_type = () -> ()}> () : () -> ()
        --- 0..3
        #map = affine_map<(d0) -> (d0)>
        module @m {
          func.func private @g(i32) -> i32
          func.func @f(%a: i32) -> i32 attributes {x}  loc("here")
          gpu.module @k {
            gpu.func @f() kernel 
          }
        }

        --- 3..4

        "func.func"() <{sym_name = "k", function_type = () -> ()}> () : () -> ()
        memref.global @v : memref<4xf32>

    "#]],
    );
}

#[test]
fn programs_are_units() {
    let text = "{\n    () = \"pd_op.x\" () {} : () -> \n}\n{\n}\n?";
    check(
        Language::Pir,
        text,
        expect![[r#"
        Program / `` in 0: 
        --- 0..1

        {
        }
        ?
    "#]],
    );
}

#[test]
fn empty_chunk_is_no_unit() {
    let separators = "// -----\n".repeat(100);
    let n_frames = |text: &str| units(&parse_as(Language::Mlir, text)).frames.len();
    assert_eq!(n_frames(&separators), 1);
    assert_eq!(n_frames(&format!("{separators}a.b\n{separators}")), 3);
    let programs = parse_as(Language::Pir, &"{}\n".repeat(100));
    assert_eq!(units(&programs).functions.len(), 0);
}

#[test]
fn program_that_comes_to_have_nothing_in_it_is_none() {
    let (operation, rest) = ("() = \"pd_op.x\" () {} : () -> \n", "{\n}\n");
    let before = parse_as(Language::Pir, &format!("{{\n{operation}}}\n{rest}"));
    let last = units(&before);
    let len = u32::try_from(operation.len()).unwrap();
    let range = TextRange::at(2.into(), len.into());
    let edited = before.reparse(&Edit::replace(range, "")).parse;
    let (fresh, after) = (units(&edited), units_after(&edited, &last));
    assert_eq!((last.functions.len(), after.functions.len()), (1, 0));
    assert_eq!(render(&edited, &after), render(&edited, &fresh));
}

#[test]
fn python_has_no_units() {
    check(Language::TvmScript, "def f(): pass\n", expect![[""]]);
}

#[test]
fn users_functions_are_units() {
    let row = Row { ops: vec!["func".into()], marks: vec![Mark::Function], ..Row::default() };
    let my = Dialect { name: "my".into(), rows: vec![row], ..Dialect::default() };
    let shapes = Shapes::builtin().with(&my).unwrap();
    let parse = parse_with(Language::Mlir, &Arc::new(shapes), "my.func @f {\n  a.b\n}\n");
    let names: Vec<_> = units(&parse).functions.iter().map(|it| it.source.name.clone()).collect();
    assert_eq!(names, ["f".into()]);
    let edited = parse.reparse(&Edit::insert(14.into(), "c.d\n")).parse;
    assert_eq!(units(&edited).functions.len(), 1);
    assert_eq!(units(&parse_as(Language::Mlir, "my.func @f {\n}\n")).functions.len(), 0);
}

/// Every offset outside of bodies leads to the frame and back, and reads the same there.
#[track_caller]
fn check_mapping(parse: &Parse) {
    let units = units(parse);
    let text = parse.text();
    for (i, frame) in units.frames.iter().enumerate() {
        let frame_text = frame.source.green.text();
        for at in u32::from(frame.range.start())..u32::from(frame.range.end()) {
            // The place before a body is also one of the frame, the character there is not.
            let is_cut = units.functions.iter().any(|it| {
                let inner = TextSize::from(at).checked_sub(it.range.start());
                inner.is_some_and(|inner| it.source.cuts.iter().any(|cut| cut.contains(inner)))
            });
            let Some(inner) = units.file_to_frame(i, at.into()).filter(|_| !is_cut) else {
                continue;
            };
            let range = TextRange::at(inner, 1.into());
            let back = units.frame_to_file(i, range);
            assert_eq!(frame_text.as_bytes()[usize::from(inner)], text.as_bytes()[at as usize]);
            assert_eq!((back.start(), back.len()), (at.into(), 1.into()), "{inner:?}");
        }
    }
}

#[test]
fn positions_of_frames_are_those_of_the_file() {
    check_mapping(&parse_as(Language::Mlir, TEXT));
    check_mapping(&parse_as(Language::Pir, "{\n}\n{\n}\n?"));
    check_mapping(&parse_as(Language::Mlir, "// -----\n// c\n// -----\na.b\n// -----\n// -----"));
    for sample in ir_samples().iter().filter(|it| it.text.len() < 4_000) {
        check_mapping(&parse_as(
            Language::of_file(sample.name.as_ref(), &sample.text),
            &sample.text,
        ));
    }
}

#[test]
fn module_contains_its_functions() {
    let parse = parse_as(Language::Mlir, TEXT);
    let units = units(&parse);
    let frame = units.frames[0].source.green.text();
    let at = |what: &str| frame.find(what).unwrap() as u32;
    let file = |start: u32, end: u32| {
        let range = units.frame_to_file(0, TextRange::new(start.into(), end.into()));
        parse.text()[std::ops::Range::<usize>::from(range)].to_owned()
    };
    assert!(file(at("module"), frame.len() as u32).ends_with("}\n"));
    let function = file(at("func.func @f"), at(" loc"));
    assert!(function.starts_with("func.func @f") && function.ends_with('}'), "{function}");
    assert_eq!(file(at("attributes"), at("attributes") + 14), "attributes {x}");
}

#[track_caller]
fn check_equal(parse: &Parse, new: &Units, after: &str) {
    let fresh = units(parse);
    assert_eq!(render(parse, new), render(parse, &fresh), "{after}");
    let places = |units: &Units| -> Vec<TextRange> {
        let functions = units.functions.iter().map(|it| it.range);
        functions.chain(units.frames.iter().map(|it| it.range)).collect()
    };
    assert_eq!(places(new), places(&fresh), "{after}");
    for (a, b) in new.functions.iter().zip(&fresh.functions) {
        assert_eq!(a.source.cuts, b.source.cuts);
        assert_eq!(a.source.green, b.source.green);
    }
}

#[test]
fn edited_files_have_the_units_of_fresh_ones() {
    let pieces =
        ["\n", "}", "{", "func.func @x() {\n}\n", "// -----\n", "%0", "a.b\n", "module {\n"];
    let mut rng = Rng::new(5);
    let samples = ir_samples();
    let short = samples.iter().filter(|it| it.text.len() < 8_000).step_by(4);
    for text in short.map(|it| it.text.clone()).chain([TEXT.to_owned()]) {
        let mut text = text;
        let mut parse = parse_as(Language::of_file("x".as_ref(), &text), &text);
        let mut last = units(&parse);
        for _ in 0..12 {
            let at = text.floor_char_boundary(rng.below(text.len() + 1));
            let end = text.floor_char_boundary((at + rng.below(8)).min(text.len())).max(at);
            let range = TextRange::new((at as u32).into(), (end as u32).into());
            let edit = Edit::replace(range, *rng.pick(&pieces));
            edit.apply(&mut text);
            parse = parse.reparse(&edit).parse;
            last = units_after(&parse, &last);
            check_equal(&parse, &last, &format!("{edit:?} gives\n{text}"));
        }
    }
}

#[test]
fn edit_in_a_body_keeps_all_other_units() {
    let parse = parse_as(Language::Mlir, TEXT);
    let before = units(&parse);
    let at = TEXT.find("return").unwrap() as u32;
    let new = parse.reparse(&Edit::insert(at.into(), "a.b\n    ")).parse;
    let after = units_after(&new, &before);
    assert!(before.differs_in_a_body_only(&after));
    let shared = before.functions.iter().zip(&after.functions);
    let shared: Vec<bool> = shared.map(|(a, b)| Arc::ptr_eq(&a.source, &b.source)).collect();
    assert_eq!(shared, [true, false, true, true]);
    check_equal(&new, &after, "");
}

#[test]
fn edit_of_one_document_keeps_the_units_of_others() {
    let parse = parse_as(Language::Mlir, TEXT);
    let before = units(&parse);
    let new = parse.reparse(&Edit::insert(0.into(), "#n = 1\n")).parse;
    let after = units_after(&new, &before);
    assert!(!before.differs_in_a_body_only(&after));
    let shared = before.functions.iter().zip(&after.functions);
    assert!(shared.clone().all(|(a, b)| Arc::ptr_eq(&a.source, &b.source)));
    assert!(Arc::ptr_eq(&before.frames[1].source, &after.frames[1].source));
    check_equal(&new, &after, "");
}
