//! Names: through the frames of what is being evaluated, then through the scopes of the text around it, then through
//! imports.

use std::{cell::RefCell, rc::Rc, sync::Arc};

use ir::DataType;
use syntax::Green;

use super::{
    eval::{NOT_READ, not_known, settled},
    function::{Code, Function, Home},
    limits::MAX_DEFINITIONS,
    session::{Cx, Frame, FrameKind, Place, Session},
    value::{Unknown, Value},
};
use crate::tvmscript::{
    ast::{ExKind, StKind},
    discover::{self, Definition, MODULE, Scopes},
    environment::{Capture, Found, Namespace, predefined},
    vocabulary::namespace,
};

impl Session<'_> {
    /// The meaning of a name, and the scope that binds it.
    pub(crate) fn find(&self, place: &Place, name: &str) -> Found {
        let (capture, home) = self.resolve(place, name, true);
        let capture = match (capture, self.stopped()) {
            (Capture::Constant(_), Some(it)) => Capture::Unknown(it),
            (capture, _) => capture,
        };
        Found { capture, home: home.and_then(|it| self.home(&it)) }
    }

    /// The value of an attribute of a captured object.
    pub(crate) fn member(&self, object: &Value, name: &str) -> Value {
        settled(self.deeper(|| self.attribute(object, name)))
    }

    /// The result of a call of a captured function with known arguments.
    pub(crate) fn apply(
        &self,
        function: &Value,
        positional: Vec<Value>,
        keywords: Vec<(Box<str>, Value)>,
    ) -> Value {
        let args = super::call::Args { positional, keywords };
        settled(self.deeper(|| self.call_value(function, args)))
    }

    /// The value of a name in a frame.
    pub(super) fn name(&self, frame: &Rc<Frame>, name: &str) -> Value {
        let mut at = frame;
        loop {
            if let Some(value) = at.vars.borrow().get(name) {
                return match at.kind == FrameKind::Function && self.is_hidden(&at.place, name) {
                    true => Value::Unknown(hidden(name)),
                    false => value.clone(),
                };
            }
            if let Some((_, value)) = at.closure.iter().find(|it| &*it.0 == name) {
                return value.clone();
            }
            if at.kind == FrameKind::Function
                && let Some(value) = self.own(&at.place, name)
            {
                return value;
            }
            match &at.outer {
                Some(outer) => at = outer,
                None => break,
            }
        }
        let place = &at.place;
        let capture = match at.kind {
            FrameKind::Static => self.resolve(place, name, true).0,
            FrameKind::Inner => self.resolve(place, name, false).0,
            FrameKind::Function => {
                let parent = self.scopes(&place.file).and_then(|it| it.parent(place.scope));
                let Some(scope) = parent else { return not_known(&[]) };
                self.resolve(&Place { file: place.file.clone(), scope }, name, false).0
            }
        };
        value_of(capture, name)
    }

    fn is_hidden(&self, place: &Place, name: &str) -> bool {
        self.scopes(&place.file).is_some_and(|it| it.is_hidden(place.scope, name))
    }

    /// The value of a name that the function itself binds and that no variable has.
    fn own(&self, place: &Place, name: &str) -> Option<Value> {
        let scopes = self.scopes(&place.file)?;
        let definition = scopes.own(place.scope, name)?;
        Some(match definition {
            Definition::Import(path) => value_of(self.imported(&place.file, path), name),
            _ => Value::unknown(format!("`{name}` has no value yet")),
        })
    }

    /// The meaning of a name for code in a scope (`is_own`), or in one inside it.
    fn resolve(&self, place: &Place, name: &str, is_own: bool) -> (Capture, Option<Place>) {
        let Some(scopes) = self.scopes(&place.file) else {
            return (Capture::Undefined, None);
        };
        let mut at = Some(place.scope);
        while let Some(scope) = at {
            let here = Place { file: place.file.clone(), scope };
            if let Some(definition) = scopes.visible(scope, name, is_own && scope == place.scope) {
                return (self.read_once(&scopes, &here, name, definition), Some(here));
            }
            if let Some(capture) = self.starred(&scopes, &here, name) {
                return (capture, Some(here));
            }
            at = scopes.parent(scope);
        }
        (predefined(name).unwrap_or(Capture::Undefined), None)
    }

    /// Reads a definition once for all that ask for it.
    fn read_once(
        &self,
        scopes: &Scopes,
        place: &Place,
        name: &str,
        definition: &Definition,
    ) -> Capture {
        let key = (place.clone(), Box::from(name));
        if let Some(known) = self.names.borrow().get(&key) {
            return known.clone().unwrap_or_else(|| {
                Capture::Unknown(Unknown::new(format!("`{name}` depends on itself")))
            });
        }
        let depth = self.definitions.get();
        if depth >= MAX_DEFINITIONS {
            let reason = format!("it depends on more than {MAX_DEFINITIONS} names in a row");
            return Capture::Unknown(Unknown::new(reason));
        }
        self.definitions.set(depth + 1);
        self.names.borrow_mut().insert(key.clone(), None);
        let capture = self.read(scopes, place, name, definition);
        self.names.borrow_mut().insert(key, Some(capture.clone()));
        self.definitions.set(depth);
        capture
    }

    pub(super) fn read(
        &self,
        scopes: &Scopes,
        place: &Place,
        name: &str,
        definition: &Definition,
    ) -> Capture {
        let capture = match definition {
            Definition::Import(path) => match namespace(path) {
                Some(it) => Capture::Namespace(it),
                None => self.imported(&place.file, path),
            },
            Definition::Statement { green, .. } => self.assigned(place, green, name),
            Definition::Macro(green) => match self.home(place) {
                Some(home) => Capture::Macro { green: green.clone(), home },
                None => Capture::Unknown(Unknown::new(NOT_READ)),
            },
            Definition::Function { green } => {
                Capture::Function(crate::tvmscript::discover::signature(green))
            }
            Definition::Python(green) => capture_of(self.function(place, green, name)),
            Definition::Class(green) => capture_of(self.class(place, green, name)),
            Definition::ModuleClass => Capture::Module,
            Definition::Parameter { kind, annotation } => {
                if let Some(value) = self.given(scopes, place, name) {
                    return Capture::Constant(value);
                }
                let function = scopes.name(place.scope);
                let mut reason = format!("`{name}` is a parameter of `{function}`");
                if !annotation.is_empty() {
                    reason.push_str(&format!(", {annotation}"));
                }
                Capture::Unknown(Unknown::new(reason).of_kind(*kind))
            }
            Definition::Default(parameter, assignment) => {
                match self.read(scopes, place, name, parameter) {
                    Capture::Constant(Value::None) => self.assigned(place, assignment, name),
                    given => given,
                }
            }
            Definition::Arms { tree, arms } => self.chosen(place, tree, arms, name),
            Definition::InOrder { .. } => self.led_up_to(scopes, place, name),
            Definition::Stepped | Definition::Elsewhere => Capture::Unknown(hidden(name)),
            Definition::BeforeStar(before) => match self.starred(scopes, place, name) {
                Some(capture) => capture,
                None => self.read(scopes, place, name, before),
            },
            Definition::Other(how) => Capture::Unknown(Unknown::new(format!("`{name}` is {how}"))),
        };
        match &capture {
            Capture::Constant(it) if it.is_mutable() && scopes.is_changed(place.scope, name) => {
                let reason = format!("`{name}` may be changed after it is made");
                Capture::Unknown(Unknown::new(reason))
            }
            Capture::Constant(Value::Class(_)) if scopes.is_patched(place.scope, name) => {
                let reason = format!("`{name}` is changed after it is made");
                Capture::Unknown(Unknown::new(reason))
            }
            _ => capture,
        }
    }

    /// The meaning of a name that arms of an `if` bind: the one that is taken.
    fn chosen(&self, place: &Place, tree: &Green, arms: &[(u32, Green)], name: &str) -> Capture {
        let ast = self.ast(tree);
        let frame = Session::static_frame(place);
        let cx = Cx { ast: &ast, tree, frame: &frame };
        let unknown = |how: &str| Capture::Unknown(Unknown::new(format!("`{name}` is {how}")));
        let Some(&first) = ast.root.first() else { return unknown("bound in an `if`") };
        let (mut at, mut arm) = (first, 0);
        while let StKind::If { condition, otherwise, .. } = ast.stmt(at).kind {
            match super::operators::truth_of(&self.eval(cx, condition)) {
                Some(true) => break,
                Some(false) => arm += 1,
                None => {
                    return unknown("bound in arms of an `if` of which the taken one is not known");
                }
            }
            match *ast.sts(otherwise) {
                [only] => at = only,
                _ => break,
            }
        }
        match arms.iter().find(|it| it.0 == arm) {
            Some((_, green)) => self.assigned(place, green, name),
            None => unknown("not bound in the arm of an `if` that is taken"),
        }
    }

    /// The value that an instance gives a parameter of its factory.
    fn given(&self, scopes: &Scopes, place: &Place, name: &str) -> Option<Value> {
        let instance = self.context.instance.filter(|_| place.file.is_empty())?;
        let (path, _) = scopes.key(place.scope)?;
        instance.given(&path, name).cloned()
    }

    /// The value of an expression of a tree that stands in a scope.
    pub(crate) fn expression_in(
        &self,
        place: &Place,
        tree: &Green,
        ex: crate::tvmscript::ast::Ex,
    ) -> Value {
        let ast = self.ast(tree);
        let frame = Session::static_frame(place);
        self.kept(Cx { ast: &ast, tree, frame: &frame }, ex)
    }

    /// The frame of a statement by itself.
    pub(super) fn static_frame(place: &Place) -> Rc<Frame> {
        Rc::new(Frame {
            vars: RefCell::default(),
            outer: None,
            closure: Arc::from([]),
            place: place.clone(),
            kind: FrameKind::Static,
        })
    }

    /// The meaning of the name that an assignment gives a value.
    fn assigned(&self, place: &Place, green: &Green, name: &str) -> Capture {
        let unknown = || Capture::Unknown(Unknown::new(NOT_READ));
        let ast = self.ast(green);
        let frame = Session::static_frame(place);
        let cx = Cx { ast: &ast, tree: green, frame: &frame };
        let Some(&statement) = ast.root.first() else { return unknown() };
        let (targets, value) = match ast.stmt(statement).kind {
            StKind::Assign { targets, value } => (ast.exs(targets).to_vec(), value),
            StKind::AnnAssign { target, value: Some(value), .. } => (vec![target], value),
            _ => return unknown(),
        };
        let is_name = |it: &&crate::tvmscript::ast::Ex| match *ast.kind(**it) {
            ExKind::Name(it) => it == name,
            _ => false,
        };
        if let Some(dtype) = self.symbol_type(cx, value) {
            return Capture::TypeVar(dtype);
        }
        if targets.iter().any(|it| is_name(&it)) {
            if let ExKind::Name(other) = *ast.kind(value) {
                // Another name of what has no value here: a macro, a dialect.
                let capture = self.resolve(place, other, true).0;
                if !matches!(capture, Capture::Undefined) {
                    return capture;
                }
            }
            return capture_of(self.kept(cx, value));
        }
        let value = self.eval(cx, value);
        for target in targets {
            if self.assign(cx, target, value.clone()).is_err() {
                return unknown();
            }
            if let Some(it) = frame.vars.borrow().get(name) {
                return capture_of(it.clone());
            }
        }
        unknown()
    }

    /// The type of the symbols that a call makes: `TypeVar("n")`, `T.dynamic("m, n", "int64")`; none if it makes none.
    fn symbol_type(&self, cx: Cx<'_, '_>, value: crate::tvmscript::ast::Ex) -> Option<DataType> {
        let ExKind::Call { callee, args } = *cx.ast.kind(value) else { return None };
        let Value::Path(path) = self.eval(cx, callee) else { return None };
        if &*path == "typing.TypeVar" {
            return Some(DataType::INT64);
        }
        let (module, name) = path.rsplit_once('.')?;
        if namespace(module) != Some(Namespace::TileLang) || !matches!(name, "dynamic" | "symbolic")
        {
            return None;
        }
        let Some(dtype) = cx.ast.args(args).get(1) else { return Some(DataType::INT32) };
        match self.eval(cx, dtype.value) {
            Value::Str(it) => DataType::parse(&it),
            Value::Path(it) => DataType::parse(it.rsplit('.').next().unwrap_or_default()),
            _ => None,
        }
    }

    /// A function of the text.
    pub(super) fn function(&self, place: &Place, green: &Green, name: &str) -> Value {
        let ast = self.ast(green);
        let def = ast.root.iter().find_map(|&it| match ast.stmt(it).kind {
            StKind::Def(def) => Some(def),
            _ => None,
        });
        let (Some(def), Some(home)) = (def, self.home_of_child(place, name)) else {
            return not_known(&[]);
        };
        if ast.text.trim_start().starts_with("async") {
            return not_known(&[]);
        }
        let frame = Session::static_frame(place);
        let cx = Cx { ast: &ast, tree: green, frame: &frame };
        let function = Function {
            name: name.into(),
            tree: green.clone(),
            code: Code::Def(def),
            home,
            defaults: self.defaults(cx, def).into(),
            closure: Arc::from([]),
            is_nested: false,
        };
        let function = Value::Function(Arc::new(function));
        self.decorated(cx, &ast.defs[def as usize].decorators, function)
    }

    // ---- imports ----

    /// The meaning of a dotted path that a file imports.
    fn imported(&self, file: &Arc<str>, path: &str) -> Capture {
        let as_path = || Capture::Path(path.into());
        if !is_followed(path) {
            return as_path();
        }
        if let Some((module, name)) = path.rsplit_once('.') {
            // `from . import name`: the dots are the module.
            let name_start = path.len() - name.len();
            let module = if module.is_empty() || module.ends_with('.') {
                &path[..name_start]
            } else {
                module
            };
            if let Some(found) = self.context.modules.module(file, module) {
                // In `__init__.py`, `from . import name` is about the package itself.
                let is_own = found == *file;
                if let Some(it) = self.context.modules.module(file, path).filter(|_| is_own) {
                    return Capture::Constant(Value::Module(it));
                }
                if let Some(capture) = self.exported(&found, name, path) {
                    return capture;
                }
            }
        }
        match self.context.modules.module(file, path) {
            Some(module) => Capture::Constant(Value::Module(module)),
            None => as_path(),
        }
    }

    /// The meaning of a name that a module has.
    fn exported(&self, module: &Arc<str>, name: &str, path: &str) -> Option<Capture> {
        let place = Place { file: module.clone(), scope: MODULE };
        let (capture, home) = self.resolve(&place, name, true);
        home?;
        Some(match capture {
            Capture::Undefined => return None,
            Capture::Function(_) | Capture::Module => Capture::Path(path.into()),
            capture => capture,
        })
    }

    /// The meaning that `from m import *` in a scope gives a name; none if no module offers it. The last one decides.
    fn starred(&self, scopes: &Scopes, place: &Place, name: &str) -> Option<Capture> {
        for path in scopes.stars(place.scope).iter().rev() {
            let followed = Some(path).filter(|it| is_followed(it));
            match followed.and_then(|it| self.context.modules.module(&place.file, it)) {
                Some(module) => {
                    if let Some(capture) = self.offered(&module, name) {
                        return Some(capture);
                    }
                }
                None if predefined(name).is_none() => return Some(may_be_starred(name)),
                None => {}
            }
        }
        None
    }

    /// The meaning of a name that a module offers to `from m import *`, found once for all that ask.
    fn offered(&self, module: &Arc<str>, name: &str) -> Option<Capture> {
        let key = (module.clone(), Box::from(name));
        // In a circle it depends on which module is executed first.
        let not_said = || predefined(name).is_none().then(|| may_be_starred(name));
        if let Some(known) = self.offers.borrow().get(&key) {
            return known.clone().unwrap_or_else(not_said);
        }
        let depth = self.definitions.get();
        if depth >= MAX_DEFINITIONS || self.stopped().is_some() {
            return not_said();
        }
        self.charge(1);
        self.definitions.set(depth + 1);
        self.offers.borrow_mut().insert(key.clone(), None);
        let capture = ir::stack::with_room(|| self.offer(module, name));
        self.offers.borrow_mut().insert(key, Some(capture.clone()));
        self.definitions.set(depth);
        capture
    }

    fn offer(&self, module: &Arc<str>, name: &str) -> Option<Capture> {
        let scopes = self.scopes(module)?;
        let path = format!(".{name}");
        if scopes.own(MODULE, "__all__").is_none() {
            return self.exported(module, name, &path).filter(|_| !name.starts_with('_'));
        }
        let names = match self.exported(module, "__all__", "__all__") {
            Some(Capture::Constant(it)) if it.is_plain() => it,
            _ => return self.exported(module, name, &path).map(|_| may_be_starred(name)),
        };
        let is_it = |it: &Value| matches!(it, Value::Str(it) if **it == *name);
        names.items().is_some_and(|it| it.iter().any(is_it)).then_some(())?;
        self.exported(module, name, &path).or_else(|| {
            let submodule = self.context.modules.module(module, &path)?;
            Some(Capture::Constant(Value::Module(submodule)))
        })
    }

    /// A name of a module.
    pub(super) fn module_member(&self, module: &Arc<str>, name: &str) -> Value {
        let submodule = format!(".{name}");
        match self.exported(module, name, &submodule) {
            Some(Capture::Path(_)) => Value::unknown("it is a function of another file"),
            Some(capture) => value_of(capture, name),
            None => match self.context.modules.module(module, &submodule) {
                Some(module) => Value::Module(module),
                None => not_known(&[]),
            },
        }
    }

    // ---- places ----

    pub(super) fn home(&self, place: &Place) -> Option<Home> {
        let (path, ordinal) = self.scopes(&place.file)?.key(place.scope)?;
        Some(Home { file: place.file.clone(), path, ordinal })
    }

    /// The scope of a function or class that stands in a scope, if it is the only one of its name there.
    pub(super) fn home_of_child(&self, place: &Place, name: &str) -> Option<Home> {
        let scopes = self.scopes(&place.file)?;
        let scope = scopes.child(place.scope, name)?;
        self.home(&Place { file: place.file.clone(), scope })
    }
}

