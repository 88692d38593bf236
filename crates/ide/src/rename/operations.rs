//! Rename of operations: every mention, or a sentence why not. A new name may be written with or without its sigil;
//! a symbol may have any name, which is written in quotes where it needs them.

use db::{RootDatabase, SourceFile};
use syntax::{Edit, SyntaxKind, TextRange, TextSize, escaped, symbol_name, symbol_text};

use crate::names::operations::{NameKind, OpName, is_taken, name_token, named_at};

pub(super) fn prepare(
    db: &RootDatabase,
    file: SourceFile,
    offset: TextSize,
) -> Result<TextRange, String> {
    Ok(renamable(db, file, offset)?.named.range)
}

fn renamable(db: &RootDatabase, file: SourceFile, offset: TextSize) -> Result<OpName, String> {
    let named = named_at(db, file, offset).ok_or_else(|| unknown(db, file, offset))?;
    match named.named.definition {
        Some(_) => Ok(named),
        None => Err("the name is not defined in this file".to_owned()),
    }
}

/// The sentence about a place whose name is not known. A symbol that another file defines follows a rename there.
fn unknown(db: &RootDatabase, file: SourceFile, offset: TextSize) -> String {
    match name_token(&db::parse(db, file).syntax(), offset) {
        Some(token) if token.kind() == SyntaxKind::SYMBOL_ID => format!(
            "nothing in this file defines `{}`: rename it where it is defined, and this file follows",
            token.text()
        ),
        _ => "there is no name at this place whose definition is known".to_owned(),
    }
}

pub(super) fn rename(
    db: &RootDatabase,
    file: SourceFile,
    offset: TextSize,
    new_name: &str,
) -> Result<Vec<Edit>, String> {
    let OpName { kind, named } = renamable(db, file, offset)?;
    let root = db::parse(db, file).syntax();
    let old = root.text_in(named.range);
    let sigil = match kind {
        NameKind::Value => "%",
        NameKind::Block => "^",
        NameKind::Symbol => "@",
        NameKind::Alias if old.starts_with('!') => "!",
        NameKind::Alias => "#",
    };
    let new = match kind {
        NameKind::Symbol if symbol_name(new_name).is_empty() => {
            return Err("a symbol has a name".to_owned());
        }
        // Any text is a name, in quotes where it needs them.
        NameKind::Symbol => symbol_text(&symbol_name(new_name)),
        kind => {
            let bare = new_name.strip_prefix(sigil).unwrap_or(new_name);
            check_name(kind, bare)?;
            format!("{sigil}{bare}")
        }
    };
    if new == old {
        return Ok(Vec::new());
    }
    let is_same = kind == NameKind::Symbol && symbol_name(&new) == symbol_name(&old);
    if !is_same && collides(db, file, offset, kind, &new) {
        return Err(format!("the name `{new}` is already used here"));
    }
    let edit = |range: TextRange| {
        // In the generic form, a symbol is defined by a string.
        match root.text_in(range).starts_with(sigil) {
            true => Edit::replace(range, &new),
            false => Edit::replace(range, escaped(&symbol_name(&new))),
        }
    };
    Ok(named.mentions.iter().map(|it| edit(it.range)).collect())
}

fn check_name(kind: NameKind, name: &str) -> Result<(), String> {
    let mut chars = name.chars();
    let first = chars.next();
    let is_number = !name.is_empty() && name.bytes().all(|it| it.is_ascii_digit());
    let (begins, goes_on): (&str, &str) = match kind {
        NameKind::Value | NameKind::Block => ("$._-", "$._-"),
        // A dot would make it an attribute of a dialect.
        NameKind::Alias | NameKind::Symbol => ("_", "$_"),
    };
    let is_word = first.is_some_and(|it| it.is_ascii_alphabetic() || begins.contains(it))
        && chars.all(|it| it.is_ascii_alphanumeric() || goes_on.contains(it));
    let may_be_number = matches!(kind, NameKind::Value | NameKind::Block);
    if is_word || (may_be_number && is_number) {
        return Ok(());
    }
    Err(format!("`{name}` is not a name in this language"))
}

/// Returns true if an entity in scope already has the name: values and blocks of the unit, symbols and aliases of the
/// document.
fn collides(
    db: &RootDatabase,
    file: SourceFile,
    offset: TextSize,
    kind: NameKind,
    name: &str,
) -> bool {
    let token = match kind {
        NameKind::Value => SyntaxKind::VALUE_ID,
        NameKind::Block => SyntaxKind::BLOCK_ID,
        NameKind::Symbol | NameKind::Alias => return is_taken(db, file, offset, kind, name),
    };
    let Some(at) = db::unit_at(db, file, offset) else { return false };
    let root = at.unit.green(db).syntax();
    root.tokens().any(|it| it.kind() == token && it.text() == name)
}
