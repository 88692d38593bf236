//! The inputs: files and options. All else follows from them.

use std::sync::Arc;

use syntax::Parse;
use transform::{cse::CseOptions, findings::FindingOptions};

/// What is known of a file.
#[derive(Clone, Debug)]
pub enum Content {
    /// Its text: for files that nobody edits. Their trees are made on demand and only a few are kept.
    Text(Arc<str>),
    /// Its tree: for open files, whose trees are made from the previous ones by re-parsing what an edit touched.
    Tree(Parse),
}

/// A file.
#[salsa::input(debug)]
pub struct SourceFile {
    /// What is known of it.
    #[returns(ref)]
    pub content: Content,
}

/// Options of the analyses.
#[derive(Clone, Copy, PartialEq, Eq, Default, Hash, Debug)]
pub struct Options {
    /// How common subexpressions are planned.
    pub cse: CseOptions,
    /// What is found beside common subexpressions.
    pub findings: FindingOptions,
}

/// The options in force; there is one.
#[salsa::input(singleton, debug)]
pub struct Configuration {
    /// The options.
    #[returns(copy)]
    pub options: Options,
}
