//! Terms as SMT-LIB 2: sorts, functions and variables that occur, shared terms by name, one assertion a goal.
//!
//! Output: a script without `check-sat`. Linear in the terms reached.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::division::{Division, FLOOR};
use crate::names::COMMUTES;
use crate::term::{Flat, Op, Pool, Sort, Term};

/// The script that asks whether all of these can hold together.
pub(crate) fn script(pool: &Pool, goals: &[Term]) -> String {
    let order = reached(pool, goals);
    let mut out = String::new();
    declare_sorts(pool, &order, &mut out);
    let (mut divisions, mut floors) = (BTreeSet::new(), BTreeSet::new());
    let mut declared = FxHashSet::default();
    for &term in &order {
        let node = pool.node(term);
        if let Some(division) = Division::of(pool, term) {
            if let Some(variable) = division.variable()
                && divisions.insert(division)
            {
                let _ = writeln!(out, "(declare-const {variable} (_ BitVec {}))", division.bits);
            }
        } else if matches!(node.op, Op::FloorDiv | Op::FloorRem)
            && let Some(bits) = node.sort.width()
            && floors.insert(bits)
        {
            out.push_str(&FLOOR.replace('@', &bits.to_string()));
        }
        match node.op {
            Op::Var(name) => {
                let _ = writeln!(out, "(declare-const v{name} {})", sort(node.sort));
            }
            Op::Function(name) if declared.insert(name) => {
                let args: Vec<String> = node.args.iter().map(|&it| sort(pool.sort(it))).collect();
                let _ =
                    writeln!(out, "(declare-fun f{name} ({}) {})", args.join(" "), sort(node.sort));
            }
            _ => {}
        }
        if !is_leaf(node.op) {
            let text = expression(pool, term);
            let _ = writeln!(out, "(define-fun t{} () {} {text})", term.0, sort(node.sort));
        }
    }
    for &term in &order {
        let node = pool.node(term);
        if let (Op::Function(name), [a, b]) = (node.op, &node.args[..])
            && pool.name(name).starts_with(COMMUTES)
        {
            let [a, b] = [reference(pool, *a), reference(pool, *b)];
            let _ = writeln!(out, "(assert (= t{} (f{name} {b} {a})))", term.0);
        }
    }
    for division in &divisions {
        if let Some(condition) = division.condition(&reference(pool, division.dividend)) {
            let _ = writeln!(out, "(assert {condition})");
        }
    }
    for &goal in goals {
        let _ = writeln!(out, "(assert {})", reference(pool, goal));
    }
    out
}

/// The integer variables that a script declares: by name, the number and the width.
pub(crate) fn variables<'a>(pool: &'a Pool, goals: &[Term]) -> FxHashMap<&'a str, (u32, u8)> {
    let mut found = FxHashMap::default();
    for term in reached(pool, goals) {
        let node = pool.node(term);
        if let Op::Var(name) = node.op
            && let Some(bits) = node.sort.width()
        {
            found.insert(pool.name(name), (name, bits));
        }
    }
    found
}

/// Returns true if a function occurs of which nothing is known but that it is one.
pub(crate) fn has_functions(pool: &Pool, goals: &[Term]) -> bool {
    reached(pool, goals).into_iter().any(|it| matches!(pool.node(it).op, Op::Function(_)))
}

/// The terms that the goals are made of, operands first.
fn reached(pool: &Pool, goals: &[Term]) -> Vec<Term> {
    let mut seen = FxHashSet::default();
    let mut stack: Vec<Term> = goals.to_vec();
    while let Some(term) = stack.pop() {
        if seen.insert(term) {
            stack.extend(pool.node(term).args.iter().copied());
        }
    }
    // A term is made after its operands.
    let mut order: Vec<Term> = seen.into_iter().collect();
    order.sort_unstable();
    order
}

fn declare_sorts(pool: &Pool, order: &[Term], out: &mut String) {
    let mut names = BTreeSet::new();
    for &term in order {
        match pool.sort(term) {
            Sort::Flat(Flat::Named(name)) | Sort::Array(_, Flat::Named(name)) => {
                names.insert(name);
            }
            _ => {}
        }
    }
    for name in names {
        let _ = writeln!(out, "(declare-sort S{name} 0)");
    }
}

fn is_leaf(op: Op) -> bool {
    matches!(op, Op::Var(_) | Op::Truth(_) | Op::Bits(_))
}

fn sort(it: Sort) -> String {
    let flat = |it: Flat| match it {
        Flat::Bool => "Bool".to_owned(),
        Flat::Bits(bits) => format!("(_ BitVec {bits})"),
        Flat::Named(name) => format!("S{name}"),
    };
    match it {
        Sort::Flat(it) => flat(it),
        Sort::Array(n, elem) => {
            format!("(Array {}{})", "(_ BitVec 64) ".repeat(n.into()), flat(elem))
        }
    }
}

fn reference(pool: &Pool, term: Term) -> String {
    let node = pool.node(term);
    match node.op {
        Op::Var(name) => format!("v{name}"),
        Op::Truth(value) => value.to_string(),
        Op::Bits(value) => format!("(_ bv{value} {})", node.sort.width().unwrap_or(64)),
        _ => format!("t{}", term.0),
    }
}

