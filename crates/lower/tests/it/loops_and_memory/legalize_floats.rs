//! Floats of 8 bits compute the interpreter's results, bit for bit.

use expect_test::expect;
use interp::{Argument, Array, Options, run};
use ir::DataType;
use lower::{LOWERINGS, LowerOptions};

use super::check_with;
use crate::support::read;

const FORMATS: [&str; 8] = [
    "float8_e3m4",
    "float8_e4m3",
    "float8_e4m3b11fnuz",
    "float8_e4m3fn",
    "float8_e4m3fnuz",
    "float8_e5m2",
    "float8_e5m2fnuz",
    "float8_e8m0fnu",
];

fn array(dtype: &str, data: Vec<u8>) -> Argument {
    let dtype = DataType::parse(dtype).expect("a type");
    let shape = vec![(data.len() / dtype.bytes()) as i64];
    Argument::Array(Array { dtype, shape, data })
}

/// Runs a function before and after the pass; both leave the same bytes, without an event.
#[track_caller]
fn agrees(signature: &str, statements: &str, arguments: &[Argument]) {
    let text = format!(
        "from tvm.script import tirx as T\n\n@T.prim_func(s_tir=True)\ndef f({signature}):\n{statements}"
    );
    let it = &read(&text)[0];
    assert!(it.diagnostics.is_empty(), "{:?}", it.diagnostics);
    let pass = LOWERINGS.iter().find(|it| it.name == "legalize_floats").expect("the pass");
    let after = pass.run(&it.body, &LowerOptions::default()).expect("legalised");
    let options = Options { max_steps: u64::MAX, ..Options::default() };
    let [before, after] =
        [&it.body, &after].map(|body| run(body, arguments.to_vec(), &options).expect("a result"));
    for (before, after) in before.arguments.iter().zip(&after.arguments) {
        let (Argument::Array(before), Argument::Array(after)) = (before, after) else {
            panic!("arrays");
        };
        let differs = before.data.iter().zip(&after.data).position(|(a, b)| a != b);
        assert_eq!(differs, None, "{signature}: byte {:?}", differs);
    }
    assert!(before.events.is_empty() && after.events.is_empty(), "{:?}", after.events);
}

#[test]
fn every_pattern_has_its_value() {
    for format in FORMATS {
        agrees(
            &format!("A: T.Buffer((256,), \"{format}\"), B: T.Buffer((256,), \"float32\")"),
            "    for i in range(256):\n        B[i] = T.Cast(\"float32\", A[i])\n",
            &[array(format, (0..=255).collect()), array("float32", vec![0; 1024])],
        );
    }
}

#[test]
fn values_are_rounded_once() {
    // All signs, exponents and leading digits; below them what decides about ties.
    let lows = [0, 0x8000, 1, 0xffff, 0x4000, 0x7fff];
    let bits = (0..1u32 << 16).step_by(3).map(|high| high << 16 | lows[high as usize % lows.len()]);
    let n = bits.len();
    let single: Vec<u8> = bits.clone().flat_map(u32::to_le_bytes).collect();
    let double = bits.map(|it| f64::from(f32::from_bits(it)).to_bits() ^ u64::from(it & 1));
    let double: Vec<u8> = double.flat_map(u64::to_le_bytes).collect();
    for format in FORMATS {
        let sources = [("float32", &single), ("float64", &double)];
        for (source, data) in sources {
            if source == "float64" && format == "float8_e8m0fnu" {
                continue;
            }
            agrees(
                &format!("A: T.Buffer(({n},), \"{source}\"), B: T.Buffer(({n},), \"{format}\")"),
                &format!("    for i in range({n}):\n        B[i] = T.Cast(\"{format}\", A[i])\n"),
                &[array(source, data.clone()), array(format, vec![0; n])],
            );
        }
    }
}

