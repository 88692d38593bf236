//! Semantic tokens of operations: what each token is, from its kind and the node in which it stands. One walk a unit.

use db::{Db, PlacedUnit, RootDatabase, SourceFile, Unit};
use syntax::{GreenStep, Shapes, SyntaxKind, SyntaxKind::*, TextRange, TextSize, UnitKind};

use super::{SemanticToken, TokenKind};
use crate::units::of_units;

/// The tokens of a file, or of the units that touch a range, and the lines between documents.
pub(super) fn semantic_tokens(
    db: &RootDatabase,
    file: SourceFile,
    range: Option<TextRange>,
) -> Vec<SemanticToken> {
    let mut res: Vec<SemanticToken> = Vec::new();
    let mut is_sorted = true;
    let tokens = |at: PlacedUnit<'_>| -> Vec<SemanticToken> {
        let tokens = unit_tokens(db, at.unit).iter();
        let placed = |it: &SemanticToken| {
            ir::interrupt::check();
            SemanticToken { range: at.to_file(it.range), ..*it }
        };
        tokens.map(placed).collect()
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

/// The lines between documents, which are in no unit. Behind one may stand a part that is not read.
fn split_markers(db: &RootDatabase, file: SourceFile) -> Vec<SemanticToken> {
    let root = db::parse(db, file).syntax();
    let tokens = root.children_with_tokens().filter_map(|it| it.into_token());
    let markers = tokens.filter(|it| it.kind() == SyntaxKind::SPLIT_MARKER);
    let token = |range| SemanticToken { range, kind: TokenKind::Comment, is_definition: false };
    markers
        .map(|it| {
            let line = it.text().lines().next().unwrap_or_default();
            let len = syntax::TextSize::of(line.trim_end());
            token(TextRange::at(it.text_range().start(), len))
        })
        .collect()
}

/// The tokens of a unit, relative to it, in text order. Those of functions are theirs, not their frame's.
#[salsa::tracked(returns(ref), no_eq)]
fn unit_tokens<'db>(db: &'db dyn Db, unit: Unit<'db>) -> Box<[SemanticToken]> {
    let mut tokens = Tokens {
        found: Vec::new(),
        open: Vec::new(),
        offset: 0.into(),
        is_frame: unit.kind(db) == UnitKind::Frame,
        shapes: db::shapes(db, unit.file(db)),
        pending: None,
        function: None,
    };
    unit.green(db).walk(|step| tokens.step(step));
    tokens.found.into()
}

struct Tokens<'a> {
    found: Vec<SemanticToken>,
    /// Open nodes, and whether a word or string was already in them.
    open: Vec<(SyntaxKind, bool)>,
    offset: TextSize,
    is_frame: bool,
    shapes: &'a Shapes,
    /// The tokens before the name of an operation, and how many nodes were open.
    pending: Option<(usize, usize)>,
    /// The number of nodes that were open when a function began, whose tokens are left out.
    function: Option<usize>,
}

impl Tokens<'_> {
    fn step(&mut self, step: GreenStep<'_>) {
        match step {
            GreenStep::Enter(kind) => {
                if self.is_frame && is_operation(kind) && self.function.is_none() {
                    self.pending = Some((self.found.len(), self.open.len()));
                }
                self.open.push((kind, false));
            }
            GreenStep::Token(kind, text) => {
                let range = TextRange::at(self.offset, TextSize::of(text));
                self.offset += range.len();
                self.token(kind, text, range);
            }
            GreenStep::Leave => {
                self.open.pop();
                if self.function == Some(self.open.len()) {
                    self.function = None;
                }
            }
        }
    }

    fn token(&mut self, kind: SyntaxKind, text: &str, range: TextRange) {
        let depth = self.open.len();
        let around = depth.checked_sub(2).map(|it| self.open[it].0);
        let Some((parent, has_word)) = self.open.last_mut() else { return };
        let is_first = !*has_word;
        if matches!(kind, IDENT | STRING) {
            *has_word = true;
        }
        let parent = *parent;
        if is_first && matches!(kind, IDENT | STRING) && is_operation(parent) {
            self.begins_function(text, depth);
        }
        if self.function.is_some() || text.contains('\n') {
            return;
        }
        if let Some((kind, is_definition)) = classify(kind, text, parent, around, is_first) {
            self.found.push(SemanticToken { range, kind, is_definition });
        }
    }

    /// The name of an operation of a frame is read: from here to its end, a function is left out, and the text before
    /// its name as well.
    fn begins_function(&mut self, name: &str, depth: usize) {
        let is_function = || self.shapes.is_function(name.trim_matches('"'));
        if let Some((first, outer)) = self.pending
            && outer + 1 == depth
            && is_function()
        {
            self.found.truncate(first);
            self.function = Some(outer);
        }
        self.pending = None;
    }
}

