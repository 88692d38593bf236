//! Classes: dataclasses, enumerations, and classes whose objects have the fields that their `__init__` sets.
//!
//! A class that may do anything else when an object is made, read or compared (a metaclass, `__getattr__`, a decorator
//! that is not known, a base that is not known) is unknown.

use std::{rc::Rc, sync::Arc};

use syntax::Green;

use super::{
    eval::{NOT_READ, not_known, reason},
    function::{Class, ClassKind, Code, Function, Home},
    methods::attribute_of_unknown,
    operators,
    session::{Cx, Frame, Place, Session},
    value::{Fields, Kind, Unknown, Value},
};
use crate::tvmscript::{
    ast::{ClassNode, Ex, ExKind, StKind},
    environment::Namespace,
    vocabulary,
    vocabulary::namespace,
};

/// Methods that change what reading an object means.
const HOOKS: [&str; 8] = [
    "__getattr__",
    "__getattribute__",
    "__new__",
    "__init_subclass__",
    "__class_getitem__",
    "__get__",
    "__set_name__",
    "_missing_",
];

/// A class while its body is read.
struct UnfinishedClass {
    kind: ClassKind,
    members: Vec<(Box<str>, Value)>,
    fields: Vec<(Box<str>, Option<Value>)>,
    properties: Vec<Box<str>>,
    statics: Vec<(Box<str>, bool)>,
}

