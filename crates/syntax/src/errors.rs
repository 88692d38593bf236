//! Syntax errors, derived from the tree.
//!
//! The parser reports nothing: a tree shows unreadable text (error nodes), missing parts (children that a node of its
//! kind needs) and unclosed brackets. So the errors of a piece depend on the piece alone, equal pieces have equal
//! errors wherever they stand, and nothing needs to be moved when the text before a piece changes. Ranges are relative
//! to the queried node.
//!
//! A bracket that is never closed takes the rest of its statement: what is missing or unexpected in that follows from
//! it, and is not told.
//!
//! Linear in the size of the tree, without recursion.

mod items;
mod kind;
mod needs;
mod unexpected;

use parser::SyntaxKind::{self, *};
use rowan::{GreenNodeData, NodeOrToken, TextRange, TextSize};

pub(crate) use self::items::of_items;
pub use self::kind::SyntaxErrorKind;
use self::needs::{Need, needs};
use crate::{
    Green, SyntaxNode,
    ast::{AstNode as _, Expr, literals::StringPart},
    bounded::{Bounded, Listed},
    language::Language,
    syntax_node::kind_from_raw,
    unshared::each_unshared,
};

/// One thing that is wrong.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct SyntaxError {
    /// The kind.
    pub kind: SyntaxErrorKind,
    /// The place, relative to the node that was asked. Empty where something is missing.
    pub range: TextRange,
    /// The message.
    pub message: String,
    /// A way out, if there is an obvious one.
    pub help: Option<&'static str>,
}

impl Listed for SyntaxError {
    fn range(&self) -> TextRange {
        self.range
    }

    fn standing_for_all(self, message: String) -> SyntaxError {
        SyntaxError { kind: SyntaxErrorKind::MoreErrors, message, help: None, ..self }
    }
}

/// The errors in the tree below `node`, in the order of the text: the first [`MAX_LISTED`](crate::MAX_LISTED) that are
/// found, and one that counts the rest.
pub fn syntax_errors(node: &SyntaxNode) -> Vec<SyntaxError> {
    (Language::of_kind(node.kind()).support().errors)(node, None)
}

/// As [`syntax_errors`], where an earlier version of the tree is known that has none: what both share is not looked at.
/// The errors of a node are its own, or those of nodes inside of it, so that there are none in what they share.
pub fn syntax_errors_after(node: &SyntaxNode, clean: &Green) -> Vec<SyntaxError> {
    (Language::of_kind(node.kind()).support().errors)(node, Some(clean))
}

/// The errors below a node of a language of statements; `clean` has none.
pub(crate) fn of_statements(node: &SyntaxNode, clean: Option<&Green>) -> Vec<SyntaxError> {
    let mut collector = Collector { errors: Bounded::default(), open: Vec::new() };
    each_unshared(node.green(), clean.map(|it| &**it.node()), |it| {
        let parent = it.parent.map(|it| it.0);
        match it.element {
            NodeOrToken::Node(node) => collector.node(Place { node, parent, start: it.start }),
            NodeOrToken::Token(token) => {
                let in_error = parent.is_some_and(|it| kind_from_raw(it.kind()) == ERROR_NODE);
                collector.token(kind_from_raw(token.kind()), token.text(), it.start, in_error);
            }
        }
        true
    });
    let Collector { errors, open } = collector;
    without_consequences(errors.into_sorted(), &open)
}

/// The errors that do not follow from a bracket that is never closed. `open` has the texts behind such brackets, in
/// their order.
fn without_consequences(mut errors: Vec<SyntaxError>, open: &[TextRange]) -> Vec<SyntaxError> {
    let mut open = open.iter().peekable();
    let mut end = TextSize::from(0);
    errors.retain(|error| {
        let start = error.range.start();
        while let Some(range) = open.next_if(|it| it.start() <= start) {
            end = end.max(range.end());
        }
        let may_follow =
            matches!(error.kind, SyntaxErrorKind::MissingPart | SyntaxErrorKind::UnexpectedText);
        !may_follow || end == 0.into() || start > end
    });
    errors
}

