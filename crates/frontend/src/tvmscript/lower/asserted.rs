//! Facts of captured values: what Python has checked before it makes the function (`SEMANTICS: G7`).
//!
//! In: the conditions of [`Environment::assertions`], read with the texts of captured values (`captured`). Out: the
//! truth of comparisons between captured values, and facts of single ones for `ir::Asserted`. A captured value may be a
//! float, or a number of TVM: only conditions are decided, no value is replaced by an integer.
//!
//! [`Environment::assertions`]: crate::tvmscript::environment::Environment::assertions

use std::rc::Rc;

use ir::{BinaryOp, asserted::Number, print::Level};
use rustc_hash::FxHashMap;
use syntax::SyntaxKind;

use super::{Lowerer, captured, operators};
use crate::tvmscript::{
    ast::{self, Ast, CompareKind, Ex, ExKind},
    environment::{Assertion, Capture, Constant},
    staging::Kind,
};

/// Conditions that are shown of one name.
const MOST_SHOWN: usize = 4;

/// All that is known of captured values, by their texts.
#[derive(Default, Debug)]
pub(super) struct Facts {
    /// Conditions that have been decided.
    truths: FxHashMap<Box<str>, bool>,
    numbers: FxHashMap<Box<str>, Known>,
    /// `a < b` or `a <= b` of two captured values.
    orders: Vec<Order>,
    /// The conditions as they are written, each with the numbers in it.
    conditions: Vec<(Box<str>, Vec<Box<str>>)>,
}

#[derive(Debug)]
struct Order {
    less: Box<str>,
    greater: Box<str>,
    is_strict: bool,
}

/// A number that is known in part. Bounds are of the number itself.
#[derive(Clone, Copy, Debug)]
struct Known {
    min: Option<Bound>,
    max: Option<Bound>,
    divisor: i64,
    remainder: i64,
    /// It is an integer, of whatever type.
    is_whole: bool,
    is_int: bool,
}

#[derive(Clone, Copy, PartialEq, Debug)]
struct Bound {
    value: i64,
    is_strict: bool,
}

impl Default for Known {
    fn default() -> Self {
        Known { min: None, max: None, divisor: 1, remainder: 0, is_whole: false, is_int: false }
    }
}

impl Known {
    fn exactly(value: i64) -> Known {
        let bound = Some(Bound { value, is_strict: false });
        Known { min: bound, max: bound, is_whole: true, ..Known::default() }
    }

    /// The least integer that it may be, or that it becomes where it is cut.
    fn least(&self) -> Option<i64> {
        let it = self.min?;
        it.value.checked_add(i64::from(it.is_strict && self.is_whole))
    }

    fn greatest(&self) -> Option<i64> {
        let it = self.max?;
        it.value.checked_sub(i64::from(it.is_strict && self.is_whole))
    }

    fn at_least(&mut self, value: i64, is_strict: bool) {
        let new = Bound { value, is_strict };
        if self.min.is_none_or(|it| (it.value, it.is_strict) < (value, is_strict)) {
            self.min = Some(new);
        }
    }

    fn at_most(&mut self, value: i64, is_strict: bool) {
        let new = Bound { value, is_strict };
        if self.max.is_none_or(|it| (value, !is_strict) < (it.value, !it.is_strict)) {
            self.max = Some(new);
        }
    }

    fn congruent(&mut self, divisor: i64, remainder: i64) {
        self.is_whole = true;
        let remainder = remainder.rem_euclid(divisor);
        // Of two congruences, that of the multiple; others are few.
        if divisor % self.divisor == 0 {
            (self.divisor, self.remainder) = (divisor, remainder);
        }
    }

