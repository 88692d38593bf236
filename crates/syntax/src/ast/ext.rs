//! Getters for the parts of statements, calls and parameters whose position a grammar rule cannot express.

use parser::SyntaxKind;

use super::{
    Arg, ArgList, AssignStmt, AstChildren, AstNode, Block, CallExpr, ClassDef, DictItem, Expr,
    ForStmt, FromImportStmt, FunctionDef, HasText, ImportAlias, Param, RaiseStmt, SliceExpr, Stmt,
    StringExpr, SubscriptExpr, WithStmt, YieldExpr, operators::is_token, support,
};
use crate::{SyntaxElement, SyntaxNode, TokenText};

/// How an argument is passed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ArgKind {
    /// `f(x)`
    Positional,
    /// `f(name=x)`
    Keyword,
    /// `f(*x)`
    Star,
    /// `f(**x)`
    DoubleStar,
}

/// How a parameter is bound.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ParamKind {
    /// `name`
    Plain,
    /// `*name`, or a lone `*`: those after it are bound by keyword only.
    Star,
    /// `**name`
    DoubleStar,
    /// `/`: those before it are bound by position only.
    Slash,
}

/// The part of a slice that a bound is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum BoundKind {
    /// Before the first colon.
    Lower,
    /// Between the colons.
    Upper,
    /// After the second colon.
    Step,
}

impl AssignStmt {
    /// The targets of the assignment, from left to right: `a` and `b` of `a = b = x`.
    pub fn targets(&self) -> impl Iterator<Item = Expr> + use<> {
        // What is followed by a `=` is a target.
        let children: Vec<SyntaxElement> = self.syntax().children_with_tokens().collect();
        let last = children.iter().rposition(|it| is_token(it, SyntaxKind::EQ)).unwrap_or(0);
        children.into_iter().take(last).filter_map(SyntaxElement::into_node).filter_map(Expr::cast)
    }

    /// The only target, if there is one only.
    pub fn single_target(&self) -> Option<Expr> {
        let mut targets = self.targets();
        targets.next().filter(|_| targets.next().is_none())
    }

    /// The assigned value.
    pub fn value(&self) -> Option<Expr> {
        let mut value = None;
        for child in self.syntax().children_with_tokens() {
            if is_token(&child, SyntaxKind::EQ) {
                value = None;
            } else if value.is_none() {
                value = child.into_node().and_then(Expr::cast);
            }
        }
        value
    }
}

impl RaiseStmt {
    /// The raised exception.
    pub fn exception(&self) -> Option<Expr> {
        support::child_between(self.syntax(), None, Some(SyntaxKind::FROM_KW))
    }

    /// The expression after `from`.
    pub fn cause(&self) -> Option<Expr> {
        support::child_between(self.syntax(), Some(SyntaxKind::FROM_KW), None)
    }
}

impl YieldExpr {
    /// Returns true if it is `yield from`.
    pub fn is_from(&self) -> bool {
        self.from_token().is_some()
    }
}

impl DictItem {
    /// The key; none in `**mapping`.
    pub fn key(&self) -> Option<Expr> {
        self.colon_token()?;
        support::child_between(self.syntax(), None, Some(SyntaxKind::COLON))
    }

    /// The value, or the mapping after `**`.
    pub fn value(&self) -> Option<Expr> {
        match self.colon_token() {
            Some(_) => support::child_between(self.syntax(), Some(SyntaxKind::COLON), None),
            None => support::child(self.syntax()),
        }
    }
}

impl SliceExpr {
    /// A bound by its place among the colons.
    pub fn bound(&self, which: BoundKind) -> Option<Expr> {
        let mut colons = 0;
        let wanted = match which {
            BoundKind::Lower => 0,
            BoundKind::Upper => 1,
            BoundKind::Step => 2,
        };
        for child in self.syntax().children_with_tokens() {
            if is_token(&child, SyntaxKind::COLON) {
                colons += 1;
            } else if let Some(expr) = child.into_node().and_then(Expr::cast)
                && colons == wanted
            {
                return Some(expr);
            }
        }
        None
    }

    /// The expression before the first colon.
    pub fn lower(&self) -> Option<Expr> {
        self.bound(BoundKind::Lower)
    }

    /// The expression after the first colon.
    pub fn upper(&self) -> Option<Expr> {
        self.bound(BoundKind::Upper)
    }

    /// The expression after the second colon.
    pub fn step(&self) -> Option<Expr> {
        self.bound(BoundKind::Step)
    }
}

impl SubscriptExpr {
    /// The indices: the elements of the tuple if there is a comma, else the one.
    pub fn indices(&self) -> impl Iterator<Item = Expr> + use<> {
        let (tuple, single) = match self.index() {
            Some(Expr::TupleExpr(tuple)) if tuple.l_paren_token().is_none() => {
                (Some(tuple.exprs()), None)
            }
            other => (None, other),
        };
        tuple.into_iter().flatten().chain(single)
    }
}

impl Arg {
    /// How it is passed.
    pub fn kind(&self) -> ArgKind {
        if self.star2_token().is_some() {
            ArgKind::DoubleStar
        } else if self.eq_token().is_some() {
            ArgKind::Keyword
        } else if matches!(self.value(), Some(Expr::StarExpr(_))) {
            ArgKind::Star
        } else {
            ArgKind::Positional
        }
    }

