//! Declarations of rules: every name that a message may carry, with all that is known of it.
//!
//! A rule is declared once, beside the code that produces it, as a [`Rule`]: its name, its topic, its default level,
//! its fix, a summary of one line and a page of documentation. Whoever lists rules (`tir-analyzer explain`, SARIF,
//! settings, levels in an editor) joins the tables of the producers and adds nothing.
//!
//! In: nothing. Out: plain constant data. [`kinds!`] makes an enum of declared rules, [`reasons!`] the reasons for
//! which a function has no device code.

mod kinds;
mod reason;

pub use reason::Reason;

/// The level of a message. The worst is the least.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub enum Severity {
    /// The compiler of the language refuses the text, or it cannot mean what it says.
    #[default]
    Error,
    /// The compiler reads it, but it is probably not meant so.
    Warning,
    /// A fact the reader may want to know.
    Information,
    /// This tool knows less than it could, or the text could be better; nothing is wrong with it.
    Hint,
}

/// The subject of a rule.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Topic {
    /// Something that is reported.
    Finding,
    /// A reason why something is not shared.
    NotShared,
    /// A simplification, or a reason why something is not simplified.
    Simplification,
    /// A reason why a function has no device code.
    NotBuilt,
}

/// The fix of what a rule reports.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fix {
    /// None is known.
    None,
    /// None on purpose: the rule only informs, and no pass has its name.
    Informs,
    /// It is a promise that a person makes: `fix --only NAME` and an editor do it, no pass does.
    Promise,
    /// On request: `fix --only NAME`, an action in an editor, a pass of the same name.
    OnRequest,
    /// Unasked, by `fix` and by fixing all of a file: it only removes what nobody could want to keep.
    ByDefault,
}

/// The declaration of one name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Rule {
    /// Kebab-case name; it never changes.
    pub name: &'static str,
    /// The subject.
    pub topic: Topic,
    /// The default level; none for what reports nothing by itself.
    pub level: Option<Severity>,
    /// The level of a finding that is shown to happen, if it is another one: its message names values for which it
    /// does.
    pub shown: Option<Severity>,
    /// True of what is told only where a user asks for what may be so, and is not proven.
    pub is_possible: bool,
    /// The fix.
    pub fix: Fix,
    /// One line without a full stop.
    pub summary: &'static str,
    /// Markdown: what it is, why, an example before and after, how to resolve or allow it.
    pub docs: &'static str,
    /// One sentence that says what to do, where that does not depend on the place; else empty.
    pub help: &'static str,
}

impl Rule {
    /// A rule whose findings are reported at `level`.
    pub const fn reported(
        name: &'static str,
        level: Severity,
        summary: &'static str,
        docs: &'static str,
    ) -> Rule {
        Rule { level: Some(level), ..Rule::new(name, Topic::Finding, summary, docs) }
    }

    /// A reason why something is not shared.
    pub const fn not_shared(name: &'static str, summary: &'static str, docs: &'static str) -> Rule {
        Rule::new(name, Topic::NotShared, summary, docs)
    }

    /// A step of simplification, or a reason why something is not simplified.
    pub const fn simplification(
        name: &'static str,
        summary: &'static str,
        docs: &'static str,
    ) -> Rule {
        Rule::new(name, Topic::Simplification, summary, docs)
    }

    const fn new(
        name: &'static str,
        topic: Topic,
        summary: &'static str,
        docs: &'static str,
    ) -> Rule {
        Rule {
            name,
            topic,
            level: None,
            shown: None,
            is_possible: false,
            fix: Fix::None,
            summary,
            docs,
            help: "",
        }
    }

    /// The rule with another level for what is shown to happen.
    #[must_use]
    pub const fn with_shown(self, level: Severity) -> Rule {
        Rule { shown: Some(level), ..self }
    }

    /// The rule as one of what may be so: it is told only where a user asks for that.
    #[must_use]
    pub const fn possible(self) -> Rule {
        Rule { is_possible: true, ..self }
    }

    /// The rule with a fix.
    #[must_use]
    pub const fn with_fix(self, fix: Fix) -> Rule {
        Rule { fix, ..self }
    }

    /// Returns true if `fix` has a fix for it.
    pub fn is_fixable(&self) -> bool {
        matches!(self.fix, Fix::Promise | Fix::OnRequest | Fix::ByDefault)
    }
}
