//! Values of loops, blocks and threads under which something happens.
//!
//! In: what is around a place. Out: values that occur there, found among all of a small loop and the ends of others,
//! and checked by evaluation: every guard is evaluated, and one that cannot be ends the search. A loop whose extent is
//! not known is taken to be entered, with its first value. Bounded work.

use ir::{
    BinaryOp, Body, Callee, ExprId, ExprKind, Intrinsic, OpKind, UnaryOp, ValueId, ValueKind,
};
use smallvec::SmallVec;

use super::around::{Around, Loop};

/// A variable of a run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Key {
    /// The variable of a loop, or of a dimension of the grid.
    Loop(ValueId),
    /// The index of the thread along a dimension.
    Thread(u8),
}

/// Values of variables.
pub(super) type Values = SmallVec<[(Key, i128); 8]>;

/// Values that are tried of a place.
const MOST_TRIES: u32 = 2048;
/// Loops of so many iterations are tried in full.
const IN_FULL: i128 = 32;
/// Nodes that are evaluated for one value.
const MOST_NODES: u32 = 500;

/// The value of an expression; none if it rests on something else than these values.
pub(super) fn evaluate(body: &Body, values: &[(Key, i128)], expr: ExprId) -> Option<i128> {
    evaluate_within(body, values, expr, &mut { MOST_NODES })
}

fn evaluate_within(
    body: &Body,
    values: &[(Key, i128)],
    expr: ExprId,
    nodes: &mut u32,
) -> Option<i128> {
    *nodes = nodes.checked_sub(1)?;
    let key = |key: Key| values.iter().find(|it| it.0 == key).map(|it| it.1);
    let mut of = |it: ExprId| ir::stack::with_room(|| evaluate_within(body, values, it, nodes));
    match body.expr(expr).kind {
        ExprKind::Int(it) => Some(i128::from(it)),
        ExprKind::Value(value) => match definition(body, value) {
            Some(definition) => of(definition),
            None => key(Key::Loop(value)),
        },
        ExprKind::Unary(UnaryOp::Not, it) => Some(i128::from(of(it)? == 0)),
        ExprKind::Cast(it) => {
            let to = body.dtype(expr)?;
            let value = of(it)?;
            (to.is_scalar() && to.is_integer() && i128::from(to.wrap_int(value)) == value)
                .then_some(value)
        }
        ExprKind::IfThenElse(condition, a, b) | ExprKind::Select(condition, a, b) => {
            match of(condition)? {
                0 => of(b),
                _ => of(a),
            }
        }
        ExprKind::Binary(op, a, b) => binary(op, of(a)?, of(b)?),
        ExprKind::Call { .. } => key(Key::Thread(thread_axis(body, expr)?)),
        _ => None,
    }
}

fn binary(op: BinaryOp, a: i128, b: i128) -> Option<i128> {
    use BinaryOp as B;
    let floor = |a: i128, b: i128| (b != 0).then(|| a.div_euclid(b)).filter(|_| b > 0);
    Some(match op {
        B::Add => a.checked_add(b)?,
        B::Sub => a.checked_sub(b)?,
        B::Mul => a.checked_mul(b)?,
        B::FloorDiv => floor(a, b)?,
        B::FloorMod => a - floor(a, b)? * b,
        B::Div => a.checked_div(b)?,
        B::Mod => a.checked_rem(b)?,
        B::Min => a.min(b),
        B::Max => a.max(b),
        B::Eq => i128::from(a == b),
        B::Ne => i128::from(a != b),
        B::Lt => i128::from(a < b),
        B::Le => i128::from(a <= b),
        B::Gt => i128::from(a > b),
        B::Ge => i128::from(a >= b),
        B::And => i128::from(a != 0 && b != 0),
        B::Or => i128::from(a != 0 || b != 0),
        B::BitAnd => a & b,
        B::BitOr => a | b,
        B::BitXor => a ^ b,
        B::Shl if (0..31).contains(&b) && (0..1 << 31).contains(&a) => a << b,
        B::Shr if (0..63).contains(&b) => a >> b,
        B::Shl | B::Shr => return None,
    })
}

