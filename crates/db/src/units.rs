//! From a file of MLIR or PIR to its units: `op_index`, `op_units`, and the aliases that they see.
//!
//! The counterpart of [`crate::file`] for languages of operations. A unit is a function, a program of PIR, or the *frame* of a document:
//! all of it that is in no function. The units of a file stand still while one of them is edited, and a frame while bodies are.
//!
//! A function sees from outside the `#alias` and `!alias` definitions of its document: one query a name, so that the edit of
//! one reaches its users and nobody else.

use std::{
    hash::{Hash as _, Hasher as _},
    sync::Arc,
};

use frontend::mlir;
use rustc_hash::{FxHashMap, FxHasher};
use syntax::{
    AstNode as _, Language, SyntaxNode, TextRange, UnitKind, UnitSource, Units,
    ast::mlir::{AttrAliasDef, TypeAliasDef},
};

use crate::{
    Db,
    file::{Identity, language, parse},
    input::{Configuration, SourceFile},
    slots,
};

/// The units of a file with their places.
#[derive(Debug)]
pub struct OpIndex {
    /// The tree's view.
    pub units: Units,
    names: Arc<Names>,
}

/// What stays the same while only bodies are edited.
#[derive(Debug)]
pub(crate) struct Names {
    /// Who the functions are.
    functions: Vec<Arc<Identity>>,
    /// Who the frames are.
    frames: Vec<Arc<Identity>>,
    /// The numbers of frames, by their slots.
    frame_of_slot: FxHashMap<u32, u32>,
    /// The numbers of functions.
    function_of: FxHashMap<Arc<Identity>, u32>,
}

impl OpIndex {
    fn new(units: Units, last: Option<&OpIndex>) -> OpIndex {
        let kept = last.filter(|it| it.units.differs_in_a_body_only(&units));
        let names = match kept {
            Some(last) => last.names.clone(),
            None => Arc::new(Names::new(&units, last)),
        };
        OpIndex { units, names }
    }
}

impl Names {
    fn new(units: &Units, last: Option<&OpIndex>) -> Names {
        let functions = identities(
            units.functions.iter().map(|it| &it.source),
            last.map(|it| (it.units.functions.iter().map(|it| &it.source), &it.names.functions)),
        );
        let frames = identities(
            units.frames.iter().map(|it| &it.source),
            last.map(|it| (it.units.frames.iter().map(|it| &it.source), &it.names.frames)),
        );
        let frame_of_slot = frames.iter().enumerate().map(|(i, it)| (it.slot, i as u32)).collect();
        let numbers = functions.iter().enumerate();
        let function_of = numbers.map(|(i, it)| (it.clone(), i as u32)).collect();
        Names { functions, frames, frame_of_slot, function_of }
    }
}

fn identities<'a>(
    new: impl Iterator<Item = &'a Arc<UnitSource>> + Clone,
    old: Option<(impl Iterator<Item = &'a Arc<UnitSource>> + Clone, &'a Vec<Arc<Identity>>)>,
) -> Vec<Arc<Identity>> {
    fn name(source: &UnitSource) -> slots::Name<'_> {
        (&source.path, &source.name)
    }
    let old = old.into_iter().flat_map(|(sources, identities)| sources.zip(identities));
    let slots = slots::assign(
        new.clone().map(|it| (name(it), &**it)),
        old.map(|(it, identity)| (name(it), &**it, identity.slot)),
        content_hash,
    );
    let identity = |(source, slot): (&Arc<UnitSource>, u32)| {
        Arc::new(Identity { path: source.path.clone(), name: source.name.clone(), slot })
    };
    new.zip(slots).map(identity).collect()
}

/// What tells units of one name apart. The lines between documents belong now to one frame, now to another.
fn content_hash(source: &UnitSource) -> u128 {
    if source.kind != UnitKind::Frame {
        return source.green.text_hash();
    }
    let mut hasher = FxHasher::default();
    source.green.text().trim().hash(&mut hasher);
    hasher.finish().into()
}

/// The units of a file of MLIR or PIR, with their places; none of a file of TVMScript.
#[salsa::tracked(returns(ref), no_eq)]
pub fn op_index(db: &dyn Db, file: SourceFile) -> Arc<OpIndex> {
    let last = db.history().last_ops(file);
    let parse = match language(db, file) {
        Language::Mlir | Language::Pir => parse(db, file),
        Language::TvmScript => syntax::parse(""),
    };
    let units = match &last {
        Some(last) => syntax::units_after(&parse, &last.units),
        None => syntax::units(&parse),
    };
    let index = Arc::new(OpIndex::new(units, last.as_deref()));
    db.history().set_ops(file, &index);
    index
}

/// The text of a unit.
#[derive(Clone, Debug)]
pub struct SharedUnit(Arc<UnitSource>);

impl std::ops::Deref for SharedUnit {
    type Target = UnitSource;
    fn deref(&self) -> &UnitSource {
        &self.0
    }
}

impl PartialEq for SharedUnit {
    fn eq(&self, other: &SharedUnit) -> bool {
        // The rest follows from the tree and the identity.
        Arc::ptr_eq(&self.0, &other.0) || self.0.green == other.0.green
    }
}

