//! Names of values that a text does not have.
//!
//! In: a text. Out: new names, each like one that is there. A name of MLIR is digits, or begins with a letter and has
//! no sigil but its first: `%0` gets another number, `%x` a number behind it. Linear in the text, and a name for each
//! that is asked for.

use rustc_hash::{FxHashMap, FxHashSet};

/// The names that a text has, and those that were given.
pub(super) struct FreshNames<'t> {
    /// With their sigils.
    taken: FxHashSet<&'t str>,
    given: FxHashSet<String>,
    /// The number to try next, by the prefix.
    next: FxHashMap<String, u64>,
}

impl<'t> FreshNames<'t> {
    /// All words of a text behind a `%`, whatever they stand for: comments and strings too.
    pub(super) fn of(text: &'t str) -> FreshNames<'t> {
        let mut taken = FxHashSet::default();
        let mut next = 0;
        for (at, _) in text.match_indices('%') {
            let rest = &text[at + 1..];
            let is_end = |it: char| !(it.is_alphanumeric() || matches!(it, '$' | '.' | '_' | '-'));
            let name = &rest[..rest.find(is_end).unwrap_or(rest.len())];
            taken.insert(name);
            // `%0-` and the like are a number and something else.
            let digits = &name[..name.bytes().take_while(u8::is_ascii_digit).count()];
            if let Ok(number) = digits.parse::<u64>() {
                taken.insert(digits);
                next = u64::max(next, number.saturating_add(1));
            }
        }
        let numbers = FxHashMap::from_iter([(String::new(), next)]);
        FreshNames { taken, given: FxHashSet::default(), next: numbers }
    }

    /// A name like this one, with its sigil.
    pub(super) fn like(&mut self, name: &str) -> String {
        let word = name.strip_prefix('%').unwrap_or(name);
        let is_number = word.bytes().all(|it| it.is_ascii_digit());
        let base = if is_number { String::new() } else { format!("{word}_") };
        let next = self.next.entry(base.clone()).or_default();
        loop {
            let fresh = format!("{base}{next}");
            // The numbers of a text may go to the end of all numbers: others are free.
            *next = next.wrapping_add(1);
            if !self.taken.contains(&*fresh) && self.given.insert(fresh.clone()) {
                return format!("%{fresh}");
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fresh_name_is_valid_and_unused() {
        let text = "%0, %7:2 = x(%x, %x_0, %y-1, %18446744073709551615) // %x_1 and \"%9\"";
        let mut fresh = FreshNames::of(text);
        let names: Vec<String> =
            ["%x", "%x", "%0", "%y", "%3", "%x_0"].iter().map(|it| fresh.like(it)).collect();
        let unique: FxHashSet<&str> = names.iter().map(|it| &**it).collect();
        assert_eq!(unique.len(), names.len());
        for name in &names {
            let word = name.strip_prefix('%').unwrap();
            let is_number = word.bytes().all(|it| it.is_ascii_digit());
            assert!(is_number || !word.starts_with(|it: char| it.is_ascii_digit()), "{name}");
            assert!(!text.contains(&format!("{name} ")) && !text.contains(&format!("{name},")));
        }
        assert_eq!(&names[..2], ["%x_2", "%x_3"]);
    }
}
