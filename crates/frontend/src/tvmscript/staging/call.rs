//! Calls: of functions whose text is here, of classes, of methods, of functions of Python.

use std::{
    cell::{Cell, RefCell},
    rc::Rc,
    sync::Arc,
};

use rustc_hash::FxHashMap;

use super::{
    eval::{not_known, reason, settled},
    exec::Flow,
    function::{Class, ClassKind, Code, Function},
    session::{Cx, Frame, FrameKind, Session},
    value::{Fields, Items, Unknown, Value},
};
use crate::tvmscript::ast::{Ast, Ex, ExKind, ParamNode, Run};

/// The values that a call gives.
pub(super) struct Args {
    pub(super) positional: Vec<Value>,
    pub(super) keywords: Vec<(Box<str>, Value)>,
}

impl Args {
    /// A positional argument, or the one of a name.
    pub(super) fn get(&self, index: usize, name: &str) -> Option<&Value> {
        self.positional.get(index).or_else(|| self.keyword(name))
    }

    pub(super) fn keyword(&self, name: &str) -> Option<&Value> {
        self.keywords.iter().find(|it| &*it.0 == name).map(|it| &it.1)
    }

    fn all(&self) -> impl Iterator<Item = &Value> {
        self.positional.iter().chain(self.keywords.iter().map(|it| &it.1))
    }
}

