//! Statements of helpers, in order: a small interpreter of plain Python.

use std::{rc::Rc, sync::Arc};

use syntax::SyntaxKind;

use super::{
    eval::{NOT_READ, not_known, reason, settled},
    function::{Code, Function},
    operators,
    session::{Cx, Frame, FrameKind, Session},
    value::{Items, Unknown, Value},
};
use crate::tvmscript::ast::{Ast, Ex, ExKind, Run, St, StKind};

/// Where control goes after a statement.
pub(super) enum Flow {
    Next,
    Break,
    Continue,
    Return(Value),
    /// Not known, or Python stops with an error.
    Stop(Unknown),
}

impl Session<'_> {
    pub(super) fn statements(&self, cx: Cx<'_, '_>, run: Run) -> Flow {
        for &st in cx.ast.sts(run) {
            self.charge(1);
            if let Some(it) = self.stopped() {
                return Flow::Stop(it);
            }
            match ir::stack::with_room(|| self.statement(cx, st)) {
                Flow::Next => {}
                other => return other,
            }
        }
        Flow::Next
    }

    pub(super) fn statement(&self, cx: Cx<'_, '_>, st: St) -> Flow {
        let done = match cx.ast.stmt(st).kind {
            StKind::Expr(ex) => {
                self.eval(cx, ex);
                Ok(())
            }
            StKind::Assign { targets, value } => {
                let value = match *cx.ast.exs(targets) {
                    // What is taken apart at once is read once.
                    [target] if !matches!(cx.ast.kind(target), ExKind::Name(_)) => {
                        self.eval(cx, value)
                    }
                    _ => self.kept(cx, value),
                };
                let mut targets = cx.ast.exs(targets).iter();
                targets.try_for_each(|&it| self.assign(cx, it, value.clone()))
            }
            StKind::AnnAssign { target, value: Some(value), .. } => {
                let value = self.kept(cx, value);
                self.assign(cx, target, value)
            }
            StKind::AnnAssign { .. } | StKind::Pass | StKind::Import => Ok(()),
            StKind::AugAssign { target, op, value } => self.augment(cx, target, op, value),
            StKind::Return(None) => return Flow::Return(Value::None),
            StKind::Return(Some(value)) => return Flow::Return(self.kept(cx, value)),
            StKind::Assert { condition, .. } => {
                let condition = self.eval(cx, condition);
                match operators::truth_of(&condition) {
                    Some(false) => Err(Unknown::new("an assertion before it does not hold")),
                    _ => Ok(()),
                }
            }
            StKind::Break => return Flow::Break,
            StKind::Continue => return Flow::Continue,
            StKind::If { condition, then, otherwise } => {
                let condition = self.eval(cx, condition);
                return match operators::truth_of(&condition) {
                    Some(true) => self.statements(cx, then),
                    Some(false) => self.statements(cx, otherwise),
                    // Were it raised, there would be no kernel.
                    None if raises(cx.ast, then) => self.statements(cx, otherwise),
                    None if raises(cx.ast, otherwise) => self.statements(cx, then),
                    None => Flow::Stop(reason(&[condition])),
                };
            }
            StKind::While { condition, body, otherwise } => {
                return self.while_loop(cx, condition, body, otherwise);
            }
            StKind::For { target, iterable, body, otherwise } => {
                return self.for_loop(cx, (target, iterable), body, otherwise);
            }
            StKind::Def(def) => self.nested(cx, def),
            StKind::Raise => Err(Unknown::new("an error is raised before it")),
            StKind::Class(_) | StKind::With { .. } | StKind::Other | StKind::Error(_) => {
                Err(Unknown::new(NOT_READ))
            }
        };
        match done {
            Ok(()) => Flow::Next,
            Err(it) => Flow::Stop(it),
        }
    }

    fn while_loop(&self, cx: Cx<'_, '_>, condition: Ex, body: Run, otherwise: Run) -> Flow {
        loop {
            self.charge(1);
            if let Some(it) = self.stopped() {
                return Flow::Stop(it);
            }
            let condition = self.eval(cx, condition);
            match operators::truth_of(&condition) {
                Some(true) => {}
                Some(false) => return self.statements(cx, otherwise),
                None => return Flow::Stop(reason(&[condition])),
            }
            match self.statements(cx, body) {
                Flow::Next | Flow::Continue => {}
                Flow::Break => return Flow::Next,
                other => return other,
            }
        }
    }

    fn for_loop(
        &self,
        cx: Cx<'_, '_>,
        (target, iterable): (Ex, Ex),
        body: Run,
        otherwise: Run,
    ) -> Flow {
        // Kept, so that a list that its own loop changes is not taken for an unshared one.
        let iterable = self.eval(cx, iterable);
        let items = match self.iterate(&iterable) {
            Ok(items) => items,
            Err(it) => return Flow::Stop(it),
        };
        for item in items {
            if let Err(it) = self.assign(cx, target, item) {
                return Flow::Stop(it);
            }
            match self.statements(cx, body) {
                Flow::Next | Flow::Continue => {}
                Flow::Break => return Flow::Next,
                other => return other,
            }
        }
        drop(iterable);
        self.statements(cx, otherwise)
    }

    // ---- assignments ----

    /// Gives the names in a target their values.
    pub(super) fn assign(&self, cx: Cx<'_, '_>, target: Ex, value: Value) -> Result<(), Unknown> {
        ir::stack::with_room(|| match *cx.ast.kind(target) {
            ExKind::Name(name) => {
                cx.frame.vars.borrow_mut().insert(name.into(), settled(value));
                Ok(())
            }
            ExKind::Tuple(run) | ExKind::List(run) => self.unpack(cx, run, value),
            ExKind::Attr { base, name, .. } => {
                let done = self.change(cx, base, &mut |_, object| match object {
                    Value::Instance(class, fields) if !class.is_frozen() => {
                        class.member("__setattr__").is_none()
                            && !class.properties.iter().any(|it| **it == *name)
                            && fields.set(name, settled(value.clone()))
                    }
                    _ => false,
                });
                self.or_spoil(done)
            }
            ExKind::Subscript { base, index } => {
                let index = self.eval(cx, index);
                let done = self.change(cx, base, &mut |this, object| {
                    this.set_item(object, &index, settled(value.clone())).is_some()
                });
                self.or_spoil(done)
            }
            _ => Err(Unknown::new(NOT_READ)),
        })
    }

    fn or_spoil(&self, done: bool) -> Result<(), Unknown> {
        if done {
            return Ok(());
        }
        let reason = "something is changed through a name that is not followed";
        self.invalidate(reason);
        Err(Unknown::new(reason))
    }

    fn set_item(&self, object: &mut Value, index: &Value, value: Value) -> Option<()> {
        match object {
            Value::List(items) => {
                if !items.is_unshared() {
                    return None;
                }
                let Value::Int(at) = operators::as_data(index) else { return None };
                let len = i128::try_from(items.len()).ok()?;
                let at = if *at < 0 { at.checked_add(len)? } else { *at };
                let mut all = items.to_vec();
                self.charge(all.len());
                *all.get_mut(usize::try_from(at).ok()?)? = value;
                *items = all.into();
                Some(())
            }
            Value::Dict(items) => {
                if !items.is_unshared() {
                    return None;
                }
                let mut all = items.to_vec();
                self.charge(all.len());
                self.put(&mut all, index.clone(), value).ok()?;
                *items = all.into();
                Some(())
            }
            _ => None,
        }
    }

    /// Changes the object that an expression stands for, which is a name of a frame, or a field of one. Returns false
    /// if it is another.
    pub(super) fn change(
        &self,
        cx: Cx<'_, '_>,
        place: Ex,
        change: &mut dyn FnMut(&Self, &mut Value) -> bool,
    ) -> bool {
        match *cx.ast.kind(place) {
            ExKind::Name(name) => {
                let mut at = Some(cx.frame);
                while let Some(frame) = at {
                    let taken = frame.vars.borrow_mut().get_mut(name).map(std::mem::take);
                    if let Some(mut value) = taken {
                        let is_done = change(self, &mut value);
                        frame.vars.borrow_mut().insert(name.into(), value);
                        return is_done;
                    }
                    at = frame.outer.as_ref();
                }
                false
            }
            ExKind::Attr { base, name, .. } if matches!(cx.ast.kind(base), ExKind::Name(_)) => self
                .change(cx, base, &mut |this, object| {
                    let Value::Instance(_, fields) = object else { return false };
                    let Some(mut value) = fields.take(name) else { return false };
                    let is_done = change(this, &mut value);
                    fields.set(name, value) && is_done
                }),
            _ => false,
        }
    }

    fn unpack(&self, cx: Cx<'_, '_>, run: Run, value: Value) -> Result<(), Unknown> {
        let targets = cx.ast.exs(run);
        let values = self.unpacked(cx.ast, targets, &value);
        for (&target, value) in targets.iter().zip(values) {
            let target = match *cx.ast.kind(target) {
                ExKind::Star(inner) => inner,
                _ => target,
            };
            self.assign(cx, target, value)?;
        }
        Ok(())
    }

    /// The values of the targets of an assignment that takes a value apart.
    pub(super) fn unpacked(&self, ast: &Ast<'_>, targets: &[Ex], value: &Value) -> Vec<Value> {
        let unknown = |it: Unknown| vec![Value::Unknown(it); targets.len()];
        let items = match self.iterate(value) {
            Ok(items) => items,
            Err(it) => return unknown(it),
        };
        let is_star = |it: &Ex| matches!(ast.kind(*it), ExKind::Star(_));
        let star = targets.iter().position(is_star);
        let wrong = || unknown(Unknown::new("the number of values is not that of the names"));
        let Some(star) = star else {
            return if items.len() == targets.len() { items } else { wrong() };
        };
        let after = targets.len() - star - 1;
        let Some(n_rest) = (items.len() + 1).checked_sub(targets.len()) else { return wrong() };
        let rest: Items = items[star..star + n_rest].iter().cloned().collect();
        let mut all = items[..star].to_vec();
        all.push(Value::List(rest));
        all.extend_from_slice(&items[items.len() - after..]);
        all
    }

    fn augment(
        &self,
        cx: Cx<'_, '_>,
        target: Ex,
        op: SyntaxKind,
        value: Ex,
    ) -> Result<(), Unknown> {
        let current = self.eval(cx, target);
        let operand = self.eval(cx, value);
        let result = match (&current, op) {
            // In place: a list takes the items of anything that has some.
            (Value::List(items), SyntaxKind::PLUS_EQ) => {
                let mut all = items.to_vec();
                all.extend(self.iterate(&operand)?);
                let is_name = matches!(cx.ast.kind(target), ExKind::Name(_));
                drop(current);
                let result = Value::List(all.into()).bounded();
                let done = is_name
                    && self.change(cx, target, &mut |_, it| {
                        let Value::List(items) = it else { return false };
                        let is_own = items.is_unshared();
                        *it = result.clone();
                        is_own
                    });
                return self.or_spoil(done);
            }
            (Value::Set(_) | Value::Dict(_) | Value::Instance(..), _) => {
                return self.or_spoil(false);
            }
            _ => self.binary(plain(op), &current, &operand),
        };
        self.assign(cx, target, result)
    }

    // ---- functions ----

    fn nested(&self, cx: Cx<'_, '_>, def: u32) -> Result<(), Unknown> {
        let node = &cx.ast.defs[def as usize];
        let value = match self.place_of_nested(cx, node.name) {
            Some(home) => {
                let function = Arc::new(Function {
                    name: node.name.into(),
                    tree: cx.tree.clone(),
                    code: Code::Def(def),
                    home,
                    defaults: self.defaults(cx, def).into(),
                    closure: self.snapshot(cx.frame),
                    is_nested: true,
                });
                self.keep_alive(&function, cx.frame);
                self.decorated(cx, &node.decorators, Value::Function(function))
            }
            None => not_known(&[]),
        };
        cx.frame.vars.borrow_mut().insert(node.name.into(), value);
        Ok(())
    }

    /// The values of the parameters that have a default.
    pub(super) fn defaults(&self, cx: Cx<'_, '_>, def: u32) -> Vec<(Box<str>, Value)> {
        let params = cx.ast.defs[def as usize].params.iter();
        params.filter_map(|it| Some((it.name.into(), self.kept(cx, it.default?)))).collect()
    }

    fn place_of_nested(&self, cx: Cx<'_, '_>, name: &str) -> Option<super::function::Home> {
        let mut frame = cx.frame;
        while frame.kind == FrameKind::Inner {
            frame = frame.outer.as_ref()?;
        }
        self.home_of_child(&frame.place, name)
    }

    /// The value that decorators make of a function.
    pub(super) fn decorated(&self, cx: Cx<'_, '_>, decorators: &[Ex], function: Value) -> Value {
        for &it in decorators {
            let callee = match *cx.ast.kind(it) {
                ExKind::Call { callee, .. } => callee,
                _ => it,
            };
            let is_same = match self.eval(cx, callee) {
                Value::Path(path) => matches!(
                    &*path,
                    "functools.lru_cache"
                        | "functools.cache"
                        | "functools.wraps"
                        | "builtins.staticmethod"
                        | "builtins.classmethod"
                        | "builtins.property"
                        | "functools.cached_property"
                ),
                _ => false,
            };
            if !is_same {
                let range = std::ops::Range::<usize>::from(cx.ast.range(it));
                let text = cx.ast.text.get(range).unwrap_or_default();
                return Value::unknown(format!("it is decorated by `{text}`"));
            }
        }
        function
    }

    /// Returns true if a name of a frame has the value that it has for good: it is a parameter or bound by one
    /// statement, outside of loops.
    pub(super) fn is_final(&self, frame: &Rc<Frame>, name: &str) -> bool {
        match frame.kind {
            FrameKind::Inner => false,
            _ => self
                .scopes(&frame.place.file)
                .is_some_and(|it| it.is_bound_once(frame.place.scope, name)),
        }
    }
}

/// Returns true if statements end in an error for certain.
fn raises(ast: &Ast<'_>, run: Run) -> bool {
    let Some((&last, before)) = ast.sts(run).split_last() else { return false };
    let is_plain = |it: &St| matches!(ast.stmt(*it).kind, StKind::Expr(_) | StKind::Assign { .. });
    matches!(ast.stmt(last).kind, StKind::Raise) && before.iter().all(is_plain)
}

/// The operator of an augmented assignment.
fn plain(op: SyntaxKind) -> SyntaxKind {
    use SyntaxKind as K;
    match op {
        K::PLUS_EQ => K::PLUS,
        K::MINUS_EQ => K::MINUS,
        K::STAR_EQ => K::STAR,
        K::SLASH_EQ => K::SLASH,
        K::SLASH2_EQ => K::SLASH2,
        K::PERCENT_EQ => K::PERCENT,
        K::STAR2_EQ => K::STAR2,
        K::LT2_EQ => K::LT2,
        K::GT2_EQ => K::GT2,
        K::AMP_EQ => K::AMP,
        K::PIPE_EQ => K::PIPE,
        K::CARET_EQ => K::CARET,
        other => other,
    }
}