    /// The truth of a comparison with an integer.
    fn compared(&self, op: BinaryOp, other: i64) -> Option<bool> {
        let above = |strictly: bool| {
            self.min.is_some_and(|it| {
                it.value > other || it.value == other && (it.is_strict || !strictly)
            }) || self.least().is_some_and(|it| it > other)
        };
        let below = |strictly: bool| {
            self.max.is_some_and(|it| {
                it.value < other || it.value == other && (it.is_strict || !strictly)
            }) || self.greatest().is_some_and(|it| it < other)
        };
        let is_other = self.is_whole && other.rem_euclid(self.divisor) != self.remainder
            || above(true)
            || below(true);
        let decided = |yes: bool, no: bool| if yes { Some(true) } else { no.then_some(false) };
        match op {
            BinaryOp::Eq => decided(above(false) && below(false), is_other),
            BinaryOp::Ne => decided(is_other, above(false) && below(false)),
            BinaryOp::Lt => decided(below(true), above(false)),
            BinaryOp::Le => decided(below(false), above(true)),
            BinaryOp::Gt => decided(above(true), below(false)),
            BinaryOp::Ge => decided(above(false), below(true)),
            _ => None,
        }
    }

    fn number(&self) -> Number {
        Number {
            min: self.least(),
            max: self.greatest(),
            divisor: self.divisor,
            remainder: self.remainder,
            is_int: self.is_int,
        }
    }
}

/// A side of a comparison.
enum Side {
    Integer(i64),
    Text(Box<str>),
}

impl Facts {
    /// The truth of a condition that was written so.
    fn truth(&self, text: &str) -> Option<bool> {
        self.truths.get(text).copied()
    }

    /// The truth of a value as a condition, by its text.
    fn as_condition(&self, text: &str) -> Option<bool> {
        if let Some(inner) =
            text.strip_prefix("not ").filter(|it| Level::of_text(it) == Level::Atom)
        {
            return self.as_condition(unwrapped(inner)).map(|it| !it);
        }
        self.truth(text).or_else(|| self.with_integer(BinaryOp::Ne, text, 0))
    }

    /// The truth of `a op b`, by their texts.
    pub(super) fn compared(&self, op: BinaryOp, a: &str, b: &str) -> Option<bool> {
        if self.conditions.is_empty() {
            return None;
        }
        let known = |op: BinaryOp, a: &str, b: &str| self.truth(&spelled(op, a, b));
        let turned_op = operators::turned(op)?;
        if let Some(truth) = known(op, a, b).or_else(|| known(turned_op, b, a)) {
            return Some(truth);
        }
        if let (BinaryOp::Eq | BinaryOp::Ne, Some(other)) = (op, negated(op))
            && let Some(truth) = known(other, a, b).or_else(|| known(other, b, a))
        {
            return Some(!truth);
        }
        match (a.parse::<i64>(), b.parse::<i64>()) {
            (Err(_), Ok(b)) => self.with_integer(op, a, b),
            (Ok(a), Err(_)) => self.with_integer(turned_op, b, a),
            _ => self.ordered(op, a, b),
        }
    }

    fn with_integer(&self, op: BinaryOp, text: &str, other: i64) -> Option<bool> {
        if let Some((number, divisor)) = remainder_of(text)
            && let Some(known) = self.numbers.get(number).filter(|it| it.divisor % divisor == 0)
        {
            return Known::exactly(known.remainder.rem_euclid(divisor)).compared(op, other);
        }
        self.numbers.get(text)?.compared(op, other)
    }

    fn ordered(&self, op: BinaryOp, a: &str, b: &str) -> Option<bool> {
        let is_less = |a: &str, b: &str, strictly: bool| {
            self.orders
                .iter()
                .any(|it| *it.less == *a && *it.greater == *b && (it.is_strict || !strictly))
        };
        let decided = |yes: bool, no: bool| if yes { Some(true) } else { no.then_some(false) };
        match op {
            BinaryOp::Lt => decided(is_less(a, b, true), is_less(b, a, false)),
            BinaryOp::Le => decided(is_less(a, b, false), is_less(b, a, true)),
            BinaryOp::Gt => decided(is_less(b, a, true), is_less(a, b, false)),
            BinaryOp::Ge => decided(is_less(b, a, false), is_less(a, b, true)),
            BinaryOp::Eq | BinaryOp::Ne => {
                let differs = is_less(a, b, true) || is_less(b, a, true);
                let is_equal = is_less(a, b, false) && is_less(b, a, false);
                decided(is_equal, differs).map(|it| it == (op == BinaryOp::Eq))
            }
            _ => None,
        }
    }