/// The expression that a name is bound to.
pub(super) fn definition(body: &Body, value: ValueId) -> Option<ExprId> {
    match body.values[value].kind {
        ValueKind::Result(op, _) if body.ops[op].kind == OpKind::Bind => {
            body.ops[op].operands.first().copied()
        }
        _ => None,
    }
}

/// The dimension of a call that gives the index of the thread.
fn thread_axis(body: &Body, expr: ExprId) -> Option<u8> {
    match body.expr(expr).kind {
        ExprKind::Call {
            callee: Callee::Intrinsic(_, Intrinsic::LaunchThreadIdx), args, ..
        } => match body.items(args).first().map(|&it| body.expr(it).kind) {
            Some(ExprKind::Int(it)) => u8::try_from(it).ok().filter(|&it| it < 3),
            _ => None,
        },
        _ => None,
    }
}

/// The things that an expression is made of, through the names in it.
#[derive(Default)]
pub(super) struct Names {
    pub(super) keys: Vec<Key>,
    /// It reads memory that each thread has of its own, or calls something: two threads may find two values.
    pub(super) is_private: bool,
    constants: Vec<i128>,
    seen: Vec<ExprId>,
}

impl Names {
    /// Adds those of an expression. O(its nodes).
    pub(super) fn add(&mut self, body: &Body, expr: ExprId) {
        let mut stack = vec![expr];
        while let Some(expr) = stack.pop() {
            if self.seen.contains(&expr) || self.seen.len() > MOST_NODES as usize {
                continue;
            }
            self.seen.push(expr);
            let kind = body.expr(expr).kind;
            match kind {
                ExprKind::Int(it) => self.constants.push(i128::from(it)),
                ExprKind::Value(value) => match definition(body, value) {
                    Some(definition) => stack.push(definition),
                    None => self.key(Key::Loop(value)),
                },
                ExprKind::Load { buffer, .. } => {
                    self.is_private |= !body.buffers[buffer].scope.is_global();
                }
                ExprKind::Call { .. } => match thread_axis(body, expr) {
                    Some(axis) => {
                        self.key(Key::Thread(axis));
                        continue;
                    }
                    None => self.is_private = true,
                },
                ExprKind::Opaque { .. } => self.is_private = true,
                _ => {}
            }
            body.each_child(kind, &mut |it| stack.push(it));
        }
    }

    fn key(&mut self, key: Key) {
        if !self.keys.contains(&key) {
            self.keys.push(key);
        }
    }

    pub(super) fn has(&self, key: Key) -> bool {
        self.keys.contains(&key)
    }
}

/// The values of a loop: the first, how many, the distance; none if they are not known.
pub(super) fn domain(body: &Body, values: &[(Key, i128)], it: &Loop) -> Option<(i128, i128, i128)> {
    let min = evaluate(body, values, it.min)?;
    let extent = evaluate(body, values, it.extent)?;
    let step = match it.step {
        Some(step) => evaluate(body, values, step).filter(|&it| it > 0)?,
        None => 1,
    };
    Some((min, extent.max(0).checked_add(step - 1)? / step, step))
}

/// Values that occur at a place and for which `happens`, where they decide about `exprs`.
pub(super) fn search(
    body: &Body,
    around: &Around,
    exprs: &[ExprId],
    happens: &mut dyn FnMut(&Values) -> bool,
) -> Option<Values> {
    let mut names = Names::default();
    exprs.iter().for_each(|&it| names.add(body, it));
    around.guards.iter().for_each(|it| names.add(body, it.0));
    for it in &around.loops {
        names.add(body, it.min);
        names.add(body, it.extent);
    }
    let mut search = Search { body, around, names, tries: MOST_TRIES, happens };
    let mut values = Values::new();
    search.from(0, &mut values).then_some(values)
}

struct Search<'s> {
    body: &'s Body,
    around: &'s Around,
    names: Names,
    tries: u32,
    happens: &'s mut dyn FnMut(&Values) -> bool,
}

