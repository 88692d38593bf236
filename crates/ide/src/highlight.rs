//! Document highlight: the mentions of the name at a place, and what each does with it.

use db::{RootDatabase, SourceFile};
use frontend::tvmscript::DefinitionKind;
use syntax::{Language, SyntaxKind, SyntaxNode, TextRange, TextSize};

use crate::{navigation::mention_at, ops};

/// What a mention does with what it names.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Access {
    /// Reads it.
    Read,
    /// Defines it, or gives it a new value.
    Write,
}

/// A mention of a name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Highlight {
    /// Where.
    pub range: TextRange,
    /// What it does.
    pub access: Access,
}

pub(crate) fn highlights(db: &RootDatabase, file: SourceFile, offset: TextSize) -> Vec<Highlight> {
    if db::language(db, file) != Language::TvmScript {
        return of_operations(db, file, offset);
    }
    let Some(mention) = mention_at(db, file, offset) else { return Vec::new() };
    let definition = mention.map.definition(mention.definition);
    if definition.kind == DefinitionKind::Captured {
        return Vec::new();
    }
    let root = mention.at.function.source(db).green.syntax();
    let mentions = mention.map.mentions_of(mention.definition);
    mentions
        .map(|range| {
            let is_write = range == definition.range || is_target(&root, range);
            let access = if is_write { Access::Write } else { Access::Read };
            Highlight { range: mention.at.to_file(range), access }
        })
        .collect()
}

fn of_operations(db: &RootDatabase, file: SourceFile, offset: TextSize) -> Vec<Highlight> {
    let Some(named) = ops::names::named_at(db, file, offset) else { return Vec::new() };
    let access = |it: bool| if it { Access::Write } else { Access::Read };
    let mentions = named.mentions.iter();
    mentions.map(|it| Highlight { range: it.range, access: access(it.is_definition) }).collect()
}

/// Whether a name, or an element of it, is what a statement assigns to.
fn is_target(root: &SyntaxNode, name: TextRange) -> bool {
    let Some(mut at) = root.covering_element(name).parent() else { return false };
    loop {
        let Some(parent) = at.parent() else { return false };
        let is_first = parent.first_child().as_ref() == Some(&at);
        match parent.kind() {
            SyntaxKind::ASSIGN_STMT | SyntaxKind::AUG_ASSIGN_STMT | SyntaxKind::ANN_ASSIGN_STMT => {
                return is_first;
            }
            // `A[i] = e` writes `A` and reads `i`.
            SyntaxKind::NAME_EXPR | SyntaxKind::SUBSCRIPT_EXPR if is_first => at = parent,
            SyntaxKind::NAME_REF | SyntaxKind::NAME => at = parent,
            _ => return false,
        }
    }
}
