//! Arguments for a function: small values for its symbols, and arrays of values that find mistakes.

use interp::{Argument, Array};
use ir::{Body, DataType, ValueId, ValueKind};
use test_utils::Rng;

use crate::work::{Symbols, constant};

/// How values are drawn.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Flavour {
    /// All that a type can hold: 0, ±1, 2^k ± 1, extremes, NaN, infinities, −0.0.
    Wild,
    /// As `Wild`, without the integer 0: divisors.
    WildNonZero,
    /// Floats as in `Wild`; integers from 0 to 3, as indices and lengths often must be.
    SmallInts,
    /// Floats as in `Wild`; integers 0.
    ZeroInts,
    /// Floats between −1 and 1, no two alike in an array; integers from 0 to 3.
    Tame,
    /// As `Tame`, integers 0.
    TameZeroInts,
    /// As `Tame`, integers from −100 to 100.
    TameWideInts,
    /// As `Tame`, integers from 1 to 100: divisors.
    TamePositiveInts,
}

/// The extents that symbols get, in turn.
pub(crate) const SYMBOL_VALUES: [[i64; 3]; 3] = [[5, 3, 7], [1, 1, 1], [9, 17, 2]];

/// After so many elements an array repeats itself: larger ones take time to draw and find nothing more.
const PERIOD: usize = 65_521;

/// The largest sum of bytes of arguments.
const MAX_BYTES: i64 = 64 << 20;

/// Values for all symbols in shapes and for integer parameters, the `round`-th assignment.
pub(crate) fn symbols(body: &Body, round: usize) -> Symbols {
    let values = SYMBOL_VALUES[round % SYMBOL_VALUES.len()];
    let is_free = |id: ValueId| match body.values[id].kind {
        ValueKind::Symbol | ValueKind::Captured => true,
        ValueKind::Param(_) => body.values[id].ty.prim().is_some_and(DataType::is_integer),
        _ => false,
    };
    let free = body.values.ids().filter(|&it| is_free(it));
    free.enumerate().map(|(at, id)| (id, values[at % values.len()])).collect()
}

pub(crate) use interp::buffer_of;

/// Arguments for all parameters, or why there are none.
pub(crate) fn arguments(
    body: &Body,
    symbols: &Symbols,
    flavour: Flavour,
    rng: &mut Rng,
) -> Result<Vec<Argument>, String> {
    let mut total = 0i64;
    let mut arguments = Vec::with_capacity(body.params.len());
    for (index, param) in body.params.iter().enumerate() {
        if let Some(buffer) = buffer_of(body, index) {
            let buffer = &body.buffers[buffer];
            let extents: Option<Vec<i64>> =
                buffer.shape.iter().map(|&it| constant(body, symbols, it)).collect();
            let Some(shape) = extents else { return Err("a shape that is not known".into()) };
            let n = shape.iter().try_fold(1i64, |n, &it| n.checked_mul(it.max(0)));
            let bytes = n.and_then(|it| it.checked_mul(buffer.dtype.bytes() as i64));
            total = bytes.and_then(|it| total.checked_add(it)).unwrap_or(i64::MAX);
            if total > MAX_BYTES {
                return Err("arguments too large".into());
            }
            arguments.push(Argument::Array(array(buffer.dtype, &shape, flavour, rng)));
            continue;
        }
        match body.values[param.value].ty.prim() {
            Some(dtype) if dtype.is_integer() => {
                arguments.push(Argument::Int(symbols.get(&param.value).copied().unwrap_or(1)));
            }
            Some(dtype) if dtype.is_bool() => arguments.push(Argument::Int(rng.between(0, 1))),
            Some(dtype) if dtype.is_float() => {
                arguments.push(Argument::Float(dtype.round_float(float(flavour, rng))));
            }
            other => return Err(format!("a parameter of type {other:?}")),
        }
    }
    Ok(arguments)
}

