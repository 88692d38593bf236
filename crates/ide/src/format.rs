//! Layout: white space between tokens, as edits.

use db::{RootDatabase, SourceFile};
use syntax::{Edit, FormatError, Language, TextRange};

/// The reason why a file has no edits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FormatRefusal {
    /// Files of the language are laid out by other tools.
    Language(Language),
    /// Its errors make it unsafe.
    Errors(FormatError),
}

impl std::fmt::Display for FormatRefusal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            FormatRefusal::Language(_) => {
                let formatted = Language::with(|it| it.format.is_some());
                let names: Vec<_> = formatted.iter().map(|it| it.support().name).collect();
                write!(f, "only {} is formatted", names.join(" or "))
            }
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
    let language = parse.language();
    let format = language.support().format.ok_or(FormatRefusal::Language(language))?;
    let shapes = db::shapes(db, file);
    format(&parse.text(), shapes, within).map_err(FormatRefusal::Errors)
}
