//! Terms of the logic: hash-consed, typed, folded where that is trivial.
//!
//! Both functions of a question are written in one pool, so that what they have in common is one term and needs no
//! proof. Folding is kept to what one line can justify; everything else is the solver's.

use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

/// A term of a [`Pool`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct Term(pub(crate) u32);

/// A sort that is no array.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Flat {
    /// Truth values.
    Bool,
    /// Integers of this many bits.
    Bits(u8),
    /// Values of which only equality is known, by the number of the sort's name: floats, vectors, pointers.
    Named(u32),
}

/// A sort.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Sort {
    /// One value.
    Flat(Flat),
    /// Elements by this many indices of 64 bits.
    Array(u8, Flat),
}

impl Sort {
    pub(crate) const BOOL: Sort = Sort::Flat(Flat::Bool);

    /// The sort of integers of this many bits.
    pub(crate) fn bits(bits: u8) -> Sort {
        Sort::Flat(Flat::Bits(bits))
    }

    /// The width of integers.
    pub(crate) fn width(self) -> Option<u8> {
        match self {
            Sort::Flat(Flat::Bits(bits)) => Some(bits),
            _ => None,
        }
    }
}

/// The operation of a term.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Op {
    /// A constant of the logic with no known value, by the number of its name.
    Var(u32),
    /// `true`, `false`
    Truth(bool),
    /// An integer: its bits, zero-extended.
    Bits(u64),
    /// A function of which only congruence is known, by the number of its name.
    Function(u32),
    Not,
    And,
    Or,
    Ite,
    Eq,
    Add,
    Sub,
    Mul,
    /// Quotient and remainder, rounded to zero; true for signed operands.
    Div(bool),
    Rem(bool),
    /// Quotient and remainder, rounded down, of signed operands.
    FloorDiv,
    FloorRem,
    BitAnd,
    BitOr,
    BitXor,
    BitNot,
    Shl,
    /// True for the arithmetic shift.
    Shr(bool),
    /// `<`, `<=`; true for signed operands.
    Less(bool),
    LessEq(bool),
    /// True where the exact result leaves the width; true for signed operands.
    AddOverflows(bool),
    SubOverflows(bool),
    MulOverflows(bool),
    /// To the width of the term; true to keep the sign.
    Extend(bool),
    /// The low bits, as many as the term has.
    Truncate,
    /// An element of an array: the array, then the indices.
    Select,
    /// An array with one element changed: the array, the indices, the value.
    Store,
}

/// The operands of a term.
pub(crate) type Args = SmallVec<[Term; 4]>;

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Node {
    pub(crate) op: Op,
    pub(crate) args: Args,
    pub(crate) sort: Sort,
}

/// All terms of one question.
#[derive(Debug, Default)]
pub(crate) struct Pool {
    nodes: Vec<Node>,
    index: FxHashMap<Node, Term>,
    names: Vec<String>,
    by_name: FxHashMap<String, u32>,
    n_fresh: usize,
    alike: FxHashMap<(Term, Term), Term>,
}

impl Pool {
    pub(crate) fn node(&self, term: Term) -> &Node {
        &self.nodes[term.0 as usize]
    }
    pub(crate) fn sort(&self, term: Term) -> Sort {
        self.node(term).sort
    }
    pub(crate) fn name(&self, id: u32) -> &str {
        &self.names[id as usize]
    }
    pub(crate) fn intern(&mut self, name: &str) -> u32 {
        if let Some(&id) = self.by_name.get(name) {
            return id;
        }
        let id = self.names.len() as u32;
        self.names.push(name.to_owned());
        self.by_name.insert(name.to_owned(), id);
        id
    }
    /// The sort of values of which only equality is known.
    pub(crate) fn named(&mut self, name: &str) -> Flat {
        Flat::Named(self.intern(name))
    }

    pub(crate) fn make(&mut self, op: Op, args: &[Term], sort: Sort) -> Term {
        let node = Node { op, args: args.into(), sort };
        if let Some(&term) = self.index.get(&node) {
            return term;
        }
        let term = Term(self.nodes.len() as u32);
        self.nodes.push(node.clone());
        self.index.insert(node, term);
        term
    }

