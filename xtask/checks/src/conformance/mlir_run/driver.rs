//! A `main` for a function: it fills arguments by a formula, calls, and prints all bits.
//!
//! In: a function. Out: its text, the same arguments for the interpreter, and the words that the peer must print.
//! Elements are small multiples of a quarter, so that sums and products are exact in whatever order a lowering takes
//! them.

use std::fmt::Write as _;

use interp::{
    Argument, Array,
    mlir::{Final, Need, Outcome, needs},
};
use ir::{
    Attr, Body, DataType, Type, TypeCode,
    text::types::{element_of, function_parts},
};

/// The function that runs everything.
pub(super) const MAIN: &str = "tir_main";

/// Extents that are not said.
const EXTENT: i64 = 6;

/// The elements of one argument: more take the peer longer to print than to compute.
const MAX_ELEMENTS: i64 = 1 << 18;

/// A program around a function.
pub(super) struct Driver {
    text: String,
    pub(super) arguments: Vec<Argument>,
    /// True for each argument that is memory, which is shown after the call.
    is_memory: Vec<bool>,
    /// The type of each result, if it is a float.
    floats: Vec<Option<DataType>>,
}

/// The number from which element `at` of argument `seed` is made: −5 to 5.
fn number(at: i64, seed: usize) -> i64 {
    (at * 7 + seed as i64).rem_euclid(11) - 5
}

/// The value of a number as an element: floats are quarters, indices are not negative.
fn value(number: i64, dtype: DataType, is_index: bool) -> f64 {
    match (dtype.is_float(), is_index) {
        (true, _) => number as f64 * 0.25,
        (false, true) => number.rem_euclid(3) as f64,
        _ => number as f64,
    }
}

/// A type of an argument or result in the text.
#[derive(Clone, Copy)]
struct Place<'t> {
    text: &'t str,
    element: &'t str,
}

impl<'t> Place<'t> {
    fn new(text: &'t str) -> Place<'t> {
        Place { text, element: element_of(text).unwrap_or(text) }
    }

    fn is_index(self) -> bool {
        self.element == "index"
    }
}

/// Arguments of the same formula for any function.
pub(super) fn arguments(body: &Body) -> Result<Vec<Argument>, String> {
    let array = |shape: Vec<Option<i64>>, dtype, seed| {
        let shape: Vec<i64> = shape.into_iter().map(|it| it.unwrap_or(EXTENT)).collect();
        filled(&shape, dtype, false, seed)
    };
    let argument = |(seed, need)| match need {
        Need::Attribution => None,
        Need::Scalar(dtype) if dtype.is_float() => Some(Argument::Float(0.5 + seed as f64)),
        Need::Scalar(dtype) => Some(Argument::Int(dtype.wrap_int(2 + seed as i128))),
        Need::Array(shape, dtype) => Some(Argument::Array(array(shape, dtype, seed))),
    };
    Ok(needs(body)?.into_iter().enumerate().filter_map(argument).collect())
}

fn filled(shape: &[i64], dtype: DataType, is_index: bool, seed: usize) -> Array {
    let mut array = Array::zeros(dtype, shape);
    for at in 0..array.len() {
        let number = number(at as i64, seed);
        // The low bit, as a conversion takes it.
        let number = if dtype.bits == 1 { number.rem_euclid(2) } else { number };
        array.set_f64(at, value(number, dtype, is_index));
    }
    array
}

impl Driver {
    /// The driver of a function; or the part of its signature that cannot be given or shown.
    pub(super) fn new(body: &Body) -> Result<Driver, String> {
        let params = &body.blocks[body.entry(body.root)].args;
        let mut text = String::from(HEAD);
        let mut arguments = Vec::new();
        let (mut types, mut is_memory) = (Vec::new(), Vec::new());
        let mut filled: Vec<(String, &str, usize)> = Vec::new();
        for (seed, (need, &param)) in needs(body)?.into_iter().zip(params).enumerate() {
            let Type::Named(name) = body.values[param].ty else { return Err("a parameter".into()) };
            let place = Place::new(body.name(name));
            types.push(place.text);
            is_memory.push(place.text.starts_with("memref<"));
            match need {
                Need::Attribution => return Err("a kernel of a launch".to_owned()),
                Need::Scalar(dtype) => arguments.push(scalar(&mut text, place, dtype, seed)?),
                Need::Array(shape, dtype) => {
                    let shape: Vec<i64> =
                        shape.into_iter().map(|it| it.unwrap_or(EXTENT)).collect();
                    let elements = shape.iter().try_fold(1, |all: i64, &it| all.checked_mul(it));
                    if elements.is_none_or(|it| it > MAX_ELEMENTS) {
                        return Err("an argument of too many elements".to_owned());
                    }
                    arguments.push(array(&mut text, place, &shape, dtype, seed)?);
                    if is_memory[seed] {
                        filled.push((format!("%a{seed}"), place.text, shape.len()));
                    }
                }
            }
        }
        let Some(Attr::Text(signature)) = body.func_attr("function_type") else {
            return Err("no signature".to_owned());
        };
        let (_, results) = function_parts(signature).ok_or("a signature of another dialect")?;
        let names: Vec<String> = (0..types.len()).map(|at| format!("%a{at}")).collect();
        let pack =
            if results.is_empty() { String::new() } else { format!("%r:{} = ", results.len()) };
        let _ = writeln!(
            text,
            "  {pack}func.call @{}({}) : ({}) -> ({})",
            body.name,
            names.join(", "),
            types.join(", "),
            results.join(", ")
        );
        for (at, ty) in results.iter().enumerate() {
            let name = format!("%r#{at}");
            show_result(&mut text, &name, Place::new(ty), &format!("r{at}"))?;
        }
        for (at, (name, ty, rank)) in filled.iter().enumerate() {
            show_elements(&mut text, name, Place::new(ty), *rank, "memref", &format!("m{at}"))?;
        }
        text.push_str("  return\n}\n");
        let floats = results.iter().map(|it| float(Place::new(it).element)).collect();
        Ok(Driver { text, arguments, is_memory, floats })
    }

