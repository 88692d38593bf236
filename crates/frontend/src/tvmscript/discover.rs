//! The functions of a file: their kinds, their identities, and the scopes that their captured names come from.
//!
//! In: the tree. Out: one [`FunctionItem`] a TVMScript function, in text order, found by resolving the aliases of
//! `tvm.script` through the imports (also the commented imports of printed dumps), and tables of the definitions around
//! them, kept as trees and read only when a name is asked for. No body of a TVMScript function is entered. Python
//! functions, classes and control flow around are, as TVMScript functions may be nested in them.

use std::{cell::RefCell, sync::Arc};

use ir::{Dialect, effects::EffectTable};
use rustc_hash::{FxHashMap, FxHashSet};
use syntax::{Green, SyntaxKind, SyntaxNode, TextRange, TextSize, WalkEvent};

use super::{
    allow, ast,
    constants::{self, Names},
    environment::{Capture, Environment, Found, Namespace, Signature, namespace, predefined},
    instance::Instance,
};

/// The kind of a function.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum FunctionKind {
    /// `@T.prim_func`
    PrimFunc,
    /// `@T.macro`, `@T.inline`
    Macro,
    /// `@R.function`, opaque.
    Relax,
    /// `@I.pyfunc`, opaque.
    Python,
}

/// The identity of a function of a file, over edits elsewhere.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct FunctionKey {
    /// Names of the classes and functions around it, joined by `.`.
    pub path: Box<str>,
    /// Its name.
    pub name: Box<str>,
    /// Hash of its text, if another of the same path and name is in the file.
    pub content: Option<u128>,
    /// Its number among those that are equal in all this.
    pub ordinal: u32,
}

/// A function, independent of where in the file it stands.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct FunctionSource {
    /// Identity.
    pub key: FunctionKey,
    /// Name.
    pub name: Box<str>,
    /// Kind.
    pub kind: FunctionKind,
    /// Dialect by the import that its decorator comes from.
    pub dialect: Dialect,
    /// True if nothing in the file determines its dialect: lowering then decides by the forms it uses.
    pub dialect_is_guess: bool,
    /// The definition with its decorators. Lowered ranges are relative to its start.
    pub green: Green,
    /// The name, relative to the function's start.
    pub name_range: TextRange,
    /// Rules that the comments right above it allow.
    pub allowed_above: Box<[Box<str>]>,
}

/// A function and its place in the file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FunctionItem {
    /// The function. Shared with the versions of the file in which it is the same.
    pub source: Arc<FunctionSource>,
    /// The whole definition with its decorators, in the file.
    pub range: TextRange,
    /// The scope that its captured names are looked up in.
    pub scope: ScopeId,
}

/// A scope of one [`FileFunctions`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct ScopeId(u32);

/// The functions of a file.
#[derive(Clone, Debug)]
pub struct FileFunctions {
    /// In text order.
    pub functions: Vec<FunctionItem>,
    /// Functions whose name their module already has: the number of each, and that of the first of the name.
    pub redefinitions: Arc<[(usize, usize)]>,
    scopes: Arc<[Scope]>,
    calls: Arc<[Call]>,
    root: Green,
    effects: Arc<EffectTable>,
}

#[derive(Clone, Debug)]
struct Scope {
    parent: Option<ScopeId>,
    path: Box<str>,
    names: FxHashMap<Box<str>, Definition>,
    /// Lists that are changed after they are made: their values differ from their definitions.
    changed: FxHashSet<Box<str>>,
    /// True if it is a class: its names are not visible in the functions inside.
    is_class: bool,
    /// True if `from m import *` may bind any name in it.
    has_star: bool,
    /// The functions by name, if it is a module (`@I.ir_module`).
    members: Option<FxHashMap<Box<str>, usize>>,
    /// The list of its parameters, if it is a function of Python.
    parameters: Option<Green>,
}

impl Scope {
    fn new(parent: Option<ScopeId>, path: Box<str>) -> Scope {
        Scope {
            parent,
            path,
            names: FxHashMap::default(),
            changed: FxHashSet::default(),
            is_class: false,
            has_star: false,
            members: None,
            parameters: None,
        }
    }

