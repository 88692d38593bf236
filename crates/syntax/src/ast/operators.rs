//! Operators as values.

use parser::SyntaxKind;

use super::{
    AstNode, AugAssignStmt, AugOp, BinaryExpr, BinaryOp, BoolExpr, CompareExpr, CompareOp, Expr,
    UnaryExpr, support,
};
use crate::{SyntaxElement, SyntaxToken};

/// An operator with two operands that computes: `a + b`, and `a += b`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ArithOp {
    /// `+`
    Add,
    /// `-`
    Sub,
    /// `*`
    Mul,
    /// `/`
    Div,
    /// `//`
    FloorDiv,
    /// `%`
    Mod,
    /// `@`
    MatMul,
    /// `**`
    Pow,
    /// `<<`
    Shl,
    /// `>>`
    Shr,
    /// `&`
    BitAnd,
    /// `|`
    BitOr,
    /// `^`
    BitXor,
}

/// An operator that compares.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum CmpOp {
    /// `<`
    Lt,
    /// `<=`
    Le,
    /// `>`
    Gt,
    /// `>=`
    Ge,
    /// `==`
    Eq,
    /// `!=`
    Ne,
    /// `in`
    In,
    /// `not in`
    NotIn,
    /// `is`
    Is,
    /// `is not`
    IsNot,
}

/// An operator that may leave its right side unread.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum BoolOp {
    /// `and`
    And,
    /// `or`
    Or,
}

/// An operator before its one operand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum PrefixOp {
    /// `-`
    Neg,
    /// `+`
    Pos,
    /// `~`
    Invert,
    /// `not`
    Not,
}

impl ArithOp {
    fn from_kind(kind: SyntaxKind) -> Option<ArithOp> {
        let op = match kind {
            SyntaxKind::PLUS | SyntaxKind::PLUS_EQ => ArithOp::Add,
            SyntaxKind::MINUS | SyntaxKind::MINUS_EQ => ArithOp::Sub,
            SyntaxKind::STAR | SyntaxKind::STAR_EQ => ArithOp::Mul,
            SyntaxKind::SLASH | SyntaxKind::SLASH_EQ => ArithOp::Div,
            SyntaxKind::SLASH2 | SyntaxKind::SLASH2_EQ => ArithOp::FloorDiv,
            SyntaxKind::PERCENT | SyntaxKind::PERCENT_EQ => ArithOp::Mod,
            SyntaxKind::AT | SyntaxKind::AT_EQ => ArithOp::MatMul,
            SyntaxKind::STAR2 | SyntaxKind::STAR2_EQ => ArithOp::Pow,
            SyntaxKind::LT2 | SyntaxKind::LT2_EQ => ArithOp::Shl,
            SyntaxKind::GT2 | SyntaxKind::GT2_EQ => ArithOp::Shr,
            SyntaxKind::AMP | SyntaxKind::AMP_EQ => ArithOp::BitAnd,
            SyntaxKind::PIPE | SyntaxKind::PIPE_EQ => ArithOp::BitOr,
            SyntaxKind::CARET | SyntaxKind::CARET_EQ => ArithOp::BitXor,
            _ => return None,
        };
        Some(op)
    }

    /// How it is written between its operands.
    pub fn as_str(self) -> &'static str {
        match self {
            ArithOp::Add => "+",
            ArithOp::Sub => "-",
            ArithOp::Mul => "*",
            ArithOp::Div => "/",
            ArithOp::FloorDiv => "//",
            ArithOp::Mod => "%",
            ArithOp::MatMul => "@",
            ArithOp::Pow => "**",
            ArithOp::Shl => "<<",
            ArithOp::Shr => ">>",
            ArithOp::BitAnd => "&",
            ArithOp::BitOr => "|",
            ArithOp::BitXor => "^",
        }
    }
}

impl BinaryOp {
    /// The operator's token.
    pub fn token(&self) -> Option<SyntaxToken> {
        support::first_token(self.syntax())
    }

    /// Returns the operator.
    pub fn op(&self) -> Option<ArithOp> {
        ArithOp::from_kind(self.token()?.kind())
    }
}

