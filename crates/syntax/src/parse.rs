//! [`Parse`]: the tree of one file.

use std::sync::Arc;

use parser::{SyntaxKind, mlir::Shapes};
use rowan::{NodeOrToken, TextRange, TextSize};

use crate::{Green, SyntaxError, SyntaxNode, ast, ast::AstNode, errors, language::Language};

/// Files of this length or more cannot be held in a tree: offsets have 32 bits.
pub const MAX_TEXT_LEN: usize = u32::MAX as usize;

/// A parsed file. Cheap to clone, and may be sent to other threads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parse {
    green: Green,
    table: Table,
}

/// The pretty forms that a text is read with: those of the product, or more.
#[derive(Clone, Default)]
pub(crate) struct Table(Option<Arc<Shapes>>);

impl Table {
    pub(crate) fn shapes(&self) -> &Shapes {
        self.0.as_deref().unwrap_or(Shapes::builtin())
    }
}

impl PartialEq for Table {
    fn eq(&self, other: &Table) -> bool {
        std::ptr::eq(self.shapes(), other.shapes())
    }
}

impl Eq for Table {}

impl std::fmt::Debug for Table {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(if self.0.is_some() { "extended" } else { "builtin" })
    }
}

/// Parses a file of TVMScript. Any text gives a tree, and the tree gives the text back.
///
/// # Panics
///
/// If the text is longer than [`MAX_TEXT_LEN`]: readers of files must refuse those.
pub fn parse(text: &str) -> Parse {
    parse_as(Language::TvmScript, text)
}

/// Parses a file of any of the languages. Any text gives a tree, and the tree gives the text back.
///
/// # Panics
///
/// If the text is longer than [`MAX_TEXT_LEN`].
pub fn parse_as(language: Language, text: &str) -> Parse {
    Table::default().parse(language, text)
}

/// As [`parse_as`], but with these pretty forms, in a language that has some. Edits of the result are read with them
/// too.
///
/// # Panics
///
/// If the text is longer than [`MAX_TEXT_LEN`].
pub fn parse_with(language: Language, shapes: &Arc<Shapes>, text: &str) -> Parse {
    let shapes = language.support().uses_shapes.then(|| shapes.clone());
    Table(shapes).parse(language, text)
}

impl Table {
    pub(crate) fn parse(&self, language: Language, text: &str) -> Parse {
        assert!(text.len() < MAX_TEXT_LEN, "the text has 4 GiB or more");
        let green = (language.support().parse)(text, self.shapes());
        Parse { green, table: self.clone() }
    }
}

impl Parse {
    /// The parse whose tree is `green`, which must be that of a whole file.
    pub(crate) fn from_green(green: Green, table: Table) -> Parse {
        Parse { green, table }
    }

    pub(crate) fn table(&self) -> &Table {
        &self.table
    }

    /// The pretty forms that the text was read with, in a language that has some.
    pub fn shapes(&self) -> &Shapes {
        self.table.shapes()
    }

    /// Another text, read as this one was: in the same language, with the same pretty forms.
    ///
    /// # Panics
    ///
    /// If the text is longer than [`MAX_TEXT_LEN`].
    pub fn again(&self, text: &str) -> Parse {
        self.table.parse(self.language(), text)
    }

    /// The shared tree.
    pub fn green(&self) -> &Green {
        &self.green
    }

    /// The root node.
    pub fn syntax(&self) -> SyntaxNode {
        self.green.syntax()
    }

    /// The language of the text.
    pub fn language(&self) -> Language {
        self.green.language()
    }

    /// The typed root of a file of TVMScript.
    ///
    /// # Panics
    ///
    /// If the text is in another [`Parse::language`].
    pub fn tree(&self) -> ast::SourceFile {
        ast::SourceFile::cast(self.syntax()).expect("the root of a file's tree is a source file")
    }

    /// The typed root, if the text is MLIR.
    pub fn mlir(&self) -> Option<ast::mlir::File> {
        ast::mlir::File::cast(self.syntax())
    }

    /// The typed root, if the text is PIR.
    pub fn pir(&self) -> Option<ast::pir::File> {
        ast::pir::File::cast(self.syntax())
    }

    /// Returns the errors of the text, in its order.
    pub fn errors(&self) -> Vec<SyntaxError> {
        errors::syntax_errors(&self.syntax())
    }

    /// The text, made anew from the tree.
    pub fn text(&self) -> String {
        self.green.text()
    }

    /// The text of `range`, made anew; parts outside the file are left out. It costs the path to the range and its
    /// text.
    pub fn text_in(&self, range: TextRange) -> String {
        self.syntax().text_in(range)
    }

    /// The length of the text.
    pub fn text_len(&self) -> TextSize {
        self.green.text_len()
    }
}

/// The share of the text that stands in error nodes: 0 for a file that is read completely.
pub fn error_share(parse: &Parse) -> f64 {
    let total = u32::from(parse.text_len());
    if total == 0 {
        return 0.0;
    }
    let mut unread: u32 = 0;
    let mut stack = vec![parse.green().node().children()];
    while let Some(children) = stack.last_mut() {
        let Some(child) = children.next() else {
            stack.pop();
            continue;
        };
        let (kind, len) = match child {
            NodeOrToken::Node(node) => (node.kind(), node.text_len()),
            NodeOrToken::Token(token) => (token.kind(), token.text_len()),
        };
        let kind = crate::syntax_node::kind_from_raw(kind);
        if matches!(kind, SyntaxKind::ERROR_NODE | SyntaxKind::TOO_DEEP | SyntaxKind::ERROR) {
            unread += u32::from(len);
        } else if let NodeOrToken::Node(node) = child {
            stack.push(node.children());
        }
    }
    f64::from(unread) / f64::from(total)
}
