//! Sentences about plans, shared by hints, hovers, diagnostics and `explain`.

pub(crate) mod operations;

use db::{Db, Unit, function_text};
use ir::{
    BinaryOp, Body, ExprId, ExprKind, OccurrenceId, OpId, OpKind, Type,
    plan::{
        Between, CellPlace, CseCell, CseGroup, CsePlan, Decision, Equivalence, PartialObstacle,
        Refusal, json::TEXT_LIMIT,
    },
};
use rustc_hash::FxHashMap;
use syntax::{LineIndex, TextRange, TextSize};

use crate::deciding_fact::fact;

/// Shown expressions are cut to this many characters.
const MAX_EXPR: usize = 80;

/// All that sentences about one function are made from.
pub(crate) struct PlanText<'db> {
    pub(crate) body: &'db Body,
    pub(crate) plan: &'db CsePlan,
    pub(crate) map: &'db frontend::tvmscript::SourceMap,
    pub(crate) text: &'db str,
    /// The lines of the function.
    pub(crate) lines: &'db LineIndex,
}

/// A piece of a text on one line, cut where it is long.
pub(crate) fn excerpt(text: &str, range: TextRange) -> String {
    let text = text.get(std::ops::Range::<usize>::from(range)).unwrap_or_default();
    let mut out = String::new();
    let mut n_chars = 0;
    for word in text.split_whitespace() {
        if n_chars > 0 {
            out.push(' ');
        }
        for c in word.chars() {
            if n_chars == MAX_EXPR {
                out.push('…');
                return out;
            }
            out.push(c);
            n_chars += 1;
        }
    }
    out
}

/// The range of the first line of a statement, which has this range.
pub(crate) fn first_line(text: &str, statement: TextRange) -> TextRange {
    let text = text.get(std::ops::Range::<usize>::from(statement)).unwrap_or_default();
    let line = text.lines().next().unwrap_or_default().trim_end();
    TextRange::at(statement.start(), TextSize::of(line))
}