fn is_operation(kind: SyntaxKind) -> bool {
    matches!(kind, MLIR_GENERIC_OP | MLIR_CUSTOM_OP | MLIR_OPAQUE_OP)
}

/// Returns the kind of a token, and whether it defines the name.
fn classify(
    kind: SyntaxKind,
    text: &str,
    parent: SyntaxKind,
    around: Option<SyntaxKind>,
    is_first: bool,
) -> Option<(TokenKind, bool)> {
    let token = match kind {
        COMMENT => TokenKind::Comment,
        VALUE_ID => {
            let in_args = matches!(around, Some(MLIR_BLOCK_ARG | PIR_BLOCK_ARG));
            let is_definition =
                matches!(parent, MLIR_VALUE_DEF | MLIR_POSSIBLE_DEF | PIR_VALUE_DEF);
            let is_parameter = in_args || parent == MLIR_POSSIBLE_DEF;
            let kind = if is_parameter { TokenKind::Parameter } else { TokenKind::Value };
            return Some((kind, is_definition));
        }
        BLOCK_ID => return Some((TokenKind::Label, parent == MLIR_BLOCK_LABEL)),
        SYMBOL_ID => return Some((TokenKind::Symbol, parent == MLIR_SYMBOL_DEF)),
        ATTR_ID => return Some((TokenKind::Alias, parent == MLIR_ATTR_ALIAS_DEF)),
        TYPE_ID => return Some((TokenKind::Type, parent == MLIR_TYPE_ALIAS_DEF)),
        INT | FLOAT => TokenKind::Number,
        DIM_LIST => TokenKind::Type,
        PIR_NULL => TokenKind::Keyword,
        STRING => match parent {
            MLIR_GENERIC_OP | PIR_OP if is_first => TokenKind::Operation,
            MLIR_ATTR_ENTRY | PIR_ATTR_ENTRY if is_first => TokenKind::Property,
            _ => TokenKind::String,
        },
        IDENT => word(text, parent, is_first)?,
        _ => return None,
    };
    Some((token, false))
}

fn word(text: &str, parent: SyntaxKind, is_first: bool) -> Option<TokenKind> {
    Some(match parent {
        MLIR_CUSTOM_OP | MLIR_OPAQUE_OP if is_first => TokenKind::Operation,
        MLIR_TYPE | PIR_TYPE => TokenKind::Type,
        MLIR_ATTR_ENTRY | PIR_ATTR_ENTRY if is_first => TokenKind::Property,
        // The types in an operation without a known form are loose words.
        MLIR_OPAQUE_OP if is_type_word(text) => TokenKind::Type,
        PIR_OPERAND => TokenKind::Property,
        PIR_ATTR_VALUE if !matches!(text, "true" | "false") => return None,
        // The words in the bodies of attributes are their dialects'.
        MLIR_PARAMS => return None,
        _ => TokenKind::Keyword,
    })
}

/// Returns true if a word is a type of the language: `i32`, `bf16`, `index`, `tensor` …
fn is_type_word(text: &str) -> bool {
    let is_number = |it: &str| !it.is_empty() && it.bytes().all(|it| it.is_ascii_digit());
    let named = ["index", "none", "tensor", "vector", "memref", "complex", "tuple"];
    let sized = ["i", "si", "ui", "f", "bf", "tf"];
    named.contains(&text)
        || sized.iter().any(|it| text.strip_prefix(it).is_some_and(is_number))
        || text.starts_with("f8E")
}
