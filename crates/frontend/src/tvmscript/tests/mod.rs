//! Tests of this module: the IR, the diagnostics and the sources of texts.

mod allow;
mod diagnostics;
mod discovery;
mod expressions;
mod gradual;
mod printed;
mod python;
mod robustness;
mod signatures;
mod sources;
mod statements;
mod tilelang;
mod tilelang_functions;
mod tilelang_prints;
mod vocabulary;

use super::{FileFunctions, FunctionItem, Lowered, functions, lower};

/// The functions of a text.
fn file(text: &str) -> FileFunctions {
    functions(&syntax::parse(text))
}

/// The first function of a text, lowered.
fn lowered(text: &str) -> (FunctionItem, Lowered) {
    let file = file(text);
    let item = file
        .functions
        .iter()
        .find(|it| it.source.kind == super::FunctionKind::PrimFunc)
        .expect("the text has a function")
        .clone();
    let lowered = lower(&item.source, &file.environment(&item));
    (item, lowered)
}

/// The first function of a text, lowered, verified and printed, after its diagnostics.
fn printed(text: &str) -> String {
    let (_, lowered) = lowered(text);
    let errors = ir::verify::verify(&lowered.body);
    assert!(errors.is_empty(), "{errors:?}");
    let mut result = String::new();
    for diagnostic in &lowered.diagnostics {
        result.push_str(&format!("{}: {}\n", diagnostic.code, diagnostic.message));
    }
    result + &ir::print::tvmscript(&lowered.body, 0)
}

/// The statements of a function without their common indentation, which `expect!` does not keep.
fn dedent(text: &str) -> String {
    text.lines().map(|line| format!("{}\n", line.strip_prefix("    ").unwrap_or(line))).collect()
}
