//! The text facts of a function of statements for planners: without positions, so that plans are unchanged when only
//! these change.

use frontend::tvmscript::SourceMap;
use ir::{
    Body, OccurrenceId, OpId,
    arena::Id as _,
    plan::{COMMON_SUBEXPRESSION, SourceView},
};

use crate::{
    Db,
    lowering::{lowered, source_map},
    unit::Unit,
};

/// The text facts of a function, without positions: which occurrences have text of their own, which share it, before
/// which operations a line may be inserted, and which names are taken.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TextFacts {
    is_real: Box<[bool]>,
    is_site: Box<[bool]>,
    is_written: Box<[bool]>,
    /// The arms of `if`s at whose end a line may be added, sorted.
    end_sites: Box<[(OpId, u32)]>,
    /// The places where the user allows recomputation; empty if nowhere.
    is_allowed: Box<[bool]>,
    /// The ranges of occurrences, with offsets replaced by their ranks among all that occur: the order of places is
    /// unchanged when only the text between them changes.
    ranges: Box<[(u32, u32)]>,
    /// Every name that the text mentions.
    names: Box<[Box<str>]>,
    /// Those that are mentioned where nothing was made of the text, sorted.
    hidden: Box<[Box<str>]>,
}

impl TextFacts {
    fn new(body: &Body, map: &SourceMap, text_len: usize) -> TextFacts {
        let ranges = map.occurrences().iter().map(|it| it.range);
        let mut ranks = vec![0u32; text_len + 1];
        for range in ranges.clone() {
            ranks[usize::from(range.start())] = 1;
            ranks[usize::from(range.end())] = 1;
        }
        let mut rank = 0;
        for it in &mut ranks {
            rank += std::mem::replace(it, rank);
        }
        let ranges = ranges
            .map(|it| (ranks[usize::from(it.start())], ranks[usize::from(it.end())]))
            .collect();
        TextFacts {
            is_real: map.occurrences().iter().map(|it| it.is_real).collect(),
            is_site: body.ops.ids().map(|it| map.site(it).is_some()).collect(),
            is_written: body.ops.ids().map(|it| map.is_written(it)).collect(),
            end_sites: map.end_sites().collect(),
            is_allowed: map.allowed_occurrences(COMMON_SUBEXPRESSION.name).into(),
            ranges,
            names: map.definitions().iter().map(|it| it.name.clone()).collect(),
            hidden: map.used_unread().into(),
        }
    }

    /// Runs `run` with the planner's view of these facts.
    pub fn with_view<R>(&self, run: impl FnOnce(SourceView<'_>) -> R) -> R {
        run(SourceView {
            is_real: &|it: OccurrenceId| self.is_real.get(it.index()).copied().unwrap_or_default(),
            is_written: &|it: OpId| self.is_written.get(it.index()).copied().unwrap_or(true),
            is_site: &|it: OpId| self.is_site.get(it.index()).copied().unwrap_or_default(),
            is_end_site: &|branch, arm| self.end_sites.binary_search(&(branch, arm)).is_ok(),
            range: &|it: OccurrenceId| self.ranges.get(it.index()).copied().unwrap_or_default(),
            is_allowed: &|it: OccurrenceId| {
                self.is_allowed.get(it.index()).copied().unwrap_or_default()
            },
            names: &|visit| self.names.iter().for_each(|name| visit(name)),
            is_hidden: &|name| self.hidden.binary_search_by(|it| (**it).cmp(name)).is_ok(),
        })
    }
}

/// Returns the text facts. Unchanged when positions change. Empty for a unit of operations.
#[salsa::tracked(returns(ref), lru = 128)]
pub fn text_facts<'db>(db: &'db dyn Db, unit: Unit<'db>) -> TextFacts {
    let lowered = lowered(db, unit);
    TextFacts::new(lowered.body(), source_map(db, unit), unit.green(db).text_len().into())
}

/// Sets how many results the query here keeps; see [`crate::forgetting`].
pub(crate) fn keep(db: &mut dyn Db, n: usize) {
    text_facts::set_lru_capacity(db, n);
}