    /// The text of the program with the driver in its module.
    pub(super) fn beside(&self, program: &str) -> String {
        // Tests have comments behind the end, which would hide that of the module.
        let mut trimmed = program.trim_end();
        while let Some((above, last)) = trimmed.rsplit_once('\n')
            && last.trim_start().starts_with("//")
        {
            trimmed = above.trim_end();
        }
        let has_module = program.lines().any(|it| it.starts_with("module"));
        match trimmed.strip_suffix('}').filter(|_| has_module) {
            Some(open) => format!("{open}\n{}}}\n", self.text),
            None => format!("{trimmed}\n{}", self.text),
        }
    }

    /// Returns the words that must be printed, in order; `None` where the program defines nothing.
    pub(super) fn bits(&self, outcome: &Outcome) -> Vec<Word> {
        let results = outcome.returned.iter().zip(self.floats.iter().copied());
        let memory = outcome.arguments.iter().zip(&self.is_memory);
        let memory = memory.filter(|(_, is_memory)| **is_memory).map(|(end, _)| (end, None));
        results.chain(memory).flat_map(|(end, float)| words(end, float)).collect()
    }
}

/// The float type with this text.
fn float(element: &str) -> Option<DataType> {
    match element {
        "bf16" => Some(DataType::scalar(TypeCode::BFloat, 16)),
        "f16" | "f32" | "f64" => DataType::parse(element),
        _ => None,
    }
}

/// The code around the function: it prints one word, and it copies memory of any layout, which lowered copies call.
const HEAD: &str = r#"llvm.func @tir_copy(%elem: i64, %rank: i64, %src: !llvm.ptr, %dst: !llvm.ptr, %sizes: !llvm.ptr, %from: !llvm.ptr, %to: !llvm.ptr) {
  %c0 = llvm.mlir.constant(0 : i64) : i64
  %c1 = llvm.mlir.constant(1 : i64) : i64
  %is_one = llvm.icmp "eq" %rank, %c0 : i64
  llvm.cond_br %is_one, ^one, ^head(%c0 : i64)
^one:
  "llvm.intr.memcpy"(%dst, %src, %elem) <{isVolatile = false}> : (!llvm.ptr, !llvm.ptr, i64) -> ()
  llvm.return
^head(%i: i64):
  %size = llvm.load %sizes : !llvm.ptr -> i64
  %is_in = llvm.icmp "slt" %i, %size : i64
  llvm.cond_br %is_in, ^body, ^end
^body:
  %a = llvm.load %from : !llvm.ptr -> i64
  %b = llvm.load %to : !llvm.ptr -> i64
  %a1 = llvm.mul %a, %i : i64
  %b1 = llvm.mul %b, %i : i64
  %a2 = llvm.mul %a1, %elem : i64
  %b2 = llvm.mul %b1, %elem : i64
  %s = llvm.getelementptr %src[%a2] : (!llvm.ptr, i64) -> !llvm.ptr, i8
  %d = llvm.getelementptr %dst[%b2] : (!llvm.ptr, i64) -> !llvm.ptr, i8
  %less = llvm.sub %rank, %c1 : i64
  %sizes1 = llvm.getelementptr %sizes[1] : (!llvm.ptr) -> !llvm.ptr, i64
  %from1 = llvm.getelementptr %from[1] : (!llvm.ptr) -> !llvm.ptr, i64
  %to1 = llvm.getelementptr %to[1] : (!llvm.ptr) -> !llvm.ptr, i64
  llvm.call @tir_copy(%elem, %less, %s, %d, %sizes1, %from1, %to1) : (i64, i64, !llvm.ptr, !llvm.ptr, !llvm.ptr, !llvm.ptr, !llvm.ptr) -> ()
  %next = llvm.add %i, %c1 : i64
  llvm.br ^head(%next : i64)
^end:
  llvm.return
}
llvm.func @memrefCopy(%elem: i64, %src: !llvm.ptr, %dst: !llvm.ptr) {
  %rank = llvm.load %src : !llvm.ptr -> i64
  %s1 = llvm.getelementptr %src[1] : (!llvm.ptr) -> !llvm.ptr, i64
  %d1 = llvm.getelementptr %dst[1] : (!llvm.ptr) -> !llvm.ptr, i64
  %s = llvm.load %s1 : !llvm.ptr -> !llvm.ptr
  %d = llvm.load %d1 : !llvm.ptr -> !llvm.ptr
  %s2 = llvm.getelementptr %s[1] : (!llvm.ptr) -> !llvm.ptr, i64
  %d2 = llvm.getelementptr %d[1] : (!llvm.ptr) -> !llvm.ptr, i64
  %sp = llvm.load %s2 : !llvm.ptr -> !llvm.ptr
  %dp = llvm.load %d2 : !llvm.ptr -> !llvm.ptr
  %s3 = llvm.getelementptr %s[2] : (!llvm.ptr) -> !llvm.ptr, i64
  %d3 = llvm.getelementptr %d[2] : (!llvm.ptr) -> !llvm.ptr, i64
  %so = llvm.load %s3 : !llvm.ptr -> i64
  %do = llvm.load %d3 : !llvm.ptr -> i64
  %sb = llvm.mul %so, %elem : i64
  %db = llvm.mul %do, %elem : i64
  %sa = llvm.getelementptr %sp[%sb] : (!llvm.ptr, i64) -> !llvm.ptr, i8
  %da = llvm.getelementptr %dp[%db] : (!llvm.ptr, i64) -> !llvm.ptr, i8
  %sizes = llvm.getelementptr %s[3] : (!llvm.ptr) -> !llvm.ptr, i64
  %others = llvm.getelementptr %d[3] : (!llvm.ptr) -> !llvm.ptr, i64
  %from = llvm.getelementptr %sizes[%rank] : (!llvm.ptr, i64) -> !llvm.ptr, i64
  %to = llvm.getelementptr %others[%rank] : (!llvm.ptr, i64) -> !llvm.ptr, i64
  llvm.call @tir_copy(%elem, %rank, %sa, %da, %sizes, %from, %to) : (i64, i64, !llvm.ptr, !llvm.ptr, !llvm.ptr, !llvm.ptr, !llvm.ptr) -> ()
  llvm.return
}
llvm.mlir.global internal constant @tir_format("%016lx\0A\00") {addr_space = 0 : i32}
llvm.func @printf(!llvm.ptr, ...) -> i32
func.func private @tir_show(%v: i64) {
  %f = llvm.mlir.addressof @tir_format : !llvm.ptr
  %0 = llvm.call @printf(%f, %v) vararg(!llvm.func<i32 (ptr, ...)>) : (!llvm.ptr, i64) -> i32
  return
}
func.func @tir_main() {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
"#;

// ---- arguments ----

fn scalar(
    text: &mut String,
    place: Place<'_>,
    dtype: DataType,
    seed: usize,
) -> Result<Argument, String> {
    let name = format!("%a{seed}");
    if dtype.is_float() {
        let value = 0.5 + seed as f64;
        let _ = writeln!(text, "  {name} = arith.constant {value:?} : {}", place.element);
        return Ok(Argument::Float(dtype.round_float(value)));
    }
    let value = if dtype.bits == 1 { 1 } else { 2 + seed as i64 };
    let _ = writeln!(text, "  {name} = arith.constant {value} : {}", place.element);
    Ok(Argument::Int(dtype.wrap_int(value.into())))
}

fn array(
    text: &mut String,
    place: Place<'_>,
    shape: &[i64],
    dtype: DataType,
    seed: usize,
) -> Result<Argument, String> {
    if place.element.starts_with("vector<") {
        return Err("memory of vectors".to_owned());
    }
    let array = filled(shape, dtype, place.is_index(), seed);
    let dims: String = shape.iter().map(|it| format!("{it}x")).collect();
    // Parts of a byte lie side by side in a vector, and in memory a byte each: such a vector is made of bytes.
    let is_packed = place.text.starts_with("vector<") && place.element != "index" && dtype.bits < 8;
    let element = if is_packed { "i8" } else { place.element };
    let memory = format!("memref<{dims}{element}>");
    let _ = writeln!(text, "  %p{seed} = memref.alloc() : {memory}");
    let vars = open_loops(text, shape.len(), &format!("p{seed}"), |dim| {
        format!("arith.constant {} : index", shape[dim])
    });
    let mut linear = "0".to_owned();
    for (dim, size) in shape.iter().enumerate() {
        linear = format!("({linear}) * {size} + d{dim}");
    }
    let dims: Vec<String> = (0..shape.len()).map(|it| format!("d{it}")).collect();
    let map =
        format!("affine_map<({}) -> ((({linear}) * 7 + {seed}) mod 11 - 5)>", dims.join(", "));
    let _ = writeln!(text, "    %n{seed} = affine.apply {map}({})", vars.join(", "));
    let ty = element;
    let converted = match (place.is_index(), dtype.is_float(), dtype.bits) {
        (true, ..) => {
            format!("    %e{seed} = affine.apply affine_map<(d0) -> (d0 mod 3)>(%n{seed})\n")
        }
        (_, true, _) => format!(
            "    %w{seed} = arith.index_cast %n{seed} : index to i64\n    %f{seed} = arith.sitofp %w{seed} : i64 to {ty}\n    \
             %q{seed} = arith.constant 0.25 : {ty}\n    %e{seed} = arith.mulf %f{seed}, %q{seed} : {ty}\n"
        ),
        _ => format!("    %e{seed} = arith.index_cast %n{seed} : index to {ty}\n"),
    };
    text.push_str(&converted);
    let _ = writeln!(text, "    memref.store %e{seed}, %p{seed}[{}] : {memory}", vars.join(", "));
    text.push_str(&"  }\n".repeat(shape.len()));
    let name = format!("%a{seed}");
    let _ = match place.text.split('<').next() {
        Some("memref") => {
            writeln!(text, "  {name} = memref.cast %p{seed} : {memory} to {}", place.text)
        }
        Some("tensor") => {
            let fixed = memory.replacen("memref", "tensor", 1);
            let _ = writeln!(
                text,
                "  %t{seed} = bufferization.to_tensor %p{seed} restrict writable : {memory}"
            );
            writeln!(text, "  {name} = tensor.cast %t{seed} : {fixed} to {}", place.text)
        }
        _ => {
            let zeros = vec!["%zero"; shape.len()].join(", ");
            let inside = vec!["true"; shape.len()].join(", ");
            let _ = padding(text, dtype, ty, seed);
            let read = if is_packed { format!("%v{seed}") } else { name.clone() };
            let vector = ir::text::types::with_element(place.text, element);
            let _ = writeln!(
                text,
                "  {read} = vector.transfer_read %p{seed}[{zeros}], %pad{seed} {{in_bounds = [{inside}]}} : {memory}, {vector}"
            );
            if is_packed {
                let _ =
                    writeln!(text, "  {name} = arith.trunci {read} : {vector} to {}", place.text);
            }
            Ok(())
        }
    };
    Ok(Argument::Array(array))
}

fn padding(text: &mut String, dtype: DataType, ty: &str, seed: usize) -> std::fmt::Result {
    let zero = if dtype.is_float() { "0.0" } else { "0" };
    writeln!(text, "  %pad{seed} = arith.constant {zero} : {ty}")
}

/// Opens a loop for each dimension; the names of their variables.
fn open_loops(
    text: &mut String,
    rank: usize,
    tag: &str,
    extent: impl Fn(usize) -> String,
) -> Vec<String> {
    for dim in 0..rank {
        let _ = writeln!(text, "  %{tag}d{dim} = {}", extent(dim));
    }
    for dim in 0..rank {
        let _ = writeln!(text, "  scf.for %{tag}i{dim} = %zero to %{tag}d{dim} step %one {{");
    }
    (0..rank).map(|dim| format!("%{tag}i{dim}")).collect()
}

// ---- results ----

fn show_result(text: &mut String, name: &str, place: Place<'_>, tag: &str) -> Result<(), String> {
    let shape = ir::text::types::shape_of(place.text);
    match place.text.split('<').next() {
        Some("memref") => show_elements(text, name, place, shape.len(), "memref", tag),
        Some("tensor") => show_elements(text, name, place, shape.len(), "tensor", tag),
        Some("vector") if matches!(place.element, "i1" | "i2" | "i4") => {
            // As of arguments: parts of a byte lie side by side in a vector.
            let bytes = ir::text::types::with_element(place.text, "i8");
            let _ = writeln!(text, "  %{tag}x = arith.extsi {name} : {} to {bytes}", place.text);
            show_result(text, &format!("%{tag}x"), Place::new(&bytes), tag)
        }
        Some("vector") => {
            let memory = place.text.replacen("vector", "memref", 1);
            let zeros = vec!["%zero"; shape.len()].join(", ");
            let inside = vec!["true"; shape.len()].join(", ");
            let _ = writeln!(text, "  %{tag} = memref.alloc() : {memory}");
            let _ = writeln!(
                text,
                "  vector.transfer_write {name}, %{tag}[{zeros}] {{in_bounds = [{inside}]}} : {}, {memory}",
                place.text
            );
            show_elements(text, &format!("%{tag}"), Place::new(&memory), shape.len(), "memref", tag)
        }
        _ => show(text, name, place.element, tag),
    }
}

fn show_elements(
    text: &mut String,
    name: &str,
    place: Place<'_>,
    rank: usize,
    dialect: &str,
    tag: &str,
) -> Result<(), String> {
    for dim in 0..rank {
        let _ = writeln!(text, "  %{tag}c{dim} = arith.constant {dim} : index");
    }
    let vars = open_loops(text, rank, tag, |dim| {
        format!("{dialect}.dim {name}, %{tag}c{dim} : {}", place.text)
    });
    let read = if dialect == "memref" { "load" } else { "extract" };
    let _ = writeln!(
        text,
        "    %{tag}v = {dialect}.{read} {name}[{}] : {}",
        vars.join(", "),
        place.text
    );
    show(text, &format!("%{tag}v"), place.element, tag)?;
    text.push_str(&"  }\n".repeat(rank));
    Ok(())
}

/// Prints the bits of a scalar in the low end of a word; integers with their sign.
fn show(text: &mut String, name: &str, element: &str, tag: &str) -> Result<(), String> {
    let bits = match element {
        "f32" => "i32",
        "f16" | "bf16" => "i16",
        "f64" => "i64",
        _ => "",
    };
    let _ = match (element, bits) {
        ("index", _) => writeln!(text, "    %{tag}w = arith.index_cast {name} : index to i64"),
        ("i64", _) => {
            return show_word(text, name);
        }
        (_, "i64") => writeln!(text, "    %{tag}w = arith.bitcast {name} : f64 to i64"),
        (_, "") if element.starts_with('i') => {
            writeln!(text, "    %{tag}w = arith.extsi {name} : {element} to i64")
        }
        (_, "") => return Err(format!("a result of {element}")),
        _ => {
            let _ = writeln!(text, "    %{tag}b = arith.bitcast {name} : {element} to {bits}");
            writeln!(text, "    %{tag}w = arith.extui %{tag}b : {bits} to i64")
        }
    };
    show_word(text, &format!("%{tag}w"))
}

fn show_word(text: &mut String, name: &str) -> Result<(), String> {
    let _ = writeln!(text, "    func.call @tir_show({name}) : (i64) -> ()");
    Ok(())
}

// ---- words ----

/// A scalar that must be printed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Word {
    bits: u64,
    is_defined: bool,
    /// Of a float; none for integers.
    float: Option<DataType>,
}

