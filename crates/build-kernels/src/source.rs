//! From the text of a file to its functions, for a build.
//!
//! In: text of TVMScript. Out: each function with a hash of all that its body depends on, and a way to its body. A
//! function depends on its own text and on the rest of its file: its possible captures are hashed with it. Nothing of
//! the Python around functions is executed. Linear in the text; a body is lowered only when it is asked for.

use std::sync::Arc;

use codegen::{
    build::{Broken, Place, SourceBody, SourceFunction, hash_of},
    reasons::HAS_ERRORS,
};
use frontend::tvmscript::{NoModules, self, FileFunctions, FunctionItem, FunctionKind, Severity};
use ir::effects::EffectTable;
use syntax::{ColumnEncoding, LineIndex, TextSize};

/// Version of this crate and those below it that read texts.
pub(crate) const READER: &str = env!("READER_SOURCES");

/// A file that was parsed.
pub(crate) struct Module {
    lines: LineIndex,
    functions: FileFunctions,
    /// For each function, the hash of all that its body depends on.
    hashes: Vec<[u8; 32]>,
}

impl Module {
    pub(crate) fn read(text: &str, effects: &Arc<EffectTable>) -> Module {
        let parse = syntax::parse(text);
        let functions = tvmscript::functions(&parse).with_effects(effects.clone());
        let rest = hash_of_the_rest(&functions, text);
        let hash = |item: &FunctionItem| {
            hash_of(&[
                READER.as_bytes(),
                effects.rows_of_user().as_bytes(),
                &rest,
                &[item.source.dialect as u8],
                text[item.range].as_bytes(),
            ])
        };
        let hashes = functions.functions.iter().map(hash).collect();
        Module { lines: LineIndex::new(text), functions, hashes }
    }

    /// The functions of TIR, in the order of their places.
    pub(crate) fn functions(&self) -> Vec<SourceFunction<'_>> {
        let items = self.functions.functions.iter().zip(&self.hashes);
        items
            .filter(|(item, _)| item.source.kind == FunctionKind::PrimFunc)
            .map(|(item, hash)| SourceFunction {
                name: item.source.name.to_string(),
                text: *hash,
                first_line: self.line(item.range.start()) + 1,
                name_at: self.place(item, item.source.name_range.start()),
                body: Box::new(|| self.body(item)),
            })
            .collect()
    }

    fn line(&self, offset: TextSize) -> u32 {
        self.lines.line_col(offset, ColumnEncoding::Utf8).line
    }

    /// The place of an offset from the start of a function.
    fn place(&self, item: &FunctionItem, offset: TextSize) -> Place {
        let start = item.range.start();
        place(&self.lines, self.line(start), start + offset)
    }

    fn body(&self, item: &FunctionItem) -> Result<SourceBody, Broken> {
        let lowered = tvmscript::try_lower(&item.source, &self.functions.environment(item))
            .map_err(|panicked| Broken::of_panic(&panicked))?;
        let error = lowered.diagnostics.into_iter().find(|it| it.severity == Severity::Error);
        if let Some(error) = error {
            return Err(Broken {
                reason: HAS_ERRORS,
                detail: error.message,
                place: Some(self.place(item, error.range.start())),
            });
        }
        let place = |op| self.place(item, lowered.source_map.op_range(op).start());
        let places = lowered.body.ops_preorder().map(|op| (op, place(op))).collect();
        Ok(SourceBody { body: lowered.body, places })
    }
}

/// The place of an offset in the file, in a function that begins in the line `first`.
pub(crate) fn place(lines: &LineIndex, first: u32, offset: TextSize) -> Place {
    let at = lines.line_col(offset, ColumnEncoding::Utf32);
    Place { line: at.line.saturating_sub(first), column: at.col + 1 }
}

/// Hashes the inputs of functions besides their own text: everything of the file outside its TIR functions, the macros,
/// and the signatures of the functions.
fn hash_of_the_rest(functions: &FileFunctions, text: &str) -> [u8; 32] {
    let mut parts: Vec<Vec<u8>> = Vec::new();
    let mut done = 0;
    for item in &functions.functions {
        if item.source.kind != FunctionKind::PrimFunc || usize::from(item.range.start()) < done {
            continue;
        }
        parts.push(text.as_bytes()[done..item.range.start().into()].to_vec());
        let seen = functions.capture(item.scope, &item.source.name, &NoModules).capture;
        parts.push(format!("{seen:?}").into_bytes());
        done = item.range.end().into();
    }
    parts.push(text.as_bytes()[done..].to_vec());
    let parts: Vec<&[u8]> = parts.iter().map(Vec::as_slice).collect();
    hash_of(&parts)
}
