//! The functions of a file: their kinds, their identities, and the scopes that their captured names come from.
//!
//! In: the tree. Out: one [`FunctionItem`] a TVMScript function, in text order, found by resolving the aliases of
//! `tvm.script` through the imports (also the commented imports of printed dumps), and tables of the definitions around
//! them, kept as trees and read only when a name is asked for. No body of a TVMScript function is entered. Python
//! functions, classes and control flow around are, as TVMScript functions may be nested in them.

use std::{fmt, sync::Arc};

use ir::{Dialect, effects::EffectTable};
use rustc_hash::FxHashMap;
use syntax::{Green, SyntaxKind, SyntaxNode, TextRange, TextSize, WalkEvent};

use super::{
    allow, ast,
    environment::{Assertion, Environment, Found, Signature},
    instance::Instance,
    staging::{Home, Value},
    vocabulary::{self, Decorated, namespace},
};

mod assertions;
mod bindings;
pub mod callees;
mod callers;
mod eager;
mod foreign_calls;
mod instances;
mod lead_up;
pub mod places;
mod scopes;
mod tested;
mod tuned;

pub use super::vocabulary::FunctionKind;
use scopes::Scope;
pub use scopes::{Context, Modules, NoModules, Scopes};
pub(crate) use scopes::{Definition, NOT_READ};

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
    /// True if it is a kernel that is its own factory (`@tilelang.jit` over a body with `T.Kernel`): its parameters are
    /// tensors that the body gives a type, and values of Python.
    pub is_eager: bool,
    /// False if it stands in a module of which TVM is told not to check that it is well formed
    /// (`@I.ir_module(check_well_formed=False)`).
    pub is_checked: bool,
    /// The column of the text that TVM reads at once: of the function, or of the module that it stands in.
    pub column: usize,
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
    scopes: Scopes,
    calls: Arc<[Call]>,
    root: Green,
    effects: Arc<EffectTable>,
    imports: Imports,
}

/// The files that a file imports.
#[derive(Clone)]
struct Imports(Arc<dyn Modules + Send + Sync>);

impl fmt::Debug for Imports {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("Imports")
    }
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
        aliases: Vec::new(),
        arms: FxHashMap::default(),
        calls: Vec::new(),
        known,
        has_import: false,
        at: TextSize::default(),
    };
    finder.commented_imports(root);
    finder.statements(root);
    finder.changes();
    finder.led_up_to();
    finder.identify();
    let Finder { functions, redefinitions, scopes, calls, .. } = finder;
    FileFunctions {
        functions,
        redefinitions: redefinitions.into(),
        scopes: Scopes::new(scopes),
        calls: calls.into(),
        root: parse.green().clone(),
        effects: EffectTable::shared(),
        imports: Imports(Arc::new(NoModules)),
    }
}

impl FileFunctions {
    /// Returns true if both have the same functions in the same scopes, and at most one function has another body: then
    /// names mean the same in both.
    pub fn differs_in_a_body_only(&self, other: &FileFunctions) -> bool {
        self.scopes.is_same(&other.scopes)
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
        // A macro's text is part of what its name means; the body of an eager kernel decides that it is one.
        if old.kind == FunctionKind::Macro
            || old.is_eager
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
            imports: self.imports.clone(),
        })
    }

    /// The scopes of the file.
    pub fn scopes(&self) -> &Scopes {
        &self.scopes
    }

    /// Returns the meaning of a name in a scope.
    pub fn capture(&self, scope: ScopeId, name: &str) -> Found {
        self.scopes.capture(scope, None, name, self.context())
    }

    /// The same functions, whose calls have these effects.
    #[must_use]
    pub fn with_effects(self, effects: Arc<EffectTable>) -> FileFunctions {
        FileFunctions { effects, ..self }
    }

    /// The same functions in a file that imports others.
    #[must_use]
    pub fn with_modules(self, modules: Arc<dyn Modules + Send + Sync>) -> FileFunctions {
        FileFunctions { imports: Imports(modules), ..self }
    }

    /// Returns the knowledge besides the text of the file: the files that it imports, no instance.
    pub fn context(&self) -> Context<'_> {
        Context { modules: &*self.imports.0, instance: None }
    }

    /// The environment of a function.
    pub fn environment(&self, item: &FunctionItem) -> FileEnvironment<'_> {
        self.environment_in(item, None)
    }

    /// The environment of a function in an instance of a factory around it.
    pub fn environment_in<'a>(
        &'a self,
        item: &FunctionItem,
        instance: Option<&'a Instance>,
    ) -> FileEnvironment<'a> {
        let context = Context { instance, ..self.context() };
        FileEnvironment { file: self, scope: item.scope, context }
    }

    /// The function at an offset of the file: the innermost that contains it.
    pub fn function_at(&self, offset: TextSize) -> Option<&FunctionItem> {
        self.functions
            .iter()
            .filter(|it| it.range.contains_inclusive(offset))
            .min_by_key(|it| it.range.len())
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
#[derive(Clone, Copy)]
pub struct FileEnvironment<'a> {
    file: &'a FileFunctions,
    scope: ScopeId,
    context: Context<'a>,
}

