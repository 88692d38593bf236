//! The inputs: files and their settings. All else follows from them.

use std::sync::Arc;

use frontend::tvmscript::{Instance, Request};
use pipeline::Dialects;
use syntax::{Language, Parse};
use transform::{cse::CseOptions, findings::FindingOptions, ops::OpOptions};

/// The contents of a file.
#[derive(Clone, Debug)]
pub enum Content {
    /// Its text: for files that are not edited. Their trees are made on demand and only a few are kept.
    Text(Language, Arc<str>),
    /// Its tree: for open files, whose trees are made from the previous ones by re-parsing the edited part.
    Tree(Parse),
}

impl Content {
    /// The length of the text, in bytes.
    pub fn len(&self) -> u64 {
        match self {
            Content::Text(_, text) => text.len() as u64,
            Content::Tree(parse) => u64::from(u32::from(parse.text_len())),
        }
    }

    /// Returns true if there is no text.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// A file.
#[salsa::input(debug)]
pub struct SourceFile {
    /// The contents.
    #[returns(ref)]
    pub content: Content,
    /// Its path, from which its imports are followed.
    #[returns(ref)]
    pub path: Option<Arc<str>>,
    /// The instances that are shown in place of general functions, one a factory.
    #[returns(ref)]
    pub chosen: Arc<[Arc<Instance>]>,
    /// The settings for it.
    #[returns(copy)]
    pub configuration: Configuration,
}

/// Options of the analyses.
#[derive(Clone, Copy, PartialEq, Eq, Default, Hash, Debug)]
pub struct Options {
    /// How common subexpressions are planned.
    pub cse: CseOptions,
    /// The options for findings other than common subexpressions.
    pub findings: FindingOptions,
    /// How equal and dead operations of MLIR are planned.
    pub ops: OpOptions,
}

/// The settings of the files of a folder, as they are given.
#[derive(Clone, Default, Debug)]
pub struct Settings {
    /// The options.
    pub options: Options,
    /// The tables of dialects.
    pub dialects: Dialects,
    /// The instances of factories that are asked for.
    pub requests: Arc<[Request]>,
}

/// The settings of the files of a folder.
#[salsa::input(debug)]
pub struct Configuration {
    /// The options.
    #[returns(copy)]
    pub options: Options,
    /// The tables of dialects. Open files must have been read with these.
    #[returns(ref)]
    pub dialects: Dialects,
    /// The instances of factories that are asked for.
    #[returns(ref)]
    pub requests: Arc<[Request]>,
}
