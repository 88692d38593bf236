//! Semantic tokens as the protocol has them: five numbers a token, relative to the token before; and the difference of
//! two such lists.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use ide::{SemanticToken, TokenKind};
use lsp_types as lsp;
use rustc_hash::FxHashMap;

use crate::server::lsp::to_proto::Places;

/// The protocol's types of tokens, in the order of their numbers.
const TYPES: &[&str] = &[
    "comment",
    "function",
    "keyword",
    "label",
    "macro",
    "number",
    "parameter",
    "property",
    "string",
    "type",
    "typeParameter",
    "variable",
];
/// Modifiers, in the order of their bits. The last two are ours.
const MODIFIERS: &[&str] =
    &["declaration", "readonly", "defaultLibrary", "modification", "buffer", "index"];

const DECLARATION: u32 = 1;
const READONLY: u32 = 1 << 1;
const DEFAULT_LIBRARY: u32 = 1 << 2;
const MODIFICATION: u32 = 1 << 3;
const BUFFER: u32 = 1 << 4;
const INDEX: u32 = 1 << 5;

/// The names that the numbers in tokens stand for.
pub(crate) fn legend() -> lsp::SemanticTokensLegend {
    let owned = |names: &[&str]| names.iter().map(|it| (*it).to_owned()).collect();
    lsp::SemanticTokensLegend { token_types: owned(TYPES), token_modifiers: owned(MODIFIERS) }
}

fn type_and_modifiers(kind: TokenKind) -> (&'static str, u32) {
    match kind {
        TokenKind::Operation => ("function", DEFAULT_LIBRARY),
        TokenKind::Value => ("variable", READONLY),
        TokenKind::Cell => ("variable", MODIFICATION),
        TokenKind::Parameter => ("parameter", 0),
        TokenKind::Index => ("variable", READONLY | INDEX),
        TokenKind::Buffer => ("variable", BUFFER),
        TokenKind::ShapeVariable => ("typeParameter", 0),
        TokenKind::Label => ("label", 0),
        TokenKind::Symbol => ("function", 0),
        TokenKind::Type => ("type", 0),
        TokenKind::Alias | TokenKind::Meta => ("macro", 0),
        TokenKind::Property => ("property", 0),
        TokenKind::Keyword => ("keyword", 0),
        TokenKind::String => ("string", 0),
        TokenKind::Number => ("number", 0),
        TokenKind::Comment => ("comment", 0),
    }
}

/// Tokens in text order, as the protocol counts them; none if the request is cancelled meanwhile.
pub(crate) fn encode(
    places: Places<'_>,
    tokens: &[SemanticToken],
    stop: &ide::CancellationToken,
) -> Option<Vec<lsp::SemanticToken>> {
    let (mut line, mut column) = (0, 0);
    let mut res = Vec::with_capacity(tokens.len());
    for (number, token) in tokens.iter().enumerate() {
        // A large document has a million.
        if number % 256 == 0 && stop.is_cancelled() {
            return None;
        }
        let range = places.range(token.range);
        let (start, end) = (range.start, range.end);
        if start.line != end.line {
            continue;
        }
        let delta_line = start.line - line;
        let delta_start = if delta_line == 0 { start.character - column } else { start.character };
        (line, column) = (start.line, start.character);
        let (name, modifiers) = type_and_modifiers(token.kind);
        let number = TYPES.binary_search(&name).unwrap_or_default();
        res.push(lsp::SemanticToken {
            delta_line,
            delta_start,
            length: end.character - start.character,
            token_type: number as u32,
            token_modifiers_bitset: modifiers | if token.is_definition { DECLARATION } else { 0 },
        });
    }
    Some(res)
}

fn numbers(tokens: &[lsp::SemanticToken]) -> impl Iterator<Item = u32> {
    let numbers = |it: &lsp::SemanticToken| {
        [it.delta_line, it.delta_start, it.length, it.token_type, it.token_modifiers_bitset]
    };
    tokens.iter().flat_map(numbers)
}

/// Tokens in few bytes: seven bits of a number a byte, the last of which has its highest bit unset. Most numbers take
/// one.
fn packed(tokens: &[lsp::SemanticToken]) -> Arc<[u8]> {
    let mut bytes = Vec::with_capacity(tokens.len() * 6);
    for mut number in numbers(tokens) {
        while number > 0x7f {
            bytes.push(number as u8 | 0x80);
            number >>= 7;
        }
        bytes.push(number as u8);
    }
    bytes.into()
}