    /// The name of a keyword argument.
    pub fn keyword_text(&self) -> Option<TokenText> {
        self.keyword()?.text()
    }
}

impl ArgList {
    /// The values that are passed by position. Stars end the list: their values are unknown.
    pub fn positional(&self) -> impl Iterator<Item = Expr> + use<> {
        self.args()
            .take_while(|it| !matches!(it.kind(), ArgKind::Star | ArgKind::DoubleStar))
            .filter(|it| it.kind() == ArgKind::Positional)
            .filter_map(|it| it.value())
    }

    /// The value that is passed by a keyword.
    pub fn keyword(&self, name: &str) -> Option<Expr> {
        self.args().find(|it| it.keyword_text().is_some_and(|text| text.as_str() == name))?.value()
    }
}

impl CallExpr {
    /// The arguments in the order of the text.
    pub fn args(&self) -> impl Iterator<Item = Arg> + use<> {
        self.arg_list().into_iter().flat_map(|it| it.args())
    }

    /// The values that are passed by position.
    pub fn positional_args(&self) -> impl Iterator<Item = Expr> + use<> {
        self.arg_list().into_iter().flat_map(|it| it.positional())
    }

    /// The value that is passed by a keyword.
    pub fn keyword_arg(&self, name: &str) -> Option<Expr> {
        self.arg_list()?.keyword(name)
    }
}

impl Param {
    /// How it is bound.
    pub fn kind(&self) -> ParamKind {
        if self.star2_token().is_some() {
            ParamKind::DoubleStar
        } else if self.star_token().is_some() {
            ParamKind::Star
        } else if self.slash_token().is_some() {
            ParamKind::Slash
        } else {
            ParamKind::Plain
        }
    }

    /// The name.
    pub fn name_text(&self) -> Option<TokenText> {
        self.name()?.text()
    }
}

impl FunctionDef {
    /// The name.
    pub fn name_text(&self) -> Option<TokenText> {
        self.name()?.text()
    }

    /// The parameters, without a lone `*` or `/`.
    pub fn params(&self) -> impl Iterator<Item = Param> + use<> {
        self.param_list().into_iter().flat_map(|it| it.params()).filter(|it| it.name().is_some())
    }

    /// The statements of the body.
    pub fn body(&self) -> impl Iterator<Item = Stmt> + use<> {
        self.block().into_iter().flat_map(|it| it.stmts())
    }

    /// The string that opens the body.
    pub fn docstring(&self) -> Option<StringExpr> {
        docstring(self.block()?.stmts())
    }
}

impl ClassDef {
    /// The name.
    pub fn name_text(&self) -> Option<TokenText> {
        self.name()?.text()
    }

    /// The statements of the body.
    pub fn body(&self) -> impl Iterator<Item = Stmt> + use<> {
        self.block().into_iter().flat_map(|it| it.stmts())
    }
}

fn docstring(mut stmts: AstChildren<Stmt>) -> Option<StringExpr> {
    match stmts.next()? {
        Stmt::ExprStmt(stmt) => match stmt.expr()? {
            Expr::StringExpr(string) => Some(string),
            _ => None,
        },
        _ => None,
    }
}

impl ForStmt {
    /// The targets that the loop binds: the names of a tuple, or the one target.
    pub fn targets(&self) -> impl Iterator<Item = Expr> + use<> {
        let (tuple, single) = match self.target() {
            Some(Expr::TupleExpr(tuple)) => (Some(tuple.exprs()), None),
            other => (None, other),
        };
        tuple.into_iter().flatten().chain(single)
    }
}

impl WithStmt {
    /// Each item of the `with`, with its target.
    pub fn items(&self) -> impl Iterator<Item = (Option<Expr>, Option<Expr>)> + use<> {
        self.with_items().map(|it| (it.context(), it.target()))
    }
}

impl ImportAlias {
    /// The name that the import binds: the alias, or the first part of the imported name.
    pub fn bound_name(&self) -> Option<TokenText> {
        match self.name() {
            Some(alias) => alias.text(),
            None => self.dotted_name()?.name_refs().next()?.text(),
        }
    }
}

impl FromImportStmt {
    /// The number of dots before the module's name.
    pub fn level(&self) -> usize {
        self.syntax()
            .children_with_tokens()
            .filter_map(SyntaxElement::into_token)
            .take_while(|it| it.kind() != SyntaxKind::IMPORT_KW)
            .map(|it| match it.kind() {
                SyntaxKind::DOT => 1,
                SyntaxKind::DOT3 => 3,
                _ => 0,
            })
            .sum()
    }

    /// Returns true if it is `from m import *`.
    pub fn is_star(&self) -> bool {
        self.star_token().is_some()
    }
}

impl Stmt {
    /// The blocks directly below, in the order of the text: those of clauses too.
    pub fn blocks(&self) -> impl Iterator<Item = Block> + use<> {
        self.syntax().children().flat_map(|child: SyntaxNode| {
            let own = Block::cast(child.clone());
            let of_clause = own.is_none().then(|| support::child::<Block>(&child)).flatten();
            own.or(of_clause)
        })
    }
}
