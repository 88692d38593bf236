//! The tokens of a text with the properties that decide their layout.
//!
//! In: the steps of a parse. Out: a [`Token`] each, in text order. Linear.

use parser::{Step, SyntaxKind, SyntaxKind::*};

/// The place where a token stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    /// First of an operation or a definition: begins a line.
    Operation,
    /// First of a block's label: begins a line.
    Label,
    /// Line that divides documents.
    Marker,
    /// The same for `split-file`, with the text behind it if that is not read.
    Part,
    /// `}` of a region; whether nothing is in the region.
    RegionEnd { is_empty: bool },
    /// Inside of an operation.
    Inside,
    /// Inside verbatim text, and not its first token.
    Verbatim,
}

/// A token.
#[derive(Debug, Clone, Copy)]
pub(super) struct Token {
    pub(super) kind: SyntaxKind,
    /// The node it is in.
    pub(super) parent: SyntaxKind,
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) place: Place,
    /// Regions around it; of a brace of a region: around the region.
    pub(super) depth: usize,
    /// Brackets of the operation that are open before it; of a closing one: around it.
    pub(super) brackets: usize,
}

/// An open node.
struct Node {
    kind: SyntaxKind,
    is_verbatim: bool,
    n_tokens: usize,
}

#[derive(Default)]
struct Walk {
    stack: Vec<Node>,
    /// Nodes from here on have no token yet.
    fresh: usize,
    regions: usize,
    /// Open brackets of each open operation.
    brackets: Vec<usize>,
    tokens: Vec<Token>,
}

/// All tokens but white space and comments.
pub(super) fn tokens(steps: &[Step], text: &str) -> Vec<Token> {
    let mut walk = Walk::default();
    walk.brackets.push(0);
    let mut at = 0;
    for &step in steps {
        match step {
            Step::Enter(kind) => walk.enter(kind),
            Step::Exit => walk.exit(),
            Step::Token { kind, len } => {
                let start = at;
                at += len as usize;
                if !kind.is_trivia() {
                    walk.token(kind, start, at);
                }
                if kind == SPLIT_MARKER
                    && text[start..at].starts_with("//---")
                    && let Some(token) = walk.tokens.last_mut()
                {
                    token.place = Place::Part;
                }
            }
        }
    }
    debug_assert_eq!(at, text.len(), "steps cover the text");
    walk.tokens
}

fn is_operation(kind: SyntaxKind) -> bool {
    matches!(kind, MLIR_GENERIC_OP | MLIR_CUSTOM_OP | MLIR_OPAQUE_OP)
}

/// Returns true if a token begins a line of its own.
fn begins_line(kind: SyntaxKind) -> bool {
    is_operation(kind)
        || matches!(kind, MLIR_ATTR_ALIAS_DEF | MLIR_TYPE_ALIAS_DEF | MLIR_FILE_METADATA)
}

impl Walk {
    fn enter(&mut self, kind: SyntaxKind) {
        let around = self.stack.last().is_some_and(|it| it.is_verbatim);
        let is_verbatim = match kind {
            MLIR_REGION => false,
            MLIR_TYPE | MLIR_PARAMS | MLIR_LOCATION | MLIR_FILE_METADATA | MLIR_OPAQUE_OP
            | MLIR_UNREAD | ERROR_NODE | TOO_DEEP => true,
            _ => around,
        };
        if kind == MLIR_REGION {
            self.regions += 1;
        }
        if is_operation(kind) {
            self.brackets.push(0);
        }
        self.stack.push(Node { kind, is_verbatim, n_tokens: 0 });
    }

    fn exit(&mut self) {
        let Some(node) = self.stack.pop() else { return };
        self.fresh = self.fresh.min(self.stack.len());
        if node.kind == MLIR_REGION {
            self.regions -= 1;
        }
        if is_operation(node.kind) {
            self.brackets.pop();
        }
        if let Some(parent) = self.stack.last_mut() {
            parent.n_tokens += node.n_tokens;
        }
    }

    fn place(&self, kind: SyntaxKind) -> Place {
        let fresh = &self.stack[self.fresh..];
        if fresh.iter().any(|it| begins_line(it.kind)) {
            return Place::Operation;
        }
        if fresh.iter().any(|it| it.kind == MLIR_BLOCK_LABEL) {
            return Place::Label;
        }
        if kind == SPLIT_MARKER {
            return Place::Marker;
        }
        let Some(node) = self.stack.last() else { return Place::Inside };
        if kind == R_BRACE && node.kind == MLIR_REGION {
            // The opening brace is one token.
            return Place::RegionEnd { is_empty: node.n_tokens == 1 };
        }
        // What follows an unread part is laid out again; its first token is.
        let is_first = fresh.iter().any(|it| it.is_verbatim)
            && !self.stack[..self.fresh].last().is_some_and(|it| it.is_verbatim);
        if node.is_verbatim && !is_first { Place::Verbatim } else { Place::Inside }
    }

    fn token(&mut self, kind: SyntaxKind, start: usize, end: usize) {
        let place = self.place(kind);
        self.fresh = self.stack.len();
        let parent = self.stack.last().map_or(MLIR_FILE, |it| it.kind);
        let is_laid_out = self.stack.last().is_some_and(|it| !it.is_verbatim);
        let of_region = parent == MLIR_REGION && matches!(kind, L_BRACE | R_BRACE);
        let open = self.brackets.last_mut();
        let mut brackets = open.as_deref().copied().unwrap_or_default();
        if let Some(open) = open.filter(|_| is_laid_out && !of_region) {
            match kind {
                L_PAREN | L_BRACK | L_BRACE => *open += 1,
                R_PAREN | R_BRACK | R_BRACE => {
                    *open = open.saturating_sub(1);
                    brackets = *open;
                }
                _ => {}
            }
        }
        let depth = self.regions - usize::from(of_region);
        self.tokens.push(Token { kind, parent, start, end, place, depth, brackets });
        if let Some(node) = self.stack.last_mut() {
            node.n_tokens += 1;
        }
    }
}
