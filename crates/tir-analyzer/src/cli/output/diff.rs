//! A unified diff of a file and its edits.
//!
//! The edits say which lines differ, so nothing is compared but the lines they touch: linear in the file, where a
//! search for the shortest difference is quadratic in the number of changed lines. Lines are bytes, so that the diff of
//! a file that is not UTF-8 can be applied to it.

use std::ops::Range;

use similar::{DiffOp, group_diff_ops, udiff::UnifiedHunkHeader};
use syntax::Edit;

use crate::cli::{input::source::Source, output::visible::visible};

/// Lines around a change.
const CONTEXT: usize = 3;

/// The diff; empty without edits.
pub(crate) fn unified(
    shown: &str,
    source: &Source,
    edits: &[Edit],
    is_styled: bool,
) -> anyhow::Result<Vec<u8>> {
    if edits.is_empty() {
        return Ok(Vec::new());
    }
    let after = source.edited(edits)?;
    let (old, new) = (lines(source.bytes()), lines(&after));
    let ops = line_ops(source, edits, &old, &new);
    let mut out = Output { text: Vec::new(), is_styled };
    let shown = visible(shown);
    out.line("1", "---", format!(" {shown}\n").as_bytes());
    out.line("1", "+++", format!(" {shown}\n").as_bytes());
    for hunk in group_diff_ops(ops, CONTEXT) {
        out.line("36", &format!("{}\n", UnifiedHunkHeader::new(&hunk)), b"");
        for op in hunk {
            out.op(&op, &old, &new);
        }
    }
    Ok(out.text)
}

/// The lines of a file with their ends.
fn lines(bytes: &[u8]) -> Vec<&[u8]> {
    bytes.split_inclusive(|it| *it == b'\n').collect()
}

/// Lines that are replaced by others.
struct Change {
    old: Range<usize>,
    new: Range<usize>,
}

/// Returns the differing lines. Edits that touch one line, or lines beside each other, are one change.
fn line_ops(source: &Source, edits: &[Edit], old: &[&[u8]], new: &[&[u8]]) -> Vec<DiffOp> {
    let mut ops = Vec::new();
    let mut done = (0, 0);
    for change in changes(source, edits, old) {
        if let Some(it) = trimmed(change, old, new) {
            let equal = it.old.start - done.0;
            if equal > 0 {
                ops.push(DiffOp::Equal { old_index: done.0, new_index: done.1, len: equal });
            }
            match ops.last_mut() {
                Some(DiffOp::Replace { old_len, new_len, .. }) => {
                    *old_len += it.old.len();
                    *new_len += it.new.len();
                }
                _ => ops.push(DiffOp::Replace {
                    old_index: it.old.start,
                    old_len: it.old.len(),
                    new_index: it.new.start,
                    new_len: it.new.len(),
                }),
            }
            done = (it.old.end, it.new.end);
        }
    }
    if done.0 < old.len() {
        ops.push(DiffOp::Equal { old_index: done.0, new_index: done.1, len: old.len() - done.0 });
    }
    ops
}

/// The lines that edits touch, merged where they meet.
fn changes(source: &Source, edits: &[Edit], old: &[&[u8]]) -> Vec<Change> {
    let mut ends = Vec::with_capacity(old.len());
    let mut end = 0;
    for line in old {
        end += line.len();
        ends.push(end);
    }
    let last = old.len().saturating_sub(1);
    let line_of = |offset: usize| ends.partition_point(|it| *it <= offset).min(last);
    let breaks = |bytes: &[u8]| bytes.iter().filter(|it| **it == b'\n').count();
    let mut changes: Vec<Change> = Vec::new();
    let mut grown = 0_isize;
    for edit in edits {
        let (start, end) =
            (source.byte_offset(edit.range.start()), source.byte_offset(edit.range.end()));
        let (first, end_line) = (line_of(start), line_of(end) + 1);
        let added =
            breaks(edit.text.as_bytes()) as isize - breaks(&source.bytes()[start..end]) as isize;
        let new_line = |line: usize, grown: isize| (line as isize + grown).max(0) as usize;
        match changes.last_mut() {
            Some(it) if first < it.old.end => {
                it.old.end = it.old.end.max(end_line);
                grown += added;
                it.new.end = new_line(it.old.end, grown);
            }
            _ => {
                let new_start = new_line(first, grown);
                grown += added;
                let new = new_start..new_line(end_line, grown);
                changes.push(Change { old: first..end_line.min(old.len()), new });
            }
        }
    }
    changes
}