    /// Returns the definition of a name for code in this scope (`is_own`), or in one inside it.
    fn visible(&self, name: &str, is_own: bool) -> Option<&Definition> {
        let definition = self.names.get(name)?;
        let is_visible = match definition {
            // What is in a module may say its name.
            Definition::ModuleClass => true,
            Definition::Function { .. } | Definition::Macro(_) => is_own || !self.is_class,
            _ => !self.is_class,
        };
        is_visible.then_some(definition)
    }
}

#[derive(Clone, Debug)]
enum Definition {
    /// `from a.b import c`
    Import(Box<str>),
    /// An assignment, unread.
    Statement(Green),
    Macro(Green),
    Function {
        green: Green,
    },
    ModuleClass,
    /// A parameter of a function of Python, which an instance gives a value.
    Parameter,
    /// Bound in a way whose value is not read (a loop, `with … as`), or more than once.
    Other,
}

/// The functions of a file. Text is read once at statement level, and hashed only where several functions have one
/// path and name.
pub fn functions(parse: &syntax::Parse) -> FileFunctions {
    functions_in(parse, None)
}

/// Like [`functions`], after an edit of a file: untouched parts are reused. If that is all but the body of one
/// function, nothing is read but addresses on the way to it, and one small record a function is copied. Otherwise
/// hashes of texts that `previous` knows (same tree, by address) are taken over.
pub fn functions_after(parse: &syntax::Parse, previous: &FileFunctions) -> FileFunctions {
    previous.with_edited_body(parse).unwrap_or_else(|| functions_in(parse, Some(previous)))
}

fn functions_in(parse: &syntax::Parse, previous: Option<&FileFunctions>) -> FileFunctions {
    let root = &parse.syntax();
    let module = Scope::new(None, "".into());
    let known = previous
        .map(|it| {
            it.functions.iter().map(|it| (it.source.green.address(), &it.source.green)).collect()
        })
        .unwrap_or_default();
    let mut finder = Finder {
        functions: Vec::new(),
        redefinitions: Vec::new(),
        scopes: vec![module],
        changes: Vec::new(),
        calls: Vec::new(),
        known,
        has_import: false,
    };
    finder.commented_imports(root);
    finder.statements(root);
    finder.changes();
    finder.identify();
    let Finder { functions, redefinitions, scopes, calls, .. } = finder;
    FileFunctions {
        functions,
        redefinitions: redefinitions.into(),
        scopes: scopes.into(),
        calls: calls.into(),
        root: parse.green().clone(),
        effects: EffectTable::shared(),
    }
}

impl FileFunctions {
    /// Returns true if both have the same functions in the same scopes, and at most one function has another body: then
    /// names mean the same in both.
    pub fn differs_in_a_body_only(&self, other: &FileFunctions) -> bool {
        Arc::ptr_eq(&self.scopes, &other.scopes)
    }

    /// The functions of a version of the file that differs from this one in the body of one function only.
    fn with_edited_body(&self, parse: &syntax::Parse) -> Option<FileFunctions> {
        let is_function = |kind| kind == SyntaxKind::FUNCTION_DEF;
        let changes = syntax::changed_nodes(&self.root, parse.green(), is_function);
        let (change, index) = changes.into_iter().find_map(|change| {
            let at = self.functions.binary_search_by_key(&change.offset, |it| it.range.start());
            let index = at.ok()?;
            self.functions[index].source.green.ptr_eq(&change.old).then_some((change, index))
        })?;
        let old = &self.functions[index].source;
        // A macro's text is part of what its name means.
        if old.kind == FunctionKind::Macro
            || !change.old.shares_all_but(&change.new, |kind| kind == SyntaxKind::BLOCK)
        {
            return None;
        }
        let mut source = FunctionSource { green: change.new.clone(), ..FunctionSource::clone(old) };
        let former = old.key.content;
        if former.is_some() {
            source.key.content = Some(source.green.text_hash());
        }
        let current = source.key.content;
        let (old_len, new_len) = (change.old.text_len(), change.new.text_len());
        let mut functions = self.functions.clone();
        for item in &mut functions[index + 1..] {
            let start = item.range.start() - old_len + new_len;
            item.range = TextRange::at(start, item.range.len());
        }
        let item = &mut functions[index];
        item.range = TextRange::at(change.offset, new_len);
        item.source = Arc::new(source);
        if former.is_some() {
            number_equals(&mut functions, former);
            number_equals(&mut functions, current);
        }
        let (scopes, root) = (self.scopes.clone(), parse.green().clone());
        let redefinitions = self.redefinitions.clone();
        Some(FileFunctions {
            functions,
            redefinitions,
            scopes,
            calls: self.calls.clone(),
            root,
            effects: self.effects.clone(),
        })
    }

