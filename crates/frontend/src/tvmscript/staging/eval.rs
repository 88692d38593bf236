//! Expressions: the value of each form that is understood.

use std::{cell::RefCell, rc::Rc, sync::Arc};

use rustc_hash::FxHashMap;

use super::{
    format::{Piece, formatted, pieces},
    function::{Code, Function},
    limits::MAX_SIZE,
    operators,
    session::{Cx, Frame, FrameKind, Session},
    value::{Items, Kind, Unknown, Value},
};
use crate::tvmscript::ast::{Clause, CompareKind, Comprehended, Ex, ExKind, Run};
use syntax::SyntaxKind;

/// The reason of what Python itself refuses, or is not read here.
pub(super) const NOT_READ: &str = "its definition is not of a form that is evaluated";

impl Session<'_> {
    /// The value of an expression.
    pub(super) fn eval(&self, cx: Cx<'_, '_>, ex: Ex) -> Value {
        self.deeper(|| self.eval_at(cx, ex))
    }

    /// The value of an expression that is kept: an iterator can be read once, and is not followed to where that is.
    pub(super) fn kept(&self, cx: Cx<'_, '_>, ex: Ex) -> Value {
        settled(self.eval(cx, ex))
    }

    fn eval_at(&self, cx: Cx<'_, '_>, ex: Ex) -> Value {
        match *cx.ast.kind(ex) {
            ExKind::Name(name) => self.name(cx.frame, name),
            ExKind::None => Value::None,
            ExKind::Bool(it) => Value::Bool(it),
            ExKind::Int(it) => Value::Int(it.get()),
            ExKind::Float(it) => Value::float(it),
            ExKind::Str(it) => Value::str(cx.ast.string(it)),
            ExKind::FString(run) => self.format_string(cx, run),
            ExKind::Attr { base, name, .. } => {
                let base = self.eval(cx, base);
                self.attribute(&base, name)
            }
            ExKind::Subscript { base, index } => {
                let base = self.eval(cx, base);
                let index = self.eval(cx, index);
                self.subscript(&base, &index)
            }
            ExKind::Call { callee, args } => self.call(cx, callee, args),
            ExKind::Unary { op, operand } => self.unary(op, &self.eval(cx, operand)),
            ExKind::Binary { op, lhs, rhs } => {
                let (lhs, rhs) = (self.eval(cx, lhs), self.eval(cx, rhs));
                self.binary(op, &lhs, &rhs)
            }
            ExKind::Logic { op, operands } => self.logic(cx, op, operands),
            ExKind::Compare { operands, ops } => self.comparison(cx, operands, ops),
            ExKind::Conditional { then, condition, otherwise } => {
                let decision = self.eval(cx, condition);
                match operators::truth_of(&decision) {
                    Some(true) => self.eval(cx, then),
                    Some(false) => self.eval(cx, otherwise),
                    None => either(&decision, self.eval(cx, then), self.eval(cx, otherwise)),
                }
            }
            ExKind::Lambda { params, .. } => self.lambda(cx, ex, params),
            ExKind::Tuple(run) => self.items(cx, run).map_or_else(Value::Unknown, Value::Tuple),
            ExKind::List(run) => self.items(cx, run).map_or_else(Value::Unknown, Value::List),
            ExKind::Set(run) => match self.items(cx, run) {
                Ok(items) => self.set_of(&items),
                Err(it) => Value::Unknown(it),
            },
            ExKind::Dict(run) => self.dict(cx, run),
            ExKind::Comprehension { of, element, value, clauses } => {
                self.comprehension(cx, of, (element, value), clauses)
            }
            ExKind::Named { name, value } => {
                let value = self.kept(cx, value);
                let mut frame = cx.frame;
                while frame.kind == FrameKind::Inner
                    && let Some(outer) = &frame.outer
                {
                    frame = outer;
                }
                frame.vars.borrow_mut().insert(name.into(), value.clone());
                value
            }
            ExKind::Slice { lower, upper, step } => {
                let bound = |it: Option<Ex>| it.map_or(Value::None, |it| self.eval(cx, it));
                Value::Slice([bound(lower), bound(upper), bound(step)].into_iter().collect())
            }
            ExKind::Ellipsis
            | ExKind::OtherLiteral
            | ExKind::Star(_)
            | ExKind::Other
            | ExKind::Error => Value::unknown(NOT_READ),
        }
    }

    // ---- displays ----

    /// The items of a display, `*` spread out.
    fn items(&self, cx: Cx<'_, '_>, run: Run) -> Result<Items, Unknown> {
        let mut all = Vec::new();
        for &item in cx.ast.exs(run) {
            match *cx.ast.kind(item) {
                ExKind::Star(inner) => all.extend(self.iterate(&self.eval(cx, inner))?),
                _ => all.push(self.kept(cx, item)),
            }
            if let Some(it) = self.stopped() {
                return Err(it);
            }
        }
        Ok(all.into())
    }

    pub(super) fn set_of(&self, items: &[Value]) -> Value {
        let mut all = Vec::new();
        for item in items {
            self.charge(all.len());
            if let Some(it) = self.stopped() {
                return Value::Unknown(it);
            }
            if operators::add(&mut all, item.clone()).is_none() {
                return not_known(std::slice::from_ref(item));
            }
        }
        Value::Set(all.into())
    }

    fn dict(&self, cx: Cx<'_, '_>, run: Run) -> Value {
        let mut all = Vec::new();
        for pair in cx.ast.exs(run).chunks_exact(2) {
            let (key, value) = (self.kept(cx, pair[0]), self.kept(cx, pair[1]));
            if let Err(it) = self.put(&mut all, key, value) {
                return Value::Unknown(it);
            }
        }
        Value::Dict(all.into())
    }

    /// Sets the value of a key.
    pub(super) fn put(
        &self,
        dict: &mut Vec<Value>,
        key: Value,
        value: Value,
    ) -> Result<(), Unknown> {
        self.charge(dict.len() / 2);
        if let Some(it) = self.stopped() {
            return Err(it);
        }
        let reason = reason(std::slice::from_ref(&key));
        operators::insert(dict, key, value).ok_or(reason)
    }

    fn format_string(&self, cx: Cx<'_, '_>, run: Run) -> Value {
        let mut text = String::new();
        for token in cx.ast.strings(run) {
            let Some(pieces) = pieces(token) else {
                return Value::Unknown(Unknown::new(NOT_READ).of_kind(Kind::Str));
            };
            for piece in pieces {
                match piece {
                    Piece::Text(it) => text.push_str(&it),
                    Piece::Field { value, conversion, spec } => {
                        let value = self.eval_text(cx, value);
                        match formatted(&value, conversion, spec) {
                            Some(it) => text.push_str(&it),
                            None => return Value::Unknown(reason(&[value]).of_kind(Kind::Str)),
                        }
                    }
                }
                self.charge(text.len() / 64);
                if text.len() > MAX_SIZE {
                    return Value::Str(text.into()).bounded();
                }
            }
        }
        Value::Str(text.into())
    }

    /// The value of an expression in a formatted string.
    fn eval_text(&self, cx: Cx<'_, '_>, text: &str) -> Value {
        use crate::tvmscript::ast::StKind;
        let green = self.expression(text);
        let ast = self.ast(&green);
        match ast.root[..] {
            [only] if ast.errors.is_empty() => match ast.stmt(only).kind {
                StKind::Expr(ex) => self.eval(Cx { ast: &ast, tree: &green, ..cx }, ex),
                _ => Value::unknown(NOT_READ),
            },
            _ => Value::unknown(NOT_READ),
        }
    }

    // ---- operators ----

    pub(super) fn unary(&self, op: SyntaxKind, operand: &Value) -> Value {
        operators::unary(op, operand).unwrap_or_else(|| {
            let kind = match (op, operand) {
                (SyntaxKind::NOT_KW, _) => Kind::Bool,
                (_, Value::Unknown(it)) if it.kind == Kind::Bool => Kind::Int,
                (_, Value::Unknown(it)) if it.kind != Kind::Str => it.kind,
                _ => Kind::Any,
            };
            Value::Unknown(reason(std::slice::from_ref(operand)).of_kind(kind))
        })
    }

    pub(super) fn binary(&self, op: SyntaxKind, lhs: &Value, rhs: &Value) -> Value {
        self.charge(lhs.size().min(rhs.size()) / 64);
        operators::binary(op, lhs, rhs).unwrap_or_else(|| {
            let kind = kind_of_binary(op, kind_of(lhs), kind_of(rhs));
            Value::Unknown(reason(&[lhs.clone(), rhs.clone()]).of_kind(kind))
        })
    }

    fn logic(&self, cx: Cx<'_, '_>, op: SyntaxKind, operands: Run) -> Value {
        let mut last = Value::None;
        for &operand in cx.ast.exs(operands) {
            last = self.eval(cx, operand);
            match operators::truth_of(&last) {
                Some(it) if it == (op == SyntaxKind::OR_KW) => return last,
                Some(_) => {}
                None => {
                    let kind = if kind_of(&last) == Kind::Bool { Kind::Bool } else { Kind::Any };
                    return Value::Unknown(reason(&[last]).of_kind(kind));
                }
            }
        }
        last
    }

    fn comparison(&self, cx: Cx<'_, '_>, operands: Run, ops: Run) -> Value {
        let operands = cx.ast.exs(operands);
        let Some((&first, rest)) = operands.split_first() else { return Value::unknown(NOT_READ) };
        let mut left = self.eval(cx, first);
        for (&op, &right) in cx.ast.ops(ops).iter().zip(rest) {
            let right = self.eval(cx, right);
            match self.compare(op, &left, &right) {
                Value::Bool(true) => {}
                other => return other,
            }
            left = right;
        }
        Value::Bool(true)
    }

    pub(super) fn compare(&self, op: CompareKind, left: &Value, right: &Value) -> Value {
        self.charge(left.size().max(right.size()) / 8);
        let holds = match op {
            CompareKind::Binary(op) => operators::compare(op, left, right),
            CompareKind::In => operators::is_in(left, right),
            CompareKind::NotIn => operators::is_in(left, right).map(|it| !it),
            CompareKind::Is => operators::is_same(left, right),
            CompareKind::IsNot => operators::is_same(left, right).map(|it| !it),
        };
        holds.map_or_else(
            || Value::Unknown(reason(&[left.clone(), right.clone()]).of_kind(Kind::Bool)),
            Value::Bool,
        )
    }

    // ---- parts ----

    pub(super) fn subscript(&self, base: &Value, index: &Value) -> Value {
        let reason = || {
            let kind = match (base, index) {
                (Value::Str(_), _) => Kind::Str,
                (Value::Unknown(it), _) if it.kind == Kind::Str => Kind::Str,
                _ => Kind::Any,
            };
            Value::Unknown(reason(&[base.clone(), index.clone()]).of_kind(kind))
        };
        match (base, operators::as_data(index)) {
            (Value::Tuple(items) | Value::List(items), Value::Int(at)) => {
                nth(items.len(), *at).map_or_else(reason, |at| items[at].clone())
            }
            (Value::Tuple(items) | Value::List(items), Value::Slice(bounds)) => {
                let Some(at) = places(items.len(), bounds) else { return reason() };
                self.charge(at.len());
                let items = at.into_iter().map(|at| items[at].clone()).collect();
                match base {
                    Value::Tuple(_) => Value::Tuple(items),
                    _ => Value::List(items),
                }
            }
            (Value::Str(text), Value::Int(at)) if text.is_ascii() => {
                nth(text.len(), *at).map_or_else(reason, |at| Value::str(&text[at..=at]))
            }
            (Value::Str(text), Value::Slice(bounds)) if text.is_ascii() => {
                let Some(at) = places(text.len(), bounds) else { return reason() };
                let bytes = text.as_bytes();
                let text: String = at.into_iter().map(|at| char::from(bytes[at])).collect();
                Value::str(text)
            }
            (Value::Dict(items), key) => {
                self.charge(items.len() / 2);
                match operators::position(items, key) {
                    Some(Some(at)) => items[at + 1].clone(),
                    _ => reason(),
                }
            }
            (Value::Range(start, _, step), Value::Int(at)) => {
                let len = operators::range_len(base).and_then(|it| usize::try_from(it).ok());
                let at = len.and_then(|len| nth(len, *at)).and_then(|at| i128::try_from(at).ok());
                let item = at.and_then(|at| at.checked_mul(*step)?.checked_add(*start));
                item.map_or_else(reason, Value::Int)
            }
            (Value::Class(class), Value::Str(name)) if class.is_enum() => {
                self.attribute(base, name)
            }
            // `List[int]`
            (Value::Path(path), _) if path.starts_with("typing.") => base.clone(),
            (Value::Instance(class, _), key) => match class.member("__getitem__") {
                Some(Value::Function(it)) => {
                    self.call_function(it, vec![base.clone(), key.clone()], Vec::new())
                }
                _ => reason(),
            },
            _ => reason(),
        }
    }

    /// The items of a value, in order.
    pub(super) fn iterate(&self, value: &Value) -> Result<Vec<Value>, Unknown> {
        let no = || Err(reason(std::slice::from_ref(value)));
        let items = match value {
            Value::Tuple(it) | Value::List(it) | Value::Iterator(it) => it.to_vec(),
            // The order of others is Python's own.
            Value::Set(it) if it.len() < 2 => it.to_vec(),
            Value::Dict(it) => it.chunks_exact(2).map(|pair| pair[0].clone()).collect(),
            Value::Str(it) => it.chars().map(|it| Value::str(it.to_string())).collect(),
            Value::Range(start, _, step) => {
                let len = operators::range_len(value).and_then(|it| usize::try_from(it).ok());
                let Some(len) = len.filter(|it| *it <= MAX_SIZE) else {
                    return Err(Unknown::new(format!("it has more than {MAX_SIZE} items")));
                };
                let mut all = Vec::with_capacity(len);
                let mut at = *start;
                for _ in 0..len {
                    all.push(Value::Int(at));
                    at = at.saturating_add(*step);
                }
                all
            }
            Value::Class(class) if class.is_enum() => {
                let members = class.members.iter().filter(|it| !is_code(&it.1));
                members.map(|it| self.attribute(value, &it.0)).collect()
            }
            Value::Instance(class, fields)
                if class.kind == super::function::ClassKind::NamedTuple =>
            {
                fields.iter().map(|it| it.1.clone()).collect()
            }
            _ => return no(),
        };
        self.charge(items.len());
        match self.stopped() {
            Some(it) => Err(it),
            None => Ok(items),
        }
    }

    // ---- comprehensions ----

    fn comprehension(
        &self,
        cx: Cx<'_, '_>,
        of: Comprehended,
        (element, value): (Ex, Option<Ex>),
        clauses: Run,
    ) -> Value {
        // The first iterable is evaluated around the comprehension.
        let frame = Rc::new(Frame {
            vars: RefCell::default(),
            outer: Some(cx.frame.clone()),
            closure: Arc::from([]),
            place: cx.frame.place.clone(),
            kind: FrameKind::Inner,
        });
        let clauses = cx.ast.clauses(clauses);
        let Some((&Clause::For { target, iterable }, rest)) = clauses.split_first() else {
            return Value::unknown(NOT_READ);
        };
        let first = match self.iterate(&self.eval(cx, iterable)) {
            Ok(items) => items,
            Err(it) => return Value::Unknown(it),
        };
        let mut all = Vec::new();
        let cx = cx.within(&frame);
        let done = self.clause(cx, target, first, rest, &mut |this| {
            let item = this.kept(cx, element);
            match (of, value) {
                (Comprehended::Dict, Some(value)) => {
                    let value = this.kept(cx, value);
                    this.put(&mut all, item, value)?;
                }
                (Comprehended::Set, _) => {
                    this.charge(all.len());
                    let reason = reason(std::slice::from_ref(&item));
                    operators::add(&mut all, item).ok_or(reason)?;
                }
                _ => all.push(item),
            }
            Ok(())
        });
        if let Err(it) = done {
            return Value::Unknown(it);
        }
        let items = Items::from(all);
        match of {
            Comprehended::List => Value::List(items),
            Comprehended::Set => Value::Set(items),
            Comprehended::Dict => Value::Dict(items),
            Comprehended::Generator => Value::Iterator(items),
        }
    }

    fn clause(
        &self,
        cx: Cx<'_, '_>,
        target: Ex,
        items: Vec<Value>,
        rest: &[Clause],
        each: &mut dyn FnMut(&Self) -> Result<(), Unknown>,
    ) -> Result<(), Unknown> {
        for item in items {
            self.charge(1);
            if let Some(it) = self.stopped() {
                return Err(it);
            }
            self.assign(cx, target, item)?;
            self.clauses(cx, rest, each)?;
        }
        Ok(())
    }

    fn clauses(
        &self,
        cx: Cx<'_, '_>,
        clauses: &[Clause],
        each: &mut dyn FnMut(&Self) -> Result<(), Unknown>,
    ) -> Result<(), Unknown> {
        match clauses.split_first() {
            None => each(self),
            Some((&Clause::If(condition), rest)) => {
                let condition = self.eval(cx, condition);
                match operators::truth_of(&condition) {
                    Some(true) => self.clauses(cx, rest, each),
                    Some(false) => Ok(()),
                    None => Err(reason(&[condition])),
                }
            }
            Some((&Clause::For { target, iterable }, rest)) => {
                let items = self.iterate(&self.eval(cx, iterable))?;
                ir::stack::with_room(|| self.clause(cx, target, items, rest, each))
            }
        }
    }

    fn lambda(&self, cx: Cx<'_, '_>, ex: Ex, params: Run) -> Value {
        let defaults = cx
            .ast
            .params(params)
            .iter()
            .filter_map(|it| Some((Box::from(it.name), self.kept(cx, it.default?))));
        let defaults: Vec<(Box<str>, Value)> = defaults.collect();
        let Some(home) = self.home(&cx.frame.place) else { return Value::unknown(NOT_READ) };
        let function = Arc::new(Function {
            name: "<lambda>".into(),
            tree: cx.tree.clone(),
            code: Code::Lambda(ex.0),
            home,
            defaults: defaults.into(),
            closure: self.snapshot(cx.frame),
            is_nested: true,
        });
        self.keep_alive(&function, cx.frame);
        Value::Function(function)
    }

    /// The names of a frame and those around it that cannot change any more: for functions that outlive them.
    pub(super) fn snapshot(&self, frame: &Rc<Frame>) -> Arc<[(Box<str>, Value)]> {
        let mut all: FxHashMap<Box<str>, Value> = FxHashMap::default();
        let mut at = Some(frame);
        while let Some(frame) = at {
            let vars = frame.vars.borrow();
            let kept = vars.iter().map(|(name, value)| {
                let is_kept = self.is_final(frame, name) && !value.is_mutable();
                let reason = || Value::unknown(format!("`{name}` may have changed since"));
                (name.clone(), if is_kept { value.clone() } else { reason() })
            });
            // Each name is in a frame once, and all of them are sorted below.
            let kept: Vec<(Box<str>, Value)> = kept.collect();
            for (name, value) in kept {
                all.entry(name).or_insert(value);
            }
            for (name, value) in frame.closure.iter() {
                all.entry(name.clone()).or_insert_with(|| value.clone());
            }
            at = frame.outer.as_ref();
        }
        let mut all: Vec<(Box<str>, Value)> = all.into_iter().collect();
        all.sort_by(|a, b| a.0.cmp(&b.0));
        self.charge(all.len());
        all.into()
    }
}

