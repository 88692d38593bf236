//! Functions executed by our interpreter and by TVM on the CPU; kernels also as our OpenCL C on the system's device.
//!
//! - A function of `unscheduled`, `kernels` or [`CONSTRUCTS`] is the same text for both ([`direct`]).
//! - A function of `lowered_cuda` or `scheduled_cuda` launches threads, which TVM cannot do without a GPU; the function
//!   of the same file and name in `unscheduled` computes the same values, and TVM compiles that one for the CPU. OpenCL
//!   is a third side.
//! - A kernel of `final_cuda` (split from its host, with barriers and shuffles) likewise, if its function has one
//!   kernel.
//! - One small function an operator and data type ([`operators`]).
//!
//! Inputs are made up ([`inputs`]); results are compared by [`agreement`]. A function that would take the interpreter
//! more than [`STEPS`] evaluated nodes is left out, by name, and so is one without a counterpart, and one whose result
//! has no one value (an event: an access out of bounds, an overflow that is used) on these inputs.
//!
//! TVM compiles without LLVM's optimizations. With them, LLVM unrolls loops, and folds an `llvm.fmuladd` whose operands
//! have become constants with one rounding, where the processor without fused multiply-add rounds twice: in
//! `te_affine_grid`, `-1 + i * c` folded so explains all of the 147 of 784 elements that differ from unfused
//! arithmetic, bit for bit, and without optimizations none differs. That is contraction (SEMANTICS: F2), an allowed
//! variant.

mod coverage;
mod device;
mod direct;
mod known;

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use interp::{Argument, Array, EventKind, Options, RunError, RunErrorKind};
use ir::Body;
use rustc_hash::FxHashMap;
use serde_json::{Value, json};

use crate::conformance::agreement::{AGREE_BY, BIT_FOR_BIT, Class, bit_difference, difference};
use crate::conformance::inputs::{self, Input as Made, place};
use crate::conformance::peer::{Answer, Keep, Peer};
use crate::conformance::report::{Report, Target};
use crate::conformance::run::coverage::Coverage;
use crate::conformance::{Input, corpus, operators, ours, parallel, wide};
use crate::skip::Skip;

/// Columns of the report.
const KINDS: &[&str] = &["agree", "differ", "known", "failed", "left out"];
/// The default limit of the interpreter's work.
pub(crate) const STEPS: u64 = 20_000_000;
/// The folders of kernels, and the folder with TVM's way to the same values.
const KERNELS: &[&str] = &["lowered_cuda", "scheduled_cuda"];
const COUNTERPARTS: &str = "unscheduled";
/// The group of the functions made by [`operators`].
const OPERATORS: &str = "operators";
/// Functions made by hand, one a group of constructs.
const CONSTRUCTS: &str = "tests/constructs";
/// Kernels that must agree, whatever the share.
const LEAST_KERNELS: usize = 50;

/// A kernel and its counterpart.
struct Case {
    label: String,
    group: String,
    /// The name of the file in the manifest.
    file: String,
    name: String,
    body: Body,
    counterpart: String,
    inputs: Vec<Made>,
    /// The place where the bytes of the inputs are.
    dir: PathBuf,
    /// The executors besides TVM.
    how: How,
}

/// How our side executes a case.
#[derive(Clone, Debug, PartialEq)]
enum How {
    /// By the interpreter and on the device.
    Threads,
    /// By the interpreter, the text that TVM compiles.
    Direct,
    /// By the interpreter, a kernel that takes these inputs, in this order.
    Kernel(Vec<usize>),
}

/// The result of a case on one side.
type Side = Result<Vec<Array>, Trouble>;

/// The reason why there is no result.
#[derive(Clone, Debug)]
enum Trouble {
    /// By a rule of this comparison or a stated limit.
    LeftOut(String),
    /// It should have worked.
    Failed(String),
}

