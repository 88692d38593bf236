//! Rename of names inside functions of statements: every mention, or a sentence why not.

use db::{RootDatabase, SourceFile};
use frontend::tvmscript::{Definition, DefinitionKind, has_word};
use syntax::{Edit, SyntaxKind, TextRange, TextSize};

use crate::names::expressions::{Mention, mention_at};

/// The name at an offset, if it can be renamed.
pub(super) fn prepare(
    db: &RootDatabase,
    file: SourceFile,
    offset: TextSize,
) -> Result<TextRange, String> {
    let mention = renamable(db, file, offset)?;
    Ok(mention.at.to_file(mention.range))
}

/// The edits that give the name at an offset a new spelling.
pub(super) fn rename(
    db: &RootDatabase,
    file: SourceFile,
    offset: TextSize,
    new_name: &str,
) -> Result<Vec<Edit>, String> {
    let mention = renamable(db, file, offset)?;
    let old = &mention.map.definition(mention.definition).name;
    if **old == *new_name {
        return Ok(Vec::new());
    }
    check_name(new_name)?;
    if is_taken(db, &mention, new_name) {
        return Err(format!("the function already uses the name `{new_name}`"));
    }
    let mentions = mention.map.mentions_of(mention.definition);
    Ok(mentions.map(|it| Edit::replace(mention.at.to_file(it), new_name)).collect())
}

fn renamable(db: &RootDatabase, file: SourceFile, offset: TextSize) -> Result<Mention<'_>, String> {
    let mention = mention_at(db, file, offset)
        .ok_or("there is no name of a TVMScript function at this place")?;
    let definition = mention.map.definition(mention.definition);
    let name = &definition.name;
    match definition.kind {
        DefinitionKind::Captured => {
            Err(format!("`{name}` comes from the Python around the function"))
        }
        DefinitionKind::Meta => {
            Err(format!("`{name}` is a compile-time name, whose uses are not all known"))
        }
        _ if mention.map.is_mentioned_unread(name) => {
            Err(format!("`{name}` is also mentioned where the text is not understood"))
        }
        _ if spelled_otherwise(db, &mention) => {
            Err(format!("`{name}` is also mentioned in a text that only names it"))
        }
        _ => Ok(mention),
    }
}

/// Returns true if a mention is not the name itself but a text that contains the name.
fn spelled_otherwise(db: &RootDatabase, mention: &Mention<'_>) -> bool {
    let name = &mention.map.definition(mention.definition).name;
    let root = mention.at.unit.green(db).syntax();
    mention.map.mentions_of(mention.definition).any(|it| root.text_in(it) != **name)
}

/// Returns true if the function says the name anywhere, also as that of Python (`range`).
fn is_taken(db: &RootDatabase, mention: &Mention<'_>, name: &str) -> bool {
    let is_defined = |it: &Definition| *it.name == *name;
    mention.map.definitions().iter().any(is_defined)
        || has_word(&mention.at.unit.green(db).text(), name)
}

fn check_name(name: &str) -> Result<(), String> {
    let mut chars = name.chars();
    let begins = chars.next().is_some_and(|it| it.is_alphabetic() || it == '_');
    if !begins || !chars.all(|it| it.is_alphanumeric() || it == '_') {
        return Err(format!("`{name}` is not a name in Python"));
    }
    if SyntaxKind::from_keyword(name).is_some() {
        return Err(format!("`{name}` is a word of Python"));
    }
    Ok(())
}