/// An iterator is not kept.
pub(super) fn settled(value: Value) -> Value {
    match value {
        Value::Iterator(_) => Value::unknown("it is an iterator, which can be read once only"),
        value => value,
    }
}

/// Returns true if a member of a class is code.
pub(super) fn is_code(it: &Value) -> bool {
    matches!(it, Value::Function(_) | Value::Class(_) | Value::Bound(..) | Value::Partial(..))
}

/// The first reason among operands; that of Python's own refusal if all are known.
pub(super) fn reason(operands: &[Value]) -> Unknown {
    match operands.iter().find_map(Value::first_unknown) {
        Some(it) => it.of_kind(Kind::Any),
        None => Unknown::new(NOT_READ),
    }
}

/// A value that is not known, because of one of these.
pub(super) fn not_known(operands: &[Value]) -> Value {
    Value::Unknown(reason(operands))
}

/// One of two values, by a condition that is not known.
fn either(condition: &Value, then: Value, otherwise: Value) -> Value {
    let is_same = then == otherwise && then.is_known() && !then.is_mutable();
    if is_same {
        return then;
    }
    let kind = if kind_of(&then) == kind_of(&otherwise) { kind_of(&then) } else { Kind::Any };
    Value::Unknown(reason(std::slice::from_ref(condition)).of_kind(kind))
}

