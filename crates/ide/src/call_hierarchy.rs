//! Who calls a function, and whom it calls: kernels, macros, factories and helpers of Python; symbols of MLIR.
//!
//! Names are resolved when they are asked for, from the trees: nothing is lowered.

mod expressions;
mod operations;

use std::sync::Arc;

use db::{RootDatabase, SourceFile};
use frontend::tvmscript::discover::callees::CallableKind;
use rustc_hash::FxHashMap;
use syntax::{Form, TextRange, TextSize};

use crate::{FileId, elsewhere::Index, outline::Spot};

/// The file that a function or name is in.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum CallFile {
    /// One of the host's.
    Open(FileId),
    /// One that the host does not have, by its number in the index of the workspace.
    Closed(FileId),
    /// One that the host does not have, by its path.
    Path(Arc<str>),
}

/// A place in a file: offsets in one of the host's, lines and columns in others.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CallPlace {
    /// In a file of the host.
    Range(TextRange),
    /// In another one.
    Spot(Spot),
}

/// A function that calls or is called.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CallItem {
    /// Its file.
    pub file: CallFile,
    /// Its name, which can be seen.
    pub name: Box<str>,
    /// Names of the classes and functions around it, and its own, joined by `.`.
    pub path: Box<str>,
    /// The kind; none of a function of MLIR, of a file, and of a caller that only the index of the workspace knows.
    pub kind: Option<CallableKind>,
    /// True of a file itself: what its statements outside of functions call. Its name is that of its owner.
    pub is_file: bool,
    /// All of it; of a file that the host does not have, its name.
    pub range: CallPlace,
    /// Its name.
    pub selection: CallPlace,
}

/// A function with the calls that lead from or to it. The calls stand in the file of the caller.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CallEdge {
    /// The function at the other end.
    pub item: CallItem,
    /// The calls.
    pub calls: Vec<CallPlace>,
}

/// The function whose calls are asked for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum CallTarget {
    /// The one whose name is at an offset.
    At(FileId, TextSize),
    /// One of a file that the host does not have: the path of the file, and its own.
    Elsewhere(Arc<str>, Box<str>),
}

/// The files of the workspace, and its index.
#[derive(Clone, Copy)]
pub(crate) struct World<'a> {
    pub(crate) db: &'a RootDatabase,
    pub(crate) files: &'a FxHashMap<FileId, SourceFile>,
    pub(crate) index: &'a Index,
}

impl World<'_> {
    /// The number of a file of the host.
    pub(crate) fn id(&self, file: SourceFile) -> Option<FileId> {
        self.files.iter().filter(|it| *it.1 == file).map(|it| *it.0).min()
    }

    /// The files of the host, in order.
    fn sorted(&self) -> Vec<(FileId, SourceFile)> {
        let mut all: Vec<_> = self.files.iter().map(|(&id, &file)| (id, file)).collect();
        all.sort_unstable_by_key(|it| it.0);
        all
    }
}

/// The function that is defined or called at an offset.
pub(crate) fn item_at(world: World<'_>, id: FileId, offset: TextSize) -> Option<CallItem> {
    let file = *world.files.get(&id)?;
    match db::form(world.db, file) {
        Form::Expressions => expressions::item_at(world, (id, file), offset),
        Form::Operations => operations::item_at(world.db, (id, file), offset),
    }
}

/// The functions that call a function, in order of file and place.
pub(crate) fn callers(world: World<'_>, target: &CallTarget) -> Vec<CallEdge> {
    match of_operations(world, target) {
        Some((id, file, offset)) => operations::callers(world.db, (id, file), offset),
        None => expressions::callers(world, target),
    }
}

/// The functions that a function calls, in the order of the calls.
pub(crate) fn callees(world: World<'_>, target: &CallTarget) -> Vec<CallEdge> {
    match of_operations(world, target) {
        Some((id, file, offset)) => operations::callees(world.db, (id, file), offset),
        None => expressions::callees(world, target),
    }
}

/// A function of a file of operations.
fn of_operations(world: World<'_>, target: &CallTarget) -> Option<(FileId, SourceFile, TextSize)> {
    let CallTarget::At(id, offset) = target else { return None };
    let file = *world.files.get(id)?;
    (db::form(world.db, file) == Form::Operations).then_some((*id, file, *offset))
}

/// Adds a call to the edge of an item, which is made if there is none.
fn add(edges: &mut Vec<CallEdge>, item: CallItem, call: CallPlace) {
    match edges.iter_mut().find(|it| it.item == item) {
        Some(edge) => edge.calls.push(call),
        None => edges.push(CallEdge { item, calls: vec![call] }),
    }
}
