//! The captured names of functions: one query a name, so that the edit of a constant invalidates only its users. What
//! is done with captured objects while a function is read (attributes, calls of helpers) is one query each.

use std::sync::Arc;

use frontend::tvmscript::{
    Assertion, Capture, Context, Environment, Found, Instance, Modules as _,
    staging::{Home, Unknown, Value},
};
use ir::effects::EffectTable;

use crate::{
    Db,
    input::SourceFile,
    modules::{DbModules, naming},
    unit::{Scope, ScopeKey, Unit},
};

/// A name as it is seen from a scope of a file.
#[salsa::interned(debug)]
pub struct CapturedName<'db> {
    /// The file.
    #[returns(copy)]
    pub file: SourceFile,
    /// The scope of the function.
    #[returns(ref)]
    pub scope: Arc<ScopeKey>,
    /// The scope that the name is looked up in, if it is another.
    #[returns(ref)]
    pub home: Option<Home>,
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
    let index = naming(db, name.file(db)).index();
    match index.functions().zip(index.scope(name.scope(db))) {
        Some((functions, scope)) => {
            let (home, text) = (name.home(db).as_ref(), name.name(db));
            let instance = name.instance(db).as_deref();
            let modules = &DbModules { db, own: name.file(db) };
            let context = Context { instance, modules };
            functions.scopes().capture(scope, home, text, context)
        }
        None => UNDEFINED,
    }
}

/// The scope of a function in a file.
#[salsa::interned(debug)]
pub struct FunctionScope<'db> {
    /// The file.
    #[returns(copy)]
    pub file: SourceFile,
    /// The scope.
    #[returns(ref)]
    pub scope: Arc<ScopeKey>,
}

/// Returns the conditions that Python has checked before it makes the functions of a scope.
#[salsa::tracked(returns(ref))]
pub fn assertions<'db>(db: &'db dyn Db, of: FunctionScope<'db>) -> Vec<Assertion> {
    let index = naming(db, of.file(db)).index();
    match index.functions().zip(index.scope(of.scope(db))) {
        Some((functions, scope)) => functions.scopes().assertions(scope),
        None => Vec::new(),
    }
}

/// The meaning of an undefined name.
const UNDEFINED: Found = Found { capture: Capture::Undefined, home: None };

/// An imported name of a function.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ImportedName {
    /// The path of the file that is imported.
    pub path: Arc<str>,
    /// The meaning of the name.
    pub capture: Capture,
}

/// Returns where a name of a function is imported from, if that is a file of the workspace.
pub fn imported_name<'db>(db: &'db dyn Db, unit: Unit<'db>, name: &str) -> Option<ImportedName> {
    let Scope::Python(scope) = unit.scope(db) else { return None };
    let file = unit.file(db);
    let index = naming(db, file).index();
    let words = index.functions()?.scopes().import(index.scope(scope)?, name)?;
    let modules = DbModules { db, own: file };
    // A name of a module, or a module.
    let path = match words.rsplit_once('.') {
        Some((module, _)) if !module.trim_start_matches('.').is_empty() => {
            modules.module("", module).or_else(|| modules.module("", words))
        }
        _ => modules.module("", words),
    }?;
    let capture = DbEnvironment { db, unit }.resolve(name);
    Some(ImportedName { path, capture })
}

/// Something that a function does with a captured object.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Use {
    /// Reads an attribute.
    Member(Value, Box<str>),
    /// Calls it with known arguments.
    Call(Value, Vec<Value>, Vec<(Box<str>, Value)>),
}

/// A use of a captured object in a file.
#[salsa::interned(debug)]
pub struct CapturedUse<'db> {
    /// The file.
    #[returns(copy)]
    pub file: SourceFile,
    /// The use.
    #[returns(ref)]
    pub of: Use,
    /// The instance of a factory around the function.
    #[returns(ref)]
    pub instance: Option<Arc<Instance>>,
}

/// Returns the result of a use of a captured object.
#[salsa::tracked(returns(ref))]
pub fn captured_use<'db>(db: &'db dyn Db, it: CapturedUse<'db>) -> Value {
    let Some(functions) = naming(db, it.file(db)).index().functions() else {
        return Value::Unknown(Unknown::new("its file has no statements"));
    };
    let scopes = functions.scopes();
    let modules = &DbModules { db, own: it.file(db) };
    let context = Context { instance: it.instance(db).as_deref(), modules };
    match it.of(db).clone() {
        Use::Member(object, name) => scopes.member(&object, &name, context),
        Use::Call(function, positional, keywords) => {
            scopes.apply(&function, positional, keywords, context)
        }
    }
}

/// The environment of a function: asks [`capture`] for each name.
pub(crate) struct DbEnvironment<'db> {
    pub(crate) db: &'db dyn Db,
    pub(crate) unit: Unit<'db>,
}

impl DbEnvironment<'_> {
    fn used(&self, of: Use) -> Value {
        let (db, file) = (self.db, self.unit.file(self.db));
        let instance = self.unit.instance(db).cloned();
        captured_use(db, CapturedUse::new(db, file, of, instance)).clone()
    }
}

impl Environment for DbEnvironment<'_> {
    fn resolve_at(&self, home: Option<&Home>, name: &str) -> Found {
        let Scope::Python(scope) = self.unit.scope(self.db) else { return UNDEFINED };
        let (db, file) = (self.db, self.unit.file(self.db));
        let instance = self.unit.instance(db).cloned();
        let home = home.cloned();
        capture(db, CapturedName::new(db, file, scope.clone(), home, name, instance)).clone()
    }

    fn assertions(&self) -> Vec<Assertion> {
        let Scope::Python(scope) = self.unit.scope(self.db) else { return Vec::new() };
        let file = self.unit.file(self.db);
        assertions(self.db, FunctionScope::new(self.db, file, scope.clone())).clone()
    }

    fn member(&self, object: &Value, name: &str) -> Value {
        self.used(Use::Member(object.clone(), name.into()))
    }

    fn apply(
        &self,
        function: &Value,
        positional: Vec<Value>,
        keywords: Vec<(Box<str>, Value)>,
    ) -> Value {
        self.used(Use::Call(function.clone(), positional, keywords))
    }

    fn effects(&self) -> &EffectTable {
        &self.unit.configuration(self.db).dialects(self.db).effects
    }
}
