//! Mentions of symbols in functions of operations: `func.call @f`, `gpu.launch_func @m::@k`, and any other that names
//! one.

use db::{RootDatabase, SourceFile};
use syntax::{TextRange, TextSize};

use super::{CallEdge, CallFile, CallItem, CallPlace, add};
use crate::{
    FileId,
    names::operations::{FunctionPlace, SymbolUse, function_uses, symbol_function},
    shortened::shown_name,
};

/// The function whose symbol is defined or mentioned at an offset.
pub(super) fn item_at(
    db: &RootDatabase,
    (id, file): (FileId, SourceFile),
    offset: TextSize,
) -> Option<CallItem> {
    let (name, range, selection) = symbol_function(db, file, offset)?;
    Some(item(id, &name, range, selection))
}

fn item(id: FileId, name: &str, range: TextRange, selection: TextRange) -> CallItem {
    CallItem {
        file: CallFile::Open(id),
        name: shown_name(name).into(),
        path: name.into(),
        kind: None,
        is_file: false,
        range: CallPlace::Range(range),
        selection: CallPlace::Range(selection),
    }
}

pub(super) fn callers(
    db: &RootDatabase,
    (id, file): (FileId, SourceFile),
    offset: TextSize,
) -> Vec<CallEdge> {
    edges(db, (id, file), offset, |it| (it.callee, it.caller))
}

pub(super) fn callees(
    db: &RootDatabase,
    (id, file): (FileId, SourceFile),
    offset: TextSize,
) -> Vec<CallEdge> {
    edges(db, (id, file), offset, |it| (it.caller, it.callee))
}

/// The uses that have the function at an offset at one end, by the functions at the other.
fn edges(
    db: &RootDatabase,
    (id, file): (FileId, SourceFile),
    offset: TextSize,
    ends: impl Fn(SymbolUse) -> (FunctionPlace, FunctionPlace),
) -> Vec<CallEdge> {
    let Some((_, _, wanted)) = symbol_function(db, file, offset) else { return Vec::new() };
    let mut edges = Vec::new();
    for found in function_uses(db, file, offset) {
        let place = CallPlace::Range(found.place);
        let (this, (name, range, selection)) = ends(found);
        if this.2 == wanted {
            add(&mut edges, item(id, &name, range, selection), place);
        }
    }
    edges
}
