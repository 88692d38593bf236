//! Expressions by precedence climbing: recursion only where an operand may nest without bound, and there
//! counted by [`deeper`]; chains of left-associative operators are loops.

use super::{atom::postfix, list::*, *};

/// Binding strength, weakest first. Python's table, from `or` to `**`.
mod power {
    pub(super) const OR: u8 = 1;
    pub(super) const AND: u8 = 2;
    pub(super) const NOT: u8 = 3;
    pub(super) const COMPARE: u8 = 4;
    pub(super) const BIT_OR: u8 = 5;
    pub(super) const BIT_XOR: u8 = 6;
    pub(super) const BIT_AND: u8 = 7;
    pub(super) const SHIFT: u8 = 8;
    pub(super) const SUM: u8 = 9;
    pub(super) const PRODUCT: u8 = 10;
    pub(super) const UNARY: u8 = 11;
    pub(super) const POWER: u8 = 12;
}

/// Parses an item between commas: `*x`, a `yield`, `name := x`, or an expression.
pub(super) fn item(p: &mut Parser<'_>) -> Option<CompletedMarker> {
    match p.current() {
        T![*] => star(p, expr),
        T![**] if p.in_pattern() => star(p, expr),
        T![yield] => yield_expr(p),
        IDENT if p.nth(1) == T![:=] => {
            let m = p.start();
            name(p, NAME);
            p.bump();
            deeper(p, expr);
            Some(m.complete(p, WALRUS_EXPR))
        }
        _ => expr(p),
    }
}

/// Items with commas between: the right side of an assignment, a returned value, a subject.
pub(super) fn items(p: &mut Parser<'_>) -> Option<CompletedMarker> {
    tuple_or_one(p, item)
}

/// Parses the targets of a `for`: stops before `in`.
pub(super) fn targets(p: &mut Parser<'_>) -> Option<CompletedMarker> {
    tuple_or_one(p, |p| if p.at(T![*]) { star(p, target) } else { target(p) })
}

fn target(p: &mut Parser<'_>) -> Option<CompletedMarker> {
    operators(p, power::BIT_OR)
}

/// The pattern of a `case`: stops before `if`.
pub(super) fn pattern(p: &mut Parser<'_>) -> Option<CompletedMarker> {
    tuple_or_one(p, |p| {
        if p.at(T![*]) {
            return star(p, target);
        }
        let lhs = target(p)?;
        Some(as_pattern(p, lhs))
    })
}

fn as_pattern(p: &mut Parser<'_>, lhs: CompletedMarker) -> CompletedMarker {
    if !p.in_pattern() || !p.at(T![as]) {
        return lhs;
    }
    let m = lhs.precede(p);
    p.bump();
    name(p, NAME);
    m.complete(p, AS_PATTERN)
}

fn star(
    p: &mut Parser<'_>,
    operand: fn(&mut Parser<'_>) -> Option<CompletedMarker>,
) -> Option<CompletedMarker> {
    let m = p.start();
    p.bump();
    deeper(p, operand);
    Some(m.complete(p, STAR_EXPR))
}

pub(super) fn yield_expr(p: &mut Parser<'_>) -> Option<CompletedMarker> {
    let m = p.start();
    p.bump();
    if p.eat(T![from]) {
        deeper(p, expr);
    } else {
        deeper(p, items);
    }
    Some(m.complete(p, YIELD_EXPR))
}

/// An expression without comma: a conditional, a `lambda`, or weaker.
pub(super) fn expr(p: &mut Parser<'_>) -> Option<CompletedMarker> {
    let lhs = operators(p, power::OR)?;
    match p.current() {
        T![if] => {
            let m = lhs.precede(p);
            p.bump();
            disjunction(p);
            if p.eat(T![else]) {
                deeper(p, expr);
            }
            Some(m.complete(p, CONDITIONAL_EXPR))
        }
        T![as] => Some(as_pattern(p, lhs)),
        _ => Some(lhs),
    }
}

/// An expression that is no conditional.
pub(super) fn disjunction(p: &mut Parser<'_>) -> Option<CompletedMarker> {
    operators(p, power::OR)
}

fn lambda(p: &mut Parser<'_>) -> Option<CompletedMarker> {
    let m = p.start();
    p.bump();
    lambda_params(p);
    if p.eat(T![:]) {
        expr(p);
    }
    Some(m.complete(p, LAMBDA_EXPR))
}

/// Operands joined by operators that bind at least as strongly as `min`.
fn operators(p: &mut Parser<'_>, min: u8) -> Option<CompletedMarker> {
    let mut lhs = operand(p)?;
    loop {
        let op = p.current();
        let Some(power) = infix_power(p) else { return Some(lhs) };
        if power < min {
            return Some(lhs);
        }
        let m = lhs.precede(p);
        lhs = match power {
            power::OR | power::AND => {
                while p.eat(op) {
                    operators(p, power + 1);
                }
                m.complete(p, BOOL_EXPR)
            }
            power::COMPARE => {
                while infix_power(p) == Some(power::COMPARE) {
                    compare_op(p);
                    operators(p, power::BIT_OR);
                }
                m.complete(p, COMPARE_EXPR)
            }
            _ => {
                operator(p, BINARY_OP);
                if power == power::POWER {
                    deeper(p, |p| operators(p, power::UNARY));
                } else {
                    operators(p, power + 1);
                }
                m.complete(p, BINARY_EXPR)
            }
        };
    }
}

fn operator(p: &mut Parser<'_>, kind: SyntaxKind) {
    let m = p.start();
    p.bump();
    m.complete(p, kind);
}

fn compare_op(p: &mut Parser<'_>) {
    let m = p.start();
    let second = match p.current() {
        T![not] => Some(T![in]),
        T![is] => Some(T![not]),
        _ => None,
    };
    p.bump();
    if let Some(second) = second {
        p.eat(second);
    }
    m.complete(p, COMPARE_OP);
}

#[inline]
fn infix_power(p: &mut Parser<'_>) -> Option<u8> {
    let power = match p.current() {
        T![+] | T![-] => power::SUM,
        T![*] | T![/] | T!["//"] | T![%] | T![@] => power::PRODUCT,
        T![or] => power::OR,
        T![and] => power::AND,
        T![<] | T![>] | T![==] | T![!=] | T![<=] | T![>=] | T![in] | T![is] => power::COMPARE,
        T![not] if p.nth(1) == T![in] => power::COMPARE,
        T![|] => power::BIT_OR,
        T![^] => power::BIT_XOR,
        T![&] => power::BIT_AND,
        T![<<] | T![>>] => power::SHIFT,
        T![**] => power::POWER,
        _ => return None,
    };
    Some(power)
}

fn operand(p: &mut Parser<'_>) -> Option<CompletedMarker> {
    match p.current() {
        T![-] | T![+] | T![~] => unary(p, |p| operators(p, power::UNARY)),
        T![not] => unary(p, |p| operators(p, power::NOT)),
        T![lambda] => deeper(p, lambda),
        T![await] => {
            let m = p.start();
            p.bump();
            postfix(p);
            Some(m.complete(p, AWAIT_EXPR))
        }
        _ => postfix(p),
    }
}

fn unary(
    p: &mut Parser<'_>,
    operand: fn(&mut Parser<'_>) -> Option<CompletedMarker>,
) -> Option<CompletedMarker> {
    let m = p.start();
    operator(p, UNARY_OP);
    deeper(p, operand);
    Some(m.complete(p, UNARY_EXPR))
}
