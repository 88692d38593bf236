//! Affine maps and sets: read, simplified as MLIR does when it builds them, printed.
//!
//! Two maps are equal for MLIR if they are after its construction-time rules (constants to the right, folded sums and
//! products, `a + a` is `a * 2` …); the same rules here make equal texts of them. Expressions are trees; a text that
//! nests deeper than [`MAX_DEPTH`] or overflows is left alone by its reader. Linear, but for sums whose terms are
//! looked at pairwise as MLIR does.

use rustc_hash::FxHashMap;

use super::cursor::{Cursor, Token};

/// The limit on the nesting of expressions. A deeper one stays the text that it is, and is equal to that text.
const MAX_DEPTH: u32 = 200;

/// An affine expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Affine {
    /// `d0`
    Dim(usize),
    /// `s0`
    Symbol(usize),
    /// A number.
    Constant(i64),
    /// An operator on two expressions.
    Binary(Op, Box<Affine>, Box<Affine>),
}

/// An operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Op {
    /// `+`
    Add,
    /// `*`
    Mul,
    /// `mod`: the remainder that is not negative.
    Mod,
    /// `floordiv`
    FloorDiv,
    /// `ceildiv`
    CeilDiv,
}

use Affine::{Binary, Constant, Dim, Symbol};

impl Affine {
    fn constant(&self) -> Option<i64> {
        if let Constant(value) = self { Some(*value) } else { None }
    }

    /// Its value; `None` for a division by a number that is not positive, for an overflow, or where a dimension or
    /// symbol is missing. Recursion is bounded: nothing that nests deeper than [`MAX_DEPTH`] is read.
    pub fn evaluate(&self, dims: &[i64], symbols: &[i64]) -> Option<i64> {
        match self {
            Dim(at) => dims.get(*at).copied(),
            Symbol(at) => symbols.get(*at).copied(),
            Constant(value) => Some(*value),
            Binary(op, a, b) => {
                let (a, b) = (a.evaluate(dims, symbols)?, b.evaluate(dims, symbols)?);
                match op {
                    Op::Add => a.checked_add(b),
                    Op::Mul => a.checked_mul(b),
                    Op::Mod => (b > 0).then(|| a.rem_euclid(b)),
                    Op::FloorDiv => (b > 0).then(|| a.div_euclid(b)),
                    Op::CeilDiv => (b > 0).then(|| -(-i128::from(a)).div_euclid(b.into()) as i64),
                }
            }
        }
    }

    fn is_symbolic(&self) -> bool {
        match self {
            Dim(_) => false,
            Symbol(_) | Constant(_) => true,
            Binary(_, a, b) => a.is_symbolic() && b.is_symbolic(),
        }
    }

    /// A number that divides every value of the expression.
    fn divisor(&self) -> u64 {
        match self {
            Dim(_) | Symbol(_) => 1,
            Constant(value) => value.unsigned_abs(),
            Binary(Op::Mul, a, b) => a.divisor().saturating_mul(b.divisor()),
            Binary(Op::Add | Op::Mod, a, b) => gcd(a.divisor(), b.divisor()),
            Binary(Op::FloorDiv | Op::CeilDiv, a, b) => match b.constant() {
                Some(by) if by != 0 && a.divisor() % by.unsigned_abs() == 0 => {
                    a.divisor() / by.unsigned_abs()
                }
                _ => 1,
            },
        }
    }

    fn is_multiple_of(&self, by: i64) -> bool {
        by != 0 && self.divisor().is_multiple_of(by.unsigned_abs())
    }
}

fn gcd(mut a: u64, mut b: u64) -> u64 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

/// A node by the rules of its operator.
pub fn build(op: Op, lhs: Affine, rhs: Affine) -> Affine {
    match op {
        Op::Add => add(lhs, rhs),
        Op::Mul => mul(lhs, rhs),
        Op::Mod => modulo(lhs, rhs),
        Op::FloorDiv => floor_div(lhs, rhs),
        Op::CeilDiv => ceil_div(lhs, rhs),
    }
}

