//! Edits of text: one [`Edit`], and a [`TextEdit`], a set of them that apply at once.

use std::fmt;

use rowan::{TextRange, TextSize};

/// How the lines of a text end, by the first one: `\r\n`, `\r` or `\n`. O(first line).
pub fn first_line_end(text: &str) -> &'static str {
    match text.find(['\n', '\r']).map(|at| &text.as_bytes()[at..]) {
        Some([b'\r', b'\n', ..]) => "\r\n",
        Some([b'\r', ..]) => "\r",
        _ => "\n",
    }
}

/// Returns the number of line breaks of a text. `\r\n` is one end.
pub(crate) fn line_breaks(text: &str) -> usize {
    text.matches(['\n', '\r']).count() - text.matches("\r\n").count()
}

/// The text of a range is replaced.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Edit {
    /// The removed range, in offsets of the text before.
    pub range: TextRange,
    /// The inserted text.
    pub text: String,
}

impl Edit {
    /// Puts text in the place of a range.
    pub fn replace(range: TextRange, text: impl Into<String>) -> Edit {
        Edit { range, text: text.into() }
    }

    /// Puts text before the byte at an offset.
    pub fn insert(offset: TextSize, text: impl Into<String>) -> Edit {
        Edit::replace(TextRange::empty(offset), text)
    }

    /// Removes a range.
    pub fn delete(range: TextRange) -> Edit {
        Edit::replace(range, String::new())
    }

    /// Returns true if nothing is removed.
    pub fn is_insert(&self) -> bool {
        self.range.is_empty()
    }

    /// The length of the inserted text.
    pub fn new_len(&self) -> TextSize {
        TextSize::of(self.text.as_str())
    }

    /// Changes a text in place.
    ///
    /// # Panics
    ///
    /// If the range is not in the text or cuts a character.
    pub fn apply(&self, text: &mut String) {
        text.replace_range(std::ops::Range::<usize>::from(self.range), &self.text);
    }

    /// Returns the place where an offset of the text before is afterwards; `None` if it was removed. Text is inserted
    /// before the text at its offset.
    pub fn map_offset(&self, offset: TextSize) -> Option<TextSize> {
        if offset < self.range.start() || (offset == self.range.start() && !self.range.is_empty()) {
            Some(offset)
        } else if offset >= self.range.end() {
            Some(offset - self.range.end() + self.range.start() + self.new_len())
        } else {
            None
        }
    }
}

/// Two edits of one set touch the same text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Overlap {
    /// The edits that cannot both be done.
    pub edits: [Edit; 2],
}

impl fmt::Display for Overlap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [a, b] = &self.edits;
        write!(f, "two edits change the same text: {:?} and {:?}", a.range, b.range)
    }
}

impl std::error::Error for Overlap {}

/// Edits of one text that are done at once: all ranges are offsets of the text before. They are sorted and do not
/// overlap. Insertions at one offset keep the order in which they were added.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TextEdit {
    edits: Vec<Edit>,
}

impl TextEdit {
    /// No edits.
    pub fn new() -> TextEdit {
        TextEdit::default()
    }

    /// Sorts edits and checks that no two overlap.
    pub fn from_edits(mut edits: Vec<Edit>) -> Result<TextEdit, Overlap> {
        let place = |it: &Edit| (it.range.start(), it.range.end());
        // The sort is stable: insertions at one place stay in order. It takes memory, also for what is sorted.
        if !edits.is_sorted_by_key(place) {
            edits.sort_by_key(place);
        }
        match edits.windows(2).find(|pair| pair[0].range.end() > pair[1].range.start()) {
            Some(pair) => Err(Overlap { edits: [pair[0].clone(), pair[1].clone()] }),
            None => Ok(TextEdit { edits }),
        }
    }

    /// The edits, sorted.
    pub fn edits(&self) -> &[Edit] {
        &self.edits
    }

    /// The edits, sorted.
    pub fn into_edits(self) -> Vec<Edit> {
        self.edits
    }

    /// Returns true if there are no errors.
    pub fn is_empty(&self) -> bool {
        self.edits.is_empty()
    }

    /// Returns the number of entries.
    pub fn len(&self) -> usize {
        self.edits.len()
    }

    /// Adds an edit, if it overlaps none of the others.
    pub fn push(&mut self, edit: Edit) -> Result<(), Overlap> {
        let key = |it: &Edit| (it.range.start(), it.range.end());
        let at = self.edits.partition_point(|it| key(it) <= key(&edit));
        let before = at
            .checked_sub(1)
            .map(|it| &self.edits[it])
            .filter(|it| it.range.end() > edit.range.start());
        let after = self.edits.get(at).filter(|it| edit.range.end() > it.range.start());
        if let Some(other) = before.or(after) {
            return Err(Overlap { edits: [other.clone(), edit] });
        }
        self.edits.insert(at, edit);
        Ok(())
    }

    /// Adds all edits of another set; on an overlap nothing is added.
    pub fn union(&mut self, other: TextEdit) -> Result<(), Overlap> {
        let mut edits = self.edits.clone();
        edits.extend(other.edits);
        *self = TextEdit::from_edits(edits)?;
        Ok(())
    }