/// Names, shared; equal if they are one.
#[derive(Clone, Debug)]
pub(crate) struct SharedNames(Arc<Names>);

impl PartialEq for SharedNames {
    fn eq(&self, other: &SharedNames) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

/// Who the units of a file are. Stands still while only bodies are edited.
#[salsa::tracked(returns(ref))]
fn op_names(db: &dyn Db, file: SourceFile) -> SharedNames {
    SharedNames(op_index(db, file).names.clone())
}

/// A unit of a file of MLIR or PIR. It outlives edits.
#[salsa::interned(debug)]
pub struct OpUnit<'db> {
    /// The file.
    #[returns(copy)]
    pub file: SourceFile,
    /// Whether it is a frame.
    #[returns(copy)]
    pub is_frame: bool,
    /// Who it is.
    #[returns(ref)]
    pub identity: Arc<Identity>,
}

/// What a unit is now: its text, independent of its place, and the slot of the frame of its document.
#[salsa::tracked(returns(ref))]
fn op_source<'db>(db: &'db dyn Db, unit: OpUnit<'db>) -> (SharedUnit, u32) {
    let index = op_index(db, unit.file(db));
    let (names, units) = (&index.names, &index.units);
    let identity = unit.identity(db);
    let found = if unit.is_frame(db) {
        let number = names.frame_of_slot.get(&identity.slot).map(|it| *it as usize);
        number.map(|it| (&units.frames[it].source, identity.slot))
    } else {
        let number = names.function_of.get(identity).map(|it| &units.functions[*it as usize]);
        number.map(|it| (&it.source, names.frames[it.frame as usize].slot))
    };
    match found {
        Some((source, document)) => (SharedUnit(source.clone()), document),
        // Only somebody who holds on to a unit that is gone gets here.
        None => (SharedUnit(Arc::new(UnitSource::empty())), 0),
    }
}

impl<'db> OpUnit<'db> {
    /// Its text, independent of its place.
    pub fn source(self, db: &'db dyn Db) -> &'db SharedUnit {
        &op_source(db, self).0
    }

    /// The slot of the frame of its document.
    pub fn document(self, db: &'db dyn Db) -> u32 {
        op_source(db, self).1
    }

    /// What it is.
    pub fn kind(self, db: &'db dyn Db) -> UnitKind {
        if self.is_frame(db) { UnitKind::Frame } else { self.source(db).kind }
    }

    /// Its name; empty for frames and programs.
    pub fn name(self, db: &'db dyn Db) -> &'db str {
        &self.identity(db).name
    }

    /// Its name, or what it is.
    pub(crate) fn label(self, db: &'db dyn Db) -> &'db str {
        match (self.is_frame(db), self.name(db)) {
            (true, _) => "frame",
            (false, "") => "program",
            (false, name) => name,
        }
    }
}

/// The units of a file.
#[derive(Clone, Default, Debug, salsa::SalsaValue)]
pub struct OpUnits<'db> {
    /// Functions or programs, in text order: parallel to those of [`OpIndex::units`].
    pub functions: Vec<OpUnit<'db>>,
    /// Frames: parallel as well.
    pub frames: Vec<OpUnit<'db>>,
}

/// The units of a file of MLIR or PIR, parallel to its [`OpIndex`]. Stands still while only bodies are edited.
#[salsa::tracked(returns(ref), no_eq)]
pub fn op_units<'db>(db: &'db dyn Db, file: SourceFile) -> OpUnits<'db> {
    let names = &op_names(db, file).0;
    let unit =
        |identity: &Arc<Identity>, is_frame| OpUnit::new(db, file, is_frame, identity.clone());
    OpUnits {
        functions: names.functions.iter().map(|it| unit(it, false)).collect(),
        frames: names.frames.iter().map(|it| unit(it, true)).collect(),
    }
}

/// A unit with its place in the file.
#[derive(Clone, Copy, Debug)]
pub struct PlacedUnit<'db> {
    /// The unit.
    pub unit: OpUnit<'db>,
    /// All of it in the file; of a frame, its document.
    pub range: TextRange,
    place: Place<'db>,
}

#[derive(Clone, Copy, Debug)]
enum Place<'db> {
    Whole,
    Frame(&'db Units, usize),
}

impl PlacedUnit<'_> {
    /// A range of the unit as a range of the file.
    pub fn to_file(&self, range: TextRange) -> TextRange {
        match self.place {
            Place::Whole => range + self.range.start(),
            Place::Frame(units, frame) => units.frame_to_file(frame, range),
        }
    }

    /// Whether an offset of the file is inside of a function, for a frame: what stands there is the function's.
    pub fn is_of_function(&self, offset: syntax::TextSize) -> bool {
        match self.place {
            Place::Whole => false,
            Place::Frame(units, _) => units
                .function_at(offset)
                .is_some_and(|it| units.functions[it].range.contains(offset)),
        }
    }

    /// An offset of the file as one of the unit; none if it is not in its text.
    pub fn from_file(&self, offset: syntax::TextSize) -> Option<syntax::TextSize> {
        match self.place {
            Place::Whole => {
                self.range.contains_inclusive(offset).then(|| offset - self.range.start())
            }
            Place::Frame(units, frame) => units.file_to_frame(frame, offset),
        }
    }
}

