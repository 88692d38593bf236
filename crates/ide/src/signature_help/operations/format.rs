//! The format of an operation in ODS's notation, as parts.
//!
//! In: the text of an assembly format. Out: its literals, variables, groups and directives. What is not understood is
//! left out. O(text).

use rustc_hash::FxHashSet;

/// Groups in groups; what is nested deeper is one directive that says nothing.
const MOST_NESTED: u32 = 16;

/// A part of a format.
#[derive(Debug)]
pub(super) enum Part<'f> {
    /// A mark or a word of the form.
    Literal(&'f str),
    /// An operand, an attribute, a region or a successor.
    Variable(&'f str),
    /// The parts of an optional group, and those that stand where it does not.
    Group(Vec<Part<'f>>, Vec<Part<'f>>),
    /// Text that code prints: the name of the directive, the variables that it prints, those whose types it prints.
    Custom(&'f str, Vec<&'f str>, Vec<&'f str>),
    /// Types, and what else no variable is; with the names of values whose types they are.
    Types(Vec<&'f str>),
    /// Attributes in braces.
    Dict,
    /// All operands.
    Operands,
    /// All successors.
    Successors,
    /// Clauses in any order.
    Clauses(Vec<Vec<Part<'f>>>),
}

/// The parts of a format.
pub(super) fn parts(format: &str) -> Vec<Part<'_>> {
    let mut reader = Reader { rest: format };
    let mut res = reader.parts(0);
    // A bracket too many ends nothing.
    while !reader.rest.is_empty() {
        reader.rest = &reader.rest[1..];
        res.extend(reader.parts(0));
    }
    res
}

struct Reader<'f> {
    rest: &'f str,
}

impl<'f> Reader<'f> {
    /// Reads up to the end of a group or clause.
    fn parts(&mut self, depth: u32) -> Vec<Part<'f>> {
        let mut res = Vec::new();
        loop {
            self.rest = self.rest.trim_start();
            match self.rest.chars().next() {
                None | Some(')' | '|') => return res,
                Some('`') => {
                    let end = self.rest[1..].find('`').map_or(self.rest.len(), |it| it + 1);
                    res.push(Part::Literal(self.rest[1..end].trim()));
                    self.rest = self.rest.get(end + 1..).unwrap_or_default();
                }
                Some('$') => res.push(Part::Variable(self.variable())),
                Some('(') if depth < MOST_NESTED => res.push(self.group(depth)),
                Some('(') => self.skip_group(),
                Some(it) if it.is_ascii_alphabetic() => res.extend(self.directive(depth)),
                // Anchors.
                Some(it) => self.rest = &self.rest[it.len_utf8()..],
            }
        }
    }

    fn group(&mut self, depth: u32) -> Part<'f> {
        let first = self.inside(depth);
        let other = match self.rest.trim_start().strip_prefix(':') {
            Some(rest) if rest.trim_start().starts_with('(') => {
                self.rest = rest.trim_start();
                self.inside(depth)
            }
            _ => Vec::new(),
        };
        Part::Group(first, other)
    }

    /// The parts in parentheses, which the rest begins with.
    fn inside(&mut self, depth: u32) -> Vec<Part<'f>> {
        self.rest = &self.rest[1..];
        let res = self.parts(depth + 1);
        self.rest = self.rest.strip_prefix(')').unwrap_or(self.rest);
        res
    }

    fn variable(&mut self) -> &'f str {
        let text = self.rest.trim_start_matches('$');
        let is_end = |it: char| !(it.is_ascii_alphanumeric() || it == '_');
        let (name, rest) = text.split_at(text.find(is_end).unwrap_or(text.len()));
        self.rest = rest;
        name
    }

    fn directive(&mut self, depth: u32) -> Option<Part<'f>> {
        let is_end = |it: char| !(it.is_ascii_alphanumeric() || matches!(it, '-' | '_'));
        let (word, rest) = self.rest.split_at(self.rest.find(is_end).unwrap_or(self.rest.len()));
        self.rest = rest;
        let mut name = "";
        if let Some(inner) = self.rest.strip_prefix('<')
            && let Some(end) = inner.find('>')
        {
            name = &inner[..end];
            self.rest = &inner[end + 1..];
        }
        match word {
            "operands" => return Some(Part::Operands),
            "successors" => return Some(Part::Successors),
            "attr-dict" | "attr-dict-with-keyword" | "prop-dict" => return Some(Part::Dict),
            "oilist" if self.rest.trim_start().starts_with('(') && depth < MOST_NESTED => {
                self.rest = self.rest.trim_start();
                let mut clauses = vec![self.inside(depth)];
                while self.rest.starts_with('|') {
                    clauses.push(self.inside(depth));
                }
                return Some(Part::Clauses(clauses));
            }
            _ => {}
        }
        let whole = self.rest;
        if whole.starts_with('(') {
            self.skip_group();
        }
        let arguments = &whole[..whole.len() - self.rest.len()];
        let variables = |text: &'f str| text.split([',', '(', ')']).map(str::trim);
        match word {
            "qualified" | "enum" => {
                variables(arguments).find_map(|it| it.strip_prefix('$')).map(Part::Variable)
            }
            // What a directive refers to, and types, it does not print.
            "custom" => {
                let inner = arguments.get(1..arguments.len().saturating_sub(1));
                let all = || inner.unwrap_or_default().split(',').map(str::trim);
                let printed = all().filter_map(|it| it.strip_prefix('$')).collect();
                let typed = all().filter_map(|it| it.strip_prefix("type($")?.strip_suffix(')'));
                Some(Part::Custom(name, printed, typed.collect()))
            }
            _ => {
                let typed = variables(arguments).filter_map(|it| it.strip_prefix('$'));
                Some(Part::Types(typed.collect()))
            }
        }
    }

    /// Passes what stands in parentheses.
    fn skip_group(&mut self) {
        let mut depth = 0_usize;
        let mut is_literal = false;
        for (at, it) in self.rest.char_indices() {
            match it {
                '`' => is_literal = !is_literal,
                '(' if !is_literal => depth += 1,
                ')' if !is_literal => {
                    depth -= 1;
                    if depth == 0 {
                        self.rest = &self.rest[at + 1..];
                        return;
                    }
                }
                _ => {}
            }
        }
        self.rest = "";
    }
}

