//! Requests: each handler converts its parameters, asks one question of the analysis and converts the answer.

use std::{hash::BuildHasher, path::PathBuf};

use ide::{SymbolPlace, SymbolRole};
use lsp_types as lsp;

use super::{calls, linked};
use crate::server::{
    client::{path, uri_of},
    definitions::OpDefinition,
    documents::Document,
    handlers::instances::instances,
    lsp::{
        ext::{
            DeviceLine, SharedLine, ViewDeviceCodeParams, ViewDeviceCodeResult, ViewPassesParams,
            ViewPassesResult, ViewPassesStage,
        },
        from_proto, to_proto,
    },
    snapshot::{Failure, Snapshot},
};

/// The beginning of the names of results that are a part.
const PART: &str = "part-";

/// `textDocument/diagnostic`
///
/// A result that is whole stays in the place of a part, for as long as the rest is made.
pub(crate) fn diagnostics(
    snapshot: &Snapshot,
    params: lsp::DocumentDiagnosticParams,
) -> Result<lsp::DocumentDiagnosticReport, Failure> {
    let document = snapshot.document(&params.text_document.uri)?;
    let shown = params.previous_result_id;
    let (items, mut result_id, is_part) = snapshot.in_time(document, "diagnostics", |pace| {
        let (items, result_id) = file_diagnostics(snapshot, document, pace)?;
        Ok((items, result_id, pace.n_left_out() > 0))
    })?;
    if is_part {
        let whole = shown.clone().filter(|it| !it.starts_with(PART));
        let whole = whole.filter(|_| snapshot.rest_follows(document));
        result_id = whole.unwrap_or_else(|| format!("{PART}{result_id}"));
    }
    if shown.as_ref() == Some(&result_id) {
        let report = lsp::UnchangedDocumentDiagnosticReport { result_id };
        return Ok(lsp::DocumentDiagnosticReport::RelatedUnchangedDocumentDiagnosticReport(
            lsp::RelatedUnchangedDocumentDiagnosticReport {
                related_documents: None,
                unchanged_document_diagnostic_report: report,
            },
        ));
    }
    let report = lsp::FullDocumentDiagnosticReport { result_id: Some(result_id), items };
    Ok(lsp::DocumentDiagnosticReport::RelatedFullDocumentDiagnosticReport(
        lsp::RelatedFullDocumentDiagnosticReport {
            related_documents: None,
            full_document_diagnostic_report: report,
        },
    ))
}

/// The diagnostics of a document, and a name for exactly these.
pub(crate) fn file_diagnostics(
    snapshot: &Snapshot,
    document: &Document,
    pace: &ide::Pace<'_>,
) -> ide::Cancellable<(Vec<lsp::Diagnostic>, String)> {
    let config = &document.config;
    let diagnostics = if config.diagnostics_enable {
        let config = config.diagnostics(config.diagnostics_limit);
        snapshot.analysis.diagnostics_paced(document.file, &config, pace)?
    } else {
        Vec::new()
    };
    let places = snapshot.places(document);
    let items: Vec<lsp::Diagnostic> =
        diagnostics.into_iter().map(|it| to_proto::diagnostic(places, it)).collect();
    let result_id = format!("{:016x}", rustc_hash::FxBuildHasher.hash_one(&items));
    Ok((items, result_id))
}

/// `textDocument/hover`
pub(crate) fn hover(
    snapshot: &Snapshot,
    params: lsp::HoverParams,
) -> Result<Option<lsp::Hover>, Failure> {
    let params = params.text_document_position_params;
    let document = snapshot.document(&params.text_document.uri)?;
    let offset = from_proto::offset(&document.lines, snapshot.encoding(), params.position);
    let device = document.config.targets.get(&ide::Target::Cuda).cloned().unwrap_or_default();
    let hover = snapshot.analysis.hover_for(document.file, offset, &device)?;
    let Some(mut hover) = hover else { return Ok(None) };
    if let Some(found) = operation_definition(snapshot, document, offset)? {
        hover.markdown.push_str(&definition_text(&found));
    }
    snapshot.places_of_closed.ask();
    let elsewhere = snapshot.analysis.elsewhere(document.file, offset)?;
    hover.markdown.push_str(&elsewhere_text(snapshot, &elsewhere));
    Ok(Some(to_proto::hover(snapshot.places(document), hover)))
}

