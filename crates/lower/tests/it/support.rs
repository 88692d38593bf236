//! Parsing texts to bodies, and reducing printed bodies to the compared parts.

use frontend::tvmscript::{FunctionKind, Lowered, functions, lower};

/// The functions of a file, read.
pub(crate) fn read(text: &str) -> Vec<Lowered> {
    let file = functions(&syntax::parse(text));
    let functions = file.functions.iter().filter(|it| it.source.kind == FunctionKind::PrimFunc);
    functions.map(|it| lower(&it.source, &file.environment(it))).collect()
}

/// The lines below the signature, without its indentation.
pub(crate) fn statements(text: &str) -> String {
    let start = text.find("):\n").map_or(0, |it| it + 3);
    let lines = text[start..].lines();
    lines.map(|it| format!("{}\n", it.strip_prefix("    ").unwrap_or(it))).collect()
}
