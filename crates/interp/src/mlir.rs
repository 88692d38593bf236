//! The interpreter of MLIR: executes functions of func, arith, math, index, memref, scf, cf, affine, vector, gpu,
//! linalg and tensor.
//!
//! In: a [`Program`] (the functions and frames of a file), the number of a function, an argument for each of its
//! parameters. Out: an [`Outcome`]: the arguments and results after the run with the defined parts of them, and the
//! events. An operation that is not known here ends the run as `unsupported`, by its name.
//!
//! Each operation is decoded once (`decode`, a module a dialect): its attributes are read, and its effect is kept as a
//! closure. The engine (`engine`) walks blocks with frames of its own, never the native stack; operations with regions
//! are `frames::Nest`s. Threads of a `gpu.launch` run one after the other up to the next barrier (`gpu`).
//!
//! Poison is a value: it spreads through arithmetic and is an event where it decides a branch, an address, a divisor.
//! The parts of the results that depend on it are undefined, so that a rewrite may give any value for them
//! ([`Final::refines_to`]). A float that cannot be compared is one NaN, as in the interpreter of TIR, whose operators
//! and conversions these are. Cost: O(operations executed × elements).

mod affine;
mod arith;
mod attrs;
mod cast;
mod control;
mod decode;
mod engine;
mod frames;
mod gpu;
mod hal;
mod lanes;
mod linalg;
mod machine;
mod math;
mod memory;
mod memref;
mod scf;
mod tensor;
mod types;
mod value;
mod vector;

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

use super::{Argument, Array, Event, Options, RunError, RunErrorKind};
use ir::{Body, DataType, OpId, OpKind, Type, ValueId};

/// The functions of a file that can call each other, and its globals.
#[derive(Debug, Default)]
pub struct Program<'p> {
    bodies: Vec<&'p Body>,
    /// By the name, and by the names of the modules around with `::` between.
    by_name: FxHashMap<String, usize>,
    /// Globals by their name: the body and the operation.
    globals: FxHashMap<&'p str, (usize, OpId)>,
}

impl<'p> Program<'p> {
    /// The program of all units of a document, as the front end gives them: its functions in their order, and the frame
    /// around them.
    pub fn new(bodies: impl IntoIterator<Item = &'p Body>) -> Program<'p> {
        let mut res = Program::default();
        let mut functions = Vec::new();
        for body in bodies {
            let number = res.bodies.len();
            res.bodies.push(body);
            if body.func_attr("function_type").is_some() {
                functions.push(number);
                if res.has_code(number) {
                    res.by_name.entry(body.name.to_string()).or_insert(number);
                }
            }
        }
        let frames = (0..res.bodies.len()).filter(|it| !functions.contains(it));
        let mut functions = functions.iter().copied();
        for frame in frames.collect::<Vec<_>>() {
            res.frame(frame, &mut functions);
        }
        res
    }

    /// Globals, and the modules around functions, which stand in a frame in the order of the functions.
    fn frame(&mut self, number: usize, functions: &mut dyn Iterator<Item = usize>) {
        let body = self.bodies[number];
        let view = |op| attrs::OpView { body, op, name: "" };
        let symbol = |op| Some(view(op).attr("sym_name")?.trim_matches('"'));
        for op in body.ops.ids() {
            let Some(name) = symbol(op) else { continue };
            if matches!(body.ops[op].kind, OpKind::Named(it) if body.name(it) == "memref.global") {
                self.globals.entry(name).or_insert((number, op));
            }
            if !view(op).has("function_type") {
                continue;
            }
            let Some(function) = functions.next() else { return };
            let around = std::iter::successors(body.parent_op(op), |&it| body.parent_op(it));
            let mut path: Vec<&str> = around.filter_map(symbol).collect();
            path.reverse();
            path.push(name);
            if self.has_code(function) && *self.bodies[function].name == *name {
                self.by_name.entry(path.join("::")).or_insert(function);
            }
        }
    }

    /// The number of the function with a name, or with the names of the modules around: `module::kernel`.
    pub fn function(&self, name: &str) -> Option<usize> {
        self.by_name.get(name).copied()
    }

    /// Returns true if a unit, by its number, is a function with a body.
    pub fn has_code(&self, number: usize) -> bool {
        self.bodies.get(number).is_some_and(|it| has_code(it))
    }
}

/// Returns true if a unit is a function with a body.
fn has_code(body: &Body) -> bool {
    body.func_attr("function_type").is_some() && !body.blocks[body.entry(body.root)].ops.is_empty()
}

/// The requirement of an argument.
#[derive(Clone, PartialEq, Debug)]
pub enum Need {
    /// A number of this type.
    Scalar(DataType),
    /// An array of these extents and element type; extents that are not said are free.
    Array(Vec<Option<i64>>, DataType),
    /// Nothing: it is made for each block of a launch.
    Attribution,
}

/// Returns the requirement of each parameter of a function; or the type that has no values here.
pub fn needs(body: &Body) -> Result<Vec<Need>, String> {
    let attributions = engine::n_attributions(body);
    let params: &[ValueId] = &body.blocks[body.entry(body.root)].args;
    let need = |(at, &value): (usize, &ValueId)| {
        if at >= params.len().saturating_sub(attributions) {
            return Ok(Need::Attribution);
        }
        let ty = body.values[value].ty;
        Ok(match types::Ty::of(body, ty) {
            types::Ty::Scalar(dtype) => Need::Scalar(dtype),
            types::Ty::Vector(shape, dtype) => {
                Need::Array(shape.into_iter().map(Some).collect(), dtype)
            }
            types::Ty::Tensor(shape, dtype) => Need::Array(shape, dtype),
            types::Ty::Memref(memref) => {
                let lanes = memref.lanes.into_iter().flatten().map(Some);
                Need::Array(memref.shape.into_iter().chain(lanes).collect(), memref.dtype)
            }
            types::Ty::Other => return Err(format!("a parameter of type {}", type_text(body, ty))),
        })
    };
    params.iter().enumerate().map(need).collect()
}

fn type_text(body: &Body, ty: Type) -> &str {
    match ty {
        Type::Named(name) => body.name(name),
        _ => "that is not known",
    }
}

/// A value when the run ends.
#[derive(Clone, PartialEq, Debug)]
pub struct Final {
    /// The value.
    pub value: Argument,
    /// For each scalar in it, whether it is neither poison nor memory that was never written.
    pub defined: Vec<bool>,
}

impl Final {
    /// Returns true if `after` refines this: it has equal bits wherever this is defined.
    pub fn refines_to(&self, after: &Final) -> bool {
        let same = match (&self.value, &after.value) {
            (Argument::Int(a), Argument::Int(b)) => a == b,
            (Argument::Float(a), Argument::Float(b)) => a.to_bits() == b.to_bits(),
            (Argument::Array(a), Argument::Array(b)) => return self.array_refines(a, after, b),
            _ => return false,
        };
        !self.is_defined(0) || (same && after.is_defined(0))
    }

