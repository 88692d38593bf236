//! The notation of one shape (`crates/dialects/README.md` explains it): text in, [`Element`]s out. Linear in the text.

use crate::SyntaxKind;

/// One element of a shape; those from `Part` on come from assembly formats only.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::mlir) enum Element {
    Mark(SyntaxKind),
    Word(Box<str>),
    Value,
    Values {
        one: bool,
    },
    Type,
    Types {
        one: bool,
    },
    NamedType,
    FunctionType,
    Results,
    Dict,
    DictBeforeRegion,
    Attr,
    Number,
    Keyword,
    Params,
    Flags,
    Symbol,
    SymbolDef,
    Indices,
    Tuple,
    Group,
    Map,
    Successor,
    Def,
    Args,
    Assigns,
    Region,
    Optional(Vec<Element>),
    Repeat(Vec<Element>),
    Choice(Vec<Vec<Element>>),
    /// A variable of unknown kind: values, an attribute, regions or successors, as the next token says.
    Part {
        /// One value at most: a comma follows.
        is_single: bool,
        /// A number, string or alias may have its type behind it: no colon follows.
        is_typed: bool,
        /// It may be written as nothing.
        is_unit: bool,
        /// The tokens that follow it where it is nothing.
        until: Box<[Stop]>,
    },
    /// An attribute, a word of an enumeration, or the body `<…>` of one.
    AnyAttr {
        is_typed: bool,
    },
    /// A type, or its body `<…>` alone.
    AnyType,
    AnyTypes,
    Regions,
    Successors,
    /// Text that only code reads: up to one of these.
    Custom(Box<[Stop]>),
}

/// The end of text that only code reads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::mlir) enum Stop {
    Mark(SyntaxKind),
    Word(Box<str>),
    /// The end of the operation.
    End,
    /// Something that no token tells apart.
    Other,
}

/// The groups that are open: the alternatives that are complete, and the one being read.
struct Open {
    done: Vec<Vec<Element>>,
    elements: Vec<Element>,
}

impl Open {
    fn new() -> Open {
        Open { done: Vec::new(), elements: Vec::new() }
    }

    fn close(mut self) -> Vec<Element> {
        if self.done.is_empty() {
            return self.elements;
        }
        self.done.push(self.elements);
        vec![Element::Choice(self.done)]
    }
}

/// Reads a shape.
pub(super) fn compile(notation: &str) -> Result<Vec<Element>, String> {
    let mut open = vec![Open::new()];
    for word in notation.split_whitespace() {
        let element = match word {
            "(" => {
                open.push(Open::new());
                continue;
            }
            "|" => {
                let group = open.last_mut().ok_or("a `)` too many")?;
                let complete = std::mem::take(&mut group.elements);
                group.done.push(complete);
                continue;
            }
            ")" | ")?" | ")*" => {
                let group = open.pop().filter(|_| !open.is_empty()).ok_or("a `)` too many")?;
                let elements = group.close();
                match word {
                    ")?" => Element::Optional(elements),
                    ")*" => Element::Repeat(elements),
                    _ => Element::Choice(vec![elements]),
                }
            }
            _ => element(word)?,
        };
        open.last_mut().ok_or("a `)` too many")?.elements.push(element);
    }
    match (open.pop(), open.is_empty()) {
        (Some(group), true) => Ok(group.close()),
        _ => Err("a `(` without its `)`".to_owned()),
    }
}

fn element(word: &str) -> Result<Element, String> {
    Ok(match word {
        "V" => Element::Value,
        "V*" => Element::Values { one: false },
        "V+" => Element::Values { one: true },
        "T" => Element::Type,
        "T*" => Element::Types { one: false },
        "T+" => Element::Types { one: true },
        "!T" => Element::NamedType,
        "FN" => Element::FunctionType,
        "RES" => Element::Results,
        "D" => Element::Dict,
        "D!" => Element::DictBeforeRegion,
        "A" => Element::Attr,
        "N" => Element::Number,
        "K" => Element::Keyword,
        "P" => Element::Params,
        "F" => Element::Flags,
        "@" => Element::Symbol,
        "@=" => Element::SymbolDef,
        "X" => Element::Indices,
        "Y" => Element::Tuple,
        "IO" => Element::Group,
        "MAP" => Element::Map,
        "S" => Element::Successor,
        "DEF" => Element::Def,
        "ARGS" => Element::Args,
        "ASSIGN" => Element::Assigns,
        "R" => Element::Region,
        _ => return literal(word).ok_or_else(|| format!("an unknown element {word}")),
    })
}

fn literal(word: &str) -> Option<Element> {
    let text = word.strip_prefix('\'')?.strip_suffix('\'')?;
    match mark_of(text) {
        Some(mark) => Some(Element::Mark(mark)),
        None if text.starts_with(|it: char| it.is_ascii_alphabetic()) => {
            Some(Element::Word(text.into()))
        }
        None => None,
    }
}