    pub(crate) fn var(&mut self, name: &str, sort: Sort) -> Term {
        let name = self.intern(name);
        self.make(Op::Var(name), &[], sort)
    }
    /// A variable that no other term has.
    pub(crate) fn fresh(&mut self, what: &str, sort: Sort) -> Term {
        self.n_fresh += 1;
        self.var(&format!("{what}!{}", self.n_fresh), sort)
    }
    pub(crate) fn function(&mut self, name: &str, args: &[Term], sort: Sort) -> Term {
        // One function has one signature.
        let mut full = name.to_owned();
        for &arg in args {
            full.push_str(&self.mark(self.sort(arg)));
        }
        full.push_str(&self.mark(sort));
        let name = self.intern(&full);
        self.make(Op::Function(name), args, sort)
    }
    fn mark(&self, sort: Sort) -> String {
        let flat = |it: Flat| match it {
            Flat::Bool => "b".to_owned(),
            Flat::Bits(bits) => bits.to_string(),
            Flat::Named(name) => format!("s{name}"),
        };
        match sort {
            Sort::Flat(it) => format!(",{}", flat(it)),
            Sort::Array(n, it) => format!(",a{n}{}", flat(it)),
        }
    }

    pub(crate) fn truth(&mut self, value: bool) -> Term {
        self.make(Op::Truth(value), &[], Sort::BOOL)
    }
    pub(crate) fn bits(&mut self, value: i64, bits: u8) -> Term {
        self.make(Op::Bits(low(value as u64, bits)), &[], Sort::bits(bits))
    }
    pub(crate) fn known_truth(&self, term: Term) -> Option<bool> {
        match self.node(term).op {
            Op::Truth(value) => Some(value),
            _ => None,
        }
    }
    fn known_bits(&self, term: Term) -> Option<u64> {
        match self.node(term).op {
            Op::Bits(value) => Some(value),
            _ => None,
        }
    }
    /// An integer that is known, as signed.
    pub(crate) fn known_int(&self, term: Term) -> Option<i64> {
        Some(signed(self.known_bits(term)?, self.sort(term).width()?))
    }

    pub(crate) fn not(&mut self, a: Term) -> Term {
        match (self.known_truth(a), self.node(a).op) {
            (Some(value), _) => self.truth(!value),
            (None, Op::Not) => self.node(a).args[0],
            _ => self.make(Op::Not, &[a], Sort::BOOL),
        }
    }
    pub(crate) fn and(&mut self, a: Term, b: Term) -> Term {
        match (self.known_truth(a), self.known_truth(b)) {
            (Some(true), _) => b,
            (_, Some(true)) => a,
            (Some(false), _) => a,
            (_, Some(false)) => b,
            _ if a == b => a,
            _ => self.make(Op::And, &[a, b], Sort::BOOL),
        }
    }
    pub(crate) fn or(&mut self, a: Term, b: Term) -> Term {
        match (self.known_truth(a), self.known_truth(b)) {
            (Some(false), _) => b,
            (_, Some(false)) => a,
            (Some(true), _) => a,
            (_, Some(true)) => b,
            _ if a == b => a,
            _ => self.make(Op::Or, &[a, b], Sort::BOOL),
        }
    }
    pub(crate) fn implies(&mut self, a: Term, b: Term) -> Term {
        let not = self.not(a);
        self.or(not, b)
    }
    pub(crate) fn all(&mut self, terms: impl IntoIterator<Item = Term>) -> Term {
        let truth = self.truth(true);
        terms.into_iter().fold(truth, |a, b| self.and(a, b))
    }
    pub(crate) fn ite(&mut self, condition: Term, a: Term, b: Term) -> Term {
        match self.known_truth(condition) {
            Some(true) => a,
            Some(false) => b,
            None if a == b => a,
            None => {
                let sort = self.sort(a);
                self.make(Op::Ite, &[condition, a, b], sort)
            }
        }
    }
    pub(crate) fn eq(&mut self, a: Term, b: Term) -> Term {
        if a == b {
            return self.truth(true);
        }
        if let (Some(x), Some(y)) = (self.known_bits(a), self.known_bits(b)) {
            return self.truth(x == y);
        }
        if self.sort(a) != self.sort(b) {
            // Values of different sorts are never shown equal.
            return self.truth(false);
        }
        let (a, b) = if a < b { (a, b) } else { (b, a) };
        self.make(Op::Eq, &[a, b], Sort::BOOL)
    }

