//! From the analysis to the protocol.

use ide::{ActionKind, TextRange, TextSize};
use lsp_types as lsp;

use syntax::{ColumnEncoding, LineIndex};

use crate::server::{
    documents::Document,
    lsp::ext::{CHOOSE_INSTANCE_COMMAND, VIEW_DEVICE_CODE_COMMAND},
};

fn position(lines: &LineIndex, encoding: ColumnEncoding, offset: TextSize) -> lsp::Position {
    let at = lines.line_col(offset, encoding);
    lsp::Position { line: at.line, character: at.col }
}

/// A range of a text with these lines.
pub(crate) fn range_of(
    lines: &LineIndex,
    encoding: ColumnEncoding,
    range: TextRange,
) -> lsp::Range {
    let position = |offset| position(lines, encoding, offset);
    lsp::Range { start: position(range.start()), end: position(range.end()) }
}

/// The context for turning offsets into positions.
#[derive(Clone, Copy)]
pub(crate) struct Places<'a> {
    pub(crate) document: &'a Document,
    pub(crate) encoding: ColumnEncoding,
}

impl Places<'_> {
    /// A position.
    pub(crate) fn position(&self, offset: TextSize) -> lsp::Position {
        position(&self.document.lines, self.encoding, offset)
    }
    /// A range.
    pub(crate) fn range(&self, range: TextRange) -> lsp::Range {
        range_of(&self.document.lines, self.encoding, range)
    }
    /// A range of this document.
    pub(crate) fn location(&self, range: TextRange) -> lsp::Location {
        lsp::Location { uri: self.document.uri.clone(), range: self.range(range) }
    }
}

/// The encoding, as in the answer to `initialize`.
pub(crate) fn encoding(encoding: ColumnEncoding) -> lsp::PositionEncodingKind {
    match encoding {
        ColumnEncoding::Utf8 => lsp::PositionEncodingKind::UTF8,
        ColumnEncoding::Utf16 => lsp::PositionEncodingKind::UTF16,
        ColumnEncoding::Utf32 => lsp::PositionEncodingKind::UTF32,
    }
}

fn markdown(value: String) -> lsp::MarkupContent {
    lsp::MarkupContent { kind: lsp::MarkupKind::Markdown, value }
}

/// An inlay hint.
pub(crate) fn inlay_hint(places: Places<'_>, hint: ide::InlayHint) -> lsp::InlayHint {
    let part = |part: ide::LabelPart| lsp::InlayHintLabelPart {
        value: match part.target.filter(|_| part.names_line) {
            Some(it) => format!("{} (line {})", part.text, places.position(it.start()).line + 1),
            None => part.text,
        },
        tooltip: None,
        location: part.target.map(|it| places.location(it)),
        command: None,
    };
    lsp::InlayHint {
        position: places.position(hint.offset),
        label: lsp::Label::InlayHintLabelPartList(hint.label.into_iter().map(part).collect()),
        kind: None,
        text_edits: None,
        tooltip: hint.tooltip.map(|it| lsp::Tooltip::MarkupContent(markdown(it))),
        padding_left: Some(true),
        padding_right: None,
        data: None,
    }
}

/// A diagnostic.
pub(crate) fn diagnostic(places: Places<'_>, it: ide::Diagnostic) -> lsp::Diagnostic {
    let related = |(range, message): (TextRange, String)| lsp::DiagnosticRelatedInformation {
        location: places.location(range),
        message,
    };
    let message = match it.help {
        Some(help) => format!("{}\n{help}", it.message),
        None => it.message,
    };
    let related: Vec<_> = it.related.into_iter().map(related).collect();
    lsp::Diagnostic {
        range: places.range(it.range),
        severity: Some(match it.severity {
            ide::Severity::Error => lsp::DiagnosticSeverity::Error,
            ide::Severity::Warning => lsp::DiagnosticSeverity::Warning,
            ide::Severity::Information => lsp::DiagnosticSeverity::Information,
            ide::Severity::Hint => lsp::DiagnosticSeverity::Hint,
        }),
        code: Some(lsp::Code::String(it.code.to_owned())),
        code_description: None,
        source: Some("tir-analyzer".to_owned()),
        message: lsp::Message::String(message),
        tags: it.is_unnecessary.then(|| vec![lsp::DiagnosticTag::Unnecessary]),
        related_information: (!related.is_empty()).then_some(related),
        data: None,
    }
}

