//! The common support of the tests: bodies made from text, and an evaluator independent of the analyzer.
//!
//! The evaluator follows the reference column of `SEMANTICS.md` on 128-bit integers: sums wrap at their type, a
//! division by zero has no value, a shift out of range shifts modulo the width. It records the events.

use ir::{
    BinaryOp, Body, DataType, Dialect, ExprId, ExprKind, Lanes, OpKind, UnaryOp, ValueId,
    ValueKind, arena::Id,
};

/// A body of variables and expressions.
pub(crate) struct Bench {
    pub(crate) body: Body,
    pub(crate) variables: Vec<(String, ValueId)>,
}

impl Bench {
    /// Variables by name and type, such as `"n: int32"`; `"n: size int32"` for a size variable.
    pub(crate) fn new(variables: &[&str]) -> Bench {
        let mut bench = Bench { body: Body::new("f", Dialect::Tirx), variables: Vec::new() };
        for text in variables {
            let (name, ty) = text.split_once(": ").expect("a type");
            let (is_size, ty) = match ty.strip_prefix("size ") {
                Some(ty) => (true, ty),
                None => (false, ty),
            };
            let dtype = DataType::parse(ty).expect("a data type");
            let value = bench.body.new_value(name, dtype.into(), ValueKind::Symbol);
            bench.body.values[value].is_size = is_size;
            bench.variables.push((name.to_owned(), value));
        }
        bench
    }
    /// A variable by its name.
    pub(crate) fn variable(&self, name: &str) -> ValueId {
        self.variables.iter().find(|it| it.0 == name).expect("a variable").1
    }
    /// Binds a new variable to an expression.
    pub(crate) fn bind(&mut self, name: &str, value: ExprId) -> ValueId {
        let root = self.body.entry(self.body.root);
        let op = self.body.push_op(root, OpKind::Bind, &[value]);
        let ty = self.body.ty(value);
        let variable = self.body.push_result(op, name, ty);
        self.body.value_expr(variable);
        self.variables.push((name.to_owned(), variable));
        variable
    }
    /// Reads an expression. Numbers take the type of the operand beside them, else `int32`.
    pub(crate) fn expr(&mut self, text: &str) -> ExprId {
        let tokens = tokens(text);
        let mut parser = Parser { bench: self, tokens, at: 0 };
        let parsed = parser.level(0);
        assert_eq!(parser.at, parser.tokens.len(), "all of {text}");
        parser.typed(parsed, DataType::INT32)
    }
}

fn tokens(text: &str) -> Vec<String> {
    let mut tokens: Vec<String> = Vec::new();
    let mut rest = text.trim_start();
    while let Some(first) = rest.chars().next() {
        let len = if first.is_alphanumeric() || first == '_' {
            rest.find(|it: char| !it.is_alphanumeric() && it != '_').unwrap_or(rest.len())
        } else {
            let two = rest.get(..2).unwrap_or("");
            if ["//", "<=", ">=", "==", "!=", "<<", ">>"].contains(&two) { 2 } else { 1 }
        };
        tokens.push(rest[..len].to_owned());
        rest = rest[len..].trim_start();
    }
    tokens
}

#[derive(Clone, Copy)]
enum Parsed {
    Number(i128),
    Expr(ExprId),
}

struct Parser<'a> {
    bench: &'a mut Bench,
    tokens: Vec<String>,
    at: usize,
}