/// The kind of a mark.
pub(super) fn mark_of(text: &str) -> Option<SyntaxKind> {
    Some(match text {
        "," => SyntaxKind::COMMA,
        ":" => SyntaxKind::COLON,
        "=" => SyntaxKind::EQ,
        "(" => SyntaxKind::L_PAREN,
        ")" => SyntaxKind::R_PAREN,
        "[" => SyntaxKind::L_BRACK,
        "]" => SyntaxKind::R_BRACK,
        "<" => SyntaxKind::LT,
        ">" => SyntaxKind::GT,
        "*" => SyntaxKind::STAR,
        "+" => SyntaxKind::PLUS,
        "{" => SyntaxKind::L_BRACE,
        "}" => SyntaxKind::R_BRACE,
        "->" => SyntaxKind::ARROW,
        "?" => SyntaxKind::QUESTION,
        "|" => SyntaxKind::PIPE,
        "::" => SyntaxKind::COLON2,
        "-" => SyntaxKind::MINUS,
        _ => return None,
    })
}

/// The words of a shape, groups included.
pub(super) fn collect_words(elements: &[Element], words: &mut Vec<Box<str>>) {
    for element in elements {
        match element {
            Element::Word(word) => words.push(word.clone()),
            Element::Optional(inner) | Element::Repeat(inner) => collect_words(inner, words),
            Element::Choice(alternatives) => {
                alternatives.iter().for_each(|it| collect_words(it, words));
            }
            _ => {}
        }
    }
}

/// Returns true if a list of definitions stands behind a word, or first of all.
pub(super) fn defines_behind(elements: &[Element], word: Option<&str>) -> bool {
    let mut before: Option<&Element> = None;
    for element in elements.iter().filter(|it| !matches!(it, Element::Flags)) {
        let is_behind = match (word, before) {
            (Some(word), Some(Element::Word(before))) => **before == *word,
            (word, before) => word.is_none() && before.is_none(),
        };
        let is_found = match element {
            Element::Args | Element::Assigns => is_behind,
            Element::Optional(inner) | Element::Repeat(inner) => {
                (is_behind || word.is_some()) && defines_behind(inner, word)
            }
            Element::Choice(alternatives) => {
                (is_behind || word.is_some())
                    && alternatives.iter().any(|it| defines_behind(it, word))
            }
            _ => false,
        };
        if is_found {
            return true;
        }
        before = Some(element);
    }
    false
}

/// Returns true if reading these elements looks at the text after the `{` of a region.
pub(super) fn looks_into_regions(elements: &[Element]) -> bool {
    elements.iter().any(|it| match it {
        Element::DictBeforeRegion | Element::Part { .. } | Element::Custom(_) => true,
        Element::Optional(inner) | Element::Repeat(inner) => looks_into_regions(inner),
        Element::Choice(alternatives) => alternatives.iter().any(|it| looks_into_regions(it)),
        _ => false,
    })
}

/// Writes an example of a shape: values are `%a`, `%b` …, optional parts are left out. Where any number of values
/// stands, `n_together` are written.
pub(super) fn show(elements: &[Element], n_together: usize, values: &mut u8, out: &mut String) {
    for element in elements {
        let text = match element {
            Element::Values { one: false } if n_together > 1 => {
                for at in 0..n_together {
                    if at > 0 {
                        push(",", out);
                    }
                    show(&[Element::Value], 1, values, out);
                }
                continue;
            }
            Element::Mark(kind) => kind.static_text().unwrap_or_default(),
            Element::Word(word) => word,
            Element::Value | Element::Values { .. } | Element::Def | Element::Part { .. } => {
                let letter = char::from(b'a' + *values % 26);
                *values += 1;
                push(&format!("%{letter}"), out);
                continue;
            }
            Element::Type | Element::Types { .. } | Element::NamedType | Element::Results => "type",
            Element::AnyType | Element::AnyTypes => "type",
            Element::FunctionType => "(types) -> type",
            Element::Attr | Element::AnyAttr { .. } => "attribute",
            Element::Custom(_) => "…",
            Element::Number => "number",
            Element::Keyword => "word",
            Element::Symbol | Element::SymbolDef => "@name",
            Element::Indices => "[…]",
            Element::Tuple => "(…)",
            Element::Group => "(%value : type)",
            Element::Map => "#map(%value)",
            Element::Successor | Element::Successors => "^block",
            Element::Args => "(%value: type)",
            Element::Assigns => "(%value = %value)",
            Element::Region | Element::Regions => "{ … }",
            Element::Choice(alternatives) => {
                show(alternatives.first().map_or(&[], |it| it), n_together, values, out);
                continue;
            }
            Element::Dict
            | Element::DictBeforeRegion
            | Element::Params
            | Element::Flags
            | Element::Optional(_)
            | Element::Repeat(_) => continue,
        };
        push(text, out);
    }
}

fn push(text: &str, out: &mut String) {
    let tight = matches!(text, "," | ")" | "[…]" | "]") || out.ends_with(['(', '[']);
    if !out.is_empty() && !tight {
        out.push(' ');
    }
    out.push_str(text);
}
