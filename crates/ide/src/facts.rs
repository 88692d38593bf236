//! The data-flow facts at a line: for `explain --facts` and for code lenses.
//!
//! In: a file and a range. Out: for each line on which a statement starts, the facts before the (outermost) statement
//! of the line: live variables, the memory version that it reads or overwrites, known conditions, variance by thread,
//! initialised memory. Everything is computed for a function at once, and only for functions that the range touches:
//! O(n log n) in the function and the output.

use arith::{Analyzer, Constraint, ContextId};
use dataflow::{
    alias::AliasClasses,
    analyses::Analyses,
    conditions::Conditions,
    definite_init::{Initialisation, Initialised, Initialising},
    flow::Flow,
    liveness::{LiveVariables, Liveness},
    memory::{MemoryVersions, Origin},
    solver::Cursor,
    touch::Touches,
    variance::{Variance, Vary},
};
use db::{FunctionText, PlacedUnit, RootDatabase, SourceFile, Unit, function_text};
use ir::{Body, BufferId, BufferOrigin, ExprKind, OpId, OpKind, ValueId, print::expr_text};
use syntax::{Form, TextRange, TextSize};

use crate::{plan_text::excerpt, shortened::shortened, units::of_units};

/// Conditions are cut to this many characters.
const MAX_CONDITION: usize = 80;

/// The facts before the statement of a line.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LineFacts {
    /// The outermost statement that starts on the line.
    pub range: TextRange,
    /// Its line in the function, from 1.
    pub line: u32,
    /// Its text, on one line.
    pub text: String,
    /// True if some path reaches the line.
    pub is_reached: bool,
    /// Variables that are still used, in the order of their definitions.
    pub live: Vec<String>,
    /// Buffers that are still read.
    pub live_memory: Vec<String>,
    /// For each buffer that the line mentions its contents.
    pub versions: Vec<MemoryVersion>,
    /// Conditions that hold, outermost first.
    pub known: Vec<String>,
    /// Conditions that Python has checked of captured values before it made the function.
    pub checked: Vec<String>,
    /// The threads that may disagree about reaching this place; `None` outside of kernels.
    pub reached_by: Option<&'static str>,
    /// Variables of the line that are not the same in all threads, and between whom they differ.
    pub varies: Vec<(String, &'static str)>,
    /// Memory made in the function and visible here, and how much of it has been written.
    pub initialised: Vec<(String, &'static str)>,
}

/// The contents of a buffer at a line.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MemoryVersion {
    /// The buffer.
    pub buffer: String,
    /// How the write that made its contents stands to the line.
    pub version: &'static str,
    /// The statement that did, or that holds the write.
    pub place: Option<TextRange>,
}

impl MemoryVersion {
    /// Its contents in words; `line_of` tells the line of a place in the file.
    pub fn words(&self, line_of: impl Fn(TextRange) -> u32) -> String {
        match self.place {
            Some(place) => format!("{} at line {}", self.version, line_of(place)),
            None => self.version.to_owned(),
        }
    }
}

impl LineFacts {
    /// Liveness and memory versions in a few words: first those particular to the line, long lists cut.
    pub fn title(&self, line_of: impl Fn(TextRange) -> u32) -> String {
        let mut title = format!("live: {}", few(&self.live));
        for it in &self.versions {
            title.push_str(&format!("; {}: {}", it.buffer, it.words(&line_of)));
        }
        if !self.live_memory.is_empty() {
            title.push_str(&format!("; live memory: {}", few(&self.live_memory)));
        }
        title
    }
}

/// The first names of a list, and how many more there are.
fn few(names: &[String]) -> String {
    const MOST: usize = 6;
    match names.len() {
        0 => "nothing".to_owned(),
        n if n > MOST => format!("{} and {} more", names[..MOST].join(", "), n - MOST),
        _ => names.join(", "),
    }
}

