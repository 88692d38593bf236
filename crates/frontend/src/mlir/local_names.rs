//! Numbers for the names of values and blocks, for bodies that do not keep the names.
//!
//! In: names as they stand in the text. Out: numbers in the order of first occurrence, equal for equal names. No text
//! is copied, and printers and people number values and blocks: `%0`, `%arg1`, `^bb1` … are found by their prefix and
//! number, without hashing all over memory. A function of a million operations so has four bytes a name, for as long as
//! it is read. O(length) a name.

use ir::{NameId, arena::Id};
use rustc_hash::FxHashMap;

/// No name has this number.
const NONE: u32 = u32::MAX;

/// Digits of a number that is looked up in a table.
const MOST_DIGITS: usize = 9;

/// Families whose tables may begin with a gap.
const MOST_WITH_GAP: usize = 64;

/// The names of a unit.
#[derive(Default)]
pub(super) struct LocalNames<'t> {
    families: Vec<Family<'t>>,
    /// Places in the list of families, by prefix.
    by_prefix: FxHashMap<&'t str, u32>,
    /// The family of the last name.
    last: usize,
    others: FxHashMap<&'t str, u32>,
    n_names: u32,
}

/// Names that are one prefix and a number: `%0`, `%1`; `%arg0`, `%arg1`; `^bb1`.
struct Family<'t> {
    prefix: &'t str,
    /// By the number in the name.
    numbers: Vec<u32>,
    n_names: usize,
    /// The number of those among the others whose numbers are too large for a table.
    n_large: usize,
}

impl<'t> LocalNames<'t> {
    /// The number of a name, as the id of a table of its own.
    pub(super) fn number(&mut self, name: &'t str) -> NameId {
        let next = self.n_names;
        let found = match self.family(name) {
            Some((family, number)) => {
                let names = &mut self.families[family];
                let gap = if family < MOST_WITH_GAP { 1024 } else { 8 };
                match names.numbers.get(number) {
                    Some(&found) if found != NONE => found,
                    _ if names.n_large > 0 && self.others.contains_key(name) => self.others[name],
                    // A few large numbers must not make a large table.
                    _ if number <= 2 * names.n_names + gap => {
                        if names.numbers.len() <= number {
                            names.numbers.resize(number + 1, NONE);
                        }
                        names.n_names += 1;
                        names.numbers[number] = next;
                        next
                    }
                    _ => {
                        names.n_large += 1;
                        *self.others.entry(name).or_insert(next)
                    }
                }
            }
            None => *self.others.entry(name).or_insert(next),
        };
        self.n_names += u32::from(found == next);
        NameId::new(found as usize)
    }

    /// The family of a name, and its number there; none if it ends with no number, or with one that is written in
    /// another way than numbers are.
    fn family(&mut self, name: &'t str) -> Option<(usize, usize)> {
        let bytes = name.as_bytes();
        let n_digits = bytes.iter().rev().take_while(|it| it.is_ascii_digit()).count();
        let (prefix, digits) = name.split_at(bytes.len() - n_digits);
        if n_digits == 0 || n_digits > MOST_DIGITS || (n_digits > 1 && digits.starts_with('0')) {
            return None;
        }
        let number =
            digits.bytes().fold(0, |number, digit| number * 10 + usize::from(digit - b'0'));
        if self.families.get(self.last).is_none_or(|it| it.prefix != prefix) {
            let next = self.families.len();
            self.last = *self.by_prefix.entry(prefix).or_insert(next as u32) as usize;
            if self.last == next {
                self.families.push(Family { prefix, numbers: Vec::new(), n_names: 0, n_large: 0 });
            }
        }
        Some((self.last, number))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_names_have_one_number() {
        let number = |it: usize| it * 7919 % 9973 % 4000;
        let texts: Vec<String> = (0..5000)
            .chain([1 << 20, 99_999_999])
            .flat_map(|it| {
                let n = number(it);
                [
                    format!("%{n}"),
                    format!("^bb{n}"),
                    format!("%0{n}"),
                    format!("%v{n}"),
                    format!("%v{n}_{}", n % 3),
                    format!("%v_{n}#1"),
                    n.to_string(),
                ]
            })
            .collect();
        let mut seen: Vec<&str> = Vec::new();
        let mut ids: FxHashMap<&str, usize> = FxHashMap::default();
        let mut names = LocalNames::default();
        for text in texts.iter().chain(texts.iter().rev()) {
            let expected = *ids.entry(text).or_insert_with(|| {
                seen.push(text);
                seen.len() - 1
            });
            assert_eq!(names.number(text).index(), expected, "{text}");
        }
        let room: usize = names.families.iter().map(|it| it.numbers.len()).sum();
        assert!(room < 4 * texts.len());
    }
}