/// A node with its surroundings.
#[derive(Clone, Copy)]
struct Place<'a> {
    node: &'a GreenNodeData,
    parent: Option<&'a GreenNodeData>,
    start: TextSize,
}

/// A child of a node: its kind, its place, and its text if it is a token.
#[derive(Clone, Copy)]
struct Child<'a> {
    kind: SyntaxKind,
    range: TextRange,
    node: Option<&'a GreenNodeData>,
    token: &'a str,
}

impl<'a> Place<'a> {
    fn kind(&self) -> SyntaxKind {
        kind_from_raw(self.node.kind())
    }

    fn range(&self) -> TextRange {
        TextRange::at(self.start, self.node.text_len())
    }

    /// The children that are not trivia. The newline that ends a statement is trivia here.
    fn significant(&self) -> impl Iterator<Item = Child<'a>> + use<'a> {
        let mut offset = self.start;
        self.node.children().filter_map(move |child| {
            let (kind, len) = match child {
                NodeOrToken::Node(node) => (node.kind(), node.text_len()),
                NodeOrToken::Token(token) => (token.kind(), token.text_len()),
            };
            let kind = kind_from_raw(kind);
            let range = TextRange::at(offset, len);
            offset += len;
            let token = child.as_token().map_or("", |it| it.text());
            let node = child.into_node();
            (!kind.is_trivia()).then_some(Child { kind, range, node, token })
        })
    }
}

struct Collector {
    errors: Bounded<SyntaxError>,
    /// The texts behind brackets that are never closed, without those inside of another.
    open: Vec<TextRange>,
}

impl Collector {
    fn push(
        &mut self,
        kind: SyntaxErrorKind,
        range: TextRange,
        message: String,
        help: Option<&'static str>,
    ) {
        self.errors.push(SyntaxError { kind, range, message, help });
    }

    fn node(&mut self, place: Place<'_>) {
        match place.kind() {
            ERROR_NODE => {
                // If something is missing where the error stands, the parent has said so.
                let told = place.parent.is_some_and(|parent| {
                    let parent = Place { node: parent, parent: None, start: 0.into() };
                    first_missing(parent).is_some_and(|it| it.instead.is_some())
                });
                if !told {
                    unexpected::report(self, place);
                }
            }
            UNEXPECTED_INDENT => self.push(
                SyntaxErrorKind::UnexpectedIndent,
                unexpected::first_line(place),
                "this line is indented deeper than the block that it stands in".to_owned(),
                Some("indent it like the statement before it"),
            ),
            TOO_DEEP => self.push(
                SyntaxErrorKind::TooDeep,
                unexpected::first_line(place),
                format!("nested more than {} levels deep: not read", parser::tvmscript::MAX_DEPTH),
                Some("give inner expressions names of their own, or split the function"),
            ),
            _ => self.missing(place),
        }
    }

    fn missing(&mut self, place: Place<'_>) {
        if let Some(open) = unclosed(place) {
            let message = format!("`{}` is never closed", open.token);
            self.push(SyntaxErrorKind::UnclosedBracket, open.range, message, None);
            let behind = TextRange::new(open.range.end(), place.range().end());
            if self.open.last().is_none_or(|it| it.end() < behind.end()) {
                self.open.push(behind);
            }
        }
        let Some(missing) = first_missing(place) else { return };
        let need = missing.need;
        match missing.instead {
            Some(error) => {
                let found = unexpected::excerpt(error);
                let message = format!("expected {}, found {found}", need.what);
                let help =
                    need.help.or_else(|| unexpected::character_help(found.trim_start_matches('`')));
                self.push(SyntaxErrorKind::MissingPart, error.range, message, help);
            }
            None => {
                let message = format!("expected {}", need.what);
                self.push(
                    SyntaxErrorKind::MissingPart,
                    TextRange::empty(missing.at),
                    message,
                    need.help,
                );
            }
        }
    }