/// An array of drawn values.
pub(crate) fn array(dtype: DataType, shape: &[i64], flavour: Flavour, rng: &mut Rng) -> Array {
    let mut array = Array::zeros(dtype, shape);
    let element = dtype.element();
    let n = array.data.len() / element.bytes().max(1);
    let mut scalars = Array { dtype: element, shape: vec![n as i64], data: array.data };
    for at in 0..n.min(PERIOD) {
        if element.is_float() && element.bits >= 16 {
            scalars.set_f64(at, float(flavour, rng));
        } else if element.is_integer() || element.is_bool() {
            write_int(&mut scalars, at, int(element, flavour, rng));
        } else {
            // Formats that are kept as bytes: any byte but the NaN patterns of tame runs.
            scalars.data[at] = byte(flavour, rng);
        }
    }
    let (mut filled, all) =
        ((PERIOD * element.bytes()).min(scalars.data.len()), scalars.data.len());
    while filled < all {
        let more = filled.min(all - filled);
        scalars.data.copy_within(..more, filled);
        filled += more;
    }
    array.data = scalars.data;
    array
}

fn byte(flavour: Flavour, rng: &mut Rng) -> u8 {
    let byte = rng.next_u64() as u8;
    if is_tame(flavour) { byte & 0xBF } else { byte }
}

fn write_int(array: &mut Array, at: usize, value: i64) {
    let bytes = array.dtype.bytes();
    array.data[at * bytes..(at + 1) * bytes].copy_from_slice(&value.to_le_bytes()[..bytes]);
}

fn is_tame(flavour: Flavour) -> bool {
    matches!(
        flavour,
        Flavour::Tame | Flavour::TameZeroInts | Flavour::TameWideInts | Flavour::TamePositiveInts
    )
}

/// An integer of that type.
pub(crate) fn int(dtype: DataType, flavour: Flavour, rng: &mut Rng) -> i64 {
    if flavour == Flavour::WildNonZero {
        return match int(dtype, Flavour::Wild, rng) {
            0 => 1,
            // The smallest integer has no quotient by -1.
            -1 => -3,
            value => value,
        };
    }
    let value = match flavour {
        Flavour::ZeroInts | Flavour::TameZeroInts => 0,
        Flavour::SmallInts | Flavour::Tame => rng.between(0, 3),
        Flavour::TameWideInts => rng.between(-100, 100),
        Flavour::TamePositiveInts => rng.between(1, 100),
        Flavour::Wild | Flavour::WildNonZero => {
            let power = 1i64.wrapping_shl(rng.below(usize::from(dtype.bits.max(1))) as u32);
            match rng.below(8) {
                0 => 0,
                1 => 1,
                2 => -1,
                3 => power.wrapping_add(rng.between(-1, 1)),
                4 => power.wrapping_neg(),
                5 => i64::MIN.wrapping_shr(64 - u32::from(dtype.bits.clamp(1, 64))),
                6 => i64::MAX.wrapping_shr(64 - u32::from(dtype.bits.clamp(1, 64))),
                _ => rng.next_u64() as i64,
            }
        }
    };
    dtype.wrap_int(i128::from(value))
}

/// A float.
pub(crate) fn float(flavour: Flavour, rng: &mut Rng) -> f64 {
    let unit = rng.between(-1_000_000, 1_000_000) as f64 / 1_000_000.0;
    if is_tame(flavour) {
        return unit;
    }
    let power = f64::from(2u32.pow(rng.below(20) as u32));
    match rng.below(24) {
        0 => 0.0,
        1 => -0.0,
        2 => 1.0,
        3 => -1.0,
        4 => f64::NAN,
        5 => f64::INFINITY,
        6 => f64::NEG_INFINITY,
        7 => f64::from(f32::MAX),
        8 => f64::from(f32::MIN_POSITIVE) / 4.0,
        9 => power + rng.between(-1, 1) as f64,
        10 => 1.0 / power,
        11 => rng.between(-1000, 1000) as f64 / 8.0,
        _ => unit,
    }
}
