//! Semantic tokens: what the names of a text are.
//!
//! In TVMScript, the names that functions define: Python itself is left to the Python tools. In MLIR and PIR, all tokens. Made function by
//! function, relative to it; a file is put together when somebody asks.

use db::{Db, Function, PlacedUnit, RootDatabase, SourceFile};
use frontend::tvmscript::DefinitionKind;
use syntax::{Language, SyntaxKind, TextRange};

use crate::{
    function_at::{FunctionAt, of_functions},
    ops::{of_units, tokens::unit_tokens},
};

/// What a token is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum TokenKind {
    /// The name of an operation.
    Operation,
    /// A value, or an immutable binding.
    Value,
    /// A mutable scalar.
    Cell,
    /// A parameter of a function, an argument of a block.
    Parameter,
    /// A loop variable or thread index.
    Index,
    /// A buffer.
    Buffer,
    /// A shape variable.
    ShapeVariable,
    /// The label of a block.
    Label,
    /// A symbol: a function, a module, a global.
    Symbol,
    /// A type.
    Type,
    /// An attribute alias, or an attribute of a dialect.
    Alias,
    /// A compile-time name.
    Meta,
    /// The name of an attribute or operand.
    Property,
    /// A word of the language or of an operation.
    Keyword,
    /// A string.
    String,
    /// A number.
    Number,
    /// A comment.
    Comment,
}

/// A token that means something.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SemanticToken {
    /// Where; never over several lines.
    pub range: TextRange,
    /// What.
    pub kind: TokenKind,
    /// Whether it defines what it names.
    pub is_definition: bool,
}

/// The tokens of a file, or those that touch a range; in text order, none over another.
pub(crate) fn semantic_tokens(
    db: &RootDatabase,
    file: SourceFile,
    range: Option<TextRange>,
) -> Vec<SemanticToken> {
    let mut res = match db::language(db, file) {
        Language::TvmScript => in_functions(db, file, range),
        Language::Mlir | Language::Pir => in_units(db, file, range),
    };
    res.retain(|it| range.is_none_or(|range| it.range.intersect(range).is_some()));
    res
}

fn in_functions(
    db: &RootDatabase,
    file: SourceFile,
    range: Option<TextRange>,
) -> Vec<SemanticToken> {
    let tokens = |at: FunctionAt<'_>| -> Vec<SemanticToken> {
        let tokens = function_tokens(db, at.function).iter();
        tokens.map(|it| SemanticToken { range: at.to_file(it.range), ..*it }).collect()
    };
    let mut res: Vec<_> = of_functions(db, file, range, tokens).flatten().collect();
    // Functions may stand in others.
    res.sort_by_key(|it| (it.range.start(), it.range.end()));
    res.dedup_by(|b, a| b.range.start() < a.range.end());
    res
}

fn in_units(db: &RootDatabase, file: SourceFile, range: Option<TextRange>) -> Vec<SemanticToken> {
    let mut res: Vec<SemanticToken> = Vec::new();
    let mut is_sorted = true;
    let tokens = |at: PlacedUnit<'_>| -> Vec<SemanticToken> {
        let tokens = unit_tokens(db, at.unit).iter();
        tokens.map(|it| SemanticToken { range: at.to_file(it.range), ..*it }).collect()
    };
    for tokens in of_units(db, file, range, tokens) {
        let first = res.len();
        res.extend(tokens);
        let before = first.checked_sub(1).map(|it| res[it].range.start());
        let behind = res.get(first).map(|it| it.range.start());
        is_sorted &= before.zip(behind).is_none_or(|(before, behind)| before < behind);
    }
    res.extend(split_markers(db, file));
    // The tokens of a frame are around those of its functions.
    if !is_sorted || res.last().is_some_and(|it| it.kind == TokenKind::Comment) {
        res.sort_by_key(|it| it.range.start());
    }
    res
}

/// The lines between documents, which are in no unit.
fn split_markers(db: &RootDatabase, file: SourceFile) -> Vec<SemanticToken> {
    let root = db::parse(db, file).syntax();
    let tokens = root.children_with_tokens().filter_map(|it| it.into_token());
    let markers = tokens.filter(|it| it.kind() == SyntaxKind::SPLIT_MARKER);
    let token = |range| SemanticToken { range, kind: TokenKind::Comment, is_definition: false };
    markers
        .map(|it| {
            let len = syntax::TextSize::of(it.text().trim_end());
            token(TextRange::at(it.text_range().start(), len))
        })
        .collect()
}

/// The names of a function of TVMScript, relative to it, in text order.
#[salsa::tracked(returns(ref), no_eq)]
fn function_tokens<'db>(db: &'db dyn Db, function: Function<'db>) -> Vec<SemanticToken> {
    let map = db::source_map(db, function);
    let mut res: Vec<SemanticToken> = Vec::new();
    for (range, id) in map.mentions() {
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
    res
}
