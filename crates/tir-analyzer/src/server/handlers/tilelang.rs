//! `tir-analyzer/viewTileLang`: what TileLang itself makes of a kernel, on the user's command alone.
//!
//! First, with the state at hand: the kernel at a position, the instance that is shown, the settings. Then, without it,
//! so that edits do not wait: the helper process (`crate::tilelang`), which imports the file and so executes it. It is
//! killed when the client cancels the request, and when the request takes too long.

use std::time::Duration;

use ide::Target;

use crate::{
    config::{CONFIG_FILE, ConfigPatch},
    server::{
        client::path,
        handlers::instances::instances,
        lsp::{
            ext::{DeviceLine, TileLangStage, ViewTileLangParams, ViewTileLangResult},
            from_proto,
        },
        snapshot::{Failure, Snapshot},
    },
    tilelang::{ARCH, Lowered, Lowering, Text, interpreter},
};

/// The time that the process may take; the limit of requests ends it before.
const LIMIT: Duration = Duration::from_secs(120);

/// The task for TileLang; none where there is no kernel.
pub(crate) fn lowering(
    snapshot: &Snapshot,
    params: ViewTileLangParams,
) -> Result<Option<Lowering>, Failure> {
    let document = snapshot.document(&params.text_document.uri)?;
    let offset = from_proto::offset(&document.lines, snapshot.encoding(), params.position);
    let Some(kernel) = snapshot.analysis.kernel_at(document.file, offset)? else { return Ok(None) };
    let refused = |why: String| Failure::Refused(why);
    let named = &document.config.tilelang_python;
    if named.as_os_str().is_empty() {
        let why = "which Python has TileLang is not known: `tilelang.python` in";
        return Err(refused(format!("{why} {CONFIG_FILE} names it")));
    }
    let path = path(&document.uri).filter(|it| it.is_file());
    let path = path.ok_or_else(|| refused("TileLang reads the file itself: save it".to_owned()))?;
    let on_disk = files::read_text(&path, kernel.text.len() as u64 + 1).unwrap_or_default();
    if on_disk != *kernel.text {
        return Err(refused("TileLang reads the file itself: save it first".to_owned()));
    }
    let call = match kernel.instance {
        Some(it) => Some(it),
        None => {
            let known = instances(snapshot, document)?;
            let around = known.into_iter().flat_map(|it| it.instances);
            let first = around.into_iter().find(|it| it.is_around(&kernel.path));
            first.map(|it| it.to_string())
        }
    };
    let folder = path.parent().unwrap_or(&path);
    let settings = ConfigPatch::nearest(folder).unwrap_or(folder);
    let arch = document.config.targets.get(&Target::Cuda).and_then(|it| it.arch.clone());
    Ok(Some(Lowering {
        python: interpreter(settings, named),
        call,
        function: kernel.name,
        arch: arch.unwrap_or_else(|| ARCH.to_owned()),
        limit: LIMIT,
        path,
    }))
}

/// Has TileLang lower a kernel.
pub(crate) fn view(
    lowering: Option<Lowering>,
    token: &ide::CancellationToken,
) -> Result<Option<ViewTileLangResult>, Failure> {
    let Some(lowering) = lowering else { return Ok(None) };
    let found = lowering.run(&|| token.is_cancelled());
    if token.is_cancelled() {
        return Err(Failure::Cancelled);
    }
    let Lowered { function, before, passes, code } =
        found.map_err(|it| Failure::Refused(format!("{it:#}")))?;
    let stages = passes.into_iter().map(|(pass, it)| stage(pass, it)).collect();
    Ok(Some(ViewTileLangResult {
        function,
        instance: lowering.call,
        before: stage(String::new(), before),
        stages,
        code,
        language_id: "cuda".to_owned(),
    }))
}

fn stage(pass: String, Text { text, lines }: Text) -> TileLangStage {
    let lines = lines.into_iter().map(|(line, source)| DeviceLine { line, source }).collect();
    TileLangStage { pass, text, lines }
}