impl Session<'_> {
    pub(super) fn call(&self, cx: Cx<'_, '_>, callee: Ex, args: Run) -> Value {
        if let ExKind::Attr { base, name, .. } = *cx.ast.kind(callee)
            && let Some(value) = self.changing_method(cx, base, name, args)
        {
            return value;
        }
        let function = self.eval(cx, callee);
        match self.arguments(cx, args) {
            Ok(args) => self.call_value(&function, args),
            Err(it) => Value::Unknown(it),
        }
    }

    pub(super) fn arguments(&self, cx: Cx<'_, '_>, args: Run) -> Result<Args, Unknown> {
        let mut positional = Vec::new();
        let mut keywords: Vec<(Box<str>, Value)> = Vec::new();
        for arg in cx.ast.args(args) {
            let value = arg.value;
            match (arg.keyword, cx.ast.kind(value)) {
                (Some((name, _)), _) => keywords.push((name.into(), self.kept(cx, value))),
                (None, _) if arg.is_splat => {
                    let value = self.eval(cx, value);
                    let Value::Dict(items) = &value else { return Err(reason(&[value])) };
                    for pair in items.chunks_exact(2) {
                        let Value::Str(name) = &pair[0] else { return Err(reason(&[])) };
                        keywords.push((name.clone(), pair[1].clone()));
                    }
                }
                (None, ExKind::Star(inner)) => {
                    positional.extend(self.iterate(&self.eval(cx, *inner))?);
                }
                _ => positional.push(self.eval(cx, value)),
            }
            if let Some(it) = self.stopped() {
                return Err(it);
            }
        }
        Ok(Args { positional, keywords })
    }

    pub(super) fn call_value(&self, function: &Value, args: Args) -> Value {
        match function {
            Value::Path(path) => self.call_path(path, &args),
            Value::Function(it) => {
                let positional = args.positional.into_iter().map(settled).collect();
                self.call_function(it, positional, args.keywords)
            }
            Value::Class(it) => self.instance(it, args),
            Value::Bound(name, receiver) => self.call_bound(name, receiver, args),
            Value::Partial(first, named) => {
                let Some((function, given)) = first.split_first() else { return not_known(&[]) };
                let positional = given.iter().cloned().chain(args.positional).collect();
                let mut keywords = args.keywords;
                for (name, value) in named.iter() {
                    if !keywords.iter().any(|it| &*it.0 == name) {
                        keywords.push((name.into(), value.clone()));
                    }
                }
                self.deeper(|| self.call_value(function, Args { positional, keywords }))
            }
            Value::Instance(class, _) => match class.member("__call__") {
                Some(Value::Function(it)) => {
                    let first = [function.clone()].into_iter();
                    let positional = first.chain(args.positional.into_iter().map(settled));
                    self.call_function(it, positional.collect(), args.keywords)
                }
                _ => not_known(&[]),
            },
            Value::Unknown(it) => {
                self.passed_on(&args);
                Value::Unknown(it.of_kind(super::value::Kind::Any))
            }
            _ => not_known(&[]),
        }
    }

    /// Notes that something that is not known got arguments: it may change them.
    pub(super) fn passed_on(&self, args: &Args) {
        let is_code = |it: &Value| matches!(it, Value::Function(it) if it.is_nested);
        if args.all().any(|it| it.is_mutable() || is_code(it)) {
            self.invalidate(
                "something that can be changed is passed to a function that is not known",
            );
        }
    }

    // ---- functions whose text is here ----

    pub(super) fn call_function(
        &self,
        function: &Arc<Function>,
        positional: Vec<Value>,
        keywords: Vec<(Box<str>, Value)>,
    ) -> Value {
        let given = positional.iter().chain(keywords.iter().map(|it| &it.1));
        let may_change = function.is_nested || given.into_iter().any(Value::is_mutable);
        let is_stopped = Cell::new(true);
        let run = || self.run(function, positional, keywords, &is_stopped);
        let value = self.in_call(|| self.deeper(run));
        // Half of what it does may have been done.
        if is_stopped.get()
            && may_change
            && let Value::Unknown(it) = &value
        {
            self.invalidate(&it.reason);
        }
        value
    }

    fn run(
        &self,
        function: &Arc<Function>,
        positional: Vec<Value>,
        keywords: Vec<(Box<str>, Value)>,
        is_stopped: &Cell<bool>,
    ) -> Value {
        let ast = self.ast(&function.tree);
        let Some(place) = self.place(&function.home) else { return not_known(&[]) };
        let (params, body) = match function.code {
            Code::Def(def) => match ast.defs.get(def as usize) {
                Some(def) => (&def.params[..], Ok(def.body)),
                None => return not_known(&[]),
            },
            Code::Lambda(ex) => match ast.exprs.get(ex as usize).map(|it| &it.kind) {
                Some(ExKind::Lambda { params, body }) => (ast.params(*params), Err(*body)),
                _ => return not_known(&[]),
            },
        };
        let bound = match bind(params, &function.defaults, positional, keywords) {
            Some(vars) => vars,
            None => return Value::unknown(format!("`{}` does not take these", function.name)),
        };
        let outer = self.frame_of(function);
        let frame = Rc::new(Frame {
            vars: RefCell::new(bound),
            closure: if outer.is_some() { Arc::from([]) } else { function.closure.clone() },
            outer,
            place,
            kind: match function.code {
                Code::Def(_) => FrameKind::Function,
                Code::Lambda(_) => FrameKind::Inner,
            },
        });
        let cx = Cx { ast: &ast, tree: &function.tree, frame: &frame };
        match body {
            Err(ex) => {
                is_stopped.set(false);
                self.eval(cx, ex)
            }
            Ok(run) => {
                if is_no_plain_function(&ast, run) {
                    return Value::unknown("it is computed by a generator");
                }
                let flow = self.statements(cx, run);
                is_stopped.set(matches!(flow, Flow::Stop(_)));
                match flow {
                    Flow::Return(value) => value,
                    Flow::Stop(it) => Value::Unknown(it),
                    Flow::Next => Value::None,
                    Flow::Break | Flow::Continue => not_known(&[]),
                }
            }
        }
    }

    // ---- methods ----

    fn call_bound(&self, name: &str, receiver: &Items, args: Args) -> Value {
        match &receiver[..] {
            // A method of a class, or of an object of one.
            [object, Value::Function(function)] => {
                let first = [object.clone()].into_iter();
                let positional = first.chain(args.positional.into_iter().map(settled));
                self.call_function(function, positional.collect(), args.keywords)
            }
            [object] => self.method(object, name, &args),
            _ => not_known(&[]),
        }
    }

    // ---- objects ----

    /// An object of a class.
    fn instance(&self, class: &Arc<Class>, args: Args) -> Value {
        let positional: Vec<Value> = args.positional.into_iter().map(settled).collect();
        let keywords = args.keywords;
        match class.kind {
            ClassKind::Enum { .. } => match &positional[..] {
                [value] => self.member_of_value(class, value),
                _ => not_known(&[]),
            },
            ClassKind::Data { .. } | ClassKind::NamedTuple
                if class.member("__init__").is_none() =>
            {
                let Some(fields) = fields_of(class, positional, keywords) else {
                    return Value::unknown(format!("`{}` does not take these", class.name));
                };
                let object = Value::Instance(class.clone(), fields.into()).bounded();
                match class.member("__post_init__") {
                    Some(Value::Function(it)) => {
                        self.initialized(it, object, Vec::new(), Vec::new())
                    }
                    _ => object,
                }
            }
            _ => {
                let object = Value::Instance(class.clone(), Fields::default());
                match class.member("__init__") {
                    Some(Value::Function(it)) => self.initialized(it, object, positional, keywords),
                    None if positional.is_empty() && keywords.is_empty() => object,
                    _ => not_known(&[]),
                }
            }
        }
    }

    /// An object after its `__init__`, which alone has it.
    fn initialized(
        &self,
        init: &Arc<Function>,
        object: Value,
        positional: Vec<Value>,
        keywords: Vec<(Box<str>, Value)>,
    ) -> Value {
        let ast = self.ast(&init.tree);
        let Code::Def(def) = init.code else { return not_known(&[]) };
        let Some(place) = self.place(&init.home) else { return not_known(&[]) };
        let Some(def) = ast.defs.get(def as usize) else { return not_known(&[]) };
        let Some(this) = def.params.first() else { return not_known(&[]) };
        let positional = [object].into_iter().chain(positional).collect();
        let Some(bound) = bind(&def.params, &init.defaults, positional, keywords) else {
            return Value::unknown(format!("`{}` does not take these", init.name));
        };
        self.in_call(|| {
            self.deeper(|| {
                let frame = Rc::new(Frame {
                    vars: RefCell::new(bound),
                    outer: None,
                    closure: init.closure.clone(),
                    place,
                    kind: FrameKind::Function,
                });
                let cx = Cx { ast: &ast, tree: &init.tree, frame: &frame };
                match self.statements(cx, def.body) {
                    Flow::Stop(it) => Value::Unknown(it),
                    Flow::Next | Flow::Return(Value::None) => {
                        let object = frame.vars.borrow_mut().remove(this.name);
                        object.unwrap_or_else(|| not_known(&[]))
                    }
                    _ => not_known(&[]),
                }
            })
        })
    }
}