    fn is_defined(&self, at: usize) -> bool {
        self.defined.get(at).copied().unwrap_or(false)
    }

    fn array_refines(&self, a: &Array, after: &Final, b: &Array) -> bool {
        let bytes = a.dtype.bytes().max(1);
        let of = |array: &'_ Array, at: usize| {
            array.data.get(at * bytes..(at + 1) * bytes).map(<[u8]>::to_vec)
        };
        a.dtype == b.dtype
            && a.shape == b.shape
            && (0..self.defined.len())
                .all(|at| !self.defined[at] || (after.is_defined(at) && of(a, at) == of(b, at)))
    }
}

/// The result of a run.
#[derive(Clone, PartialEq, Debug)]
pub struct Outcome {
    /// Each argument that is not an attribution, as the function left it.
    pub arguments: Vec<Final>,
    /// The returned value.
    pub returned: Vec<Final>,
    /// The changes of memory that a runtime binds to numbers: a byte by binding and place.
    pub bound: BTreeMap<(i64, usize), u8>,
    /// Events: the number of their function, and the event; in the order of functions and operations.
    pub events: Vec<(usize, Event)>,
    /// Operations executed, and elements they computed.
    pub steps: u64,
}

/// How a kernel that is run by itself is launched.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Launch {
    /// Blocks in each dimension.
    pub grid: [i64; 3],
    /// Threads of a block in each dimension.
    pub block: [i64; 3],
}

impl Default for Launch {
    fn default() -> Self {
        Launch { grid: [1; 3], block: [1; 3] }
    }
}

/// Runs a function of a program on arguments. Of the options, the limit of steps and the reactions to errors count.
///
/// # Errors
///
/// Errors of the program (with [`super::OnError::Stop`]), unsupported operations, arguments that do not fit, too many
/// steps.
pub fn run(
    program: &Program<'_>,
    function: usize,
    arguments: Vec<Argument>,
    launch: Launch,
    options: &Options,
) -> Result<Outcome, RunError> {
    let machine = machine::Machine::new(program, *options);
    engine::run(machine, function, arguments, launch).map_err(|it| *it)
}

fn arguments_error<T>(message: String) -> machine::Run<T> {
    Err(Box::new(RunError { op: None, function: 0, kind: RunErrorKind::Arguments, message }))
}