/// Runs every kernel that has a counterpart.
pub(crate) fn compare(input: &Input<'_>) -> Result<Report, Skip> {
    let tvm = Peer::tvm(input.ws)?;
    let opencl = Peer::opencl(input.ws)?;
    let mut report = Report::new("Functions executed by the interpreter, OpenCL and TVM", KINDS);
    report.note(format!("TVM {}; {}", tvm.version, opencl.version));
    let mut cases = collect(input, &mut report);
    cases.extend(operator_cases(input, &mut report));
    cases.extend(direct::cases(input, &mut report));
    let interpreted = parallel(&cases, |case| interpret(case, input.steps));
    // TVM runs nothing that is known to reach outside of its arrays, or not to end.
    let (mut ran, mut sides) = (Vec::new(), Vec::new());
    for (case, side) in cases.into_iter().zip(interpreted) {
        match side {
            Err(Trouble::LeftOut(reason)) => {
                leave_out(&mut report, &case.group, &case.label, &reason)
            }
            other => {
                ran.push(case);
                sides.push(other);
            }
        }
    }
    let cases = ran;
    let requests: Vec<Value> = cases.iter().map(tvm_request).collect();
    let expected = tvm.ask_all(&requests, Keep::OnDisk);
    let device = device::run(input.ws, &opencl, &cases);
    let (mut by_us, mut by_all) = (Coverage::default(), Coverage::default());
    for (((case, answer), ours), device) in cases.iter().zip(&expected).zip(sides).zip(device) {
        let theirs = tvm_result(case, answer);
        if ours.is_ok() {
            by_us.add(&case.body);
        }
        let mut sides = vec![("interpreter", ours)];
        sides.extend(device.map(|it| ("OpenCL", it)));
        sides.push(("TVM", theirs));
        if judge(&mut report, case, &sides) {
            by_all.add(&case.body);
        }
    }
    for line in by_us.without(&by_all).lines() {
        report.list(5, "constructs that only the interpreter executed", line);
    }
    for line in by_all.lines() {
        report.list(6, "constructs with agreeing results", line);
    }
    for line in by_all.missing() {
        report.list(7, "what the interpreter knows and no agreeing function has", line);
    }
    let agree = report.total("agree");
    report.target(
        Target { what: "functions that agree, of those that were compared", least: 100.0 },
        agree,
        agree + report.total("differ") + report.total("failed"),
    );
    if input.filter.is_none() {
        report.at_least("functions that agree", agree, LEAST_KERNELS);
    }
    Ok(report)
}

/// The kernels with counterpart and inputs; the others are listed with the reason.
fn collect(input: &Input<'_>, report: &mut Report) -> Vec<Case> {
    let counterparts: FxHashMap<&str, &corpus::File> = input
        .files
        .iter()
        .filter(|file| file.group == COUNTERPARTS)
        .map(|file| (file.name.as_str(), file))
        .collect();
    let mut cases = Vec::new();
    for file in input.files.iter().filter(|file| KERNELS.contains(&file.group.as_str())) {
        let counterpart = counterparts.get(file.name.as_str());
        let theirs = counterpart.map(|file| (file.text.as_str(), ours::read(&file.text)));
        for function in ours::read(&file.text).functions {
            let label = format!("{}:{}", file.label(), function.name);
            let found = theirs.as_ref().and_then(|(text, reading)| {
                let found = reading.functions.iter().find(|it| it.name == function.name)?;
                Some((*text, &found.lowered.body))
            });
            let case = found.ok_or_else(|| "no counterpart".to_owned()).and_then(|(text, body)| {
                make_case(input, file, &function.name, function.lowered.body, text, body)
            });
            match case {
                Ok(case) => cases.push(case),
                Err(reason) => leave_out(report, &file.group, &label, &reason),
            }
        }
    }
    cases
}

/// One case an operator and data type.
fn operator_cases(input: &Input<'_>, report: &mut Report) -> Vec<Case> {
    let mut cases = Vec::new();
    for made in operators::all() {
        let label = format!("{OPERATORS}/{}", made.name);
        if input.filter.is_some_and(|filter| !label.contains(filter)) {
            continue;
        }
        let Some(function) = ours::read(&made.threaded).functions.pop() else {
            leave_out(report, OPERATORS, &label, "not lowered");
            continue;
        };
        let root = input.ws.peers();
        let dir = match write_inputs(&root, OPERATORS, &made.name, &made.serial, &made.inputs) {
            Ok(dir) => dir,
            Err(error) => {
                leave_out(report, OPERATORS, &label, &format!("cannot write inputs: {error}"));
                continue;
            }
        };
        cases.push(Case {
            file: label.clone(),
            label,
            group: OPERATORS.to_owned(),
            name: made.name,
            body: function.lowered.body,
            counterpart: made.serial,
            inputs: made.inputs,
            dir,
            how: How::Threads,
        });
    }
    cases
}

