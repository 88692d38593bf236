//! Code actions: what can be done with the text in a range, and with all of its file.

mod expressions;
mod operations;

use db::{RootDatabase, SourceFile};
use frontend::tvmscript::ReadBack;
use syntax::{Form, TextRange};

use crate::code_action::{ActionKind, CodeAction};

/// Returns the code actions in a range, of the wanted kinds.
pub(crate) fn code_actions(
    db: &RootDatabase,
    file: SourceFile,
    range: TextRange,
    wants: &dyn Fn(ActionKind) -> bool,
    reading: ReadBack,
) -> Vec<CodeAction> {
    match db::form(db, file) {
        Form::Expressions => expressions::code_actions(db, file, range, wants, reading),
        Form::Operations => {
            operations::code_actions(db, file, range, wants, &|_| reading == ReadBack::Now)
        }
    }
}

/// The action of this name that [`code_actions`] gives, with its edits: the one after so many others of the name.
pub(crate) fn resolved(
    db: &RootDatabase,
    file: SourceFile,
    range: TextRange,
    (kind, title, number): (ActionKind, &str, usize),
) -> Option<CodeAction> {
    let wants = |it| it == kind;
    let all = match db::form(db, file) {
        Form::Expressions => code_actions(db, file, range, &wants, ReadBack::Now),
        // Each is read back by reading all of its function again: no other one is.
        Form::Operations => operations::code_actions(db, file, range, &wants, &|it| it == title),
    };
    all.into_iter().filter(|it| it.title == title).nth(number)
}
