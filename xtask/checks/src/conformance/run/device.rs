//! The OpenCL side of an execution: our build, its manifest, the launcher, the system's device.

use std::collections::BTreeMap;
use std::path::Path;

use codegen::Target;
use codegen::manifest::Function;
use serde_json::{Value, json};

use super::{Case, How, Side, Trouble, read_outputs};
use crate::conformance::built::build_bodies;
use crate::conformance::launch;
use crate::conformance::peer::{Keep, Peer};
use crate::workspace::Workspace;

/// The outputs of the build for the launcher.
struct Output {
    functions: BTreeMap<(String, String), Function>,
    /// Reasons of functions without code.
    refused: BTreeMap<(String, String), String>,
}

/// Builds all cases with threads for OpenCL and runs them; one result a case, `None` for the others.
pub(super) fn run(ws: &Workspace, peer: &Peer, cases: &[Case]) -> Vec<Option<Side>> {
    let threaded: Vec<&Case> = cases.iter().filter(|it| it.how == How::Threads).collect();
    let mut sides = run_all(ws, peer, &threaded).into_iter();
    cases.iter().map(|it| (it.how == How::Threads).then(|| sides.next()).flatten()).collect()
}

fn run_all(ws: &Workspace, peer: &Peer, cases: &[&Case]) -> Vec<Side> {
    let dir = ws.peers().join("built");
    let output = match build_all(&dir, cases) {
        Ok(output) => output,
        Err(error) => {
            let trouble = Trouble::Failed(format!("build: {error:#}"));
            return cases.iter().map(|_| Err(trouble.clone())).collect();
        }
    };
    let prepared: Vec<Result<Value, Trouble>> =
        cases.iter().map(|case| request(&dir, &output, case)).collect();
    let requests: Vec<Value> = prepared.iter().filter_map(|it| it.as_ref().ok().cloned()).collect();
    let mut answers = peer.ask_all(&requests, Keep::Nothing).into_iter();
    cases
        .iter()
        .zip(prepared)
        .map(|(case, prepared)| {
            prepared?;
            match answers.next() {
                Some(Ok(_)) => read_outputs(case, "opencl", true).map_err(Trouble::Failed),
                Some(Err(error)) => Err(Trouble::Failed(format!("OpenCL: {error}"))),
                None => Err(Trouble::Failed("OpenCL: no answer".to_owned())),
            }
        })
        .collect()
}

fn build_all(dir: &Path, cases: &[&Case]) -> anyhow::Result<Output> {
    let bodies = cases.iter().map(|it| (it.file.as_str(), it.name.as_str(), &it.body));
    let manifest = build_bodies(dir, &codegen::build::store_of(dir), Target::OpenCl, bodies)?;
    let functions =
        manifest.functions.into_iter().map(|it| ((it.file.clone(), it.name.clone()), it)).collect();
    let refused = manifest
        .unsupported
        .into_iter()
        .map(|it| ((it.file, it.name), format!("{}: {}", it.reason, it.detail)))
        .collect();
    Ok(Output { functions, refused })
}

fn request(dir: &Path, output: &Output, case: &Case) -> Result<Value, Trouble> {
    let key = (case.file.clone(), case.name.clone());
    let Some(function) = output.functions.get(&key) else {
        let reason = output.refused.get(&key).map_or("no kernel in it", String::as_str);
        return Err(Trouble::LeftOut(format!("not built: {reason}")));
    };
    let launches = launch::launches(function, &case.inputs, &case.dir)
        .map_err(|error| Trouble::Failed(format!("launcher: {error}")))?;
    let sources: Result<Vec<String>, std::io::Error> = function
        .kernels
        .iter()
        .map(|kernel| std::fs::read_to_string(dir.join(Target::OpenCl.name()).join(&kernel.file)))
        .collect();
    let sources = sources.map_err(|error| Trouble::Failed(format!("build: {error}")))?;
    Ok(json!({
        "op": "run",
        "sources": sources,
        "options": function.compile_flags.join(" "),
        "launches": launches,
    }))
}
