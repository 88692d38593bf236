//! The captured names of functions: one query a name, so that the edit of a constant invalidates only its users.

use std::sync::Arc;

use frontend::tvmscript::{Capture, Environment, Found, Instance};
use ir::effects::EffectTable;

use crate::{
    Db,
    index::file_index,
    input::{Configuration, SourceFile},
    unit::{Scope, ScopeKey, Unit},
};

/// A name as it is seen from a scope of a file.
#[salsa::interned(debug)]
pub struct CapturedName<'db> {
    /// The file.
    #[returns(copy)]
    pub file: SourceFile,
    /// The scope.
    #[returns(ref)]
    pub scope: Arc<ScopeKey>,
    /// The number of scopes around it.
    #[returns(copy)]
    pub up: u32,
    /// The name.
    #[returns(ref)]
    pub name: Box<str>,
    /// The instance of a factory around the scope.
    #[returns(ref)]
    pub instance: Option<Arc<Instance>>,
}

/// Returns the meaning of a captured name.
#[salsa::tracked(returns(ref))]
pub fn capture<'db>(db: &'db dyn Db, name: CapturedName<'db>) -> Found {
    let index = file_index(db, name.file(db));
    match index.functions().zip(index.scope(name.scope(db))) {
        Some((functions, scope)) => {
            let instance = name.instance(db).as_deref();
            functions.capture_in(scope, name.up(db), name.name(db), instance)
        }
        None => UNDEFINED,
    }
}

/// The meaning of an undefined name.
const UNDEFINED: Found = Found { capture: Capture::Undefined, home: None };

/// The environment of a function: asks [`capture`] for each name.
pub(crate) struct DbEnvironment<'db> {
    pub(crate) db: &'db dyn Db,
    pub(crate) unit: Unit<'db>,
}

impl Environment for DbEnvironment<'_> {
    fn resolve_above(&self, up: u32, name: &str) -> Found {
        let Scope::Python(scope) = self.unit.scope(self.db) else { return UNDEFINED };
        let (db, file) = (self.db, self.unit.file(self.db));
        let instance = self.unit.instance(db).cloned();
        capture(db, CapturedName::new(db, file, scope.clone(), up, name, instance)).clone()
    }

    fn effects(&self) -> &EffectTable {
        &Configuration::get(self.db).dialects(self.db).effects
    }
}
