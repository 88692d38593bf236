//! Assembly formats of ODS: text in, [`Element`]s out, or nothing if elements cannot say it. Linear in the text, times
//! the depth of its groups.
//!
//! Kinds of variables that a definition does not tell, and the text of directives that code prints, are decided by
//! the tokens there: such elements know the literals that may follow, and end before them. Code that prints regions
//! or names values of them is not guessed: its operations have no shape.

use dialects::Parts;

use super::format::{Element, Stop, mark_of};
use crate::SyntaxKind;

/// Reads a format. `parts` are those of the operation, as far as they are known.
pub(super) fn compile(format: &str, parts: &Parts) -> Option<Vec<Element>> {
    let tokens = tokens(format)?;
    let mut reader = Reader { tokens: &tokens, at: 0, parts };
    let mut elements = joined(reader.sequence()?);
    let has_custom = tokens.iter().any(|it| matches!(it, Token::Word("custom")));
    let has_regions = parts.regions.as_ref().is_some_and(|it| !it.is_empty());
    let has_successors = parts.successors.as_ref().is_some_and(|it| !it.is_empty());
    let is_read = reader.at == tokens.len() && !(has_custom && (has_regions || has_successors));
    (is_read && settle(&mut elements, &[Stop::End])).then_some(elements)
}

/// The same elements with one text of code instead of two that have nothing but optional values between them: where
/// the first ends could not be told.
fn joined(elements: Vec<Element>) -> Vec<Element> {
    let mut res: Vec<Element> = Vec::new();
    for element in elements {
        if matches!(element, Element::Custom(_)) {
            let n_between = res.iter().rev().take_while(|it| is_optional_text(it)).count();
            let from = res.len() - n_between;
            if from > 0 && matches!(res[from - 1], Element::Custom(_)) {
                res.truncate(from);
                continue;
            }
        }
        res.push(element);
    }
    res
}

/// Returns true for a group that may be absent and has values, attributes and marks alone.
fn is_optional_text(element: &Element) -> bool {
    let is_text = |it: &Element| {
        matches!(
            it,
            Element::Mark(_)
                | Element::Word(_)
                | Element::Value
                | Element::Values { .. }
                | Element::Part { .. }
                | Element::AnyAttr { .. }
        )
    };
    matches!(element, Element::Optional(inner) if inner.iter().all(is_text))
}

/// Returns true if a format has the operands in the order of the generic form, as far as their names are known: values
/// are taken in the order of the text.
pub(super) fn keeps_order(format: &str, operands: &[String]) -> bool {
    let Some(tokens) = tokens(format) else { return false };
    let mut last = 0;
    let mut seen = vec![false; operands.len()];
    let mut at = 0;
    while let Some(token) = tokens.get(at) {
        at += 1;
        match token {
            // What is in it is no value.
            Token::Word("type" | "ref" | "functional-type") => {
                let rest = tokens[at..].iter();
                at += rest.take_while(|it| **it != Token::Mark(')')).count();
            }
            Token::Variable(name) => {
                let mut names = operands.iter().map(|it| it.trim_end_matches(['*', '?']));
                let Some(place) = names.position(|it| it == *name) else { continue };
                if !std::mem::replace(&mut seen[place], true) {
                    if place < last {
                        return false;
                    }
                    last = place;
                }
            }
            _ => {}
        }
    }
    true
}

/// Returns true if the last types of a format are those of the results: a variable that is written only as a type is a
/// result.
pub(super) fn states_results(format: &str, parts: &Parts) -> bool {
    let Some(tokens) = tokens(format) else { return false };
    let last = tokens.iter().rposition(|it| matches!(it, Token::Word("type" | "functional-type")));
    let Some(last) = last else { return false };
    let is_type = |at: usize| {
        at >= 2 && matches!(tokens[at - 2], Token::Word("type" | "ref" | "functional-type"))
    };
    match (tokens[last], tokens.get(last + 2)) {
        (Token::Word("functional-type"), _) | (_, Some(Token::Word("results"))) => true,
        (_, Some(Token::Variable(name))) => match &parts.results {
            Some(results) => results.iter().any(|it| it.trim_end_matches(['*', '?']) == *name),
            None => (0..tokens.len()).all(|at| tokens[at] != Token::Variable(name) || is_type(at)),
        },
        _ => false,
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Token<'t> {
    Literal(&'t str),
    Variable(&'t str),
    Word(&'t str),
    Mark(char),
}

fn tokens(format: &str) -> Option<Vec<Token<'_>>> {
    let mut tokens = Vec::new();
    let mut rest = format.trim_start();
    while let Some(first) = rest.chars().next() {
        let is_name = |it: char| it.is_ascii_alphanumeric() || it == '_' || it == '-';
        let name_end = |text: &str| text.find(|it| !is_name(it)).unwrap_or(text.len());
        let len = match first {
            '`' => {
                let end = rest[1..].find('`')? + 1;
                tokens.push(Token::Literal(&rest[1..end]));
                end + 1
            }
            '$' => {
                let end = 1 + name_end(&rest[1..]);
                tokens.push(Token::Variable(&rest[1..end]));
                end
            }
            '"' => rest[1..].find('"')? + 2,
            _ if first.is_ascii_alphabetic() => {
                let end = name_end(rest);
                tokens.push(Token::Word(&rest[..end]));
                end
            }
            _ => {
                tokens.push(Token::Mark(first));
                first.len_utf8()
            }
        };
        rest = rest[len..].trim_start();
    }
    Some(tokens)
}

/// The parts that a directive prints.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Printed {
    /// Types alone.
    Types,
    Regions,
    Other,
}

/// Returns true if the name of a variable has this word in it.
fn is_in(name: &str, word: &str) -> bool {
    name.to_ascii_lowercase().contains(word)
}

struct Reader<'t> {
    tokens: &'t [Token<'t>],
    at: usize,
    parts: &'t Parts,
}