    /// Returns the meaning of a name in a scope, or in the one `up` scopes around it.
    pub fn capture(&self, scope: ScopeId, up: u32, name: &str) -> Found {
        self.capture_in(scope, up, name, None)
    }

    /// As [`FileFunctions::capture`], where the parameters of a factory have the values of an instance.
    pub fn capture_in(
        &self,
        scope: ScopeId,
        up: u32,
        name: &str,
        instance: Option<&Instance>,
    ) -> Found {
        let mut start = scope;
        for _ in 0..up {
            start = self.scopes[start.0 as usize].parent.unwrap_or(MODULE);
        }
        let read = RefCell::default();
        let names = ScopeNames { file: self, scope: start, depth: 0, read: &read, instance };
        let found = self.capture_within(&names, name);
        Found { home: found.home.map(|it| it + up), ..found }
    }

    /// The same functions, whose calls have these effects.
    #[must_use]
    pub fn with_effects(self, effects: Arc<EffectTable>) -> FileFunctions {
        FileFunctions { effects, ..self }
    }

    /// The environment of a function.
    pub fn environment(&self, item: &FunctionItem) -> FileEnvironment<'_> {
        FileEnvironment { file: self, scope: item.scope, instance: None }
    }

    /// The environment of a function in an instance of a factory around it.
    pub fn environment_in<'a>(
        &'a self,
        item: &FunctionItem,
        instance: Option<&'a Instance>,
    ) -> FileEnvironment<'a> {
        FileEnvironment { instance, ..self.environment(item) }
    }

    /// The function at an offset of the file: the innermost that contains it.
    pub fn function_at(&self, offset: TextSize) -> Option<&FunctionItem> {
        self.functions
            .iter()
            .filter(|it| it.range.contains_inclusive(offset))
            .min_by_key(|it| it.range.len())
    }

    fn capture_within(&self, from: &ScopeNames<'_>, name: &str) -> Found {
        let start = from.scope;
        let (mut at, mut home) = (Some(start), 0);
        while let Some(id) = at {
            let scope = &self.scopes[id.0 as usize];
            if let Some(definition) = scope.visible(name, id == start) {
                let capture = self.read(&ScopeNames { scope: id, ..*from }, name, definition);
                let capture = match capture {
                    Capture::Macro { green, .. } => Capture::Macro { green, up: home },
                    other => other,
                };
                return Found { capture, home: Some(home) };
            }
            if scope.has_star && predefined(name).is_none() {
                return Found { capture: Capture::Unknown, home: Some(home) };
            }
            at = scope.parent;
            home += 1;
        }
        Found { capture: predefined(name).unwrap_or(Capture::Undefined), home: None }
    }

    fn read(&self, at: &ScopeNames<'_>, name: &str, definition: &Definition) -> Capture {
        match definition {
            Definition::Import(path) => match namespace(path) {
                Some(it) => Capture::Namespace(it),
                None => Capture::Path(path.clone()),
            },
            Definition::Statement(green) => {
                let names = ScopeNames { depth: at.depth + 1, ..*at };
                match constants::of_statement(green, &names) {
                    Capture::Constant(it)
                        if constants::has_list(&it)
                            && self.scopes[at.scope.0 as usize].changed.contains(name) =>
                    {
                        Capture::Unknown
                    }
                    capture => capture,
                }
            }
            Definition::Macro(green) => Capture::Macro { green: green.clone(), up: 0 },
            Definition::Function { green } => Capture::Function(signature(green)),
            Definition::ModuleClass => Capture::Module,
            Definition::Parameter => {
                let scope = &self.scopes[at.scope.0 as usize];
                let instance = at.instance.filter(|it| it.factory() == &*scope.path);
                let value = instance.and_then(|it| it.value(name));
                value.map_or(Capture::Unknown, |it| Capture::Constant(it.clone()))
            }
            Definition::Other => Capture::Unknown,
        }
    }
}