/// The kind of the action that fixes all in a file, for clients that tell servers apart by it; followed by the name of
/// a rule, the kind of that rule's.
pub(crate) const FIX_ALL: &str = "source.fixAll.tir-analyzer";

/// The protocol's kind of an action.
pub(crate) fn action_kind(kind: ActionKind) -> lsp::CodeActionKind {
    match kind {
        ActionKind::QuickFix => lsp::CodeActionKind::QuickFix,
        ActionKind::Extract => lsp::CodeActionKind::RefactorExtract,
        ActionKind::Inline => lsp::CodeActionKind::RefactorInline,
        ActionKind::FixAll => lsp::CodeActionKind::SourceFixAll,
        ActionKind::FixRule(rule) => {
            lsp::CodeActionKind::Custom(format!("{FIX_ALL}.{rule}").into())
        }
    }
}

/// A code action, with its edit if it has one.
pub(crate) fn code_action(
    places: Places<'_>,
    action: ide::CodeAction,
    versioned: bool,
) -> lsp::CodeAction {
    let has_edits = action.disabled.is_none() && !action.is_put_off;
    let edits: Vec<lsp::TextEdit> =
        action.edits.into_iter().map(|it| text_edit(places, it)).collect();
    lsp::CodeAction {
        title: action.title,
        kind: Some(action_kind(action.kind)),
        is_preferred: action.is_preferred.then_some(true),
        edit: has_edits.then(|| workspace_edit(places, edits, versioned)),
        disabled: action.disabled.map(|reason| lsp::CodeActionDisabled { reason }),
        ..Default::default()
    }
}

fn workspace_edit(
    places: Places<'_>,
    edits: Vec<lsp::TextEdit>,
    versioned: bool,
) -> lsp::WorkspaceEdit {
    let uri = places.document.uri.clone();
    if !versioned {
        let changes = [(uri, edits)].into_iter().collect();
        return lsp::WorkspaceEdit { changes: Some(changes), ..Default::default() };
    }
    let edit = versioned_edit(uri, Some(places.document.version), edits);
    lsp::WorkspaceEdit { document_changes: Some(vec![edit]), ..Default::default() }
}

fn versioned_edit(
    uri: lsp::Uri,
    version: Option<i32>,
    edits: Vec<lsp::TextEdit>,
) -> lsp::DocumentChange {
    lsp::DocumentChange::TextDocumentEdit(lsp::TextDocumentEdit {
        text_document: lsp::OptionalVersionedTextDocumentIdentifier {
            version,
            text_document_identifier: lsp::TextDocumentIdentifier { uri },
        },
        edits: edits.into_iter().map(lsp::Edit::TextEdit).collect(),
    })
}

/// Adds the edits of another file to an edit of a document, in the form that it has.
pub(crate) fn add_file(
    edit: &mut lsp::WorkspaceEdit,
    uri: lsp::Uri,
    version: Option<i32>,
    edits: Vec<lsp::TextEdit>,
) {
    match (&mut edit.document_changes, &mut edit.changes) {
        (Some(all), _) => all.push(versioned_edit(uri, version, edits)),
        (None, Some(all)) => {
            all.insert(uri, edits);
        }
        (None, None) => {}
    }
}

/// An edit of a document.
pub(crate) fn text_edit(places: Places<'_>, edit: ide::Edit) -> lsp::TextEdit {
    lsp::TextEdit { range: places.range(edit.range), new_text: edit.text }
}

/// The names that can stand at a place, in the order in which they are given.
pub(crate) fn completions(places: Places<'_>, found: ide::Completions) -> lsp::CompletionList {
    let range = places.range(found.replaced);
    let item = |(at, it): (usize, ide::Completion)| lsp::CompletionItem {
        text_edit: Some(lsp::TextEdit { range, new_text: it.label.clone() }.into()),
        sort_text: Some(format!("{at:05}")),
        kind: Some(completion_kind(it.kind)),
        detail: it.detail,
        documentation: it.documentation.map(|it| markdown(it).into()),
        label: it.label,
        ..Default::default()
    };
    lsp::CompletionList {
        is_incomplete: found.is_incomplete,
        items: found.items.into_iter().enumerate().map(item).collect(),
        ..Default::default()
    }
}

