//! Functions of TileLang that a factory calls before there is a kernel.

use super::{
    operators::{self, as_data},
    value::Value,
};

/// Functions of TileLang on integers: those of its language give numbers of TVM, its own give Python's.
pub(super) fn function(rest: &str, given: &[Value]) -> Option<Value> {
    let int = |it: &Value| match it {
        Value::Int(it) => Some(*it),
        Value::Typed(dtype, _) if &**dtype == "int32" => match as_data(it) {
            Value::Int(it) => Some(*it),
            _ => None,
        },
        _ => None,
    };
    let given: Option<Vec<i128>> = given.iter().map(int).collect();
    let given = given?;
    let (module, name) = rest.rsplit_once('.').unwrap_or(("", rest));
    let quotient = |a: i128, b: i128| operators::floor_div(a.checked_add(b)?.checked_sub(1)?, b);
    if matches!(module, "" | "math") {
        return Some(Value::Int(match (name, &given[..]) {
            ("cdiv", &[a, b]) if b != 0 => quotient(a, b)?,
            ("next_power_of_2", &[a]) if a > 0 => {
                i128::from(u64::try_from(a).ok()?.checked_next_power_of_two()?)
            }
            _ => return None,
        }));
    }
    if module != "language" && !module.ends_with(".language") {
        return None;
    }
    let value = match (name, &given[..]) {
        ("ceildiv" | "cdiv", &[a, b]) if b > 0 => quotient(a, b)?,
        ("min", &[a, b]) => a.min(b),
        ("max", &[a, b]) => a.max(b),
        ("floordiv", &[a, b]) if b > 0 => operators::floor_div(a, b)?,
        _ => return None,
    };
    let items = [Value::Int(i128::from(i32::try_from(value).ok()?))].into_iter().collect();
    Some(Value::Typed("int32".into(), items))
}
