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

use rustc_hash::{FxHashMap, FxHasher};
use syntax::{
    AstNode as _, Green, Language, SyntaxNode, TextRange, UnitKind, UnitSource, Units,
    ast::mlir::{AttrAliasDef, TypeAliasDef},
};

use crate::{
    Db,
    file::{Identity, language, parse},
    input::SourceFile,
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
struct Names {
    /// Who the functions are.
    functions: Vec<Arc<Identity>>,
    /// Who the frames are.
    frames: Vec<Arc<Identity>>,
    /// The numbers of frames, by their slots.
    frame_of_slot: FxHashMap<u32, u32>,
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
        Names { functions, frames, frame_of_slot }
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

/// A unit of a file of MLIR or PIR. It outlives edits.
#[salsa::tracked(debug)]
pub struct OpUnit<'db> {
    /// The file.
    #[returns(copy)]
    pub file: SourceFile,
    /// What it is.
    #[returns(copy)]
    pub kind: UnitKind,
    /// Who it is.
    #[returns(ref)]
    pub identity: Arc<Identity>,
    /// Its text, independent of its place.
    #[tracked]
    #[returns(ref)]
    pub source: SharedUnit,
    /// The slot of the frame of its document.
    #[tracked]
    #[returns(copy)]
    pub document: u32,
}

impl<'db> OpUnit<'db> {
    /// Its name; empty for frames and programs.
    pub fn name(self, db: &'db dyn Db) -> &'db str {
        &self.identity(db).name
    }

    /// Its name, or what it is.
    pub(crate) fn label(self, db: &'db dyn Db) -> &'db str {
        match self.kind(db) {
            UnitKind::Function => self.name(db),
            UnitKind::Frame => "frame",
            UnitKind::Program => "program",
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

/// The units of a file of MLIR or PIR, parallel to its [`OpIndex`].
#[salsa::tracked(returns(ref), no_eq)]
pub fn op_units<'db>(db: &'db dyn Db, file: SourceFile) -> OpUnits<'db> {
    let index = op_index(db, file);
    let names = &index.names;
    let frames = index.units.frames.iter().zip(&names.frames).map(|(item, identity)| {
        let source = SharedUnit(item.source.clone());
        OpUnit::new(db, file, item.source.kind, identity.clone(), source, identity.slot)
    });
    let frames = frames.collect();
    let functions = index.units.functions.iter().zip(&names.functions).map(|(item, identity)| {
        let document = names.frames[item.frame as usize].slot;
        let source = SharedUnit(item.source.clone());
        OpUnit::new(db, file, item.source.kind, identity.clone(), source, document)
    });
    OpUnits { functions: functions.collect(), frames }
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

/// What an alias stands for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Alias {
    /// The attribute or the type, as a tree.
    pub value: Green,
}

/// Where the aliases of a document are defined, in its frame, and what they stand for. The last definition of a name counts.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Aliases {
    by_name: FxHashMap<Box<str>, (TextRange, Alias)>,
}

impl Aliases {
    /// Where a name (`#map`, `!t`) is defined, and what it stands for.
    pub fn get(&self, name: &str) -> Option<(TextRange, &Alias)> {
        self.by_name.get(name).map(|(range, alias)| (*range, alias))
    }
}

/// The aliases that a frame defines.
#[salsa::tracked(returns(ref), no_eq)]
pub fn op_aliases<'db>(db: &'db dyn Db, frame: OpUnit<'db>) -> Aliases {
    let mut aliases = Aliases::default();
    for node in frame.source(db).green.syntax().children() {
        let name = node.first_child_or_token().and_then(|it| it.into_token());
        let Some((name, value)) = name.zip(alias_value(&node)) else { continue };
        let alias = Alias { value: Green::of(&value) };
        aliases.by_name.insert(name.text().into(), (name.text_range(), alias));
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

/// What an alias stands for, if the document defines it.
#[salsa::tracked(returns(ref))]
pub fn alias<'db>(db: &'db dyn Db, name: AliasName<'db>) -> Option<Alias> {
    let file = name.file(db);
    let i = *op_index(db, file).names.frame_of_slot.get(&name.document(db))? as usize;
    let frame = op_units(db, file).frames[i];
    op_aliases(db, frame).get(name.name(db)).map(|(_, alias)| alias.clone())
}