/// The definition in the workspace of the operation whose name is at an offset.
fn operation_definition(
    snapshot: &Snapshot,
    document: &Document,
    offset: ide::TextSize,
) -> Result<Option<OpDefinition>, Failure> {
    let name = snapshot.analysis.operation_name(document.file, offset)?;
    Ok(name.and_then(|it| snapshot.definitions.find(&snapshot.roots, &it)))
}

/// The words of the definition of an operation, with a link to it.
fn definition_text(found: &OpDefinition) -> String {
    let (uri, line) = (uri_of(&found.path), found.line + 1);
    let file = uri.rsplit('/').next().unwrap_or(&uri);
    let mut text = format!("\n\n---\n\n[{file}:{line}]({uri}#L{line})");
    for part in [&found.summary, &found.description].into_iter().flatten() {
        text.push_str(&format!("\n\n{part}"));
    }
    text
}

/// A place elsewhere, for people; sorted by file and line.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Link {
    uri: String,
    line: u32,
    function: String,
}

/// Returns the place where something is: in an open document, or in a closed file whose document is not open.
fn link(
    snapshot: &Snapshot,
    documents: &[Document],
    open: &[PathBuf],
    it: &ide::Elsewhere,
) -> Option<Link> {
    let function = it.function.clone();
    if let Some(path) = snapshot.closed.path(it.file) {
        let is_open = open.binary_search_by(|other| other.as_path().cmp(&path)).is_ok();
        let line = it.line? + 1;
        return (!is_open).then(|| Link { uri: uri_of(&path), line, function });
    }
    let at = documents.binary_search_by_key(&it.file, |it| it.file).ok()?;
    let document = &documents[at];
    let line = document.lines.line_col(it.range.start(), snapshot.encoding()).line + 1;
    Some(Link { uri: document.uri.to_string(), line, function })
}

/// Links to where the same is in the workspace.
fn elsewhere_text(snapshot: &Snapshot, elsewhere: &[ide::Elsewhere]) -> String {
    const MAX_LINKS: usize = 8;
    if elsewhere.is_empty() {
        return String::new();
    }
    let documents = snapshot.documents.sorted();
    let mut open: Vec<PathBuf> = documents.iter().filter_map(|it| path(&it.uri)).collect();
    open.sort_unstable();
    let mut links: Vec<Link> =
        elsewhere.iter().filter_map(|it| link(snapshot, &documents, &open, it)).collect();
    links.sort_unstable();
    let links: Vec<String> = links
        .into_iter()
        .map(|Link { uri, line, function }| {
            let name = uri.rsplit('/').next().unwrap_or(&uri);
            let inside = match function.is_empty() {
                true => String::new(),
                false => format!(" in `{function}`"),
            };
            format!("- [{name}:{line}]({uri}#L{line}){inside}")
        })
        .collect();
    if links.is_empty() {
        return String::new();
    }
    let what = match elsewhere.first() {
        Some(it) if it.is_function => "The same function, up to names",
        _ => "The same expression, up to names",
    };
    let mut text = format!("\n\n---\n\n{what}:\n\n");
    let n_more = links.len().saturating_sub(MAX_LINKS);
    text.push_str(&links[..links.len() - n_more].join("\n"));
    if n_more > 0 {
        text.push_str(&format!("\n- and {n_more} more"));
    }
    text
}

/// `textDocument/documentSymbol`
pub(crate) fn document_symbols(
    snapshot: &Snapshot,
    params: lsp::DocumentSymbolParams,
) -> Result<lsp::DocumentSymbolResponse, Failure> {
    let document = snapshot.document(&params.text_document.uri)?;
    let symbols = snapshot.analysis.document_symbols(document.file)?;
    let places = snapshot.places(document);
    Ok(to_proto::document_symbols(places, symbols, snapshot.client.nests_symbols))
}