/// Returns true if a call of a function does not execute its text.
fn is_no_plain_function(ast: &Ast<'_>, body: Run) -> bool {
    let (Some(first), Some(last)) = (ast.sts(body).first(), ast.sts(body).last()) else {
        return false;
    };
    let range = ast.stmt(*first).range.cover(ast.stmt(*last).range);
    let text = ast.text.get(std::ops::Range::<usize>::from(range)).unwrap_or_default();
    text.contains("yield") || text.contains("await")
}

/// The variables that a call begins with: `None` if the function does not take the arguments.
fn bind(
    params: &[ParamNode<'_>],
    defaults: &[(Box<str>, Value)],
    positional: Vec<Value>,
    mut keywords: Vec<(Box<str>, Value)>,
) -> Option<FxHashMap<Box<str>, Value>> {
    let mut vars = FxHashMap::default();
    let mut positional = positional.into_iter();
    let mut is_keyword_only = false;
    for param in params {
        if param.is_slash {
            continue;
        }
        if param.is_double {
            let mut rest = Vec::new();
            for (name, value) in std::mem::take(&mut keywords) {
                rest.extend([Value::Str(name), value]);
            }
            vars.insert(param.name.into(), Value::Dict(rest.into()));
            continue;
        }
        if param.is_star {
            is_keyword_only = true;
            if !param.name.is_empty() {
                vars.insert(param.name.into(), Value::Tuple(positional.by_ref().collect()));
            }
            continue;
        }
        let named = keywords.iter().position(|it| &*it.0 == param.name);
        let given = if is_keyword_only { None } else { positional.next() };
        let value = match (given, named) {
            (Some(_), Some(_)) => return None,
            (Some(value), None) => value,
            (None, Some(at)) => keywords.remove(at).1,
            (None, None) => defaults.iter().find(|it| &*it.0 == param.name)?.1.clone(),
        };
        vars.insert(param.name.into(), value);
    }
    (positional.next().is_none() && keywords.is_empty()).then_some(vars)
}

/// The fields of an object of a dataclass.
fn fields_of(
    class: &Class,
    positional: Vec<Value>,
    mut keywords: Vec<(Box<str>, Value)>,
) -> Option<Vec<(Box<str>, Value)>> {
    let mut positional = positional.into_iter();
    let mut fields = Vec::with_capacity(class.fields.len());
    for (name, default) in class.fields.iter() {
        let named = keywords.iter().position(|it| it.0 == *name);
        let value = match (positional.next(), named) {
            (Some(_), Some(_)) => return None,
            (Some(value), None) => value,
            (None, Some(at)) => keywords.remove(at).1,
            (None, None) => default.clone()?,
        };
        fields.push((name.clone(), value));
    }
    (positional.next().is_none() && keywords.is_empty()).then_some(fields)
}