fn leave_out(report: &mut Report, group: &str, label: &str, reason: &str) {
    report.count(group, "left out");
    let known = reason.split(':').next().unwrap_or(reason);
    report.tally(0, "left out, by reason", known, 1);
    report.list(9, "left out", format!("{label}: {reason}"));
}

fn make_case(
    input: &Input<'_>,
    file: &corpus::File,
    name: &str,
    body: Body,
    counterpart: &str,
    their_body: &Body,
) -> Result<Case, String> {
    let inputs = inputs::make(&body)?;
    if inputs::make(their_body)? != inputs {
        return Err("the counterpart has other parameters".to_owned());
    }
    let dir = write_inputs(&input.ws.peers(), &file.group, name, counterpart, &inputs)
        .map_err(|error| format!("cannot write inputs: {error}"))?;
    Ok(Case {
        label: format!("{}:{name}", file.label()),
        group: file.group.clone(),
        file: file.label(),
        name: name.to_owned(),
        body,
        counterpart: counterpart.to_owned(),
        inputs,
        dir,
        how: How::Threads,
    })
}

/// Writes the bytes of the inputs into a folder of their own: named by the function and its group, these inputs and the
/// counterpart, so that the outputs that a peer once left there stay valid.
fn write_inputs(
    root: &Path,
    group: &str,
    name: &str,
    counterpart: &str,
    inputs: &[Made],
) -> std::io::Result<PathBuf> {
    let mut hasher = blake3::Hasher::new();
    hasher.update(group.as_bytes());
    hasher.update(counterpart.as_bytes());
    for input in inputs {
        match input {
            Made::Array(array) => hasher.update(&array.data),
            Made::Scalar(_, value) => hasher.update(&value.to_bits().to_le_bytes()),
        };
    }
    let dir = root.join("runs").join(format!("{name}-{}", &hasher.finalize().to_hex()[..16]));
    std::fs::create_dir_all(&dir)?;
    for (position, input) in inputs.iter().enumerate() {
        if let Made::Array(array) = input {
            std::fs::write(place(&dir, position), &array.data)?;
            // Kernels change, and with them which buffers they take: no result of an older one may stay.
            let _ = std::fs::remove_file(place(&dir, position).with_extension("bin.opencl"));
        }
    }
    Ok(dir)
}

/// Returns the request to TVM. The name of the folder stands for the inputs, so that stored answers belong to these.
fn tvm_request(case: &Case) -> Value {
    json!({
        "op": "run",
        "text": case.counterpart,
        "function": case.name,
        "arguments": inputs::described(&case.inputs, &case.dir),
    })
}

/// TVM's results, from the files it wrote.
fn tvm_result(case: &Case, answer: &Answer) -> Side {
    match answer {
        Ok(answer) if answer["outputs"].is_array() => {
            read_outputs(case, "tvm", false).map_err(Trouble::Failed)
        }
        Ok(_) => Err(Trouble::Failed("TVM: an answer without outputs".to_owned())),
        Err(error) => Err(Trouble::LeftOut(format!("TVM does not run it: {error}"))),
    }
}

/// The arrays that a peer left beside the inputs. If it leaves `is_partial` results, a buffer without one (no kernel
/// takes it) is as it was.
fn read_outputs(case: &Case, ending: &str, is_partial: bool) -> Result<Vec<Array>, String> {
    let mut arrays = Vec::new();
    for (position, input) in case.inputs.iter().enumerate() {
        let Made::Array(array) = input else { continue };
        let path = place(&case.dir, position).with_extension(format!("bin.{ending}"));
        let data = match std::fs::read(&path) {
            Ok(data) => data,
            Err(error) if is_partial && error.kind() == ErrorKind::NotFound => array.data.clone(),
            Err(error) => return Err(format!("no output: {error}")),
        };
        if data.len() != array.data.len() {
            return Err(format!("{} bytes instead of {}", data.len(), array.data.len()));
        }
        arrays.push(Array { data, ..array.clone() });
    }
    Ok(arrays)
}

