//! The lines of the generated code that compute the values bound by `cse`.
//!
//! In: bodies before `cse`, and the origins of the code's lines. Out: the lines that compute a bound value, with the
//! operations that use it. A binding is identified by the name of its variable, which is unique in the body.

use dataflow::analyses::Analyses;
use ir::{Body, Occurrences, OpId, OpKind, effects::EffectTable};
use rustc_hash::FxHashMap;
use transform::cse::{self, CseOptions};

/// The bindings that were made.
#[derive(Default)]
pub(crate) struct Bound {
    by_name: FxHashMap<Box<str>, Binding>,
}

#[derive(Clone)]
struct Binding {
    /// The operations that use the value, in program order.
    uses: Vec<OpId>,
    saved: u32,
}

/// A line that computes a bound value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct BoundLine {
    /// From 1.
    pub(crate) line: u32,
    /// Operations that use the value.
    pub(crate) uses: Vec<OpId>,
    /// Evaluations that are saved.
    pub(crate) saved: u32,
}

impl Bound {
    /// Binds the common subexpressions of a body, as the pass does.
    pub(crate) fn bind(&mut self, body: &Body, effects: &EffectTable) -> Body {
        let occurrences = Occurrences::collect(body);
        let plan =
            cse::plan(&Analyses::of(body, &occurrences, effects), None, &CseOptions::default());
        for binding in plan.bindings.iter().filter(|it| it.within.is_none()) {
            let group = &plan.groups[binding.group];
            let mut uses: Vec<OpId> =
                group.occurrences.iter().map(|&it| occurrences[it].op).collect();
            uses.dedup();
            self.by_name.insert(binding.name.clone(), Binding { uses, saved: group.saved });
        }
        cse::rewrite(body, &occurrences, &plan)
    }

    /// The lines of a kernel that compute a bound value. `body` is the source of the code.
    pub(crate) fn lines(&self, body: &Body, lines: &[(u32, OpId)]) -> Vec<BoundLine> {
        let of = |&(line, op): &(u32, OpId)| {
            let operation = Some(&body.ops[op]).filter(|it| it.kind == OpKind::Bind)?;
            let name = body.name(body.values[*operation.results.first()?].name);
            let Binding { uses, saved } = self.by_name.get(name)?.clone();
            Some(BoundLine { line, uses, saved })
        };
        lines.iter().filter_map(of).collect()
    }
}
