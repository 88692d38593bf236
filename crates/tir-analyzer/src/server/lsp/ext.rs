//! What this server adds to the protocol. `LSP_EXTENSIONS` in the README of this crate describes it for clients.

use lsp_types::{Position, TextDocumentIdentifier};
use serde::{Deserialize, Serialize};

/// Method that gives the device code of the kernel at a position.
pub(crate) const VIEW_DEVICE_CODE: &str = "tir-analyzer/viewDeviceCode";

/// Parameters of [`VIEW_DEVICE_CODE`].
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ViewDeviceCodeParams {
    pub(crate) text_document: TextDocumentIdentifier,
    pub(crate) position: Position,
    /// The device language; the configured one if absent.
    pub(crate) target: Option<String>,
}

/// Result of [`VIEW_DEVICE_CODE`]; `null` where there is no function.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ViewDeviceCodeResult {
    /// The code, or comments that say why there is none.
    pub(crate) text: String,
    /// The editor's name of the language.
    pub(crate) language_id: String,
    /// Name of the function.
    pub(crate) function: String,
    /// What could not be lowered, and why.
    pub(crate) notes: Vec<String>,
}
