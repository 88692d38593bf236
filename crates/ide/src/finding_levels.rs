//! The levels of findings and simplifications of each kind.
//!
//! The defaults are those of the declarations. They are quiet enough for daily use: what is certainly a mistake is a
//! warning, what a reader may want to know a hint. What is shown to happen may have a level of its own
//! ([`Rule::shown`]); another level than the default holds for all findings of a rule.

use frontend::tvmscript::Severity;
use ir::plan::simplify::SimplificationKind;
use rules::Rule;
use transform::{
    findings::{FindingKind, FindingKinds},
    ops::findings::OpFindingKind,
};

/// For each kind its severity; none is not reported, and not computed.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct FindingLevels {
    findings: [Option<Severity>; FindingKind::ALL.len()],
    /// Those of findings that are shown to happen.
    shown: [Option<Severity>; FindingKind::ALL.len()],
    simplifications: [Option<Severity>; SimplificationKind::ALL.len()],
    operations: [Option<Severity>; OpFindingKind::ALL.len()],
    /// True if what may be so, and is not proven, is told too ([`Rule::is_possible`]).
    pub possible: bool,
}

impl Default for FindingLevels {
    fn default() -> FindingLevels {
        let mut levels = FindingLevels::off();
        for &kind in FindingKind::ALL {
            levels.set(kind, kind.rule().level);
        }
        for &kind in SimplificationKind::ALL {
            levels.set_simplification(kind, kind.rule().level);
        }
        for &kind in OpFindingKind::ALL {
            levels.operations[kind as usize] = kind.rule().level;
        }
        levels
    }
}

impl FindingLevels {
    /// Nothing is reported.
    pub fn off() -> FindingLevels {
        FindingLevels {
            findings: [None; FindingKind::ALL.len()],
            shown: [None; FindingKind::ALL.len()],
            simplifications: [None; SimplificationKind::ALL.len()],
            operations: [None; OpFindingKind::ALL.len()],
            possible: false,
        }
    }

    /// The severity of a kind; none if it is not reported.
    pub fn get(&self, kind: FindingKind) -> Option<Severity> {
        self.findings[kind as usize].filter(|_| self.possible || !kind.rule().is_possible)
    }

    /// The severity of a finding of a kind that is shown to happen, or is not; none if it is not reported.
    pub fn of(&self, kind: FindingKind, is_shown: bool) -> Option<Severity> {
        let level = self.get(kind)?;
        if is_shown { self.shown[kind as usize] } else { Some(level) }
    }

    /// The severity of a kind of finding about operations; none if it is not reported. One that statements have too has
    /// the level of that.
    pub fn operation(&self, kind: OpFindingKind) -> Option<Severity> {
        match FindingKind::from_name(kind.name()) {
            Some(same) => self.get(same),
            None => self.operations[kind as usize],
        }
    }

    /// Changes the severity of a kind.
    pub fn set(&mut self, kind: FindingKind, level: Option<Severity>) {
        let rule = kind.rule();
        self.findings[kind as usize] = level;
        self.shown[kind as usize] = if level == rule.level { rule.shown.or(level) } else { level };
    }

    /// The kinds that are reported.
    pub fn kinds(&self) -> FindingKinds {
        FindingKind::ALL.iter().copied().filter(|it| self.get(*it).is_some()).collect()
    }

    /// The severity of a kind of simplification; none if it is not reported. A simplification that is also a finding
    /// has the level of the finding.
    pub fn simplification(&self, kind: SimplificationKind) -> Option<Severity> {
        self.simplifications[kind as usize].filter(|_| !kind.is_finding())
    }

    /// Changes the severity of a kind of simplification.
    pub fn set_simplification(&mut self, kind: SimplificationKind, level: Option<Severity>) {
        self.simplifications[kind as usize] = level;
    }

    /// Returns true if any simplification is reported.
    pub fn has_simplifications(&self) -> bool {
        SimplificationKind::ALL.iter().any(|it| self.simplification(*it).is_some())
    }

    /// Changes the severity of the rule with this name; false if there is none.
    pub fn set_named(&mut self, name: &str, level: Option<Severity>) -> bool {
        if let Some(kind) = FindingKind::from_name(name) {
            self.set(kind, level);
            return true;
        }
        match (SimplificationKind::from_name(name), OpFindingKind::from_name(name)) {
            (Some(kind), _) => self.set_simplification(kind, level),
            (None, Some(kind)) => self.operations[kind as usize] = level,
            (None, None) => return false,
        }
        true
    }

    /// The severity that the rule with this name has where it is reported, none if it never is; none at all if there is
    /// no such rule.
    pub fn named(&self, name: &str) -> Option<Option<Severity>> {
        let finding = FindingKind::from_name(name).map(|it| self.findings[it as usize]);
        let simplification =
            || SimplificationKind::from_name(name).map(|it| self.simplifications[it as usize]);
        let operation = || OpFindingKind::from_name(name).map(|it| self.operations[it as usize]);
        finding.or_else(simplification).or_else(operation)
    }

    /// The rules that have levels, each name once: those of statements, simplifications, those of operations.
    pub fn rules() -> impl Iterator<Item = &'static Rule> {
        let is_finding = |it: &str| FindingKind::from_name(it).is_some();
        let findings = FindingKind::ALL.iter().map(|it| it.rule());
        let simplifications = SimplificationKind::ALL.iter().map(|it| it.rule());
        let operations = OpFindingKind::ALL.iter().map(|it| it.rule());
        let simplifications = simplifications.filter(move |it| !is_finding(it.name));
        let is_known =
            move |it: &str| is_finding(it) || SimplificationKind::from_name(it).is_some();
        findings.chain(simplifications).chain(operations.filter(move |it| !is_known(it.name)))
    }

    /// Returns true if a rule has this name.
    pub fn is_name(name: &str) -> bool {
        FindingLevels::default().named(name).is_some()
    }
}