impl<'t> Reader<'t> {
    fn peek(&self) -> Option<Token<'t>> {
        self.tokens.get(self.at).copied()
    }

    fn eat(&mut self, mark: char) -> bool {
        let found = self.peek() == Some(Token::Mark(mark));
        self.at += usize::from(found);
        found
    }

    /// Elements up to a mark that ends a group.
    fn sequence(&mut self) -> Option<Vec<Element>> {
        let mut elements = Vec::new();
        while let Some(token) = self.peek() {
            if matches!(token, Token::Mark(')' | '|')) {
                break;
            }
            self.at += 1;
            match token {
                Token::Literal(text) => elements.extend(literal(text)?),
                Token::Variable(name) => elements.push(self.variable(name)),
                Token::Word(word) => {
                    let made = self.directive(word)?;
                    // The texts of two such directives are one.
                    let is_behind = matches!(elements.last(), Some(Element::Custom(_)));
                    if !(is_behind && matches!(made[..], [Element::Custom(_)])) {
                        elements.extend(made);
                    }
                }
                Token::Mark('(') => elements.push(self.group()?),
                Token::Mark('^') => {}
                Token::Mark(_) => return None,
            }
        }
        Some(elements)
    }

    /// `elements)?`, `elements) : (elements)?`
    fn group(&mut self) -> Option<Element> {
        let mut then = self.sequence()?;
        if !self.eat(')') {
            return None;
        }
        self.unit_attribute(&mut then);
        if self.eat(':') {
            if !self.eat('(') {
                return None;
            }
            let other = self.sequence()?;
            return (self.eat(')') && self.eat('?')).then(|| match other.is_empty() {
                true => Element::Optional(then),
                false => Element::Optional(vec![Element::Choice(vec![then, other])]),
            });
        }
        self.eat('?').then_some(Element::Optional(then))
    }

    /// A lone attribute behind a word, as in ``(`exact` $exact^)?``, is written as the word alone if it has no value.
    fn unit_attribute(&self, elements: &mut [Element]) {
        if let [Element::Word(_), Element::Part { is_unit, .. }] = elements {
            *is_unit = true;
        }
    }

    fn variable(&self, name: &str) -> Element {
        let Parts { operands, attributes, regions, successors, .. } = self.parts;
        let mark = |list: &Option<Vec<String>>| {
            let found =
                list.as_ref()?.iter().find(|it| it.trim_end_matches(['*', '?', '!']) == name);
            found.map(|it| it.chars().next_back().filter(|it| "*?!".contains(*it)).unwrap_or(' '))
        };
        match (mark(operands), mark(attributes), mark(regions), mark(successors)) {
            (Some('*'), ..) => Element::Values { one: false },
            (Some(_), ..) => Element::Value,
            (_, Some('!'), ..) => Element::Optional(Vec::new()),
            _ if name == "sym_name" => Element::SymbolDef,
            (_, Some(_), ..) => Element::AnyAttr { is_typed: true },
            (_, _, Some('*'), _) => Element::Regions,
            (_, _, Some(_), _) => Element::Region,
            (_, _, _, Some('*')) => Element::Successors,
            (_, _, _, Some(_)) => Element::Successor,
            _ => Element::Part {
                is_single: false,
                is_typed: true,
                is_unit: false,
                until: Box::default(),
            },
        }
    }

    fn directive(&mut self, word: &str) -> Option<Vec<Element>> {
        Some(vec![match word {
            "attr-dict" | "prop-dict" => Element::Dict,
            "attr-dict-with-keyword" => {
                Element::Optional(vec![Element::Word("attributes".into()), Element::Dict])
            }
            "operands" => Element::Values { one: false },
            "successors" => Element::Successors,
            "regions" => Element::Regions,
            "functional-type" => {
                self.arguments()?;
                Element::FunctionType
            }
            "type" => self.types()?,
            "qualified" | "ref" => {
                if !self.eat('(') {
                    return None;
                }
                let inner = self.sequence()?;
                return self.eat(')').then_some(inner);
            }
            "custom" => {
                if !self.eat('<') {
                    return None;
                }
                self.at += 1;
                if !self.eat('>') {
                    return None;
                }
                match self.arguments()? {
                    Printed::Types => Element::AnyTypes,
                    Printed::Other => Element::Custom(Box::default()),
                    Printed::Regions => return None,
                }
            }
            "oilist" => {
                if !self.eat('(') {
                    return None;
                }
                let mut clauses = vec![self.sequence()?];
                while self.eat('|') {
                    clauses.push(self.sequence()?);
                }
                clauses.iter_mut().for_each(|it| self.unit_attribute(it));
                if !self.eat(')') {
                    return None;
                }
                Element::Repeat(vec![Element::Choice(clauses)])
            }
            _ => return None,
        }])
    }

    /// `(…)`, the arguments of a directive: what it prints, as far as they tell.
    fn arguments(&mut self) -> Option<Printed> {
        if !self.eat('(') {
            return None;
        }
        let mut printed = Printed::Types;
        let mut depth = 1;
        while depth > 0 {
            let token = self.peek()?;
            self.at += 1;
            match token {
                Token::Mark('(') => depth += 1,
                Token::Mark(')') => depth -= 1,
                Token::Variable(name) if ["region", "body"].iter().any(|it| is_in(name, it)) => {
                    return Some(Printed::Regions);
                }
                // All others are arguments of `type` or `ref`.
                Token::Variable(_) if depth == 1 => printed = Printed::Other,
                _ => {}
            }
        }
        Some(printed)
    }

    /// The argument of `type`: the types of one value or of several.
    fn types(&mut self) -> Option<Element> {
        if !self.eat('(') {
            return None;
        }
        let of = self.peek()?;
        self.at += 1;
        let Parts { operands, results, .. } = self.parts;
        let known = operands.iter().chain(results).flatten();
        let element = match of {
            Token::Variable(name) => {
                let part = known.into_iter().find(|it| it.trim_end_matches(['*', '?']) == name);
                match part {
                    Some(it) if !it.ends_with('*') => Element::AnyType,
                    _ => Element::AnyTypes,
                }
            }
            _ => Element::AnyTypes,
        };
        self.eat(')').then_some(element)
    }
}