    /// The edits that do first these and then others. `middle` is the text after these, of which the others are edits.
    /// Linear.
    #[must_use]
    pub fn then(&self, middle: &str, others: &TextEdit) -> TextEdit {
        let mut res = Vec::new();
        let (mut first, mut second) =
            (self.edits.iter().peekable(), others.edits.iter().peekable());
        // What the edits passed make the text longer by.
        let mut grown = 0i64;
        let shift = |at: TextSize, by: i64| TextSize::from((i64::from(u32::from(at)) + by) as u32);
        let in_middle =
            |it: &Edit, by: i64| TextRange::at(shift(it.range.start(), by), it.new_len());
        loop {
            interrupt::check();
            let next = [
                first.peek().map(|it| in_middle(it, grown).start()),
                second.peek().map(|it| it.range.start()),
            ];
            let Some(start) = next.into_iter().flatten().min() else { break };
            let old_start = shift(start, -grown);
            let mut end = start;
            let mut parts = Vec::new();
            loop {
                if let Some(it) = first.next_if(|it| in_middle(it, grown).start() <= end) {
                    end = end.max(in_middle(it, grown).end());
                    grown +=
                        i64::from(u32::from(it.new_len())) - i64::from(u32::from(it.range.len()));
                } else if let Some(it) = second.next_if(|it| it.range.start() <= end) {
                    end = end.max(it.range.end());
                    parts.push(it);
                } else {
                    break;
                }
            }
            let mut text = String::new();
            let mut at = start;
            for it in parts {
                text.push_str(&middle[usize::from(at)..usize::from(it.range.start())]);
                text.push_str(&it.text);
                at = it.range.end();
            }
            text.push_str(&middle[usize::from(at)..usize::from(end)]);
            res.push(Edit::replace(TextRange::new(old_start, shift(end, -grown)), text));
        }
        TextEdit { edits: res }
    }

    /// The text after the edits, in one pass.
    ///
    /// # Panics
    ///
    /// If a range is not in the text or cuts a character.
    pub fn apply(&self, text: &str) -> String {
        let grown: usize = self.edits.iter().map(|it| it.text.len()).sum();
        let mut res = String::with_capacity(text.len() + grown);
        let mut done = 0;
        for edit in &self.edits {
            res.push_str(&text[done..usize::from(edit.range.start())]);
            res.push_str(&edit.text);
            done = usize::from(edit.range.end());
        }
        res.push_str(&text[done..]);
        res
    }

    /// Returns the place where an offset of the text before is afterwards; `None` if it was removed.
    pub fn map_offset(&self, offset: TextSize) -> Option<TextSize> {
        let mut res = offset;
        for edit in self.edits.iter().take_while(|it| it.range.start() <= offset) {
            let after = edit.map_offset(offset)?;
            // The addition comes first: the difference alone may be negative.
            res = res + after - offset;
        }
        Some(res)
    }
}

impl From<Edit> for TextEdit {
    fn from(edit: Edit) -> TextEdit {
        TextEdit { edits: vec![edit] }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edits_one_after_the_other_are_one_set() {
        let edit = |start: u32, end: u32, text: &str| {
            Edit::replace(TextRange::new(start.into(), end.into()), text)
        };
        let all = |edits: Vec<Edit>| TextEdit::from_edits(edits).unwrap();
        let text = "0123456789";
        let firsts = [
            all(vec![]),
            all(vec![edit(2, 4, ""), edit(6, 6, "abc")]),
            all(vec![edit(0, 10, "xyzxyz")]),
            all(vec![edit(1, 2, "abcd"), edit(2, 3, "e"), edit(9, 10, "")]),
        ];
        for first in &firsts {
            let middle = first.apply(text);
            let len = middle.len() as u32;
            for start in 0..=len {
                for end in start..=len {
                    let mut edits = vec![edit(start, end, "!")];
                    if end + 2 <= len {
                        edits.push(edit(end + 1, end + 2, "??"));
                    }
                    let second = all(edits);
                    let both = first.then(&middle, &second);
                    assert_eq!(both.apply(text), second.apply(&middle), "{first:?} {second:?}");
                    assert!(TextEdit::from_edits(both.edits.clone()).is_ok(), "{both:?}");
                }
            }
        }
    }

    fn range(start: u32, end: u32) -> TextRange {
        TextRange::new(start.into(), end.into())
    }

    #[test]
    fn edits_apply_at_once_in_any_order_of_adding() {
        let mut edit = TextEdit::new();
        edit.push(Edit::replace(range(4, 5), "Y")).unwrap();
        edit.push(Edit::delete(range(0, 2))).unwrap();
        edit.push(Edit::insert(2.into(), "1")).unwrap();
        edit.push(Edit::insert(2.into(), "2")).unwrap();
        assert_eq!(edit.apply("abcdef"), "12cdYf");
        assert_eq!(edit.map_offset(1.into()), None);
        assert_eq!(edit.map_offset(2.into()), Some(2.into()));
        assert_eq!(edit.map_offset(5.into()), Some(5.into()));
    }

    #[test]
    fn overlapping_edits_are_refused() {
        let mut edit = TextEdit::from(Edit::delete(range(1, 4)));
        assert!(edit.push(Edit::insert(2.into(), "x")).is_err());
        assert!(edit.push(Edit::replace(range(3, 6), "x")).is_err());
        assert!(edit.push(Edit::insert(4.into(), "x")).is_ok());
        assert!(edit.push(Edit::insert(1.into(), "x")).is_ok());
        assert!(
            TextEdit::from_edits(vec![Edit::delete(range(0, 3)), Edit::delete(range(2, 4))])
                .is_err()
        );
        assert_eq!(edit.apply("abcdef"), "axxef");
    }

    #[test]
    fn a_union_is_all_or_nothing() {
        let mut edit = TextEdit::from(Edit::delete(range(1, 2)));
        let before = edit.clone();
        assert!(edit.union(TextEdit::from(Edit::delete(range(0, 3)))).is_err());
        assert_eq!(edit, before);
        edit.union(TextEdit::from(Edit::insert(5.into(), "!"))).unwrap();
        assert_eq!(edit.apply("hello"), "hllo!");
    }
}
