//! `preview --by tilelang`: TileLang's own passes and device code of one kernel.

use std::time::Duration;

use ide::{PassPreview, Stage, Target};

use super::Previews;
use crate::{
    cli::{
        args::PreviewArgs,
        driver::unit::{choose, functions, instance_of},
        input::{jobs::Job, source::Source},
    },
    config::{CONFIG_FILE, ConfigPatch},
    tilelang::{ARCH, Lowered, Lowering, Text, interpreter},
};

/// Has TileLang lower the kernel that the arguments name.
pub(super) fn previews(args: &PreviewArgs, source: &Source, job: &Job) -> anyhow::Result<Previews> {
    let shown = &job.file.shown;
    let named = &job.config.tilelang_python;
    anyhow::ensure!(
        !named.as_os_str().is_empty(),
        "which Python has TileLang is not known: `tilelang.python` in {CONFIG_FILE} names it"
    );
    let functions = functions(source, job);
    let instance = instance_of(args.instance.as_ref(), &functions, shown)?;
    let chosen = choose(args.function.as_deref(), instance.as_ref(), &functions, shown)?;
    let [item] = chosen[..] else {
        anyhow::bail!("{shown} has {} such kernels: `--function` names one", chosen.len())
    };
    let path = std::path::absolute(&job.file.path)?;
    anyhow::ensure!(path.is_file(), "TileLang reads {shown} itself: give a file");
    let folder = path.parent().unwrap_or(&path);
    let settings = ConfigPatch::nearest(folder).unwrap_or(folder);
    let arch = job.config.targets.get(&Target::Cuda).and_then(|it| it.arch.clone());
    let lowering = Lowering {
        python: interpreter(settings, named),
        call: instance.as_ref().map(ToString::to_string),
        function: item.source.name.to_string(),
        arch: arch.unwrap_or_else(|| ARCH.to_owned()),
        limit: Duration::from_secs(args.limit),
        path,
    };
    let Lowered { function, before, passes, code } = lowering.run(&|| false)?;
    let stage = |(pass, it): (String, Text)| Stage {
        pass: pass.into(),
        text: it.text,
        is_changed: true,
        notes: Vec::new(),
        refusal: None,
    };
    let stages = passes.into_iter().map(stage).collect();
    let functions = vec![PassPreview { function, before: before.text, stages }];
    Ok(Previews { functions, left: Vec::new(), code: vec![code] })
}
