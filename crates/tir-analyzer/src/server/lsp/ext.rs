//! The server's extensions of the protocol. `LSP_EXTENSIONS` in the README of this crate describes them for clients.

use lsp_types::{LspRequestMethod, MessageDirection, Position, Request, TextDocumentIdentifier};
use serde::{Deserialize, Serialize};

/// The device code of the kernel at a position.
pub(crate) enum ViewDeviceCode {}

impl Request for ViewDeviceCode {
    type Params = ViewDeviceCodeParams;
    type Result = Option<ViewDeviceCodeResult>;
    const METHOD: LspRequestMethod<'static> =
        LspRequestMethod::Custom("tir-analyzer/viewDeviceCode");
    const MESSAGE_DIRECTION: MessageDirection = MessageDirection::ClientToServer;
}

/// Parameters of [`ViewDeviceCode`].
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ViewDeviceCodeParams {
    pub(crate) text_document: TextDocumentIdentifier,
    pub(crate) position: Position,
    /// The device language, with settings as on the command line (`cuda:arch=sm_90`); the configured one if absent.
    pub(crate) target: Option<String>,
}

/// Result of [`ViewDeviceCode`]; `null` where there is no function.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ViewDeviceCodeResult {
    /// The code, or comments that say why there is none.
    pub(crate) text: String,
    /// The editor's name of the language.
    pub(crate) language_id: String,
    /// Name of the function.
    pub(crate) function: String,
    /// The parts that could not be lowered, with reasons.
    pub(crate) notes: Vec<String>,
    /// The place where lines of the code come from; one holds until the next.
    pub(crate) lines: Vec<DeviceLine>,
    /// Lines of the code that compute a value that the function computes several times.
    pub(crate) shared: Vec<SharedLine>,
}

/// A line of device code and the line of the document that it comes from, both from 0.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub(crate) struct DeviceLine {
    pub(crate) line: u32,
    pub(crate) source: u32,
}

/// A line of device code that computes a value for several statements.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub(crate) struct SharedLine {
    /// From 0.
    pub(crate) line: u32,
    /// The lines of the document whose statements use the value, from 0.
    pub(crate) sources: Vec<u32>,
    /// The description of the step.
    pub(crate) text: String,
}

/// The command of a lens above a function with device code: its arguments are the document and the position.
pub(crate) const VIEW_DEVICE_CODE_COMMAND: &str = "tir-analyzer.viewDeviceCode";

/// The choice of the instance of a factory that hints, hovers and device code of a document are about.
pub(crate) enum ChooseInstance {}

impl Request for ChooseInstance {
    type Params = ChooseInstanceParams;
    type Result = ();
    const METHOD: LspRequestMethod<'static> =
        LspRequestMethod::Custom("tir-analyzer/chooseInstance");
    const MESSAGE_DIRECTION: MessageDirection = MessageDirection::ClientToServer;
}

/// Parameters of [`ChooseInstance`].
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ChooseInstanceParams {
    pub(crate) text_document: TextDocumentIdentifier,
    /// The path of the factory, as the lens above it has it.
    pub(crate) factory: String,
    /// The arguments of the instance, as the lens has them; the general function if absent.
    pub(crate) instance: Option<String>,
}

/// The command of a lens above a factory: its arguments are the document, the path of the factory, the arguments of
/// each instance, and the number of the chosen one from 0, or `null`.
pub(crate) const CHOOSE_INSTANCE_COMMAND: &str = "tir-analyzer.chooseInstance";

/// A function before and after passes.
pub(crate) enum ViewPasses {}

impl Request for ViewPasses {
    type Params = ViewPassesParams;
    type Result = Option<ViewPassesResult>;
    const METHOD: LspRequestMethod<'static> = LspRequestMethod::Custom("tir-analyzer/viewPasses");
    const MESSAGE_DIRECTION: MessageDirection = MessageDirection::ClientToServer;
}

/// Parameters of [`ViewPasses`].
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ViewPassesParams {
    pub(crate) text_document: TextDocumentIdentifier,
    pub(crate) position: Position,
    /// Names of passes, in order.
    pub(crate) passes: Vec<String>,
}

/// Result of [`ViewPasses`]; `null` where there is no function.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ViewPassesResult {
    /// Name of the function.
    pub(crate) function: String,
    /// Its text before the first pass.
    pub(crate) before: String,
    /// After each pass, in order.
    pub(crate) stages: Vec<ViewPassesStage>,
}

/// A function after a pass.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ViewPassesStage {
    /// Name of the pass.
    pub(crate) pass: String,
    /// The text.
    pub(crate) text: String,
    /// True if the pass changed the function.
    pub(crate) changed: bool,
    /// The notes of the pass, one line each.
    pub(crate) notes: Vec<String>,
}

/// The results of TileLang itself for a kernel: its IR after each pass, and its device code. Executes the file.
pub(crate) enum ViewTileLang {}

impl Request for ViewTileLang {
    type Params = ViewTileLangParams;
    type Result = Option<ViewTileLangResult>;
    const METHOD: LspRequestMethod<'static> = LspRequestMethod::Custom("tir-analyzer/viewTileLang");
    const MESSAGE_DIRECTION: MessageDirection = MessageDirection::ClientToServer;
}

/// Parameters of [`ViewTileLang`].
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ViewTileLangParams {
    pub(crate) text_document: TextDocumentIdentifier,
    pub(crate) position: Position,
}

/// Result of [`ViewTileLang`]; `null` where there is no kernel.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ViewTileLangResult {
    /// Name of the kernel.
    pub(crate) function: String,
    /// The call of its factory, if there is one.
    pub(crate) instance: Option<String>,
    /// Its IR before the first pass, whose name is empty.
    pub(crate) before: TileLangStage,
    /// After each pass that changes it, in order.
    pub(crate) stages: Vec<TileLangStage>,
    /// The device code.
    pub(crate) code: String,
    /// The editor's name of the language of the device code.
    pub(crate) language_id: String,
}

/// A kernel after a pass of TileLang.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub(crate) struct TileLangStage {
    /// Name of the pass.
    pub(crate) pass: String,
    /// The text.
    pub(crate) text: String,
    /// Lines of the text that come from lines of the document, by the spans of TileLang.
    pub(crate) lines: Vec<DeviceLine>,
}

/// A request whose handler panics, for tests.
#[cfg(debug_assertions)]
pub(crate) enum Panic {}

#[cfg(debug_assertions)]
impl Request for Panic {
    type Params = serde_json::Value;
    type Result = ();
    const METHOD: LspRequestMethod<'static> = LspRequestMethod::Custom("tir-analyzer/panic");
    const MESSAGE_DIRECTION: MessageDirection = MessageDirection::ClientToServer;
}

/// A request without end, for tests.
#[cfg(debug_assertions)]
pub(crate) enum Hang {}

#[cfg(debug_assertions)]
impl Request for Hang {
    type Params = serde_json::Value;
    type Result = ();
    const METHOD: LspRequestMethod<'static> = LspRequestMethod::Custom("tir-analyzer/hang");
    const MESSAGE_DIRECTION: MessageDirection = MessageDirection::ClientToServer;
}
