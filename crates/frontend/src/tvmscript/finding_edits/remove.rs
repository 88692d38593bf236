//! Removed statements.
//!
//! In: operations that are removed. Out: for each statement that they make up, the removed text; or `None`, if a
//! statement would have to be removed in part, shares its line, or defines a name that other text mentions.

use std::collections::BTreeMap;

use ir::{BlockId, BufferOrigin, OpId, OpKind, arena::Id as _};
use rustc_hash::FxHashMap;
use syntax::{AstNode, Edit, SyntaxKind, TextRange, TextSize, ast::Stmt};

use super::Writer;
use crate::tvmscript::edits::script_alias;

/// A statement that goes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(in crate::tvmscript) struct Removal {
    /// Its text.
    pub(in crate::tvmscript) statement: TextRange,
    /// The range that is removed with it: its lines, or itself and the blanks up to the comment behind it.
    whole: TextRange,
    /// The replacement of the text; empty, except for a scalar that stays and loses its first value.
    text: String,
    /// The block it is in.
    pub(super) block: BlockId,
}

/// Suites, by where they begin, and the number of statements that they lose.
pub(super) type Losses = Vec<(u32, u32)>;

impl Removal {
    pub(in crate::tvmscript) fn deletion(&self) -> Edit {
        Edit::replace(self.whole, self.text.clone())
    }
}