/// The facts of the lines in a range, at most `limit` of them; of the statement around the range if none starts in it.
pub(crate) fn facts(
    db: &RootDatabase,
    file: SourceFile,
    range: TextRange,
    limit: usize,
) -> Vec<LineFacts> {
    let mut found = Vec::new();
    let of_function = |at: PlacedUnit<'_>| {
        // What is known of operations is told at them.
        if at.unit.form(db) == Form::Operations {
            return false;
        }
        let lines = FunctionLines::new(db, at.shown(db), range, limit - found.len());
        if !lines.statements.is_empty() {
            found.extend(lines.facts());
        }
        db::Database::unwind_if_revision_cancelled(db);
        found.len() == limit
    };
    // Until there are enough.
    let _ = of_units(db, file, Some(range), of_function).any(|is_enough| is_enough);
    found
}

/// The statements of a function that are asked about.
struct FunctionLines<'db> {
    at: PlacedUnit<'db>,
    body: &'db Body,
    analyses: Analyses<'db>,
    map: &'db frontend::tvmscript::SourceMap,
    text: &'db FunctionText,
    /// The operations that start on each line, with its number from 0.
    statements: Vec<(u32, Vec<OpId>)>,
}

impl<'db> FunctionLines<'db> {
    fn new(
        db: &'db RootDatabase,
        at: PlacedUnit<'db>,
        range: TextRange,
        limit: usize,
    ) -> FunctionLines<'db> {
        let unit: Unit<'db> = at.unit;
        let mut this = FunctionLines {
            at,
            body: db::body(db, unit),
            analyses: db::analyses(db, unit),
            map: db::source_map(db, unit),
            text: function_text(db, unit),
            statements: Vec::new(),
        };
        this.collect(range, limit);
        this
    }

    fn collect(&mut self, range: TextRange, limit: usize) {
        let mut around: Option<(TextSize, OpId)> = None;
        for op in self.body.ops_preorder() {
            let here = self.at.to_file(self.map.op_range(op));
            if range.contains(here.start()) {
                let line = self.line(op);
                let is_full = self.statements.len() == limit;
                match self.statements.last_mut() {
                    Some((last, ops)) if *last == line => ops.push(op),
                    _ if is_full => break,
                    _ => self.statements.push((line, vec![op])),
                }
            } else if here.contains_range(range) && around.is_none_or(|it| here.len() <= it.0) {
                around = Some((here.len(), op));
            }
        }
        if self.statements.is_empty()
            && let Some((_, op)) = around
        {
            self.statements.push((self.line(op), vec![op]));
        }
    }

    /// The line of an operation in the function, from 0.
    fn line(&self, op: OpId) -> u32 {
        self.text.lines.line(self.map.op_range(op).start())
    }

    fn facts(&self) -> Vec<LineFacts> {
        let analyses = &self.analyses;
        let (flow, aliases) = (analyses.flow(), analyses.aliases());
        let liveness = Liveness::build(&flow, aliases);
        let initialisation = Initialisation::build(&flow, Touches::build(&flow, aliases));
        let variance = Variance::build(&flow, aliases);
        let mut analyzer = analyses.analyzer();
        let conditions = analyses.conditions(&mut analyzer);
        let made: Vec<(OpId, BufferId)> = self
            .body
            .ops_preorder()
            .filter_map(|op| match self.body.ops[op].kind {
                OpKind::Alloc { buffer, .. } | OpKind::DeclBuffer { buffer } => Some((op, buffer)),
                _ => None,
            })
            .collect();
        let is_param = |it: &BufferId| self.body.buffers[*it].origin == BufferOrigin::Param;
        let mut reader = Reader {
            lines: self,
            params: self.body.buffers.ids().filter(is_param).collect(),
            made,
            flow: &flow,
            aliases,
            memory: analyses.memory(),
            live: liveness.cursor(),
            written: initialisation.cursor(),
            initialisation: &initialisation,
            variance: &variance,
            analyzer: &analyzer,
            conditions: &conditions,
        };
        self.statements.iter().map(|(line, ops)| reader.line(*line, ops)).collect()
    }
}

/// All analyses of one function.
struct Reader<'r, 'a> {
    lines: &'r FunctionLines<'r>,
    flow: &'r Flow<'a>,
    aliases: &'r AliasClasses,
    memory: MemoryVersions<'r>,
    live: Cursor<'r, 'a, LiveVariables<'a>>,
    written: Cursor<'r, 'a, Initialising<'a>>,
    initialisation: &'r Initialisation<'a>,
    variance: &'r Variance,
    /// Buffers with the operation that makes them, in order, and those that are there from the start.
    made: Vec<(OpId, BufferId)>,
    params: Vec<BufferId>,
    analyzer: &'r Analyzer<'a>,
    conditions: &'r Conditions,
}

