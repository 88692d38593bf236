//! The symbols and aliases of units: where they are defined, where they are mentioned. From the tree alone.
//!
//! A symbol is looked up in the symbol table around the mention, then in the one around that; `@a::@b` is `@b` in the
//! table that `@a` opens. Every `@name` counts as a mention, also inside of attributes that only their dialect
//! understands.

use db::{Db, Unit};
use rustc_hash::{FxHashMap, FxHashSet};
use syntax::{
    AstNode as _, Shapes, SyntaxElement, SyntaxKind, SyntaxNode, SyntaxToken, TextRange, TextSize,
    UnitKind, WalkEvent, ast::mlir::Operation, symbol_name, symbol_of,
};

use crate::document_symbols::SymbolKind;

/// The number of a scope of a frame.
pub(crate) type ScopeIdx = u32;

/// A symbol that a frame defines.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct SymbolDef {
    pub(crate) name: Box<str>,
    /// The place where it is written, relative to the frame.
    pub(crate) range: TextRange,
    /// The operation that defines it.
    pub(crate) operation: TextRange,
    /// The scope in which it stands.
    pub(super) scope: ScopeIdx,
    /// The scope that it opens.
    pub(super) opens: Option<ScopeIdx>,
    /// True if only its own table sees it.
    pub(super) is_private: bool,
    /// True if it is a function, with a unit of its own.
    pub(crate) is_function: bool,
}

impl SymbolDef {
    /// The kind of symbol that it is in an outline.
    pub(crate) fn kind(&self) -> SymbolKind {
        match (self.is_function, self.opens) {
            (true, _) => SymbolKind::Function,
            (false, Some(_)) => SymbolKind::Module,
            (false, None) => SymbolKind::Global,
        }
    }
}

/// A symbol whose name its table already has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Redefinition {
    /// The number of the definition.
    pub(crate) again: usize,
    /// The index of the first of its name.
    pub(crate) first: usize,
}

/// A mention: `@a::@b`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct SymbolMention {
    scope: ScopeIdx,
    pub(crate) parts: Vec<(Box<str>, TextRange)>,
}

/// The symbols and aliases of a unit, relative to it, in text order.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(crate) struct Marks {
    /// The scope around each scope; the first is the document. Functions have this one only, which stands for theirs.
    parents: Vec<Option<ScopeIdx>>,
    pub(crate) definitions: Vec<SymbolDef>,
    /// The scope of the outermost table: that of the document, or of the module that is all of it.
    pub(super) top: ScopeIdx,
    /// Of functions: true if there is an operation in them.
    pub(super) has_operations: bool,
    /// Those that are defined twice, in documents and operations that are known to be symbol tables.
    pub(crate) redefinitions: Vec<Redefinition>,
    by_name: FxHashMap<(ScopeIdx, Box<str>), usize>,
    pub(crate) mentions: Vec<SymbolMention>,
    /// The scopes in which the functions of a frame stand, in text order.
    pub(crate) function_scopes: Vec<ScopeIdx>,
    /// Aliases, where they are mentioned or defined.
    pub(crate) aliases: Vec<(Box<str>, TextRange)>,
    /// Of functions: mentions by operations that must find what they name ([`MUST_FIND`]).
    needed: Vec<(Box<str>, TextRange)>,
    /// The names that a symbol may have: all that are defined or mentioned in a frame, those defined in a function.
    names: FxHashSet<Box<str>>,
    /// True if symbols may be defined in ways that are not understood.
    may_define_more: bool,
}

/// Operations that MLIR refuses, in their custom form, if no symbol has the name behind theirs.
const MUST_FIND: [&str; 5] =
    ["func.call", "func.constant", "memref.get_global", "llvm.call", "llvm.mlir.addressof"];

impl Marks {
    /// The definition of the first `n` parts of a mention, seen from a scope of this frame.
    pub(crate) fn resolve(
        &self,
        scope: ScopeIdx,
        parts: &[(Box<str>, TextRange)],
    ) -> Option<usize> {
        let (first, rest) = parts.split_first()?;
        let mut at = Some(scope);
        while let Some(scope) = at {
            if let Some(found) = self.by_name.get(&(scope, first.0.clone())) {
                return self.resolve_inside(*found, rest);
            }
            at = self.parents.get(scope as usize).copied().flatten();
        }
        None
    }

    /// The numbers of the definitions that a mention in a scope of this frame may name with one part, in text order.
    pub(crate) fn visible(&self, scope: ScopeIdx) -> Vec<usize> {
        let outer = |at: &ScopeIdx| self.parents.get(*at as usize).copied().flatten();
        let scopes: Vec<ScopeIdx> = std::iter::successors(Some(scope), outer).collect();
        let mut found: Vec<usize> =
            self.by_name.iter().filter(|it| scopes.contains(&it.0.0)).map(|it| *it.1).collect();
        found.sort_unstable();
        found
    }