/// The kind of a value.
pub(super) fn kind_of(it: &Value) -> Kind {
    match it {
        Value::Bool(_) => Kind::Bool,
        Value::Int(_) => Kind::Int,
        Value::Float(_) => Kind::Float,
        Value::Str(_) => Kind::Str,
        Value::Tuple(it) | Value::List(it) => Kind::Sequence(u32::try_from(it.len()).ok()),
        Value::Unknown(it) => it.kind,
        _ => Kind::Any,
    }
}

fn kind_of_binary(op: SyntaxKind, a: Kind, b: Kind) -> Kind {
    let int = |it: Kind| matches!(it, Kind::Int | Kind::Bool);
    match (a, b) {
        (Kind::Str, Kind::Str) if op == SyntaxKind::PLUS => Kind::Str,
        _ if int(a) && int(b) => match op {
            SyntaxKind::SLASH => Kind::Float,
            // A negative exponent gives a float.
            SyntaxKind::STAR2 => Kind::Any,
            SyntaxKind::AMP | SyntaxKind::PIPE | SyntaxKind::CARET if a == b => a,
            _ => Kind::Int,
        },
        (Kind::Float, it) | (it, Kind::Float) if int(it) || it == Kind::Float => match op {
            SyntaxKind::STAR2 => Kind::Any,
            _ => Kind::Float,
        },
        _ => Kind::Any,
    }
}

