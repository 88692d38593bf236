//! Dotted names: `T.axis.spatial`, as a chain of attributes or in an import.

use std::fmt;

use super::{AstNode, CallExpr, Decorator, DottedName, Expr, HasText};
use crate::TokenText;

/// The parts of a dotted name, from left to right; never empty.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct DottedPath {
    parts: Vec<TokenText>,
}

impl DottedPath {
    /// The parts.
    pub fn parts(&self) -> &[TokenText] {
        &self.parts
    }

    /// The first part: the name that is looked up.
    pub fn root(&self) -> &str {
        self.parts.first().map_or("", |it| it.as_str())
    }

    /// The last part.
    pub fn last(&self) -> &str {
        self.parts.last().map_or("", |it| it.as_str())
    }

    /// The parts after the first.
    pub fn tail(&self) -> &[TokenText] {
        self.parts.get(1..).unwrap_or_default()
    }

    /// Returns true if the name, joined by dots, is `text`.
    pub fn is(&self, text: &str) -> bool {
        self.parts.iter().map(TokenText::as_str).eq(text.split('.'))
    }
}

impl fmt::Display for DottedPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, part) in self.parts.iter().enumerate() {
            if i > 0 {
                f.write_str(".")?;
            }
            f.write_str(part)?;
        }
        Ok(())
    }
}

impl Expr {
    /// The dotted name that this is: a name, or attributes of one. Linear in its length and without recursion.
    pub fn dotted_path(&self) -> Option<DottedPath> {
        let mut parts = Vec::new();
        let mut expr = self.clone();
        loop {
            expr = match &expr {
                Expr::NameExpr(name) => {
                    parts.push(name.text()?);
                    break;
                }
                Expr::AttributeExpr(attribute) => {
                    parts.push(attribute.name_ref()?.text()?);
                    attribute.receiver()?
                }
                _ => return None,
            };
        }
        parts.reverse();
        Some(DottedPath { parts })
    }
}

impl CallExpr {
    /// The callee, if it is a dotted name: `T.axis.spatial` of `T.axis.spatial(n, i)`.
    pub fn dotted_callee(&self) -> Option<DottedPath> {
        self.callee()?.dotted_path()
    }
}

impl Decorator {
    /// The decorator's name, with or without arguments: `T.prim_func` of `@T.prim_func` and of
    /// `@T.prim_func(private=True)`.
    pub fn dotted_path(&self) -> Option<DottedPath> {
        match self.expr()? {
            Expr::CallExpr(call) => call.dotted_callee(),
            other => other.dotted_path(),
        }
    }

    /// The call, if the decorator has arguments.
    pub fn call(&self) -> Option<CallExpr> {
        match self.expr()? {
            Expr::CallExpr(call) => Some(call),
            _ => None,
        }
    }
}

impl DottedName {
    /// The parts of the name.
    pub fn path(&self) -> Option<DottedPath> {
        let parts: Vec<TokenText> = self.name_refs().filter_map(|it| it.text()).collect();
        (!parts.is_empty()).then_some(DottedPath { parts })
    }
}

/// The innermost typed node of a kind that holds `node`, itself included.
pub fn ancestor<N: AstNode>(node: &crate::SyntaxNode) -> Option<N> {
    node.ancestors().find_map(N::cast)
}