    /// The mentions in this function that nothing of its frame can be meant by: their names, and where they stand.
    pub(crate) fn undefined<'a>(
        &'a self,
        frame: &'a Marks,
    ) -> impl Iterator<Item = &'a (Box<str>, TextRange)> {
        let needed = match self.may_define_more || frame.may_define_more {
            true => &[],
            false => &self.needed[..],
        };
        needed.iter().filter(|it| !self.names.contains(&it.0) && !frame.names.contains(&it.0))
    }

    /// The innermost scope of this frame around an offset of it.
    pub(crate) fn scope_at(&self, offset: TextSize) -> ScopeIdx {
        let around = self.definitions.iter().filter(|it| it.operation.contains(offset));
        around.filter_map(|it| it.opens).next_back().unwrap_or_default()
    }

    fn resolve_inside(&self, mut found: usize, rest: &[(Box<str>, TextRange)]) -> Option<usize> {
        for (name, _) in rest {
            let scope = self.definitions[found].opens?;
            found = *self.by_name.get(&(scope, name.clone()))?;
        }
        Some(found)
    }
}

impl SymbolMention {
    /// The scope of its frame from which it is seen.
    pub(crate) fn scope_in(&self, function: Option<ScopeIdx>) -> ScopeIdx {
        function.unwrap_or(self.scope)
    }
}

/// The symbols and aliases of a unit.
#[salsa::tracked(returns(ref), no_eq, lru = 0)]
pub(crate) fn marks<'db>(db: &'db dyn Db, unit: Unit<'db>) -> Marks {
    let mut finder = Finder {
        found: Marks { parents: vec![None], ..Marks::default() },
        scopes: Vec::new(),
        certain: FxHashMap::default(),
        shapes: db::shapes(db, unit.file(db)),
        is_frame: unit.kind(db) == UnitKind::Frame,
    };
    let root = unit.green(db).syntax();
    finder.found.top = finder.top_of(&root);
    let mut walk = root.preorder_with_tokens();
    while let Some(event) = walk.next() {
        match event {
            WalkEvent::Enter(SyntaxElement::Token(token)) => finder.token(&token),
            WalkEvent::Enter(SyntaxElement::Node(node)) => {
                if finder.enter(&node) {
                    walk.skip_subtree();
                }
            }
            WalkEvent::Leave(SyntaxElement::Node(node)) => {
                finder.scopes.pop_if(|it| it.node == node);
            }
            WalkEvent::Leave(SyntaxElement::Token(_)) => {}
        }
    }
    finder.found
}

struct Finder<'a> {
    found: Marks,
    /// The operations around that open a scope.
    scopes: Vec<Opened>,
    /// The first definition of each name of a table that certainly is one.
    certain: FxHashMap<(ScopeIdx, Box<str>), usize>,
    shapes: &'a Shapes,
    is_frame: bool,
}

/// An operation that opens a scope.
struct Opened {
    node: SyntaxNode,
    scope: ScopeIdx,
    /// True if it is known to be a symbol table: names are defined once in it.
    is_table: bool,
}

