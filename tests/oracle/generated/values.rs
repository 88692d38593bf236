//! Arguments of a generated function: lengths are small, all other values are chosen to find mistakes.

use interp::{Argument, Array, Overlap};
use ir::{Body, DataType};
use test_utils::{Program, Rng};

use crate::inputs::{self, Flavour};

/// One set of arguments is made from these.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Round {
    flavour: Flavour,
    /// The value of lengths.
    size: i64,
}

/// The sets of arguments each function gets; lengths of 0 among them, so that loops run no iteration.
pub(super) const ROUNDS: [Round; 7] = [
    Round { flavour: Flavour::WildNonZero, size: 3 },
    Round { flavour: Flavour::SmallInts, size: 2 },
    Round { flavour: Flavour::ZeroInts, size: 1 },
    Round { flavour: Flavour::TameWideInts, size: 0 },
    Round { flavour: Flavour::TamePositiveInts, size: 4 },
    Round { flavour: Flavour::Tame, size: 3 },
    Round { flavour: Flavour::Wild, size: 2 },
];

/// Arguments for all parameters.
pub(super) fn arguments(
    program: &Program,
    body: &Body,
    round: Round,
    rng: &mut Rng,
) -> Vec<Argument> {
    let sizes: Vec<bool> = (0..body.params.len()).map(|it| program.is_size(it)).collect();
    let param = |(index, param): (usize, &ir::Param)| match param.buffer {
        Some(buffer) => {
            let buffer = &body.buffers[buffer];
            let shape: Vec<i64> = buffer
                .shape
                .iter()
                .map(|&it| match body.expr(it).kind {
                    ir::ExprKind::Int(extent) => extent,
                    _ => round.size,
                })
                .collect();
            Argument::Array(inputs::array(buffer.dtype, &shape, round.flavour, rng))
        }
        None if sizes[index] => Argument::Int(round.size),
        None => scalar(body.values[param.value].ty.prim(), round.flavour, rng),
    };
    body.params.iter().enumerate().map(param).collect()
}

/// Array arguments that lie in the memory of others: mostly all of it, or a part that is an element further.
pub(super) fn overlaps(arguments: &[Argument], rng: &mut Rng) -> Vec<Overlap> {
    let arrays: Vec<(usize, &Array)> = arguments
        .iter()
        .enumerate()
        .filter_map(|(at, argument)| match argument {
            Argument::Array(array) => Some((at, array)),
            Argument::Int(_) | Argument::Float(_) => None,
        })
        .collect();
    let Some((with, host)) = arrays.iter().max_by_key(|it| it.1.data.len()) else {
        return Vec::new();
    };
    let mut overlaps = Vec::new();
    for (argument, guest) in arrays.iter().filter(|it| it.0 != *with) {
        let room = host.data.len() - guest.data.len();
        let bytes = guest.dtype.bytes().max(1);
        let offset = if rng.one_in(2) { 0 } else { rng.below(room / bytes + 1) * bytes };
        if !rng.one_in(4) {
            overlaps.push(Overlap { argument: *argument, with: *with, offset });
        }
    }
    overlaps
}

fn scalar(dtype: Option<DataType>, flavour: Flavour, rng: &mut Rng) -> Argument {
    match dtype {
        Some(dtype) if dtype.is_integer() => Argument::Int(inputs::int(dtype, flavour, rng)),
        Some(dtype) if dtype.is_float() => {
            let array: Array = inputs::array(dtype, &[1], flavour, rng);
            Argument::Float(array.get_f64(0).unwrap_or_default())
        }
        _ => Argument::Int(rng.between(0, 1)),
    }
}
