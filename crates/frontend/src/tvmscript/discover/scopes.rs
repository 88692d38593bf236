//! The scopes of a file: what binds each name, as text that is read only when the name is asked for.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use rustc_hash::FxHashMap;
use syntax::{Green, TextSize};

use super::ScopeId;
use crate::tvmscript::{environment::Assertion, instance::Instance, staging::Kind};

/// The scopes of a file, shared by the versions of it that differ in the body of one function only.
#[derive(Clone, Default, Debug)]
pub struct Scopes(Arc<[Scope]>);

/// Finds the files that a file imports: when a name of theirs is asked for.
pub trait Modules {
    /// The number of the file of a module: `path` is `a.b`, or `.a.b` relative to the file `from`. The file whose names
    /// are asked for has the empty number.
    fn module(&self, from: &str, path: &str) -> Option<Arc<str>>;

    /// The scopes of a file by its number.
    fn file(&self, number: &str) -> Option<Scopes>;
}

/// The knowledge besides the text of a file.
#[derive(Clone, Copy)]
pub struct Context<'a> {
    /// The files that it imports.
    pub modules: &'a dyn Modules,
    /// The values of the parameters of a factory.
    pub instance: Option<&'a Instance>,
}

impl Default for Context<'_> {
    fn default() -> Self {
        Context { modules: &NoModules, instance: None }
    }
}

/// No other files.
#[derive(Clone, Copy, Default, Debug)]
pub struct NoModules;

impl Modules for NoModules {
    fn module(&self, _: &str, _: &str) -> Option<Arc<str>> {
        None
    }

    fn file(&self, _: &str) -> Option<Scopes> {
        None
    }
}

#[derive(Clone, Debug)]
pub(super) struct Scope {
    pub(super) parent: Option<ScopeId>,
    pub(super) path: Arc<str>,
    pub(super) names: FxHashMap<Box<str>, Definition>,
    /// Names of objects that may differ from their definitions.
    pub(super) changed: FxHashMap<Box<str>, Change>,
    /// True if it is a class: its names are not visible in the functions inside.
    pub(super) is_class: bool,
    /// The modules of `from m import *`, in order: each may bind any name.
    pub(super) stars: Vec<Box<str>>,
    /// The functions by name, if it is a module (`@I.ir_module`).
    pub(super) members: Option<FxHashMap<Box<str>, usize>>,
    /// False if it is a module that TVM does not check.
    pub(super) is_checked: bool,
    /// The column that it begins at, if it is a module.
    pub(super) module_column: Option<usize>,
    /// The list of its parameters, if it is a function of Python.
    pub(super) parameters: Option<Green>,
    /// The call `autotune(configs=…)` that decorates it.
    pub(super) tuned_by: Option<Green>,
    /// The calls `pytest.mark.parametrize(…)` that decorate it.
    pub(super) tested_with: Box<[Green]>,
    /// The sizes that it declares (`T.const("M, N")`), if it is an eager kernel: a call may give them by name.
    pub(super) sizes: Vec<Box<str>>,
    /// Conditions that are checked before the first TVMScript function in it.
    pub(super) asserted: Vec<Assertion>,
    /// True if there is such a function, so far.
    pub(super) has_function: bool,
    /// The statements before the first such function, if it is a function of Python.
    pub(super) lead_up: Option<LeadUp>,
    /// Names that are bound where the interpreter of its statements does not see it, besides other bindings.
    pub(super) hidden: BTreeSet<Box<str>>,
    /// The names with more than one binding, while the file is read.
    pub(super) rebound: AllRebound,
}

/// The statements before the first function in a scope.
#[derive(Clone, Default, Debug)]
pub(super) struct LeadUp {
    /// In order.
    pub(super) statements: Box<[Green]>,
    /// Where the statement begins that has the function in it.
    pub(super) end: TextSize,
}

/// The bindings of a name that has more than one.
#[derive(Clone, Debug)]
pub(super) struct Rebound {
    /// Where the last of them begins.
    pub(super) last: TextSize,
    /// True if all are in statements that are interpreted.
    pub(super) is_followed: bool,
    pub(super) parameter: Option<Definition>,
}

/// The names of a scope with more than one binding.
pub(super) type AllRebound = BTreeMap<Box<str>, Rebound>;

/// How an object may be changed after it is made.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Debug)]
pub(super) enum Change {
    /// Another name or object has it, or a function that is not known got it.
    #[default]
    Escape,
    /// A method of it is called that may change it.
    Method,
    /// A part of it is assigned.
    Part,
}