fn node(op: Op, lhs: Affine, rhs: Affine) -> Affine {
    Binary(op, Box::new(lhs), Box::new(rhs))
}

/// `e` as a product with a constant: the factor of `d0 * 4`, else 1.
fn split_factor(expr: &Affine) -> (&Affine, i64) {
    match expr {
        Binary(Op::Mul, a, b) => match b.constant() {
            Some(factor) => (a, factor),
            None => (expr, 1),
        },
        _ => (expr, 1),
    }
}

fn add(lhs: Affine, rhs: Affine) -> Affine {
    if let (Some(a), Some(b)) = (lhs.constant(), rhs.constant())
        && let Some(sum) = a.checked_add(b)
    {
        return Constant(sum);
    }
    if lhs.constant().is_some() || (lhs.is_symbolic() && !rhs.is_symbolic()) {
        return if rhs.constant().is_some() { node(Op::Add, lhs, rhs) } else { add(rhs, lhs) };
    }
    if rhs.constant() == Some(0) {
        return lhs;
    }
    if let (Binary(Op::Add, a, c), Some(b)) = (&lhs, rhs.constant())
        && let Some(sum) = c.constant().and_then(|it| it.checked_add(b))
    {
        return add((**a).clone(), Constant(sum));
    }
    let ((first, left), (second, right)) = (split_factor(&lhs), split_factor(&rhs));
    if first == second
        && let Some(sum) = left.checked_add(right)
    {
        return mul(first.clone(), Constant(sum));
    }
    if let Binary(Op::Add, a, c) = &lhs
        && let Some(constant) = c.constant()
        && rhs.constant().is_none()
    {
        return add(add((**a).clone(), rhs), Constant(constant));
    }
    match remainder(&lhs, &rhs) {
        Some(found) => found,
        None => node(Op::Add, lhs, rhs),
    }
}

/// `e - q * (e floordiv q)` is `e mod q`.
fn remainder(lhs: &Affine, rhs: &Affine) -> Option<Affine> {
    let Binary(Op::Mul, product, minus) = rhs else { return None };
    let (quotient, by) = match (&**product, minus.constant()) {
        (Binary(Op::FloorDiv, a, b), Some(factor)) if b.constant() == factor.checked_neg() => {
            (&**a, (**b).clone())
        }
        _ => return None,
    };
    (lhs == quotient).then(|| modulo(lhs.clone(), by))
}

fn mul(lhs: Affine, rhs: Affine) -> Affine {
    if let (Some(a), Some(b)) = (lhs.constant(), rhs.constant())
        && let Some(product) = a.checked_mul(b)
    {
        return Constant(product);
    }
    if rhs.constant().is_none() && (!rhs.is_symbolic() || lhs.constant().is_some()) {
        return if lhs.is_symbolic() { mul(rhs, lhs) } else { node(Op::Mul, lhs, rhs) };
    }
    match rhs.constant() {
        Some(1) => return lhs,
        Some(0) => return Constant(0),
        _ => {}
    }
    if let Binary(Op::Mul, a, c) = &lhs
        && let Some(factor) = c.constant()
    {
        return match rhs.constant() {
            Some(by) => match factor.checked_mul(by) {
                Some(product) => mul((**a).clone(), Constant(product)),
                None => node(Op::Mul, lhs, rhs),
            },
            None => mul(mul((**a).clone(), rhs), Constant(factor)),
        };
    }
    node(Op::Mul, lhs, rhs)
}

fn floor_div(lhs: Affine, rhs: Affine) -> Affine {
    let Some(by) = rhs.constant().filter(|it| *it != 0) else {
        return node(Op::FloorDiv, lhs, rhs);
    };
    if let Some(value) = lhs.constant().and_then(|it| floor_quotient(it, by)) {
        return Constant(value);
    }
    if by == 1 {
        return lhs;
    }
    if by < 1 {
        return node(Op::FloorDiv, lhs, rhs);
    }
    if let (inner, factor) = split_factor(&lhs)
        && factor != 1
        && factor % by == 0
    {
        return mul(inner.clone(), Constant(factor / by));
    }
    if let Binary(Op::Add, a, b) = &lhs
        && (a.is_multiple_of(by) || b.is_multiple_of(by))
    {
        return add(floor_div((**a).clone(), rhs.clone()), floor_div((**b).clone(), rhs));
    }
    node(Op::FloorDiv, lhs, rhs)
}