impl Parser<'_> {
    fn peek(&self) -> &str {
        self.tokens.get(self.at).map_or("", |it| it)
    }
    fn next(&mut self) -> String {
        self.at += 1;
        self.tokens[self.at - 1].clone()
    }
    fn typed(&mut self, parsed: Parsed, dtype: DataType) -> ExprId {
        match parsed {
            Parsed::Number(value) => self.bench.body.int(value, dtype),
            Parsed::Expr(expr) => expr,
        }
    }
    fn pair(&mut self, a: Parsed, b: Parsed) -> (ExprId, ExprId) {
        let dtype = [a, b].iter().find_map(|it| match it {
            Parsed::Expr(expr) => self.bench.body.dtype(*expr),
            Parsed::Number(_) => None,
        });
        let dtype = dtype.unwrap_or(DataType::INT32);
        (self.typed(a, dtype), self.typed(b, dtype))
    }
    fn level(&mut self, level: usize) -> Parsed {
        let Some(operators) = crate::rules::LEVELS.get(level) else { return self.unary() };
        let mut left = self.level(level + 1);
        while let Some(&(_, op)) = operators.iter().find(|it| it.0 == self.peek()) {
            self.at += 1;
            let right = self.level(level + 1);
            let (a, b) = self.pair(left, right);
            left = Parsed::Expr(self.bench.body.binary(op, a, b));
        }
        left
    }
    fn unary(&mut self) -> Parsed {
        match self.peek() {
            "-" => {
                self.at += 1;
                match self.unary() {
                    Parsed::Number(value) => Parsed::Number(-value),
                    Parsed::Expr(expr) => {
                        let (a, b) = self.pair(Parsed::Expr(expr), Parsed::Number(-1));
                        Parsed::Expr(self.bench.body.binary(BinaryOp::Mul, a, b))
                    }
                }
            }
            "not" | "~" => {
                let op = if self.next() == "not" { UnaryOp::Not } else { UnaryOp::BitNot };
                let operand = if op == UnaryOp::Not { self.level(2) } else { self.unary() };
                let operand = self.typed(operand, DataType::INT32);
                Parsed::Expr(self.bench.body.unary(op, operand))
            }
            _ => self.primary(),
        }
    }
    fn primary(&mut self) -> Parsed {
        let token = self.next();
        if token == "(" {
            let inner = self.level(0);
            assert_eq!(self.next(), ")");
            return inner;
        }
        if let Ok(number) = token.parse::<i128>() {
            return Parsed::Number(number);
        }
        if token == "true" || token == "false" {
            return Parsed::Expr(self.bench.body.int((token == "true").into(), DataType::BOOL));
        }
        if self.peek() != "(" {
            let value = self.bench.variable(&token);
            return Parsed::Expr(self.bench.body.value_expr(value));
        }
        self.at += 1;
        let mut args = vec![self.level(0)];
        while self.next() == "," {
            args.push(self.level(0));
        }
        self.call(&token, &args)
    }
    fn call(&mut self, name: &str, args: &[Parsed]) -> Parsed {
        let op = match name {
            "min" => Some(BinaryOp::Min),
            "max" => Some(BinaryOp::Max),
            "truncdiv" => Some(BinaryOp::Div),
            "truncmod" => Some(BinaryOp::Mod),
            _ => None,
        };
        if let (Some(op), &[a, b]) = (op, args) {
            let (a, b) = self.pair(a, b);
            return Parsed::Expr(self.bench.body.binary(op, a, b));
        }
        if let Some(dtype) = DataType::parse(name) {
            let operand = self.typed(args[0], dtype);
            return Parsed::Expr(self.bench.body.cast(operand, dtype));
        }
        if let ("ramp" | "broadcast", [first, .., Parsed::Number(n)]) = (name, args) {
            let base = self.typed(*first, DataType::INT32);
            let stride = args.get(1).filter(|_| name == "ramp").map(|it| self.pair(*first, *it).1);
            return Parsed::Expr(vector(&mut self.bench.body, base, stride, *n as u16));
        }
        if let &[cond, a, b] = args {
            let cond = self.typed(cond, DataType::BOOL);
            let (a, b) = self.pair(a, b);
            return Parsed::Expr(if name == "select" {
                self.bench.body.select(cond, a, b)
            } else {
                if_then_else(&mut self.bench.body, cond, a, b)
            });
        }
        panic!("{name} is not known here");
    }
}

/// `T.Ramp(base, stride, n)`, or `T.Broadcast(base, n)` without a stride.
pub(crate) fn vector(body: &mut Body, base: ExprId, stride: Option<ExprId>, n: u16) -> ExprId {
    let ty = body.dtype(base).expect("a scalar").with_lanes(Lanes::Fixed(n)).into();
    let lanes = body.int(n.into(), DataType::INT32);
    let kind = match stride {
        Some(stride) => ExprKind::Ramp { base, stride, lanes },
        None => ExprKind::Broadcast { value: base, lanes },
    };
    body.make(kind, ty)
}

/// `T.if_then_else(cond, a, b)`
pub(crate) fn if_then_else(body: &mut Body, cond: ExprId, a: ExprId, b: ExprId) -> ExprId {
    body.if_then_else(cond, a, b)
}

/// The events of an evaluation.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(crate) struct Events {
    /// A sum left the range of its type.
    pub(crate) overflow: bool,
    /// A sum of signed integers of 32 bits or more did.
    pub(crate) wide_overflow: bool,
    /// A shift amount out of range.
    pub(crate) shift: bool,
    /// The result of such a sum was used: as a condition, or as an operand of a division that may err on it.
    pub(crate) used: bool,
    /// Bound variables are as evaluated before: their events do not count.
    pub(crate) is_shallow: bool,
}

/// The value of an expression for these values of the variables (bound ones are computed); none where it has none.
pub(crate) fn eval(
    body: &Body,
    values: &[i128],
    expr: ExprId,
    events: &mut Events,
) -> Option<i128> {
    evaluate(body, values, expr, events).map(|it| it.0)
}

