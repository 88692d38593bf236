//! One small function an operator and data type, so that each is executed by TVM too.
//!
//! Made, not read: the text of a function that applies one operator to [`COUNT`] elements, once as a loop (for TVM on
//! the CPU) and once in threads (for the interpreter and OpenCL), with inputs that are biased to critical values: 0,
//! ±1, powers of two and their neighbours, the ends of the type. Inputs on which the operator has no value (division by
//! zero, overflow of a wide type, a shift out of range, a conversion out of range) are replaced.

use interp::Array;
use ir::{DataType, TypeCode};

use crate::conformance::inputs::{Input, Random};

/// Elements an operator is applied to.
pub(crate) const COUNT: usize = 64;
const THREADS: usize = 32;

/// A function to be executed.
pub(crate) struct Made {
    /// Its name.
    pub(crate) name: String,
    /// Its text with a loop.
    pub(crate) serial: String,
    /// Its text with threads.
    pub(crate) threaded: String,
    /// Its arguments: the operands and the result.
    pub(crate) inputs: Vec<Input>,
}

/// Operators on two operands of one type: name, spelling, and their operands.
const BINARY: &[(&str, &str, Takes)] = &[
    ("add", "a + b", Takes::Numbers),
    ("sub", "a - b", Takes::Numbers),
    ("mul", "a * b", Takes::Numbers),
    ("div", "a / b", Takes::Floats),
    ("floordiv", "a // b", Takes::Integers),
    ("floormod", "a % b", Takes::Integers),
    ("truncdiv", "T.Div(a, b)", Takes::Integers),
    ("truncmod", "T.truncmod(a, b)", Takes::Integers),
    ("min", "T.min(a, b)", Takes::Numbers),
    ("max", "T.max(a, b)", Takes::Numbers),
    ("bitand", "a & b", Takes::Integers),
    ("bitor", "a | b", Takes::Integers),
    ("bitxor", "a ^ b", Takes::Integers),
    ("shl", "a << b", Takes::Integers),
    ("shr", "a >> b", Takes::Integers),
    ("pow", "T.pow(a, b)", Takes::WideFloats),
    ("select", "T.Select(a < b, a, b)", Takes::Numbers),
    ("if_then_else", "T.if_then_else(a < b, a - b, b)", Takes::Numbers),
];
/// Comparisons and logic: the result is a bool.
const PREDICATES: &[(&str, &str)] = &[
    ("eq", "a == b"),
    ("ne", "a != b"),
    ("lt", "a < b"),
    ("le", "a <= b"),
    ("gt", "a > b"),
    ("ge", "a >= b"),
    ("between", "a <= b and b <= a or not a < b"),
];
/// Functions of one operand.
const UNARY: &[(&str, &str, Takes)] = &[
    ("negate", "-a", Takes::Signed),
    ("invert", "~a", Takes::Integers),
    ("abs", "T.abs(a)", Takes::Numbers),
    ("popcount", "T.popcount(a)", Takes::WideUnsigned),
    ("exp", "T.exp(a)", Takes::WideFloats),
    ("exp2", "T.exp2(a)", Takes::WideFloats),
    ("log", "T.log(T.fabs(a) + T.DTYPE(0.5))", Takes::WideFloats),
    ("log2", "T.log2(T.fabs(a) + T.DTYPE(0.5))", Takes::WideFloats),
    ("sqrt", "T.sqrt(T.fabs(a))", Takes::WideFloats),
    ("rsqrt", "T.rsqrt(T.fabs(a) + T.DTYPE(0.5))", Takes::WideFloats),
    ("sin", "T.sin(a)", Takes::WideFloats),
    ("cos", "T.cos(a)", Takes::WideFloats),
    ("tanh", "T.tanh(a)", Takes::WideFloats),
    ("sigmoid", "T.sigmoid(a)", Takes::WideFloats),
    ("erf", "T.erf(a)", Takes::WideFloats),
    ("floor", "T.floor(a)", Takes::Floats),
    ("ceil", "T.ceil(a)", Takes::Floats),
    ("trunc", "T.trunc(a)", Takes::Floats),
    ("round", "T.round(a)", Takes::Floats),
    ("nearbyint", "T.nearbyint(a)", Takes::Floats),
];
/// The types that everything is tried with.
const TYPES: &[&str] = &[
    "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "float32",
    "float64",
];

/// The operands that an operator takes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Takes {
    Numbers,
    Signed,
    Integers,
    WideUnsigned,
    Floats,
    WideFloats,
}

