//! From a unit to its body, its source map and its diagnostics.
//!
//! `lowered` reads the text; `body` is its meaning. A comment or a space changes the one and not the other: `body`
//! compares by content, so its dependents stay valid. Positions live in source maps, relative to the unit. Each form
//! has a map of its own; of a unit of the other form it is empty.

mod functions;
mod operations;

use std::sync::{Arc, LazyLock};

use frontend::{
    ops::{self, OpSourceMap},
    tvmscript::{self, SourceMap},
};
use ir::{Body, Dialect, Occurrences};
use syntax::{Diagnostic, Form};

pub use self::operations::text;
use crate::{Db, unit::Unit};

/// A unit, lowered: all that reads its text.
#[derive(Clone, Debug)]
pub enum Lowered {
    /// A function of statements.
    Expressions(Arc<tvmscript::Lowered>),
    /// A function, program or frame of operations.
    Operations(Arc<ops::Lowered>),
    /// Text without a meaning: around programs of PIR.
    Nothing,
}

/// The body of what has none.
static NO_BODY: LazyLock<Body> = LazyLock::new(|| Body::new("", Dialect::Mlir));
/// The map of units of operations as functions of statements have it.
static NO_MAP: LazyLock<SourceMap> = LazyLock::new(SourceMap::default);

impl Lowered {
    /// The unit in the IR; an empty one of what has no meaning.
    pub fn body(&self) -> &Body {
        match self {
            Lowered::Expressions(it) => &it.body,
            Lowered::Operations(it) => &it.body,
            Lowered::Nothing => &NO_BODY,
        }
    }

    /// Returns the diagnostics of lowering a unit.
    pub fn diagnostics(&self) -> &[Diagnostic] {
        match self {
            Lowered::Expressions(it) => &it.diagnostics,
            Lowered::Operations(it) => &it.diagnostics,
            Lowered::Nothing => &[],
        }
    }

    /// The unit, if it is one of operations and means something.
    pub fn operations(&self) -> Option<&ops::Lowered> {
        match self {
            Lowered::Operations(it) => Some(it),
            Lowered::Expressions(_) | Lowered::Nothing => None,
        }
    }

    fn is_same(&self, other: &Lowered) -> bool {
        match (self, other) {
            (Lowered::Expressions(a), Lowered::Expressions(b)) => Arc::ptr_eq(a, b),
            (Lowered::Operations(a), Lowered::Operations(b)) => Arc::ptr_eq(a, b),
            (Lowered::Nothing, Lowered::Nothing) => true,
            _ => false,
        }
    }
}

/// The unit, lowered. All that reads its text.
pub fn lowered<'db>(db: &'db dyn Db, unit: Unit<'db>) -> &'db Lowered {
    match unit.form(db) {
        Form::Expressions => functions::lowered(db, unit),
        Form::Operations => operations::lowered(db, unit),
    }
}

/// A body, shared. Equal if the bodies are, wherever they stand in the text.
#[derive(Clone, Debug)]
pub struct SharedBody(Lowered);

impl SharedBody {
    /// Returns true if the unit has a meaning.
    pub fn is_something(&self) -> bool {
        !matches!(self.0, Lowered::Nothing)
    }
}

impl std::ops::Deref for SharedBody {
    type Target = Body;
    fn deref(&self) -> &Body {
        self.0.body()
    }
}

impl PartialEq for SharedBody {
    fn eq(&self, other: &SharedBody) -> bool {
        self.0.is_same(&other.0) || **self == **other
    }
}

/// The unit in the IR. Stands still when only comments, layout and positions change.
pub fn body<'db>(db: &'db dyn Db, unit: Unit<'db>) -> &'db SharedBody {
    match unit.form(db) {
        Form::Expressions => functions::body(db, unit),
        Form::Operations => operations::body(db, unit),
    }
}

/// Where the parts of a function of statements are in the text, relative to its start.
pub fn source_map<'db>(db: &'db dyn Db, unit: Unit<'db>) -> &'db SourceMap {
    match lowered(db, unit) {
        Lowered::Expressions(it) => &it.source_map,
        Lowered::Operations(_) | Lowered::Nothing => &NO_MAP,
    }
}

/// Where the parts of a unit of operations are in the text, relative to the unit; none if it is no such unit, or means
/// nothing.
pub fn op_source_map<'db>(db: &'db dyn Db, unit: Unit<'db>) -> Option<&'db OpSourceMap> {
    lowered(db, unit).operations().map(|it| &it.source_map)
}

/// Returns the diagnostics of lowering a unit.
pub fn lowering_diagnostics<'db>(db: &'db dyn Db, unit: Unit<'db>) -> &'db [Diagnostic] {
    lowered(db, unit).diagnostics()
}

/// The occurrences of the body's expressions.
#[salsa::tracked(returns(ref), no_eq, lru = 128)]
pub fn occurrences<'db>(db: &'db dyn Db, unit: Unit<'db>) -> Arc<Occurrences> {
    Arc::new(Occurrences::collect(body(db, unit)))
}

/// Sets how many results the queries here keep; see [`crate::forgetting`].
pub(crate) fn keep(db: &mut dyn Db, n: usize) {
    functions::keep(db, n);
    occurrences::set_lru_capacity(db, n);
    operations::keep(db, n);
}
