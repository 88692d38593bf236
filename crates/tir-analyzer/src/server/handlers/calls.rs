//! Requests about calls: signatures while a call is written, and the hierarchy of callers and callees.

use std::path::{Path, PathBuf};

use ide::{CallFile, CallItem, CallPlace, CallTarget, CallableKind, DefinitionPlace, FileId, Spot};
use lsp_types as lsp;

use super::linked;
use crate::server::{
    client::{path, uri_of},
    documents::Document,
    lsp::{from_proto, to_proto},
    snapshot::{Failure, Snapshot},
};

/// `textDocument/signatureHelp`
pub(crate) fn signature_help(
    snapshot: &Snapshot,
    params: lsp::SignatureHelpParams,
) -> Result<Option<lsp::SignatureHelp>, Failure> {
    let params = params.text_document_position_params;
    let document = snapshot.document(&params.text_document.uri)?;
    let offset = from_proto::offset(&document.lines, snapshot.encoding(), params.position);
    let found = snapshot.analysis.signature_help(document.file, offset)?;
    Ok(found.map(to_proto::signature_help))
}

/// `textDocument/prepareCallHierarchy`
pub(crate) fn prepare(
    snapshot: &Snapshot,
    params: lsp::CallHierarchyPrepareParams,
) -> Result<Option<Vec<lsp::CallHierarchyItem>>, Failure> {
    let params = params.text_document_position_params;
    let document = snapshot.document(&params.text_document.uri)?;
    let offset = from_proto::offset(&document.lines, snapshot.encoding(), params.position);
    let found = snapshot.analysis.call_item(document.file, offset)?;
    let world = World::of(snapshot);
    Ok(found.and_then(|it| world.item(&it)).map(|it| vec![it]))
}

/// `callHierarchy/incomingCalls`
pub(crate) fn incoming(
    snapshot: &Snapshot,
    params: lsp::CallHierarchyIncomingCallsParams,
) -> Result<Vec<lsp::CallHierarchyIncomingCall>, Failure> {
    let Some(target) = target(snapshot, &params.item) else { return Ok(Vec::new()) };
    let world = World::of(snapshot);
    let edges = snapshot.analysis.callers(&target)?;
    let call = |it: ide::CallEdge| {
        let from = world.item(&it.item)?;
        let ranges = it.calls.iter().filter_map(|place| world.range(&it.item.file, place));
        Some(lsp::CallHierarchyIncomingCall { from, from_ranges: ranges.collect() })
    };
    let mut calls: Vec<_> = edges.into_iter().filter_map(call).collect();
    calls.extend(of_other_files(snapshot, &target)?);
    Ok(calls)
}

/// The calls of a symbol of MLIR in other files of its folder that mean it.
fn of_other_files(
    snapshot: &Snapshot,
    target: &CallTarget,
) -> Result<Vec<lsp::CallHierarchyIncomingCall>, Failure> {
    let mut calls: Vec<lsp::CallHierarchyIncomingCall> = Vec::new();
    let &CallTarget::At(file, offset) = target else { return Ok(calls) };
    let world = World::of(snapshot);
    let Some(document) = world.document(file) else { return Ok(calls) };
    let linked = linked::places(snapshot, document, offset)?.unwrap_or_default();
    for file in &linked.others {
        for place in &file.part {
            let Some(caller) = &place.within else { continue };
            let range = file.range(snapshot, place.range);
            let selection_range = file.range(snapshot, caller.selection);
            let is_its = |it: &&mut lsp::CallHierarchyIncomingCall| {
                it.from.uri == file.uri && it.from.selection_range == selection_range
            };
            match calls.iter_mut().find(is_its) {
                Some(call) => call.from_ranges.push(range),
                None => calls.push(lsp::CallHierarchyIncomingCall {
                    from: lsp::CallHierarchyItem {
                        name: caller.name.to_string(),
                        kind: lsp::SymbolKind::Function,
                        tags: None,
                        detail: None,
                        uri: file.uri.clone(),
                        range: file.range(snapshot, caller.range),
                        selection_range,
                        data: Some(serde_json::json!(caller.name)),
                    },
                    from_ranges: vec![range],
                }),
            }
        }
    }
    Ok(calls)
}

/// `callHierarchy/outgoingCalls`
pub(crate) fn outgoing(
    snapshot: &Snapshot,
    params: lsp::CallHierarchyOutgoingCallsParams,
) -> Result<Vec<lsp::CallHierarchyOutgoingCall>, Failure> {
    let Some(target) = target(snapshot, &params.item) else { return Ok(Vec::new()) };
    let CallTarget::At(caller, _) = target else { return Ok(Vec::new()) };
    let world = World::of(snapshot);
    let edges = snapshot.analysis.callees(&target)?;
    let call = |it: ide::CallEdge| {
        let to = world.item(&it.item)?;
        let file = CallFile::Open(caller);
        let ranges = it.calls.iter().filter_map(|place| world.range(&file, place));
        Some(lsp::CallHierarchyOutgoingCall { to, from_ranges: ranges.collect() })
    };
    Ok(edges.into_iter().filter_map(call).collect())
}