#[test]
fn arithmetic_of_all_pairs_rounds_once() {
    for format in ["float8_e4m3fn", "float8_e5m2", "float8_e4m3b11fnuz", "float8_e5m2fnuz"] {
        let all: Vec<u8> = (0..=255).collect();
        for value in ["A[i] + B[j]", "A[i] * B[j]", "A[i] / B[j]", "T.max(A[i] - B[j], B[j])"] {
            agrees(
                &format!(
                    "A: T.Buffer((256,), \"{format}\"), B: T.Buffer((256,), \"{format}\"), \
                     C: T.Buffer((65536,), \"{format}\")"
                ),
                &format!("    for i, j in T.grid(256, 256):\n        C[i * 256 + j] = {value}\n"),
                &[
                    array(format, all.clone()),
                    array(format, all.clone()),
                    array(format, vec![0; 1 << 16]),
                ],
            );
        }
    }
}

#[test]
fn copies_keep_every_bit() {
    let all: Vec<u8> = (0..=255).collect();
    for format in FORMATS {
        agrees(
            &format!("A: T.Buffer((256,), \"{format}\"), B: T.Buffer((256,), \"{format}\")"),
            "    S = T.alloc_buffer((256,), A.dtype)\n    for i in range(256):\n        S[i] = A[i]\n    \
             for i in range(256):\n        B[255 - i] = T.if_then_else(i < 100, S[i], A[i])\n"
                .replace("A.dtype", &format!("\"{format}\"")).as_str(),
            &[array(format, all.clone()), array(format, vec![0; 256])],
        );
    }
}

#[test]
fn memory_holds_bytes_and_parameters_have_a_view() {
    check_with(
        "legalize_floats",
        "A: T.Buffer((8,), \"float8_e8m0fnu\"), B: T.Buffer((8,), \"float32\")",
        r#"
        S = T.alloc_buffer((8,), "float8_e8m0fnu")
        for i in range(8):
            S[i] = A[i]
            B[i] = T.Cast("float32", S[i])
        "#,
        expect![[r#"
            A_1 = T.decl_buffer((8,), "uint8", data=A.data)
            S = T.alloc_buffer((8,), "uint8")
            for i in range(8):
                S[i] = A_1[i]
                x = T.uint32()
                B[i] = T.Let(T.reinterpret("float32", T.Select(x == T.uint32(255), T.uint32(2143289344), T.Select(x == T.uint32(0), T.uint32(4194304), x << T.uint32(23)))), where={x: T.Cast("uint32", S[i])})
        "#]],
    );
}

#[test]
fn vectors_are_converted_lane_by_lane() {
    check_with(
        "legalize_floats",
        "A: T.Buffer((8,), \"float8_e8m0fnu\"), B: T.Buffer((8,), \"float32\")",
        "B[T.Ramp(0, 1, 4)] = T.Cast(\"float32x4\", A[T.Ramp(0, 1, 4)])",
        expect![[r#"
            A_1 = T.decl_buffer((8,), "uint8", data=A.data)
            x = T.uint32x4()
            B[T.Ramp(0, 1, 4)] = T.Let(T.reinterpret("float32x4", T.Select(x == T.Broadcast(T.uint32(255), 4), T.Broadcast(T.uint32(2143289344), 4), T.Select(x == T.Broadcast(T.uint32(0), 4), T.Broadcast(T.uint32(4194304), 4), x << T.Broadcast(T.uint32(23), 4)))), where={x: T.Cast("uint32x4", A_1[T.Ramp(0, 1, 4)])})
        "#]],
    );
}

#[test]
fn double_rounding_is_refused() {
    let powers = "A: T.Buffer((8,), \"float8_e8m0fnu\"), B: T.Buffer((8,), \"float64\")";
    check_with(
        "legalize_floats",
        powers,
        "A[0] = A[1] * A[2]",
        expect![[r#"
        float8: floats of 8 bits: arithmetic on powers of two (`float8_e8m0fnu`)
    "#]],
    );
    check_with(
        "legalize_floats",
        powers,
        "A[0] = T.Cast(\"float8_e8m0fnu\", B[0])",
        expect![[r#"
            float8: floats of 8 bits: a conversion with more than one rounding
        "#]],
    );
}