/// The place of an item, counted from either end.
fn nth(len: usize, at: i128) -> Option<usize> {
    let len = i128::try_from(len).ok()?;
    let at = if at < 0 { at.checked_add(len)? } else { at };
    (0..len).contains(&at).then(|| usize::try_from(at).ok())?
}

/// The places that a slice names in a sequence.
pub(crate) fn places(len: usize, bounds: &Items) -> Option<Vec<usize>> {
    let number = |it: &Value| match operators::as_data(it) {
        Value::None => Some(None),
        Value::Int(it) => Some(Some(*it)),
        Value::Bool(it) => Some(Some(i128::from(*it))),
        _ => None,
    };
    let [lower, upper, step] = &bounds[..] else { return None };
    let (lower, upper) = (number(lower)?, number(upper)?);
    let step = number(step)?.unwrap_or(1);
    let len = i128::try_from(len).ok()?;
    let (least, most) = if step > 0 { (0, len) } else { (-1, len - 1) };
    let clamped = |it: Option<i128>, default: i128| match it {
        None => default,
        Some(it) if it < 0 => it.saturating_add(len).max(least),
        Some(it) => it.min(most),
    };
    let (start, stop) = match step {
        0 => return None,
        1.. => (clamped(lower, 0), clamped(upper, len)),
        _ => (clamped(lower, len - 1), clamped(upper, -1)),
    };
    let mut all = Vec::new();
    let mut at = start;
    while if step > 0 { at < stop } else { at > stop } {
        all.push(usize::try_from(at).ok()?);
        at = at.saturating_add(step);
    }
    Some(all)
}
