//! Attributes: compile-time data on functions, operations and calls.
//!
//! Order of dictionary entries is kept as written, for printing; equality and fingerprints go by sorted keys.

use std::{
    hash::{Hash, Hasher},
    ops::{Deref, DerefMut},
    sync::Arc,
};

use crate::{DataType, Dialect, ExprId};

/// One attribute value.
#[derive(Clone, PartialEq, Debug)]
pub enum Attr {
    /// `None`
    None,
    /// `True`, `T.bool(True)`
    Bool(bool),
    /// An integer; `T.int64(3)` has its type, a bare literal has none.
    Int(i64, Option<DataType>),
    /// A float; `T.float32(1.0)` has its type.
    Float(f64, Option<DataType>),
    /// A string.
    Str(Box<str>),
    /// A list or tuple.
    List(Vec<Attr>),
    /// A dictionary in the order written.
    Dict(Vec<(Box<str>, Attr)>),
    /// `T.target({...})`, `R.Tensor(...)`: a call of a constructor that this IR does not interpret.
    Call {
        /// Dotted name as written.
        name: Box<str>,
        /// Positional arguments.
        args: Vec<Attr>,
        /// Keyword arguments in the order written.
        keywords: Vec<(Box<str>, Attr)>,
    },
    /// An expression of the body (a buffer shape in an annotation, say).
    Expr(ExprId),
    /// Of a call: the keyword of the operand at this place of its list of operands. A keyword whose value is computed
    /// is an operand like others, behind the positional ones.
    Operand(u32),
    /// Anything else, by its text.
    Text(Box<str>),
}

impl Attr {
    /// Returns true if the attribute contains an expression, or a text of unknown meaning. O(its parts).
    pub fn holds_expression(&self) -> bool {
        self.leaves().any(|it| matches!(it, Attr::Expr(_) | Attr::Text(_)))
    }

    /// The attributes without further attributes in them, in order: the attribute itself, or the leaves of its lists,
    /// dictionaries and calls. O(its parts).
    pub fn leaves(&self) -> impl Iterator<Item = &Attr> {
        let mut stack = vec![self];
        std::iter::from_fn(move || {
            loop {
                match stack.pop()? {
                    Attr::List(items) => stack.extend(items.iter().rev()),
                    Attr::Dict(items) => stack.extend(items.iter().rev().map(|it| &it.1)),
                    Attr::Call { args, keywords, .. } => {
                        stack.extend(keywords.iter().rev().map(|it| &it.1));
                        stack.extend(args.iter().rev());
                    }
                    leaf => return Some(leaf),
                }
            }
        })
    }

    /// The expressions in it, in order. O(its parts).
    pub fn expressions(&self) -> impl Iterator<Item = ExprId> {
        self.leaves().filter_map(|it| match it {
            Attr::Expr(expr) => Some(*expr),
            _ => None,
        })
    }

    /// The expressions in it, to be changed. O(its parts).
    pub fn expressions_mut(&mut self) -> impl Iterator<Item = &mut ExprId> {
        let mut stack = vec![self];
        std::iter::from_fn(move || {
            loop {
                match stack.pop()? {
                    Attr::List(items) => stack.extend(items.iter_mut().rev()),
                    Attr::Dict(items) => stack.extend(items.iter_mut().rev().map(|it| &mut it.1)),
                    Attr::Call { args, keywords, .. } => {
                        stack.extend(keywords.iter_mut().rev().map(|it| &mut it.1));
                        stack.extend(args.iter_mut().rev());
                    }
                    Attr::Expr(expr) => return Some(expr),
                    _ => {}
                }
            }
        })
    }
}

/// An attribute dictionary in the order written. The empty one has id 0 in every body.
pub type AttrDict = Vec<(Box<str>, Attr)>;

/// A dictionary that copies share until one of them changes it: a function has few, and they are long beside its
/// expressions.
#[derive(Clone, Default, PartialEq, Debug)]
pub struct SharedDict(Arc<AttrDict>);

