//! The questions that are asked of the scopes of a file: the meaning of a name, an attribute, a call, an expression.
//!
//! In: scopes, a place or value in them, and the context of the file. Out: a meaning or a value. Each question is a
//! session of its own, with its own budget.

use syntax::Green;

use super::{
    Home, Value,
    session::{Place, Session, Trees},
};
use crate::tvmscript::{
    ast::Ex,
    discover::{Context, MODULE, ScopeId, Scopes},
    environment::Found,
};

impl Scopes {
    /// Returns the meaning of a name in a scope, or in that of `home`.
    pub fn capture(
        &self,
        scope: ScopeId,
        home: Option<&Home>,
        name: &str,
        context: Context<'_>,
    ) -> Found {
        let trees = Trees::default();
        let session = Session::new(&trees, self, context);
        let place = match home {
            Some(home) => session.place(home),
            None => Some(Place { file: "".into(), scope }),
        };
        let place = place.unwrap_or(Place { file: "".into(), scope: MODULE });
        session.find(&place, name)
    }

    /// Returns the value of an expression of a tree that stands in a scope.
    pub(crate) fn evaluate(
        &self,
        scope: ScopeId,
        tree: &Green,
        ex: Ex,
        context: Context<'_>,
    ) -> Value {
        let trees = Trees::default();
        let session = Session::new(&trees, self, context);
        session.expression_in(&Place { file: "".into(), scope }, tree, ex)
    }

    /// Returns the value of an attribute of a captured object.
    pub fn member(&self, object: &Value, name: &str, context: Context<'_>) -> Value {
        let trees = Trees::default();
        Session::new(&trees, self, context).member(object, name)
    }

    /// Returns the result of a call of a captured function with known arguments.
    pub fn apply(
        &self,
        function: &Value,
        positional: Vec<Value>,
        keywords: Vec<(Box<str>, Value)>,
        context: Context<'_>,
    ) -> Value {
        let trees = Trees::default();
        Session::new(&trees, self, context).apply(function, positional, keywords)
    }
}

/// Returns the result of a function of Python itself for known arguments.
pub(crate) fn pure(path: &str, positional: Vec<Value>, keywords: Vec<(Box<str>, Value)>) -> Value {
    let scopes = Scopes::default();
    scopes.apply(&Value::Path(path.into()), positional, keywords, Context::default())
}
