//! Names put back: canonical text with slots → text with the names of the current source.
//!
//! A *slot* is a place for an identifier in canonical text: `$3$` is entity 3 of the function, `$m0$` a name that code
//! generation made, `$E$` the entry symbol. [`join`] gives every slot of a kernel an identifier: as the source writes
//! it where that is legal, with underscores for other characters, and a number where a keyword of the dialect, a name
//! used by generated helpers or an earlier slot stands in the way. Slots are served in order of first occurrence, so
//! the result depends on the text and the names alone.
//!
//! Naming always ends: a language reserves words, which a number avoids, and prefixes of words, which only another
//! prefix avoids ([`Reserved`]). Linear in the names.

use std::fmt::Write as _;

use rustc_hash::{FxHashMap, FxHashSet};

/// The mark around a slot. Generated code has no other use for it.
pub(crate) const MARK: char = '$';

/// Names for the slots of one kernel.
pub struct Names<'a> {
    /// Of entities, by number.
    pub source: &'a [String],
    /// The names that code generation made, by number; may hold slots of entities (`$4_0`).
    pub made: &'a [String],
    /// Entry symbol.
    pub entry: &'a str,
    /// The words that no identifier may be.
    pub reserved: &'a Reserved<'a>,
}

/// The words of a language that our identifiers must avoid.
pub struct Reserved<'a> {
    /// Beginnings of words. None begins with `v`, so that a `v` in front of a name leaves all of them.
    pub prefixes: &'a [&'a str],
    /// Returns true if a word is reserved by itself: a keyword, or a name that the text uses. With a number behind it,
    /// it is another word.
    pub is_word: Box<dyn Fn(&str) -> bool + 'a>,
}

impl Reserved<'_> {
    fn has_prefix(&self, name: &str) -> bool {
        self.prefixes.iter().any(|it| name.starts_with(it))
    }
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
            _ => self.free.give(wanted(slot, self.names), self.names.reserved),
        };
        out.push_str(&name);
        self.given.insert(slot, name);
    }
}

/// Gives unused names.
#[derive(Default)]
pub(crate) struct FreeNames {
    taken: FxHashSet<String>,
    /// By wanted name, the number that was given last: those before it stay taken, and are not tried again.
    numbers: FxHashMap<String, u32>,
}

/// The limit on numbers of a name that are reserved words; languages have families of words of a few (`float2`,
/// `float16`).
const MAX_RESERVED: u32 = 64;

impl FreeNames {
    /// The name, with another prefix and a number where it is reserved, or with a number if it is taken.
    pub(crate) fn give(&mut self, mut wanted: String, reserved: &Reserved<'_>) -> String {
        if reserved.has_prefix(&wanted) {
            wanted.insert_str(0, if wanted.starts_with('_') { "v" } else { "v_" });
        }
        match (reserved.is_word)(&wanted) {
            true => self.numbered(wanted, &reserved.is_word),
            false => self.give_unreserved(wanted, &reserved.is_word),
        }
    }

    /// The name, with a number if it is taken.
    pub(crate) fn give_any(&mut self, wanted: String) -> String {
        self.give_unreserved(wanted, &|_| false)
    }

    fn give_unreserved(&mut self, wanted: String, is_word: &dyn Fn(&str) -> bool) -> String {
        if self.taken.insert(wanted.clone()) {
            return wanted;
        }
        self.numbered(wanted, is_word)
    }