impl Deref for SharedDict {
    type Target = AttrDict;
    fn deref(&self) -> &AttrDict {
        &self.0
    }
}

impl DerefMut for SharedDict {
    fn deref_mut(&mut self) -> &mut AttrDict {
        Arc::make_mut(&mut self.0)
    }
}

impl From<AttrDict> for SharedDict {
    fn from(dict: AttrDict) -> SharedDict {
        SharedDict(Arc::new(dict))
    }
}

/// The attribute of a call that records the spelling of a number among its positional operands, where its value does
/// not show it.
pub fn spelling_key(operand: usize) -> Box<str> {
    format!("#{operand}").into()
}

/// The function attribute by which parameters do not overlap (`SEMANTICS: M5`), as a dialect spells it.
pub fn noalias_key(dialect: Dialect) -> &'static str {
    match dialect {
        Dialect::Tir => "tir.noalias",
        _ => "tirx.noalias",
    }
}

/// Gives a dictionary to a hasher; equal ones give the same. Without recursion.
pub(crate) fn hash_dict(dict: &AttrDict, hasher: &mut impl Hasher) {
    let mut stack: Vec<&Attr> = Vec::new();
    let entries = |entries: &'_ [(Box<str>, Attr)], hasher: &mut dyn Hasher| {
        hasher.write_usize(entries.len());
        for (key, _) in entries {
            hasher.write(key.as_bytes());
        }
    };
    entries(dict, hasher);
    stack.extend(dict.iter().map(|(_, value)| value));
    while let Some(attr) = stack.pop() {
        std::mem::discriminant(attr).hash(hasher);
        match attr {
            Attr::None => {}
            Attr::Bool(value) => value.hash(hasher),
            Attr::Int(value, dtype) => (value, dtype).hash(hasher),
            // 0.0 and -0.0 are equal.
            Attr::Float(_, dtype) => dtype.hash(hasher),
            Attr::Str(text) | Attr::Text(text) => hasher.write(text.as_bytes()),
            Attr::List(items) => {
                hasher.write_usize(items.len());
                stack.extend(items);
            }
            Attr::Dict(items) => {
                entries(items, hasher);
                stack.extend(items.iter().map(|(_, value)| value));
            }
            Attr::Call { name, args, keywords } => {
                hasher.write(name.as_bytes());
                entries(keywords, hasher);
                stack.extend(args);
                stack.extend(keywords.iter().map(|(_, value)| value));
            }
            Attr::Expr(expr) => expr.hash(hasher),
            Attr::Operand(index) => index.hash(hasher),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arena::Id as _;

    #[test]
    fn leaves_of_lists_dictionaries_and_calls_come_in_order() {
        let expr = |it: usize| Attr::Expr(ExprId::new(it));
        let mut attr = Attr::List(vec![
            expr(0),
            Attr::Dict(vec![("a".into(), expr(1)), ("b".into(), Attr::Bool(true))]),
            Attr::Call {
                name: "T.f".into(),
                args: vec![expr(2), Attr::List(vec![expr(3)])],
                keywords: vec![("k".into(), expr(4))],
            },
            expr(5),
        ]);
        let numbers = |it: &Attr| it.expressions().map(|it| it.index()).collect::<Vec<_>>();
        assert_eq!(numbers(&attr), [0, 1, 2, 3, 4, 5]);
        assert_eq!(attr.leaves().count(), 7);
        attr.expressions_mut().for_each(|it| *it = ExprId::new(it.index() + 10));
        assert_eq!(numbers(&attr), [10, 11, 12, 13, 14, 15]);
        assert!(attr.holds_expression() && !Attr::Bool(true).holds_expression());
        // However deep.
        let deep = (0..100_000).fold(expr(7), |it, _| Attr::List(vec![it]));
        assert_eq!(numbers(&deep), [7]);
        std::mem::forget(deep);
    }
}
