//! The outline of operations: modules with their functions and globals, the labelled blocks of functions, operations of
//! programs that hold others.

use db::{Db, PlacedUnit, RootDatabase, SourceFile, Unit};
use syntax::{
    AstNode as _, Shapes, SyntaxNode, TextRange, UnitKind, WalkEvent,
    ast::{mlir, pir},
    symbol_of,
};

use super::{DocumentSymbol, SymbolKind};
use crate::{guarded::item, shortened::shown_name};

/// A symbol of a unit, with the number of the one that it is in; in text order.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct UnitSymbol {
    parent: Option<usize>,
    symbol: DocumentSymbol,
    /// True if it is a function, which has a unit of its own.
    is_function: bool,
}

/// Deeper symbols are left out: an outline of so many levels is unreadable. Functions are in it at any depth.
const MAX_DEPTH: usize = 32;

/// The outline of a file of operations.
pub(super) fn document_symbols(db: &RootDatabase, file: SourceFile) -> Vec<DocumentSymbol> {
    let mut res = Vec::new();
    let mut units = db::placed_units(db, file).peekable();
    while let Some(frame) = units.next() {
        let mut functions = Vec::new();
        while let Some(unit) = units.next_if(|it| !it.unit.is_frame(db)) {
            functions.push(unit);
        }
        let mut functions = functions.into_iter();
        let inside = |at: &PlacedUnit<'_>| {
            let make = || tree(unit_symbols(db, at.unit), at, &mut |_| None);
            item(at.unit.name(db), make).unwrap_or_default()
        };
        if frame.unit.green(db).kind() == syntax::SyntaxKind::PIR_FILE {
            res.extend(functions.flat_map(|at| inside(&at)));
            continue;
        }
        let symbols = item(frame.unit.name(db), || unit_symbols(db, frame.unit));
        let Some(symbols) = symbols else { continue };
        res.extend(tree(symbols, &frame, &mut |mut symbol| {
            let at = functions.next()?;
            symbol.range = at.range;
            symbol.children = inside(&at);
            Some(symbol)
        }));
    }
    res
}

/// The symbols of a unit as a tree, at their places in the file. `function` completes those that have units of their
/// own.
fn tree(
    symbols: &[UnitSymbol],
    at: &PlacedUnit<'_>,
    function: &mut dyn FnMut(DocumentSymbol) -> Option<DocumentSymbol>,
) -> Vec<DocumentSymbol> {
    let placed = |it: &UnitSymbol| DocumentSymbol {
        range: at.to_file(it.symbol.range),
        selection_range: at.to_file(it.symbol.selection_range),
        ..it.symbol.clone()
    };
    let mut made: Vec<Option<DocumentSymbol>> = Vec::with_capacity(symbols.len());
    for it in symbols {
        ir::interrupt::check();
        let symbol = placed(it);
        made.push(if it.is_function { function(symbol) } else { Some(symbol) });
    }
    // Children stand behind their parents: from the end, each is complete when it is moved.
    let mut res = Vec::new();
    for i in (0..symbols.len()).rev() {
        ir::interrupt::check();
        let Some(mut symbol) = made[i].take() else { continue };
        if !symbols[i].is_function {
            symbol.children.reverse();
        }
        match symbols[i].parent.and_then(|it| made[it].as_mut()) {
            Some(parent) => parent.children.push(symbol),
            None => res.push(symbol),
        }
    }
    res.reverse();
    res
}

/// The symbols of a unit, relative to it.
#[salsa::tracked(returns(ref), no_eq)]
pub(crate) fn unit_symbols<'db>(db: &'db dyn Db, unit: Unit<'db>) -> Vec<UnitSymbol> {
    let (kind, shapes) = (unit.kind(db), db::shapes(db, unit.file(db)));
    let root = unit.green(db).syntax();
    let mut res = Vec::new();
    let mut open: Vec<(SyntaxNode, usize)> = Vec::new();
    let mut walk = root.preorder();
    while let Some(event) = walk.next() {
        match event {
            WalkEvent::Enter(node) => {
                // A function's own symbol is in the frame.
                let is_unit = node == root;
                let found = if is_unit { None } else { symbol(&node, kind, shapes) };
                let Some((symbol, is_function)) = found else {
                    if !is_unit && !is_entered(&node) {
                        walk.skip_subtree();
                    }
                    continue;
                };
                if open.len() < MAX_DEPTH || is_function {
                    let parent = open.last().map(|it| it.1);
                    open.push((node, res.len()));
                    res.push(UnitSymbol { parent, symbol, is_function });
                }
                if is_function {
                    walk.skip_subtree();
                }
            }
            WalkEvent::Leave(node) => {
                if open.last().is_some_and(|it| it.0 == node) {
                    open.pop();
                }
            }
        }
    }
    res
}

/// Returns true if a node may contain symbols.
fn is_entered(node: &SyntaxNode) -> bool {
    use syntax::SyntaxKind::*;
    mlir::Operation::can_cast(node.kind())
        || matches!(
            node.kind(),
            MLIR_FILE
                | MLIR_CHUNK
                | MLIR_REGION_LIST
                | MLIR_REGION
                | MLIR_BLOCK
                | MLIR_UNREAD
                | ERROR_NODE
        )
        || matches!(node.kind(), PIR_FILE | PIR_BLOCK | PIR_OP)
}

/// The symbol that a node is, and whether it is a function with a unit of its own.
fn symbol(node: &SyntaxNode, unit: UnitKind, shapes: &Shapes) -> Option<(DocumentSymbol, bool)> {
    let make = |name: &str, kind, selection: TextRange| DocumentSymbol {
        name: shown_name(name).to_owned(),
        detail: None,
        kind,
        range: node.text_range(),
        selection_range: selection,
        children: Vec::new(),
    };
    if let Some(operation) = mlir::Operation::cast(node.clone()) {
        let op = operation.name()?;
        let is_module = shapes.is_module(op.as_str());
        let is_function = unit == UnitKind::Frame && shapes.is_function(op.as_str());
        let kind = if is_function { SymbolKind::Function } else { SymbolKind::Module };
        let mut symbol = match symbol_of(node) {
            Some((name, range)) if is_function || is_module => make(&name, kind, range),
            // Of an operation without a known form, a symbol may be what it calls.
            Some(_)
                if matches!(operation, mlir::Operation::OpaqueOp(_))
                    && operation.regions().is_empty() =>
            {
                return None;
            }
            Some((name, range)) => make(&name, SymbolKind::Global, range),
            None if is_function || is_module => {
                make(op.as_str(), kind, TextRange::empty(node.text_range().start()))
            }
            None => return None,
        };
        symbol.detail = Some(op.full().to_owned());
        return Some((symbol, is_function));
    }
    if let Some(block) = mlir::Block::cast(node.clone()) {
        let label = block.block_label()?;
        let name = label.block_id_token()?;
        return Some((make(name.text(), SymbolKind::Block, name.text_range()), false));
    }
    let op = pir::Op::cast(node.clone())?;
    let has_blocks = op.blocks().next().is_some();
    let name = op.string_token().filter(|_| has_blocks)?;
    let text = name.text().trim_matches('"');
    Some((make(text, SymbolKind::Block, name.text_range()), false))
}