fn floor_quotient(a: i64, b: i64) -> Option<i64> {
    let quotient = a.checked_div(b)?;
    Some(if a % b != 0 && (a < 0) != (b < 0) { quotient - 1 } else { quotient })
}

fn ceil_div(lhs: Affine, rhs: Affine) -> Affine {
    let Some(by) = rhs.constant().filter(|it| *it != 0) else {
        return node(Op::CeilDiv, lhs, rhs);
    };
    if let Some(value) = lhs.constant().and_then(i64::checked_neg) {
        let quotient = floor_quotient(value, by).and_then(i64::checked_neg);
        return quotient.map_or_else(|| node(Op::CeilDiv, lhs, rhs), Constant);
    }
    if by == 1 {
        return lhs;
    }
    if let (inner, factor) = split_factor(&lhs)
        && by > 0
        && factor != 1
        && factor % by == 0
    {
        return mul(inner.clone(), Constant(factor / by));
    }
    node(Op::CeilDiv, lhs, rhs)
}

fn modulo(lhs: Affine, rhs: Affine) -> Affine {
    let Some(by) = rhs.constant().filter(|it| *it >= 1) else {
        return node(Op::Mod, lhs, rhs);
    };
    if let Some(value) = lhs.constant() {
        return Constant(value.rem_euclid(by));
    }
    if lhs.is_multiple_of(by) {
        return Constant(0);
    }
    match &lhs {
        Binary(Op::Add, a, b) if a.is_multiple_of(by) => return modulo((**b).clone(), rhs),
        Binary(Op::Add, a, b) if b.is_multiple_of(by) => return modulo((**a).clone(), rhs),
        Binary(Op::Mod, a, b) => {
            if let Some(inner) = b.constant()
                && inner % by == 0
            {
                return modulo((**a).clone(), rhs);
            }
        }
        _ => {}
    }
    node(Op::Mod, lhs, rhs)
}

/// How words and values in an expression are named.
pub trait Names {
    /// The dimension or symbol of a word or value; `symbol` if it stands in `symbol(…)`.
    fn resolve(&mut self, name: &str, symbol: bool) -> Option<Affine>;
}

/// The names of the header of a map.
#[derive(Default)]
struct Header<'t> {
    names: FxHashMap<&'t str, Affine>,
}

impl Names for Header<'_> {
    fn resolve(&mut self, name: &str, _: bool) -> Option<Affine> {
        self.names.get(name).cloned()
    }
}

/// Reads an expression: sums of products.
pub fn expression(cursor: &mut Cursor<'_>, names: &mut dyn Names) -> Option<Affine> {
    sum(cursor, names, 0)
}

fn sum(cursor: &mut Cursor<'_>, names: &mut dyn Names, depth: u32) -> Option<Affine> {
    if depth > MAX_DEPTH {
        return None;
    }
    let mut res = product(cursor, names, depth)?;
    // Every operator makes the tree at most one level deeper.
    let mut depth = depth;
    loop {
        let minus = match cursor.peek() {
            Token::Mark('+') => false,
            Token::Mark('-') => true,
            _ => return Some(res),
        };
        depth += 1;
        if depth > MAX_DEPTH {
            return None;
        }
        cursor.next();
        let rhs = product(cursor, names, depth)?;
        let rhs = if minus { mul(rhs, Constant(-1)) } else { rhs };
        res = add(res, rhs);
    }
}

fn product(cursor: &mut Cursor<'_>, names: &mut dyn Names, depth: u32) -> Option<Affine> {
    let mut res = factor(cursor, names, depth)?;
    let mut depth = depth;
    loop {
        let op = match cursor.peek() {
            Token::Mark('*') => Op::Mul,
            Token::Word("mod") => Op::Mod,
            Token::Word("floordiv") => Op::FloorDiv,
            Token::Word("ceildiv") => Op::CeilDiv,
            _ => return Some(res),
        };
        depth += 1;
        if depth > MAX_DEPTH {
            return None;
        }
        cursor.next();
        let rhs = factor(cursor, names, depth)?;
        res = build(op, res, rhs);
    }
}