/// A name that is bound where its value is not seen.
fn hidden(name: &str) -> Unknown {
    Unknown::new(format!("`{name}` is {}", discover::NOT_READ))
}

/// A name that a module may bind of which nothing is known.
fn may_be_starred(name: &str) -> Capture {
    Capture::Unknown(Unknown::new(format!("`{name}` may be imported by `from … import *`")))
}

/// Modules whose functions have a meaning here, or none.
fn is_followed(path: &str) -> bool {
    const OWN: [&str; 12] = [
        "tvm.script",
        "tvm.tir",
        "tvm.tirx",
        "math",
        "functools",
        "itertools",
        "operator",
        "typing",
        "enum",
        "dataclasses",
        "builtins",
        "tvm.runtime",
    ];
    path != "tvm"
        && !OWN.iter().any(|it| {
            path.strip_prefix(it).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
        })
}

/// The meaning of a value for a kernel.
pub(super) fn capture_of(value: Value) -> Capture {
    match value {
        Value::Path(path) => match namespace(&path) {
            Some(it) => Capture::Namespace(it),
            None => Capture::Path(path),
        },
        Value::Unknown(it) => Capture::Unknown(it),
        value => Capture::Constant(settled(value)),
    }
}

/// The value of what a name means.
pub(super) fn value_of(capture: Capture, name: &str) -> Value {
    use crate::tvmscript::environment::Namespace as N;
    match capture {
        Capture::Constant(value) => value,
        Capture::Path(path) => Value::Path(path),
        Capture::Namespace(space) => Value::Path(Box::from(match space {
            N::Tirx => "tvm.script.tirx",
            N::Tir => "tvm.script.tir",
            N::Ir => "tvm.script.ir",
            N::Relax => "tvm.script.relax",
            N::Tile => "tvm.script.tirx.tile",
            N::TileLang => "tilelang.language",
        })),
        Capture::Unknown(it) => Value::Unknown(it),
        Capture::Undefined => Value::unknown(format!("`{name}` is not defined")),
        Capture::Macro { .. } | Capture::Function(_) | Capture::Module => {
            Value::unknown(format!("`{name}` is a part of a kernel"))
        }
        Capture::TypeVar(_) => Value::unknown(format!("`{name}` is a shape variable")),
    }
}