    /// Takes down that a comparison holds.
    fn compare(&mut self, op: BinaryOp, a: Side, b: Side) {
        use BinaryOp as B;
        match (a, b) {
            (Side::Text(text), Side::Integer(other)) => self.holds(op, &text, other),
            (Side::Integer(other), Side::Text(text)) => {
                if let Some(op) = operators::turned(op) {
                    self.holds(op, &text, other);
                }
            }
            (Side::Text(a), Side::Text(b)) => match op {
                B::Lt | B::Le => {
                    self.orders.push(Order { less: a, greater: b, is_strict: op == B::Lt });
                }
                B::Gt | B::Ge => {
                    self.orders.push(Order { less: b, greater: a, is_strict: op == B::Gt });
                }
                B::Eq => {
                    let (less, greater) = (a.clone(), b.clone());
                    self.orders.push(Order { less, greater, is_strict: false });
                    self.orders.push(Order { less: b, greater: a, is_strict: false });
                }
                _ => {}
            },
            (Side::Integer(_), Side::Integer(_)) => {}
        }
    }

    fn holds(&mut self, op: BinaryOp, text: &str, other: i64) {
        use BinaryOp as B;
        if let (B::Eq, Some((number, divisor))) = (op, remainder_of(text)) {
            self.numbers.entry(number.into()).or_default().congruent(divisor, other);
            return;
        }
        let number = self.numbers.entry(text.into()).or_default();
        match op {
            B::Eq => {
                number.is_whole = true;
                number.at_least(other, false);
                number.at_most(other, false);
            }
            B::Ge | B::Gt => number.at_least(other, op == B::Gt),
            B::Le | B::Lt => number.at_most(other, op == B::Lt),
            _ => {}
        }
    }
}

/// `x` and `16` of `x % 16`.
fn remainder_of(text: &str) -> Option<(&str, i64)> {
    if Level::of_text(text) != Level::Product {
        return None;
    }
    let (number, divisor) = text.rsplit_once(" % ")?;
    let divisor = divisor.parse::<i64>().ok().filter(|it| *it > 0)?;
    Some((unwrapped(number), divisor))
}

/// A text without the parentheses around all of it.
fn unwrapped(text: &str) -> &str {
    let is_one = Level::of_text(text) == Level::Atom;
    let inner = text.strip_prefix('(').and_then(|it| it.strip_suffix(')'));
    inner.filter(|_| is_one).unwrap_or(text)
}

/// The operator that is true where this one is false: of numbers that can be compared.
fn negated(op: BinaryOp) -> Option<BinaryOp> {
    Some(match op {
        BinaryOp::Eq => BinaryOp::Ne,
        BinaryOp::Ne => BinaryOp::Eq,
        BinaryOp::Lt => BinaryOp::Ge,
        BinaryOp::Le => BinaryOp::Gt,
        BinaryOp::Gt => BinaryOp::Le,
        BinaryOp::Ge => BinaryOp::Lt,
        _ => return None,
    })
}

fn spelled(op: BinaryOp, a: &str, b: &str) -> String {
    captured::binary_text(captured::comparison_sign(op).unwrap_or("=="), a, b)
}