/// The value, and whether it came from an overflow.
fn evaluate(
    body: &Body,
    values: &[i128],
    expr: ExprId,
    events: &mut Events,
) -> Option<(i128, bool)> {
    let node = body.expr(expr);
    let dtype = node.ty.prim()?;
    let wrap = |value: i128| wrap(dtype, value);
    if let ExprKind::Value(value) = node.kind {
        let ValueKind::Result(op, _) = body.values[value].kind else {
            return Some((values[value.index()], false));
        };
        let mut before = Events::default();
        let inner = if events.is_shallow { &mut before } else { events };
        return evaluate(body, values, body.ops[op].operands[0], inner);
    }
    let mut get = |it: ExprId| evaluate(body, values, it, events);
    Some(match node.kind {
        ExprKind::Int(value) => (wrap(value.into()), false),
        ExprKind::Unary(UnaryOp::BitNot, a) if !dtype.is_bool() => {
            let (a, tainted) = get(a)?;
            (wrap(!a), tainted)
        }
        ExprKind::Unary(_, a) => {
            let (a, tainted) = get(a)?;
            (i128::from(a == 0), tainted)
        }
        ExprKind::Cast(a) => {
            let (a, tainted) = get(a)?;
            (wrap(a), tainted)
        }
        ExprKind::Select(cond, a, b) => {
            let (cond, a, b) = (get(cond)?, get(a)?, get(b)?);
            if cond.0 != 0 { a } else { b }
        }
        ExprKind::IfThenElse(cond, a, b) => {
            let (cond, tainted) = get(cond)?;
            let value = if cond != 0 { get(a)? } else { get(b)? };
            events.used |= tainted;
            value
        }
        ExprKind::Binary(op @ (BinaryOp::And | BinaryOp::Or), a, b) => {
            let a = get(a)?;
            if (a.0 != 0) == (op == BinaryOp::Or) {
                return Some(a);
            }
            let b = get(b)?;
            (b.0, a.1 || b.1)
        }
        ExprKind::Binary(op, a, b) => {
            let (x, y) = (get(a)?, get(b)?);
            return binary(op, body.dtype(a)?, x, y, events);
        }
        _ => return None,
    })
}

fn wrap(dtype: DataType, value: i128) -> i128 {
    let low = dtype.wrap_int(value);
    if dtype.is_uint() { i128::from(low as u64) } else { i128::from(low) }
}

fn binary(
    op: BinaryOp,
    dtype: DataType,
    (x, x_tainted): (i128, bool),
    (y, y_tainted): (i128, bool),
    events: &mut Events,
) -> Option<(i128, bool)> {
    let mut tainted = x_tainted || y_tainted;
    let mut sum = |exact: i128| {
        let value = wrap(dtype, exact);
        events.overflow |= value != exact;
        events.wide_overflow |= value != exact && dtype.is_int() && dtype.bits >= 32;
        tainted |= value != exact && dtype.bits >= 32;
        value
    };
    let floor = |x: i128, y: i128| x.div_euclid(y) - i128::from(y < 0 && x.rem_euclid(y) != 0);
    let width = i128::from(dtype.bits.max(1));
    if op.is_division() && (y == 0 || (dtype.is_int() && y == -1 && x == -(1 << (width - 1)))) {
        return None;
    }
    let value = match op {
        BinaryOp::Add => sum(x + y),
        BinaryOp::Sub => sum(x - y),
        BinaryOp::Mul => sum(x.wrapping_mul(y)),
        BinaryOp::Div => x / y,
        BinaryOp::Mod => x % y,
        BinaryOp::FloorDiv => floor(x, y),
        BinaryOp::FloorMod => x - y * floor(x, y),
        BinaryOp::Min => x.min(y),
        BinaryOp::Max => x.max(y),
        BinaryOp::Eq => (x == y).into(),
        BinaryOp::Ne => (x != y).into(),
        BinaryOp::Lt => (x < y).into(),
        BinaryOp::Le => (x <= y).into(),
        BinaryOp::Gt => (x > y).into(),
        BinaryOp::Ge => (x >= y).into(),
        BinaryOp::BitAnd => x & y,
        BinaryOp::BitOr => x | y,
        BinaryOp::BitXor => x ^ y,
        BinaryOp::Shl | BinaryOp::Shr => {
            events.shift |= y < 0 || y >= width;
            let amount = y.rem_euclid(width) as u32;
            if op == BinaryOp::Shl { wrap(dtype, x << amount) } else { x >> amount }
        }
        BinaryOp::And | BinaryOp::Or => return None,
    };
    events.used |= op.is_division() && (y_tainted || (x_tainted && y == -1));
    Some((value, tainted))
}
