//! Layout: white space between tokens, as edits.

use db::{Configuration, RootDatabase, SourceFile};
use syntax::{Edit, FormatError, Language, TextRange, format_mlir};

/// Why a file has no edits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FormatRefusal {
    /// Only MLIR is laid out.
    Language(Language),
    /// Its errors make it unsafe.
    Errors(FormatError),
}

impl std::fmt::Display for FormatRefusal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            FormatRefusal::Language(_) => write!(f, "only MLIR is formatted"),
            FormatRefusal::Errors(error) => error.fmt(f),
        }
    }
}

/// The edits that lay a file out, or the lines that a range touches.
pub(crate) fn format(
    db: &RootDatabase,
    file: SourceFile,
    within: Option<TextRange>,
) -> Result<Vec<Edit>, FormatRefusal> {
    let parse = db::parse(db, file);
    match parse.language() {
        Language::Mlir => {
            let shapes = &Configuration::get(db).dialects(db).shapes;
            format_mlir(&parse.text(), shapes, within).map_err(FormatRefusal::Errors)
        }
        language => Err(FormatRefusal::Language(language)),
    }
}