impl Reader<'_, '_> {
    fn line(&mut self, line: u32, ops: &[OpId]) -> LineFacts {
        let (lines, first) = (self.lines, ops[0]);
        let range = lines.map.op_range(first);
        let mentioned = self.mentioned(ops);
        let scope = self.flow.scopes.of_op(first);
        let in_kernel = self.flow.scopes.kernel(scope).is_some();
        LineFacts {
            range: lines.at.to_file(range),
            line: line + 1,
            text: excerpt(&lines.text.text, self.first_line(range, line)),
            is_reached: self.written.before(first).is_some(),
            live: self.live(first),
            live_memory: self.live_memory(first),
            versions: mentioned.1.iter().map(|&it| self.version(first, it)).collect(),
            known: self.known(self.conditions.before(first)),
            checked: lines
                .body
                .asserted
                .conditions
                .iter()
                .map(|it| shortened(it, MAX_CONDITION))
                .collect(),
            reached_by: in_kernel.then(|| self.variance.divergence(scope).text()),
            varies: self.varies(&mentioned.0),
            initialised: self.initialised(first),
        }
    }

    /// A statement without the lines below its first.
    fn first_line(&self, range: TextRange, line: u32) -> TextRange {
        let lines = &self.lines.text.lines;
        let has_next = line + 1 < lines.line_count();
        let next = has_next.then(|| lines.line_range(line + 1).start());
        let end = next.map_or(range.end(), |it| it.min(range.end()));
        TextRange::new(range.start(), end.max(range.start()))
    }

    /// The variables and buffers that the operations of a line mention, in order.
    fn mentioned(&self, ops: &[OpId]) -> (Vec<ValueId>, Vec<BufferId>) {
        let body = self.flow.body;
        let (mut values, mut buffers) = (Vec::new(), Vec::new());
        for &op in ops {
            for id in self.flow.occurrences.of_op(op) {
                match body.expr(self.flow.occurrences[id].expr).kind {
                    ExprKind::Value(value) => values.push(value),
                    ExprKind::Load { buffer, .. }
                    | ExprKind::Region(buffer, _)
                    | ExprKind::Buffer(buffer)
                    | ExprKind::BufferField(buffer, _) => buffers.push(buffer),
                    _ => {}
                }
            }
            if let OpKind::Store { buffer, .. } = body.ops[op].kind {
                buffers.push(buffer);
            }
            values.extend(body.ops[op].results.iter().copied());
            for &region in &body.ops[op].regions {
                values.extend(body.blocks[body.entry(region)].args.iter().copied());
            }
        }
        (unique(values), unique(buffers))
    }

    fn live(&mut self, op: OpId) -> Vec<String> {
        let body = self.flow.body;
        let Some(live) = self.live.before(op) else { return Vec::new() };
        live.values().map(|it| body.name(body.values[it].name).to_owned()).collect()
    }

    fn live_memory(&mut self, op: OpId) -> Vec<String> {
        let (body, aliases) = (self.flow.body, self.aliases);
        let visible = self.visible(op);
        let Some(live) = self.live.before(op) else { return Vec::new() };
        let live = visible.into_iter().filter(|&it| live.buffer(it, aliases));
        unique(live.map(|it| body.name(body.buffers[it].name).to_owned()).collect())
    }

    /// The buffers that an operation sees, parameters first; those made last if there are very many.
    fn visible(&self, op: OpId) -> Vec<BufferId> {
        /// More are of no use to a person.
        const MOST: usize = 500;
        let scopes = self.flow.scopes;
        let before = self.made.partition_point(|it| scopes.order(it.0) < scopes.order(op));
        let mut visible: Vec<BufferId> = self.made[..before]
            .iter()
            .rev()
            .filter(|it| scopes.dominates(it.0, op))
            .take(MOST)
            .map(|it| it.1)
            .collect();
        visible.extend(self.params.iter().rev());
        visible.reverse();
        visible
    }