    /// The name with the next number that makes it free. Every number that is passed over is a name that was given, or
    /// one of [`MAX_RESERVED`] words.
    fn numbered(&mut self, wanted: String, is_word: &dyn Fn(&str) -> bool) -> String {
        let len = wanted.len();
        let mut name = wanted.clone();
        let number = self.numbers.entry(wanted).or_default();
        let mut n_reserved = 0;
        loop {
            *number += 1;
            name.truncate(len);
            let _ = write!(name, "_{number}");
            let is_reserved = n_reserved < MAX_RESERVED && is_word(&name);
            n_reserved += u32::from(is_reserved);
            if !is_reserved && self.taken.insert(name.clone()) {
                return name;
            }
        }
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
    use crate::{Target, backend::Backend};

    #[test]
    fn numbers_of_one_name_leave_out_what_others_took() {
        let source: Vec<String> = ["x", "x_2", "x", "x", "x", "x_1"].map(str::to_owned).to_vec();
        let reserved = Reserved { prefixes: &[], is_word: Box::new(|it| it == "x_4") };
        let names = Names { source: &source, made: &[], entry: "x_3", reserved: &reserved };
        assert_eq!(join("$0$ $1$ $2$ $3$ $4$ $5$ $3$", &names), "x x_2 x_1 x_5 x_6 x_1_1 x_5");
    }

    #[test]
    fn names_are_legal_unique_and_close_to_the_source() {
        let source: Vec<String> =
            ["x", "int", "x", "größe", "1st", "__x"].map(str::to_owned).to_vec();
        let made = vec!["red".to_owned(), "$0_1".to_owned()];
        let reserved = Reserved { prefixes: &["hip"], is_word: Box::new(|it| it == "int") };
        let names = Names { source: &source, made: &made, entry: "f_kernel", reserved: &reserved };
        assert_eq!(
            join("$E$($0$, $1$, $2$, $3$, $4$, $5$) $m0$ $m1$ $0$", &names),
            "f_kernel(x, int_1, x_1, gr__e, v1st, v__x) red x_1_1 x"
        );
    }

    /// Names that languages, writers and people have for something else.
    fn hostile(target: Target) -> Vec<String> {
        let fixed = [
            "",
            "_",
            "__",
            "___",
            "_0",
            "__x",
            "_X",
            "0",
            "1st",
            "v",
            "v_",
            "v_1",
            "v1st",
            "x",
            "x_",
            "x_1",
            "x__1",
            "größe",
            "gr__e",
            "变量",
            "é",
            "\u{301}",
            "🦀",
            "a b",
            "$",
            "$1$",
            "\0",
            "\n",
            "E",
            "m0",
            "tmp",
            "naga",
            "nagax",
            "naga_mod",
            "metal",
            "metal_stdlib",
            "hip",
            "hipLaunch",
            "tir_",
            "tir_end",
            "TIR_",
            "TIRe3z",
            "cl_",
            "cl_int",
            "convert_int",
            "PTRDIFF_",
            "PTRDIFF_MIN",
            "SIZE_",
            "FP_",
            "FP_ZERO",
            "MATH_",
            "WINT_",
            "int8_t",
            "int_x_t",
            "INT",
            "INT8_C",
            "uint64_t",
            "float",
            "float2",
            "float16",
            "half",
            "half4",
            "expf",
            "exp",
            "main",
            "if",
            "while",
            "class",
            "template",
            "struct",
            "f_kernel",
            "f_kernel_1",
            "threadIdx",
            "gl_GlobalInvocationID",
            "kernel",
            "device",
            "constant",
            "workgroup",
        ];
        let mut all: Vec<String> = fixed.map(str::to_owned).to_vec();
        let words = match target.backend(&crate::Options::default()) {
            Backend::C(dialect) => dialect.reserved_words(),
            Backend::Naga(_) => ::naga::keywords::wgsl::RESERVED,
        };
        for word in words {
            all.extend([(*word).to_owned(), format!("{word}_1"), format!("{word}x")]);
        }
        for prefix in target.reserved("").prefixes {
            all.extend(["", "0", "_", "x", "_1"].map(|rest| format!("{prefix}{rest}")));
        }
        let again = all.clone();
        all.extend(again);
        all
    }

    #[test]
    fn every_name_becomes_legal_unique_and_the_same_each_time_for_every_target() {
        for target in Target::ALL {
            let source = hostile(target);
            let text: String = (0..source.len()).map(|it| format!("${it}$\n")).collect();
            let reserved = target.reserved("used _used $E$");
            assert!(reserved.prefixes.iter().all(|it| !it.is_empty() && !it.starts_with('v')));
            let names =
                Names { source: &source, made: &[], entry: "f_kernel", reserved: &reserved };
            let given = join(&text, &names);
            assert_eq!(given, join(&text, &names), "{target:?}");
            let mut seen = FxHashSet::default();
            assert_eq!(given.lines().count(), source.len());
            for (name, wanted) in given.lines().zip(&source) {
                let mut bytes = name.bytes();
                let first = bytes.next().expect("a name");
                let is_legal = (first.is_ascii_alphabetic() || first == b'_')
                    && bytes.all(|it| it.is_ascii_alphanumeric() || it == b'_');
                assert!(is_legal, "{target:?}: {wanted:?} is {name:?}");
                assert!(!reserved.has_prefix(name), "{target:?}: {wanted:?} is {name:?}");
                assert!(!(reserved.is_word)(name), "{target:?}: {wanted:?} is {name:?}");
                assert!(name != "f_kernel" && seen.insert(name), "{target:?}: {name} twice");
            }
        }
    }

    #[test]
    fn a_hundred_thousand_equal_names_take_as_many_numbers() {
        let asked = std::cell::Cell::new(0usize);
        let is_word = |_: &str| {
            asked.set(asked.get() + 1);
            false
        };
        let reserved = Reserved { prefixes: &["_"], is_word: Box::new(is_word) };
        let n = 100_000;
        let source: Vec<String> = (0..n).map(|_| "_".to_owned()).collect();
        let text: String = (0..n).map(|it| format!("${it}$ ")).collect();
        let names = Names { source: &source, made: &[], entry: "f", reserved: &reserved };
        let given = join(&text, &names);
        assert!(given.ends_with(" v__99999 "));
        assert!(asked.get() <= 2 * n, "{}", asked.get());
    }

    #[test]
    fn a_language_that_reserved_everything_would_still_get_names() {
        let reserved = Reserved { prefixes: &[], is_word: Box::new(|_| true) };
        let mut free = FreeNames::default();
        let given = [(), ()].map(|()| free.give("x".to_owned(), &reserved));
        assert_ne!(given[0], given[1]);
    }
}