/// The tokens of [`packed`].
fn unpacked(bytes: &[u8]) -> Vec<lsp::SemanticToken> {
    let mut bytes = bytes.iter();
    let mut next = || {
        let mut number = 0;
        for shift in (0..32).step_by(7) {
            let byte = *bytes.next()?;
            number |= u32::from(byte & 0x7f) << shift;
            if byte <= 0x7f {
                break;
            }
        }
        Some(number)
    };
    let token = || {
        Some(lsp::SemanticToken {
            delta_line: next()?,
            delta_start: next()?,
            length: next()?,
            token_type: next()?,
            token_modifiers_bitset: next()?,
        })
    };
    std::iter::from_fn(token).collect()
}

/// The one edit that makes `new` of `old`; none if they are equal.
fn difference(
    old: &[lsp::SemanticToken],
    new: &[lsp::SemanticToken],
) -> Vec<lsp::SemanticTokensEdit> {
    let same = old.iter().zip(new).take_while(|(a, b)| a == b).count();
    let (old, new) = (&old[same..], &new[same..]);
    if old.is_empty() && new.is_empty() {
        return Vec::new();
    }
    let tail = old.iter().rev().zip(new.iter().rev()).take_while(|(a, b)| a == b).count();
    let data: Vec<u32> = numbers(&new[..new.len() - tail]).collect();
    vec![lsp::SemanticTokensEdit {
        start: (same * 5) as u32,
        delete_count: ((old.len() - tail) * 5) as u32,
        data: (!data.is_empty()).then_some(data),
    }]
}

/// The tokens that each document's client has, by the name that they were given.
#[derive(Clone, Default)]
pub(crate) struct SentTokens {
    sent: Arc<Mutex<FxHashMap<lsp::Uri, Sent>>>,
}

#[derive(Default)]
struct Sent {
    number: u64,
    tokens: Arc<[u8]>,
}

impl SentTokens {
    fn lock(&self) -> MutexGuard<'_, FxHashMap<lsp::Uri, Sent>> {
        self.sent.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Forgets a document.
    pub(crate) fn forget(&self, uri: &lsp::Uri) {
        self.lock().remove(uri);
    }

    /// Remembers the tokens that a client gets, and names them.
    pub(crate) fn full(
        &self,
        uri: &lsp::Uri,
        data: Vec<lsp::SemanticToken>,
    ) -> lsp::SemanticTokens {
        let tokens = packed(&data);
        let mut sent = self.lock();
        let entry = sent.entry(uri.clone()).or_default();
        entry.number += 1;
        entry.tokens = tokens;
        lsp::SemanticTokens { result_id: Some(entry.number.to_string()), data }
    }

    /// The difference from the client's tokens, if those were the last ones sent.
    pub(crate) fn delta(
        &self,
        uri: &lsp::Uri,
        previous: &str,
        data: Vec<lsp::SemanticToken>,
    ) -> lsp::SemanticTokensDeltaResponse {
        let last = self.lock().get(uri).map(|it| (it.number.to_string(), it.tokens.clone()));
        let full = self.full(uri, data);
        match last {
            Some((number, old)) if number == previous => {
                let edits = difference(&unpacked(&old), &full.data);
                lsp::SemanticTokensDelta { result_id: full.result_id, edits }.into()
            }
            _ => full.into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn token(delta_start: u32) -> lsp::SemanticToken {
        lsp::SemanticToken {
            delta_line: 0,
            delta_start,
            length: 1,
            token_type: 0,
            token_modifiers_bitset: 0,
        }
    }

    #[test]
    fn types_are_sorted_and_every_kind_has_one() {
        assert!(TYPES.is_sorted());
        assert_eq!(TYPES.binary_search(&type_and_modifiers(TokenKind::Value).0), Ok(11));
    }

    #[test]
    fn tokens_are_the_same_when_they_were_kept() {
        let all = [0, 1, 127, 128, 16383, 16384, u32::MAX];
        let tokens: Vec<_> = all.map(|it| lsp::SemanticToken { length: it, ..token(it) }).into();
        assert_eq!(unpacked(&packed(&tokens)), tokens);
        assert_eq!(packed(&tokens[..1]).len(), 5);
    }

    #[test]
    fn differences_are_what_changed_in_the_middle() {
        let old: Vec<_> = [1, 2, 3, 4].map(token).into();
        assert_eq!(difference(&old, &old), []);
        let new: Vec<_> = [1, 9, 4].map(token).into();
        let edits = difference(&old, &new);
        assert_eq!(edits.len(), 1);
        assert_eq!((edits[0].start, edits[0].delete_count), (5, 10));
        assert_eq!(edits[0].data, Some(vec![0, 9, 1, 0, 0]));
        assert_eq!(difference(&old, &old[..3])[0].data, None);
        // What repeats is not counted twice.
        let twice: Vec<_> = [1, 1].map(token).into();
        let edits = difference(&twice[..1], &twice);
        assert_eq!((edits[0].start, edits[0].delete_count), (5, 0));
    }
}