/// The function that an item of a client means: by its place in an open document, else by its name.
fn target(snapshot: &Snapshot, item: &lsp::CallHierarchyItem) -> Option<CallTarget> {
    if let Some(document) = snapshot.documents.get(&item.uri) {
        let start = item.selection_range.start;
        let offset = from_proto::offset(&document.lines, snapshot.encoding(), start);
        return Some(CallTarget::At(document.file, offset));
    }
    let function = item.data.as_ref()?.as_str()?;
    let path = path(&item.uri)?;
    let path = path.to_str()?.replace('\\', "/");
    Some(CallTarget::Elsewhere(path.into(), function.into()))
}

/// The files of the workspace, open or not, for places in them.
pub(crate) struct World<'a> {
    snapshot: &'a Snapshot,
    documents: Vec<Document>,
    open: Vec<PathBuf>,
}

impl World<'_> {
    /// The files as a request sees them.
    pub(crate) fn of(snapshot: &Snapshot) -> World<'_> {
        let documents = snapshot.documents.sorted();
        let mut open: Vec<PathBuf> = documents.iter().filter_map(|it| path(&it.uri)).collect();
        open.sort_unstable();
        World { snapshot, documents, open }
    }

    pub(crate) fn document(&self, file: FileId) -> Option<&Document> {
        let at = self.documents.binary_search_by_key(&file, |it| it.file).ok()?;
        self.documents.get(at)
    }

    /// The address of a closed file whose document is not open: an open one stands for itself.
    pub(crate) fn closed(&self, file: FileId) -> Option<lsp::Uri> {
        let path = self.snapshot.closed.path(file)?;
        let is_open = self.open.binary_search_by(|other| other.as_path().cmp(&path)).is_ok();
        (!is_open).then(|| uri_of(&path).into())
    }

    /// A range on one line.
    pub(crate) fn spot(&self, spot: &Spot) -> lsp::Range {
        let (start, end) = spot.columns(self.snapshot.encoding());
        let position = |character| lsp::Position { line: spot.line, character };
        lsp::Range { start: position(start), end: position(end) }
    }

    /// A place that defines a name.
    pub(super) fn location(&self, it: &DefinitionPlace) -> Option<lsp::Location> {
        if let (CallFile::Open(file), CallPlace::Range(range)) = (&it.file, it.place) {
            // In a notebook, of the cell.
            return Some(self.snapshot.places(self.document(*file)?).location(range));
        }
        Some(lsp::Location { uri: self.uri(&it.file)?, range: self.range(&it.file, &it.place)? })
    }

    fn uri(&self, file: &CallFile) -> Option<lsp::Uri> {
        match file {
            CallFile::Open(file) => Some(self.document(*file)?.uri.clone()),
            CallFile::Closed(file) => self.closed(*file),
            CallFile::Path(path) => Some(uri_of(Path::new(&**path)).into()),
        }
    }

    fn range(&self, file: &CallFile, place: &CallPlace) -> Option<lsp::Range> {
        match (file, place) {
            (CallFile::Open(file), CallPlace::Range(range)) => {
                Some(self.snapshot.places(self.document(*file)?).range(*range))
            }
            (_, CallPlace::Spot(spot)) => Some(self.spot(spot)),
            _ => None,
        }
    }

    fn item(&self, it: &CallItem) -> Option<lsp::CallHierarchyItem> {
        let uri = self.uri(&it.file)?;
        let around = it.path.rsplit_once('.').map(|around| around.0);
        let kind = it.kind.map(|it| match it {
            CallableKind::Kernel => "kernel",
            CallableKind::Macro => "macro",
            CallableKind::Factory => "factory",
            CallableKind::Helper => "function",
        });
        let detail: Vec<&str> = kind.into_iter().chain(around).collect();
        let of_file = path(&uri).filter(|_| it.is_file);
        let of_file = of_file.as_ref().and_then(|it| it.file_name()?.to_str());
        let name = of_file.unwrap_or(&it.name).to_owned();
        Some(lsp::CallHierarchyItem {
            name,
            kind: match it.is_file {
                true => lsp::SymbolKind::File,
                false => lsp::SymbolKind::Function,
            },
            tags: None,
            detail: (!detail.is_empty()).then(|| detail.join(" in ")),
            uri,
            range: self.range(&it.file, &it.range)?,
            selection_range: self.range(&it.file, &it.selection)?,
            data: Some(serde_json::json!(it.path)),
        })
    }
}