impl Session<'_> {
    /// A class of the text.
    pub(super) fn class(&self, place: &Place, green: &Green, name: &str) -> Value {
        let ast = self.ast(green);
        let frame = Session::static_frame(place);
        let cx = Cx { ast: &ast, tree: green, frame: &frame };
        let (Some(node), Some(home)) = (ast.class(), self.home_of_child(place, name)) else {
            return not_known(&[]);
        };
        match self.read_class(cx, node, &home) {
            Ok(class) => Value::Class(Arc::new(class)),
            Err(it) => Value::Unknown(it),
        }
    }

    fn read_class(
        &self,
        cx: Cx<'_, '_>,
        node: &ClassNode<'_>,
        home: &Home,
    ) -> Result<Class, Unknown> {
        let mut draft = self.bases(cx, node)?;
        for &it in &node.decorators {
            draft.kind = self.data_decorator(cx, it, draft.kind)?;
        }
        for &st in cx.ast.sts(node.body) {
            match cx.ast.stmt(st).kind {
                StKind::Pass => {}
                StKind::Expr(ex)
                    if matches!(cx.ast.kind(ex), ExKind::Str(_) | ExKind::Ellipsis) => {}
                StKind::Assign { targets, value } => {
                    let [target] = *cx.ast.exs(targets) else { return Err(reason(&[])) };
                    let ExKind::Name(name) = *cx.ast.kind(target) else { return Err(reason(&[])) };
                    let value = self.class_value(cx, &draft, value);
                    set(cx.frame, &mut draft, name, value);
                }
                StKind::AnnAssign { target, annotation, value } => {
                    let ExKind::Name(name) = *cx.ast.kind(target) else { return Err(reason(&[])) };
                    self.annotated(cx, &mut draft, name, annotation, value)?;
                }
                StKind::Def(def) => self.method_of(cx, &mut draft, def, home)?,
                StKind::Class(class) => {
                    let name = cx.ast.classes[class as usize].name;
                    set(cx.frame, &mut draft, name, not_known(&[]));
                }
                _ => return Err(Unknown::new(NOT_READ)),
            }
        }
        Ok(Class {
            name: node.name.into(),
            kind: draft.kind,
            home: home.clone(),
            members: draft.members.into(),
            fields: draft.fields.into(),
            properties: draft.properties.into(),
            statics: draft.statics.into(),
        })
    }

    fn bases(&self, cx: Cx<'_, '_>, node: &ClassNode<'_>) -> Result<UnfinishedClass, Unknown> {
        let mut draft = UnfinishedClass {
            kind: ClassKind::Plain,
            members: Vec::new(),
            fields: Vec::new(),
            properties: Vec::new(),
            statics: Vec::new(),
        };
        let mut is_str = false;
        for arg in cx.ast.args(node.args) {
            if arg.keyword.is_some() || arg.is_splat {
                return Err(Unknown::new(NOT_READ));
            }
            match self.eval(cx, arg.value) {
                Value::Path(path) => match &*path {
                    "builtins.object" | "typing.Generic" | "typing.Protocol" | "abc.ABC" => {}
                    "builtins.str" => is_str = true,
                    "builtins.int" => {}
                    "enum.Enum" => draft.kind = ClassKind::Enum { is_int: false, is_str },
                    "enum.IntEnum" => {
                        draft.kind = ClassKind::Enum { is_int: true, is_str: false };
                    }
                    "enum.StrEnum" => {
                        draft.kind = ClassKind::Enum { is_int: false, is_str: true };
                    }
                    "typing.NamedTuple" => draft.kind = ClassKind::NamedTuple,
                    _ => return Err(Unknown::new(format!("its base `{path}` is not evaluated"))),
                },
                Value::Class(base) if draft.members.is_empty() => {
                    draft.kind = base.kind;
                    draft.members = base.members.to_vec();
                    draft.fields = base.fields.to_vec();
                    draft.properties = base.properties.to_vec();
                    draft.statics = base.statics.to_vec();
                }
                other => return Err(reason(&[other])),
            }
        }
        if is_str && !matches!(draft.kind, ClassKind::Enum { .. }) {
            return Err(Unknown::new(NOT_READ));
        }
        Ok(draft)
    }

    /// `@dataclass`, `@dataclasses.dataclass(frozen=True)`, `@enum.unique`
    fn data_decorator(
        &self,
        cx: Cx<'_, '_>,
        decorator: Ex,
        kind: ClassKind,
    ) -> Result<ClassKind, Unknown> {
        let (callee, args) = match *cx.ast.kind(decorator) {
            ExKind::Call { callee, args } => (callee, cx.ast.args(args)),
            _ => (decorator, &[][..]),
        };
        match self.eval(cx, callee) {
            Value::Path(path) if &*path == "dataclasses.dataclass" => {
                let mut is_frozen = false;
                for arg in args {
                    let value = self.eval(cx, arg.value);
                    match (arg.keyword.map(|it| it.0), value) {
                        (Some("frozen"), Value::Bool(it)) => is_frozen = it,
                        (Some("init" | "eq"), Value::Bool(true)) => {}
                        (Some("slots" | "repr" | "unsafe_hash" | "match_args"), _) => {}
                        _ => return Err(Unknown::new(NOT_READ)),
                    }
                }
                Ok(ClassKind::Data { is_frozen })
            }
            Value::Path(path) if &*path == "enum.unique" => Ok(kind),
            _ => {
                let range = std::ops::Range::<usize>::from(cx.ast.range(decorator));
                let text = cx.ast.text.get(range).unwrap_or_default();
                Err(Unknown::new(format!("it is decorated by `{text}`")))
            }
        }
    }

    fn class_value(&self, cx: Cx<'_, '_>, draft: &UnfinishedClass, value: Ex) -> Value {
        match self.kept(cx, value) {
            // One more than the last.
            Value::Path(path) if &*path == "enum.auto()" => {
                let last = draft.members.iter().rev().find_map(|it| match &it.1 {
                    Value::Int(it) => Some(*it),
                    _ => None,
                });
                Value::Int(last.unwrap_or(0).saturating_add(1))
            }
            value => value,
        }
    }

    fn annotated(
        &self,
        cx: Cx<'_, '_>,
        draft: &mut UnfinishedClass,
        name: &str,
        annotation: Ex,
        value: Option<Ex>,
    ) -> Result<(), Unknown> {
        let is_data = matches!(draft.kind, ClassKind::Data { .. } | ClassKind::NamedTuple);
        if let Some((head, rest)) = cx.ast.dotted(match *cx.ast.kind(annotation) {
            ExKind::Subscript { base, .. } => base,
            _ => annotation,
        }) {
            let last = rest.last().copied().unwrap_or(head);
            match last {
                "ClassVar" if value.is_none() => return Ok(()),
                "ClassVar" => {
                    let value = value.map_or(Value::None, |it| self.kept(cx, it));
                    set(cx.frame, draft, name, value);
                    return Ok(());
                }
                "InitVar" | "KW_ONLY" => return Err(Unknown::new(NOT_READ)),
                _ => {}
            }
        }
        let default = match value {
            Some(value) => Some(self.field_default(cx, value)?),
            None => None,
        };
        let default = default.flatten();
        if is_data {
            match draft.fields.iter_mut().find(|it| *it.0 == *name) {
                Some(field) => field.1 = default.clone(),
                None => draft.fields.push((name.into(), default.clone())),
            }
        }
        if let Some(value) = default {
            set(cx.frame, draft, name, value);
        }
        Ok(())
    }

    /// The default of a field: `field(default=4)`, `field(default_factory=list)`, or the value itself.
    fn field_default(&self, cx: Cx<'_, '_>, value: Ex) -> Result<Option<Value>, Unknown> {
        let ExKind::Call { callee, args } = *cx.ast.kind(value) else {
            return Ok(Some(self.kept(cx, value)));
        };
        if !matches!(self.eval(cx, callee), Value::Path(it) if &*it == "dataclasses.field") {
            return Ok(Some(self.kept(cx, value)));
        }
        let mut default = None;
        for arg in cx.ast.args(args) {
            match arg.keyword.map(|it| it.0) {
                Some("default") => default = Some(self.kept(cx, arg.value)),
                // Each object has its own.
                Some("default_factory") => {
                    let factory = self.eval(cx, arg.value);
                    let args = super::call::Args { positional: Vec::new(), keywords: Vec::new() };
                    default = Some(self.call_value(&factory, args));
                }
                Some("repr" | "compare" | "hash" | "metadata") => {}
                _ => return Err(Unknown::new(NOT_READ)),
            }
        }
        Ok(default)
    }

    fn method_of(
        &self,
        cx: Cx<'_, '_>,
        draft: &mut UnfinishedClass,
        def: u32,
        home: &Home,
    ) -> Result<(), Unknown> {
        let node = &cx.ast.defs[def as usize];
        if HOOKS.contains(&node.name) {
            return Err(Unknown::new(format!("it has a method `{}`", node.name)));
        }
        let place = self.place(home);
        let inner = place.and_then(|it| self.home_of_child(&it, node.name));
        let Some(inner) = inner else {
            set(cx.frame, draft, node.name, not_known(&[]));
            return Ok(());
        };
        let function = Value::Function(Arc::new(Function {
            name: node.name.into(),
            tree: cx.tree.clone(),
            code: Code::Def(def),
            home: inner,
            defaults: self.defaults(cx, def).into(),
            closure: Arc::from([]),
            is_nested: false,
        }));
        let paths: Vec<Value> = node.decorators.iter().map(|&it| self.eval(cx, it)).collect();
        let is_path =
            |path: &str| paths.iter().any(|it| matches!(it, Value::Path(p) if **p == *path));
        draft.properties.retain(|it| **it != *node.name);
        draft.statics.retain(|it| *it.0 != *node.name);
        if is_path("builtins.property") || is_path("functools.cached_property") {
            draft.properties.push(node.name.into());
        }
        if is_path("builtins.staticmethod") || is_path("builtins.classmethod") {
            draft.statics.push((node.name.into(), is_path("builtins.classmethod")));
        }
        let value = self.decorated(cx, &node.decorators, function);
        set(cx.frame, draft, node.name, value);
        Ok(())
    }

    // ---- reading objects ----

    /// The value of `base.name`.
    pub(super) fn attribute(&self, base: &Value, name: &str) -> Value {
        match base {
            // A type of TileLang is equal to its name.
            Value::Path(path)
                if namespace(path) == Some(Namespace::TileLang)
                    && let Some(dtype) = vocabulary::data_type(Namespace::TileLang, name) =>
            {
                Value::Str(dtype.to_string().into())
            }
            Value::Path(path) => path_attribute(path, name),
            Value::Module(module) => self.module_member(module, name),
            Value::Instance(class, fields) => self.field(base, class, fields, name),
            Value::Class(class) => self.class_attribute(base, class, name),
            Value::Range(start, stop, step) => match name {
                "start" => Value::Int(*start),
                "stop" => Value::Int(*stop),
                "step" => Value::Int(*step),
                _ => not_known(&[]),
            },
            Value::Slice(bounds) => {
                let at = ["start", "stop", "step"].iter().position(|it| *it == name);
                at.and_then(|at| bounds.get(at).cloned()).unwrap_or_else(|| not_known(&[]))
            }
            Value::Function(it) if name == "__name__" => Value::Str(it.name.clone()),
            Value::Typed(dtype, _) if name == "dtype" => Value::Str(dtype.clone()),
            Value::Typed(dtype, value) if name == "value" && super::tvm::is_scalar(dtype) => {
                value.first().cloned().unwrap_or_else(|| not_known(&[]))
            }
            Value::Typed(..) if name == "astype" => {
                Value::Bound(name.into(), [base.clone()].into_iter().collect())
            }
            Value::Str(_)
            | Value::Tuple(_)
            | Value::List(_)
            | Value::Dict(_)
            | Value::Set(_)
            | Value::Int(_)
            | Value::Float(_) => Value::Bound(name.into(), [base.clone()].into_iter().collect()),
            Value::Unknown(_) => attribute_of_unknown(base, name),
            _ => not_known(std::slice::from_ref(base)),
        }
    }

    fn field(&self, object: &Value, class: &Arc<Class>, fields: &Fields, name: &str) -> Value {
        if class.is_enum() {
            match name {
                "value" => {
                    return fields.get("_value_").cloned().unwrap_or_else(|| not_known(&[]));
                }
                "name" => return fields.get("_name_").cloned().unwrap_or_else(|| not_known(&[])),
                _ => {}
            }
        }
        if class.properties.iter().any(|it| **it == *name) {
            return match class.member(name) {
                Some(Value::Function(it)) => {
                    self.call_function(it, vec![object.clone()], Vec::new())
                }
                _ => not_known(&[]),
            };
        }
        if let Some(value) = fields.get(name) {
            return value.clone();
        }
        self.bound_member(object, class, name)
    }

    fn bound_member(&self, object: &Value, class: &Arc<Class>, name: &str) -> Value {
        let is_static = class.statics.iter().find(|it| *it.0 == *name).map(|it| it.1);
        match (class.member(name), is_static) {
            (Some(value @ Value::Function(_)), Some(false)) => value.clone(),
            (Some(value @ Value::Function(_)), is_class) => {
                let first = match is_class {
                    Some(_) => Value::Class(class.clone()),
                    None => object.clone(),
                };
                Value::Bound(name.into(), [first, value.clone()].into_iter().collect())
            }
            (Some(value), _) => value.clone(),
            (None, _) => Value::unknown(format!("`{}` has no `{name}` that is known", class.name)),
        }
    }

    fn class_attribute(&self, base: &Value, class: &Arc<Class>, name: &str) -> Value {
        if name == "__name__" {
            return Value::Str(class.name.clone());
        }
        if class.is_enum()
            && let Some(value) = class.member(name)
            && !super::eval::is_code(value)
        {
            let fields =
                vec![("_name_".into(), Value::str(name)), ("_value_".into(), value.clone())];
            return Value::Instance(class.clone(), fields.into());
        }
        match class.statics.iter().find(|it| *it.0 == *name) {
            Some(_) => self.bound_member(base, class, name),
            None => match class.member(name) {
                Some(value) => value.clone(),
                None => Value::unknown(format!("`{}` has no `{name}` that is known", class.name)),
            },
        }
    }

    /// `Color(2)`
    pub(super) fn member_of_value(&self, class: &Arc<Class>, value: &Value) -> Value {
        for (name, member) in class.members.iter() {
            if super::eval::is_code(member) {
                continue;
            }
            match operators::equals(member, value) {
                Some(true) => {
                    return self.class_attribute(&Value::Class(class.clone()), class, name);
                }
                Some(false) => {}
                None => return not_known(&[member.clone(), value.clone()]),
            }
        }
        not_known(&[])
    }
}

/// Sets a member of a class, which the statements after it see as a name.
fn set(frame: &Rc<Frame>, draft: &mut UnfinishedClass, name: &str, value: Value) {
    frame.vars.borrow_mut().insert(name.into(), value.clone());
    draft.members.retain(|it| *it.0 != *name);
    draft.members.push((name.into(), value));
}

/// An attribute of a module or class of Python.
fn path_attribute(path: &str, name: &str) -> Value {
    match (path, name) {
        ("math", "pi") => Value::float(std::f64::consts::PI),
        ("math", "e") => Value::float(std::f64::consts::E),
        ("math", "tau") => Value::float(std::f64::consts::TAU),
        ("math", "inf") => Value::float(f64::INFINITY),
        ("math", "nan") => Value::float(f64::NAN),
        ("sys", "maxsize") => Value::Int(i128::from(i64::MAX)),
        _ if path.len() > 256 => Value::Unknown(Unknown::new(NOT_READ).of_kind(Kind::Any)),
        _ => Value::Path(format!("{path}.{name}").into()),
    }
}