/// Names of a scope as constants need them. Recursion through definitions is bounded, and each is read once for a name
/// that is asked for: of `b = a + a`, `c = b + b`, … a name has exponentially many mentions.
#[derive(Clone, Copy)]
struct ScopeNames<'a> {
    file: &'a FileFunctions,
    scope: ScopeId,
    depth: u32,
    /// The names that were resolved, by name and the scope of the query.
    read: &'a RefCell<FxHashMap<(ScopeId, Box<str>), Capture>>,
    /// The values of the parameters of a factory.
    instance: Option<&'a Instance>,
}

/// A name whose value depends on more other names than this has an unknown value: equal to itself only, so that nothing
/// becomes wrong, and reported where a value is needed.
const MAX_DEFINITION_DEPTH: u32 = 16;

impl Names for ScopeNames<'_> {
    fn capture(&self, name: &str) -> Capture {
        if self.depth > MAX_DEFINITION_DEPTH {
            return Capture::Unknown;
        }
        let key = (self.scope, name.into());
        if let Some(known) = self.read.borrow().get(&key) {
            return known.clone();
        }
        // What is nested too deeply is unknown, and so is all that needs it: the way that reaches it first does not
        // matter.
        let capture = self.file.capture_within(self, name).capture;
        self.read.borrow_mut().insert(key, capture.clone());
        capture
    }
}

/// Numbers the functions of one path, name and content anew. A hash of contents decides nearly always: paths and names
/// are compared only where it agrees.
fn number_equals(functions: &mut [FunctionItem], content: Option<u128>) {
    let mut next: FxHashMap<(Box<str>, Box<str>), u32> = FxHashMap::default();
    for item in functions.iter_mut().filter(|it| it.source.key.content == content) {
        let key = &item.source.key;
        let next = next.entry((key.path.clone(), key.name.clone())).or_default();
        if key.ordinal != *next {
            Arc::make_mut(&mut item.source).key.ordinal = *next;
        }
        *next += 1;
    }
}

/// The environment of a function of a file.
#[derive(Clone, Copy, Debug)]
pub struct FileEnvironment<'a> {
    file: &'a FileFunctions,
    scope: ScopeId,
    instance: Option<&'a Instance>,
}

impl Environment for FileEnvironment<'_> {
    fn resolve_above(&self, up: u32, name: &str) -> Found {
        self.file.capture_in(self.scope, up, name, self.instance)
    }

    fn effects(&self) -> &EffectTable {
        &self.file.effects
    }
}

fn signature(green: &Green) -> Signature {
    // Only the header is needed, but a function is rarely called by another, so reading it whole is cheap enough.
    let ast = ast::read(green);
    let Some(def) = ast.function() else {
        return Signature { name: "".into(), returns: None };
    };
    let returns =
        def.returns.and_then(|it| ast.dotted(it)).and_then(|(_, rest)| rest.last().copied());
    Signature { name: def.name.into(), returns: returns.map(Into::into) }
}

// ---- finding ----

mod bindings;
mod instances;

use bindings::{has_star, parameters};
use instances::Call;
pub use instances::Factory;

struct Finder<'a> {
    functions: Vec<FunctionItem>,
    redefinitions: Vec<(usize, usize)>,
    scopes: Vec<Scope>,
    /// Names whose values are changed in place, and where that is written.
    changes: Vec<(ScopeId, Box<str>)>,
    /// The calls of names outside of TVMScript functions.
    calls: Vec<Call>,
    /// Trees whose hash may be known already.
    known: FxHashMap<usize, &'a Green>,
    /// True if an import, commented or not, names a dialect.
    has_import: bool,
}