impl Scope {
    pub(super) fn new(parent: Option<ScopeId>, path: Arc<str>) -> Scope {
        Scope {
            parent,
            path,
            names: FxHashMap::default(),
            changed: FxHashMap::default(),
            is_class: false,
            stars: Vec::new(),
            members: None,
            is_checked: true,
            module_column: None,
            parameters: None,
            tuned_by: None,
            tested_with: Box::default(),
            sizes: Vec::new(),
            asserted: Vec::new(),
            has_function: false,
            lead_up: None,
            hidden: BTreeSet::default(),
            rebound: AllRebound::default(),
        }
    }

    /// Returns true if it is a function of Python that takes anything.
    pub(super) fn takes_arguments(&self) -> bool {
        self.parameters.as_ref().is_some_and(|it| it.syntax().children().next().is_some())
    }

    /// The words of the imports in it, in any order.
    fn imports(&self) -> impl Iterator<Item = &str> {
        let imported = self.names.values().filter_map(|it| match it {
            Definition::Import(path) => Some(path),
            _ => None,
        });
        imported.chain(&self.stars).map(|it| &**it)
    }
}

/// How a name is bound that has no value that is read: the end of a sentence.
pub(crate) const NOT_READ: &str = "bound in a way whose value is not read";

/// The statement or form that binds a name.
#[derive(Clone, Debug)]
pub(crate) enum Definition {
    /// `from a.b import c`
    Import(Box<str>),
    /// An assignment, unread.
    Statement {
        green: Green,
        /// True if it may be executed again.
        in_loop: bool,
    },
    Macro(Green),
    Function {
        green: Green,
    },
    /// A function of Python.
    Python(Green),
    Class(Green),
    ModuleClass,
    /// A parameter of the function around.
    Parameter {
        kind: Kind,
        annotation: Box<str>,
    },
    /// A parameter that gets a value of its own where a call gives it none: `if x is None: x = …`, the assignment.
    Default(Box<Definition>, Green),
    /// Bound in arms of one `if`, each once: the `if`, and the assignment in each arm by its number.
    Arms {
        tree: Green,
        arms: Vec<(u32, Green)>,
    },
    /// Bound, and then perhaps bound anew by `from m import *`.
    BeforeStar(Box<Definition>),
    /// It has the value that the statements before the first TVMScript function of the scope leave it, which starts as
    /// that of a parameter.
    InOrder {
        parameter: Option<Box<Definition>>,
    },
    /// Given another value than it has: the variable of a loop, `n += 1`.
    Stepped,
    /// Bound by a function inside, or declared to be of a scope around: `nonlocal`, `global`.
    Elsewhere,
    /// Bound in a way whose value is not read, or more than once: the end of a sentence that says so.
    Other(&'static str),
}

impl Definition {
    /// Returns true if the binding alone gives no value.
    pub(super) fn is_unread(&self) -> bool {
        matches!(self, Definition::Other(_) | Definition::Stepped | Definition::Elsewhere)
    }
}

impl Scopes {
    pub(super) fn new(scopes: Vec<Scope>) -> Scopes {
        Scopes(scopes.into())
    }

    /// Returns true if both are the same tables.
    pub fn is_same(&self, other: &Scopes) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    pub(super) fn get(&self, id: ScopeId) -> Option<&Scope> {
        self.0.get(id.0 as usize)
    }

    /// The path of a scope, and its number among those of the path.
    pub(crate) fn key(&self, id: ScopeId) -> Option<(Arc<str>, u32)> {
        let path = &self.get(id)?.path;
        let before = self.0[..id.0 as usize].iter().filter(|it| it.path == *path).count();
        Some((path.clone(), u32::try_from(before).ok()?))
    }

    /// The scope of a path and number.
    pub(crate) fn find(&self, path: &str, ordinal: u32) -> Option<ScopeId> {
        let mut all = self.0.iter().enumerate().filter(|it| *it.1.path == *path);
        all.nth(ordinal as usize).and_then(|it| u32::try_from(it.0).ok()).map(ScopeId)
    }

    /// The scope of the function or class of a name in a scope, if there is only one.
    pub(crate) fn child(&self, parent: ScopeId, name: &str) -> Option<ScopeId> {
        let outer = &self.get(parent)?.path;
        let is_it = |it: &Scope| {
            it.parent == Some(parent)
                && it.path.strip_suffix(name).is_some_and(|rest| match rest.strip_suffix('.') {
                    Some(rest) => *rest == **outer,
                    None => rest.is_empty() && outer.is_empty(),
                })
        };
        let mut all = self.0.iter().enumerate().filter(|it| is_it(it.1));
        let first = all.next()?;
        if all.next().is_some() {
            return None;
        }
        u32::try_from(first.0).ok().map(ScopeId)
    }

