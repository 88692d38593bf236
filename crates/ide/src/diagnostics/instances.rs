//! Mistakes that instances of a factory have and its general function does not: a launch with more threads than any
//! device has for `make(n=2048)`, a copy outside of its tile for `make(block=48)`.
//!
//! In: the functions of a file and the instances that its calls and the settings ask for. Out: findings of the rules
//! that tell mistakes, each once, with the first instance that has it. Everything else that is told of a file is about
//! the general function, which stands for all instances. Not asked are the configurations of a tuner and the cases
//! of tests: those that do not compile, or do not apply, may be left out.

use std::{collections::hash_map::Entry, sync::Arc};

use db::{Database as _, PlacedUnit, RootDatabase, SourceFile};
use frontend::tvmscript::{Instance, Severity};
use rustc_hash::{FxHashMap, FxHashSet};
use syntax::{Diagnostic, TextRange};
use transform::findings::FindingKind;

use super::expressions::reported_findings;
use crate::{diagnostic::DiagnosticsConfig, shortened::shortened};

/// The instances of a factory that are looked at, the first ones: each costs as much as its function.
const MOST_INSTANCES: usize = 8;

/// The arguments of an instance are cut to so many characters.
const MAX_ARGUMENTS: usize = 80;

/// The instances of the factories of a file.
pub(super) struct Instances(Vec<Arc<Instance>>);

impl Instances {
    /// Returns those that are looked at, in the order of factories and calls.
    pub(super) fn of(db: &RootDatabase, file: SourceFile) -> Instances {
        let asked = file.configuration(db).requests(db);
        let found = db::instances(db, file, &[], asked);
        let called = found.into_iter().filter(|it| !it.is_selected);
        Instances(called.flat_map(|it| it.instances.into_iter().take(MOST_INSTANCES)).collect())
    }

    /// Adds to what is told of a function the mistakes of its instances. O(findings), and the analyses of the
    /// instances.
    pub(super) fn add_mistakes(
        &self,
        db: &RootDatabase,
        at: &PlacedUnit<'_>,
        config: &DiagnosticsConfig,
        told: &mut Vec<Diagnostic>,
    ) {
        let path = &at.unit.identity(db).path;
        let mut around = self.0.iter().filter(|it| it.is_around(path)).peekable();
        if around.peek().is_none() {
            return;
        }
        let general: FxHashSet<(&str, TextRange)> =
            told.iter().map(|it| (it.code, it.range)).collect();
        let mut mistakes: Vec<Mistake<'_>> = Vec::new();
        let mut numbers: FxHashMap<(&str, TextRange), usize> = FxHashMap::default();
        for instance in around {
            db.unwind_if_revision_cancelled();
            let unit = db::instance(db, at.unit, instance.clone());
            let mut own: FxHashSet<(&str, TextRange)> = FxHashSet::default();
            for (kind, told) in reported_findings(db, at, unit, config) {
                let place = (told.code, told.range);
                if !is_mistake(kind) || general.contains(&place) || !own.insert(place) {
                    continue;
                }
                match numbers.entry(place) {
                    Entry::Occupied(number) => mistakes[*number.get()].n_more += 1,
                    Entry::Vacant(number) => {
                        number.insert(mistakes.len());
                        mistakes.push(Mistake { told, instance, n_more: 0 });
                    }
                }
            }
        }
        told.extend(mistakes.into_iter().map(Mistake::told));
    }
}

/// Returns true for rules that tell mistakes, not what could be better: a level that a user gives does not change that.
fn is_mistake(kind: FindingKind) -> bool {
    kind.rule().level.is_some_and(|it| it <= Severity::Warning)
}

/// A mistake, and the instances that have it.
struct Mistake<'a> {
    told: Diagnostic,
    instance: &'a Instance,
    n_more: usize,
}

impl Mistake<'_> {
    /// The mistake in words. What mends one instance may be wrong for others, so that it has no fix.
    fn told(self) -> Diagnostic {
        let Mistake { told, instance, n_more } = self;
        let name = instance.factory().rsplit('.').next().unwrap_or_default();
        let arguments = shortened(&instance.arguments(), MAX_ARGUMENTS);
        let more = match n_more {
            0 => String::new(),
            1 => " and 1 more instance".to_owned(),
            n => format!(" and {n} more instances"),
        };
        let message = format!("{} (in `{name}({arguments})`{more})", told.message);
        Diagnostic { message, help: None, n_fixes: 0, ..told }
    }
}