impl Takes {
    fn is_for(self, dtype: DataType) -> bool {
        match self {
            Takes::Numbers => true,
            Takes::Signed => !dtype.is_uint(),
            Takes::Integers => dtype.is_integer(),
            Takes::WideUnsigned => dtype.is_uint() && dtype.bits >= 32,
            Takes::Floats => dtype.is_float(),
            Takes::WideFloats => dtype.is_float() && dtype.bits >= 32,
        }
    }
}

/// All functions, in a fixed order.
pub(crate) fn all() -> Vec<Made> {
    let types: Vec<DataType> = TYPES.iter().filter_map(|name| DataType::parse(name)).collect();
    let mut made = Vec::new();
    for &dtype in &types {
        for &(name, text, takes) in BINARY {
            if takes.is_for(dtype) {
                made.push(function(&format!("{name}_{dtype}"), name, text, dtype, dtype, true));
            }
        }
        for &(name, text) in PREDICATES {
            made.push(function(
                &format!("{name}_{dtype}"),
                name,
                text,
                dtype,
                DataType::BOOL,
                true,
            ));
        }
        for &(name, text, takes) in UNARY {
            if takes.is_for(dtype) {
                let text = text.replace("DTYPE", &dtype.to_string());
                made.push(function(&format!("{name}_{dtype}"), name, &text, dtype, dtype, false));
            }
        }
        for &to in &types {
            if to != dtype {
                let text = format!("T.Cast(\"{to}\", a)");
                made.push(function(&format!("cast_{dtype}_{to}"), "cast", &text, dtype, to, false));
            }
        }
    }
    made
}

fn function(
    name: &str,
    operator: &str,
    text: &str,
    dtype: DataType,
    result: DataType,
    is_binary: bool,
) -> Made {
    let (left, right) = operands(name, operator, dtype, result);
    let mut inputs = vec![Input::Array(left)];
    let mut params = format!("A: T.Buffer(({COUNT},), \"{dtype}\")");
    if is_binary {
        inputs.push(Input::Array(right));
        params.push_str(&format!(", B: T.Buffer(({COUNT},), \"{dtype}\")"));
    }
    inputs.push(Input::Array(Array::zeros(result, &[COUNT as i64])));
    params.push_str(&format!(", C: T.Buffer(({COUNT},), \"{result}\")"));
    let head = format!(
        "# from tvm.script import ir as I\n# from tvm.script import tirx as T\n\n@I.ir_module\nclass Module:\n    \
         @T.prim_func(s_tir=True)\n    def {name}({params}):\n"
    );
    let serial =
        format!("{head}        for i in range({COUNT}):\n            C[i] = {}\n", at(text, "i"));
    let index = format!("bx * {THREADS} + tx");
    let threaded = format!(
        "{head}        with T.launch_thread(\"blockIdx.x\", {}) as bx:\n            \
         tx = T.launch_thread(\"threadIdx.x\", {THREADS})\n            C[{index}] = {}\n",
        COUNT / THREADS,
        at(text, &index)
    );
    Made { name: name.to_owned(), serial, threaded, inputs }
}

/// The operator's text with `a` and `b` as loads at an index.
fn at(text: &str, index: &str) -> String {
    let mut out = String::new();
    let mut previous = ' ';
    let mut chars = text.chars().peekable();
    while let Some(current) = chars.next() {
        let is_word = |it: char| it.is_alphanumeric() || it == '_' || it == '.';
        let is_alone = !is_word(previous) && !chars.peek().is_some_and(|&next| is_word(next));
        match current {
            'a' if is_alone => out.push_str(&format!("A[{index}]")),
            'b' if is_alone => out.push_str(&format!("B[{index}]")),
            _ => out.push(current),
        }
        previous = current;
    }
    out
}

/// Operands on which the operator has a value.
fn operands(name: &str, operator: &str, dtype: DataType, result: DataType) -> (Array, Array) {
    let shape = [COUNT as i64];
    let (mut left, mut right) = (Array::zeros(dtype, &shape), Array::zeros(dtype, &shape));
    let (mut random, values) = (Random::new(name, 0), values(dtype));
    for index in 0..COUNT {
        let mut pick = || values[random.below(values.len() as u64) as usize];
        let (mut one, mut other) = (pick(), pick());
        let mut tries = 0;
        while !has_value(operator, one, other, dtype, result) {
            (one, other) = if tries < 100 { (pick(), pick()) } else { (1.0, 1.0) };
            tries += 1;
        }
        left.set_f64(index, one);
        right.set_f64(index, other);
    }
    (left, right)
}