impl Writer<'_> {
    /// The statements that the operations make up, with those removed before. Replaced text mentions nothing any more.
    pub(in crate::tvmscript) fn removals_of(
        &self,
        removed: &[OpId],
        replaced: &[Edit],
    ) -> Option<Vec<Removal>> {
        let mut of_statement: FxHashMap<TextRange, Vec<OpId>> = FxHashMap::default();
        let mut order = Vec::new();
        for &op in removed {
            let range = self.lowered.source_map.op_range(op);
            let ops = of_statement.entry(range).or_default();
            if ops.is_empty() {
                order.push(range);
            }
            ops.push(op);
        }
        let removals: Option<Vec<Removal>> =
            order.iter().map(|range| self.removal(*range, &of_statement[range])).collect();
        let removals = removals?;
        let statements = removals.iter().filter(|it| it.text.is_empty()).map(|it| it.statement);
        let mut ranges: Vec<TextRange> =
            statements.chain(replaced.iter().map(|it| it.range)).collect();
        ranges.sort_unstable_by_key(|it| it.start());
        removed.iter().all(|&op| self.names_go(op, &ranges)).then_some(removals)
    }

    fn removal(&self, statement: TextRange, ops: &[OpId]) -> Option<Removal> {
        let map = &self.lowered.source_map;
        let all = self.statements().get(&statement)?;
        let block = self.lowered.body.ops[*all.first()?].parent;
        map.site(*all.first()?)?;
        let goes = |op: &OpId| ops.contains(op) || self.removed.contains(op);
        if all.iter().all(goes) {
            if !all.iter().all(|&it| self.holds_its_regions(it, statement)) {
                return None;
            }
            let (whole, text) = (self.whole(statement)?, String::new());
            return Some(Removal { statement, whole, text, block });
        }
        let text = self.declaration(all, ops)?;
        Some(Removal { statement, whole: statement, text, block })
    }

    /// Returns true if the text of an operation's regions is part of its statement: `tx = T.launch_thread(…)` is a
    /// line, and its regions hold all that follows.
    fn holds_its_regions(&self, op: OpId, statement: TextRange) -> bool {
        let body = &self.lowered.body;
        let blocks = body.ops[op].regions.iter().flat_map(|&it| &body.regions[it].blocks);
        let mut inner = blocks.flat_map(|&it| body.blocks[it].ops.first());
        inner.all(|&it| statement.contains_range(self.lowered.source_map.op_range(it)))
    }

    /// `x: T.int32` for `x = e` and `x: T.int32 = e` of which only the store goes.
    fn declaration(&self, all: &[OpId], ops: &[OpId]) -> Option<String> {
        let body = &self.lowered.body;
        let (&[made, stored], &[gone]) = (all, ops) else { return None };
        let OpKind::Alloc { buffer, .. } = body.ops[made].kind else { return None };
        let is_cell = body.buffers[buffer].origin == BufferOrigin::Cell;
        if !is_cell || gone != stored {
            return None;
        }
        let (name, dtype) = (body.name(body.buffers[buffer].name), body.buffers[buffer].dtype);
        Some(format!("{name}: {}.{dtype}", script_alias(self.text)))
    }

    /// A statement with its line; none if something else is on the line.
    fn whole(&self, statement: TextRange) -> Option<TextRange> {
        let (start, end) = (usize::from(statement.start()), usize::from(statement.end()));
        let line_start = self.text[..start].rfind(['\n', '\r']).map_or(0, |at| at + 1);
        if !self.text[line_start..start].trim().is_empty() {
            return None;
        }
        let rest = &self.text[end..];
        let line_len = rest.find(['\n', '\r']).unwrap_or(rest.len());
        let behind = &rest[..line_len];
        let blank = behind.len() - behind.trim_start().len();
        let offset = |at: usize| TextSize::from(at as u32);
        if behind[blank..].starts_with('#') {
            // A suite's last comment is part of the suite.
            let is_simple = !self.text[start..end].contains('\n');
            let is_own = is_simple && !is_about_the_line(&behind[blank..]);
            if is_own {
                return Some(TextRange::new(statement.start(), offset(end + blank)));
            }
        } else if blank < behind.len() {
            return None;
        }
        let after = &rest[line_len..];
        let newline = if after.starts_with("\r\n") { 2 } else { after.len().min(1) };
        let line_end = end + line_len + newline;
        if newline == 0 {
            // The last line of all takes the line break before it.
            let before = self.text[..line_start].trim_end_matches(['\n', '\r']).len();
            return Some(TextRange::new(offset(before), offset(line_end)));
        }
        Some(TextRange::new(offset(line_start), offset(line_end)))
    }

    /// Returns the number of statements that each suite loses; `None` if one loses all and its block does not: only
    /// emptied blocks get a statement. The arm of a compile-time `if` is a suite of its own, and its operations are in
    /// the block around it.
    pub(super) fn losses(&mut self, removals: &[Removal], removed: &[OpId]) -> Option<Losses> {
        let mut losses: BTreeMap<u32, (u32, BlockId)> = BTreeMap::new();
        for it in removals.iter().filter(|it| it.text.is_empty()) {
            let suite = self.node_at(it.statement.start(), is_statement)?.parent()?;
            let start = u32::from(suite.text_range().start());
            self.left.entry(start).or_insert_with(|| {
                suite.children().filter(|it| is_statement(it.kind())).count() as u32
            });
            losses.entry(start).or_insert((0, it.block)).0 += 1;
        }
        let goes = |op: &OpId| removed.contains(op) || self.removed.contains(op);
        let keeps_up = |(suite, (lost, block)): (&u32, &(u32, BlockId))| {
            self.left[suite] > *lost || self.lowered.body.blocks[*block].ops.iter().all(goes)
        };
        losses
            .iter()
            .all(keeps_up)
            .then(|| losses.into_iter().map(|(suite, (lost, _))| (suite, lost)).collect())
    }

    /// The edit of the first statement of a suite that loses all.
    pub(super) fn filled(&self, removal: &Removal) -> Edit {
        Edit::replace(removal.statement, format!("{}.evaluate(0)", script_alias(self.text)))
    }

    /// Returns true if no remaining text mentions the definitions of an operation: all mentions are in `ranges`, which
    /// are in order, or were removed before.
    pub(super) fn names_go(&self, op: OpId, ranges: &[TextRange]) -> bool {
        let body = &self.lowered.body;
        let data = &body.ops[op];
        let buffer = match data.kind {
            OpKind::Alloc { buffer, .. } | OpKind::DeclBuffer { buffer } => Some(buffer),
            _ => None,
        };
        let map = &self.lowered.source_map;
        let mentions = self.mentions();
        let of_values = data.results.iter().flat_map(|&it| mentions.of_value(it));
        let of_buffer = buffer.into_iter().flat_map(|it| mentions.of_buffer(it));
        let names = data
            .results
            .iter()
            .map(|&it| body.values[it].name)
            .chain(buffer.map(|it| body.buffers[it].name));
        let is_inside = |mention: &TextRange| {
            let after = ranges.partition_point(|it| it.start() <= mention.start());
            let goes = after > 0 && ranges[after - 1].contains_range(*mention);
            goes || self.is_removed(*mention)
        };
        of_values.chain(of_buffer).all(is_inside)
            && names.map(|it| body.name(it)).all(|it| !map.is_hidden(it))
    }

    /// Returns true if a range is in a statement that was removed before.
    fn is_removed(&self, range: TextRange) -> bool {
        let at = (u32::from(range.start()), u32::MAX, u32::MAX);
        let before = self.edits.range(..=at).next_back();
        before.is_some_and(|(_, it)| it.text.is_empty() && it.range.contains_range(range))
    }

    /// The operations of each statement, without those inside others of it.
    pub(in crate::tvmscript) fn statements(&self) -> &FxHashMap<TextRange, Vec<OpId>> {
        self.statements.get_or_init(|| {
            let (body, map) = (&self.lowered.body, &self.lowered.source_map);
            let mut all: FxHashMap<TextRange, Vec<OpId>> = FxHashMap::default();
            for op in body.ops_preorder().filter(|it| it.index() < map.n_ops()) {
                let range = map.op_range(op);
                let parent = body.regions[body.blocks[body.ops[op].parent].parent].parent;
                if parent.is_none_or(|it| map.op_range(it) != range) {
                    all.entry(range).or_default().push(op);
                }
            }
            all
        })
    }
}

pub(in crate::tvmscript) fn is_statement(kind: SyntaxKind) -> bool {
    <Stmt as AstNode>::can_cast(kind)
}

/// Comments that tell tools something about their line: without it they tell nothing.
pub(in crate::tvmscript) fn is_about_the_line(comment: &str) -> bool {
    let text = comment.trim_start_matches('#').trim_start();
    ["tir:", "type:", "noqa", "pylint:", "pyright:", "fmt:", "mypy:"]
        .iter()
        .any(|it| text.starts_with(it))
}