    fn token(&mut self, kind: SyntaxKind, text: &str, at: TextSize, in_error: bool) {
        let range = TextRange::at(at, TextSize::of(text));
        match kind {
            STRING => {
                if let Some(part) = StringPart::parse(text).filter(|it| !it.terminated) {
                    let (message, help) = if part.quote.len() == 3 {
                        (
                            "this string is not closed: it takes the rest of the file",
                            "close it with the same three quotes",
                        )
                    } else {
                        (
                            "this string is not closed on its line",
                            "close it with the quote that opens it",
                        )
                    };
                    // Only the opening is marked: a string in triple quotes takes the rest of the file.
                    let opening = text.len() - part.body.len();
                    let range = TextRange::at(at, (opening as u32).into());
                    self.push(
                        SyntaxErrorKind::UnterminatedString,
                        range,
                        message.to_owned(),
                        Some(help),
                    );
                }
            }
            INT if !is_int(text) => {
                let message = format!("`{text}` is not a number");
                self.push(SyntaxErrorKind::MalformedNumber, range, message, number_help(text));
            }
            // One report for a stretch of text is enough.
            ERROR if !in_error => {
                let message = format!("{} cannot stand here", unexpected::quote(text));
                self.push(
                    SyntaxErrorKind::UnknownCharacter,
                    range,
                    message,
                    unexpected::character_help(text),
                );
            }
            _ => {}
        }
    }
}

/// Returns true if an integer has digits of its base only, with single underscores between.
fn is_int(text: &str) -> bool {
    let bytes = text.as_bytes();
    let (radix, digits) = match bytes {
        [b'0', b'x' | b'X', rest @ ..] => (16, rest),
        [b'0', b'o' | b'O', rest @ ..] => (8, rest),
        [b'0', b'b' | b'B', rest @ ..] => (2, rest),
        _ => (10, bytes),
    };
    let digits = if radix == 10 { digits } else { digits.strip_prefix(b"_").unwrap_or(digits) };
    let is_digit = |b: &u8| char::from(*b).is_digit(radix);
    let leading_zeros = radix == 10
        && bytes.len() > 1
        && bytes[0] == b'0'
        && bytes.iter().any(|b| matches!(b, b'1'..=b'9'));
    !leading_zeros
        && digits.split(|b| *b == b'_').all(|group| !group.is_empty() && group.iter().all(is_digit))
}

fn number_help(text: &str) -> Option<&'static str> {
    match text.as_bytes() {
        [b'0', b'0'..=b'9', ..] => {
            Some("a number does not begin with 0; octal ones begin with `0o`")
        }
        _ if text.contains('_') => Some("an underscore stands between two digits"),
        _ => None,
    }
}

/// The opening bracket of a node that has no closing one.
fn unclosed(place: Place<'_>) -> Option<Child<'_>> {
    let close_of = |kind| match kind {
        L_PAREN => Some(R_PAREN),
        L_BRACK => Some(R_BRACK),
        L_BRACE => Some(R_BRACE),
        _ => None,
    };
    // Only the brackets that the grammar opens here; those in error nodes are loose text.
    let open = place.significant().find(|it| close_of(it.kind).is_some())?;
    let close = close_of(open.kind)?;
    place.significant().all(|it| it.kind != close).then_some(open)
}

/// The first thing that a node needs and has not.
struct Missing<'a> {
    need: &'static Need,
    at: TextSize,
    /// The child in its place.
    instead: Option<Child<'a>>,
}

fn first_missing(place: Place<'_>) -> Option<Missing<'_>> {
    needs(place.kind()).iter().find_map(|need| {
        let at = need.unmet(place)?;
        let instead =
            place.significant().find(|it| it.kind == ERROR_NODE && it.range.start() >= at);
        Some(Missing { need, at, instead })
    })
}

fn is_expr(kind: SyntaxKind) -> bool {
    kind != ERROR_NODE && Expr::can_cast(kind)
}
