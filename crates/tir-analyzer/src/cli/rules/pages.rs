//! Pages of what is reported: why it matters, an example with what is said of it, the text after, and when not.
//!
//! A page is a file of Markdown, `rules/NAME.md` beside this crate's sources: people read it there, `explain NAME`
//! prints it, the book shows it. Its form is fixed (`PAGES` says how), and a test runs each example: the finding is
//! really there, and the fix really gives the text after.

use serde_json::{Value, json};

/// A page, cut into its parts.
#[derive(PartialEq, Eq, Debug)]
pub(crate) struct Page {
    /// Why it matters: Markdown.
    pub(crate) why: &'static str,
    /// A whole file with the finding, if one can be shown.
    pub(crate) example: Option<Example>,
    /// When not to follow it: Markdown.
    pub(crate) when_not: &'static str,
}

/// A file with the finding.
#[derive(PartialEq, Eq, Debug)]
pub(crate) struct Example {
    /// The file before.
    pub(crate) before: Fence,
    /// The `tir-analyzer.toml` beside it; empty if there is none.
    pub(crate) settings: &'static str,
    /// The words of `check` about it, by this rule: `LINE:COLUMN: message`, a line each.
    pub(crate) said: &'static str,
    /// The file after.
    pub(crate) after: Option<Fence>,
}

/// A fenced block.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Fence {
    /// Its language: `python`, `mlir`, `pir`, `toml`, `text`.
    pub(crate) language: &'static str,
    /// True if `fix` writes it; false if a person does.
    pub(crate) is_fix: bool,
    /// Its lines.
    pub(crate) text: &'static str,
}

macro_rules! pages {
    ($($name:literal)*) => {
        /// The pages by the names of their rules, sorted. Of a page the headings are `Why`, `Example`, `After` and
        /// `When not`, in this order. `Example` has a file, its settings (`toml`) and what is said (`text`); both
        /// `Example` and `After` may be absent. `After` has the word `fix` behind its language where `fix` makes it.
        const PAGES: &[(&str, &str)] =
            &[$(($name, include_str!(concat!("../../../rules/", $name, ".md")))),*];
    };
}

pages! {
    "alias-redefinition"
    "barrier-phase"
    "barrier-without-arrival"
    "block-redefinition"
    "common-after-side-effect"
    "common-operation"
    "common-rounded-constant"
    "common-subexpression"
    "commuted-operation"
    "constant-condition"
    "copy-in-flight"
    "copy-propagation"
    "count-mismatch"
    "dead-binding"
    "dead-operation"
    "dead-operation-chain"
    "dead-store"
    "divergent-barrier"
    "dtype-mismatch"
    "duplicate-key"
    "empty-loop"
    "equal-block-arguments"
    "equal-carried-values"
    "equal-in-branches"
    "internal-error"
    "invalid-constant"
    "invariant-guard"
    "launch-limit"
    "load-across-blocks"
    "loop-invariant"
    "malformed-form"
    "malformed-number"
    "mergeable-guards"
    "missing-barrier"
    "missing-noalias"
    "missing-part"
    "more-diagnostics"
    "no-op"
    "offset-overflow"
    "out-of-bounds"
    "parallel-race"
    "possible-out-of-bounds"
    "possible-overflow"
    "possible-race"
    "possible-read-before-write"
    "read-before-write"
    "reassociated-operation"
    "redefinition"
    "redundant-condition"
    "redundant-guard"
    "redundant-load"
    "redundant-mask"
    "region-that-reads"
    "scalar-access"
    "simplifiable"
    "single-iteration-loop"
    "superfluous-barrier"
    "symbol-redefinition"
    "syntax-error"
    "tail-guard"
    "tile-layout"
    "tile-loop"
    "tile-operands"
    "tile-shape"
    "too-deep"
    "type-mismatch"
    "unclosed-bracket"
    "undefined-affine-name"
    "undefined-alias"
    "undefined-block"
    "undefined-name"
    "undefined-symbol"
    "undefined-value"
    "unexpected-indent"
    "unexpected-text"
    "unknown-character"
    "unknown-intrinsic"
    "unknown-operation"
    "unneeded-block-argument"
    "unneeded-carried-value"
    "unreachable"
    "unread-operation"
    "unresolved-capture"
    "unsupported-construct"
    "unterminated-string"
    "use-before-definition"
    "value-redefinition"
    "weaker-flags"
    "wrong-buffer-rank"
    "zero-divisor"
}

