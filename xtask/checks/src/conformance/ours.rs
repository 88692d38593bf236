//! Our side of a comparison: a file read, its functions lowered, and text with some of them printed anew.

use std::ops::Range;

use frontend::tvmscript::{FunctionKind, Lowered, functions, lower};
use ir::Body;

/// A file as our crates read it.
pub(crate) struct Reading {
    /// True if the tree gives the bytes of the file back.
    pub(crate) is_lossless: bool,
    /// The share of the text in error nodes.
    pub(crate) error_share: f64,
    /// The prim_funcs, in text order.
    pub(crate) functions: Vec<Function>,
}

/// A lowered function and its place.
pub(crate) struct Function {
    /// Its name.
    pub(crate) name: String,
    /// Whole lines of the definition in the file, decorators included, without the last line's end.
    range: Range<usize>,
    /// Columns before the decorator.
    indent: usize,
    /// The result of lowering it.
    pub(crate) lowered: Lowered,
}

/// Reads a file.
pub(crate) fn read(text: &str) -> Reading {
    let parse = syntax::parse(text);
    let file = functions(&parse);
    let lowered = file
        .functions
        .iter()
        .filter(|item| item.source.kind == FunctionKind::PrimFunc)
        .map(|item| {
            let start = usize::from(item.range.start());
            let line = text[..start].rfind('\n').map_or(0, |at| at + 1);
            let end = start + text[start..usize::from(item.range.end())].trim_end().len();
            Function {
                name: item.source.name.to_string(),
                range: line..end,
                indent: start - line,
                lowered: lower(&item.source, &file.environment(item)),
            }
        })
        .collect();
    Reading {
        is_lossless: parse.text() == text,
        error_share: syntax::error_share(&parse),
        functions: lowered,
    }
}

impl Function {
    /// The line of its first decorator in the file, from 0. O(file).
    pub(crate) fn first_line(&self, text: &str) -> usize {
        text[..self.range.start].matches('\n').count()
    }
}

impl Reading {
    /// The file with every function printed from the body that `choose` gives for it; the text of one without a
    /// body stays.
    pub(crate) fn print(
        &self,
        text: &str,
        mut choose: impl FnMut(&Function) -> Option<Body>,
    ) -> String {
        let mut printed = String::with_capacity(text.len());
        let mut done = 0;
        for function in &self.functions {
            let Some(body) = choose(function) else { continue };
            printed.push_str(&text[done..function.range.start]);
            printed.push_str(ir::print::tvmscript(&body, function.indent).trim_end());
            done = function.range.end;
        }
        printed.push_str(&text[done..]);
        printed
    }
}