/// A part of an operation by its kind.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    /// One operand.
    Operand,
    /// None or one.
    OptionalOperand,
    /// Any number of them.
    Operands,
    /// An attribute.
    Attribute,
    /// A successor, or several.
    Successors,
    /// The definition does not say.
    Unknown,
}

/// The names of the operands and successors of an operation, as far as its definition is known.
#[derive(Default)]
pub(super) struct Definition {
    /// In the order of the generic form; `*` follows one of any number, `?` an optional one.
    pub(super) operands: Option<Vec<String>>,
    /// Likewise.
    pub(super) successors: Option<Vec<String>>,
    /// The names whose types the form has: values.
    pub(super) typed: FxHashSet<String>,
}

impl Definition {
    /// Adds the names whose types some parts have.
    pub(super) fn note_types(&mut self, parts: &[Part<'_>]) {
        for part in parts {
            match part {
                Part::Types(names) | Part::Custom(_, _, names) => {
                    self.typed.extend(names.iter().map(|it| (*it).to_owned()));
                }
                Part::Group(first, other) => {
                    self.note_types(first);
                    self.note_types(other);
                }
                Part::Clauses(clauses) => clauses.iter().for_each(|it| self.note_types(it)),
                _ => {}
            }
        }
    }

    /// True for the name of a value or successor in an optional part; where the definition does not say what it is,
    /// for one whose type stands beside it.
    pub(super) fn is_value(&self, name: &str) -> bool {
        match self.kind(name) {
            Kind::Attribute => false,
            Kind::Unknown => self.typed.contains(name),
            _ => true,
        }
    }

    /// The kind of a part by its name.
    pub(super) fn kind(&self, name: &str) -> Kind {
        let mark = |list: &Option<Vec<String>>| {
            let found = list.iter().flatten().find(|it| bare(it) == name);
            found.map(|it| it.chars().next_back())
        };
        match mark(&self.operands) {
            Some(Some('*')) => return Kind::Operands,
            Some(Some('?')) => return Kind::OptionalOperand,
            Some(_) => return Kind::Operand,
            None => {}
        }
        match (mark(&self.successors), &self.operands) {
            (Some(_), _) => Kind::Successors,
            (None, Some(_)) => Kind::Attribute,
            (None, None) => Kind::Unknown,
        }
    }
}

/// A name of a definition without the mark behind it.
pub(super) fn bare(name: &str) -> &str {
    name.trim_end_matches(['*', '?', '!'])
}
