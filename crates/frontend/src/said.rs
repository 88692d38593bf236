//! What lowering says of one unit, bounded: a text that is wrong everywhere has no more diagnostics than a person reads.

use syntax::TextRange;

use crate::tvmscript::{Diagnostic, DiagnosticRule, Severity};

/// So many diagnostics of a function, program or frame are kept; one more says how many others there are.
pub const MAX_DIAGNOSTICS: usize = 1000;

/// The code of the diagnostic that stands for those that are not kept. Syntax errors that are not kept have it as well.
pub use syntax::MORE_DIAGNOSTICS;

/// Its rule, for tables of rules.
pub(crate) const RULE: DiagnosticRule = DiagnosticRule {
    code: MORE_DIAGNOSTICS,
    severity: Severity::Error,
    summary: "more diagnostics than are listed",
    docs: "Of one function, program or frame, the first 1000 syntax errors and the first 1000 other diagnostics are listed. This one says how many more there \
           are, and stands where the first of them is. It is as severe as the worst of them.\n",
};

/// The diagnostics of a unit while they are found.
#[derive(Default, Debug)]
pub(crate) struct Said {
    kept: Vec<Diagnostic>,
    more: Option<More>,
}

/// Those that are not kept.
#[derive(Debug)]
struct More {
    n: usize,
    first: TextRange,
    worst: Severity,
}

impl Said {
    pub(crate) fn push(&mut self, diagnostic: Diagnostic) {
        if self.kept.len() < MAX_DIAGNOSTICS {
            self.kept.push(diagnostic);
            return;
        }
        let (first, worst) = (diagnostic.range, diagnostic.severity);
        let more = self.more.get_or_insert(More { n: 0, first, worst });
        more.n += 1;
        // The worst is the least.
        more.worst = more.worst.min(worst);
    }

    /// Whether nothing was said.
    pub(crate) fn is_empty(&self) -> bool {
        self.kept.is_empty()
    }

    /// Where the diagnostics are.
    pub(crate) fn ranges(&self) -> impl Iterator<Item = TextRange> {
        self.kept.iter().map(|it| it.range)
    }

    /// All that is kept, in the order of the text.
    pub(crate) fn into_sorted(self) -> Vec<Diagnostic> {
        let mut res = self.kept;
        res.extend(self.more.map(|it| Diagnostic {
            code: MORE_DIAGNOSTICS,
            severity: it.worst,
            range: it.first,
            message: syntax::more_diagnostics(it.n, MAX_DIAGNOSTICS),
            help: None,
            related: Vec::new(),
        }));
        res.sort_by_key(|it| (it.range.start(), it.range.end()));
        // They stay as long as the unit, and grew by doubling.
        res.shrink_to_fit();
        res
    }
}

impl Extend<Diagnostic> for Said {
    fn extend<T: IntoIterator<Item = Diagnostic>>(&mut self, diagnostics: T) {
        diagnostics.into_iter().for_each(|it| self.push(it));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn diagnostic(severity: Severity) -> Diagnostic {
        let range = TextRange::default();
        Diagnostic {
            code: "c",
            severity,
            range,
            message: String::new(),
            help: None,
            related: vec![],
        }
    }

    #[test]
    fn those_that_are_not_kept_are_counted_and_their_worst_stays() {
        let mut said = Said::default();
        said.extend((0..MAX_DIAGNOSTICS).map(|_| diagnostic(Severity::Hint)));
        said.extend([diagnostic(Severity::Hint), diagnostic(Severity::Error)]);
        let all = said.into_sorted();
        let more: Vec<_> = all.iter().filter(|it| it.code == MORE_DIAGNOSTICS).collect();
        assert_eq!((all.len(), more.len()), (MAX_DIAGNOSTICS + 1, 1));
        assert_eq!(more[0].severity, Severity::Error);
        assert_eq!(
            more[0].message,
            "2 more diagnostics are not listed: of one part the first 1000 are"
        );
    }

    #[test]
    fn as_many_as_are_kept_need_no_more_words() {
        let mut said = Said::default();
        said.extend((0..MAX_DIAGNOSTICS).map(|_| diagnostic(Severity::Error)));
        assert!(said.into_sorted().iter().all(|it| it.code == "c"));
    }
}
