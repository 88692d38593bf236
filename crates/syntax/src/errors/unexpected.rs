//! Messages for unexpected text.

use parser::SyntaxKind::{self, *};
use rowan::{NodeOrToken, TextRange, TextSize};

use super::{Child, Collector, Place, SyntaxErrorKind};
use crate::{green, syntax_node::kind_from_raw};

/// The number of quoted characters of the text.
const MAX_QUOTE: usize = 40;

/// Reports an error node.
pub(super) fn report(collector: &mut Collector, place: Place<'_>) {
    let Some(first) = place.significant().next() else { return };
    let (range, message, help) = match first.kind {
        ELIF_CLAUSE | ELSE_CLAUSE | EXCEPT_CLAUSE | FINALLY_CLAUSE => stray_clause(first),
        DECORATOR => (
            first_line(place),
            "this decorator decorates nothing".to_owned(),
            Some("a `def` or `class` must follow, in the same column"),
        ),
        kind if kind.is_node() => misplaced_statement(place),
        _ => loose_text(place, first),
    };
    collector.push(SyntaxErrorKind::UnexpectedText, range, message, help);
}

fn stray_clause(clause: Child<'_>) -> (TextRange, String, Option<&'static str>) {
    let (word, owners) = match clause.kind {
        ELIF_CLAUSE => ("elif", "`if`"),
        ELSE_CLAUSE => ("else", "`if`, `for`, `while` or `try`"),
        EXCEPT_CLAUSE => ("except", "`try`"),
        _ => ("finally", "`try`"),
    };
    let range = TextRange::at(clause.range.start(), TextSize::of(word));
    let help = Some("it must begin in the same column as the statement that it belongs to");
    (range, format!("`{word}` without {owners} before it"), help)
}

fn misplaced_statement(place: Place<'_>) -> (TextRange, String, Option<&'static str>) {
    let range = first_line(place);
    match place.parent.map(|it| kind_from_raw(it.kind())) {
        Some(MATCH_STMT) => (range, "expected `case`".to_owned(), None),
        _ => (
            range,
            "a statement with a block cannot follow another on its line".to_owned(),
            Some("begin a new line before it"),
        ),
    }
}

fn loose_text(place: Place<'_>, first: Child<'_>) -> (TextRange, String, Option<&'static str>) {
    let whole = Child { kind: ERROR_NODE, range: place.range(), node: Some(place.node), token: "" };
    let found = excerpt(whole);
    let range = place.range();
    if matches!(first.kind, R_PAREN | R_BRACK | R_BRACE) {
        return (first.range, format!("`{}` closes nothing", first.token), None);
    }
    let before = kind_before(place);
    let help = match first.kind {
        EQ => Some("to compare, write `==`"),
        _ if starts_with_word(first.token) => word_help(first.token),
        _ => character_help(first.token),
    };
    match (place.parent.map(|it| kind_from_raw(it.kind())), before) {
        (
            Some(
                ARG_LIST | LIST_EXPR | SET_EXPR | DICT_EXPR | TUPLE_EXPR | PAREN_EXPR | PARAM_LIST,
            ),
            Some(before),
        ) if before != COMMA && !before.is_punct() => {
            (range, format!("expected `,` or a closing bracket, found {found}"), help)
        }
        (Some(parent), Some(_)) if is_simple_statement(parent) => (
            range,
            format!("expected the end of the statement, found {found}"),
            help.or(Some("a statement ends with its line, or with `;`")),
        ),
        _ => (range, format!("unexpected {found}"), help),
    }
}

fn is_simple_statement(kind: SyntaxKind) -> bool {
    matches!(
        kind,
        EXPR_STMT
            | ASSIGN_STMT
            | AUG_ASSIGN_STMT
            | ANN_ASSIGN_STMT
            | RETURN_STMT
            | RAISE_STMT
            | ASSERT_STMT
            | DEL_STMT
            | GLOBAL_STMT
            | NONLOCAL_STMT
            | PASS_STMT
            | BREAK_STMT
            | CONTINUE_STMT
            | IMPORT_STMT
            | FROM_IMPORT_STMT
            | TYPE_ALIAS_STMT
    )
}

/// The kind of the element before a node in its parent.
fn kind_before(place: Place<'_>) -> Option<SyntaxKind> {
    let parent = place.parent?;
    let kinds = parent.children().map(|it| match it {
        NodeOrToken::Node(node) => (kind_from_raw(node.kind()), std::ptr::eq(node, place.node)),
        NodeOrToken::Token(token) => (kind_from_raw(token.kind()), false),
    });
    kinds.take_while(|(_, is_it)| !is_it).map(|(kind, _)| kind).filter(|it| !it.is_trivia()).last()
}

fn starts_with_word(text: &str) -> bool {
    text.starts_with(|c: char| c.is_alphabetic())
}

fn word_help(word: &str) -> Option<&'static str> {
    match word {
        "null" | "nil" => Some("Python's word is `None`"),
        "true" => Some("Python's word is `True`"),
        "false" => Some("Python's word is `False`"),
        _ => None,
    }
}

/// A way out for a character of another language.
pub(super) fn character_help(text: &str) -> Option<&'static str> {
    match text.chars().next()? {
        '!' => Some("Python's word is `not`"),
        '?' => Some("a conditional is written `a if c else b`"),
        '&' => Some("Python's word is `and`"),
        '|' => Some("Python's word is `or`"),
        '\u{a0}' | '\u{2000}'..='\u{200f}' | '\u{3000}' | '\u{feff}' => {
            Some("replace the unusual white space by blanks")
        }
        '\u{2018}'..='\u{201f}' => Some("replace the typographic quotes by plain ones"),
        _ => None,
    }
}

/// The text of a child, quoted and cut to one short line.
pub(super) fn excerpt(child: Child<'_>) -> String {
    match child.node {
        Some(node) => quote(&green::text_start(node, 4 * MAX_QUOTE)),
        None => quote(child.token),
    }
}

/// A text in backquotes, cut to one short line.
pub(super) fn quote(text: &str) -> String {
    let line = text.trim().lines().next().unwrap_or_default();
    let shown: String =
        line.chars().take(MAX_QUOTE).map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect();
    let cut = if shown.len() < text.trim().len() { "…" } else { "" };
    format!("`{shown}{cut}`")
}

/// The first line of a node.
pub(super) fn first_line(place: Place<'_>) -> TextRange {
    let text = green::text_start(place.node, 256);
    let len = text.find(['\n', '\r']).unwrap_or(text.len());
    TextRange::at(place.start, (len as u32).into())
}
