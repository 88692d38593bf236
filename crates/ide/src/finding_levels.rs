//! How bad findings of each kind are.
//!
//! The defaults are quiet enough for daily use: what is certainly a mistake is a warning, what a reader may want to know a hint.

use frontend::tvmscript::Severity;
use ir::plan::finding::{FindingKind, FindingKinds};

/// For each kind its severity; none is not reported, and not computed.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct FindingLevels([Option<Severity>; FindingKind::ALL.len()]);

impl Default for FindingLevels {
    fn default() -> FindingLevels {
        use FindingKind as Kind;
        let mut levels = FindingLevels::off();
        for &kind in FindingKind::ALL {
            let level = match kind {
                Kind::ReadBeforeWrite => Some(Severity::Warning),
                Kind::ConstantCondition | Kind::Unreachable => Some(Severity::Information),
                Kind::DeadBinding
                | Kind::DeadStore
                | Kind::CopyPropagation
                | Kind::LoopInvariant
                | Kind::MissingNoalias
                | Kind::RedundantCondition
                | Kind::RedundantLoad => Some(Severity::Hint),
            };
            levels.set(kind, level);
        }
        levels
    }
}

impl FindingLevels {
    /// Nothing is reported.
    pub fn off() -> FindingLevels {
        FindingLevels([None; FindingKind::ALL.len()])
    }

    /// The severity of a kind; none if it is not reported.
    pub fn get(&self, kind: FindingKind) -> Option<Severity> {
        self.0[kind as usize]
    }

    /// Changes the severity of a kind.
    pub fn set(&mut self, kind: FindingKind, level: Option<Severity>) {
        self.0[kind as usize] = level;
    }

    /// The kinds that are reported.
    pub fn kinds(&self) -> FindingKinds {
        FindingKind::ALL.iter().copied().filter(|it| self.get(*it).is_some()).collect()
    }
}
