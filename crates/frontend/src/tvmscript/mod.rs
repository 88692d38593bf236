//! TVMScript: from the tree of a file to its functions, from a function to a [`Body`](ir::Body).
//!
//! [`functions`] finds the functions of a file and what is around them; [`lower`] makes one function's body, the map
//! back to its text, and diagnostics. All positions are relative to the function's start.

pub mod allow;
mod ast;
mod constants;
pub mod diagnostics;
pub mod discover;
pub mod edits;
pub mod environment;
pub mod finding_edits;
mod lower;
mod reread;
pub mod simplify_edits;
pub mod source_map;
#[cfg(test)]
mod tests;

pub use allow::Allowances;
pub use diagnostics::{Diagnostic, DiagnosticRule, Severity};
pub use discover::{
    FileFunctions, FunctionItem, FunctionKey, FunctionKind, FunctionSource, functions,
    functions_after,
};
pub use edits::{Selection, cse_edits};
pub use environment::{Capture, Constant, Environment, Found, Namespace, Signature};
pub use finding_edits::{FindingEdits, finding_edits};
pub use simplify_edits::{
    CheckedEdits, Edited, SimplifyEdits, checked_simplify_edits, simplify_edits,
};
pub use source_map::{
    Definition, DefinitionId, DefinitionKind, EndSite, OccurrenceSource, Site, SourceMap,
};

use ir::Body;

/// A function in the IR.
#[derive(Clone, Debug)]
pub struct Lowered {
    /// The function.
    pub body: Body,
    /// Where its parts are in the text, relative to the function's start.
    pub source_map: SourceMap,
    /// What is wrong with it, in text order.
    pub diagnostics: Vec<Diagnostic>,
}

/// Lowers one function. Never fails: what cannot be understood becomes an opaque operation or expression.
pub fn lower(function: &FunctionSource, environment: &dyn Environment) -> Lowered {
    lower::lower(function, environment)
}
