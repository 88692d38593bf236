//! The table of languages: what differs between them in this crate, one row a language.
//!
//! `frontend` has a row a language too (`frontend::Frontend`): how its units become bodies. Nothing else asks which
//! language a file is in: it asks a row. The page "Add a language" beside `crates/README.md` lists the places of a new
//! one.

use parser::{SyntaxKind, mlir::Shapes, pir, tvmscript};
use rowan::TextRange;

use super::{Language, first_words};
use crate::{
    Edit, FormatError, Green, SyntaxError, SyntaxNode, builder, errors,
    format::format_mlir,
    reparse::{self, ReadsAlike, Sites},
    units::Scan,
};

/// The form of a language's units.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Form {
    /// Functions of statements, with expressions in them that have no names.
    Expressions,
    /// Functions and programs of operations, each of which names its results.
    Operations,
}

/// How a text is laid out: the edits, of the lines that the range touches if there is one.
pub type Format = fn(&str, &Shapes, Option<TextRange>) -> Result<Vec<Edit>, FormatError>;

/// A row of the table.
pub struct LanguageSupport {
    /// The language.
    pub language: Language,
    /// Its name in messages.
    pub name: &'static str,
    /// Its name on the command line and in settings.
    pub id: &'static str,
    /// The names that editors have for it.
    pub editor_ids: &'static [&'static str],
    /// The ends of the names of its files.
    pub extensions: &'static [&'static str],
    /// The form of its units.
    pub form: Form,
    /// True if its texts are read with tables of operations ([`Shapes`]), which users extend.
    pub uses_shapes: bool,
    /// True if its functions have device code.
    pub has_device_code: bool,
    /// True if the interpreter executes its functions.
    pub is_executed: bool,
    /// How its texts are laid out; `None` where that is left to other tools.
    pub format: Option<Format>,
    /// Returns true if a text begins as texts of the language do, and no others.
    pub(super) begins: fn(&str) -> bool,
    /// The first of the kinds of nodes that are its own.
    pub(super) first_kind: SyntaxKind,
    /// The tree of a text.
    pub(crate) parse: fn(&str, &Shapes) -> Green,
    /// The parts that could be read again after an edit, from the inside to the outside.
    pub(crate) sites: Sites,
    /// Tells which edits of a token leave all else as it is; `None` where the parts that are read again are short.
    pub(crate) reads_alike: Option<ReadsAlike>,
    /// The syntax errors below a node, perhaps after a tree that has none.
    pub(crate) errors: fn(&SyntaxNode, Option<&Green>) -> Vec<SyntaxError>,
    /// Finds the units of operations; nothing where functions are found by the names around them.
    pub(crate) scan: fn(&mut Scan<'_>),
}

impl Language {
    /// Its row of the table.
    pub fn support(self) -> &'static LanguageSupport {
        match self {
            Language::TvmScript => &TVMSCRIPT,
            Language::Mlir => &MLIR,
            Language::Pir => &PIR,
        }
    }
}

static TVMSCRIPT: LanguageSupport = LanguageSupport {
    language: Language::TvmScript,
    name: "TVMScript",
    id: "tvmscript",
    editor_ids: &["python"],
    extensions: &["py", "pyi"],
    form: Form::Expressions,
    uses_shapes: false,
    has_device_code: true,
    is_executed: true,
    format: None,
    begins: |_| false,
    first_kind: SyntaxKind::TOMBSTONE,
    parse: |text, _| builder::build(text, tvmscript::parse(text).steps()),
    sites: reparse::statement_sites,
    reads_alike: Some(reparse::reads_alike),
    errors: errors::of_statements,
    scan: |_| {},
};

static MLIR: LanguageSupport = LanguageSupport {
    language: Language::Mlir,
    name: "MLIR",
    id: "mlir",
    editor_ids: &["mlir", "ttir", "ttgir"],
    extensions: &["mlir", "ttir", "ttgir"],
    form: Form::Operations,
    uses_shapes: true,
    has_device_code: true,
    is_executed: true,
    format: Some(format_mlir),
    begins: first_words::is_mlir,
    first_kind: SyntaxKind::MLIR_FILE,
    parse: builder::build_mlir,
    sites: reparse::item_sites,
    reads_alike: None,
    errors: errors::of_items,
    scan: |it| it.chunks(),
};

static PIR: LanguageSupport = LanguageSupport {
    language: Language::Pir,
    name: "PIR",
    id: "pir",
    editor_ids: &["pir"],
    extensions: &["pir"],
    form: Form::Operations,
    uses_shapes: false,
    has_device_code: false,
    is_executed: false,
    format: None,
    begins: first_words::is_pir,
    first_kind: SyntaxKind::PIR_FILE,
    parse: |text, _| builder::build_operations(text, pir::parse(text).into_iter()),
    sites: reparse::item_sites,
    reads_alike: None,
    errors: errors::of_items,
    scan: |it| it.programs(),
};