fn words(end: &Final, float: Option<DataType>) -> Vec<Word> {
    let of_array = |array: &Array| {
        let bytes = array.dtype.bytes().max(1);
        let word = |(at, cell): (usize, &[u8])| {
            let mut low = [0u8; 8];
            let n = cell.len().min(8);
            low[..n].copy_from_slice(&cell[..n]);
            let raw = u64::from_le_bytes(low);
            let float = array.dtype.is_float().then_some(array.dtype);
            let bits = if float.is_some() { raw } else { array.dtype.wrap_int(raw.into()) as u64 };
            Word { bits, is_defined: end.defined[at], float }
        };
        array.data.chunks_exact(bytes).enumerate().map(word).collect()
    };
    match &end.value {
        Argument::Int(value) => {
            vec![Word { bits: *value as u64, is_defined: end.defined[0], float: None }]
        }
        Argument::Float(value) => {
            let mut one = Array::zeros(float.unwrap_or(DataType::float(64)), &[]);
            one.set_f64(0, *value);
            of_array(&one)
        }
        Argument::Array(array) => of_array(array),
    }
}

/// Returns true if the peer printed the same twice, wherever the program defines the result.
pub(super) fn same(ours: &[Word], before: &[u64], after: &[u64]) -> bool {
    let is_defined = |at: usize| ours.get(at).is_none_or(|it| it.is_defined);
    before.len() == after.len()
        && before.iter().zip(after).enumerate().all(|(at, (a, b))| a == b || !is_defined(at))
}