/// A change without the equal lines at its ends; nothing if no line differs.
fn trimmed(change: Change, old: &[&[u8]], new: &[&[u8]]) -> Option<Change> {
    let Change { old: mut a, new: mut b } = change;
    b.end = b.end.min(new.len());
    while !a.is_empty() && !b.is_empty() && old[a.start] == new[b.start] {
        a.start += 1;
        b.start += 1;
    }
    while !a.is_empty() && !b.is_empty() && old[a.end - 1] == new[b.end - 1] {
        a.end -= 1;
        b.end -= 1;
    }
    (!a.is_empty() || !b.is_empty()).then_some(Change { old: a, new: b })
}

struct Output {
    text: Vec<u8>,
    is_styled: bool,
}

impl Output {
    fn op(&mut self, op: &DiffOp, old: &[&[u8]], new: &[&[u8]]) {
        if let DiffOp::Equal { .. } = op {
            old[op.old_range()].iter().for_each(|line| self.line("", " ", line));
        } else {
            old[op.old_range()].iter().for_each(|line| self.line("31", "-", line));
            new[op.new_range()].iter().for_each(|line| self.line("32", "+", line));
        }
    }

    fn line(&mut self, color: &str, mark: &str, line: &[u8]) {
        let is_styled = self.is_styled && !color.is_empty();
        if is_styled {
            self.text.extend_from_slice(format!("\x1b[{color}m").as_bytes());
        }
        self.text.extend_from_slice(mark.as_bytes());
        let (line, end) = match line.strip_suffix(b"\n") {
            Some(line) => (line, &b"\n"[..]),
            None if mark.ends_with('\n') => (line, &b""[..]),
            None => (line, &b"\n\\ No newline at end of file\n"[..]),
        };
        self.text.extend_from_slice(line);
        if is_styled {
            self.text.extend_from_slice(b"\x1b[0m");
        }
        self.text.extend_from_slice(end);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::{Expect, expect};
    use syntax::TextRange;

    #[track_caller]
    fn check(text: &[u8], edits: &[(u32, u32, &str)], expect: Expect) {
        let source = Source::new(text.to_vec()).unwrap();
        let edits: Vec<Edit> = edits
            .iter()
            .map(|&(start, end, text)| {
                Edit::replace(TextRange::new(start.into(), end.into()), text)
            })
            .collect();
        let diff = unified("a.py", &source, &edits, false).unwrap();
        expect.assert_eq(&String::from_utf8_lossy(&diff));
    }

    #[test]
    fn inserted_line_is_a_line_and_changed_lines_stand_together() {
        let text = b"a\nb\nc\nd\ne\nf\ng\nh\n";
        check(
            text,
            &[(8, 8, "new\n"), (8, 9, "E"), (10, 11, "F")],
            expect![[r#"
            --- a.py
            +++ a.py
            @@ -2,7 +2,8 @@
             b
             c
             d
            -e
            -f
            +new
            +E
            +F
             g
             h
        "#]],
        );
        check(
            text,
            &[(8, 8, "new\n")],
            expect![[r#"
            --- a.py
            +++ a.py
            @@ -2,6 +2,7 @@
             b
             c
             d
            +new
             e
             f
             g
        "#]],
        );
    }

    #[test]
    fn far_changes_are_hunks_of_their_own_and_lines_may_go() {
        let text = b"0\n1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12";
        check(
            text,
            &[(0, 1, "x"), (8, 13, "y"), (28, 28, "!")],
            expect![[r#"
                --- a.py
                +++ a.py
                @@ -1,13 +1,11 @@
                -0
                +x
                 1
                 2
                 3
                -4
                -5
                -6
                +y
                 7
                 8
                 9
                 10
                 11
                -12
                \ No newline at end of file
                +12!
                \ No newline at end of file
            "#]],
        );
    }

    #[test]
    fn edit_that_changes_nothing_is_no_hunk() {
        check(
            b"a\nb\n",
            &[(0, 1, "a")],
            expect![[r#"
            --- a.py
            +++ a.py
        "#]],
        );
    }
}