/// The tokens of a literal; none of one that is only white space.
fn literal(text: &str) -> Option<Vec<Element>> {
    let text = text.trim();
    if text.is_empty() || text == "\\n" {
        return Some(Vec::new());
    }
    if let Some(mark) = mark_of(text) {
        return Some(vec![Element::Mark(mark)]);
    }
    let is_word = |it: char| it.is_ascii_alphanumeric() || "_.$".contains(it);
    let begins = text.starts_with(|it: char| it.is_ascii_alphabetic() || it == '_');
    (begins && text.chars().all(is_word)).then(|| vec![Element::Word(text.into())])
}

/// Tells the elements whose text is not known what may follow them. `false`: that is not known either.
fn settle(elements: &mut [Element], after: &[Stop]) -> bool {
    for at in 0..elements.len() {
        let (element, rest) = elements[at..].split_at_mut(1);
        let stops = stops(rest, after);
        let comma = stops.contains(&Stop::Mark(SyntaxKind::COMMA));
        let colon = stops.contains(&Stop::Mark(SyntaxKind::COLON));
        let fits = match &mut element[0] {
            Element::Part { is_single, is_typed, until, .. } => {
                (*is_single, *is_typed) = (comma, !colon);
                *until = stops.into_iter().collect();
                true
            }
            Element::AnyAttr { is_typed } => {
                *is_typed = !colon;
                true
            }
            types @ Element::AnyTypes if comma => {
                *types = Element::AnyType;
                true
            }
            Element::Custom(until) => {
                *until = stops.into_iter().collect();
                !until.contains(&Stop::Other)
            }
            Element::Dict if rest.first().is_some_and(is_region) => {
                element[0] = Element::DictBeforeRegion;
                true
            }
            Element::Optional(inner) => settle(inner, &stops),
            // What is repeated may also follow itself.
            Element::Repeat(inner) => {
                let mut again = self::stops(inner, &stops);
                again.extend(stops);
                settle(inner, &again)
            }
            Element::Choice(alternatives) => alternatives.iter_mut().all(|it| settle(it, &stops)),
            _ => true,
        };
        if !fits {
            return false;
        }
    }
    true
}

fn is_region(element: &Element) -> bool {
    matches!(element, Element::Region | Element::Regions | Element::Part { .. })
}

/// The tokens that may begin the elements, or what comes after them if all may be empty.
fn stops(elements: &[Element], after: &[Stop]) -> Vec<Stop> {
    let mut res = Vec::new();
    for element in elements {
        let can_be_empty = match element {
            Element::Mark(mark) => {
                res.push(Stop::Mark(*mark));
                false
            }
            Element::Word(word) => {
                res.push(Stop::Word(word.clone()));
                false
            }
            Element::Dict | Element::DictBeforeRegion => {
                res.push(Stop::Mark(SyntaxKind::L_BRACE));
                true
            }
            Element::Optional(inner) | Element::Repeat(inner) => {
                res.extend(stops(inner, &[]));
                true
            }
            Element::Choice(alternatives) => {
                alternatives.iter().for_each(|it| res.extend(stops(it, &[])));
                false
            }
            _ => {
                res.push(Stop::Other);
                false
            }
        };
        if !can_be_empty {
            return res;
        }
    }
    res.extend_from_slice(after);
    res
}
