//! One of the two functions while it is executed on terms: what its variables, scalars and memory hold.

use ir::{Body, BufferId, ValueId};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

use crate::{memory::ClassId, term::Term};

/// An integer or any other value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Value {
    /// Its term.
    pub(crate) term: Term,
    /// The condition under which signed arithmetic has wrapped on the way to it (`SEMANTICS: I1`).
    pub(crate) wrapped: Term,
    /// The same for unsigned arithmetic (`SEMANTICS: I2`), of which nothing may be assumed.
    pub(crate) wrapped_unsigned: Term,
}

/// Which of the two functions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Which {
    /// The one that was there: its errors are assumed away.
    Before,
    /// The one that is there now: its errors have to be shown away.
    After,
}

/// A call with effects, as a step sees it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Effect {
    /// Callee, attributes and type.
    pub(crate) signature: String,
    pub(crate) args: Vec<Term>,
    /// True if it may change memory that others reach.
    pub(crate) writes: bool,
}

/// The state of one function.
#[derive(Clone, Debug)]
pub(crate) struct Side<'a> {
    pub(crate) body: &'a Body,
    pub(crate) which: Which,
    pub(crate) values: FxHashMap<ValueId, Value>,
    pub(crate) memory: BTreeMap<ClassId, Term>,
    pub(crate) cells: BTreeMap<BufferId, Value>,
    /// The operands that make a buffer, where it was made.
    pub(crate) buffers: FxHashMap<BufferId, Vec<Term>>,
    /// The condition under which the statement is executed.
    pub(crate) guard: Term,
    /// The variables of enclosing binders, innermost last.
    pub(crate) binders: Vec<Value>,
    /// Uses of wrapped unsigned values since the last step of both.
    pub(crate) unsigned_uses: Vec<Term>,
    /// Results of calls with effects in this step; none where there must not be any.
    pub(crate) effects: Option<Vec<Effect>>,
}
