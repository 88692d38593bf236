//! Numbers for the names of values and blocks, where the body is not to have the names.
//!
//! In: names as they stand in the text. Out: numbers in the order of first occurrence, equal for equal names. No text is copied, and printers number
//! values and blocks: `%0`, `^bb1` … are found by their number, without hashing and all over memory. A function of a million operations
//! so has four bytes a name, for as long as it is read. O(length) a name.

use ir::{NameId, arena::Id, number_of_name};
use rustc_hash::FxHashMap;

/// No name has this number.
const NONE: u32 = u32::MAX;

/// The names of a unit.
#[derive(Default)]
pub(super) struct LocalNames<'t> {
    values: Numbered,
    blocks: Numbered,
    others: FxHashMap<&'t str, u32>,
    n_names: u32,
}

/// Names that are a prefix and a number.
#[derive(Default)]
struct Numbered {
    /// By the number in the name.
    numbers: Vec<u32>,
    n_names: usize,
    /// How many are among the others, as their numbers are too large for a table.
    n_large: usize,
}

impl<'t> LocalNames<'t> {
    /// The number of a name, as the id of a table of its own.
    pub(super) fn number(&mut self, name: &'t str) -> NameId {
        let written = number_of_name(name, "%").map(|it| (it, &mut self.values));
        let written =
            written.or_else(|| number_of_name(name, "^bb").map(|it| (it, &mut self.blocks)));
        let next = self.n_names;
        let found = match written {
            Some((number, names)) => match names.numbers.get(number) {
                Some(&found) if found != NONE => found,
                _ if names.n_large > 0 && self.others.contains_key(name) => self.others[name],
                // A few large numbers must not make a large table.
                _ if number <= 2 * names.n_names + 1024 => {
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
            },
            None => *self.others.entry(name).or_insert(next),
        };
        self.n_names += u32::from(found == next);
        NameId::new(found as usize)
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
        assert!(names.values.numbers.len() < 10_000 && names.blocks.numbers.len() < 10_000);
    }
}
