//! Hints of functions of statements: at what the plan replaces, the name of the value and how often it is computed.

use codegen::TargetOptions;
use db::{Db, PlacedUnit, RootDatabase, SourceFile, Unit};
use frontend::tvmscript::Definition;
use ir::{
    OccurrenceId,
    plan::{CseGroup, Decision},
};
use rustc_hash::FxHashMap;
use syntax::{TextRange, TextSize};
use transform::tile_memory;

use super::{InlayHint, InlayHintsConfig, LabelPart};
use crate::{
    guarded::item,
    pace::Pace,
    plan_text::{GroupLines, HOST_ROUNDING, INFORMATIONAL, PlanText},
    tiles::Tiles,
    units::of_units,
};

/// The hints of one function.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct FunctionHints {
    /// In text order.
    hints: Box<[RelativeHint]>,
    /// Of tiles, in text order.
    tiles: Box<[InlayHint]>,
    /// Lines of the function.
    lines: usize,
}

/// A hint without its tooltip, which is made for who reads it: after a key the hints of a function are made again.
#[derive(Clone, PartialEq, Eq, Debug)]
struct RelativeHint {
    offset: TextSize,
    label: Box<[LabelPart]>,
    /// The number of its group in the plan.
    group: usize,
    /// The occurrence that it stands behind.
    occurrence: OccurrenceId,
    /// The number of its value among those of the function, in the order of what they save.
    rank: usize,
    /// The operations that its value saves.
    saves: u64,
}

/// A hint that competes for its line.
struct Candidate {
    offset: TextSize,
    line: u32,
    /// Operations saved; none for hints shown only on demand.
    saves: Option<u64>,
    group: usize,
    /// Number of the occurrence among those that are marked.
    nth: usize,
}

/// A hint of a function that is shown.
#[derive(Clone, Copy)]
enum Shown<'a> {
    Value(&'a RelativeHint),
    Tile(&'a InlayHint),
}

impl Shown<'_> {
    fn offset(&self) -> TextSize {
        match self {
            Shown::Value(it) => it.offset,
            Shown::Tile(it) => it.offset,
        }
    }

    fn label(&self) -> &[LabelPart] {
        match self {
            Shown::Value(it) => &it.label,
            Shown::Tile(it) => &it.label,
        }
    }
}

/// The hints of a file of statements, or of a part of it.
pub(super) fn inlay_hints(
    db: &RootDatabase,
    file: SourceFile,
    range: Option<TextRange>,
    config: &InlayHintsConfig,
    pace: &Pace<'_>,
) -> Vec<InlayHint> {
    let hints = |at: PlacedUnit<'_>| {
        if !pace.takes_next() {
            return Vec::new();
        }
        let at = at.shown(db);
        let FunctionHints { hints, tiles, lines } = match config.all {
            true => all_hints(db, at.unit),
            false => function_hints(db, at.unit),
        };
        let is_shown = |it: &RelativeHint| config.worth.shows(it.rank, it.saves, *lines);
        let values = hints.iter().filter(|it| config.all || is_shown(it)).map(Shown::Value);
        let tiles = tiles.iter().filter(|_| config.tiles).map(Shown::Tile);
        let is_inside = |it: &Shown<'_>| {
            range.is_none_or(|range| range.contains_inclusive(it.offset() + at.start()))
        };
        let mut wanted: Vec<Shown<'_>> = values.chain(tiles).filter(is_inside).collect();
        wanted.sort_by_key(Shown::offset);
        wanted.truncate(config.limit);
        let mut tooltips = Tooltips { db, at, text: None, lines: FxHashMap::default() };
        let placed = |it: Shown<'_>| {
            let tooltip = if config.tooltips { Some(tooltips.of(it)?) } else { None };
            Some(placed(at, it, tooltip))
        };
        wanted.into_iter().filter_map(placed).collect::<Vec<_>>()
    };
    of_units(db, file, range, hints).flatten().take(config.limit).collect()
}

fn placed(at: PlacedUnit<'_>, hint: Shown<'_>, tooltip: Option<String>) -> InlayHint {
    let label = hint.label().iter();
    let label = label
        .map(|part| LabelPart { target: part.target.map(|it| at.to_file(it)), ..part.clone() });
    InlayHint { offset: hint.offset() + at.start(), label: label.collect(), tooltip }
}

/// The tooltips of the hints of a function. Those of one value have its lines in common, which are found once.
struct Tooltips<'db> {
    db: &'db RootDatabase,
    at: PlacedUnit<'db>,
    text: Option<PlanText<'db>>,
    lines: FxHashMap<usize, GroupLines>,
}

impl Tooltips<'_> {
    /// None where the words of a hint cannot be made: that costs the hint.
    fn of(&mut self, hint: Shown<'_>) -> Option<String> {
        let hint = match hint {
            Shown::Value(hint) => hint,
            Shown::Tile(hint) => return Some(hint.tooltip.clone().unwrap_or_default()),
        };
        let Tooltips { db, at, text, lines } = self;
        item(at.unit.name(*db), || {
            let text = text.get_or_insert_with(|| PlanText::new(*db, at.unit));
            let group = &text.plan.groups[hint.group];
            let lines = lines.entry(hint.group).or_insert_with(|| text.lines(group));
            tooltip(text, hint, lines)
        })
    }
}

/// The hints of a function, relative to its start: of each line the one that is preferred.
#[salsa::tracked(returns(ref), no_eq)]
pub(crate) fn function_hints<'db>(db: &'db dyn Db, unit: Unit<'db>) -> FunctionHints {
    hints_of(db, unit, false)
}

