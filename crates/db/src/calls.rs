//! The functions that calls mean, in a file and in those that it imports. Nothing is kept: a person asks.

use frontend::tvmscript::{
    Capture, Context, Environment as _,
    discover::{
        ScopeId,
        callees::{Callee, FileCalls},
        places::{self, NamePlace},
    },
};

use syntax::TextSize;

use crate::{
    Db,
    environment::DbEnvironment,
    file::parse,
    index::file_index,
    input::SourceFile,
    modules::DbModules,
    unit::{Scope, Unit},
};

/// The functions of a file and the calls in it; nothing of a file of operations. O(tokens of the file).
pub fn calls(db: &dyn Db, file: SourceFile) -> FileCalls {
    let functions = file_index(db, file).functions();
    functions.map(|it| it.calls(&parse(db, file).syntax())).unwrap_or_default()
}

/// The function that a dotted name means in a scope of a file, as [`calls`] gives it.
pub fn callee(db: &dyn Db, file: SourceFile, scope: ScopeId, words: &[&str]) -> Option<Callee> {
    let modules = &DbModules { db, own: file };
    let context = Context { modules, instance: None };
    file_index(db, file).functions()?.scopes().callee(scope, words, context)
}

/// The function that a dotted name means where a unit stands.
pub fn callee_in<'db>(db: &'db dyn Db, unit: Unit<'db>, words: &[&str]) -> Option<Callee> {
    let Scope::Python(scope) = unit.scope(db) else { return None };
    let file = unit.file(db);
    callee(db, file, file_index(db, file).scope(scope)?, words)
}

/// The meaning of a name that a unit does not define.
pub fn meaning<'db>(db: &'db dyn Db, unit: Unit<'db>, name: &str) -> Capture {
    DbEnvironment { db, unit }.resolve(name)
}

/// Returns the places that bind the name of Python at an offset of a function of statements or a macro, in the file and
/// in those that it imports.
pub fn name_places(db: &dyn Db, file: SourceFile, offset: TextSize) -> Vec<NamePlace> {
    let functions = file_index(db, file).functions();
    if functions.and_then(|it| it.function_at(offset)).is_none() {
        return Vec::new();
    }
    let modules = &DbModules { db, own: file };
    let context = Context { modules, instance: None };
    let tree = |number: &str| match module_text(db, number)? {
        ModuleText::Open(file) => Some(parse(db, file).syntax()),
        ModuleText::Closed(text) => Some(syntax::parse(&text).syntax()),
    };
    places::name_places(&parse(db, file).syntax(), offset, context, &tree)
}

/// The text of a file that another one imports.
#[derive(Debug)]
pub enum ModuleText {
    /// An open file.
    Open(SourceFile),
    /// The text on disk.
    Closed(String),
}

/// The text of the file of a number, as a [`Callee`] has it.
pub fn module_text(db: &dyn Db, number: &str) -> Option<ModuleText> {
    let module = db.modules().asked(number)?;
    match module.open(db) {
        Some(file) => Some(ModuleText::Open(file)),
        None => db.modules().files()?.text(number).map(ModuleText::Closed),
    }
}
