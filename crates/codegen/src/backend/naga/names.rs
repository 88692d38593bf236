//! Names in naga's text: words that naga takes as they are, and slots again after it has written them.
//!
//! naga's namer changes identifiers that are keywords, end in digits or occur twice. A *placeholder* is none of that:
//! `TIRe3z` for entity 3 of the function, `TIRm0z` for a name that code generation made, `TIREz` for the entry symbol;
//! each is given once. [`slots`] turns placeholders into the slots of [`crate::artifact::names`].

use rustc_hash::FxHashSet;

use crate::artifact::names::MARK;

/// The placeholder of the entry symbol.
pub(super) const ENTRY: &str = "TIREz";
const OPEN: &str = "TIR";
const CLOSE: char = 'z';

/// Placeholders of one kernel.
#[derive(Default)]
pub(super) struct Placeholders {
    made: Vec<String>,
    given: FxHashSet<u32>,
}

impl Placeholders {
    /// A placeholder for an entity by its name in the body: the entity's own, if its name is a number of the canonical
    /// form and it was not asked for before; else one that code generation makes.
    pub(super) fn entity(&mut self, name: &str) -> String {
        match name.strip_prefix(MARK).and_then(|it| it.parse::<u32>().ok()) {
            Some(number) if self.given.insert(number) => format!("{OPEN}e{number}{CLOSE}"),
            _ => self.made(name.to_owned()),
        }
    }
    /// A placeholder for a name that code generation makes; `wanted` may begin with that of an entity.
    pub(super) fn made(&mut self, wanted: String) -> String {
        self.made.push(wanted);
        format!("{OPEN}m{}{CLOSE}", self.made.len() - 1)
    }
    /// The wanted names, by number.
    pub(super) fn into_made(self) -> Vec<String> {
        self.made
    }
}

/// The text with slots for placeholders.
pub(super) fn slots(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(OPEN) {
        let (before, from) = rest.split_at(at);
        out.push_str(before);
        let inner = &from[OPEN.len()..];
        let end = inner.find(CLOSE).filter(|&end| is_slot(&inner[..end]));
        match end {
            Some(end) => {
                let slot = inner[..end].strip_prefix('e').unwrap_or(&inner[..end]);
                out.push(MARK);
                out.push_str(slot);
                out.push(MARK);
                rest = &inner[end + CLOSE.len_utf8()..];
            }
            None => {
                out.push_str(OPEN);
                rest = inner;
            }
        }
    }
    out.push_str(rest);
    out
}

fn is_slot(text: &str) -> bool {
    let number = |it: &str| !it.is_empty() && it.bytes().all(|it| it.is_ascii_digit());
    text == "E" || text.strip_prefix(['e', 'm']).is_some_and(number)
}

/// The identifiers of a text, outside its slots: no name may be one of them.
pub(crate) fn words(text: &str) -> FxHashSet<&str> {
    let outside = text.split(MARK).step_by(2);
    let is_part = |it: char| it.is_ascii_alphanumeric() || it == '_';
    outside
        .flat_map(move |it| it.split(move |it| !is_part(it)))
        .filter(|it| !it.is_empty())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn placeholders_are_given_once_and_become_slots() {
        let mut names = Placeholders::default();
        let text = [names.entity("$3"), names.entity("$3"), names.made("$3_next".to_owned())];
        assert_eq!(text, ["TIRe3z", "TIRm0z", "TIRm1z"]);
        assert_eq!(names.into_made(), ["$3", "$3_next"]);
        assert_eq!(
            slots("fn TIREz(TIRe3z: u32) { TIRm0z + TIRx; TIRe3z_1 }"),
            "fn $E$($3$: u32) { $m0$ + TIRx; $3$_1 }"
        );
        let words = words("fn $E$(a_1: $2$)");
        assert!(words.contains("fn") && words.contains("a_1") && words.len() == 2);
    }
}
