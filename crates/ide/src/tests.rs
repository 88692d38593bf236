//! Tests of the features, through [`Analysis`](crate::Analysis) as editors use it.

mod actions;
mod calls;
mod cancelling;
mod completion;
mod definitions;
mod effects;
mod findings;
mod generations;
mod hints;
mod imports;
mod instances;
mod kept;
mod mlir_expected;
mod mlir_kept;
mod mlir_linked;
mod mlir_names;
mod mlir_plans;
mod names;
mod operations;
mod panics;
mod places;
mod pointer_calls;
mod random_edits;
mod reports;
mod script_completion;
mod script_hover;
mod signatures;
mod simplifications;
mod tile_possible;
mod tile_rules;
mod tile_speed;
mod tilelang;
mod workspace_symbols;

use crate::{Analysis, AnalysisHost, CallPlace, FileId, TextRange, TextSize};

const FILE: FileId = FileId(0);

/// A host with one open file.
fn host(text: &str) -> AnalysisHost {
    let mut host = AnalysisHost::new();
    host.open_file(FILE, syntax::parse(text));
    host
}

fn analysis(text: &str) -> Analysis {
    host(text).analysis()
}

/// The first place in the file that defines the name at an offset.
fn definition(analysis: &Analysis, offset: TextSize) -> Option<TextRange> {
    let places = analysis.definitions(FILE, offset).unwrap();
    places.into_iter().find_map(|it| match it.place {
        CallPlace::Range(range) => Some(range),
        CallPlace::Spot(_) => None,
    })
}

/// A file with one function `f` over buffers `A`, `B`, `C` of int32 and float32 `F`, and scalars `i`, `j`, `n`.
fn function(body: &str) -> String {
    let mut text = String::from(
        "from tvm.script import tirx as T\n\n\n\
         @T.prim_func\n\
         def f(A: T.Buffer((128,), \"int32\"), B: T.Buffer((128,), \"int32\"), C: T.Buffer((128,), \"int32\"), \
         F: T.Buffer((128,), \"float32\"), i: T.int32, j: T.int32, n: T.int32):\n",
    );
    for line in test_utils::trim_indent(body).lines() {
        text.push_str(&format!("    {line}\n"));
    }
    text
}

/// Returns the text below the header of [`function`], without its indentation.
fn body_of(text: &str) -> String {
    let at =
        text.find("n: T.int32):\n").expect("the header of `function`") + "n: T.int32):\n".len();
    let mut body = String::new();
    for line in text[at..].lines() {
        body.push_str(line.strip_prefix("    ").unwrap_or(line));
        body.push('\n');
    }
    body
}

/// A text with a cursor, without it.
fn with_cursor(text: &str) -> (String, TextSize) {
    test_utils::extract_cursor(text)
}