fn factor(cursor: &mut Cursor<'_>, names: &mut dyn Names, depth: u32) -> Option<Affine> {
    match cursor.next() {
        Token::Number(text) => text.parse().ok().map(Constant),
        Token::Mark('-') => {
            let operand = (depth < MAX_DEPTH).then(|| factor(cursor, names, depth + 1))??;
            Some(mul(operand, Constant(-1)))
        }
        Token::Mark('(') => {
            let inner = sum(cursor, names, depth + 1)?;
            cursor.eat(')').then_some(inner)
        }
        Token::Word("symbol") if cursor.at('(') => {
            cursor.next();
            let Token::Name(name) = cursor.next() else { return None };
            let name = value_name(cursor, name);
            cursor.eat(')').then(|| names.resolve(&name, true))?
        }
        Token::Word(name) => names.resolve(name, false),
        Token::Name(name) if name.starts_with('%') => {
            let name = value_name(cursor, name);
            names.resolve(&name, false)
        }
        _ => None,
    }
}

/// A value with its number in a pack.
fn value_name(cursor: &mut Cursor<'_>, name: &str) -> String {
    let mut res = name.to_owned();
    if cursor.adjacent(b'#')
        && let Token::Name(number) = cursor.next()
    {
        res.push_str(number);
    }
    res
}

/// A map or set: how many dimensions and symbols it has, and its results.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Map {
    /// The number of dimensions.
    pub dims: usize,
    /// The number of symbols.
    pub symbols: usize,
    /// Its results; of a set, the left sides of its constraints.
    pub results: Vec<Affine>,
    /// Of a set: whether each constraint is an equation.
    pub equations: Option<Vec<bool>>,
}

impl Map {
    /// A map of these results.
    pub fn new(dims: usize, symbols: usize, results: Vec<Affine>) -> Map {
        Map { dims, symbols, results, equations: None }
    }

    /// The value of each result for values of dimensions and symbols; `None` for a division by a number that is not
    /// positive, or an overflow.
    pub fn evaluate(&self, dims: &[i64], symbols: &[i64]) -> Option<Vec<i64>> {
        self.results.iter().map(|it| it.evaluate(dims, symbols)).collect()
    }

    /// Returns true if the map returns its dimensions unchanged.
    pub fn is_identity(&self) -> bool {
        self.symbols == 0
            && self.results.len() == self.dims
            && self.results.iter().enumerate().all(|(at, it)| *it == Dim(at))
    }

    /// Returns true if the map returns its last dimensions unchanged.
    pub fn is_minor_identity(&self) -> bool {
        let first = self.dims.checked_sub(self.results.len());
        self.symbols == 0
            && first.is_some_and(|first| {
                self.results.iter().enumerate().all(|(at, it)| *it == Dim(first + at))
            })
    }

    /// Reads the text between `<` and `>` of `affine_map<…>` or `affine_set<…>`.
    pub fn parse(text: &str, set: bool) -> Option<Map> {
        let mut cursor = Cursor::new(text);
        let mut header = Header::default();
        let dims = names_in(&mut cursor, '(', ')', &mut header, Dim)?;
        let mut symbols = 0;
        if cursor.at('[') {
            symbols = names_in(&mut cursor, '[', ']', &mut header, Symbol)?;
        }
        let separator = cursor.next();
        let expected = if set { Token::Mark(':') } else { Token::Arrow };
        if separator != expected || !cursor.eat('(') {
            return None;
        }
        let mut map = Map::new(dims, symbols, Vec::new());
        let mut equations = Vec::new();
        while !cursor.eat(')') {
            let lhs = expression(&mut cursor, &mut header)?;
            map.results.push(if set {
                constraint(&mut cursor, &mut header, lhs, &mut equations)?
            } else {
                lhs
            });
            if !cursor.eat(',') && !cursor.at(')') {
                return None;
            }
        }
        map.equations = set.then_some(equations);
        cursor.at_end().then_some(map)
    }

