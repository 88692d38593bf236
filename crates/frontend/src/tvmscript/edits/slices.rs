//! Ends of slices whose beginning changes.
//!
//! `A[e:e + 4]` is one vector access: `e` is its base, and the rest only gives its length. When a part of `e` becomes a
//! name, both must use it, or it would no longer be visible that the difference is constant. In: the replaced places.
//! Out: for each slice that has one in its beginning, the edit that writes its end as beginning plus length.

use ir::{ExprKind, OccurrenceId, OpKind};
use rustc_hash::{FxHashMap, FxHashSet};
use syntax::{Edit, TextRange};

use super::{
    Writer,
    value::{Bracket, brackets},
};

/// The occurrence that is an index, and the length of the slice that it would begin.
type Index = (OccurrenceId, i64);

/// The results for occurrences on the way to their index.
type Known = FxHashMap<OccurrenceId, Option<Index>>;

/// A slice whose beginning is an occurrence.
struct Slice {
    /// The text before the colon.
    lower: TextRange,
    /// The text after it, up to the next colon or the end.
    upper: TextRange,
    /// The length.
    length: i64,
    /// True if the beginning can stand before `+` as it is.
    binds: bool,
}

impl Writer<'_> {
    /// The edits of ends, given the replaced places and their edits, both in text order.
    pub(super) fn slice_ends(
        &self,
        places: &[(TextRange, OccurrenceId, &str)],
        edits: &[Edit],
    ) -> Vec<Edit> {
        let mut known = Known::default();
        let mut seen = FxHashSet::default();
        let mut ends = Vec::new();
        for &(_, occurrence, _) in places {
            ir::interrupt::check();
            let Some((base, length)) = self.index_around(occurrence, &mut known) else { continue };
            if !seen.insert(base) {
                continue;
            }
            let Some(slice) = self.slice_at(base, length) else { continue };
            let start = edits.partition_point(|it| it.range.end() <= slice.lower.start());
            let mut text = String::new();
            let mut at = slice.lower.start();
            for edit in &edits[start..] {
                if edit.range.end() > slice.lower.end() {
                    break;
                }
                if edit.range.start() < at {
                    continue;
                }
                text.push_str(self.text_of(TextRange::new(at, edit.range.start())));
                text.push_str(&edit.text);
                at = edit.range.end();
            }
            text.push_str(self.text_of(TextRange::new(at, slice.lower.end())));
            let text = text.trim();
            let length = slice.length;
            let end = if slice.binds {
                format!("{text} + {length}")
            } else {
                format!("({text}) + {length}")
            };
            ends.push(Edit::replace(slice.upper, end));
        }
        ends
    }

    /// The index that an occurrence is part of, with the number of elements it would begin as a slice. Nodes passed on
    /// the walk up are remembered, so that all walks together are linear.
    fn index_around(&self, occurrence: OccurrenceId, known: &mut Known) -> Option<Index> {
        let mut path = Vec::new();
        let mut at = occurrence;
        let found = loop {
            if let Some(&found) = known.get(&at) {
                break found;
            }
            path.push(at);
            let here = self.occurrences[at];
            let Some(parent) = here.parent else {
                let is_store = matches!(self.body.ops[here.op].kind, OpKind::Store { .. });
                break (is_store && here.operand > 0).then_some((at, 1));
            };
            match self.body.expr(self.occurrences[parent].expr).kind {
                ExprKind::Ramp { stride, lanes, .. } => {
                    let (ExprKind::Int(stride), ExprKind::Int(lanes)) =
                        (self.body.expr(stride).kind, self.body.expr(lanes).kind)
                    else {
                        break None;
                    };
                    // `T.Ramp(e, 1, 4)` is written as a call: no colon follows.
                    break stride.checked_mul(lanes).map(|length| (at, length));
                }
                ExprKind::Load { .. } => break Some((at, 1)),
                _ => at = parent,
            }
        };
        known.extend(path.into_iter().map(|it| (it, found)));
        found
    }

    /// The slice that begins with this occurrence, if a colon follows it.
    fn slice_at(&self, base: OccurrenceId, length: i64) -> Option<Slice> {
        let range = self.map.occurrence_range(base);
        let lower = self.without_parentheses(range).0;
        let rest = &self.text[usize::from(lower.end())..];
        let blank = rest.len() - rest.trim_start().len();
        let after = rest[blank..].strip_prefix(':')?;
        let mut depth = 0;
        let mut len = after.len();
        for (at, kind) in brackets_of_line(after) {
            match kind {
                Bracket::Open => depth += 1,
                Bracket::Close if depth == 0 => len = at,
                Bracket::Close => depth -= 1,
                Bracket::Comma | Bracket::Colon if depth == 0 => len = at,
                _ => continue,
            }
            if len < after.len() {
                break;
            }
        }
        let text = &after[..len];
        let start = usize::from(lower.end()) + blank + 1 + (text.len() - text.trim_start().len());
        let upper = TextRange::at((start as u32).into(), (text.trim().len() as u32).into());
        let binds = match self.body.expr(self.occurrences[base].expr).kind {
            ExprKind::Binary(op, ..) => {
                !(op.is_comparison() || op.is_logical() || is_below_plus(op))
            }
            ExprKind::Unary(..) | ExprKind::Select(..) => false,
            _ => true,
        };
        Some(Slice { lower, upper, length, binds })
    }
}

/// Operators that bind less than `+` in Python.
fn is_below_plus(op: ir::BinaryOp) -> bool {
    use ir::BinaryOp::{BitAnd, BitOr, BitXor, Shl, Shr};
    matches!(op, BitAnd | BitOr | BitXor | Shl | Shr)
}

/// Brackets up to the end of the statement's text that matters: a slice ends at its bracket.
fn brackets_of_line(text: &str) -> Vec<(usize, Bracket)> {
    // An index is short; look further only if it is not closed yet.
    let mut window = 256;
    loop {
        let end = (window.min(text.len())..=text.len())
            .find(|&it| text.is_char_boundary(it))
            .unwrap_or(text.len());
        let found = brackets(&text[..end]);
        let mut depth = 0i32;
        let closes = found.iter().any(|it| {
            match it.1 {
                Bracket::Open => depth += 1,
                Bracket::Close => depth -= 1,
                _ => {}
            }
            depth < 0
        });
        if closes || end == text.len() {
            return found;
        }
        window *= 4;
    }
}
