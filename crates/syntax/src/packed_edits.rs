//! Many edits of one text in little memory.
//!
//! In: edits in any order. Out: the same, sorted, none over another, one by one. An edit takes 16 bytes and its new
//! text, where an [`Edit`] with a short text takes 64: a function of a million operations has as many edits. Sorting is
//! O(n log n), all else linear.

use rowan::{TextRange, TextSize};

use crate::text_edit::{Edit, TextEdit};

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Place {
    start: u32,
    end: u32,
    /// The place where the new text is.
    from: u32,
    len: u32,
}

/// Edits of one text. They apply at once: ranges are offsets of the text before.
#[derive(Clone, Debug, Default)]
pub struct PackedEdits {
    places: Vec<Place>,
    /// The new texts, one behind the other.
    text: String,
}

impl PackedEdits {
    /// No edits.
    pub fn new() -> PackedEdits {
        PackedEdits::default()
    }

    /// Adds an edit that puts text in the place of a range. All new texts together must be shorter than 4 GiB.
    pub fn push(&mut self, range: TextRange, text: &str) {
        let (start, end) = (range.start().into(), range.end().into());
        if text.is_empty()
            && let Some(last) = self.places.last_mut()
            && last.len == 0
            && last.end == start
        {
            // A removal right behind another one is part of it.
            last.end = end;
            return;
        }
        self.push_apart(range, text);
    }

    /// As [`PackedEdits::push`]; but a removal right behind another one stays one of its own, so that something can be
    /// put between.
    pub fn push_apart(&mut self, range: TextRange, text: &str) {
        let from = u32::try_from(self.text.len()).expect("new texts are shorter than 4 GiB");
        self.text.push_str(text);
        let (start, end) = (range.start().into(), range.end().into());
        self.places.push(Place { start, end, from, len: text.len() as u32 });
    }

    /// Adds the edits of a part of the text that begins at `by`.
    pub fn append(&mut self, mut part: PackedEdits, by: TextSize) {
        let from = u32::try_from(self.text.len()).expect("new texts are shorter than 4 GiB");
        let by = u32::from(by);
        for place in &mut part.places {
            place.start += by;
            place.end += by;
            place.from += from;
        }
        if self.places.is_empty() {
            // In the memory that they have: the part may be all there is.
            *self = part;
            return;
        }
        self.text.push_str(&part.text);
        self.places.append(&mut part.places);
    }

    /// Sorts the edits; edits that are the same are one, but insertions stay as many as they are, in their order. None
    /// if two touch the same text.
    pub fn sorted(mut self) -> Option<PackedEdits> {
        let is_sorted = self.places.is_sorted_by_key(|it| (it.start, it.end));
        if !is_sorted {
            // New texts lie in the order of adding, so this is the order of a stable sort, without its memory.
            self.places.sort_unstable();
        }
        let text = &self.text;
        let new = |it: &Place| &text[it.from as usize..(it.from + it.len) as usize];
        self.places.dedup_by(|a, b| {
            a.start != a.end && (a.start, a.end) == (b.start, b.end) && new(a) == new(b)
        });
        let overlaps = self.places.windows(2).any(|pair| pair[0].end > pair[1].start);
        (!overlaps).then_some(self)
    }

    /// The edits, as they were added or sorted.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (TextRange, &str)> + Clone {
        self.places.iter().map(|it| {
            let range = TextRange::new(it.start.into(), it.end.into());
            (range, &self.text[it.from as usize..(it.from + it.len) as usize])
        })
    }

    /// Returns the number of entries.
    pub fn len(&self) -> usize {
        self.places.len()
    }

    /// Returns true if there are no errors.
    pub fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    /// The same edits one by one, if no two touch the same text.
    pub fn unpack(self) -> Option<TextEdit> {
        let sorted = self.sorted()?;
        let edits = sorted.iter().map(|(range, text)| Edit::replace(range, text)).collect();
        TextEdit::from_edits(edits).ok()
    }
}

impl From<&TextEdit> for PackedEdits {
    fn from(edits: &TextEdit) -> PackedEdits {
        let mut res = PackedEdits::new();
        for edit in edits.edits() {
            res.push(edit.range, &edit.text);
        }
        res
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn range(start: u32, end: u32) -> TextRange {
        TextRange::new(start.into(), end.into())
    }

    #[test]
    fn packed_edits_are_the_edits_that_were_added() {
        let mut first = PackedEdits::new();
        first.push(range(4, 5), "Y");
        first.push(range(4, 5), "Y");
        first.push(range(2, 2), "1");
        first.push(range(0, 2), "");
        first.push(range(2, 2), "1");
        first.push(range(2, 2), "2");
        let mut all = PackedEdits::new();
        all.append(first.clone(), 0.into());
        all.append(first, 6.into());
        assert_eq!(all.len(), 12);
        let edits = all.unpack().unwrap();
        assert_eq!(edits.apply("abcdefabcdefg"), "112cdYf112cdYfg");
        let again = PackedEdits::from(&edits);
        assert_eq!(again.unpack().unwrap(), edits);
    }

    #[test]
    fn edits_of_the_same_text_are_refused() {
        let mut edits = PackedEdits::new();
        edits.push(range(3, 6), "x");
        edits.push(range(1, 4), "y");
        assert!(edits.sorted().is_none());
    }
}