impl BinaryExpr {
    /// Returns the operator that it applies.
    pub fn op(&self) -> Option<ArithOp> {
        self.binary_op()?.op()
    }
}

impl AugOp {
    /// Returns the operator that is applied before the assignment.
    pub fn op(&self) -> Option<ArithOp> {
        ArithOp::from_kind(support::first_token(self.syntax())?.kind())
    }
}

impl AugAssignStmt {
    /// Returns the operator that is applied before the assignment.
    pub fn op(&self) -> Option<ArithOp> {
        self.aug_op()?.op()
    }
}

impl CompareOp {
    /// Returns the comparison.
    pub fn op(&self) -> Option<CmpOp> {
        let mut tokens = support::significant_tokens(self.syntax()).map(|it| it.kind());
        let op = match (tokens.next()?, tokens.next()) {
            (SyntaxKind::LT, _) => CmpOp::Lt,
            (SyntaxKind::LE, _) => CmpOp::Le,
            (SyntaxKind::GT, _) => CmpOp::Gt,
            (SyntaxKind::GE, _) => CmpOp::Ge,
            (SyntaxKind::EQ2, _) => CmpOp::Eq,
            (SyntaxKind::NEQ, _) => CmpOp::Ne,
            (SyntaxKind::IN_KW, _) => CmpOp::In,
            (SyntaxKind::NOT_KW, Some(SyntaxKind::IN_KW)) => CmpOp::NotIn,
            (SyntaxKind::IS_KW, Some(SyntaxKind::NOT_KW)) => CmpOp::IsNot,
            (SyntaxKind::IS_KW, _) => CmpOp::Is,
            _ => return None,
        };
        Some(op)
    }
}

impl CompareExpr {
    /// The first operand.
    pub fn first(&self) -> Option<Expr> {
        support::child_between(self.syntax(), None, Some(SyntaxKind::COMPARE_OP))
    }

    /// Each operator with the operand after it: `(<, b)`, `(<=, c)` of `a < b <= c`. An operand that is missing is
    /// `None`.
    pub fn links(&self) -> impl Iterator<Item = (CompareOp, Option<Expr>)> + use<> {
        self.compare_ops().map(|op| {
            let operand = std::iter::successors(op.syntax().next_sibling(), |it| it.next_sibling())
                .take_while(|it| !CompareOp::can_cast(it.kind()))
                .find_map(Expr::cast);
            (op, operand)
        })
    }
}

impl BoolExpr {
    /// Returns the operator that joins the operands: all are the same.
    pub fn op(&self) -> Option<BoolOp> {
        support::significant_tokens(self.syntax()).find_map(|it| match it.kind() {
            SyntaxKind::AND_KW => Some(BoolOp::And),
            SyntaxKind::OR_KW => Some(BoolOp::Or),
            _ => None,
        })
    }
}

impl UnaryExpr {
    /// Returns the operator that it applies.
    pub fn op(&self) -> Option<PrefixOp> {
        let op = match support::first_token(self.unary_op()?.syntax())?.kind() {
            SyntaxKind::MINUS => PrefixOp::Neg,
            SyntaxKind::PLUS => PrefixOp::Pos,
            SyntaxKind::TILDE => PrefixOp::Invert,
            SyntaxKind::NOT_KW => PrefixOp::Not,
            _ => return None,
        };
        Some(op)
    }
}

impl BinaryExpr {
    /// The operands and operators of a chain that leans left, `a + b - c`, from left to right: the first operand, then
    /// each operator with its right side. Only nodes of this very shape are unrolled, parentheses stay whole. No
    /// recursion: a chain may have 10^5 terms.
    pub fn unrolled(&self) -> (Option<Expr>, Vec<(BinaryExpr, Option<Expr>)>) {
        let mut links = Vec::new();
        let mut node = self.clone();
        let first = loop {
            links.push((node.clone(), node.rhs()));
            match node.lhs() {
                Some(Expr::BinaryExpr(inner)) => node = inner,
                other => break other,
            }
        };
        links.reverse();
        (first, links)
    }
}

/// Returns true if a child is a token of this kind.
pub(super) fn is_token(element: &SyntaxElement, kind: SyntaxKind) -> bool {
    element.as_token().is_some_and(|it| it.kind() == kind)
}
