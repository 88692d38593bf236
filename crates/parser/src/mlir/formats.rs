//! Parses a pretty form of the table: the text behind the name of an operation.
//!
//! The shape decides by the next token alone; tokens that it cannot continue with are left for the caller. Nested
//! groups of a shape are few, so recursion over them is bounded by the table. Linear in the text read.

mod parts;

use super::{
    grammar::{
        assign_list, attr, attr_dict, block_args, flat_brackets, function_type, map_operands,
        number, operand_group, operands, params, properties, region, region_follows, result_types,
        successor, symbol_ref, type_, types, value_def, value_use,
    },
    parser::Parser,
    shapes::Element,
};
use crate::SyntaxKind::*;

/// Reads the shape with this number. Gives whether the text follows it to the end.
pub(super) fn follow(p: &mut Parser<'_>, shape: u16) -> bool {
    let shape = p.shapes.shape(shape);
    Reader { words: &shape.words }.sequence(p, &shape.elements)
}

struct Reader<'s> {
    words: &'s [Box<str>],
}

impl Reader<'_> {
    fn sequence(&self, p: &mut Parser<'_>, elements: &[Element]) -> bool {
        let mut rest = elements;
        while let Some((element, behind)) = rest.split_first() {
            let read = match element {
                Element::Dict if p.at(ATTR_ID) => self.dict_alias(p, behind),
                _ => self.element(p, element),
            };
            if !read {
                return false;
            }
            rest = behind;
        }
        true
    }

    /// An alias that stands for a dictionary, unless what follows in the shape begins with an alias. At the begin of a
    /// line an alias may be defined.
    fn dict_alias(&self, p: &mut Parser<'_>, behind: &[Element]) -> bool {
        p.current.newline || self.starts(p, behind) || attr(p)
    }

    fn element(&self, p: &mut Parser<'_>, element: &Element) -> bool {
        match element {
            Element::Mark(kind) => p.eat(*kind),
            Element::Word(word) => self.word(p, word),
            Element::Value => value_use(p),
            Element::Values { one } => operands(p, *one),
            Element::Type => !p.blocked() && type_(p),
            Element::Types { one } => types(p, *one),
            Element::NamedType => p.at(TYPE_ID) && type_(p),
            Element::FunctionType => function_type(p),
            Element::Results => result_types(p),
            Element::Dict => self.dict(p),
            Element::DictBeforeRegion => region_follows(p) || self.dict(p),
            Element::Attr => attr(p),
            Element::Number => number(p),
            Element::Keyword => keyword(p),
            Element::Params => !p.at(LT) || params(p),
            Element::Flags => self.flags(p),
            Element::Symbol => symbol_ref(p),
            Element::SymbolDef => symbol_def(p),
            Element::Indices => p.at(L_BRACK) && flat_brackets(p, MLIR_INDEX_LIST),
            Element::Tuple => p.at(L_PAREN) && flat_brackets(p, MLIR_OPERAND_TUPLE),
            Element::Group => operand_group(p),
            Element::Map => map_operands(p),
            Element::Successor => successor(p),
            Element::Def => value_def(p) && (!p.at_word("loc") || attr(p)),
            Element::Args => block_args(p),
            Element::Assigns => assign_list(p),
            Element::Region => p.at(L_BRACE) && region(p),
            Element::Optional(inner) => !self.starts(p, inner) || self.sequence(p, inner),
            Element::Repeat(inner) => self.repeat(p, inner),
            Element::Choice(alternatives) => {
                let chosen = alternatives.iter().find(|it| self.starts(p, it));
                chosen.is_some_and(|it| self.sequence(p, it))
            }
            Element::Part { is_single, is_typed, is_unit, until } => {
                parts::stops(p, until) || parts::part(p, *is_single, *is_typed, *is_unit)
            }
            Element::AnyAttr { is_typed } => parts::any_attr(p, *is_typed),
            Element::AnyType => parts::any_type(p),
            Element::AnyTypes => parts::any_types(p),
            Element::Regions => parts::regions(p),
            Element::Successors => parts::successors(p),
            Element::Custom(until) => parts::custom(p, until),
        }
    }

    fn repeat(&self, p: &mut Parser<'_>, inner: &[Element]) -> bool {
        while self.starts(p, inner) {
            let before = p.current.start;
            if !self.sequence(p, inner) {
                return false;
            }
            if p.current.start == before {
                break;
            }
        }
        true
    }

    fn word(&self, p: &mut Parser<'_>, word: &str) -> bool {
        let found = p.at_word(word);
        if found {
            p.bump();
        }
        found
    }

    /// Properties and attributes, each if it is there.
    fn dict(&self, p: &mut Parser<'_>) -> bool {
        (!p.at(LT) || p.peek() != L_BRACE || properties(p)) && (!p.at(L_BRACE) || attr_dict(p))
    }

    /// Words with optional bodies that are not words of the shape.
    fn flags(&self, p: &mut Parser<'_>) -> bool {
        while self.at_flag(p) {
            p.enter(MLIR_FLAG);
            p.bump();
            // `overflow<nsw>`, or with a blank, as a file of LLVM has it. `<{` begins properties.
            let has_body = p.adjacent(LT) || p.at(LT) && p.peek() != L_BRACE;
            let read = !has_body || params(p);
            p.exit();
            if !read {
                return false;
            }
            // `inbounds|nuw`
            p.eat(PIPE);
        }
        true
    }

    fn at_flag(&self, p: &mut Parser<'_>) -> bool {
        if !p.at(IDENT) {
            return false;
        }
        let word = p.text_of(p.current);
        word != "loc"
            && !word.contains('.')
            && !self.words.iter().any(|it| **it == *word)
            && !p.blocked()
    }

    /// Returns true if the current token starts `elements`.
    fn starts(&self, p: &mut Parser<'_>, elements: &[Element]) -> bool {
        for element in elements {
            if self.begins(p, element) {
                return true;
            }
            if !can_be_empty(element) {
                return false;
            }
        }
        false
    }

    fn begins(&self, p: &mut Parser<'_>, element: &Element) -> bool {
        let kind = p.current.kind;
        match element {
            Element::Mark(mark) => kind == *mark,
            Element::Word(word) => p.at_word(word),
            Element::Value | Element::Values { .. } | Element::Def => {
                kind == VALUE_ID && !p.blocked()
            }
            Element::Type | Element::Types { .. } | Element::Results => {
                matches!(kind, IDENT | TYPE_ID | L_PAREN) && !p.blocked()
            }
            Element::NamedType => kind == TYPE_ID,
            Element::FunctionType | Element::Tuple | Element::Group => kind == L_PAREN,
            Element::Args | Element::Assigns => kind == L_PAREN,
            Element::Dict | Element::DictBeforeRegion => kind == L_BRACE || kind == LT,
            Element::Region => kind == L_BRACE,
            Element::Attr => {
                let starts =
                    matches!(kind, L_BRACK | L_BRACE | IDENT | L_PAREN | SYMBOL_ID | ATTR_ID);
                (starts || matches!(kind, TYPE_ID | STRING | INT | FLOAT | MINUS)) && !p.blocked()
            }
            Element::Number => matches!(kind, INT | FLOAT | MINUS),
            Element::Keyword => matches!(kind, IDENT | STRING) && !p.blocked(),
            Element::Params => kind == LT,
            Element::Flags => self.at_flag(p),
            Element::Symbol | Element::SymbolDef => kind == SYMBOL_ID,
            Element::Indices => kind == L_BRACK,
            Element::Map => kind == ATTR_ID || p.at_word("affine_map") || p.at_word("affine_set"),
            Element::Successor => kind == BLOCK_ID,
            Element::Optional(inner) | Element::Repeat(inner) => self.starts(p, inner),
            Element::Choice(alternatives) => alternatives.iter().any(|it| self.starts(p, it)),
            Element::Part { .. } => parts::begins_part(p),
            Element::AnyAttr { .. } => parts::begins_attr(p),
            Element::AnyType | Element::AnyTypes => parts::begins_type(p),
            Element::Regions => kind == L_BRACE,
            Element::Successors => kind == BLOCK_ID,
            // What code reads may be nothing, or anything.
            Element::Custom(until) => !p.at_end() && !p.blocked() && !parts::stops(p, until),
        }
    }
}

fn can_be_empty(element: &Element) -> bool {
    matches!(
        element,
        Element::Values { one: false }
            | Element::Types { one: false }
            | Element::Dict
            | Element::DictBeforeRegion
            | Element::Params
            | Element::Flags
            | Element::Optional(_)
            | Element::Repeat(_)
            | Element::Part { .. }
            | Element::AnyTypes
            | Element::Regions
            | Element::Successors
            | Element::Custom(_)
    )
}

fn keyword(p: &mut Parser<'_>) -> bool {
    let found = matches!(p.current.kind, IDENT | STRING) && !p.blocked();
    if found {
        p.bump();
    }
    found
}

fn symbol_def(p: &mut Parser<'_>) -> bool {
    let found = p.at(SYMBOL_ID);
    if found {
        p.enter(MLIR_SYMBOL_DEF);
        p.bump();
        p.exit();
    }
    found
}