fn completion_kind(kind: ide::CompletionKind) -> lsp::CompletionItemKind {
    match kind {
        ide::CompletionKind::Value | ide::CompletionKind::Buffer => {
            lsp::CompletionItemKind::Variable
        }
        ide::CompletionKind::Block => lsp::CompletionItemKind::Reference,
        ide::CompletionKind::Symbol | ide::CompletionKind::Operation => {
            lsp::CompletionItemKind::Function
        }
        ide::CompletionKind::Form => lsp::CompletionItemKind::Method,
        ide::CompletionKind::Rule | ide::CompletionKind::Word => {
            lsp::CompletionItemKind::EnumMember
        }
        ide::CompletionKind::Key => lsp::CompletionItemKind::Property,
        ide::CompletionKind::Attribute => lsp::CompletionItemKind::Constant,
        ide::CompletionKind::Type => lsp::CompletionItemKind::Struct,
        ide::CompletionKind::Dialect => lsp::CompletionItemKind::Module,
    }
}

/// A signature, with its parameters by their places.
pub(crate) fn signature_help(help: ide::SignatureHelp) -> lsp::SignatureHelp {
    let units = |end: usize| help.label[..end].encode_utf16().count() as u32;
    let parameter = |it: &std::ops::Range<usize>| lsp::ParameterInformation {
        label: lsp::ParameterInformationLabel::Tuple((units(it.start), units(it.end))),
        documentation: None,
    };
    // A number behind the last one highlights none.
    let none = help.parameters.len();
    let active = help.active.unwrap_or(none) as u32;
    let signature = lsp::SignatureInformation {
        parameters: Some(help.parameters.iter().map(parameter).collect()),
        label: help.label,
        documentation: help.documentation.map(|it| markdown(it).into()),
        active_parameter: None,
    };
    lsp::SignatureHelp {
        signatures: vec![signature],
        active_signature: Some(0),
        active_parameter: Some(active.into()),
    }
}

/// Returns the contents of a hover.
pub(crate) fn hover(places: Places<'_>, hover: ide::Hover) -> lsp::Hover {
    lsp::Hover {
        contents: lsp::Contents::MarkupContent(markdown(hover.markdown)),
        range: Some(places.range(hover.range)),
    }
}

/// The outline: a tree, or a flat list for clients that know no trees.
pub(crate) fn document_symbols(
    places: Places<'_>,
    symbols: Vec<ide::DocumentSymbol>,
    nested: bool,
) -> lsp::DocumentSymbolResponse {
    if nested {
        let symbols = symbols.into_iter().map(|it| document_symbol(places, it)).collect();
        return lsp::DocumentSymbolResponse::DocumentSymbolList(symbols);
    }
    let mut flat = Vec::new();
    let mut left: Vec<(ide::DocumentSymbol, Option<String>)> =
        symbols.into_iter().rev().map(|it| (it, None)).collect();
    while let Some((symbol, container_name)) = left.pop() {
        let name = Some(symbol.name.clone());
        left.extend(symbol.children.into_iter().rev().map(|it| (it, name.clone())));
        let base = lsp::BaseSymbolInformation {
            name: symbol.name,
            kind: symbol_kind(symbol.kind),
            tags: None,
            container_name,
        };
        flat.push(lsp::SymbolInformation::new(None, places.location(symbol.range), base));
    }
    lsp::DocumentSymbolResponse::SymbolInformationList(flat)
}

pub(crate) fn symbol_kind(kind: ide::SymbolKind) -> lsp::SymbolKind {
    match kind {
        ide::SymbolKind::Module => lsp::SymbolKind::Module,
        ide::SymbolKind::Function => lsp::SymbolKind::Function,
        ide::SymbolKind::Block => lsp::SymbolKind::Namespace,
        ide::SymbolKind::Buffer => lsp::SymbolKind::Array,
        ide::SymbolKind::Global => lsp::SymbolKind::Variable,
    }
}

/// A symbol of the outline.
#[expect(deprecated, reason = "the field must be given")]
pub(crate) fn document_symbol(places: Places<'_>, it: ide::DocumentSymbol) -> lsp::DocumentSymbol {
    let children: Vec<_> = it.children.into_iter().map(|it| document_symbol(places, it)).collect();
    lsp::DocumentSymbol {
        name: it.name,
        detail: it.detail,
        kind: symbol_kind(it.kind),
        tags: None,
        deprecated: None,
        range: places.range(it.range),
        selection_range: places.range(it.selection_range),
        children: (!children.is_empty()).then_some(children),
    }
}

