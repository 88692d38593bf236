//! Conversions of arith and index: widths, integers and floats, bits.

use super::super::{
    EventKind,
    memory::{read_scalar, scalar_bits},
    ops::{self, Val},
};
use super::{
    attrs::{Decoded, OpView},
    decode::Code,
    lanes::lanewise,
    machine::{Machine, Run},
};
use ir::DataType;

/// The effect of a conversion on a lane.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// To another width, read as signed.
    Signed,
    /// To another width, read as unsigned; whether a negative value is poison.
    Unsigned {
        non_negative: bool,
    },
    /// To fewer bits; the flag tells whether lost bits make poison.
    Truncate {
        nsw: bool,
        nuw: bool,
    },
    FloatToSigned,
    FloatToUnsigned,
    SignedToFloat,
    UnsignedToFloat {
        non_negative: bool,
    },
    Float,
    Bits,
}

/// Reads a conversion.
pub(super) fn decode(view: &OpView<'_>) -> Decoded<Option<Code>> {
    let non_negative = view.has("nonNeg");
    let words = view.words("overflowFlags");
    let kind = match view.name {
        "extsi" | "index_cast" | "casts" => Kind::Signed,
        "extui" | "index_castui" | "castu" => Kind::Unsigned { non_negative },
        "trunci" => Kind::Truncate { nsw: words.contains(&"nsw"), nuw: words.contains(&"nuw") },
        "fptosi" => Kind::FloatToSigned,
        "fptoui" => Kind::FloatToUnsigned,
        "sitofp" => Kind::SignedToFloat,
        "uitofp" => Kind::UnsignedToFloat { non_negative },
        "extf" => Kind::Float,
        "truncf" if !view.has("roundingmode") => Kind::Float,
        "truncf" => return view.unsupported("a rounding mode"),
        "bitcast" => Kind::Bits,
        _ => return Ok(None),
    };
    view.need(1)?;
    let (from, to) = (view.operand_dtype(0)?, view.result_dtype(0)?);
    Ok(Some(lanewise(1, move |machine, lane| convert(machine, kind, from, to, &lane[0]))))
}

fn convert(
    machine: &Machine<'_>,
    kind: Kind,
    from: DataType,
    to: DataType,
    value: &Val,
) -> Run<Val> {
    let unsigned = DataType::uint(from.bits);
    match (kind, value) {
        (Kind::Bits, _) => match reinterpret(value, from, to) {
            Some(value) => Ok(value),
            None => machine.unsupported(format!("the bits of {from} as {to}")),
        },
        (Kind::Signed, Val::Int(value, _)) => Ok(Val::Int(to.wrap_int((*value).into()), false)),
        (Kind::Unsigned { non_negative }, Val::Int(value, _)) => {
            let low = unsigned.wrap_int((*value).into());
            let is_poison = non_negative && *value < 0;
            Ok(if is_poison { Val::Unit } else { Val::Int(to.wrap_int(low.into()), false) })
        }
        (Kind::Truncate { nsw, nuw }, Val::Int(value, _)) => {
            let kept = to.wrap_int((*value).into());
            let narrow = DataType::uint(to.bits).wrap_int(kept.into());
            let is_poison =
                (nsw && kept != *value) || (nuw && narrow != unsigned.wrap_int((*value).into()));
            Ok(if is_poison { Val::Unit } else { Val::Int(kept, false) })
        }
        (Kind::FloatToSigned, Val::Float(_)) => to_int(machine, value, from, to, to),
        (Kind::FloatToUnsigned, Val::Float(_)) => {
            to_int(machine, value, from, DataType::uint(to.bits), to)
        }
        (Kind::SignedToFloat, Val::Int(..)) => number(machine, value, from, to),
        (Kind::UnsignedToFloat { non_negative }, Val::Int(value, _)) => {
            if non_negative && *value < 0 {
                return Ok(Val::Unit);
            }
            let low = Val::Int(unsigned.wrap_int((*value).into()), false);
            number(machine, &low, unsigned, to)
        }
        (Kind::Float, Val::Float(_)) => number(machine, value, from, to),
        _ => machine.unsupported(format!("a conversion of {from} to {to}")),
    }
}

fn number(machine: &Machine<'_>, value: &Val, from: DataType, to: DataType) -> Run<Val> {
    ops::cast(value, from, to, &mut |_| Ok(())).or_else(|fault| machine.fault(fault))
}

/// Converts to an integer. Values that do not fit become poison.
fn to_int(
    machine: &Machine<'_>,
    value: &Val,
    from: DataType,
    as_: DataType,
    to: DataType,
) -> Run<Val> {
    let mut fits = true;
    let res = ops::cast(value, from, as_, &mut |kind| {
        fits = kind != EventKind::ConversionOutOfRange;
        Ok(())
    });
    match res {
        Ok(Val::Int(value, _)) if fits => Ok(Val::Int(to.wrap_int(value.into()), false)),
        Ok(_) => Ok(Val::Unit),
        Err(fault) => machine.fault(fault),
    }
}

/// The same bits as another type of the same width.
pub(super) fn reinterpret(value: &Val, from: DataType, to: DataType) -> Option<Val> {
    if from.bits != to.bits {
        return None;
    }
    let bits = scalar_bits(from, value)?;
    read_scalar(to, bits.to_le_bytes().get(..to.bytes())?)
}
