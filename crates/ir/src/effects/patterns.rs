//! Patterns: names with one `*`, each with its row.
//!
//! In: patterns in order. Out: for a name the pattern that applies. One binary search, and the patterns whose prefixes
//! are prefixes of each other.

use std::borrow::Cow;

/// The number of a row.
pub(super) type RowIndex = u32;

/// A pattern among others, in the order of their prefixes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Pattern {
    /// The pattern as written (normal form for TIR).
    pub(super) text: Cow<'static, str>,
    /// Length of the text before the `*`, without the dot of a trailing `.*`.
    pub(super) prefix_len: u32,
    /// A trailing `.*`: the rest is empty or starts with a dot.
    pub(super) dotted: bool,
    pub(super) row: RowIndex,
    /// The nearest pattern before this one whose prefix is a prefix of this one's.
    pub(super) shorter: Option<u32>,
}

impl Pattern {
    pub(super) fn new(text: &str, row: RowIndex) -> Pattern {
        let star = text.find('*').expect("a pattern has a star");
        let dotted = text.ends_with(".*");
        let prefix_len = (star - usize::from(dotted)) as u32;
        Pattern { text: Cow::Owned(text.to_owned()), prefix_len, dotted, row, shorter: None }
    }

    fn prefix(&self) -> &str {
        &self.text[..self.prefix_len as usize]
    }

    fn matches(&self, name: &str) -> bool {
        let Some(rest) = name.strip_prefix(self.prefix()) else { return false };
        if self.dotted {
            return rest.is_empty() || rest.starts_with('.');
        }
        let suffix = self.text.rsplit('*').next().unwrap_or_default();
        rest.ends_with(suffix)
    }

    /// The order among patterns that match one name: more literal characters win, then the later in the order of
    /// patterns.
    pub(super) fn rank(&self) -> impl Ord + '_ {
        (self.text.len(), self.prefix(), &*self.text)
    }
}

/// Brings patterns into their order.
pub(super) fn link(patterns: &mut [Pattern]) {
    patterns.sort_by(|a, b| a.prefix().cmp(b.prefix()).then_with(|| a.text.cmp(&b.text)));
    let mut open: Vec<u32> = Vec::new();
    for i in 0..patterns.len() {
        let (before, rest) = patterns.split_at_mut(i);
        let pattern = &mut rest[0];
        while open
            .last()
            .is_some_and(|&it| !pattern.prefix().starts_with(before[it as usize].prefix()))
        {
            open.pop();
        }
        pattern.shorter = open.last().copied();
        open.push(i as u32);
    }
}

/// The pattern that applies to a name.
pub(super) fn find<'p>(patterns: &'p [Pattern], name: &str) -> Option<&'p Pattern> {
    // Every prefix of `name` sorts before it, and is on the chain of the last pattern that does.
    let end = patterns.partition_point(|it| it.prefix() <= name);
    let mut next = end.checked_sub(1);
    let mut best: Option<&Pattern> = None;
    while let Some(i) = next {
        let it = &patterns[i];
        if it.matches(name) && best.is_none_or(|best| best.text.len() < it.text.len()) {
            best = Some(it);
        }
        next = it.shorter.map(|it| it as usize);
    }
    best
}