impl Environment for FileEnvironment<'_> {
    fn resolve_at(&self, home: Option<&Home>, name: &str) -> Found {
        self.file.scopes.capture(self.scope, home, name, self.context)
    }

    fn assertions(&self) -> Vec<Assertion> {
        self.file.scopes.assertions(self.scope)
    }

    fn member(&self, object: &Value, name: &str) -> Value {
        self.file.scopes.member(object, name, self.context)
    }

    fn apply(
        &self,
        function: &Value,
        positional: Vec<Value>,
        keywords: Vec<(Box<str>, Value)>,
    ) -> Value {
        self.file.scopes.apply(function, positional, keywords, self.context)
    }

    fn effects(&self) -> &EffectTable {
        &self.file.effects
    }
}

pub(crate) fn signature(green: &Green) -> Signature {
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

pub(crate) use bindings::targets;
use bindings::{has_star, parameters};
pub use callers::Asked;
pub use foreign_calls::ForeignCall;
use instances::Call;
pub use instances::Factory;

struct Finder<'a> {
    functions: Vec<FunctionItem>,
    redefinitions: Vec<(usize, usize)>,
    scopes: Vec<Scope>,
    /// Names whose values are changed in place, or may be, and where that is written.
    changes: Vec<(ScopeId, Box<str>, scopes::Change)>,
    /// Other names for what names stand for, the object first, and where that is written.
    aliases: Vec<(ScopeId, (Box<str>, Box<str>))>,
    /// Names that are bound in an arm of an `if`, with where it begins, and the arms so far.
    arms: FxHashMap<(ScopeId, Box<str>), bindings::BoundInArms>,
    /// The calls of names outside of TVMScript functions.
    calls: Vec<Call>,
    /// Trees whose hash may be known already.
    known: FxHashMap<usize, &'a Green>,
    /// True if an import, commented or not, names a dialect.
    has_import: bool,
    /// Where the statement begins that is read.
    at: TextSize,
}

