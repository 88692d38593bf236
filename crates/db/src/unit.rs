//! Units: what is read, planned and remembered by itself, in every language.
//!
//! A unit is a function, a program of PIR, or the *frame* of a document of operations: all of it that is in no
//! function. The units of a file stand still while one of them is edited, and a frame while bodies are. All positions
//! in a unit are relative to it; a [`PlacedUnit`] knows the way to the file.

use std::sync::Arc;

use frontend::tvmscript::{FunctionKind, FunctionSource, Instance};
use syntax::{Form, Green, TextRange, TextSize, UnitKind, UnitSource, Units as UnitPlaces};

use crate::{
    Db,
    index::{FileIndex, Places, file_index},
    input::{Configuration, SourceFile},
};

/// Which unit of a file it is, over edits.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Identity {
    /// The form.
    pub form: Form,
    /// True if it is the frame of a document.
    pub is_frame: bool,
    /// Names of the scopes around it.
    pub path: Box<str>,
    /// Its name.
    pub name: Box<str>,
    /// Its number among units of the same path and name.
    pub slot: u32,
    /// The values of the parameters of a factory around it; none for the general function.
    pub instance: Option<Arc<Instance>>,
}

/// A scope of a file of statements that stays the same over edits of what is in it.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct ScopeKey {
    /// Names of the classes and functions that the scope is in, and its own.
    pub path: Box<str>,
    /// Its number among the scopes of the same path that have functions.
    pub ordinal: u32,
}

/// Where what a unit names and does not define is looked up.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Scope {
    /// In the Python around a function.
    Python(Arc<ScopeKey>),
    /// Among the aliases of a document, which is known by the slot of its frame.
    Document(u32),
}

/// The text of a unit and what is needed to read it, independent of its place.
#[derive(Clone, Debug)]
pub enum Source {
    /// Of a function of statements.
    Function(Arc<FunctionSource>),
    /// Of a function, program or frame of operations.
    Operations(Arc<UnitSource>),
}

impl Source {
    /// Its tree.
    pub fn green(&self) -> &Green {
        match self {
            Source::Function(it) => &it.green,
            Source::Operations(it) => &it.green,
        }
    }

    /// Where its name is written; empty at the start if nowhere.
    pub fn name_range(&self) -> TextRange {
        match self {
            Source::Function(it) => it.name_range,
            Source::Operations(it) => it.name_range,
        }
    }

    /// The text of a function of statements.
    pub fn function(&self) -> Option<&FunctionSource> {
        match self {
            Source::Function(it) => Some(it),
            Source::Operations(_) => None,
        }
    }

    /// The text of a unit of operations.
    pub fn operations(&self) -> Option<&UnitSource> {
        match self {
            Source::Function(_) => None,
            Source::Operations(it) => Some(it),
        }
    }
}

impl PartialEq for Source {
    fn eq(&self, other: &Source) -> bool {
        match (self, other) {
            (Source::Function(a), Source::Function(b)) => Arc::ptr_eq(a, b) || is_same(a, b),
            // The rest follows from the tree and the identity.
            (Source::Operations(a), Source::Operations(b)) => {
                Arc::ptr_eq(a, b) || a.green == b.green
            }
            _ => false,
        }
    }
}

/// Returns true if two functions are one, regardless of their keys: which of several functions of one name it is
/// belongs to the identity, and must not change the source when another one appears or disappears.
fn is_same(a: &FunctionSource, b: &FunctionSource) -> bool {
    // Without `..`, so that a new field is decided on here.
    let FunctionSource {
        key: _,
        name,
        kind,
        dialect,
        dialect_is_guess,
        is_eager,
        is_checked,
        column,
        green,
        name_range,
        allowed_above,
    } = a;
    *green == b.green
        && *name == b.name
        && *kind == b.kind
        && *dialect == b.dialect
        && *dialect_is_guess == b.dialect_is_guess
        && *is_eager == b.is_eager
        && *is_checked == b.is_checked
        && *column == b.column
        && *name_range == b.name_range
        && *allowed_above == b.allowed_above
}

/// A unit of a file. It outlives edits.
#[salsa::tracked(debug)]
pub struct Unit<'db> {
    /// The file.
    #[returns(copy)]
    pub file: SourceFile,
    /// Its identity.
    #[returns(ref)]
    pub identity: Arc<Identity>,
    /// Its text, independent of its place.
    #[tracked]
    #[returns(ref)]
    pub source: Source,
    /// Where what it names is looked up.
    #[tracked]
    #[returns(ref)]
    pub scope: Scope,
}

