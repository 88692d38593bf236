//! TVMScript: from the tree of a file to its functions, from a function to a [`Body`](ir::Body).
//!
//! [`functions`] finds the functions of a file and their context; [`lower`] makes one function's body, the map back to
//! its text, and diagnostics. All positions are relative to the function's start.

pub mod allow;
mod ast;
pub mod checked;
pub mod diagnostics;
pub mod discover;
mod edits;
pub mod environment;
mod finding_edits;
pub mod instance;
mod lower;
pub mod modules;
pub mod request;
mod reread;
pub mod script_words;
mod simplify_edits;
pub mod skim;
pub mod source_map;
pub mod staging;
#[cfg(test)]
mod tests;
mod vocabulary;
mod written_function;

pub use allow::Allowances;
pub use checked::{
    CheckedEdits, Edited, Mismatch, ReadBack, checked_cse_edits, checked_finding_edits,
    checked_simplify_edits,
};
pub use discover::{
    Asked, Context, Factory, FileFunctions, ForeignCall, FunctionItem, FunctionKey, FunctionKind,
    FunctionSource, Modules, NoModules, Scopes, functions, functions_after,
};
pub use edits::Selection;
pub use environment::{Assertion, Capture, Constant, Environment, Found, Namespace, Signature};
pub use instance::{Arguments, Instance};
pub use lower::script_names;
pub use request::{Request, RequestError};
pub use source_map::{
    Definition, DefinitionId, DefinitionKind, EndSite, OccurrenceSource, Site, SourceMap, has_word,
};

pub use syntax::{Diagnostic, Severity};
pub use written_function::WrittenFunction;

/// Edits that were not read back: for code that compares text and body itself. Users get edits from [`checked`].
pub mod unchecked {
    pub use super::{
        edits::cse_edits,
        finding_edits::{FindingEdits, finding_edits},
        simplify_edits::{SimplifyEdits, simplify_edits},
    };
}

use ir::{
    Body,
    guard::{Panicked, Stage, guarded},
};

/// A function in the IR.
#[derive(Clone, Debug)]
pub struct Lowered {
    /// The function.
    pub body: Body,
    /// The place where its parts are in the text, relative to the function's start.
    pub source_map: SourceMap,
    /// The diagnostics, in text order.
    pub diagnostics: Vec<Diagnostic>,
}

/// Lowers one function. Never fails: unsupported code becomes an opaque operation or expression; where that is not
/// possible because of a mistake of ours, the body is empty, with a diagnostic.
pub fn lower(function: &FunctionSource, environment: &dyn Environment) -> Lowered {
    try_lower(function, environment).unwrap_or_else(|panicked| Lowered {
        body: Body::new(&function.name, function.dialect),
        source_map: SourceMap::default(),
        diagnostics: vec![diagnostics::internal_error(&panicked, function.name_range)],
    })
}

/// Like [`lower`], for callers that report mistakes of ours in another way than as a diagnostic.
///
/// # Errors
/// A mistake of ours, with a report.
pub fn try_lower(
    function: &FunctionSource,
    environment: &dyn Environment,
) -> Result<Lowered, Panicked> {
    guarded(Stage::Reading, &function.name, || lower::lower(function, environment))
}
