//! Cuts of a text into documents: exactly those that `mlir-opt -split-input-file` makes in every text that it accepts.

use std::collections::BTreeMap;

use frontend::mlir::{Shapes, UnitKind, lower_file};

use super::{asking_the_peer, peer, run, through_peer};

const F: &str = "func.func @a() { return }";

/// Texts (`F` stands for a function), and how many functions each of their documents has.
const CUTS: &[(&str, &[usize])] = &[
    ("F\n// -----\nF\n", &[1, 1]),
    ("F\n  // -----\nF\n", &[1, 1]),
    ("F\n\t// -----  \t\nF\n", &[1, 1]),
    ("F // -----\nF\n", &[1, 1]),
    ("F// -----\nF\n", &[1, 1]),
    ("F\n// -----F\n", &[1, 1]),
    ("F\n// ----- F\n", &[1, 1]),
    ("F\n// -----// c\nF\n", &[1, 1]),
    ("F\n// ----- // c\nF\n", &[1, 1]),
    ("F\n// -----// IR Dump After CSE (cse) //----- //\nF\n", &[1, 1]),
    ("F\n// c // -----\nF\n", &[1, 1]),
    ("F\n//// -----\nF\n", &[1, 1]),
    ("F\n// -----\n// -----\nF\n", &[1, 1]),
    ("F // ----- // -----\nF\n", &[1, 1]),
    ("F\n// -----\nF\n// -----\n", &[1, 1]),
    ("F\n// -----", &[1]),
    (" // -----\nF\n", &[1]),
    ("\n// -----\nF\n", &[1]),
    ("F\r\n// -----\r\nF\r\n", &[1, 1]),
    ("F\r\n // -----\r\nF\r\n", &[1, 1]),
    ("F\r// -----\rF\r", &[1, 1]),
    ("F\n// ---\n// -----\nF\n", &[1, 1]),
    ("F\n// -----\n#m = affine_map<(d0) -> (d0)>\nF\n", &[1, 1]),
    ("F\n// ----- #m = affine_map<(d0) -> (d0)>\nF\n", &[1, 1]),
    ("F\n// ----- module { F }\n", &[1, 1]),
    // These are no markers: cut there, `mlir-opt` refuses the text, and without being cut it takes it.
    ("F\n// ------\nmodule @m { F }\n", &[2]),
    ("F\n// ----- Loops -----\nmodule @m { F }\n", &[2]),
    ("F\n// -----0\nmodule @m { F }\n", &[2]),
    ("F\n// ----\nmodule @m { F }\n", &[2]),
    ("F\n//-----\nmodule @m { F }\n", &[2]),
    ("F\n//  -----\nmodule @m { F }\n", &[2]),
    ("F\n// -- -----\nmodule @m { F }\n", &[2]),
    ("F\nmodule @m {\n  // -----\n F }\n", &[2]),
    ("F\nmodule @m attributes {x.a = \"// -----\"} { F }\n", &[2]),
    ("F\nmodule @m { // c // -----\n F }\n", &[2]),
];

fn functions_by_document(text: &str) -> Vec<usize> {
    let mut by_document: BTreeMap<usize, usize> = BTreeMap::new();
    lower_file(text, Shapes::builtin(), &mut |unit| {
        let is_function = unit.kind == UnitKind::Function;
        *by_document.entry(unit.document).or_default() += usize::from(is_function);
    });
    by_document.into_values().filter(|it| *it > 0).collect()
}

#[test]
fn documents_end_at_their_markers() {
    let peer = peer();
    for (text, expected) in CUTS {
        let text = text.replace('F', F);
        assert_eq!(functions_by_document(&text), *expected, "{text:?}");
        let Some(peer) = &peer else { continue };
        match through_peer(peer, &text, &["-split-input-file"]) {
            Ok(cut) => {
                let functions = cut.split("// -----").map(|it| it.matches("func.func").count());
                let theirs: Vec<usize> = functions.filter(|it| *it > 0).collect();
                assert_eq!(theirs, *expected, "{text:?}");
            }
            Err(_) => {
                let whole = through_peer(peer, &text, &[]);
                assert!(whole.is_ok(), "the peer refuses {text:?} in both ways: {whole:?}");
            }
        }
    }
}

#[test]
#[ignore = "needs mlir-opt"]
fn mlir_opt_cuts_where_documents_end() {
    asking_the_peer(&[documents_end_at_their_markers]);
}

#[test]
fn an_alias_ends_with_its_document() {
    for marker in ["// -----", " // -----", "\t// -----  ", "// c // -----", "// -----// c"] {
        for line_end in ["\n", "\r\n", "\r"] {
            let text = format!(
                "#m = affine_map<(d0) -> (d0)>\nfunc.func @f() {{\n  return\n}}\n{marker}\n\
                 #m = affine_map<(d0) -> (d0 + 1)>\nfunc.func @g(%i: index) -> (index, index) {{\n  \
                 %0 = affine.apply #m(%i)\n  %1 = affine.apply affine_map<(d0) -> (d0)>(%i)\n  \
                 return %0, %1 : index, index\n}}\n"
            )
            .replace('\n', line_end);
            let (_, after) = run(&["fix"], "input.mlir", &text);
            assert_eq!(after, text, "{marker:?}");
        }
    }
}

#[test]
fn formatting_is_done_once_for_all_line_ends() {
    for (text, _) in CUTS {
        for line_end in ["\n", "\r\n", "\r"] {
            let text = text.replace('F', F).replace("\r\n", "\n").replace('\r', "\n");
            let text = text.replace('\n', line_end);
            let (_, once) = run(&["format"], "input.mlir", &text);
            let (_, twice) = run(&["format"], "input.mlir", &once);
            assert_eq!(once, twice, "{text:?}");
            let n_breaks = once.matches(['\n', '\r']).count() - once.matches("\r\n").count();
            assert_eq!(once.matches(line_end).count(), n_breaks, "{text:?} became {once:?}");
            assert_eq!(functions_by_document(&once), functions_by_document(&text), "{text:?}");
        }
    }
}