impl<'db> Unit<'db> {
    /// The form.
    pub fn form(self, db: &'db dyn Db) -> Form {
        self.identity(db).form
    }

    /// True if it is the frame of a document.
    pub fn is_frame(self, db: &'db dyn Db) -> bool {
        self.identity(db).is_frame
    }

    /// The settings of its file.
    pub fn configuration(self, db: &'db dyn Db) -> Configuration {
        self.file(db).configuration(db)
    }

    /// Its name; empty for frames and programs.
    pub fn name(self, db: &'db dyn Db) -> &'db str {
        &self.identity(db).name
    }

    /// Where its name is written, relative to it.
    pub fn name_range(self, db: &'db dyn Db) -> TextRange {
        self.source(db).name_range()
    }

    /// Its tree.
    pub fn green(self, db: &'db dyn Db) -> &'db Green {
        self.source(db).green()
    }

    /// Returns its kind in its document, if it is a unit of operations; otherwise that of a function.
    pub fn kind(self, db: &'db dyn Db) -> UnitKind {
        self.source(db).operations().map_or(UnitKind::Function, |it| it.kind)
    }

    /// The document in which it stands, by the slot of its frame; files of statements are one.
    pub fn document(self, db: &'db dyn Db) -> u32 {
        match self.scope(db) {
            Scope::Python(_) => 0,
            Scope::Document(slot) => *slot,
        }
    }

    /// The instance that it is; none for the general function.
    pub fn instance(self, db: &'db dyn Db) -> Option<&'db Arc<Instance>> {
        self.identity(db).instance.as_ref()
    }

    /// Its name, or its kind, and the arguments of an instance.
    pub(crate) fn label(self, db: &'db dyn Db) -> String {
        let name = match (self.is_frame(db), self.name(db)) {
            (true, _) => "frame",
            (false, "") => "program",
            (false, name) => name,
        };
        match self.instance(db) {
            Some(it) => format!("{name}[{}]", it.arguments()),
            None => name.to_owned(),
        }
    }
}

/// The instance of a function of statements.
#[salsa::tracked(returns(copy))]
pub fn instance<'db>(db: &'db dyn Db, unit: Unit<'db>, instance: Arc<Instance>) -> Unit<'db> {
    let identity = Identity { instance: Some(instance), ..Identity::clone(unit.identity(db)) };
    let (source, scope) = (unit.source(db).clone(), unit.scope(db).clone());
    Unit::new(db, unit.file(db), Arc::new(identity), source, scope)
}

/// The unit that is shown in place of a general function: the instance that was chosen of a factory around it, or
/// itself.
pub fn shown<'db>(db: &'db dyn Db, unit: Unit<'db>) -> Unit<'db> {
    let chosen = unit.file(db).chosen(db);
    if chosen.is_empty() || unit.instance(db).is_some() {
        return unit;
    }
    let path = &unit.identity(db).path;
    // Of factories in factories the inner one: its instance has the values of those around.
    match chosen.iter().filter(|it| it.is_around(path)).max_by_key(|it| it.factory().len()) {
        Some(it) => instance(db, unit, it.clone()),
        None => unit,
    }
}

/// The units of a file.
#[derive(Clone, PartialEq, Eq, Default, Debug, salsa::SalsaValue)]
pub struct Units<'db> {
    /// Functions or programs, in text order.
    pub functions: Vec<Unit<'db>>,
    /// Frames, in text order; none where functions are of statements.
    pub frames: Vec<Unit<'db>>,
}

/// The units of a file, parallel to its [`FileIndex`]. Stands still while only bodies are edited.
#[salsa::tracked(returns(ref))]
pub fn units<'db>(db: &'db dyn Db, file: SourceFile) -> Units<'db> {
    let index = file_index(db, file);
    let make = |names: &[(Arc<Identity>, Scope)], sources: Vec<Source>| {
        let new = |((identity, scope), source): (&(Arc<Identity>, Scope), Source)| {
            Unit::new(db, file, identity.clone(), source, scope.clone())
        };
        names.iter().zip(sources).map(new).collect()
    };
    let (functions, frames) = index.sources();
    Units {
        functions: make(&index.names.functions, functions),
        frames: make(&index.names.frames, frames),
    }
}

/// A unit with its place in the file.
#[derive(Clone, Copy, Debug)]
pub struct PlacedUnit<'db> {
    /// The unit.
    pub unit: Unit<'db>,
    /// All of it in the file; of a frame, its document.
    pub range: TextRange,
    place: Place<'db>,
}

