//! Names put back: canonical text with slots → text with the names of the current source.
//!
//! A *slot* is a place for an identifier in canonical text: `$3$` is entity 3 of the function, `$m0$` a name that code
//! generation made, `$E$` the entry symbol. [`join`] gives every slot of a kernel an identifier: as the source writes
//! it where that is legal, with underscores for other characters, and a number where a keyword of the dialect, a name
//! used by generated helpers or an earlier slot stands in the way. Slots are served in order of first occurrence, so
//! the result depends on the text and the names alone.

use std::fmt::Write as _;

use rustc_hash::{FxHashMap, FxHashSet};

/// The mark around a slot. Generated code has no other use for it.
pub(crate) const MARK: char = '$';

/// Names for the slots of one kernel.
pub struct Names<'a> {
    /// Of entities, by number.
    pub source: &'a [String],
    /// That code generation made, by number; may hold slots of entities (`$4_0`).
    pub made: &'a [String],
    /// Entry symbol.
    pub entry: &'a str,
    /// Words that no identifier may be.
    pub is_reserved: &'a dyn Fn(&str) -> bool,
}

/// Canonical text with its slots filled. Linear in the text.
pub fn join(text: &str, names: &Names<'_>) -> String {
    let mut joiner = Joiner::new(names);
    let mut out = String::with_capacity(text.len());
    for (index, part) in text.split(MARK).enumerate() {
        if index % 2 == 0 {
            out.push_str(part);
        } else {
            joiner.put(part, &mut out);
        }
    }
    out
}

/// Gives identifiers to slots, each once.
struct Joiner<'a> {
    names: &'a Names<'a>,
    given: FxHashMap<&'a str, String>,
    free: FreeNames,
}

impl<'a> Joiner<'a> {
    fn new(names: &'a Names<'a>) -> Joiner<'a> {
        let mut free = FreeNames::default();
        free.taken.insert(names.entry.to_owned());
        Joiner { names, given: FxHashMap::default(), free }
    }

    fn put(&mut self, slot: &'a str, out: &mut String) {
        if let Some(name) = self.given.get(slot) {
            return out.push_str(name);
        }
        let name = match slot {
            "E" => self.names.entry.to_owned(),
            _ => self.free.give(wanted(slot, self.names), self.names.is_reserved),
        };
        out.push_str(&name);
        self.given.insert(slot, name);
    }
}

/// Gives names that nobody has yet.
#[derive(Default)]
pub(crate) struct FreeNames {
    taken: FxHashSet<String>,
    /// By wanted name, the number that was given last: those before it stay taken, so nobody asks for them again.
    numbers: FxHashMap<String, u32>,
}

impl FreeNames {
    /// The name, with a number if somebody has it or it is reserved.
    pub(crate) fn give(&mut self, wanted: String, is_reserved: impl Fn(&str) -> bool) -> String {
        let is_free = |name: &str| !self.taken.contains(name) && !is_reserved(name);
        let mut name = wanted.clone();
        if !is_free(&name) {
            let len = wanted.len();
            let number = self.numbers.entry(wanted).or_default();
            while !is_free(&name) {
                *number += 1;
                name.truncate(len);
                let _ = write!(name, "_{number}");
            }
        }
        self.taken.insert(name.clone());
        name
    }
}

/// The name a slot would have if nothing stood in the way.
fn wanted(slot: &str, names: &Names<'_>) -> String {
    let text = match slot.strip_prefix('m').map(str::parse::<usize>) {
        Some(Ok(made)) => names.made.get(made).map_or("tmp", String::as_str),
        _ => return identifier(entity_name(slot, names.source)),
    };
    // A made name may extend that of an entity: `$4_0`.
    match text.strip_prefix(MARK) {
        Some(rest) => {
            let digits = rest.find(|it: char| !it.is_ascii_digit()).unwrap_or(rest.len());
            identifier(&format!(
                "{}{}",
                entity_name(&rest[..digits], names.source),
                &rest[digits..]
            ))
        }
        None => identifier(text),
    }
}

fn entity_name<'a>(number: &str, source: &'a [String]) -> &'a str {
    number.parse::<usize>().ok().and_then(|it| source.get(it)).map_or("v", String::as_str)
}

/// `text` as an identifier of C.
pub(crate) fn identifier(text: &str) -> String {
    let mut out: String =
        text.chars().map(|it| if it.is_ascii_alphanumeric() { it } else { '_' }).collect();
    if out.chars().next().is_none_or(|it| it.is_ascii_digit()) {
        out.insert(0, 'v');
    }
    // Names that begin with two underscores, or one and a capital, belong to the compiler.
    let mut chars = out.chars();
    if chars.next() == Some('_')
        && chars.next().is_some_and(|it| it == '_' || it.is_ascii_uppercase())
    {
        out.insert(0, 'v');
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_one_name_leave_out_what_others_took() {
        let source: Vec<String> = ["x", "x_2", "x", "x", "x", "x_1"].map(str::to_owned).to_vec();
        let is_reserved = |it: &str| it == "x_4";
        let names = Names { source: &source, made: &[], entry: "x_3", is_reserved: &is_reserved };
        assert_eq!(join("$0$ $1$ $2$ $3$ $4$ $5$ $3$", &names), "x x_2 x_1 x_5 x_6 x_1_1 x_5");
    }

    #[test]
    fn names_are_legal_unique_and_close_to_the_source() {
        let source: Vec<String> =
            ["x", "int", "x", "größe", "1st", "__x"].map(str::to_owned).to_vec();
        let made = vec!["red".to_owned(), "$0_1".to_owned()];
        let names = Names {
            source: &source,
            made: &made,
            entry: "f_kernel",
            is_reserved: &|it| it == "int",
        };
        assert_eq!(
            join("$E$($0$, $1$, $2$, $3$, $4$, $5$) $m0$ $m1$ $0$", &names),
            "f_kernel(x, int_1, x_1, gr__e, v1st, v__x) red x_1_1 x"
        );
    }
}