pub(crate) const MODULE: ScopeId = ScopeId(0);

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
        self.has_import |= namespace(&path).is_some_and(vocabulary::is_kernels);
        self.define(scope, alias, Definition::Import(path.into()));
    }

    /// A name has a known value where one statement binds it; which of several is the last to be executed is not asked.
    fn define(&mut self, scope: ScopeId, name: &str, definition: Definition) {
        use Definition as D;
        let is_known = self.scopes[scope.0 as usize].names.contains_key(name);
        if is_known || definition.is_unread() {
            self.rebound(scope, name, &definition);
        }
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
            _ => *old = D::Other("bound more than once"),
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
        self.at = node.text_range().start();
        self.bindings(node, scope);
        self.asserted(node, scope);
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
                    if is_module {
                        Definition::ModuleClass
                    } else {
                        Definition::Class(self.green(node))
                    },
                );
                let inner = self.new_scope(scope, &name);
                self.scopes[inner.0 as usize].is_class = true;
                self.scopes[inner.0 as usize].members = is_module.then(FxHashMap::default);
                self.scopes[inner.0 as usize].is_checked = !(is_module && is_unchecked(node));
                self.scopes[inner.0 as usize].module_column = is_module.then(|| column(node));
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
        let paths: Vec<String> = self.decorators(node, scope).collect();
        let decorated = paths.iter().find_map(|path| vocabulary::decorated(path));
        let green = self.green(node);
        let Some(Decorated { kind, namespace }) = decorated else {
            self.define(scope, &name, Definition::Python(green));
            let inner = self.function_scope(node, scope, &name);
            self.scopes[inner.0 as usize].tuned_by = self.tuned_by(node, scope);
            self.scopes[inner.0 as usize].tested_with = self.tested_with(node, scope);
            if !self.is_eager(node, inner, &paths) {
                scopes.push(inner);
                return false;
            }
            scopes.push(scope);
            self.lead_up(node, scope);
            self.eager(node, inner);
            return true;
        };
        // Balances the pop when the function is left.
        scopes.push(scope);
        if kind != FunctionKind::Macro {
            self.has_function(scope);
            self.lead_up(node, scope);
        }
        let definition = match kind {
            FunctionKind::Macro => Definition::Macro(green),
            _ => Definition::Function { green },
        };
        self.define(scope, &name, definition);
        self.add(node, scope, Decorated { kind, namespace }, false);
        true
    }

    /// The scope of a function of Python: its parameters, and what its body binds.
    fn function_scope(&mut self, node: &SyntaxNode, scope: ScopeId, name: &str) -> ScopeId {
        let inner = self.new_scope(scope, name);
        for (name, definition) in parameters(node) {
            self.define(inner, &name, definition);
        }
        let list = node.children().find(|it| it.kind() == SyntaxKind::PARAM_LIST);
        self.scopes[inner.0 as usize].parameters = list.map(|it| Green::of(&it));
        inner
    }

    /// Adds a function whose captured names are looked up in `scope`.
    fn add(&mut self, node: &SyntaxNode, scope: ScopeId, as_what: Decorated, is_eager: bool) {
        let Decorated { kind, namespace } = as_what;
        let name = name_of(node);
        let green = self.green(node);
        let range = node.text_range();
        let name_range = name_node(node)
            .map_or(TextRange::empty(0.into()), |it| it.text_range() - range.start());
        let dialect = vocabulary::dialect(namespace);
        let key = FunctionKey {
            path: Box::from(&*self.scopes[scope.0 as usize].path),
            name: name.clone().into(),
            content: None,
            ordinal: 0,
        };
        let source = FunctionSource {
            key,
            name: name.into(),
            kind,
            dialect,
            dialect_is_guess: !self.has_import && dialect == Dialect::Tirx,
            is_eager,
            is_checked: self.scopes[scope.0 as usize].is_checked,
            column: self.scopes[scope.0 as usize].module_column.unwrap_or_else(|| column(node)),
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
            self.dotted_path(&at, scope)
        })
    }

    /// The full path of a dotted name in a scope.
    fn dotted_path(&self, name: &SyntaxNode, scope: ScopeId) -> Option<String> {
        let mut at = name.clone();
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
        if node.kind() == SyntaxKind::FROM_IMPORT_STMT && has_star(node) {
            self.star_import(scope, &from_module(node));
        }
        for Imported { name, path, .. } in import_paths(node) {
            self.import(scope, &name, path);
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

/// A name that an import binds.
struct Imported {
    name: String,
    /// Where it is written.
    range: TextRange,
    /// The words that it stands for.
    path: String,
}

/// The module of `from m import …`, with the dots before it.
fn from_module(node: &SyntaxNode) -> String {
    let mut module = ".".repeat(leading_dots(node));
    let dotted = node.children().find(|it| it.kind() == SyntaxKind::DOTTED_NAME);
    module.extend(dotted.map(|it| compact(&it)));
    module
}

/// The names that an import binds, but for those of `*`.
fn import_paths(node: &SyntaxNode) -> Vec<Imported> {
    let module = (node.kind() == SyntaxKind::FROM_IMPORT_STMT).then(|| from_module(node));
    let mut found = Vec::new();
    for alias in node.children().filter(|it| it.kind() == SyntaxKind::IMPORT_ALIAS) {
        let mut parts = alias.children();
        let Some(first) = parts.next() else { continue };
        let (written, name) = (compact(&first), parts.next());
        let range = name.as_ref().unwrap_or(&first).text_range();
        let name = name.map(|it| it.text());
        let (name, path) = match (&module, name) {
            (Some(module), name) => {
                // `from . import name`: the dots are the module.
                let dot = if module.ends_with('.') { "" } else { "." };
                let path = format!("{module}{dot}{written}");
                (name.unwrap_or(written), path)
            }
            (None, Some(name)) => (name, written),
            // `import tvm.script` binds `tvm`.
            (None, None) => {
                let head = written.split('.').next().unwrap_or_default().to_owned();
                (head.clone(), head)
            }
        };
        found.push(Imported { name, range, path });
    }
    found
}

/// Returns true if a decorator says `check_well_formed=False`.
fn is_unchecked(node: &SyntaxNode) -> bool {
    let decorators = node.children().take_while(|it| it.kind() == SyntaxKind::DECORATOR);
    let calls = decorators.filter_map(|it| it.first_child());
    let mut lists = calls.flat_map(|it| it.children().collect::<Vec<_>>());
    lists.any(|it| it.children().any(|it| compact(&it) == "check_well_formed=False"))
}

/// The number of characters before a node on its line.
fn column(node: &SyntaxNode) -> usize {
    let before = node.first_token().and_then(|it| it.prev_token());
    before
        .filter(|it| it.kind() == SyntaxKind::WHITESPACE)
        .map_or(0, |it| it.text().rsplit('\n').next().unwrap_or_default().chars().count())
}

fn name_node(node: &SyntaxNode) -> Option<SyntaxNode> {
    node.children().find(|it| it.kind() == SyntaxKind::NAME)
}

fn name_of(node: &SyntaxNode) -> String {
    name_node(node).map_or_else(String::new, |it| it.text())
}

/// The number of dots before the module of `from ..a import b`.
fn leading_dots(node: &SyntaxNode) -> usize {
    let before = node
        .children_with_tokens()
        .take_while(|it| !matches!(it.kind(), SyntaxKind::DOTTED_NAME | SyntaxKind::IMPORT_KW));
    let dots = before.map(|it| match it.kind() {
        SyntaxKind::DOT => 1,
        SyntaxKind::DOT3 => 3,
        _ => 0,
    });
    dots.sum()
}

/// A dotted name without the white space that may stand in it.
fn compact(node: &SyntaxNode) -> String {
    node.text().split_whitespace().collect()
}