    /// An operation on integers of one width.
    pub(crate) fn arithmetic(&mut self, op: Op, a: Term, b: Term) -> Term {
        let sort = self.sort(a);
        let bits = sort.width().unwrap_or(64);
        if let (Some(x), Some(y)) = (self.known_bits(a), self.known_bits(b))
            && let Some(value) = fold(op, x, y, bits)
        {
            return self.bits(value as i64, bits);
        }
        // Neutral operands.
        match (op, self.known_bits(a), self.known_bits(b)) {
            (Op::Add, Some(0), _) | (Op::Mul, Some(1), _) => return b,
            (Op::Add | Op::Sub, _, Some(0)) | (Op::Mul, _, Some(1)) => return a,
            _ => {}
        }
        let is_sorted =
            matches!(op, Op::Add | Op::Mul | Op::BitAnd | Op::BitOr | Op::BitXor) && b < a;
        let args = if is_sorted { [b, a] } else { [a, b] };
        self.make(op, &args, sort)
    }
    /// A comparison or an overflow of integers of one width.
    pub(crate) fn relation(&mut self, op: Op, a: Term, b: Term) -> Term {
        let bits = self.sort(a).width().unwrap_or(64);
        if let (Some(x), Some(y)) = (self.known_bits(a), self.known_bits(b))
            && let Some(value) = decide(op, x, y, bits)
        {
            return self.truth(value);
        }
        let is_neutral = match (op, self.known_bits(a), self.known_bits(b)) {
            (Op::AddOverflows(_), Some(0), _) | (Op::MulOverflows(_), Some(0 | 1), _) => true,
            (Op::AddOverflows(_) | Op::SubOverflows(_), _, Some(0))
            | (Op::MulOverflows(_), _, Some(0 | 1)) => bits > 1,
            _ => false,
        };
        if is_neutral && bits > 1 {
            return self.truth(false);
        }
        if a == b && matches!(op, Op::Less(_) | Op::LessEq(_)) {
            return self.truth(matches!(op, Op::LessEq(_)));
        }
        self.make(op, &[a, b], Sort::BOOL)
    }
    pub(crate) fn bit_not(&mut self, a: Term) -> Term {
        let sort = self.sort(a);
        self.make(Op::BitNot, &[a], sort)
    }
    /// An integer of another width: the low bits, or extended by its sign or by zeros.
    pub(crate) fn resize(&mut self, a: Term, bits: u8, is_signed: bool) -> Term {
        let Some(from) = self.sort(a).width() else { return a };
        if from == bits {
            return a;
        }
        if let Some(value) = self.known_bits(a) {
            let value = if is_signed { signed(value, from) } else { value as i64 };
            return self.bits(value, bits);
        }
        let op = if bits > from { Op::Extend(is_signed) } else { Op::Truncate };
        self.make(op, &[a], Sort::bits(bits))
    }

    pub(crate) fn select(&mut self, array: Term, indices: &[Term], elem: Flat) -> Term {
        let node = self.node(array);
        if node.op == Op::Store && node.args[1..node.args.len() - 1] == *indices {
            return node.args[node.args.len() - 1];
        }
        let args: Args = std::iter::once(array).chain(indices.iter().copied()).collect();
        self.make(Op::Select, &args, Sort::Flat(elem))
    }
    pub(crate) fn store(&mut self, array: Term, indices: &[Term], value: Term) -> Term {
        let args: Args =
            std::iter::once(array).chain(indices.iter().copied()).chain([value]).collect();
        let sort = self.sort(array);
        self.make(Op::Store, &args, sort)
    }

    /// The conditions that hold together if this one does, each once. Linear in the terms reached: parts are shared.
    pub(crate) fn conjuncts(&mut self, condition: Term, found: &mut Vec<Term>) {
        let mut seen = FxHashSet::default();
        let mut stack = vec![condition];
        while let Some(term) = stack.pop() {
            if !seen.insert(term) {
                continue;
            }
            let node = self.node(term).clone();
            match node.op {
                Op::And => stack.extend(node.args.iter().rev().copied()),
                Op::Truth(true) => {}
                Op::Not if self.node(node.args[0]).op == Op::Or => {
                    let parts = self.node(node.args[0]).args.clone();
                    for part in parts.into_iter().rev() {
                        stack.push(self.not(part));
                    }
                }
                _ => found.push(term),
            }
        }
    }