    pub(crate) fn parent(&self, id: ScopeId) -> Option<ScopeId> {
        self.get(id)?.parent
    }

    /// The name of the function or class that a scope is of.
    pub(crate) fn name(&self, id: ScopeId) -> &str {
        let path = self.get(id).map_or("", |it| &it.path);
        path.rsplit('.').next().unwrap_or(path)
    }

    /// The words of all imports of the file, sorted, each once. O(names).
    pub fn imports(&self) -> Vec<&str> {
        let mut all: Vec<&str> = self.0.iter().flat_map(Scope::imports).collect();
        all.sort_unstable();
        all.dedup();
        all
    }

    /// Returns the words of the import that binds a name for code in a scope: `a.b.name`; none of a name that something
    /// else binds.
    pub fn import(&self, scope: ScopeId, name: &str) -> Option<&str> {
        let mut at = Some(scope);
        while let Some(id) = at {
            match self.visible(id, name, id == scope) {
                Some(Definition::Import(path)) => return Some(path),
                Some(_) => return None,
                None => at = self.parent(id),
            }
        }
        None
    }

    /// The statements of a function of Python before the first TVMScript function in it.
    pub(crate) fn lead_up(&self, id: ScopeId) -> &[Green] {
        self.get(id).and_then(|it| it.lead_up.as_ref()).map_or(&[], |it| &it.statements)
    }

    /// Returns true if a name is bound in a scope where the interpreter of its statements does not see it, by an import
    /// or a function inside, besides other bindings.
    pub(crate) fn is_hidden(&self, id: ScopeId, name: &str) -> bool {
        self.get(id).is_some_and(|it| it.hidden.contains(name))
    }

    /// The parameters of a function of Python by name, sorted.
    pub(crate) fn parameters(&self, id: ScopeId) -> Vec<(&str, &Definition)> {
        let names = self.get(id).map(|it| &it.names);
        let all = names.into_iter().flatten().filter_map(|(name, definition)| {
            let parameter = match definition {
                it @ Definition::Parameter { .. } => it,
                Definition::Default(it, _) | Definition::InOrder { parameter: Some(it) } => it,
                _ => return None,
            };
            Some((&**name, parameter))
        });
        let mut all: Vec<(&str, &Definition)> = all.collect();
        all.sort_by_key(|it| it.0);
        all
    }

    /// The modules of `from m import *` in a scope, in order.
    pub(crate) fn stars(&self, id: ScopeId) -> &[Box<str>] {
        self.get(id).map_or(&[], |it| &it.stars)
    }

    /// The definition of a name in a scope itself.
    pub(crate) fn own(&self, id: ScopeId, name: &str) -> Option<&Definition> {
        self.get(id)?.names.get(name)
    }

    /// The definition of a name for code in a scope (`is_own`), or in a scope inside.
    pub(crate) fn visible(&self, id: ScopeId, name: &str, is_own: bool) -> Option<&Definition> {
        let scope = self.get(id)?;
        let definition = scope.names.get(name)?;
        let is_visible = match definition {
            // What is in a module may say its name.
            Definition::ModuleClass => true,
            Definition::Function { .. } | Definition::Macro(_) => is_own || !scope.is_class,
            _ => !scope.is_class,
        };
        is_visible.then_some(definition)
    }

    /// Returns true if the object of a name may differ from its definition.
    pub(crate) fn is_changed(&self, id: ScopeId, name: &str) -> bool {
        self.get(id).is_some_and(|it| it.changed.contains_key(name))
    }

    /// How the object of a name may differ from its definition.
    pub(super) fn change(&self, id: ScopeId, name: &str) -> Option<Change> {
        self.get(id)?.changed.get(name).copied()
    }

    /// Returns true if a part of the object of a name is assigned somewhere.
    pub(crate) fn is_patched(&self, id: ScopeId, name: &str) -> bool {
        self.get(id).is_some_and(|it| it.changed.get(name) == Some(&Change::Part))
    }

    /// Returns true if a name gets a value once in each execution of what the scope is of.
    pub(crate) fn is_bound_once(&self, id: ScopeId, name: &str) -> bool {
        matches!(
            self.own(id, name),
            Some(
                Definition::Parameter { .. }
                    | Definition::Statement { in_loop: false, .. }
                    | Definition::Python(_)
            )
        )
    }
}
