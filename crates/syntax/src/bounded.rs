//! A bounded list of errors in a part of a text, while they are found: a text that is wrong everywhere has no more of
//! them than a person reads. The first [`MAX_LISTED`] are kept; one more gives the number of the others, at the place
//! of the first of them.

use rowan::{TextRange, TextSize};
use rules::{Rule, Severity};

/// The limit on kept ones of one part.
pub const MAX_LISTED: usize = 1000;

/// The rule of what stands for those that are not kept.
pub const MORE_DIAGNOSTICS: Rule = Rule::reported(
    "more-diagnostics",
    Severity::Error,
    "more diagnostics than are listed",
    "Of one function, program or frame, the first 1000 syntax errors and the first 1000 other diagnostics are listed. \
     This one says how many more there are, and stands where the first of them is. It is as severe as the worst of \
     them.\n",
);

/// A message about a place.
pub trait Listed: Sized {
    /// Returns the place.
    fn range(&self) -> TextRange;
    /// Returns an error that stands for `self` and those that were found after it.
    #[must_use]
    fn standing_for_all(self, message: String) -> Self;
    /// Takes over the relevant properties of another one that is not kept, such as its severity.
    fn absorb(&mut self, _other: &Self) {}
    /// The sort key: the start, unless something else matters more.
    fn order(&self) -> (TextSize, TextSize) {
        (self.range().start(), TextSize::new(0))
    }
}

/// The list.
#[derive(Debug)]
pub struct Bounded<T> {
    kept: Vec<T>,
    /// The first that is not kept, and how many are not.
    more: Option<(T, usize)>,
}

impl<T> Default for Bounded<T> {
    fn default() -> Bounded<T> {
        Bounded { kept: Vec::new(), more: None }
    }
}

impl<T: Listed> Bounded<T> {
    /// Adds one.
    pub fn push(&mut self, item: T) {
        if self.kept.len() < MAX_LISTED {
            self.kept.push(item);
            return;
        }
        match &mut self.more {
            Some((first, n)) => {
                *n += 1;
                first.absorb(&item);
            }
            None => self.more = Some((item, 1)),
        }
    }

    /// The number of all that were found.
    pub fn len(&self) -> usize {
        self.kept.len() + self.more.as_ref().map_or(0, |it| it.1)
    }
    /// Returns true if there are no errors.
    pub fn is_empty(&self) -> bool {
        self.kept.is_empty()
    }

    /// Returns the place where those are that are kept.
    pub fn ranges(&self) -> impl Iterator<Item = TextRange> {
        self.kept.iter().map(Listed::range)
    }

    /// All kept ones, in the order of the text: an unclosed bracket is reported at its start, and found at its end.
    pub fn into_sorted(self) -> Vec<T> {
        let mut res = self.kept;
        res.extend(self.more.map(|(first, n)| first.standing_for_all(message(n))));
        res.sort_by_key(Listed::order);
        // They stay as long as the text, and grew by doubling.
        res.shrink_to_fit();
        res
    }
}

impl<T: Listed> Extend<T> for Bounded<T> {
    fn extend<I: IntoIterator<Item = T>>(&mut self, items: I) {
        items.into_iter().for_each(|it| self.push(it));
    }
}

fn message(n: usize) -> String {
    match n {
        1 => format!("1 more diagnostic is not listed: of one part the first {MAX_LISTED} are"),
        _ => format!("{n} more diagnostics are not listed: of one part the first {MAX_LISTED} are"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, PartialEq)]
    struct Reported {
        range: TextRange,
        badness: u32,
        message: String,
    }

    impl Listed for Reported {
        fn range(&self) -> TextRange {
            self.range
        }
        fn standing_for_all(self, message: String) -> Reported {
            Reported { message, ..self }
        }
        fn absorb(&mut self, other: &Reported) {
            self.badness = self.badness.max(other.badness);
        }
    }

    fn said(at: u32, badness: u32) -> Reported {
        Reported { range: TextRange::empty(at.into()), badness, message: String::new() }
    }

    #[test]
    fn those_that_are_not_kept_are_counted_and_their_worst_stays() {
        let mut list = Bounded::default();
        list.extend((0..MAX_LISTED).map(|_| said(7, 0)));
        list.extend([said(3, 0), said(1, 2), said(5, 1)]);
        let all = list.into_sorted();
        assert_eq!(all.len(), MAX_LISTED + 1);
        let message = "3 more diagnostics are not listed: of one part the first 1000 are";
        let more =
            Reported { range: TextRange::empty(3.into()), badness: 2, message: message.to_owned() };
        assert_eq!(all[0], more);
    }

    #[test]
    fn as_many_as_are_kept_need_no_more_words() {
        let mut list = Bounded::default();
        list.extend((0..MAX_LISTED).map(|_| said(0, 0)));
        assert!(list.into_sorted().iter().all(|it| it.message.is_empty()));
    }
}