/// The page of a rule.
pub(crate) fn of(name: &str) -> Option<Page> {
    let at = PAGES.binary_search_by_key(&name, |it| it.0).ok()?;
    Some(parse(PAGES[at].1))
}

/// The names of all pages.
#[cfg(test)]
pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    PAGES.iter().map(|it| it.0)
}

impl Page {
    /// The page as text for a terminal: the parts under their names.
    pub(crate) fn plain(&self, is_styled: bool) -> String {
        let (bold, end) = if is_styled { ("\x1b[1m", "\x1b[0m") } else { ("", "") };
        let mut out = format!("{bold}Why{end}\n\n{}\n", self.why);
        if let Some(it) = &self.example {
            out.push_str(&format!("\n{bold}Example{end}\n\n{}", fenced(it.before)));
            if !it.settings.is_empty() {
                out.push_str(&format!(
                    "\nwith `tir-analyzer.toml`\n\n```toml\n{}```\n",
                    it.settings
                ));
            }
            out.push_str(&format!("\n```text\n{}```\n", it.said));
            if let Some(after) = it.after {
                out.push_str(&format!("\n{bold}After{end}\n\n{}", fenced(after)));
            }
        }
        out.push_str(&format!("\n{bold}When not{end}\n\n{}\n", self.when_not));
        out
    }

    /// The parts as values of JSON.
    pub(crate) fn json(&self) -> Value {
        let example = self.example.as_ref().map(|it| {
            json!({
                "language": it.before.language,
                "before": it.before.text,
                "settings": it.settings,
                "said": it.said,
                "after": it.after.map(|it| it.text),
                "afterIsFix": it.after.is_some_and(|it| it.is_fix),
            })
        });
        json!({ "why": self.why, "example": example, "whenNot": self.when_not })
    }
}

fn fenced(it: Fence) -> String {
    format!("```{}\n{}```\n", it.language, it.text)
}

/// Cuts a page into its parts. What is missing is empty: the test names it.
fn parse(page: &'static str) -> Page {
    let mut fences = fences(part(page, "Example"));
    let before = fences.next();
    let rest: Vec<Fence> = fences.collect();
    let of = |language| rest.iter().find(|it| it.language == language).map_or("", |it| it.text);
    Page {
        why: part(page, "Why").trim(),
        example: before.map(|before| Example {
            before,
            settings: of("toml"),
            said: of("text"),
            after: self::fences(part(page, "After")).next(),
        }),
        when_not: part(page, "When not").trim(),
    }
}

/// The text between a heading and the next one.
fn part(page: &'static str, heading: &str) -> &'static str {
    let heading = format!("## {heading}\n");
    let Some(at) = page.find(&heading) else { return "" };
    let rest = &page[at + heading.len()..];
    rest.find("\n## ").map_or(rest, |end| &rest[..end])
}

/// The fenced blocks of a text.
fn fences(text: &'static str) -> impl Iterator<Item = Fence> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let start = rest.find("```")? + "```".len();
        let (info, body) = rest[start..].split_once('\n')?;
        let end = body.find("\n```").map_or(body.len(), |at| at + 1);
        rest = body.get(end + "```".len()..).unwrap_or_default();
        let (language, how) = info.split_once(' ').unwrap_or((info, ""));
        Some(Fence { language, is_fix: how == "fix", text: &body[..end] })
    })
}