    /// The text with its word: `affine_map<(d0)[s0] -> (d0 + s0)>`.
    pub fn print(&self, out: &mut String) {
        out.push_str(if self.equations.is_some() { "affine_set<(" } else { "affine_map<(" });
        list(out, self.dims, |out, at| out.push_str(&format!("d{at}")));
        out.push(')');
        if self.symbols > 0 {
            out.push('[');
            list(out, self.symbols, |out, at| out.push_str(&format!("s{at}")));
            out.push(']');
        }
        out.push_str(if self.equations.is_some() { " : (" } else { " -> (" });
        list(out, self.results.len(), |out, at| {
            show(&self.results[at], false, out);
            if let Some(equations) = &self.equations {
                out.push_str(if equations[at] { " == 0" } else { " >= 0" });
            }
        });
        out.push_str(")>");
    }
}

/// The rest of `a >= b`, `a <= b`, `a == b` behind `a`: the left side of `… >= 0` or `… == 0`.
fn constraint(
    cursor: &mut Cursor<'_>,
    header: &mut Header<'_>,
    lhs: Affine,
    equations: &mut Vec<bool>,
) -> Option<Affine> {
    let Token::Mark(first @ ('>' | '<' | '=')) = cursor.next() else { return None };
    if !cursor.eat('=') {
        return None;
    }
    let rhs = expression(cursor, header)?;
    equations.push(first == '=');
    let (lhs, rhs) = if first == '<' { (rhs, lhs) } else { (lhs, rhs) };
    Some(if rhs == Constant(0) { lhs } else { add(lhs, mul(rhs, Constant(-1))) })
}

/// Names in brackets, with the expression for each by its number; returns their count.
fn names_in<'t>(
    cursor: &mut Cursor<'t>,
    open: char,
    close: char,
    header: &mut Header<'t>,
    of_number: fn(usize) -> Affine,
) -> Option<usize> {
    if !cursor.eat(open) {
        return None;
    }
    let mut n = 0;
    while !cursor.eat(close) {
        let Token::Word(name) = cursor.next() else { return None };
        // The first of equal names counts.
        header.names.entry(name).or_insert_with(|| of_number(n));
        n += 1;
        if !cursor.eat(',') && !cursor.at(close) {
            return None;
        }
    }
    Some(n)
}

fn list(out: &mut String, n: usize, mut item: impl FnMut(&mut String, usize)) {
    for at in 0..n {
        if at > 0 {
            out.push_str(", ");
        }
        item(out, at);
    }
}

/// Prints an expression; `tight` puts parentheses around sums and products.
fn show(expr: &Affine, tight: bool, out: &mut String) {
    match expr {
        Dim(at) => out.push_str(&format!("d{at}")),
        Symbol(at) => out.push_str(&format!("s{at}")),
        Constant(value) => out.push_str(&value.to_string()),
        Binary(op, a, b) => {
            if tight {
                out.push('(');
            }
            let inner = *op != Op::Add;
            show(a, inner, out);
            if let (Op::Add, Some(positive)) = (op, negated(b)) {
                out.push_str(" - ");
                show(&positive, false, out);
                if tight {
                    out.push(')');
                }
                return;
            }
            out.push_str(match op {
                Op::Add => " + ",
                Op::Mul => " * ",
                Op::Mod => " mod ",
                Op::FloorDiv => " floordiv ",
                Op::CeilDiv => " ceildiv ",
            });
            show(b, inner, out);
            if tight {
                out.push(')');
            }
        }
    }
}

/// `e` of `-e`, where that is how people write it.
fn negated(expr: &Affine) -> Option<Affine> {
    match expr {
        Constant(value) if *value < 0 => value.checked_neg().map(Constant),
        Binary(Op::Mul, a, b)
            if b.constant() == Some(-1) && !matches!(**a, Binary(Op::Add, ..)) =>
        {
            Some((**a).clone())
        }
        _ => None,
    }
}