fn expression(pool: &Pool, term: Term) -> String {
    let node = pool.node(term);
    if let Some(division) = Division::of(pool, term) {
        let x = reference(pool, division.dividend);
        let is_quotient = matches!(node.op, Op::FloorDiv | Op::Div(_));
        return if is_quotient { division.quotient(&x) } else { division.remainder(&x) };
    }
    let args: Vec<String> = node.args.iter().map(|&it| reference(pool, it)).collect();
    let bits = node.args.first().and_then(|&it| pool.sort(it).width()).unwrap_or(64);
    let by_sign = |is_signed: bool, yes: &str, no: &str| {
        if is_signed { yes.to_owned() } else { no.to_owned() }
    };
    let head = match node.op {
        Op::Var(_) | Op::Truth(_) | Op::Bits(_) => return reference(pool, term),
        Op::Function(name) if args.is_empty() => return format!("f{name}"),
        Op::Function(name) => format!("f{name}"),
        Op::Not => "not".to_owned(),
        Op::And => "and".to_owned(),
        Op::Or => "or".to_owned(),
        Op::Ite => "ite".to_owned(),
        Op::Eq => "=".to_owned(),
        Op::Add => "bvadd".to_owned(),
        Op::Sub => "bvsub".to_owned(),
        Op::Mul => "bvmul".to_owned(),
        Op::Div(s) => by_sign(s, "bvsdiv", "bvudiv"),
        Op::Rem(s) => by_sign(s, "bvsrem", "bvurem"),
        Op::FloorDiv => format!("floor-div-{bits}"),
        Op::FloorRem => format!("floor-rem-{bits}"),
        Op::BitAnd => "bvand".to_owned(),
        Op::BitOr => "bvor".to_owned(),
        Op::BitXor => "bvxor".to_owned(),
        Op::BitNot => "bvnot".to_owned(),
        Op::Shl => "bvshl".to_owned(),
        Op::Shr(s) => by_sign(s, "bvashr", "bvlshr"),
        Op::Less(s) => by_sign(s, "bvslt", "bvult"),
        Op::LessEq(s) => by_sign(s, "bvsle", "bvule"),
        Op::AddOverflows(s) | Op::SubOverflows(s) => {
            let op = if matches!(node.op, Op::AddOverflows(_)) { "bvadd" } else { "bvsub" };
            let extend = format!("(_ {} 1)", by_sign(s, "sign_extend", "zero_extend"));
            let [a, b] = [&args[0], &args[1]];
            return format!(
                "(distinct ({op} ({extend} {a}) ({extend} {b})) ({extend} ({op} {a} {b})))"
            );
        }
        Op::MulOverflows(s) => return multiplied(pool, node.args[0], node.args[1], s, bits),
        Op::Extend(s) => {
            let more = node.sort.width().unwrap_or(64) - bits;
            format!("(_ {} {more})", by_sign(s, "sign_extend", "zero_extend"))
        }
        Op::Truncate => format!("(_ extract {} 0)", node.sort.width().unwrap_or(64) - 1),
        Op::Select => "select".to_owned(),
        Op::Store => "store".to_owned(),
    };
    format!("({head} {})", args.join(" "))
}

/// The condition under which a product leaves its width. With a constant factor the other one is compared with two
/// bounds, which costs a solver far less than a multiplier of twice the width.
fn multiplied(pool: &Pool, a: Term, b: Term, is_signed: bool, bits: u8) -> String {
    let (x, y) = (reference(pool, a), reference(pool, b));
    let constant = [(a, &y), (b, &x)]
        .into_iter()
        .find_map(|(it, other)| Some((pool.known_int(it)?, other.clone())));
    if let Some((factor, other)) = constant
        && is_signed
        && factor != -1
    {
        let (min, max) = (-(1i128 << (bits - 1)), (1i128 << (bits - 1)) - 1);
        let factor = i128::from(factor);
        if factor == 0 {
            return "false".to_owned();
        }
        let floor = |a: i128| a / factor - i128::from(a % factor != 0 && (a < 0) != (factor < 0));
        let ceiling = |a: i128| a / factor + i128::from(a % factor != 0 && (a < 0) == (factor < 0));
        let (low, high) = if factor > 0 { (min, max) } else { (max, min) };
        let (least, greatest) = (ceiling(low).max(min), floor(high).min(max));
        let constant = |it: i128| format!("(_ bv{} {bits})", crate::term::low(it as u64, bits));
        return format!(
            "(or (bvslt {other} {}) (bvslt {} {other}))",
            constant(least),
            constant(greatest)
        );
    }
    if is_signed {
        format!("(not (and (bvsmul_noovfl {x} {y}) (bvsmul_noudfl {x} {y})))")
    } else {
        format!("(not (bvumul_noovfl {x} {y}))")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::term::signed;

    /// The bounds of the other factor, against all of them.
    #[test]
    fn a_product_by_a_constant_overflows_outside_of_two_bounds() {
        for factor in -128i64..128 {
            if factor == -1 {
                continue;
            }
            let mut pool = Pool::default();
            let x = pool.var("x", Sort::bits(8));
            let c = pool.bits(factor, 8);
            let text = multiplied(&pool, x, c, true, 8);
            let numbers: Vec<i64> = text
                .split("(_ bv")
                .skip(1)
                .filter_map(|it| it.split(' ').next()?.parse().ok())
                .map(|it: u64| signed(it, 8))
                .collect();
            for other in -128i64..128 {
                let overflows = !(-128..128).contains(&(other * factor));
                let said = match numbers[..] {
                    [least, greatest] => other < least || greatest < other,
                    _ => text == "true",
                };
                assert_eq!(said, overflows, "{other} * {factor}: {text}");
            }
        }
    }
}
