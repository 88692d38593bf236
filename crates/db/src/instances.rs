//! Instances of factories: units over the source of a general function, in which the parameters of a factory around it
//! have values.
//!
//! Everything that is known of a unit is known of an instance by the same queries: only [`capture`](crate::capture)
//! gives other answers. An edit of a general function is one of its instances, and of nothing else.

use std::sync::Arc;

use frontend::tvmscript::{
    Capture, Constant, Context, Environment as _, Factory, ForeignCall, Instance, Request,
};
use syntax::TextRange;

use crate::{
    Db,
    environment::DbEnvironment,
    index::{Factories, file_index},
    input::SourceFile,
    modules::{DbModules, naming},
    unit::Unit,
};

/// Returns the value that a captured name has in a function, if it is known and plain data.
pub fn known_value<'db>(db: &'db dyn Db, unit: Unit<'db>, name: &str) -> Option<Constant> {
    match (DbEnvironment { db, unit }).resolve(name) {
        Capture::Constant(it) if it.is_plain() => Some(it),
        _ => None,
    }
}

/// A factory, and its instances.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FactoryInstances {
    /// The path of the factory.
    pub path: Box<str>,
    /// Its name in the file.
    pub range: TextRange,
    /// Its instances: those that are called for in the order of the calls, those of tests, those that are asked for.
    pub instances: Vec<Arc<Instance>>,
    /// The number of the instance that is shown.
    pub chosen: Option<usize>,
    /// True if a tuner or a test may leave some of them out: those that do not compile, or do not apply.
    pub is_selected: bool,
}

/// The factories and calls of a file; unchanged while only bodies are edited.
#[salsa::tracked(returns(ref))]
fn factories(db: &dyn Db, file: SourceFile) -> Arc<Factories> {
    let functions = naming(db, file).index().functions();
    let modules = &DbModules { db, own: file };
    let of = |it| Factories::of(it, Context { modules, instance: None });
    Arc::new(functions.map(of).unwrap_or_default())
}

/// The calls of functions of other files with known arguments.
pub fn foreign_calls(db: &dyn Db, file: SourceFile) -> &[ForeignCall] {
    &factories(db, file).foreign
}

/// The factories of a file that have instances, in text order: those that its calls make, those that are `called` by
/// other files, and those that are `asked` for.
pub fn instances(
    db: &dyn Db,
    file: SourceFile,
    called: &[Request],
    asked: &[Request],
) -> Vec<FactoryInstances> {
    let known = factories(db, file);
    let Some(functions) = file_index(db, file).functions() else { return Vec::new() };
    if known.factories.is_empty() {
        return Vec::new();
    }
    let called = functions.instances_of_calls(&known.factories, called);
    let asked = functions.requested_instances(&known.factories, asked).into_iter().flatten();
    let more: Vec<Arc<Instance>> = called.into_iter().chain(asked).map(Arc::new).collect();
    let chosen = file.chosen(db);
    let of_factory = |factory: &Factory| {
        let of_it = |it: &&Arc<Instance>| it.factory() == &*factory.path;
        let mut instances: Vec<Arc<Instance>> =
            known.called.iter().filter(of_it).cloned().collect();
        let mut tested = known.tested.iter().filter(of_it).peekable();
        let is_selected = factory.has_tuner() || tested.peek().is_some();
        instances.extend(tested.cloned());
        for it in more.iter().filter(of_it) {
            if !instances.contains(it) {
                instances.push(it.clone());
            }
        }
        // A chosen one stays when its call is gone, until another one is chosen.
        if let Some(it) = chosen.iter().find(of_it).filter(|it| !instances.contains(it)) {
            instances.push(it.clone());
        }
        let chosen = instances.iter().position(|it| chosen.contains(it));
        let range = functions.factory_range(factory)?;
        let path = factory.path.clone();
        let found = FactoryInstances { path, range, instances, chosen, is_selected };
        (!found.instances.is_empty()).then_some(found)
    };
    known.factories.iter().filter_map(of_factory).collect()
}