    fn version(&self, op: OpId, buffer: BufferId) -> MemoryVersion {
        let body = self.flow.body;
        let origin = self.memory.before(op, self.aliases.class(buffer)).origin();
        let (version, by) = match origin {
            Origin::Entry => ("as on entry", None),
            Origin::Write(by) => ("written", Some(by)),
            Origin::LoopEntry(by) => ("of an iteration of the loop", Some(by)),
            Origin::BlockEntry(_) => ("of one of several paths", None),
            Origin::After(by) => ("after the statement", Some(by)),
            Origin::Load(_) => ("another at every read", None),
        };
        MemoryVersion {
            buffer: body.name(body.buffers[buffer].name).to_owned(),
            version,
            place: by.map(|it| self.lines.at.to_file(self.lines.map.op_range(it))),
        }
    }

    fn known(&self, context: ContextId) -> Vec<String> {
        let mut known = Vec::new();
        let mut at = Some(context);
        while let Some(context) = at {
            known.extend(constraint(self.flow.body, self.analyzer.constraint(context)));
            at = self.analyzer.parent(context);
        }
        known.reverse();
        known
    }

    fn varies(&self, values: &[ValueId]) -> Vec<(String, &'static str)> {
        let body = self.flow.body;
        let varying = values.iter().filter(|&&it| self.variance.of_value(it) != Vary::Uniform);
        varying
            .map(|&it| {
                let name = body.name(body.values[it].name).to_owned();
                (name, self.variance.of_value(it).text())
            })
            .collect()
    }

    fn initialised(&mut self, op: OpId) -> Vec<(String, &'static str)> {
        let flow = self.flow;
        let made: Vec<BufferId> = self
            .visible(op)
            .into_iter()
            .filter(|&it| {
                let origin = &flow.body.buffers[it].origin;
                matches!(origin, BufferOrigin::Alloc | BufferOrigin::Cell)
            })
            .collect();
        let initialisation = self.initialisation;
        let Some(state) = self.written.before(op) else { return Vec::new() };
        let how = |buffer: BufferId| -> (String, Initialised) {
            let name = flow.body.name(flow.body.buffers[buffer].name).to_owned();
            (name, initialisation.of_buffer(state, buffer))
        };
        made.into_iter().map(how).map(|(name, how)| (name, how.text())).collect()
    }
}

/// Returns the constraint that a context adds, as a condition in the notation of the language.
pub(crate) fn constraint(body: &Body, constraint: Constraint) -> Option<String> {
    let text = |expr| shortened(&expr_text(body, expr), MAX_CONDITION);
    match constraint {
        Constraint::Assume { cond, holds: true } => Some(text(cond)),
        Constraint::Assume { cond, holds: false } => Some(format!("not ({})", text(cond))),
        Constraint::Range { var, min, extent, step } => {
            let var = body.name(body.values[var].name);
            let zero = |it: &ir::ExprId| body.expr(*it).kind == ExprKind::Int(0);
            let min = min.filter(|it| !zero(it)).map(text);
            let extent = text(extent);
            let range = match &min {
                None => format!("0 <= {var} < {extent}"),
                Some(min) => format!("{min} <= {var} < {min} + {extent}"),
            };
            Some(match (step.map(text), min) {
                (None, _) => range,
                (Some(step), None) => format!("{range}, {var} % {step} == 0"),
                (Some(step), Some(min)) => format!("{range}, ({var} - {min}) % {step} == 0"),
            })
        }
        Constraint::Define { var, value } => {
            Some(format!("{} == {}", body.name(body.values[var].name), text(value)))
        }
        Constraint::AtLeast { expr, least } => Some(format!("{} >= {least}", text(expr))),
        Constraint::Signature | Constraint::Shape { .. } | Constraint::Binder { .. } => None,
    }
}

/// Without repetitions, in order of first mention.
fn unique<T: Clone + Eq + std::hash::Hash>(items: Vec<T>) -> Vec<T> {
    let mut seen = rustc_hash::FxHashSet::default();
    items.into_iter().filter(|it| seen.insert(it.clone())).collect()
}