impl<'db> PlanText<'db> {
    pub(crate) fn new(db: &'db dyn Db, unit: Unit<'db>) -> PlanText<'db> {
        let text = function_text(db, unit);
        PlanText {
            body: db::body(db, unit),
            plan: db::cse_plan(db, unit),
            map: db::source_map(db, unit),
            text: &text.text,
            lines: &text.lines,
        }
    }

    /// The line of an offset, from 0.
    pub(crate) fn line(&self, offset: TextSize) -> u32 {
        self.lines.line(offset)
    }

    /// The number of lines of the function.
    pub(crate) fn n_lines(&self) -> usize {
        self.line(TextSize::of(self.text)) as usize + 1
    }

    /// The text of an occurrence on one line, cut where it is long.
    pub(crate) fn expr(&self, occurrence: OccurrenceId) -> String {
        self.excerpt(self.map.occurrence_range(occurrence))
    }

    fn excerpt(&self, range: TextRange) -> String {
        excerpt(self.text, range)
    }

    /// The occurrences that the plan replaces for a group.
    pub(crate) fn replaced<'a>(
        &'a self,
        group: &'a CseGroup,
    ) -> impl Iterator<Item = OccurrenceId> + use<'a, 'db> {
        let replaced: &[OccurrenceId] = match &group.decision {
            Decision::Bind(binding) => &self.plan.bindings[*binding].replaces,
            Decision::Reuse(reuse) => &reuse.replaces,
            Decision::Insert(cell) => &self.plan.cells[*cell].replaces,
            Decision::Covered { .. } | Decision::Refuse(_) => &[],
        };
        replaced.iter().copied()
    }

    /// The name that holds the value of a group, if it gets or has one.
    pub(crate) fn binding_name(&self, group: &CseGroup) -> Option<&'db str> {
        match &group.decision {
            Decision::Bind(binding) => Some(&self.plan.bindings[*binding].name),
            Decision::Reuse(reuse) => Some(reuse.name(self.body)),
            Decision::Insert(cell) => Some(&self.plan.cells[*cell].name),
            Decision::Covered { .. } | Decision::Refuse(_) => None,
        }
    }

    /// A type as TVMScript spells it.
    pub(crate) fn ty(&self, ty: Type) -> String {
        match ty {
            Type::Prim(dtype) => self.body.dtype_name(dtype),
            _ => "unknown type".to_owned(),
        }
    }

    /// The type of an expression, or what it is if it is no value: part of a buffer, several values.
    pub(crate) fn type_of(&self, expr: ExprId) -> String {
        match self.body.expr(expr).kind {
            ExprKind::Region(buffer, _) => {
                format!(
                    "part of a buffer of {}",
                    self.body.dtype_name(self.body.buffers[buffer].dtype)
                )
            }
            ExprKind::Tuple(_) => "several values".to_owned(),
            _ => self.ty(self.body.ty(expr)),
        }
    }

    /// The lines of a group's occurrences. O(occurrences × log lines), once a group.
    pub(crate) fn lines(&self, group: &CseGroup) -> GroupLines {
        let mut runs: Vec<(u32, usize)> = Vec::new();
        for &it in &group.occurrences {
            let line = self.line(self.map.occurrence_range(it).start());
            match runs.last_mut() {
                Some((last, count)) if *last == line => *count += 1,
                _ => runs.push((line, 1)),
            }
        }
        let mut counts: FxHashMap<u32, usize> = FxHashMap::default();
        for (line, count) in &runs {
            *counts.entry(*line).or_default() += count;
        }
        GroupLines { runs, counts, n_occurrences: group.occurrences.len() }
    }

    /// Returns the level of equivalence of the occurrences, if it is above syntactic.
    pub(crate) fn equivalence(group: &CseGroup) -> Option<&'static str> {
        match group.equivalence {
            Equivalence::Syntactic => None,
            Equivalence::Commutative => Some("equal after ordering the operands"),
            Equivalence::Associative => Some("equal after re-association"),
            Equivalence::Arithmetic => Some("equal by arithmetic"),
        }
    }

    /// `saves 2 evaluations of 3 operations each`
    pub(crate) fn saving(group: &CseGroup) -> String {
        let plural = |n: u32, word: &str| {
            if n == 1 { format!("{n} {word}") } else { format!("{n} {word}s") }
        };
        let evaluations = plural(group.saved, "evaluation");
        match group.cost {
            0 => format!("saves {evaluations} of a register"),
            cost => format!("saves {evaluations} of {} each", plural(cost, "operation")),
        }
    }

    /// The operations that a group saves.
    pub(crate) fn saves(group: &CseGroup) -> u64 {
        u64::from(group.cost) * u64::from(group.saved)
    }

    /// By group of the plan: its number among those that are applied in the text, in the order of what they save; equal
    /// ones in the order of the program. O(occurrences + groups · log groups).
    pub(crate) fn ranks(&self) -> Vec<usize> {
        let groups = &self.plan.groups;
        let is_in_text = |group| {
            ir::interrupt::check();
            self.replaced(group).any(|it| self.map.is_real(it))
        };
        let mut order: Vec<usize> =
            (0..groups.len()).filter(|&it| is_in_text(&groups[it])).collect();
        order.sort_by_key(|&it| std::cmp::Reverse(PlanText::saves(&groups[it])));
        let mut ranks = vec![usize::MAX; groups.len()];
        for (rank, group) in order.into_iter().enumerate() {
            ranks[group] = rank;
        }
        ranks
    }

    /// Returns the first line of the statement of an operation, in code marks. Where it is in the file, is not known
    /// here: texts of a function do not change with what is above it.
    pub(crate) fn statement(&self, op: OpId) -> String {
        let range = self.first_line(op);
        format!("`{}`", self.excerpt(range).replace('`', "'"))
    }

    /// The range of the first line of the statement of an operation.
    pub(crate) fn first_line(&self, op: OpId) -> TextRange {
        first_line(self.text, self.map.op_range(op))
    }

    /// Returns the decision about a group, in one sentence.
    pub(crate) fn decision(&self, group: &CseGroup) -> String {
        match &group.decision {
            Decision::Bind(binding) => {
                let binding = &self.plan.bindings[*binding];
                format!(
                    "Computed once as `{}` before {}, it {}.",
                    binding.name,
                    self.statement(binding.before),
                    PlanText::saving(group)
                )
            }
            Decision::Reuse(reuse) => format!(
                "`{}` already holds this value; using it {}.",
                reuse.name(self.body),
                PlanText::saving(group)
            ),
            Decision::Insert(cell) => {
                let cell = &self.plan.cells[*cell];
                format!("Kept in the scalar `{}`: {}.", cell.name, self.stores(cell))
            }
            Decision::Covered { by } => {
                let names: Vec<String> =
                    by.iter().map(|&it| format!("`{}`", self.plan.bindings[it].name)).collect();
                format!("It is part of the value that is computed once as {}.", names.join(", "))
            }
            Decision::Refuse(refusal) => {
                format!("Not shared (`{}`): {}.", refusal.name(), self.refusal(*refusal))
            }
        }
    }

    /// Returns the reason why a group is not bound.
    pub(crate) fn refusal(&self, refusal: Refusal) -> String {
        match refusal {
            Refusal::MayTrap { culprit, guarded } => {
                let at = self.map.occurrence_range(guarded);
                format!(
                    "it may trap ({}), and `{}` is computed under a condition only{}",
                    self.missing(culprit),
                    self.excerpt(at),
                    match fact(self.body, culprit) {
                        Some(fact) => format!("; `T.assume({fact})` or an assert would show it"),
                        None => String::new(),
                    }
                )
            }
            Refusal::NoBindingSite { before } => format!(
                "the text has no place for a binding before {}",
                self.statement(before)
            ),
            Refusal::VirtualOnly => {
                "it stands fewer than two times in the text; the other uses are made by the language"
                    .to_owned()
            }
            Refusal::Unknown => "it contains a value or call that is not known".to_owned(),
            Refusal::ImpureCall { callee } => format!(
                "`{}` is not known to give the same value each time without an effect",
                self.body.name(callee)
            ),
            Refusal::Memory { write, what, around } => self.memory(write, what, around),
            Refusal::Predicate => "a condition reads better where it is used".to_owned(),
            Refusal::NoPathTwice => {
                "its uses exclude each other: no path computes it twice, and a binding above them would compute it \
                 where it is not needed"
                    .to_owned()
            }
            Refusal::PartialRedundancy { cell, obstacle } => {
                let stores = self.stores(&self.plan.cells[cell]);
                format!(
                    "some paths to {} have computed it ({stores}); {}",
                    self.last_use(cell),
                    partial_obstacle(obstacle)
                )
            }
            Refusal::Overflow { value } => {
                let at = self.map.occurrence_range(value);
                format!(
                    "a sum inside `{}` is not shown to stay in its type",
                    self.excerpt(at)
                )
            }
            Refusal::Simplifies { to } => {
                format!("it is always equal to `{}`", ir::print::expr_text(self.body, to))
            }
            Refusal::Convergent => {
                "it depends on which threads arrive together, and the uses are not in one block with \
                 nothing between"
                    .to_owned()
            }
            Refusal::UnderBinder => {
                "it needs the variable of the `T.Let` or the reducer that it is in".to_owned()
            }
            Refusal::NarrowInteger => {
                "C and CUDA cut narrow integers to their width only where they get a name".to_owned()
            }
            Refusal::Downstream { pass } => format!(
                "with a name for it, TVM's `{}` would evaluate code around it where the text does not",
                pass.name()
            ),
            Refusal::Folds { beside } => format!(
                "TVM may fold it as it reads it and drop `{}` beside it, which may fail",
                ir::print::expr_text(self.body, beside)
            ),
            Refusal::FewOccurrences => "it is computed at fewer places than asked for".to_owned(),
            Refusal::Allowed => "the function allows it to be computed again here".to_owned(),
            Refusal::Limit => "more were planned than were asked for".to_owned(),
            Refusal::LaunchBound => {
                "the binding would stand above a kernel launch and run on the host".to_owned()
            }
        }
    }

    /// Returns the place where a scalar gets its value.
    fn stores(&self, cell: &CseCell) -> String {
        let list = |places: Vec<String>| places.join(", ");
        let computed = cell.stores.iter().filter_map(|it| match it.at {
            CellPlace::Before(op) => Some(self.statement(op)),
            CellPlace::EndOfArm { .. } => None,
        });
        let inserted = cell.stores.iter().filter_map(|it| match it.at {
            CellPlace::Before(_) => None,
            CellPlace::EndOfArm { branch, arm } => {
                let arm = if arm == 0 { "" } else { "`else` of the " };
                Some(format!("{arm}branch {}", self.statement(branch)))
            }
        });
        let (computed, inserted): (Vec<_>, Vec<_>) = (computed.collect(), inserted.collect());
        let computed = format!("computed at {}", list(computed));
        match inserted.is_empty() {
            true => computed,
            false => format!("{computed}, to be inserted at the end of the {}", list(inserted)),
        }
    }

    /// The last use of a scalar, in code marks.
    fn last_use(&self, cell: usize) -> String {
        let last = self.plan.cells[cell].replaces.last();
        last.map_or_else(|| "a use".to_owned(), |&it| format!("`{}`", self.expr(it)))
    }

    /// The fact that would show that an operator cannot trap.
    fn missing(&self, culprit: ExprId) -> String {
        let text = |it: ExprId| {
            // A large expression has many parts that say the same of it.
            if self.body.expr(it).size > TEXT_LIMIT {
                return "…".to_owned();
            }
            let text = ir::print::expr_text(self.body, it);
            excerpt(&text, TextRange::up_to(TextSize::of(&*text)))
        };
        match self.body.expr(culprit).kind {
            ExprKind::Binary(op, _, divisor) if op.is_division() => {
                format!("nothing shows that `{}` is not 0", text(divisor))
            }
            ExprKind::Binary(BinaryOp::Shl | BinaryOp::Shr, _, amount) => {
                format!("nothing shows that `{}` is less than the number of bits", text(amount))
            }
            ExprKind::Cast(value) => format!("nothing shows that `{}` fits", text(value)),
            ExprKind::Load { .. } => format!("nothing shows that `{}` is in bounds", text(culprit)),
            ExprKind::Ramp { .. } => format!("a sum in `{}` may overflow", text(culprit)),
            ExprKind::IfThenElse(..) => {
                format!("a sum in the condition of `{}` may overflow", text(culprit))
            }
            _ => format!("nothing shows that `{}` does not", text(culprit)),
        }
    }

    /// Returns the reason why loads are different values.
    fn memory(&self, write: OpId, what: Between, around: Option<OpId>) -> String {
        let at = self.statement(write);
        let mut out = match (what, self.body.ops[write].kind) {
            (Between::Store, OpKind::Store { buffer, .. }) => {
                let name = self.body.name(self.body.buffers[buffer].name);
                format!("a store to `{name}` at {at} may write memory that it reads")
            }
            (Between::Store, _) => format!("a store at {at} may write memory that it reads"),
            (Between::Call, _) => {
                format!("a call at {at} may write memory that it reads")
            }
            (Between::Barrier, _) => {
                format!(
                    "other threads may have written memory that it reads before the barrier at {at}"
                )
            }
            (Between::AsyncCopy, _) => {
                format!("the asynchronous copy at {at} may still write memory that it reads")
            }
            (Between::Allocation, _) => {
                format!("nothing has been written to it since it was allocated at {at}")
            }
            (Between::Polled, _) => {
                format!("the loop {at} may wait for another thread that writes it")
            }
            (Between::Opaque, _) => {
                format!("{at} is not understood and may write memory that it reads")
            }
            (Between::Unordered, _) => {
                format!("the value loaded at {at} may be another value each time")
            }
        };
        if let Some(around) = around {
            out.push_str(&format!(", in another iteration of the loop {}", self.statement(around)));
        }
        out
    }
}

