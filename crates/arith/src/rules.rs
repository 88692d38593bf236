//! The rewrite rules as data: the simplifier matches them and the prover proves them.
//!
//! In: the tables `rules/*.rules`, one file a group, read once. Out: [`all`] rules in the order of the files, and
//! [`candidates`] of them for an operator. How to write one: `RULES.md` beside the crate's manifest.
//!
//! **Contract** of a rule, which `cargo xtask prove-rules` proves: in every run in which the left side is evaluated
//! without a trap and without signed overflow, and in which the conditions hold, the right side has the same value, and
//! neither traps nor overflows. A rule of [`Domain::Wrapping`] claims equal values modulo the width of the type,
//! whatever overflows, and that the right side computes no sum, difference or product that the left side does not.
//!
//! Terms. A *variable* of a rule stands for an expression ([`Sort`]); one that occurs twice stands for one node twice.
//! A *constant term* holds no variables but constants: it is worked out exactly, and a rule whose constant does not fit
//! the type does not apply. Finding the candidates is O(1), matching one O(its size).

mod index;
mod parse;
mod text;

use std::sync::OnceLock;

use ir::{BinaryOp, UnaryOp};

pub use index::Head;
pub(crate) use index::{candidates, kind_of_node};
#[cfg(test)]
pub(crate) use parse::LEVELS;
pub use parse::{RuleError, parse};

/// The tables, in the order in which rules are tried.
pub const TABLES: &[(&str, &str)] = &[
    ("add.rules", include_str!("rules/add.rules")),
    ("mul.rules", include_str!("rules/mul.rules")),
    ("div.rules", include_str!("rules/div.rules")),
    ("mod.rules", include_str!("rules/mod.rules")),
    ("trunc.rules", include_str!("rules/trunc.rules")),
    ("min-max.rules", include_str!("rules/min-max.rules")),
    ("compare.rules", include_str!("rules/compare.rules")),
    ("logic.rules", include_str!("rules/logic.rules")),
    ("select.rules", include_str!("rules/select.rules")),
    ("bits.rules", include_str!("rules/bits.rules")),
    ("float.rules", include_str!("rules/float.rules")),
];

/// Every rule, in the order of the tables.
pub fn all() -> &'static [Rule] {
    static RULES: OnceLock<Vec<Rule>> = OnceLock::new();
    RULES.get_or_init(|| {
        let tables = TABLES.iter().map(|&(file, text)| parse(file, text));
        let rules: Result<Vec<Vec<Rule>>, RuleError> = tables.collect();
        rules.expect("the tables are constant, and a test reads them").concat()
    })
}

/// The declarations of all rules, as `tir-analyzer explain` shows them.
pub fn declared() -> &'static [::rules::Rule] {
    static PAGES: OnceLock<Vec<String>> = OnceLock::new();
    static DECLARED: OnceLock<Vec<::rules::Rule>> = OnceLock::new();
    let page = |it: &Rule| format!("{}\n\n    {}\n", it.doc, it.text);
    let pages = PAGES.get_or_init(|| all().iter().map(page).collect());
    let declare = |(it, page): (&Rule, &'static String)| {
        ::rules::Rule::simplification(it.name, "a rewrite rule of the simplifier", page)
    };
    DECLARED.get_or_init(|| all().iter().zip(pages).map(declare).collect())
}

/// The rule of this name.
pub fn find(name: &str) -> Option<&'static Rule> {
    all().iter().find(|it| it.name == name)
}

/// A directed rewrite.
#[derive(Clone, PartialEq, Debug)]
pub struct Rule {
    /// In kebab-case; `tir-analyzer explain NAME` shows the rule.
    pub name: &'static str,
    /// The description, in a sentence or two.
    pub doc: String,
    /// The rule as written, without its name.
    pub text: String,
    /// Matched.
    pub lhs: Term,
    /// Built instead.
    pub rhs: Term,
    /// All have to be shown.
    pub conditions: Vec<Condition>,
    /// Types that it is for.
    pub domain: Domain,
    /// Named by [`Term::Var`], in the order of their first appearance.
    pub variables: Vec<Variable>,
    /// Table.
    pub file: &'static str,
    /// Line of the name.
    pub line: u32,
}

