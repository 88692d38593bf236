//! func, cf, ub, builtin: calls, branches, poison.

use super::super::{EventKind, ops::Val};
use super::{
    attrs::{Decoded, OpView, constant, integers},
    decode::{Code, compute, many},
    types::{Ty, count},
    value::{Value, elements},
};

/// Reads an operation of these dialects.
pub(super) fn decode(view: &OpView<'_>, dialect: &str) -> Decoded<Option<Code>> {
    Ok(Some(match (dialect, view.name) {
        ("func", "return") => Code::Return,
        ("func", "call") => {
            let name = view.attr("callee").unwrap_or_default();
            Code::Call(name.trim_start_matches('@').trim_matches('"').to_owned())
        }
        ("func", "call_indirect") => {
            view.need(1)?;
            Code::CallIndirect
        }
        ("func", "constant") => {
            let Some(value) = view.attr("value").and_then(constant) else {
                return view.unsupported("a function that is not named");
            };
            compute(move |_, _| Ok(value.clone()))
        }
        ("cf", "br") => Code::Branch(Box::new(|_, _| Ok(0))),
        ("cf", "cond_br") => {
            view.need(1)?;
            Code::Branch(Box::new(|machine, operands| {
                Ok(usize::from(!machine.truth(&operands[0])?))
            }))
        }
        ("cf", "switch") => {
            view.need(1)?;
            let cases = view.attr("case_values").map_or(Some(Vec::new()), integers);
            let Some(cases) = cases else { return view.unsupported("its cases") };
            Code::Branch(Box::new(move |machine, operands| {
                let flag = machine.int(&operands[0])?;
                Ok(cases.iter().position(|it| *it == flag).map_or(0, |it| it + 1))
            }))
        }
        ("cf", "assert") => {
            view.need(1)?;
            let message = view.attr("msg").unwrap_or_default().to_owned();
            many(move |machine, operands| {
                if !machine.truth(&operands[0])? {
                    machine.error(EventKind::FailedAssertion, || {
                        format!("an assertion failed: {message}")
                    })?;
                }
                Ok(Vec::new())
            })
        }
        ("ub", "poison") => poison(view)?,
        ("builtin", "unrealized_conversion_cast") if view.n_operands() == 1 => {
            if view.operand_ty(0) != view.result_ty(0) {
                return view.unsupported("between different types");
            }
            compute(|_, operands| Ok(operands[0].clone()))
        }
        _ => return Ok(None),
    }))
}

fn poison(view: &OpView<'_>) -> Decoded<Code> {
    let value = match view.result_ty(0) {
        Ty::Scalar(_) => Value::Scalar(Val::Unit),
        ty => {
            let shape = ty.fixed_shape().ok_or("a value of this type")?;
            let n = count(&shape).ok_or("a value of this size")?;
            elements(shape, vec![Val::Unit; n])
        }
    };
    Ok(compute(move |_, _| Ok(value.clone())))
}