/// Returns the reason why a partial redundancy stays.
fn partial_obstacle(obstacle: PartialObstacle) -> &'static str {
    match obstacle {
        PartialObstacle::OnRequest => "code is inserted in branches on request only",
        PartialObstacle::NotAnticipated => {
            "some path through the inserted code does not compute it now"
        }
        PartialObstacle::NoScalar => "there is no scalar here that could be stored on each path",
        PartialObstacle::NoPlace => "the text has no place for one of the stores",
        PartialObstacle::Overlaps => "the value is part of another one that gets a name first",
    }
}

/// The warning about values that the host computes for a device.
pub(crate) const HOST_ROUNDING: &str =
    "A float intrinsic computed on the host: it may differ in the last bits from the device's.";

/// The warning about fixes in a function that is still scheduled.
pub(crate) const INFORMATIONAL: &str = "The function has blocks that can still be scheduled; a new binding can make \
    `compute_inline` or `fuse` fail, so fixing all leaves it alone.";

/// On which lines the occurrences of a group are.
pub(crate) struct GroupLines {
    /// Lines with the number of occurrences in a row on each, in program order.
    runs: Vec<(u32, usize)>,
    counts: FxHashMap<u32, usize>,
    n_occurrences: usize,
}

impl GroupLines {
    /// `here, 2 lines below, 5 lines above`, as seen from a line. O(1): a group of n occurrences has n hints.
    pub(crate) fn places(&self, from: u32) -> String {
        const MAX_PLACES: usize = 6;
        // Runs of other lines alternate with at most one run of this line each.
        let others = self.runs.iter().take(2 * MAX_PLACES + 1).filter(|(line, _)| *line != from);
        let mut out = String::new();
        let mut n_shown = 0;
        for &(line, count) in others.take(MAX_PLACES) {
            n_shown += count;
            let (distance, word) =
                if line > from { (line - from, "below") } else { (from - line, "above") };
            let lines = if distance == 1 { "line" } else { "lines" };
            let times = if count == 1 { String::new() } else { format!("{count} times ") };
            out.push_str(&format!(", {times}{distance} {lines} {word}"));
        }
        let n_here = self.counts.get(&from).copied().unwrap_or(0);
        let n_more = self.n_occurrences - n_here - n_shown;
        if n_more > 0 {
            out.push_str(&format!(" and at {n_more} more places"));
        }
        match n_here {
            0 => out.trim_start_matches(", ").to_owned(),
            1 => format!("here{out}"),
            n => format!("{n} times here{out}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::GroupLines;

    /// The lines of occurrences, in order.
    fn lines(all: &[u32]) -> GroupLines {
        let runs = all.chunk_by(|a, b| a == b).map(|it| (it[0], it.len())).collect();
        let count = |line: u32| all.iter().filter(|it| **it == line).count();
        let counts = all.iter().map(|&it| (it, count(it))).collect();
        GroupLines { runs, counts, n_occurrences: all.len() }
    }

    #[test]
    fn places_are_told_from_where_the_reader_is() {
        assert_eq!(lines(&[3, 4, 9]).places(4), "here, 1 line above, 5 lines below");
        assert_eq!(lines(&[4, 4, 5]).places(4), "2 times here, 1 line below");
        assert_eq!(lines(&[4, 7, 7]).places(4), "here, 2 times 3 lines below");
        let many: Vec<u32> = (0..100).collect();
        assert!(lines(&many).places(50).ends_with(" and at 93 more places"));
    }
}