/// `textDocument/foldingRange`
pub(crate) fn folding_ranges(
    snapshot: &Snapshot,
    params: lsp::FoldingRangeParams,
) -> Result<Vec<lsp::FoldingRange>, Failure> {
    let document = snapshot.document(&params.text_document.uri)?;
    let folds = snapshot.analysis.folding_ranges(document.file)?;
    let places = snapshot.places(document);
    Ok(folds.into_iter().filter_map(|it| to_proto::folding_range(places, it)).collect())
}

/// `textDocument/codeLens`: the link to device code, and the instances of factories, for clients that know their
/// commands; the facts at each statement, if that is enabled.
pub(crate) fn code_lenses(
    snapshot: &Snapshot,
    params: lsp::CodeLensParams,
) -> Result<Vec<lsp::CodeLens>, Failure> {
    let document = snapshot.document(&params.text_document.uri)?;
    let mut lenses = Vec::new();
    if document.config.device_lens && snapshot.client.views_device_code {
        let target = document.config.target.split(':').next().unwrap_or_default();
        let built = |root: &PathBuf| snapshot.figures.registers(&root.join(&document.config.built));
        let registers = snapshot.roots.first().map(built).unwrap_or_default();
        let functions = snapshot.analysis.device_lenses(document.file, !registers.is_empty())?;
        let places = snapshot.places(document);
        let uri = &params.text_document.uri;
        lenses.extend(functions.iter().map(|it| {
            let registers = it.structure.as_ref().and_then(|it| registers.get(it));
            let registers = registers
                .filter(|_| ide::Target::parse(target).is_some_and(ide::Target::is_compiled));
            to_proto::device_lens(places, it, uri, target, registers.copied())
        }));
    }
    if snapshot.client.chooses_instances {
        let found = instances(snapshot, document)?;
        let (places, uri) = (snapshot.places(document), &params.text_document.uri);
        lenses.extend(found.iter().map(|it| to_proto::instances_lens(places, it, uri)));
    }
    if !document.config.facts_enable {
        return Ok(lenses);
    }
    let lines = &document.lines;
    let whole = ide::TextRange::up_to(lines.line_range(lines.line_count() - 1).end());
    let facts = snapshot.analysis.facts(document.file, whole, document.config.facts_limit)?;
    let places = snapshot.places(document);
    lenses.extend(facts.into_iter().map(|it| to_proto::code_lens(places, &it)));
    Ok(lenses)
}

/// `textDocument/definition`
pub(crate) fn goto_definition(
    snapshot: &Snapshot,
    params: lsp::DefinitionParams,
) -> Result<Option<lsp::DefinitionResponse>, Failure> {
    let params = params.text_document_position_params;
    let document = snapshot.document(&params.text_document.uri)?;
    let offset = from_proto::offset(&document.lines, snapshot.encoding(), params.position);
    let targets = snapshot.analysis.definitions(document.file, offset)?;
    let location = |it| lsp::Definition::Location(it).into();
    // What is only declared here is defined in another file.
    let symbol = snapshot.analysis.meant_symbol(document.file, offset)?;
    if symbol.is_some_and(|it| !it.is_definition)
        && let Some(linked) = linked::places(snapshot, document, offset)?
        && let Some(it) = linked.definition(snapshot)
    {
        return Ok(Some(location(it)));
    }
    if !targets.is_empty() {
        let world = calls::World::of(snapshot);
        let mut found: Vec<_> = targets.iter().filter_map(|it| world.location(it)).collect();
        return Ok(match found.len() {
            0 | 1 => found.pop().map(location),
            _ => Some(lsp::Definition::LocationList(found).into()),
        });
    }
    let found = operation_definition(snapshot, document, offset)?;
    Ok(found.map(|it| {
        let position = |character| lsp::Position { line: it.line, character };
        let range = lsp::Range { start: position(it.columns.0), end: position(it.columns.1) };
        location(lsp::Location { uri: uri_of(&it.path).into(), range })
    }))
}