impl Finder<'_> {
    fn scope(&self) -> ScopeIdx {
        self.scopes.last().map_or(0, |it| it.scope)
    }

    fn is_in_table(&self) -> bool {
        self.scopes.last().is_none_or(|it| it.is_table)
    }

    /// The scope of the outermost table of a frame.
    fn top_of(&self, root: &SyntaxNode) -> ScopeIdx {
        let mut operations = root.children().filter_map(Operation::cast);
        let (first, second) = (operations.next(), operations.next());
        let is_module = |it: &Operation| {
            let name = it.name();
            let is_module = name.is_some_and(|it| {
                self.shapes.full_name(it.as_str()) == self.shapes.full_name("module")
            });
            is_module && !it.regions().is_empty()
        };
        ScopeIdx::from(second.is_none() && first.is_some_and(|it| is_module(&it)))
    }

    /// Returns true if the walk enters a node. A function is not entered: its inside belongs to its own unit.
    fn enter(&mut self, node: &SyntaxNode) -> bool {
        if !self.is_frame {
            let is_operation = Operation::can_cast(node.kind());
            self.found.has_operations |= is_operation && node.parent().is_some();
            return false;
        }
        let Some(operation) = Operation::cast(node.clone()) else { return false };
        let name = operation.name();
        let is_function = name.as_ref().is_some_and(|it| self.shapes.is_function(it.as_str()));
        let has_regions = !is_function && !operation.regions().is_empty();
        // Of an operation without a known form, a symbol may be what it calls.
        let is_opaque = matches!(operation, Operation::OpaqueOp(_));
        let symbol = symbol_of(node).filter(|_| !is_opaque || is_function || has_regions);
        let scope = self.scope();
        let opens = has_regions.then_some(self.found.parents.len() as ScopeIdx);
        if let Some((name, range)) = symbol {
            self.found.names.insert(name.clone());
            let number = self.found.definitions.len();
            self.found.by_name.entry((scope, name.clone())).or_insert(number);
            if self.is_in_table() && (!is_opaque || is_function) {
                let first = *self.certain.entry((scope, name.clone())).or_insert(number);
                if first != number {
                    self.found.redefinitions.push(Redefinition { again: number, first });
                }
            }
            let is_private = is_private(&operation, range);
            self.found.definitions.push(SymbolDef {
                name,
                range,
                operation: node.text_range(),
                scope,
                opens,
                is_private,
                is_function,
            });
        }
        if let Some(inner) = opens {
            self.found.parents.push(Some(scope));
            let is_table = name.is_some_and(|it| self.shapes.is_module(it.as_str()));
            self.found.may_define_more |= !is_table;
            self.scopes.push(Opened { node: node.clone(), scope: inner, is_table });
        }
        if is_function {
            self.found.function_scopes.push(scope);
        }
        is_function
    }

    fn token(&mut self, token: &SyntaxToken) {
        match token.kind() {
            SyntaxKind::ATTR_ID | SyntaxKind::TYPE_ID => {
                self.found.aliases.push((token.text().into(), token.text_range()));
            }
            SyntaxKind::SYMBOL_ID => self.mention(token),
            SyntaxKind::IDENT if self.is_frame && token.text() == VISIBILITY => {
                let last = self.found.definitions.last_mut();
                if let Some(it) = last.filter(|it| it.operation.contains_range(token.text_range()))
                {
                    it.is_private = true;
                }
            }
            // Of the generic form a name is a string.
            SyntaxKind::IDENT if !self.is_frame && token.text() == "sym_name" => {
                self.found.may_define_more = true;
            }
            _ => {}
        }
    }

    fn mention(&mut self, token: &SyntaxToken) {
        let name = || Box::from(symbol_name(token.text()));
        if token.parent().is_some_and(|it| it.kind() == SyntaxKind::MLIR_SYMBOL_DEF) {
            self.found.names.insert(name());
            return;
        }
        let range = token.text_range();
        if self.is_frame {
            self.found.names.insert(name());
        } else if must_find(token, self.shapes) {
            self.found.needed.push((name(), range));
        }
        let is_defined = |it: &SymbolDef| it.range == range;
        if self.found.definitions.last().is_some_and(is_defined) {
            return;
        }
        let part = (symbol_name(token.text()).into(), range);
        let follows = token
            .prev_token()
            .filter(|it| it.kind() == SyntaxKind::COLON2)
            .is_some_and(|it| it.text_range().end() == range.start());
        let scope = self.scope();
        match self.found.mentions.last_mut().filter(|_| follows) {
            Some(last) => last.parts.push(part),
            None => self.found.mentions.push(SymbolMention { scope, parts: vec![part] }),
        }
    }
}

/// The attribute that says who sees a symbol; where nobody has it, all do.
const VISIBILITY: &str = "sym_visibility";

/// Returns true if an operation says in its header that only its own table sees its symbol. Of functions the header is
/// all that is here; attributes of other operations are met later too.
fn is_private(operation: &Operation, symbol: TextRange) -> bool {
    const PRIVATE: [&str; 3] = ["private", "nested", "internal"];
    /// A header has no more text behind the symbol.
    const MAX_LEN: TextSize = TextSize::new(4096);
    let range = operation.syntax().text_range();
    let region = operation.regions().first().map(|it| it.syntax().text_range().start());
    let end = region.unwrap_or(range.end()).min(symbol.end() + MAX_LEN).max(symbol.end());
    let text = operation.syntax().text_in(TextRange::new(range.start(), end));
    let before = &text[..usize::from(symbol.start() - range.start()).min(text.len())];
    let mut words = before.split_whitespace().map(|it| it.trim_matches('"'));
    words.any(|it| PRIVATE.contains(&it)) || text.contains(VISIBILITY)
}

/// Returns true if a symbol is what one of [`MUST_FIND`] names, in one part.
fn must_find(token: &SyntaxToken, shapes: &Shapes) -> bool {
    let Some(reference) = token.parent().filter(|it| it.kind() == SyntaxKind::MLIR_SYMBOL_REF)
    else {
        return false;
    };
    let is_whole = reference.text_range() == token.text_range();
    let Some(operation) = reference.parent().filter(|_| is_whole) else { return false };
    if operation.kind() != SyntaxKind::MLIR_CUSTOM_OP {
        return false;
    }
    let first = operation.children().find(|it| it.kind() == SyntaxKind::MLIR_SYMBOL_REF);
    let name = Operation::cast(operation).and_then(|it| it.name());
    let is_needed = |it: &str| MUST_FIND.contains(&shapes.full_name(it));
    first.is_some_and(|it| it == reference) && name.is_some_and(|it| is_needed(it.as_str()))
}

/// Sets how many results the query here keeps; see [`RootDatabase::keep_few`](db::RootDatabase::keep_few).
pub(crate) fn keep(db: &mut dyn Db, n: usize) {
    marks::set_lru_capacity(db, n);
}