/// How operations are written, as open files are read.
pub fn shapes(db: &dyn Db) -> &syntax::Shapes {
    &Configuration::get(db).dialects(db).shapes
}

/// The units of a file with their places: each frame, then the functions of its document, in text order.
pub fn placed_units<'db>(
    db: &'db dyn Db,
    file: SourceFile,
) -> impl Iterator<Item = PlacedUnit<'db>> {
    let (index, units) = (op_index(db, file), op_units(db, file));
    index.units.frames.iter().enumerate().flat_map(move |(i, item)| {
        let frame = PlacedUnit {
            unit: units.frames[i],
            range: item.range,
            place: Place::Frame(&index.units, i),
        };
        let numbers = item.functions.start as usize..item.functions.end as usize;
        let functions = numbers.map(move |i| PlacedUnit {
            unit: units.functions[i],
            range: index.units.functions[i].range,
            place: Place::Whole,
        });
        [frame].into_iter().chain(functions)
    })
}

/// The unit at an offset of a file: the function or program that contains it, else the frame of its document.
pub fn unit_at(db: &dyn Db, file: SourceFile, offset: syntax::TextSize) -> Option<PlacedUnit<'_>> {
    let (index, units) = (op_index(db, file), op_units(db, file));
    if let Some(i) = index.units.function_at(offset) {
        let range = index.units.functions[i].range;
        return Some(PlacedUnit { unit: units.functions[i], range, place: Place::Whole });
    }
    let i = index.units.frame_at(offset)?;
    let place = Place::Frame(&index.units, i);
    Some(PlacedUnit { unit: units.frames[i], range: index.units.frames[i].range, place })
}

/// The frame of the document in which a unit stands.
pub fn frame_of<'db>(db: &'db dyn Db, unit: OpUnit<'db>) -> Option<PlacedUnit<'db>> {
    let file = unit.file(db);
    let index = op_index(db, file);
    let i = *index.names.frame_of_slot.get(&unit.document(db))? as usize;
    let place = Place::Frame(&index.units, i);
    let range = index.units.frames[i].range;
    Some(PlacedUnit { unit: op_units(db, file).frames[i], range, place })
}

/// Where the aliases of a document are defined, in its frame, and what they stand for. The first definition of a name counts.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct DocumentAliases {
    ranges: FxHashMap<Box<str>, TextRange>,
    texts: mlir::Aliases,
    again: Vec<(Box<str>, TextRange)>,
}

impl DocumentAliases {
    /// Where a name (`#map`, `!t`) is defined, and the canonical text that it stands for.
    pub fn get(&self, name: &str) -> Option<(TextRange, &str)> {
        Some((*self.ranges.get(name)?, &**self.texts.get(name)?))
    }

    /// Definitions of names that are defined before: the name, where it is, and where the first one is.
    pub fn redefinitions(&self) -> impl Iterator<Item = (&str, TextRange, TextRange)> {
        self.again.iter().map(|(name, range)| (&**name, *range, self.ranges[name]))
    }
}

/// The aliases that a frame defines.
#[salsa::tracked(returns(ref), no_eq)]
pub fn op_aliases<'db>(db: &'db dyn Db, frame: OpUnit<'db>) -> DocumentAliases {
    let mut aliases = DocumentAliases::default();
    for node in frame.source(db).green.syntax().children() {
        let name = node.first_child_or_token().and_then(|it| it.into_token());
        let Some((name, value)) = name.zip(alias_value(&node)) else { continue };
        if aliases.ranges.contains_key(name.text()) {
            aliases.again.push((name.text().into(), name.text_range()));
            continue;
        }
        aliases.texts.define(name.text(), &value.text());
        aliases.ranges.insert(name.text().into(), name.text_range());
    }
    aliases
}

fn alias_value(node: &SyntaxNode) -> Option<SyntaxNode> {
    let attribute = AttrAliasDef::cast(node.clone()).and_then(|it| it.attr());
    let ty = TypeAliasDef::cast(node.clone()).and_then(|it| it.ty());
    attribute.map(|it| it.syntax().clone()).or_else(|| ty.map(|it| it.syntax().clone()))
}

/// The name of an alias as a document sees it.
#[salsa::interned(debug)]
pub struct AliasName<'db> {
    /// The file.
    #[returns(copy)]
    pub file: SourceFile,
    /// The slot of the frame of the document.
    #[returns(copy)]
    pub document: u32,
    /// The name, with its `#` or `!`.
    #[returns(ref)]
    pub name: Box<str>,
}

/// What an alias stands for, in canonical text, if the document defines it.
#[salsa::tracked(returns(ref))]
pub fn alias<'db>(db: &'db dyn Db, name: AliasName<'db>) -> Option<Arc<str>> {
    let file = name.file(db);
    let i = *op_index(db, file).names.frame_of_slot.get(&name.document(db))? as usize;
    let frame = op_units(db, file).frames[i];
    op_aliases(db, frame).texts.get(name.name(db)).cloned()
}