/// All hints of a function, for those who want to see them. They are many times as many, and few functions' are kept.
#[salsa::tracked(returns(ref), no_eq, lru = 128)]
fn all_hints<'db>(db: &'db dyn Db, unit: Unit<'db>) -> FunctionHints {
    hints_of(db, unit, true)
}

fn hints_of(db: &dyn Db, unit: Unit<'_>, all: bool) -> FunctionHints {
    let text = PlanText::new(db, unit);
    let mut candidates = Vec::new();
    let mut marked: Vec<Vec<OccurrenceId>> = Vec::with_capacity(text.plan.groups.len());
    for (i, group) in text.plan.groups.iter().enumerate() {
        ir::interrupt::check();
        let occurrences = marked_occurrences(&text, group);
        let is_applied = group.decision.is_applied();
        let saves = PlanText::saves(group);
        for (nth, &occurrence) in occurrences.iter().enumerate() {
            ir::interrupt::check();
            let range = text.map.occurrence_range(occurrence);
            candidates.push(Candidate {
                offset: range.end(),
                line: text.line(range.end()),
                saves: is_applied.then_some(saves),
                group: i,
                nth,
            });
        }
        marked.push(occurrences);
    }
    candidates.sort_by_key(|it| {
        ir::interrupt::check();
        (it.offset, it.group, it.nth)
    });
    let mut best: FxHashMap<u32, usize> = FxHashMap::default();
    for (i, candidate) in candidates.iter().enumerate().filter(|(_, it)| it.saves.is_some()) {
        ir::interrupt::check();
        let best = best.entry(candidate.line).or_insert(i);
        if candidate.saves > candidates[*best].saves {
            *best = i;
        }
    }
    let ranks = text.ranks();
    // One that cannot be worded costs itself.
    let hint = |(i, candidate): (usize, &Candidate)| {
        ir::interrupt::check();
        if !all && best.get(&candidate.line) != Some(&i) {
            return None;
        }
        let &Candidate { offset, group, nth, .. } = candidate;
        let label = item(unit.name(db), || label(&text, group, nth, &marked[group]))?;
        Some(RelativeHint {
            offset,
            label: label.into(),
            group,
            occurrence: marked[group][nth],
            rank: ranks[group],
            saves: candidate.saves.unwrap_or(0),
        })
    };
    let hints = candidates.iter().enumerate().filter_map(hint).collect();
    FunctionHints { hints, tiles: tile_hints(&text).into(), lines: text.n_lines() }
}

/// The hints of the tiles that a kernel with tiles allocates: behind their names.
fn tile_hints(text: &PlanText<'_>) -> Vec<InlayHint> {
    if !tile_memory::has_launch(text.body) {
        return Vec::new();
    }
    let tiles = Tiles::of(text.body);
    let hint = |it: &Definition| {
        let tile = tiles.get(it.buffer?)?;
        let label = LabelPart { text: tile.label(), target: None, names_line: false };
        let tooltip = tile.share(&TargetOptions::default());
        Some(InlayHint { offset: it.range.end(), label: vec![label], tooltip: Some(tooltip) })
    };
    let mut hints: Vec<InlayHint> = text.map.definitions().iter().filter_map(hint).collect();
    hints.sort_by_key(|it| it.offset);
    hints
}

/// The marked places of a group: the occurrences that the plan replaces, or every one of it if nothing is done with it.
fn marked_occurrences(text: &PlanText<'_>, group: &CseGroup) -> Vec<OccurrenceId> {
    let is_real = |it: &OccurrenceId| text.map.is_real(*it);
    match &group.decision {
        Decision::Refuse(_) => group.occurrences.iter().copied().filter(is_real).collect(),
        _ => text.replaced(group).filter(is_real).collect(),
    }
}

/// The label of the hint at an occurrence of a group: the `nth` of those that are marked.
fn label(text: &PlanText<'_>, group: usize, nth: usize, marked: &[OccurrenceId]) -> Vec<LabelPart> {
    let group = &text.plan.groups[group];
    let name = match &group.decision {
        Decision::Bind(binding) => text.plan.bindings[*binding].name.to_string(),
        Decision::Reuse(reuse) => {
            format!("= {}", reuse.name(text.body))
        }
        Decision::Insert(cell) => text.plan.cells[*cell].name.to_string(),
        Decision::Refuse(refusal) => refusal.name().to_owned(),
        Decision::Covered { .. } => String::new(),
    };
    let others = |nth: usize| {
        let other = marked[nth % marked.len()];
        (marked.len() > 1).then(|| text.map.occurrence_range(other))
    };
    let first_other = if nth == 0 { 1 } else { 0 };
    vec![
        LabelPart { text: name, target: others(first_other), names_line: false },
        LabelPart {
            text: format!(" ×{}", group.occurrences.len()),
            target: others(nth + 1),
            names_line: false,
        },
    ]
}

fn tooltip(text: &PlanText<'_>, hint: &RelativeHint, lines: &GroupLines) -> String {
    let group = &text.plan.groups[hint.group];
    let mut out = format!(
        "`{}` is computed {} times: {}.\n\n{}",
        text.expr(hint.occurrence).replace('`', "'"),
        group.occurrences.len(),
        lines.places(text.line(hint.offset)),
        text.decision(group)
    );
    if let Some(equivalence) = PlanText::equivalence(group) {
        out.push_str(&format!("\n\nThe occurrences are {equivalence}."));
    }
    if group.host_rounding {
        out.push_str("\n\n");
        out.push_str(HOST_ROUNDING);
    }
    if text.plan.informational {
        out.push_str("\n\n");
        out.push_str(INFORMATIONAL);
    }
    out
}
