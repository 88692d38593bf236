//! The table of assembly forms: the attributes, results, segments and regions of a pretty operation (`forms.txt`, where
//! the notation is explained).
//!
//! Text in, [`Rule`]s out, by the names of operations. Read once, linear; asking is one hash a name, which the reader
//! remembers.

use std::sync::LazyLock;

use rustc_hash::FxHashMap;

use super::{
    affine::Map,
    operation::Entries,
    structured::{self, Word},
};

const TABLE: &str = include_str!("forms.txt");

/// The place where the value of an attribute comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Source {
    /// The word or string with this number that is no word of the shape.
    Word(usize),
    /// This word of the shape, if it is there.
    Mark(&'static str),
    /// The flag `name` or `name<…>`.
    Flag(&'static str),
    /// Any flag that no other source names, by its word: one of an enumeration.
    AnyFlag,
    /// The body `<…>` with this number.
    Params(usize),
    /// The attribute with this number.
    Attr(usize),
    /// The list in brackets or parentheses with this number.
    Index(usize),
    Tuple(usize),
    /// The type with this number.
    Type(usize),
}

/// How the text of a source becomes the text of an attribute.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Convert {
    /// As it is.
    Same,
    /// The number of a word in an enumeration, of a type.
    Number(&'static str, &'static str),
    /// `#d.m<…>` around the words.
    Wrap(&'static str),
    /// A number with this type.
    Typed(&'static str),
    /// A string.
    Quoted,
    /// `array<T: …>` of the items of a list.
    Array(&'static str),
    /// A list of attributes, from a list in brackets.
    List,
    /// The first item of a list, an index.
    First,
    /// The contents of a body `<…>`.
    Inner,
    /// As `Array` of `i64`, a value being the number for "dynamic".
    Static,
    /// This text if the source is there.
    Constant(&'static str),
}

/// The types of the results.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Results {
    /// No rule: the types behind an arrow, else the last types.
    #[default]
    Unknown,
    None,
    /// The last type.
    Last,
    /// The type with this number.
    Type(usize),
    /// All types.
    All,
    /// Those of the function type.
    Function,
    /// Those behind the arrow.
    Arrow,
    /// `i1`, shaped like the last type.
    Bool,
    /// A type by name.
    Named(&'static str),
    /// The elements of the first type.
    Element,
    /// Those behind the arrow, else the type in the body `<…>` of the first type.
    ArrowOrParameter,
    /// The type of an operand.
    Operand(usize),
    /// The type of the attribute.
    OfAttr,
    /// The last type, twice.
    Twice,
    /// `index` for each name.
    IndexEach,
    /// The elements of the type, one result each.
    Elements,
}

/// The size of one segment of operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Segment {
    Fixed(usize),
    /// In the list in brackets or parentheses with this number.
    Index(usize),
    Tuple(usize),
    /// Behind this word, up to the next word of the shape.
    Behind(&'static str),
    /// Before all words, outside of lists.
    Plain,
    /// All that is left.
    Rest,
}

/// The table's row for an operation.
#[derive(Clone, Debug, Default)]
pub(super) struct Rule {
    pub(super) attrs: Vec<(&'static str, Source, Convert)>,
    /// Values that are left out.
    defaults: Vec<(&'static str, &'static str)>,
    pub(super) results: Results,
    pub(super) segments: Vec<Segment>,
    /// The operation that ends a region, if the text does not say it.
    pub(super) terminator: Option<&'static str>,
    /// The number of regions of the generic form.
    pub(super) regions: usize,
    /// True if the last operands belong to the successors in the generic form.
    pub(super) branch: bool,
    /// True if its regions have no order.
    pub(super) graph: bool,
    /// True if the names that it assigns are arguments of each region, of the types behind its colon.
    pub(super) each: bool,
    /// The computation of its region, if that follows from its name and types, so that the pretty form leaves it out.
    pub(super) body: Option<Vec<Word>>,
    /// Keys of lists of strings in the pretty form whose items are attributes in the generic one.
    wrapped: Vec<(&'static str, &'static str)>,
    /// Values that are spelled in another way by some versions: key, spelling, the one that is kept.
    synonyms: Vec<(&'static str, &'static str, &'static str)>,
    /// Units that other versions write as another key with a value.
    renames: Vec<(&'static str, &'static str, &'static str)>,
    /// Keys of lists of integers that are arrays in some versions.
    integers: Vec<&'static str>,
    /// The name of the function for the parts that items cannot express.
    pub(super) special: Option<&'static str>,
    /// True if there is a row.
    pub(super) known: bool,
}

impl Rule {
    /// Returns true if attributes may be made of the names of operands.
    pub(super) fn looks_at_names(&self) -> bool {
        let is_list = |it: &Source| matches!(it, Source::Index(_) | Source::Tuple(_));
        self.special.is_some()
            || self.attrs.iter().any(|it| is_list(&it.1) && it.2 != Convert::Static)
    }

    /// Removes default values.
    pub(super) fn normalize(&self, entries: &mut Entries) {
        if entries.is_empty() {
            return;
        }
        for (key, value) in entries.iter_mut() {
            if let Some((_, to, new)) = self.renames.iter().find(|it| it.0 == key) {
                (*key, *value) = ((*to).to_owned(), (*new).to_owned());
            }
            if let Some((_, _, to)) = self.synonyms.iter().find(|it| it.0 == key && it.1 == value) {
                *value = (*to).to_owned();
            }
            if self.integers.iter().any(|it| it == key) && value.starts_with('[') {
                *value = format!("array<i64: {}>", value[1..value.len() - 1].replace(" : i64", ""));
            }
        }
        for &(key, name) in &self.wrapped {
            for (_, value) in entries.iter_mut().filter(|(it, _)| it == key) {
                *value = wrap_items(value, name);
            }
        }
        if !self.defaults.is_empty() {
            entries.retain(|(key, value)| {
                !self.defaults.iter().any(|(it, text)| it == key && is_default(value, text))
            });
        }
    }
}

/// Returns true if a value is the default that a row names.
fn is_default(value: &str, default: &str) -> bool {
    match default {
        "*" => true,
        "minor-identity" => {
            let body = value.strip_prefix("affine_map<").and_then(|it| it.strip_suffix('>'));
            body.and_then(|it| Map::parse(it, false)).is_some_and(|it| it.is_minor_identity())
        }
        "all-false" => {
            let inside = value.strip_prefix('[').and_then(|it| it.strip_suffix(']'));
            inside.is_some_and(|it| it.split(',').all(|it| matches!(it.trim(), "" | "false")))
        }
        _ => value == default,
    }
}

/// `["a", "b"]` as `[#x<a>, #x<b>]`.
fn wrap_items(value: &str, name: &str) -> String {
    if !value.contains('"') {
        return value.to_owned();
    }
    let items: Vec<_> = super::cursor::items(value)
        .iter()
        .map(|it| format!("{name}<{}>", it.trim_matches('"')))
        .collect();
    format!("[{}]", items.join(", "))
}

struct Forms {
    rules: Vec<Rule>,
    by_name: FxHashMap<String, u32>,
    /// Rules of all operations whose names begin so.
    prefixes: Vec<(String, u32)>,
    enums: FxHashMap<&'static str, Vec<(&'static str, i64)>>,
}

fn forms() -> &'static Forms {
    static FORMS: LazyLock<Forms> =
        LazyLock::new(|| read(TABLE).expect("a test reads the table of the product"));
    &FORMS
}

/// The number of the rule of an operation; 0 where there is none.
pub(super) fn rule_number(op: &str) -> u32 {
    let forms = forms();
    if let Some(&number) = forms.by_name.get(op) {
        return number;
    }
    let found = forms.prefixes.iter().find(|(prefix, _)| op.starts_with(prefix.as_str()));
    found.map_or(0, |it| it.1)
}

/// A rule by its number.
pub(super) fn rule(number: u32) -> &'static Rule {
    &forms().rules[number as usize]
}

/// All operations that have a row by name, sorted, with their rules and the keys that these name.
#[cfg(test)]
pub(super) fn all() -> Vec<(&'static str, std::collections::BTreeSet<&'static str>)> {
    let forms = forms();
    let mut all: Vec<_> = forms
        .by_name
        .iter()
        .map(|(name, number)| {
            let rule = &forms.rules[*number as usize];
            let named = rule.attrs.iter().map(|it| it.0);
            (name.as_str(), named.chain(rule.defaults.iter().map(|it| it.0)).collect())
        })
        .collect();
    all.sort_unstable();
    all
}

/// Returns true if a rule names this value as a default: `*` is any.
#[cfg(test)]
pub(super) fn is_named_default(op: &str, key: &str, value: &str) -> bool {
    rule(rule_number(op)).defaults.contains(&(key, value))
}

/// The attributes that the form of an operation is known to write or to leave out, each once, in the order of its row.
pub fn attribute_keys(op: &str) -> Vec<&'static str> {
    let rule = rule(rule_number(op));
    let named = rule.attrs.iter().map(|it| it.0).chain(rule.defaults.iter().map(|it| it.0));
    let mut keys: Vec<&str> = Vec::new();
    for key in named.filter(|it| !it.starts_with('$')) {
        if !keys.contains(&key) {
            keys.push(key);
        }
    }
    keys
}

/// The words of the enumeration with which an operation is written: behind its name, as a predicate is, or in the body
/// of a flag (`overflow<…>`).
pub fn enum_words(op: &str, flag: Option<&str>) -> Vec<&'static str> {
    let attrs = &rule(rule_number(op)).attrs;
    let Some(flag) = flag else {
        let first = attrs.iter().find_map(|it| match *it {
            (_, Source::Word(0) | Source::Attr(0), Convert::Number(name, _)) => {
                forms().enums.get(name)
            }
            _ => None,
        });
        return first.into_iter().flatten().map(|it| it.0).collect();
    };
    let wrapped = attrs.iter().find_map(|it| match *it {
        (_, Source::Flag(name), Convert::Wrap(wrap)) if name == flag => wrap.split('.').nth(1),
        _ => None,
    });
    match wrapped.map(|it| it.split(' ').next().unwrap_or(it)) {
        Some("fastmath") => {
            vec!["reassoc", "nnan", "ninf", "nsz", "arcp", "contract", "afn", "fast"]
        }
        Some("overflow") => vec!["nsw", "nuw"],
        _ => Vec::new(),
    }
}

/// The number of a word of an enumeration.
pub(super) fn enum_number(name: &str, word: &str) -> Option<i64> {
    forms().enums.get(name)?.iter().find(|(it, _)| *it == word).map(|it| it.1)
}

fn read(text: &'static str) -> Result<Forms, String> {
    let mut forms = Forms {
        rules: vec![Rule::default()],
        by_name: FxHashMap::default(),
        prefixes: Vec::new(),
        enums: FxHashMap::default(),
    };
    let mut macros: FxHashMap<&str, &'static str> = FxHashMap::default();
    let mut section = "";
    for line in text.lines().map(str::trim).filter(|it| !it.is_empty() && !it.starts_with('#')) {
        if line.starts_with('[') {
            section = line;
            continue;
        }
        let (head, tail) = line.split_once(':').ok_or_else(|| format!("no `:` in `{line}`"))?;
        let (head, tail) = (head.trim(), tail.trim());
        match section {
            "[enums]" => {
                forms.enums.insert(head, enumeration(tail)?);
            }
            "[macros]" => {
                macros.insert(head, tail);
            }
            "[forms]" => {
                let mut rule = Rule { known: true, ..Rule::default() };
                items(tail, &macros, &mut rule)?;
                let number = forms.rules.len() as u32;
                forms.rules.push(rule);
                forms.name(head, number)?;
            }
            _ => return Err(format!("`{line}` is in no section")),
        }
    }
    Ok(forms)
}

impl Forms {
    /// `dialect name name`, where `name*` is a prefix.
    fn name(&mut self, head: &str, number: u32) -> Result<(), String> {
        let mut words = head.split_whitespace();
        let dialect = words.next().ok_or("a row without a dialect")?;
        for word in words {
            let full = format!("{dialect}.{word}");
            match full.strip_suffix('*') {
                Some(prefix) => self.prefixes.push((prefix.to_owned(), number)),
                None => {
                    if self.by_name.insert(full, number).is_some() {
                        return Err(format!("{dialect}.{word} has two rows"));
                    }
                }
            }
        }
        Ok(())
    }
}

/// `word word=5 word`: numbers go on from the last one.
fn enumeration(text: &'static str) -> Result<Vec<(&'static str, i64)>, String> {
    let mut next = 0;
    let mut res = Vec::new();
    for word in text.split_whitespace() {
        let (word, number) = match word.split_once('=') {
            Some((word, number)) => (word, number.parse().map_err(|_| "a bad number")?),
            None => (word, next),
        };
        next = number + 1;
        res.push((word, number));
    }
    Ok(res)
}

fn items(
    text: &'static str,
    macros: &FxHashMap<&str, &'static str>,
    rule: &mut Rule,
) -> Result<(), String> {
    for item in text.split(';').map(str::trim).filter(|it| !it.is_empty()) {
        if let Some((key, (from, to))) =
            item.split_once('~').and_then(|(key, rest)| Some((key, rest.split_once("=>")?)))
        {
            rule.synonyms.push((key.trim(), from.trim(), to.trim()));
        } else if let Some(name) = item.strip_prefix('$') {
            let text = macros.get(name).ok_or_else(|| format!("no macro {name}"))?;
            items(text, macros, rule)?;
        } else if let Some((key, value)) = item.split_once("?=") {
            rule.defaults.push((key.trim(), value.trim()));
        } else if let Some((key, value)) = item.split_once('=') {
            let (source, convert) = match value.split_once('|') {
                Some((source, convert)) => (source, self::convert(convert.trim())?),
                None => (value, Convert::Same),
            };
            rule.attrs.push((key.trim(), self::source(source.trim())?, convert));
        } else {
            self::item(item, rule)?;
        }
    }
    Ok(())
}

fn item(item: &'static str, rule: &mut Rule) -> Result<(), String> {
    let (word, rest) = item.split_once(' ').unwrap_or((item, ""));
    let rest = rest.trim();
    match word {
        "res" => rule.results = results(rest)?,
        "seg" => {
            rule.segments = rest.split_whitespace().map(segment).collect::<Result<_, _>>()?;
        }
        "term" => rule.terminator = Some(rest),
        "regions" => rule.regions = rest.parse().map_err(|_| "a bad number of regions")?,
        "branch" => rule.branch = true,
        "graph" => rule.graph = true,
        "each" => rule.each = true,
        "body" => rule.body = Some(structured::parse(rest)?),
        "rename" => {
            let (key, rest) = rest.split_once(' ').ok_or("`rename` without another key")?;
            let (to, value) = rest.split_once(' ').ok_or("`rename` without a value")?;
            rule.renames.push((key, to, value));
        }
        "ints" => rule.integers.extend(rest.split_whitespace()),
        "wrap" => {
            let (key, name) = rest.split_once(' ').ok_or("`wrap` without a name")?;
            rule.wrapped.push((key, name));
        }
        "special" => rule.special = Some(rest),
        _ => return Err(format!("an unknown item `{item}`")),
    }
    Ok(())
}

fn number(text: &str) -> Result<usize, String> {
    text.parse().map_err(|_| format!("a bad number `{text}`"))
}

fn source(text: &'static str) -> Result<Source, String> {
    if let Some(word) = text.strip_prefix("W.") {
        return Ok(Source::Mark(word));
    }
    if let Some(word) = text.strip_prefix("F.") {
        return Ok(if word == "*" { Source::AnyFlag } else { Source::Flag(word) });
    }
    let rest = number(text.get(1..).unwrap_or_default())?;
    Ok(match text.chars().next() {
        Some('K') => Source::Word(rest),
        Some('P') => Source::Params(rest),
        Some('A') => Source::Attr(rest),
        Some('X') => Source::Index(rest),
        Some('Y') => Source::Tuple(rest),
        Some('T') => Source::Type(rest),
        _ => return Err(format!("an unknown source `{text}`")),
    })
}

fn convert(text: &'static str) -> Result<Convert, String> {
    let (word, rest) = text.split_once(' ').unwrap_or((text, ""));
    Ok(match word {
        "enum" => match rest.split_once(' ') {
            Some((name, ty)) => Convert::Number(name, ty),
            None => Convert::Number(rest, "i64"),
        },
        "typed" => Convert::Typed(rest),
        "string" => Convert::Quoted,
        "array" => Convert::Array(rest),
        "static" => Convert::Static,
        "list" => Convert::List,
        "first" => Convert::First,
        "inner" => Convert::Inner,
        "is" => Convert::Constant(rest),
        _ if word.starts_with('#') => Convert::Wrap(text),
        _ => return Err(format!("an unknown conversion `{text}`")),
    })
}

fn results(text: &'static str) -> Result<Results, String> {
    Ok(match text {
        "none" => Results::None,
        "last" => Results::Last,
        "all" => Results::All,
        "fn" => Results::Function,
        "arrow" => Results::Arrow,
        "arrow-or-parameter" => Results::ArrowOrParameter,
        "bool" => Results::Bool,
        "element" => Results::Element,
        "elements" => Results::Elements,
        "attr" => Results::OfAttr,
        "twice" => Results::Twice,
        "index-each" => Results::IndexEach,
        _ => match text.split_at_checked(1) {
            Some(("T", at)) if number(at).is_ok() => Results::Type(number(at)?),
            Some(("V", at)) if number(at).is_ok() => Results::Operand(number(at)?),
            _ => Results::Named(text.strip_prefix(':').ok_or("an unknown rule of results")?),
        },
    })
}

fn segment(text: &'static str) -> Result<Segment, String> {
    Ok(match text {
        "v" => Segment::Plain,
        "*" => Segment::Rest,
        _ => match text.split_at_checked(1) {
            Some(("x", at)) => Segment::Index(number(at)?),
            Some(("y", at)) => Segment::Tuple(number(at)?),
            Some((".", word)) => Segment::Behind(word),
            _ => Segment::Fixed(number(text)?),
        },
    })
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_table_can_be_read() {
        super::read(super::TABLE).map(|_| ()).expect("every row is in the notation");
    }
}