#[derive(Clone, Copy, Debug)]
enum Place<'db> {
    Whole,
    Frame(&'db UnitPlaces, usize),
}

impl<'db> PlacedUnit<'db> {
    fn whole(unit: Unit<'db>, range: TextRange) -> PlacedUnit<'db> {
        PlacedUnit { unit, range, place: Place::Whole }
    }

    fn frame(unit: Unit<'db>, places: &'db UnitPlaces, number: usize) -> PlacedUnit<'db> {
        let range = places.frames[number].range;
        PlacedUnit { unit, range, place: Place::Frame(places, number) }
    }

    /// The unit that is shown at its place: the chosen instance, or itself.
    #[must_use]
    pub fn shown(self, db: &'db dyn Db) -> PlacedUnit<'db> {
        PlacedUnit { unit: shown(db, self.unit), ..self }
    }

    /// Where it starts in the file.
    pub fn start(&self) -> TextSize {
        self.range.start()
    }

    /// A range of the unit as a range of the file.
    pub fn to_file(&self, range: TextRange) -> TextRange {
        match self.place {
            Place::Whole => range + self.range.start(),
            Place::Frame(units, frame) => units.frame_to_file(frame, range),
        }
    }

    /// Returns true if an offset of the file is inside a function, for a frame: that text belongs to the function.
    pub fn is_of_function(&self, offset: TextSize) -> bool {
        match self.place {
            Place::Whole => false,
            Place::Frame(units, _) => units
                .function_at(offset)
                .is_some_and(|it| units.functions[it].range.contains(offset)),
        }
    }

    /// An offset of the file as one of the unit; none if it is not in its text.
    pub fn from_file(&self, offset: TextSize) -> Option<TextSize> {
        match self.place {
            Place::Whole => {
                self.range.contains_inclusive(offset).then(|| offset - self.range.start())
            }
            Place::Frame(units, frame) => units.file_to_frame(frame, offset),
        }
    }
}

/// How operations are written, as a file is read.
pub fn shapes(db: &dyn Db, file: SourceFile) -> &syntax::Shapes {
    &file.configuration(db).dialects(db).shapes
}

/// The units of a file with their places, in text order: each frame, then the functions of its document; or the tensor
/// functions. Macros are read where they are used; graph functions and Python functions are opaque.
pub fn placed_units<'db>(
    db: &'db dyn Db,
    file: SourceFile,
) -> Box<dyn Iterator<Item = PlacedUnit<'db>> + 'db> {
    let (index, units): (&FileIndex, _) = (file_index(db, file), units(db, file));
    match &index.places {
        Places::Expressions(it) => {
            let all = units.functions.iter().zip(&it.functions);
            let tensor_functions =
                all.filter(|(_, item)| item.source.kind == FunctionKind::PrimFunc);
            Box::new(tensor_functions.map(|(unit, item)| PlacedUnit::whole(*unit, item.range)))
        }
        Places::Operations(places) => {
            Box::new(places.frames.iter().enumerate().flat_map(move |(i, item)| {
                let frame = PlacedUnit::frame(units.frames[i], places, i);
                let numbers = item.functions.start as usize..item.functions.end as usize;
                let function = move |i: usize| {
                    PlacedUnit::whole(units.functions[i], places.functions[i].range)
                };
                [frame].into_iter().chain(numbers.map(function))
            }))
        }
    }
}

/// The unit at an offset of a file: the innermost function or program that contains it, else the frame of its document.
pub fn unit_at(db: &dyn Db, file: SourceFile, offset: TextSize) -> Option<PlacedUnit<'_>> {
    let (index, units) = (file_index(db, file), units(db, file));
    let Places::Operations(places) = &index.places else {
        return placed_units(db, file)
            .filter(|it| it.range.contains_inclusive(offset))
            .min_by_key(|it| it.range.len());
    };
    if let Some(i) = places.function_at(offset) {
        return Some(PlacedUnit::whole(units.functions[i], places.functions[i].range));
    }
    let i = places.frame_at(offset)?;
    Some(PlacedUnit::frame(units.frames[i], places, i))
}

/// The frame of the document in which a unit stands.
pub fn frame_of<'db>(db: &'db dyn Db, unit: Unit<'db>) -> Option<PlacedUnit<'db>> {
    let file = unit.file(db);
    let index = file_index(db, file);
    let places = index.operations()?;
    let number = index.frame(unit.document(db))?;
    Some(PlacedUnit::frame(units(db, file).frames[number], places, number))
}