impl Lowerer<'_, '_, '_> {
    /// The facts of captured values, read when they are asked for first.
    pub(super) fn facts(&mut self) -> Rc<Facts> {
        if let Some(known) = &self.s.facts {
            return known.clone();
        }
        let mut facts = Facts::default();
        for assertion in self.s.env.assertions() {
            let ast = ast::read(&assertion.condition);
            self.condition(&ast, &assertion, &mut facts);
        }
        let facts = Rc::new(facts);
        self.s.facts = Some(facts.clone());
        facts
    }

    fn condition(&self, ast: &Ast<'_>, of: &Assertion, facts: &mut Facts) {
        let Some(&root) = ast.root_exprs.first() else { return };
        let mut todo = vec![(root, of.holds)];
        while let Some((ex, holds)) = todo.pop() {
            match *ast.kind(ex) {
                ExKind::Logic { op, operands } if (op == SyntaxKind::AND_KW) == holds => {
                    todo.extend(ast.exs(operands).iter().rev().map(|it| (*it, holds)));
                }
                ExKind::Unary { op: SyntaxKind::NOT_KW, operand } => todo.push((operand, !holds)),
                ExKind::Compare { operands, ops } if holds || ops.len() == 1 => {
                    let operands = ast.exs(operands);
                    for (pair, &kind) in operands.windows(2).zip(ast.ops(ops)) {
                        self.comparison(ast, [pair[0], pair[1]], kind, holds, facts);
                    }
                }
                _ => {
                    if let Some(text) = self.text_of(ast, ex) {
                        facts.truths.insert(text.clone().into(), holds);
                        facts.conditions.push((written(&text, holds), vec![text.into()]));
                    }
                }
            }
        }
    }

    fn comparison(
        &self,
        ast: &Ast<'_>,
        sides: [Ex; 2],
        kind: CompareKind,
        holds: bool,
        facts: &mut Facts,
    ) {
        let [Some(a), Some(b)] = sides.map(|it| self.text_of(ast, it)) else { return };
        let CompareKind::Binary(op) = kind else {
            if let Some(sign) = captured::sign_of(kind) {
                let text = captured::binary_text(sign, &a, &b);
                facts.truths.insert(text.clone().into(), holds);
                facts.conditions.push((written(&text, holds), vec![a.into(), b.into()]));
            }
            return;
        };
        let text = spelled(op, &a, &b);
        facts.conditions.push((written(&text, holds), vec![a.clone().into(), b.clone().into()]));
        facts.truths.insert(text.into(), holds);
        let is_whole = [sides[0], sides[1]].iter().all(|it| self.is_integer(ast, *it));
        // `not a < b` says nothing more of what may be no number.
        let op = match holds {
            true => Some(op),
            false if is_whole || matches!(op, BinaryOp::Ne | BinaryOp::Eq) => negated(op),
            false => None,
        };
        let Some(op) = op else { return };
        let side = |text: &str| match text.parse() {
            Ok(it) => Side::Integer(it),
            Err(_) => Side::Text(text.into()),
        };
        for (text, ex) in [(&a, sides[0]), (&b, sides[1])] {
            let number = remainder_of(text).map_or(&**text, |it| it.0);
            let is_int = match *ast.kind(ex) {
                ExKind::Binary { op: SyntaxKind::PERCENT, lhs, .. } => self.is_integer(ast, lhs),
                _ => self.is_integer(ast, ex),
            };
            if is_int && number.parse::<i64>().is_err() {
                let known = facts.numbers.entry(number.into()).or_default();
                (known.is_whole, known.is_int) = (true, true);
            }
        }
        facts.compare(op, side(&a), side(&b));
    }

    /// Returns true for a number, and for a name of which Python says that it is an `int`.
    fn is_integer(&self, ast: &Ast<'_>, ex: Ex) -> bool {
        match *ast.kind(ex) {
            ExKind::Int(_) => true,
            ExKind::Name(name) => match self.s.env.resolve(name) {
                Capture::Constant(Constant::Int(_)) => true,
                Capture::Constant(Constant::Unknown(it)) | Capture::Unknown(it) => {
                    it.kind == Kind::Int
                }
                _ => false,
            },
            ExKind::Binary { op, lhs, rhs } => {
                let is_exact = matches!(
                    op,
                    SyntaxKind::PLUS
                        | SyntaxKind::MINUS
                        | SyntaxKind::STAR
                        | SyntaxKind::SLASH2
                        | SyntaxKind::PERCENT
                );
                is_exact && self.is_integer(ast, lhs) && self.is_integer(ast, rhs)
            }
            _ => false,
        }
    }

    /// The text of a captured value or of a constant, in the spelling of `captured`.
    fn text_of(&self, ast: &Ast<'_>, ex: Ex) -> Option<String> {
        ir::stack::with_room(|| match *ast.kind(ex) {
            ExKind::Name(name) => match self.s.env.resolve(name) {
                Capture::Constant(Constant::Unknown(_)) | Capture::Unknown(_) => {
                    Some(name.to_owned())
                }
                Capture::Constant(it) => captured::constant_text(&it),
                Capture::Path(path) => path.strip_prefix("builtins.").map(str::to_owned),
                _ => None,
            },
            ExKind::Attr { base, name, .. } => {
                Some(format!("{}.{name}", captured::atom(&self.text_of(ast, base)?)))
            }
            ExKind::Subscript { base, index } => {
                let (base, index) = (self.text_of(ast, base)?, self.text_of(ast, index)?);
                Some(format!("{}[{index}]", captured::atom(&base)))
            }
            ExKind::Call { callee, args } => {
                let ExKind::Name(name) = *ast.kind(callee) else { return None };
                captured::is_pure_builtin(name).then_some(())?;
                let args = ast.args(args).iter().map(|it| match it.keyword {
                    None => self.text_of(ast, it.value),
                    Some(_) => None,
                });
                Some(format!("{name}({})", args.collect::<Option<Vec<_>>>()?.join(", ")))
            }
            ExKind::Binary { op, lhs, rhs } => {
                let (a, b) = (self.text_of(ast, lhs)?, self.text_of(ast, rhs)?);
                let sign = operators::operator_text(op)?;
                Some(captured::binary_text(sign, &a, &b))
            }
            ExKind::Compare { operands, ops } if ops.len() == 1 => {
                let [a, b] = ast.exs(operands) else { return None };
                let sign = captured::sign_of(ast.ops(ops)[0])?;
                let (a, b) = (self.text_of(ast, *a)?, self.text_of(ast, *b)?);
                Some(captured::binary_text(sign, &a, &b))
            }
            ExKind::Int(it) => Some(it.get().to_string()),
            ExKind::Str(it) => Some(ir::print::string_literal(ast.string(it))),
            ExKind::None => Some("None".to_owned()),
            _ => None,
        })
    }

    /// The sentence about a captured name, with what Python has checked of it.
    pub(super) fn with_conditions(
        &mut self,
        note: Box<str>,
        capture: &Capture,
        name: &str,
    ) -> Box<str> {
        if !matches!(capture, Capture::Unknown(_) | Capture::Constant(Constant::Unknown(_))) {
            return note;
        }
        let facts = self.facts();
        let of_name = |texts: &[Box<str>]| texts.iter().any(|it| mentions(it, name));
        let known = facts.conditions.iter().filter(|it| of_name(&it.1));
        let known: Vec<String> = known.take(MOST_SHOWN).map(|it| format!("`{}`", it.0)).collect();
        match known.is_empty() {
            true => note,
            false => format!("{note}; checked before: {}", known.join(", ")).into(),
        }
    }

    /// Gives the body what is known of the captured values that it has.
    pub(super) fn keep_facts(&mut self) {
        let Some(facts) = self.s.facts.clone() else { return };
        let mut used = Vec::new();
        for (condition, texts) in &facts.conditions {
            let is_used = texts.iter().any(|it| {
                let number = remainder_of(it).map_or(&**it, |it| it.0);
                let known = self.s.body.lookup_name(number);
                known.is_some_and(|it| self.s.captured.contains_key(&it))
            });
            used.extend(is_used.then(|| condition.clone()));
        }
        let mut numbers: Vec<(ir::ValueId, Number)> = facts
            .numbers
            .iter()
            .filter_map(|(text, known)| {
                let name = self.s.body.lookup_name(text)?;
                Some((*self.s.captured.get(&name)?, known.number()))
            })
            .collect();
        numbers.sort_unstable_by_key(|it| it.0);
        used.dedup();
        self.s.body.asserted = ir::asserted::Asserted { conditions: used, numbers };
    }

    /// The truth of a captured value as a condition, if that has been checked.
    pub(super) fn checked_truth(&mut self, value: ir::ValueId) -> Option<bool> {
        let facts = self.facts();
        facts.as_condition(self.s.body.name(self.s.body.values[value].name))
    }

    /// The truth of a comparison of captured values and constants, if that has been checked.
    pub(super) fn checked_comparison(&mut self, op: CompareKind, a: &str, b: &str) -> Option<bool> {
        let facts = self.facts();
        match op {
            CompareKind::Binary(op) => facts.compared(op, a, b),
            _ => facts.truth(&captured::binary_text(captured::sign_of(op)?, a, b)),
        }
    }
}

fn written(text: &str, holds: bool) -> Box<str> {
    if holds { text.into() } else { format!("not {}", captured::atom(text)).into() }
}

/// Returns true if a name is a word of a text.
fn mentions(text: &str, name: &str) -> bool {
    let is_word = |it: char| it.is_alphanumeric() || it == '_';
    text.split(|it: char| !is_word(it)).any(|it| it == name)
}
