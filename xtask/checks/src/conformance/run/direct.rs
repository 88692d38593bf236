//! Functions that TVM compiles as they are, and kernels that it split from such functions.
//!
//! In: the files of `unscheduled`, `kernels` and `final_cuda`, and [`super::CONSTRUCTS`]. Out: cases. Functions that
//! bind threads or whose inputs cannot be made are left out by name.

use ir::{Body, ForKind, OpKind};
use rustc_hash::FxHashMap;

use super::{CONSTRUCTS, COUNTERPARTS, Case, How, leave_out, write_inputs};
use crate::conformance::report::Report;
use crate::conformance::{Input, corpus, inputs, ours};

/// Folders of functions that may run on a CPU as they are.
const GROUPS: &[&str] = &[COUNTERPARTS, "kernels"];
/// The folder of kernels after all passes of TVM.
const FINAL: &str = "final_cuda";

/// All cases, in the order of the files.
pub(super) fn cases(input: &Input<'_>, report: &mut Report) -> Vec<Case> {
    let mut cases = Vec::new();
    let constructs = constructs(input);
    let files = input.files.iter().filter(|it| GROUPS.contains(&it.group.as_str()));
    for file in files.chain(&constructs) {
        for function in ours::read(&file.text).functions {
            let label = format!("{}:{}", file.label(), function.name);
            let body = function.lowered.body;
            match direct(input, file, &function.name, &body) {
                Ok((inputs, dir)) => cases.push(Case {
                    label,
                    group: format!("{}, as it is", file.group),
                    file: file.label(),
                    name: function.name,
                    body,
                    counterpart: file.text.clone(),
                    inputs,
                    dir,
                    how: How::Direct,
                }),
                Err(reason) => {
                    leave_out(report, &format!("{}, as it is", file.group), &label, &reason)
                }
            }
        }
    }
    cases.extend(kernels(input, report));
    cases
}

/// The functions made by hand.
fn constructs(input: &Input<'_>) -> Vec<corpus::File> {
    let mut files = corpus::read(&input.ws.path(CONSTRUCTS), None).unwrap_or_default();
    files.iter_mut().for_each(|file| "constructs".clone_into(&mut file.group));
    files.retain(|file| input.filter.is_none_or(|filter| file.label().contains(filter)));
    files
}

type Prepared = Result<(Vec<inputs::Input>, std::path::PathBuf), String>;

fn direct(input: &Input<'_>, file: &corpus::File, name: &str, body: &Body) -> Prepared {
    if body.ops.iter().any(|(_, op)| binds_threads(op.kind)) {
        return Err("it binds threads".to_owned());
    }
    let inputs = inputs::make(body)?;
    let dir = write_inputs(&input.ws.peers(), &file.group, name, &file.text, &inputs)
        .map_err(|error| format!("cannot write inputs: {error}"))?;
    Ok((inputs, dir))
}

fn binds_threads(kind: OpKind) -> bool {
    matches!(kind, OpKind::LaunchThread { .. } | OpKind::For(ForKind::ThreadBinding(_)))
}

/// Kernels `f_kernel` of functions `f` that have one kernel, with the function before scheduling.
fn kernels(input: &Input<'_>, report: &mut Report) -> Vec<Case> {
    let counterparts: FxHashMap<&str, &corpus::File> = input
        .files
        .iter()
        .filter(|file| file.group == COUNTERPARTS)
        .map(|file| (file.name.as_str(), file))
        .collect();
    let mut cases = Vec::new();
    for file in input.files.iter().filter(|file| file.group == FINAL) {
        let functions = ours::read(&file.text).functions;
        let names: Vec<String> = functions.iter().map(|it| it.name.clone()).collect();
        for function in functions {
            let Some(name) = function.name.strip_suffix("_kernel").map(str::to_owned) else {
                continue;
            };
            let label = format!("{}:{}", file.label(), function.name);
            let is_alone = !names.contains(&format!("{}_1", function.name));
            let body = function.lowered.body;
            let found = counterparts.get(file.name.as_str()).filter(|_| is_alone);
            let case = found
                .ok_or_else(|| "no counterpart".to_owned())
                .and_then(|theirs| kernel(input, file, theirs, &name, label.clone(), body));
            match case {
                Ok(case) => cases.push(case),
                Err(reason) => leave_out(report, &file.group, &label, &reason),
            }
        }
    }
    cases
}

fn kernel(
    input: &Input<'_>,
    file: &corpus::File,
    counterpart: &corpus::File,
    name: &str,
    label: String,
    body: Body,
) -> Result<Case, String> {
    let functions = ours::read(&counterpart.text).functions;
    let theirs = functions.iter().find(|it| it.name == name).ok_or("no counterpart")?;
    let theirs = &theirs.lowered.body;
    let order = order(&body, theirs).ok_or("its parameters are not those of its function")?;
    let inputs = inputs::make(theirs)?;
    let dir = write_inputs(&input.ws.peers(), &file.group, name, &counterpart.text, &inputs)
        .map_err(|error| format!("cannot write inputs: {error}"))?;
    Ok(Case {
        label,
        group: file.group.clone(),
        file: file.label(),
        name: name.to_owned(),
        body,
        counterpart: counterpart.text.clone(),
        inputs,
        dir,
        how: How::Kernel(order),
    })
}

/// For each parameter of a kernel, which one of its function it is: `A_ptr` is the buffer `A`.
fn order(kernel: &Body, function: &Body) -> Option<Vec<usize>> {
    let of = |body: &Body, index: usize| {
        let param = &body.params[index];
        let name = match param.buffer {
            Some(buffer) => body.buffers[buffer].name,
            None => body.values[param.value].name,
        };
        body.name(name).to_owned()
    };
    let names: Vec<String> = (0..function.params.len()).map(|at| of(function, at)).collect();
    (0..kernel.params.len())
        .map(|at| {
            let name = of(kernel, at);
            let plain = name.strip_suffix("_ptr").unwrap_or(&name);
            names.iter().position(|it| it == plain)
        })
        .collect()
}