/// Returns true if an operator has a value on these operands that all back ends agree on.
fn has_value(operator: &str, one: f64, other: f64, dtype: DataType, result: DataType) -> bool {
    let fits = |value: f64| {
        let (low, high) = ends(dtype);
        // Narrow integers wrap where they are stored; wide ones must not overflow.
        dtype.is_float() || dtype.bits < 32 || (low <= value && value <= high)
    };
    match operator {
        "add" => fits(one + other),
        "sub" | "if_then_else" => fits(one - other),
        "mul" => fits(one * other),
        "negate" | "abs" => dtype.is_float() || one > ends(dtype).0 || dtype.is_uint(),
        "floordiv" | "floormod" | "truncdiv" | "truncmod" => {
            other != 0.0 && !(other == -1.0 && one == ends(dtype).0)
        }
        "div" => other != 0.0,
        "shl" => {
            (0.0..f64::from(dtype.bits)).contains(&other) && fits(one * other.exp2()) && one >= 0.0
        }
        "shr" => (0.0..f64::from(dtype.bits)).contains(&other),
        "pow" => one > 0.0 && one < 100.0 && other.abs() < 8.0,
        "exp" | "exp2" | "sin" | "cos" | "tanh" | "sigmoid" | "erf" => one.abs() < 60.0,
        "cast" if dtype.is_float() && result.is_integer() => {
            let (low, high) = ends(result);
            one.trunc() >= low && one.trunc() <= high
        }
        "cast" if result.is_float() => one.abs() <= ends(result).1,
        _ => true,
    }
}

/// The least and the greatest number of a type. For 64-bit types those that a double holds exactly.
fn ends(dtype: DataType) -> (f64, f64) {
    let bits = i32::from(dtype.bits).min(53);
    match dtype.code {
        TypeCode::UInt => (0.0, 2f64.powi(bits) - 1.0),
        TypeCode::Float => match dtype.bits {
            16 => (-65504.0, 65504.0),
            32 => (-f64::from(f32::MAX), f64::from(f32::MAX)),
            _ => (f64::MIN, f64::MAX),
        },
        _ => (-(2f64.powi(bits - 1)), 2f64.powi(bits - 1) - 1.0),
    }
}

/// The numbers that operands are picked from.
fn values(dtype: DataType) -> Vec<f64> {
    let (low, high) = ends(dtype);
    let mut values = vec![0.0, 1.0, -1.0, 2.0, -2.0, 3.0, -3.0, 5.0, 7.0, -7.0];
    for power in 2..i32::from(dtype.bits).min(50) {
        let value = 2f64.powi(power);
        values.extend([value, value - 1.0, value + 1.0, -value, 1.0 - value, -value - 1.0]);
    }
    if dtype.is_float() {
        values.extend([0.5, -0.5, 1.5, -1.5, 2.5, 0.1, -0.1, 1e-3, 3.75, -0.25, 0.75]);
        values = values.into_iter().map(|value| dtype.round_float(value)).collect();
        values.retain(|value| value.abs() <= high.min(1e6));
    } else {
        values.extend([low, high, low + 1.0, high - 1.0]);
        values.retain(|value| low <= *value && *value <= high);
    }
    values
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::*;

    #[test]
    fn function_is_made_twice() {
        let made = function("sub_int32", "sub", "a - b", DataType::INT32, DataType::INT32, true);
        expect![[r#"
            # from tvm.script import ir as I
            # from tvm.script import tirx as T

            @I.ir_module
            class Module:
                @T.prim_func(s_tir=True)
                def sub_int32(A: T.Buffer((64,), "int32"), B: T.Buffer((64,), "int32"), C: T.Buffer((64,), "int32")):
                    with T.launch_thread("blockIdx.x", 2) as bx:
                        tx = T.launch_thread("threadIdx.x", 32)
                        C[bx * 32 + tx] = A[bx * 32 + tx] - B[bx * 32 + tx]
        "#]]
        .assert_eq(&made.threaded);
        assert!(made.serial.contains("            C[i] = A[i] - B[i]\n"));
    }

    #[test]
    fn operands_have_values() {
        for made in all() {
            let Some(Input::Array(array)) = made.inputs.first() else { panic!("{}", made.name) };
            assert_eq!(array.len(), COUNT, "{}", made.name);
        }
    }
}