/// `textDocument/references`: of a symbol of MLIR also in other files of the folder that mean it.
pub(crate) fn references(
    snapshot: &Snapshot,
    params: lsp::ReferenceParams,
) -> Result<Option<Vec<lsp::Location>>, Failure> {
    let with_definition = params.context.include_declaration;
    let params = params.text_document_position_params;
    let document = snapshot.document(&params.text_document.uri)?;
    let offset = from_proto::offset(&document.lines, snapshot.encoding(), params.position);
    let ranges = snapshot.analysis.references(document.file, offset, with_definition)?;
    let places = snapshot.places(document);
    let Some(linked) = linked::places(snapshot, document, offset)? else {
        return Ok(ranges.map(|it| it.into_iter().map(|it| places.location(it)).collect()));
    };
    let is_wanted = |it: &SymbolPlace| with_definition || it.role == SymbolRole::Mention;
    let own = linked.own.iter().filter(|it| is_wanted(it)).map(|it| places.location(it.range));
    let others = linked.others.iter().flat_map(|file| {
        let wanted = file.part.iter().filter(|it| is_wanted(it));
        wanted.map(|it| file.location(snapshot, it))
    });
    Ok(Some(own.chain(others).collect()))
}

/// `tir-analyzer/viewDeviceCode`
pub(crate) fn view_device_code(
    snapshot: &Snapshot,
    params: ViewDeviceCodeParams,
) -> Result<Option<ViewDeviceCodeResult>, Failure> {
    let document = snapshot.document(&params.text_document.uri)?;
    let offset = from_proto::offset(&document.lines, snapshot.encoding(), params.position);
    let name = params.target.as_deref().unwrap_or(&document.config.target);
    let (target, asked) = ide::TargetOptions::parse(name).map_err(Failure::InvalidParams)?;
    let options = document.config.target_options(target).overlaid(&asked);
    let code = snapshot.analysis.view_device_code(document.file, offset, target, &options)?;
    let places = snapshot.places(document);
    let line = |offset| places.range(ide::TextRange::empty(offset)).start.line;
    Ok(code.map(|it| ViewDeviceCodeResult {
        lines: it
            .lines
            .iter()
            .map(|&(number, source)| DeviceLine { line: number, source: line(source) })
            .collect(),
        shared: it
            .shared
            .iter()
            .map(|it| SharedLine {
                line: it.line,
                sources: it.places.iter().map(|&it| line(it)).collect(),
                text: it.text.clone(),
            })
            .collect(),
        text: it.text,
        language_id: it.language_id.to_owned(),
        function: it.function,
        notes: it.notes,
    }))
}

/// `tir-analyzer/viewPasses`
pub(crate) fn view_passes(
    snapshot: &Snapshot,
    params: ViewPassesParams,
) -> Result<Option<ViewPassesResult>, Failure> {
    let document = snapshot.document(&params.text_document.uri)?;
    let offset = from_proto::offset(&document.lines, snapshot.encoding(), params.position);
    let pass = |name: &String| {
        let unknown = || Failure::InvalidParams(format!("unknown pass {name}"));
        ide::Pass::from_name(name).ok_or_else(unknown)
    };
    let passes: Vec<ide::Pass> = params.passes.iter().map(pass).collect::<Result<_, _>>()?;
    let view = snapshot.analysis.view_passes(document.file, offset, &passes)?;
    Ok(view.map(|it| ViewPassesResult {
        function: it.function,
        before: it.before,
        stages: it
            .stages
            .into_iter()
            .map(|it| ViewPassesStage {
                pass: it.pass.into_owned(),
                text: it.text,
                changed: it.is_changed,
                notes: it.notes,
            })
            .collect(),
    }))
}

/// Panics, for tests of the handling of panics.
#[cfg(debug_assertions)]
pub(crate) fn panic(_: &Snapshot, params: serde_json::Value) -> Result<(), Failure> {
    panic!("asked to: {params}")
}

/// `tir-analyzer/hang`: a request without end, for tests; it ends when it is stopped, if it `looks`.
#[cfg(debug_assertions)]
pub(crate) fn hang(snapshot: &Snapshot, params: serde_json::Value) -> Result<(), Failure> {
    Ok(snapshot.analysis.hang(params["looks"] == true)?)
}
