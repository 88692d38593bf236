//! The questions of the page. Places are UTF-16 offsets of the text that was opened last.

use serde::Deserialize;

/// A question, or a change of the text.
#[derive(Deserialize)]
#[serde(tag = "ask", rename_all = "kebab-case")]
pub(crate) enum Request {
    /// The version of this program, and its names: targets, passes, presets.
    About,
    /// A text, the language it is in (else told by its name or its first words), and the rules of whom it is read with.
    Open {
        text: String,
        #[serde(default)]
        name: String,
        language: Option<String>,
        preset: Option<String>,
    },
    /// The hints; all of them, or those that are worth it.
    Hints {
        #[serde(default)]
        all: bool,
    },
    /// The findings.
    Findings,
    /// The kinds of names in a part of the text.
    Tokens { from: u32, to: u32 },
    /// The functions.
    Functions,
    /// The information about a place, as an editor shows it.
    Hover { at: u32 },
    /// The actions for a part of the text.
    Actions { from: u32, to: u32 },
    /// The decision about what stands at a place, and the findings there.
    Explain { at: u32 },
    /// The plan of the function at a place: every value that is shared or could not be.
    Plan { at: u32 },
    /// The data-flow facts of a part of the text.
    Facts { from: u32, to: u32 },
    /// The function at a place before and after passes, by the rules of a preset.
    Passes { at: u32, passes: Vec<String>, preset: Option<String> },
    /// The function at a place as device code; the target may have settings, as `cuda:arch=sm_90`.
    DeviceCode { at: u32, target: String },
    /// Names that can stand at a place.
    Completions { at: u32 },
    /// The definition of the name at a place, and all mentions of it.
    Mentions { at: u32 },
}
