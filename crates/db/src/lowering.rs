//! From a function to its body, its source map and its diagnostics.
//!
//! `lowered` reads the text; `body` is what it means. A comment or a space changes the one and not the other: `body`
//! compares by content, so what hangs off it stands. Positions live in `source_map`, relative to the function.

use std::sync::Arc;

use frontend::tvmscript::{Diagnostic, Lowered, SourceMap, lower};
use ir::{
    Body, OccurrenceId, Occurrences, OpId,
    arena::Id as _,
    plan::{COMMON_SUBEXPRESSION, SourceView},
};

use crate::{Db, environment::DbEnvironment, file::Function};

/// The function, lowered. All that reads its text.
#[salsa::tracked(returns(ref), no_eq, lru = 0)]
pub fn lowered<'db>(db: &'db dyn Db, function: Function<'db>) -> Arc<Lowered> {
    let source = function.source(db);
    db.counters().lowered(source.green.text_len().into());
    let (file, scope) = (function.file(db), function.scope(db));
    Arc::new(lower(source, &DbEnvironment { db, file, scope }))
}

/// A body, shared. Equal if the bodies are, wherever they stand in the text.
#[derive(Clone, Debug)]
pub struct SharedBody(Arc<Lowered>);

impl std::ops::Deref for SharedBody {
    type Target = Body;
    fn deref(&self) -> &Body {
        &self.0.body
    }
}

impl PartialEq for SharedBody {
    fn eq(&self, other: &SharedBody) -> bool {
        Arc::ptr_eq(&self.0, &other.0) || **self == **other
    }
}

/// The function in the IR. Stands still when only comments and layout change.
#[salsa::tracked(returns(ref), lru = 0)]
pub fn body<'db>(db: &'db dyn Db, function: Function<'db>) -> SharedBody {
    SharedBody(lowered(db, function).clone())
}

/// Where the parts of the body are in the text, relative to the function's start.
pub fn source_map<'db>(db: &'db dyn Db, function: Function<'db>) -> &'db SourceMap {
    &lowered(db, function).source_map
}

/// What lowering says of the function.
pub fn lowering_diagnostics<'db>(db: &'db dyn Db, function: Function<'db>) -> &'db [Diagnostic] {
    &lowered(db, function).diagnostics
}

/// The occurrences of the body's expressions.
#[salsa::tracked(returns(ref), no_eq, lru = 0)]
pub fn occurrences<'db>(db: &'db dyn Db, function: Function<'db>) -> Arc<Occurrences> {
    Arc::new(Occurrences::collect(body(db, function)))
}

/// What the text allows, without positions: which occurrences have text of their own, which share it, before which
/// operations a line may be inserted, and which names are taken.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TextFacts {
    is_real: Box<[bool]>,
    is_site: Box<[bool]>,
    is_written: Box<[bool]>,
    /// The arms of `if`s at whose end a line may be added, sorted.
    end_sites: Box<[(OpId, u32)]>,
    /// Where the user allows what is computed again; empty if nowhere.
    is_allowed: Box<[bool]>,
    /// The ranges of occurrences, with offsets replaced by their ranks among all that occur: the order of places
    /// stands still when what lies between them changes.
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
            hidden: map.hidden_names().into(),
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

/// What the text allows. Stands still when positions change.
#[salsa::tracked(returns(ref), lru = 0)]
pub fn text_facts<'db>(db: &'db dyn Db, function: Function<'db>) -> TextFacts {
    let lowered = lowered(db, function);
    let text_len = function.source(db).green.text_len();
    TextFacts::new(&lowered.body, &lowered.source_map, text_len.into())
}

/// Sets how many results the queries here keep; see [`crate::forgetting`].
pub(crate) fn keep(db: &mut dyn Db, n: usize) {
    lowered::set_lru_capacity(db, n);
    body::set_lru_capacity(db, n);
    occurrences::set_lru_capacity(db, n);
    text_facts::set_lru_capacity(db, n);
}