/// Our interpreter on the case; the arrays in the order of the inputs.
fn interpret(case: &Case, steps: u64) -> Side {
    let argument = |input: &Made| match input {
        Made::Array(array) => Argument::Array(array.clone()),
        Made::Scalar(dtype, value) if dtype.is_float() => Argument::Float(*value),
        Made::Scalar(_, value) => Argument::Int(*value as i64),
    };
    let arguments: Vec<Argument> = match &case.how {
        How::Kernel(order) => order.iter().map(|&at| argument(&case.inputs[at])).collect(),
        How::Threads | How::Direct => case.inputs.iter().map(argument).collect(),
    };
    let options = Options { max_steps: steps, ..Options::default() };
    let outcome =
        interp::run(&case.body, arguments, &options).map_err(|error| trouble(case, &error))?;
    // The threads of a split kernel whose part of a reduction is over compute on with what nobody wrote or uses.
    let is_harmless = |kind: EventKind| match case.how {
        How::Threads => true,
        How::Kernel(_) => kind == EventKind::UninitializedRead,
        How::Direct => false,
    };
    let mut events = outcome.events.iter();
    if let Some(event) = events.find(|it| has_no_value(it.kind) && !is_harmless(it.kind)) {
        return Err(Trouble::LeftOut(format!(
            "no one value on these inputs: {}",
            event.kind.name()
        )));
    }
    let mut arrays: Vec<Option<Array>> =
        case.inputs.iter().map(|it| array_of(it).cloned()).collect();
    for (index, argument) in outcome.arguments.into_iter().enumerate() {
        let at = match &case.how {
            How::Kernel(order) => order[index],
            How::Threads | How::Direct => index,
        };
        if let Argument::Array(array) = argument {
            arrays[at] = Some(array);
        }
    }
    Ok(arrays.into_iter().flatten().collect())
}

fn array_of(input: &Made) -> Option<&Array> {
    match input {
        Made::Array(array) => Some(array),
        Made::Scalar(..) => None,
    }
}

/// Events after which back ends may disagree.
pub(in crate::conformance) fn has_no_value(kind: EventKind) -> bool {
    matches!(
        kind,
        EventKind::Overflow
            | EventKind::ShiftOutOfRange
            | EventKind::CountOfZero
            | EventKind::ConversionOutOfRange
            | EventKind::UninitializedRead
    )
}

fn trouble(case: &Case, error: &RunError) -> Trouble {
    match error.kind {
        RunErrorKind::StepLimit => Trouble::LeftOut("too much work".to_owned()),
        RunErrorKind::Unsupported => {
            Trouble::LeftOut(format!("not interpreted: {}", error.message))
        }
        // The inputs are made up without knowledge of what a kernel expects of its tables.
        RunErrorKind::Program if case.how != How::Threads => {
            Trouble::LeftOut(format!("no one value on these inputs: {}", error.message))
        }
        RunErrorKind::Program | RunErrorKind::Arguments => {
            Trouble::Failed(format!("interpreter: {}", error.message))
        }
    }
}

/// Compares the sides of a case with each other and enters the verdict: true if they agree.
fn judge(report: &mut Report, case: &Case, sides: &[(&str, Side)]) -> bool {
    let mut results = Vec::new();
    for (name, side) in sides {
        match side {
            Ok(arrays) => results.push((*name, arrays)),
            Err(Trouble::LeftOut(reason)) => {
                leave_out(report, &case.group, &case.label, reason);
                return false;
            }
            Err(Trouble::Failed(reason)) => {
                report.count(&case.group, "failed");
                report.list(0, "failed", format!("{}: {reason}", case.label));
                return false;
            }
        }
    }
    let class = Class::of(&case.body);
    let mut room = class.stated();
    let is_same = results.windows(2).all(|pair| {
        pair[0].1.iter().zip(pair[1].1).all(|(one, other)| bit_difference(one, other).is_none())
    });
    for pair in results.windows(2) {
        let [(one, left), (other, right)] = pair else { continue };
        let found = left.iter().zip(*right).enumerate().find_map(|(position, (left, right))| {
            Some((position, difference(left, right, class)?))
        });
        if found.is_some()
            && let Some(reason) = known::reason(&case.label)
        {
            report.count(&case.group, "known");
            report.list(2, "known differences", format!("{}: {reason}", case.label));
            return false;
        }
        let is_rounding = |side: &[Array]| {
            !matches!(case.how, How::Kernel(_))
                && wide::explains(&case.body, &case.inputs, results[0].1, side)
        };
        if let Some((position, found)) = found {
            if is_rounding(left) && is_rounding(right) {
                room = wide::STATED;
                continue;
            }
            report.count(&case.group, "differ");
            let line = format!("{}: {one} / {other}: buffer {position}, {found}", case.label);
            report.list(1, "different results", line);
            return false;
        }
    }
    report.count(&case.group, "agree");
    report.tally(1, AGREE_BY, if is_same { BIT_FOR_BIT } else { room }, 1);
    true
}
