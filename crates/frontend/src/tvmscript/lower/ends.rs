//! The places where statements can be added to the arms of an `if`.
//!
//! In: an `if` that has been read, with the statements of its arms. Out: [`EndSite`]s in the state. An arm must have
//! its own lines, and its last operation must be that of its last statement: after a `T.launch_thread(…)` without
//! `with` what follows is inside that. An `else` can be made after an `if` or `elif` that is the last of its chain.
//! Linear in the lines at the end of the arm.

use ir::{OpId, arena::Id as _};
use syntax::{TextRange, TextSize};

use super::{Lowerer, ast::Run};
use crate::tvmscript::source_map::EndSite;

impl Lowerer<'_, '_, '_> {
    /// Records the ends of both arms of an `if` that the text has.
    pub(super) fn record_ends(
        &mut self,
        branch: OpId,
        statement: TextRange,
        then: Run,
        otherwise: Run,
    ) {
        if self.expansion.is_some() {
            return;
        }
        if let Some(site) = self.end_of(branch, 0, then) {
            self.s.ends.push((branch, 0, site));
        }
        let site = match otherwise.is_empty() {
            false => self.end_of(branch, 1, otherwise),
            true => self.new_else(statement, then),
        };
        self.s.ends.extend(site.map(|it| (branch, 1, it)));
    }

    /// The end of an arm that is there.
    fn end_of(&self, branch: OpId, arm: usize, run: Run) -> Option<EndSite> {
        let (indent, last) = self.lines_of(run)?;
        let &region = self.s.body.ops[branch].regions.get(arm)?;
        let &op = self.s.body.blocks[self.s.body.entry(region)].ops.last()?;
        let is_last = self.s.op_ranges[op.index()] == last;
        let offset = self.line_end(last.end());
        is_last.then(|| EndSite { offset, indent: indent.into(), inner: None })
    }

    /// The place of an `else` after the last arm of a chain.
    fn new_else(&self, statement: TextRange, then: Run) -> Option<EndSite> {
        let (inner, last) = self.lines_of(then)?;
        let text = self.s.text;
        let start = usize::from(statement.start());
        let line = text[..start].rfind(['\n', '\r']).map_or(0, |at| at + 1);
        let indent = text.get(line..start)?;
        let rest = text.get(start..)?;
        let is_clause = ["if", "elif"].iter().any(|word| {
            let after = rest.strip_prefix(word).and_then(|it| it.chars().next());
            after.is_some_and(|it| !it.is_alphanumeric() && it != '_')
        });
        let is_own_line = indent.chars().all(char::is_whitespace);
        if !(is_clause && is_own_line) {
            return None;
        }
        let offset = self.past_comments(self.line_end(last.end()), inner);
        // Nothing but comments may stand between the arm and the end of the statement.
        let end = usize::from(statement.end()).max(usize::from(offset));
        let rest = text.get(usize::from(offset)..end)?;
        let only_comments =
            rest.lines().map(str::trim).all(|it| it.is_empty() || it.starts_with('#'));
        if !only_comments {
            return None;
        }
        Some(EndSite { offset, indent: indent.into(), inner: Some(inner.into()) })
    }

    /// The white space before the first statement of a suite on its own lines, and the range of the last one, without
    /// blanks at the end.
    fn lines_of(&self, run: Run) -> Option<(&str, TextRange)> {
        let (first, last) = (self.ast.sts(run).first()?, self.ast.sts(run).last()?);
        let indent = self.ast.stmt(*first).indent?;
        let indent = self.s.text.get(std::ops::Range::<usize>::from(indent))?;
        Some((indent, self.ast.stmt(*last).range))
    }

    /// The end of the last of the comment lines after an offset that are indented as the arm is.
    fn past_comments(&self, offset: TextSize, indent: &str) -> TextSize {
        let text = self.s.text;
        let mut end = usize::from(offset);
        loop {
            let rest = &text[end..];
            let newline = if rest.starts_with("\r\n") { 2 } else { rest.len().min(1) };
            let line = rest[newline..].split(['\n', '\r']).next().unwrap_or_default();
            let is_comment = line.trim_start().starts_with('#') && line.starts_with(indent);
            if !is_comment {
                return TextSize::from(end as u32);
            }
            end += newline + line.len();
        }
    }

    /// The end of the line of the last character before an offset that is no blank.
    fn line_end(&self, offset: TextSize) -> TextSize {
        let text = self.s.text;
        let at = text[..usize::from(offset)].trim_end().len();
        let len = text[at..].find(['\n', '\r']).unwrap_or(text.len() - at);
        TextSize::from((at + len) as u32)
    }
}
