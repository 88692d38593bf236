//! Inputs of a run: the same on every machine.
//!
//! In: a function, the number of the attempt, values that the solver proposes. Out: a value for each parameter.
//! Attempts differ in sizes (none of them large) and in how wild the numbers are: tame ones reach far into a function,
//! as integers are often indices; wild ones are where arithmetic is special.

use interp::{Argument, ArgumentNeed, Array, Symbols, free_symbols, needs};
use ir::{Body, DataType, ExprKind, ValueId};

/// Sizes that symbols get in turn, by attempt.
const SIZES: [[i64; 4]; 4] = [[5, 3, 7, 4], [1, 1, 1, 1], [8, 16, 4, 2], [9, 17, 2, 6]];
/// The most bytes of all arguments.
const MOST_BYTES: i64 = 32 << 20;
/// The most integers that are taken from a function.
const MOST_CORNERS: usize = 120;
/// Numbers that floats are made of, besides small ones.
const SPECIAL: [f64; 10] =
    [0.0, -0.0, 1.0, -1.0, 0.5, 1e30, -1e30, f64::INFINITY, f64::NEG_INFINITY, f64::NAN];

/// SplitMix64.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }
    fn between(&mut self, low: i64, high: i64) -> i64 {
        low + (self.next() % (high - low + 1) as u64) as i64
    }
}

/// The integers that a function names, with their neighbours: where its conditions turn.
fn corners(body: &Body) -> Vec<i64> {
    let mut found = vec![0, -1, 1];
    for (_, expr) in body.exprs() {
        if let ExprKind::Int(value) = expr.kind
            && found.len() < MOST_CORNERS
        {
            found.extend([value, value.wrapping_add(1), value.wrapping_sub(1)]);
        }
    }
    found
}

/// The arguments of an attempt and the values of symbols, or why there are none.
pub(crate) fn make(
    body: &Body,
    attempt: usize,
    proposed: &[(ValueId, i64)],
) -> Result<(Vec<Argument>, Symbols), String> {
    let mut random = Random(attempt as u64);
    let is_tame = attempt.is_multiple_of(2);
    let sizes = SIZES[(attempt / 2) % SIZES.len()];
    let corners = corners(body);
    let mut symbols = Symbols::new();
    for (at, id) in free_symbols(body).into_iter().enumerate() {
        let proposal = proposed.iter().find(|it| it.0 == id).map(|it| it.1);
        // Every third attempt stands where a condition turns.
        let own = match attempt % 3 {
            2 => corners[random.between(0, corners.len() as i64 - 1) as usize],
            _ => sizes[at % sizes.len()],
        };
        let dtype = body.values[id].ty.prim().unwrap_or(DataType::INT64);
        symbols.insert(id, dtype.wrap_int(proposal.unwrap_or(own).into()));
    }
    let needs = needs(body, &symbols).map_err(|it| it.to_string())?;
    let mut left = MOST_BYTES;
    let mut arguments = Vec::with_capacity(needs.len());
    for (index, need) in needs.into_iter().enumerate() {
        arguments.push(match need {
            ArgumentNeed::Array { dtype, shape } => {
                let n = shape.iter().try_fold(1i64, |n, &it| n.checked_mul(it.max(0)));
                let bytes = n.and_then(|it| it.checked_mul(dtype.bytes().max(1) as i64));
                left -= bytes.unwrap_or(i64::MAX).min(MOST_BYTES + 1);
                if left < 0 {
                    return Err("its arguments are too large to run it".to_owned());
                }
                let mut array = Array::zeros(dtype, &shape);
                if dtype.is_scalar() {
                    for at in 0..array.len() {
                        let value = number(dtype, is_tame, attempt, &mut random);
                        array.set_f64(at, value);
                    }
                }
                Argument::Array(array)
            }
            ArgumentNeed::Scalar(dtype) if dtype.is_float() => {
                let value = number(dtype, is_tame, attempt, &mut random);
                Argument::Float(dtype.round_float(value))
            }
            ArgumentNeed::Scalar(dtype) => {
                let known = symbols.get(&body.params[index].value).copied();
                let proposal = proposed.iter().find(|it| it.0 == body.params[index].value);
                let value = proposal.map(|it| it.1).or(known);
                let made = number(dtype, is_tame, attempt, &mut random) as i64;
                Argument::Int(dtype.wrap_int(value.unwrap_or(made).into()))
            }
        });
    }
    Ok((arguments, symbols))
}

fn number(dtype: DataType, is_tame: bool, attempt: usize, random: &mut Random) -> f64 {
    if dtype.is_bool() {
        return random.between(0, 1) as f64;
    }
    if dtype.is_float() {
        let small = random.between(-512, 511) as f64 / 256.0;
        return match random.next() % 4 {
            0 if !is_tame => SPECIAL[random.between(0, SPECIAL.len() as i64 - 1) as usize],
            _ => small,
        };
    }
    let low = if dtype.is_int() && !is_tame { -4 } else { 0 };
    // Divisors must not be 0, indices not be large.
    match attempt % 6 {
        0 => random.between(0, 3) as f64,
        2 => random.between(1, 4) as f64,
        4 => 0.0,
        1 => random.between(low, 100) as f64,
        _ => random.between(low, 7) as f64,
    }
}