/// Compares our results with the peer's output: returns how many differ within the tolerance, in units of the last
/// place.
pub(super) fn near(ours: &[Word], theirs: &[u64], room: u64) -> Result<usize, String> {
    if ours.len() != theirs.len() {
        return Err(format!("{} words for {}", ours.len(), theirs.len()));
    }
    let mut n_near = 0;
    for (at, (ours, &theirs)) in ours.iter().zip(theirs).enumerate() {
        let both_nan = ours.float.is_some_and(|it| is_nan(it, ours.bits) && is_nan(it, theirs));
        if !ours.is_defined || ours.bits == theirs || both_nan {
            continue;
        }
        if ours.float.is_none() || ours.bits.abs_diff(theirs) > room {
            return Err(format!("word {at}: {:016x} for {theirs:016x}", ours.bits));
        }
        n_near += 1;
    }
    Ok(n_near)
}

fn is_nan(dtype: DataType, bits: u64) -> bool {
    match (dtype.code, dtype.bits) {
        (TypeCode::Float, 64) => f64::from_bits(bits).is_nan(),
        (TypeCode::Float, 32) => f32::from_bits(bits as u32).is_nan(),
        (TypeCode::Float, 16) => bits & 0x7fff > 0x7c00,
        (TypeCode::BFloat, _) => bits & 0x7fff > 0x7f80,
        _ => false,
    }
}