    /// A condition under which two terms are equal, by their parts where they are built alike: sufficient, and easier
    /// to decide than the equality of arrays.
    pub(crate) fn alike(&mut self, a: Term, b: Term) -> Term {
        if a == b {
            return self.truth(true);
        }
        if let Some(&known) = self.alike.get(&(a, b)) {
            return known;
        }
        let found = self.find_alike(a, b);
        self.alike.insert((a, b), found);
        found
    }

    fn find_alike(&mut self, a: Term, b: Term) -> Term {
        let (x, y) = (self.node(a).clone(), self.node(b).clone());
        let is_memory = matches!(x.sort, Sort::Array(..) | Sort::Flat(Flat::Named(_)));
        let is_built_alike = x.op == y.op && x.args.len() == y.args.len();
        if is_memory && is_built_alike && x.op == Op::Ite {
            let same = self.eq(x.args[0], y.args[0]);
            let [then, otherwise] =
                [1, 2].map(|at| ir::stack::with_room(|| self.alike(x.args[at], y.args[at])));
            let not = self.not(x.args[0]);
            let (not_taken, taken) = (self.or(not, then), self.or(x.args[0], otherwise));
            return self.all([same, not_taken, taken]);
        }
        let is_step = matches!(x.op, Op::Store | Op::Function(_));
        if is_memory && is_built_alike && is_step && !x.args.is_empty() {
            let parts: Vec<Term> = (0..x.args.len())
                .map(|at| ir::stack::with_room(|| self.alike(x.args[at], y.args[at])))
                .collect();
            return self.all(parts);
        }
        self.eq(a, b)
    }
}

/// The low bits of a word.
pub(crate) fn low(value: u64, bits: u8) -> u64 {
    if bits >= 64 { value } else { value & ((1 << bits) - 1) }
}

/// The signed value of a word of this width.
pub(crate) fn signed(value: u64, bits: u8) -> i64 {
    let shift = 64 - u32::from(bits.clamp(1, 64));
    ((value << shift) as i64) >> shift
}

fn fold(op: Op, x: u64, y: u64, bits: u8) -> Option<u64> {
    Some(match op {
        Op::Add => x.wrapping_add(y),
        Op::Sub => x.wrapping_sub(y),
        Op::Mul => x.wrapping_mul(y),
        Op::BitAnd => x & y,
        Op::BitOr => x | y,
        Op::BitXor => x ^ y,
        Op::FloorDiv | Op::FloorRem => {
            let (a, b) = (signed(x, bits), signed(y, bits));
            if b <= 0 {
                return None;
            }
            (if op == Op::FloorDiv { a.div_euclid(b) } else { a.rem_euclid(b) }) as u64
        }
        _ => return None,
    })
}

fn decide(op: Op, x: u64, y: u64, bits: u8) -> Option<bool> {
    let wide = |v: u64, is_signed: bool| {
        if is_signed { i128::from(signed(v, bits)) } else { i128::from(v) }
    };
    let fits = |value: i128, is_signed: bool| {
        let (low, high) = if is_signed {
            (-(1i128 << (bits - 1)), (1i128 << (bits - 1)) - 1)
        } else {
            (0, (1i128 << bits) - 1)
        };
        (low..=high).contains(&value)
    };
    Some(match op {
        Op::Less(s) => wide(x, s) < wide(y, s),
        Op::LessEq(s) => wide(x, s) <= wide(y, s),
        Op::AddOverflows(s) => !fits(wide(x, s) + wide(y, s), s),
        Op::SubOverflows(s) => !fits(wide(x, s) - wide(y, s), s),
        Op::MulOverflows(s) => !fits(wide(x, s).checked_mul(wide(y, s))?, s),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_a_condition_that_shares_them_are_found_once() {
        let mut pool = Pool::default();
        let mut whole = pool.var("first", Sort::BOOL);
        let mut wanted = vec![whole];
        for level in 0..100 {
            let [p, q] = ["p", "q"].map(|it| pool.var(&format!("{it}{level}"), Sort::BOOL));
            let (left, right) = (pool.and(whole, p), pool.and(whole, q));
            whole = pool.and(left, right);
            wanted.extend([p, q]);
        }
        let mut found = Vec::new();
        pool.conjuncts(whole, &mut found);
        found.sort_unstable();
        wanted.sort_unstable();
        assert_eq!(found, wanted);
    }
}