impl Search<'_> {
    /// Tries the variables from a number on: loops, then threads. The number of loops is bounded.
    fn from(&mut self, at: usize, values: &mut Values) -> bool {
        let n_loops = self.around.loops.len();
        if at == n_loops + 3 {
            return self.is_it(values);
        }
        let (key, domain) = if at < n_loops {
            let it = &self.around.loops[at];
            let domain = match domain(self.body, values, it) {
                Some(domain) => domain,
                // It is entered, or nothing in it matters.
                None => match evaluate(self.body, values, it.min) {
                    Some(min) => (min, 1, 1),
                    None => return self.from(at + 1, values),
                },
            };
            (Key::Loop(it.var), domain)
        } else {
            let axis = at - n_loops;
            (Key::Thread(axis as u8), (0, self.around.threads[axis].unwrap_or(1), 1))
        };
        for value in self.candidates(key, domain) {
            values.push((key, value));
            if self.from(at + 1, values) {
                return true;
            }
            values.pop();
            if self.tries == 0 {
                return false;
            }
        }
        false
    }

    fn is_it(&mut self, values: &Values) -> bool {
        self.tries = self.tries.saturating_sub(1);
        let body = self.body;
        let holds = |&(guard, holds): &(ExprId, bool)| {
            evaluate(body, values, guard).is_some_and(|it| (it != 0) == holds)
        };
        self.around.guards.iter().all(holds) && (self.happens)(values)
    }

    /// The values of a variable to try, the greatest first.
    fn candidates(&self, key: Key, (min, count, step): (i128, i128, i128)) -> Vec<i128> {
        if count <= 0 {
            return Vec::new();
        }
        if !self.names.has(key) {
            return vec![min];
        }
        let nth = |n: i128| min + n * step;
        if count <= IN_FULL {
            return (0..count).rev().map(nth).collect();
        }
        let mut all = vec![nth(count - 1), min];
        let near = self.names.constants.iter().flat_map(|&it| [it - 1, it, it + 1]);
        for value in near.chain([nth(1), nth(count - 2)]) {
            let is_value = value >= min && (value - min) % step == 0 && value <= nth(count - 1);
            if is_value && !all.contains(&value) && all.len() < IN_FULL as usize {
                all.push(value);
            }
        }
        all
    }
}

/// Returns true if every loop around a place is entered for these values, whatever the names are that nobody knows: the
/// extent is known, or grows with a size that a caller gives.
pub(super) fn is_entered(body: &Body, around: &Around, values: &Values) -> bool {
    around.loops.iter().all(|it| match domain(body, values, it) {
        Some((_, count, _)) => count > 0,
        None => {
            let mut names = Names::default();
            [it.min, it.extent].into_iter().chain(it.step).for_each(|it| names.add(body, it));
            let is_size = |value: ValueId| {
                matches!(body.values[value].kind, ValueKind::Param(_) | ValueKind::Symbol)
            };
            let mut sizes = Vec::new();
            for &key in &names.keys {
                match key {
                    _ if values.iter().any(|it| it.0 == key) => {}
                    Key::Loop(value) if is_size(value) => sizes.push(key),
                    _ => return false,
                }
            }
            SIZES.iter().any(|&size| {
                let all: Values =
                    values.iter().copied().chain(sizes.iter().map(|&it| (it, size))).collect();
                domain(body, &all, it).is_some_and(|it| it.1 > 0)
            })
        }
    })
}

/// Sizes that a caller may give.
const SIZES: [i128; 3] = [1, 64, 4096];

/// The values of what some expressions are made of, in words: "for `i` = 63 and thread 0".
pub(super) fn words(
    body: &Body,
    values: &Values,
    exprs: impl IntoIterator<Item = ExprId>,
) -> String {
    let mut names = Names::default();
    exprs.into_iter().for_each(|it| names.add(body, it));
    words_of(body, values, &names)
}

/// As [`words`], of names.
pub(super) fn words_of(body: &Body, values: &Values, names: &Names) -> String {
    let of = |&(key, value): &(Key, i128)| match key {
        Key::Loop(var) => format!("`{}` = {value}", body.name(body.values[var].name)),
        Key::Thread(0) => format!("thread {value}"),
        Key::Thread(axis) => format!("thread {value} along dimension {axis}"),
    };
    let all: Vec<String> = values.iter().filter(|it| names.has(it.0)).map(of).collect();
    match all.split_last() {
        None => String::new(),
        Some((one, [])) => format!(" for {one}"),
        Some((last, rest)) => format!(" for {} and {last}", rest.join(", ")),
    }
}
