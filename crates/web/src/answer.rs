//! The answers that the page gets. Places are UTF-16 offsets; a range is a pair of them.

use serde::Serialize;

/// A place.
pub(crate) type Range = [u32; 2];

#[derive(Serialize)]
pub(crate) struct About {
    pub(crate) version: &'static str,
    pub(crate) targets: Vec<&'static str>,
    pub(crate) presets: Vec<Preset>,
    pub(crate) passes: Vec<&'static str>,
    pub(crate) languages: Vec<Language>,
}

#[derive(Serialize)]
pub(crate) struct Preset {
    pub(crate) name: &'static str,
    /// The language that it is for; none is for all.
    pub(crate) language: Option<&'static str>,
}

#[derive(Serialize)]
pub(crate) struct Language {
    pub(crate) id: &'static str,
    pub(crate) name: &'static str,
    pub(crate) extensions: &'static [&'static str],
}

#[derive(Serialize)]
pub(crate) struct Opened {
    pub(crate) language: &'static str,
    /// True if the language's functions have device code.
    #[serde(rename = "hasDeviceCode")]
    pub(crate) has_device_code: bool,
}

#[derive(Serialize)]
pub(crate) struct Hint {
    pub(crate) at: u32,
    pub(crate) parts: Vec<Part>,
    pub(crate) tooltip: String,
}

/// A part of a label, and where it leads.
#[derive(Serialize)]
pub(crate) struct Part {
    pub(crate) text: String,
    pub(crate) to: Option<Range>,
    /// True if the line of the place is to be named.
    #[serde(rename = "namesLine")]
    pub(crate) names_line: bool,
}

#[derive(Serialize)]
pub(crate) struct Finding {
    pub(crate) code: &'static str,
    pub(crate) severity: &'static str,
    pub(crate) range: Range,
    pub(crate) message: String,
    pub(crate) help: Option<String>,
    pub(crate) related: Vec<Place>,
    pub(crate) unnecessary: bool,
}

/// A place with words about it.
#[derive(Serialize)]
pub(crate) struct Place {
    pub(crate) range: Range,
    pub(crate) text: String,
}

#[derive(Serialize)]
pub(crate) struct Function {
    pub(crate) name: String,
    pub(crate) range: Range,
    pub(crate) selection: Range,
    /// True if it launches threads, so that it has device code.
    #[serde(rename = "isKernel")]
    pub(crate) is_kernel: bool,
}

#[derive(Serialize)]
pub(crate) struct Hover {
    pub(crate) range: Range,
    pub(crate) markdown: String,
}

#[derive(Serialize)]
pub(crate) struct Action {
    pub(crate) title: String,
    pub(crate) kind: &'static str,
    pub(crate) preferred: bool,
    pub(crate) disabled: Option<String>,
    pub(crate) edits: Vec<Edit>,
}

#[derive(Serialize)]
pub(crate) struct Edit {
    pub(crate) from: u32,
    pub(crate) to: u32,
    pub(crate) insert: String,
}

#[derive(Serialize)]
pub(crate) struct Explanation {
    pub(crate) range: Range,
    pub(crate) text: String,
    #[serde(rename = "type")]
    pub(crate) ty: String,
    /// One word for the decision; none where nothing is decided.
    pub(crate) decision: Option<&'static str>,
    pub(crate) binding: Option<String>,
    pub(crate) cost: Option<u32>,
    pub(crate) saved: Option<u32>,
    /// Sentences (Markdown).
    pub(crate) reasons: Vec<String>,
    /// Sentences about bounds, congruence and simpler forms (Markdown).
    pub(crate) known: Vec<String>,
    /// All places where it is computed.
    pub(crate) places: Vec<Range>,
}

#[derive(Serialize)]
pub(crate) struct Explained {
    pub(crate) what: Option<Explanation>,
    /// The text that an editor shows at the place: for where `what` has nothing to say.
    pub(crate) hover: Option<Hover>,
    pub(crate) findings: Vec<FindingHere>,
}

#[derive(Serialize)]
pub(crate) struct FindingHere {
    pub(crate) code: &'static str,
    pub(crate) range: Range,
    pub(crate) message: String,
    pub(crate) related: Vec<Place>,
    pub(crate) fix: Option<String>,
}

/// The plan of a function, group by group in the order of the text.
#[derive(Serialize)]
pub(crate) struct Plan {
    pub(crate) function: String,
    pub(crate) hints: Vec<Hint>,
}

#[derive(Serialize)]
pub(crate) struct LineFacts {
    pub(crate) range: Range,
    pub(crate) text: String,
    /// Names of facts with what they are, in a fixed order.
    pub(crate) facts: Vec<(&'static str, String)>,
}

#[derive(Serialize)]
pub(crate) struct Passes {
    pub(crate) function: String,
    pub(crate) before: String,
    pub(crate) stages: Vec<Stage>,
}

#[derive(Serialize)]
pub(crate) struct Stage {
    pub(crate) pass: String,
    pub(crate) text: String,
    pub(crate) changed: bool,
    pub(crate) notes: Vec<String>,
}

#[derive(Serialize)]
pub(crate) struct DeviceCode {
    pub(crate) text: String,
    pub(crate) language: &'static str,
    pub(crate) function: String,
    pub(crate) notes: Vec<String>,
    /// Lines from 0, with the place of the statement that each begins; one holds until the next.
    pub(crate) lines: Vec<(u32, u32)>,
    pub(crate) shared: Vec<Shared>,
}

/// A line that computes what the function computes several times.
#[derive(Serialize)]
pub(crate) struct Shared {
    pub(crate) line: u32,
    pub(crate) places: Vec<u32>,
    pub(crate) text: String,
}

#[derive(Serialize)]
pub(crate) struct Completions {
    pub(crate) from: u32,
    pub(crate) items: Vec<Completion>,
    pub(crate) incomplete: bool,
}

#[derive(Serialize)]
pub(crate) struct Completion {
    pub(crate) label: String,
    pub(crate) kind: &'static str,
    pub(crate) detail: Option<String>,
}

#[derive(Serialize)]
pub(crate) struct Mentions {
    pub(crate) definition: Option<Range>,
    pub(crate) all: Vec<Range>,
}
