//! `dense<…>`: elements in one spelling, a splat where all are equal.

use super::{
    canonical::Writer,
    cursor::{Cursor, Token},
    number::{self, Element},
};

/// Writes `dense<body> : type`; `body` has its brackets.
pub(super) fn write(writer: &Writer<'_>, body: &str, ty: &str, out: &mut String) {
    out.push_str("dense");
    let element = Element::of(super::types::element_of(ty).unwrap_or(ty));
    match Elements::read(body, element) {
        Some(elements) => elements.show(out),
        None => writer.flat_group(&mut Cursor::new(body), out),
    }
    if !ty.is_empty() {
        out.push_str(" : ");
        out.push_str(ty);
    }
}

/// The elements of a literal, and its brackets between them.
struct Elements {
    elements: Vec<String>,
    /// Literal with the places of the elements left out: `[`, `, `, `]` runs, one before each element and one at the
    /// end.
    between: Vec<String>,
}

impl Elements {
    /// `None` where it has something else than numbers and words.
    fn read(body: &str, element: Element) -> Option<Elements> {
        let body = body.trim().strip_prefix('<')?.strip_suffix('>')?;
        let mut cursor = Cursor::new(body);
        let mut res = Elements { elements: Vec::new(), between: vec![String::new()] };
        let mut negative = false;
        loop {
            let token = cursor.next();
            let between = res.between.last_mut()?;
            match token {
                Token::End => return Some(res),
                Token::Mark('-') => negative = true,
                Token::Mark(',') => between.push_str(", "),
                Token::Mark(mark @ ('[' | ']')) => between.push(mark),
                Token::Number(text) => {
                    let negative = std::mem::take(&mut negative);
                    res.push(number::canonical(text, negative, element));
                }
                Token::Word(word @ ("true" | "false")) => res.push(word.to_owned()),
                _ => return None,
            }
        }
    }

    fn push(&mut self, element: String) {
        self.elements.push(element);
        self.between.push(String::new());
    }

    fn show(&self, out: &mut String) {
        out.push('<');
        match self.elements.first() {
            Some(first) if self.elements.iter().all(|it| it == first) => out.push_str(first),
            _ => {
                for (at, between) in self.between.iter().enumerate() {
                    out.push_str(between);
                    if let Some(element) = self.elements.get(at) {
                        out.push_str(element);
                    }
                }
            }
        }
        out.push('>');
    }
}