/// The types of a rule's values. They all have one type; a rule without any is for truth values.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Domain {
    /// Signed integers of 32 bits and more, taken as mathematical integers. Where overflow is not excluded, and for
    /// other integers, only where the left side is shown not to overflow.
    Int,
    /// All integers, narrow and unsigned ones too: sums are those of the integers modulo the width.
    Wrapping,
    /// Floats of every type, bit by bit, NaN and signed zeros included.
    Float,
    /// Values of any type, which the rule chooses between and does not look into.
    Any,
}

/// The sort of a rule's variable.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Sort {
    /// Any expression of the rule's integers or floats: `x`, `y`, every name that is not one of the others.
    Value,
    /// An integer constant: `c`, `c1`, `c2` …
    Constant,
    /// Any truth value: `b`, `b1`, `b2` …
    Bool,
}

/// A variable of a rule.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Variable {
    /// As written.
    pub name: String,
    /// The sort.
    pub sort: Sort,
}

/// One side of a rule, or a part of it.
#[derive(Clone, PartialEq, Debug)]
pub enum Term {
    /// [`Rule::variables`] by index.
    Var(usize),
    /// An integer.
    Int(i128),
    /// `true`, `false`
    Bool(bool),
    /// A float, by its bits.
    Float(f64),
    /// Two operands; on integers with the meaning of `SEMANTICS.md`.
    Binary(BinaryOp, Box<Term>, Box<Term>),
    /// One operand.
    Unary(UnaryOp, Box<Term>),
    /// `select(b, x, y)`: both arms are evaluated.
    Select(Box<[Term; 3]>),
    /// `if_then_else(b, x, y)`: one arm is evaluated.
    IfThenElse(Box<[Term; 3]>),
    /// `gcd(c1, c2)`, of constants; not negative.
    Gcd(Box<Term>, Box<Term>),
}

/// A condition that must be shown before a rule applies.
#[derive(Clone, PartialEq, Debug)]
pub enum Condition {
    /// A comparison. Of constants it is worked out; else the analyzer decides it in the context (`x % c == 0` by
    /// congruences).
    Holds(Term),
    /// `no_overflow(e)`: no sum, difference or product in `e` leaves the range of its type, or the same value is
    /// computed on the way to this place.
    NoOverflow(Term),
    /// `no_event(b)`: evaluating it where the left side does not adds no trap and no overflow.
    NoEvent(Term),
}

impl Term {
    /// Calls `visit` on this term and all in it, outermost first.
    pub fn each(&self, visit: &mut dyn FnMut(&Term)) {
        visit(self);
        match self {
            Term::Var(_) | Term::Int(_) | Term::Bool(_) | Term::Float(_) => {}
            Term::Unary(_, a) => a.each(visit),
            Term::Binary(_, a, b) | Term::Gcd(a, b) => {
                a.each(visit);
                b.each(visit);
            }
            Term::Select(parts) | Term::IfThenElse(parts) => {
                parts.iter().for_each(|it| it.each(visit));
            }
        }
    }

    /// Returns true if the term is evaluated instead of built: it has integers and constants only, with at least one of
    /// them.
    pub fn is_constant(&self, variables: &[Variable]) -> bool {
        match self {
            Term::Int(_) => true,
            Term::Var(index) => variables[*index].sort == Sort::Constant,
            Term::Binary(op, a, b) => {
                !op.is_comparison()
                    && !op.is_logical()
                    && a.is_constant(variables)
                    && b.is_constant(variables)
            }
            Term::Gcd(..) => true,
            Term::Bool(_)
            | Term::Float(_)
            | Term::Unary(..)
            | Term::Select(_)
            | Term::IfThenElse(_) => false,
        }
    }
}

#[cfg(test)]
mod tests;
