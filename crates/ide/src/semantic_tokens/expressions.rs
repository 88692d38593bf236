//! The names that functions of statements define.

use db::{Db, PlacedUnit, RootDatabase, SourceFile, Unit};
use frontend::tvmscript::DefinitionKind;
use syntax::TextRange;

use super::{SemanticToken, TokenKind};
use crate::units::of_units;

/// The tokens of a file, or of the functions that touch a range.
pub(super) fn semantic_tokens(
    db: &RootDatabase,
    file: SourceFile,
    range: Option<TextRange>,
) -> Vec<SemanticToken> {
    let tokens = |at: PlacedUnit<'_>| -> Vec<SemanticToken> {
        let tokens = function_tokens(db, at.unit).iter();
        let placed = |it: &SemanticToken| {
            ir::interrupt::check();
            SemanticToken { range: at.to_file(it.range), ..*it }
        };
        tokens.map(placed).collect()
    };
    let mut res: Vec<_> = of_units(db, file, range, tokens).flatten().collect();
    // Functions may stand in others.
    res.sort_by_key(|it| {
        ir::interrupt::check();
        (it.range.start(), it.range.end())
    });
    res.dedup_by(|b, a| {
        ir::interrupt::check();
        b.range.start() < a.range.end()
    });
    res
}

/// The names of a function, relative to it, in text order.
#[salsa::tracked(returns(ref), no_eq)]
pub(super) fn function_tokens<'db>(db: &'db dyn Db, unit: Unit<'db>) -> Box<[SemanticToken]> {
    let map = db::source_map(db, unit);
    let mut res: Vec<SemanticToken> = Vec::new();
    for (range, id) in map.mentions() {
        ir::interrupt::check();
        let definition = map.definition(*id);
        let kind = match definition.kind {
            DefinitionKind::Param => TokenKind::Parameter,
            DefinitionKind::Index => TokenKind::Index,
            DefinitionKind::Binding => TokenKind::Value,
            DefinitionKind::Cell => TokenKind::Cell,
            DefinitionKind::Buffer => TokenKind::Buffer,
            DefinitionKind::Symbol => TokenKind::ShapeVariable,
            DefinitionKind::Meta => TokenKind::Meta,
            DefinitionKind::Captured => continue,
        };
        let is_behind = res.last().is_none_or(|it| it.range.end() <= range.start());
        if is_behind && !range.is_empty() {
            let is_definition = definition.range == *range;
            res.push(SemanticToken { range: *range, kind, is_definition });
        }
    }
    res.into()
}