/// How a decorated function is to be read.
struct Decorated {
    kind: FunctionKind,
    namespace: Option<Namespace>,
}

const MODULE: ScopeId = ScopeId(0);

impl Finder<'_> {
    /// `# from tvm.script import tirx as T` in the comments before the first statement.
    fn commented_imports(&mut self, root: &SyntaxNode) {
        for token in root.tokens().take_while(|it| it.kind().is_trivia()) {
            if token.kind() != SyntaxKind::COMMENT {
                continue;
            }
            let text = token.text().trim_start_matches('#').trim();
            let Some((module, names)) =
                text.strip_prefix("from ").and_then(|rest| rest.split_once(" import "))
            else {
                continue;
            };
            for name in names.split(',') {
                let mut words = name.split_whitespace();
                let Some(imported) = words.next() else { continue };
                let alias = words.nth(1).unwrap_or(imported);
                self.import(MODULE, alias, format!("{module}.{imported}"));
            }
        }
    }

    fn import(&mut self, scope: ScopeId, alias: &str, path: String) {
        self.has_import |= matches!(namespace(&path), Some(Namespace::Tir | Namespace::Tirx));
        self.define(scope, alias, Definition::Import(path.into()));
    }

    /// A name has a known value where one statement binds it; which of several is the last to be executed is not asked.
    fn define(&mut self, scope: ScopeId, name: &str, definition: Definition) {
        use Definition as D;
        let names = &mut self.scopes[scope.0 as usize].names;
        let Some(old) = names.get_mut(name) else {
            names.insert(name.into(), definition);
            return;
        };
        let is_dialect = |it: &D| matches!(it, D::Import(path) if namespace(path).is_some());
        match (&*old, &definition) {
            (D::Import(a), D::Import(b)) if a == b => {}
            (D::ModuleClass, D::ModuleClass) => {}
            // A file may speak two dialects under one name.
            (a, b) if is_dialect(a) && is_dialect(b) => *old = definition,
            (a, _) if is_dialect(a) => {}
            _ => *old = D::Other,
        }
    }

    /// Reads the statements below `root` down to, and not into, TVMScript functions, with an explicit stack.
    fn statements(&mut self, root: &SyntaxNode) {
        let mut scopes = vec![MODULE];
        let mut walk = root.preorder();
        while let Some(event) = walk.next() {
            match event {
                WalkEvent::Enter(node) => {
                    let scope = *scopes.last().expect("the module's scope is never popped");
                    if self.enter(&node, scope, &mut scopes) {
                        walk.skip_subtree();
                    }
                }
                WalkEvent::Leave(node) => {
                    if matches!(node.kind(), SyntaxKind::CLASS_DEF | SyntaxKind::FUNCTION_DEF)
                        && scopes.len() > 1
                    {
                        scopes.pop();
                    }
                }
            }
        }
    }

    /// Returns true if a walk enters `node`: something below it may matter.
    fn enter(&mut self, node: &SyntaxNode, scope: ScopeId, scopes: &mut Vec<ScopeId>) -> bool {
        use SyntaxKind as K;
        self.bindings(node, scope);
        match node.kind() {
            K::SOURCE_FILE
            | K::BLOCK
            | K::IF_STMT
            | K::ELIF_CLAUSE
            | K::ELSE_CLAUSE
            | K::FOR_STMT
            | K::WHILE_STMT
            | K::WITH_STMT
            | K::TRY_STMT
            | K::EXCEPT_CLAUSE
            | K::FINALLY_CLAUSE
            | K::MATCH_STMT
            | K::CASE_CLAUSE
            | K::ERROR_NODE
            | K::UNEXPECTED_INDENT => false,
            K::CLASS_DEF => {
                let is_module = self
                    .decorators(node, scope)
                    .any(|path| path.ends_with(".ir_module") || path == "ir_module");
                let name = name_of(node);
                self.define(
                    scope,
                    &name,
                    if is_module { Definition::ModuleClass } else { Definition::Other },
                );
                let inner = self.new_scope(scope, &name);
                self.scopes[inner.0 as usize].is_class = true;
                self.scopes[inner.0 as usize].members = is_module.then(FxHashMap::default);
                scopes.push(inner);
                false
            }
            K::FUNCTION_DEF => self.function(node, scope, scopes),
            K::IMPORT_STMT | K::FROM_IMPORT_STMT => {
                self.import_statement(node, scope);
                true
            }
            _ => {
                self.in_expressions(node, scope);
                true
            }
        }
    }

    fn new_scope(&mut self, parent: ScopeId, name: &str) -> ScopeId {
        let outer = &self.scopes[parent.0 as usize].path;
        let path = if outer.is_empty() { name.into() } else { format!("{outer}.{name}").into() };
        self.scopes.push(Scope::new(Some(parent), path));
        ScopeId(self.scopes.len() as u32 - 1)
    }

    fn function(&mut self, node: &SyntaxNode, scope: ScopeId, scopes: &mut Vec<ScopeId>) -> bool {
        let name = name_of(node);
        let decorated = self.decorators(node, scope).find_map(|path| decorated(&path));
        let Some(Decorated { kind, namespace }) = decorated else {
            self.define(scope, &name, Definition::Other);
            let inner = self.new_scope(scope, &name);
            for (name, definition) in parameters(node) {
                self.define(inner, &name, definition);
            }
            let list = node.children().find(|it| it.kind() == SyntaxKind::PARAM_LIST);
            self.scopes[inner.0 as usize].parameters = list.map(|it| Green::of(&it));
            scopes.push(inner);
            return false;
        };
        // Balances the pop when the function is left.
        scopes.push(scope);
        let green = self.green(node);
        let definition = match kind {
            FunctionKind::Macro => Definition::Macro(green.clone()),
            _ => Definition::Function { green: green.clone() },
        };
        self.define(scope, &name, definition);
        let range = node.text_range();
        let name_range = name_node(node)
            .map_or(TextRange::empty(0.into()), |it| it.text_range() - range.start());
        let dialect = match namespace {
            Some(Namespace::Tir) => Dialect::Tir,
            _ => Dialect::Tirx,
        };
        let key = FunctionKey {
            path: self.scopes[scope.0 as usize].path.clone(),
            name: name.clone().into(),
            content: None,
            ordinal: 0,
        };
        let source = FunctionSource {
            key,
            name: name.into(),
            kind,
            dialect,
            dialect_is_guess: !self.has_import && namespace != Some(Namespace::Tir),
            green,
            name_range,
            allowed_above: allow::above(node),
        };
        let number = self.functions.len();
        // In a module, all that is no macro is a global: TVM refuses a second one of a name.
        if kind != FunctionKind::Macro
            && !source.name.is_empty()
            && let Some(members) = &mut self.scopes[scope.0 as usize].members
        {
            let first = *members.entry(source.name.clone()).or_insert(number);
            if first != number {
                self.redefinitions.push((number, first));
            }
        }
        self.functions.push(FunctionItem { source: Arc::new(source), range, scope });
        true
    }

    fn green(&self, node: &SyntaxNode) -> Green {
        let green = Green::of(node);
        // The known one carries its hash along.
        self.known.get(&green.address()).map_or(green, |&it| it.clone())
    }

    /// Full dotted paths of the decorators of a function or class, aliases resolved.
    fn decorators(&self, node: &SyntaxNode, scope: ScopeId) -> impl Iterator<Item = String> + '_ {
        node.children().take_while(|it| it.kind() == SyntaxKind::DECORATOR).filter_map(move |it| {
            let mut at = it.first_child()?;
            if at.kind() == SyntaxKind::CALL_EXPR {
                at = at.first_child()?;
            }
            let mut rest = Vec::new();
            while at.kind() == SyntaxKind::ATTRIBUTE_EXPR {
                rest.push(at.children().find(|it| it.kind() == SyntaxKind::NAME_REF)?.text());
                at = at.first_child()?;
            }
            if at.kind() != SyntaxKind::NAME_EXPR {
                return None;
            }
            rest.push(self.module_path(scope, &at.text()));
            rest.reverse();
            Some(rest.join("."))
        })
    }

    /// The dotted path that a name was imported as.
    fn module_path(&self, scope: ScopeId, name: &str) -> String {
        let mut at = Some(scope);
        while let Some(id) = at {
            let scope = &self.scopes[id.0 as usize];
            match scope.names.get(name) {
                Some(Definition::Import(path)) => return path.to_string(),
                Some(_) => return name.to_owned(),
                None => at = scope.parent,
            }
        }
        match name {
            "T" => "tvm.script.tirx".to_owned(),
            "I" => "tvm.script.ir".to_owned(),
            "R" => "tvm.script.relax".to_owned(),
            _ => name.to_owned(),
        }
    }

    fn import_statement(&mut self, node: &SyntaxNode, scope: ScopeId) {
        let is_from = node.kind() == SyntaxKind::FROM_IMPORT_STMT;
        let module = if is_from {
            node.children().find(|it| it.kind() == SyntaxKind::DOTTED_NAME).map(|it| compact(&it))
        } else {
            None
        };
        if is_from && has_star(node) {
            self.star_import(scope);
        }
        for alias in node.children().filter(|it| it.kind() == SyntaxKind::IMPORT_ALIAS) {
            let mut parts = alias.children();
            let Some(imported) = parts.next().map(|it| compact(&it)) else { continue };
            let name = parts.next().map(|it| it.text());
            match (&module, name) {
                (Some(module), name) => {
                    let path = format!("{module}.{imported}");
                    self.import(scope, name.as_deref().unwrap_or(&imported), path);
                }
                (None, Some(name)) => self.import(scope, &name, imported),
                // `import tvm.script` binds `tvm`.
                (None, None) => {
                    let head = imported.split('.').next().unwrap_or_default().to_owned();
                    self.import(scope, &head.clone(), head);
                }
            }
        }
    }

    /// Functions of one path and name are distinguished by their text, then by their number.
    fn identify(&mut self) {
        let mut count: FxHashMap<(Box<str>, Box<str>), u32> = FxHashMap::default();
        for item in &self.functions {
            let key = &item.source.key;
            *count.entry((key.path.clone(), key.name.clone())).or_default() += 1;
        }
        let mut ordinals: FxHashMap<FunctionKey, u32> = FxHashMap::default();
        for item in &mut self.functions {
            // Nobody else has the sources yet, so nothing is copied.
            let source = Arc::make_mut(&mut item.source);
            let key = &mut source.key;
            if count.get(&(key.path.clone(), key.name.clone())).is_some_and(|&it| it > 1) {
                key.content = Some(source.green.text_hash());
                let ordinal = ordinals.entry(key.clone()).or_default();
                key.ordinal = *ordinal;
                *ordinal += 1;
            }
        }
    }
}

/// `tvm.script.tirx.prim_func` and its relatives.
fn decorated(path: &str) -> Option<Decorated> {
    let (module, name) = path.rsplit_once('.')?;
    let namespace = namespace(module);
    let kind = match (name, namespace) {
        ("prim_func" | "jit", Some(Namespace::Tir | Namespace::Tirx)) => FunctionKind::PrimFunc,
        ("macro" | "inline", Some(Namespace::Tir | Namespace::Tirx)) => FunctionKind::Macro,
        ("function" | "macro", Some(Namespace::Relax)) => FunctionKind::Relax,
        ("pyfunc", Some(Namespace::Ir)) => FunctionKind::Python,
        _ => return None,
    };
    Some(Decorated { kind, namespace })
}

fn name_node(node: &SyntaxNode) -> Option<SyntaxNode> {
    node.children().find(|it| it.kind() == SyntaxKind::NAME)
}

fn name_of(node: &SyntaxNode) -> String {
    name_node(node).map_or_else(String::new, |it| it.text())
}

/// A dotted name without the white space that may stand in it.
fn compact(node: &SyntaxNode) -> String {
    node.text().split_whitespace().collect()
}
