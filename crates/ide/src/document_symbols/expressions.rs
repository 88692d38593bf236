//! The outline of functions of statements, and macros beside them: under the classes that hold them, with their blocks
//! and buffers, as far as they stand in the text.

use db::{Db, PlacedUnit, RootDatabase, SourceFile, Unit};
use frontend::tvmscript::{
    Definition, DefinitionKind,
    discover::callees::{Callable, CallableKind},
};
use ir::OpKind;
use syntax::{SyntaxKind, SyntaxNode};

use super::{DocumentSymbol, SymbolKind};
use crate::{shortened::shown_name, units::of_units};

/// The functions of a file under the classes that hold them.
pub(super) fn document_symbols(db: &RootDatabase, file: SourceFile) -> Vec<DocumentSymbol> {
    let functions: Vec<DocumentSymbol> =
        of_units(db, file, None, |at| function_symbol(db, at)).collect();
    if functions.is_empty() {
        return functions;
    }
    let functions = with_macros(functions, &db::calls(db, file).callables);
    let mut modules = classes(&db::parse(db, file).syntax()).into_iter().peekable();
    let mut res: Vec<DocumentSymbol> = Vec::new();
    for function in functions {
        while modules.peek().is_some_and(|it| it.range.end() <= function.range.start()) {
            res.extend(modules.next().filter(|it| !it.children.is_empty()));
        }
        match modules.peek_mut() {
            Some(module) if module.range.contains_range(function.range) => {
                module.children.push(function);
            }
            _ => res.push(function),
        }
    }
    res.extend(modules.filter(|it| !it.children.is_empty()));
    res
}

/// Functions with the macros of their file, in the order of the text.
fn with_macros(mut functions: Vec<DocumentSymbol>, callables: &[Callable]) -> Vec<DocumentSymbol> {
    let macros = callables.iter().filter(|it| it.kind == CallableKind::Macro);
    let macros = macros.map(|it| DocumentSymbol {
        name: shown_name(it.name()).to_owned(),
        detail: Some("macro".to_owned()),
        kind: SymbolKind::Function,
        range: it.range,
        selection_range: it.name_range,
        children: Vec::new(),
    });
    let mut all: Vec<DocumentSymbol> = macros.collect();
    all.append(&mut functions);
    // One around another comes first, and holds it.
    all.sort_by_key(|it| (it.range.start(), std::cmp::Reverse(it.range.end())));
    let mut res: Vec<DocumentSymbol> = Vec::new();
    for it in all {
        match res.last_mut().filter(|around| around.range.contains_range(it.range)) {
            Some(around) => around.children.push(it),
            None => res.push(it),
        }
    }
    res
}

/// The classes at the top of a file.
fn classes(root: &SyntaxNode) -> Vec<DocumentSymbol> {
    let classes = root.children().filter(|it| it.kind() == SyntaxKind::CLASS_DEF);
    classes
        .filter_map(|class| {
            let name = class.children().find(|it| it.kind() == SyntaxKind::NAME)?;
            Some(DocumentSymbol {
                name: shown_name(&name.text()).to_owned(),
                detail: None,
                kind: SymbolKind::Module,
                range: class.text_range(),
                selection_range: name.text_range(),
                children: Vec::new(),
            })
        })
        .collect()
}

fn function_symbol(db: &RootDatabase, at: PlacedUnit<'_>) -> DocumentSymbol {
    let mut symbol = DocumentSymbol {
        name: shown_name(at.unit.name(db)).to_owned(),
        detail: None,
        kind: SymbolKind::Function,
        range: at.range,
        selection_range: at.to_file(at.unit.name_range(db)),
        children: Vec::new(),
    };
    let inner = inner_symbols(db, at.unit).iter();
    symbol.children = inner
        .map(|it| DocumentSymbol {
            range: at.to_file(it.range),
            selection_range: at.to_file(it.selection_range),
            ..it.clone()
        })
        .collect();
    symbol
}

/// The blocks and buffers of a function, relative to it, in text order: those that are written in it, and not in a
/// macro that it calls.
#[salsa::tracked(returns(ref), no_eq)]
pub(super) fn inner_symbols<'db>(db: &'db dyn Db, unit: Unit<'db>) -> Vec<DocumentSymbol> {
    let body = db::body(db, unit);
    let map = db::source_map(db, unit);
    let mut res = Vec::new();
    for (id, op) in body.ops.iter() {
        if let OpKind::SBlock(block) = op.kind
            && map.is_written(id)
        {
            let name = body.name(body.sblocks[block].name);
            let range = map.op_range(id);
            res.push(DocumentSymbol {
                name: if name.is_empty() { "block" } else { shown_name(name) }.to_owned(),
                detail: None,
                kind: SymbolKind::Block,
                range,
                selection_range: range,
                children: Vec::new(),
            });
        }
    }
    let text = &db::function_text(db, unit).text;
    let is_listed = |it: &&Definition| {
        it.kind == DefinitionKind::Buffer
            && text.get(std::ops::Range::<usize>::from(it.range)) == Some(&*it.name)
    };
    for definition in map.definitions().iter().filter(is_listed) {
        let Some(buffer) = definition.buffer else { continue };
        res.push(DocumentSymbol {
            name: shown_name(&definition.name).to_owned(),
            detail: Some(body.dtype_name(body.buffers[buffer].dtype)),
            kind: SymbolKind::Buffer,
            range: definition.range,
            selection_range: definition.range,
            children: Vec::new(),
        });
    }
    res.sort_by_key(|it| (it.range.start(), it.range.end()));
    res
}