/// The way to the device code of a function.
pub(crate) fn device_lens(
    places: Places<'_>,
    lens: &ide::DeviceLens,
    uri: &lsp::Uri,
    target: &str,
    registers: Option<u32>,
) -> lsp::CodeLens {
    let range = places.range(lens.range);
    let shared = match lens.shared {
        0 => String::new(),
        n => format!(" · {n} commoned"),
    };
    let registers = registers.map(|it| format!(" · {it} registers")).unwrap_or_default();
    let arguments = vec![serde_json::json!(uri), serde_json::json!(range.start)];
    let command = lsp::Command {
        title: format!("device code: {target}{shared}{registers}"),
        tooltip: None,
        command: VIEW_DEVICE_CODE_COMMAND.to_owned(),
        arguments: Some(arguments),
    };
    lsp::CodeLens { range, command: Some(command), data: None }
}

/// Instances that a lens lists.
const MAX_INSTANCES: usize = 50;

/// The instances of a factory, one of which can be chosen.
pub(crate) fn instances_lens(
    places: Places<'_>,
    found: &ide::FactoryInstances,
    uri: &lsp::Uri,
) -> lsp::CodeLens {
    /// Editors show a lens on one line.
    const MAX_TITLE: usize = 80;
    let n = found.instances.len();
    let shown = |at: usize| ide::shortened(&found.instances[at].arguments(), MAX_TITLE);
    let title = match (found.chosen, n) {
        (Some(at), _) => format!("instance {} of {n} · {}", at + 1, shown(at)),
        (None, 1) => format!("1 instance · {}", shown(0)),
        (None, _) => format!("{n} instances · {} …", shown(0)),
    };
    let arguments = found.instances.iter().take(MAX_INSTANCES).map(|it| it.arguments());
    let arguments: Vec<String> = arguments.collect();
    let chosen = found.chosen.filter(|at| *at < MAX_INSTANCES);
    let command = lsp::Command {
        title,
        tooltip: None,
        command: CHOOSE_INSTANCE_COMMAND.to_owned(),
        arguments: Some(vec![
            serde_json::json!(uri),
            serde_json::json!(found.path),
            serde_json::json!(arguments),
            serde_json::json!(chosen),
        ]),
    };
    let range = places.range(ide::TextRange::empty(found.range.start()));
    lsp::CodeLens { range, command: Some(command), data: None }
}

/// Returns the facts at a statement: a lens without a command.
pub(crate) fn code_lens(places: Places<'_>, facts: &ide::LineFacts) -> lsp::CodeLens {
    /// Editors show a lens on one line.
    const MAX_TITLE: usize = 160;
    let start = ide::TextRange::empty(facts.range.start());
    let line_of = |it: ide::TextRange| places.position(it.start()).line + 1;
    let title = ide::shortened(&facts.title(line_of), MAX_TITLE);
    let command = lsp::Command { title, tooltip: None, command: String::new(), arguments: None };
    lsp::CodeLens { range: places.range(start), command: Some(command), data: None }
}

/// A region that folds, of whole lines; none if it is on one line.
pub(crate) fn folding_range(places: Places<'_>, fold: ide::Fold) -> Option<lsp::FoldingRange> {
    let range = places.range(fold.range);
    let end_line = range.end.line - u32::from(fold.keeps_last_line && range.end.line > 0);
    (end_line > range.start.line).then(|| lsp::FoldingRange {
        start_line: range.start.line,
        start_character: None,
        end_line,
        end_character: None,
        kind: fold.is_comment.then_some(lsp::FoldingRangeKind::Comment),
        collapsed_text: None,
    })
}

/// A mention of a name.
pub(crate) fn highlight(places: Places<'_>, it: ide::Highlight) -> lsp::DocumentHighlight {
    let kind = match it.access {
        ide::Access::Read => lsp::DocumentHighlightKind::Read,
        ide::Access::Write => lsp::DocumentHighlightKind::Write,
    };
    lsp::DocumentHighlight { range: places.range(it.range), kind: Some(kind) }
}

/// Ranges, the innermost first, as the protocol nests them.
pub(crate) fn selection_range(places: Places<'_>, ranges: &[TextRange]) -> lsp::SelectionRange {
    let mut around: Option<Box<lsp::SelectionRange>> = None;
    for range in ranges.iter().rev() {
        let range = places.range(*range);
        around = Some(Box::new(lsp::SelectionRange { range, parent: around }));
    }
    around.map_or_else(lsp::SelectionRange::default, |it| *it)
}

/// Edits of this document.
pub(crate) fn edits(
    places: Places<'_>,
    edits: Vec<ide::Edit>,
    versioned: bool,
) -> lsp::WorkspaceEdit {
    let edits = edits.into_iter().map(|it| text_edit(places, it)).collect();
    workspace_edit(places, edits, versioned)
}
