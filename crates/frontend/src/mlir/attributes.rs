//! Errors in written attributes and types: undefined names, and duplicate keys of a dictionary.
//!
//! In: the tree of a unit, and the aliases that its document defines. Out: diagnostics, where MLIR's own parser
//! certainly refuses the text. Text in an operation of unknown form is left to that operation, and so is text between
//! the brackets of a dialect's own attribute. Linear in the tree.

use rustc_hash::FxHashSet;
use syntax::{
    Diagnostic, Green, GreenPart, Severity, SyntaxElement, SyntaxKind, SyntaxNode, SyntaxToken,
    TextRange, TextSize,
};

use crate::{
    diagnostic_list::DiagnosticList,
    ops::codes::{DUPLICATE_KEY, UNDEFINED_AFFINE_NAME, UNDEFINED_ALIAS},
};

/// Problems of the attributes and types of a unit, relative to it; at most as many as are listed of one unit. `clean`
/// is a version of it that has none: what both share is not looked at.
pub fn attribute_problems(
    unit: &Green,
    clean: Option<&Green>,
    mut is_defined: impl FnMut(&str) -> bool,
) -> Vec<Diagnostic> {
    let mut said = DiagnosticList::default();
    let visit = |part: GreenPart<'_>| {
        ir::interrupt::check();
        let mut report = |it: Diagnostic| said.push(moved(it, part.start()));
        match part.kind() {
            SyntaxKind::MLIR_OPAQUE_OP | SyntaxKind::MLIR_UNREAD => return false,
            SyntaxKind::MLIR_ATTR_DICT if part.node_kinds().nth(1).is_some() => {
                duplicate_keys(&part.syntax(), &mut report);
            }
            SyntaxKind::MLIR_BUILTIN_ATTR => undefined_names(&part.syntax(), &mut report),
            SyntaxKind::MLIR_HASH_ATTR | SyntaxKind::MLIR_TYPE
                if part.token_kinds().any(is_alias_name) =>
            {
                undefined_aliases(&part.syntax(), &mut is_defined, &mut report);
            }
            _ => {}
        }
        true
    };
    match clean {
        Some(clean) => unit.each_part_after(clean, visit),
        None => unit.each_part(visit),
    }
    said.into_sorted()
}

/// A diagnostic of a part, where the part is.
fn moved(mut it: Diagnostic, start: TextSize) -> Diagnostic {
    it.range += start;
    it
}

fn error(code: &'static str, range: TextRange, message: String) -> Diagnostic {
    Diagnostic { code, severity: Severity::Error, range, message, ..Diagnostic::default() }
}

// ---- aliases ----

fn is_alias_name(kind: SyntaxKind) -> bool {
    matches!(kind, SyntaxKind::ATTR_ID | SyntaxKind::TYPE_ID)
}

/// Uses of aliases in an attribute or type, in no part of it, that nobody defines.
fn undefined_aliases(
    part: &SyntaxNode,
    is_defined: &mut impl FnMut(&str) -> bool,
    report: &mut impl FnMut(Diagnostic),
) {
    for token in part.children_with_tokens().filter_map(SyntaxElement::into_token) {
        if is_alias(part, &token) && !is_defined(token.text()) {
            let message = format!("`{}` is not defined in this document", token.text());
            report(error(UNDEFINED_ALIAS, token.text_range(), message));
        }
    }
}

/// Returns true if a token is certainly the use of an alias: `#map`, `!type`, with no word of a dialect in it or behind
/// it.
fn is_alias(parent: &SyntaxNode, token: &SyntaxToken) -> bool {
    let is_name = is_alias_name(token.kind());
    if !is_name || token.text().len() < 2 || token.text().contains(['.', '"']) {
        return false;
    }
    match (parent.kind(), token.kind()) {
        // `memref<4xf32, #layout>`.
        (SyntaxKind::MLIR_TYPE, SyntaxKind::ATTR_ID) => is_layout(parent, token),
        _ => is_only(parent, token),
    }
}

fn is_only(parent: &SyntaxNode, token: &SyntaxToken) -> bool {
    let mut parts = parent.children_with_tokens().filter(|it| !it.kind().is_trivia());
    parts.next().is_some_and(|it| it.as_token() == Some(token)) && parts.next().is_none()
}

fn is_layout(ty: &SyntaxNode, token: &SyntaxToken) -> bool {
    use SyntaxKind::{COMMA, GT};
    let is_shaped = ty.first_token().is_some_and(|it| matches!(it.text(), "memref" | "tensor"));
    let before = next_word(token.prev_token(), SyntaxToken::prev_token);
    let after = next_word(token.next_token(), SyntaxToken::next_token);
    is_shaped && before == Some(COMMA) && matches!(after, Some(GT | COMMA))
}

/// The first token from one on, in one direction, that is no blank.
fn next_word(
    mut at: Option<SyntaxToken>,
    next: fn(&SyntaxToken) -> Option<SyntaxToken>,
) -> Option<SyntaxKind> {
    while let Some(token) = &at {
        if !token.kind().is_trivia() {
            break;
        }
        at = next(token);
    }
    at.map(|it| it.kind())
}

// ---- dictionaries ----

fn duplicate_keys(dictionary: &SyntaxNode, report: &mut impl FnMut(Diagnostic)) {
    let mut keys: FxHashSet<String> = FxHashSet::default();
    for entry in dictionary.children().filter(|it| it.kind() == SyntaxKind::MLIR_ATTR_ENTRY) {
        let Some(key) = entry.first_token() else { continue };
        let is_name = key.kind() == SyntaxKind::STRING
            || key.text().starts_with(|it: char| it.is_ascii_alphabetic() || it == '_');
        let name = key.text().trim_matches('"').to_owned();
        // With an escape it may be the same name in other letters, which is not said.
        if is_name && !name.contains('\\') && !keys.insert(name) {
            let message = format!("the key `{}` is here twice", key.text());
            report(error(DUPLICATE_KEY, key.text_range(), message));
        }
    }
}

// ---- affine maps and sets ----

/// Names in an `affine_map<…>` or `affine_set<…>` that are none of its dimensions and symbols.
fn undefined_names(attribute: &SyntaxNode, report: &mut impl FnMut(Diagnostic)) {
    let Some(word) = attribute.first_token() else { return };
    if !matches!(word.text(), "affine_map" | "affine_set") {
        return;
    }
    let Some(inside) = attribute.children().find(|it| it.kind() == SyntaxKind::MLIR_PARAMS) else {
        return;
    };
    let tokens = inside.children_with_tokens().map(SyntaxElement::into_token);
    // Anything but tokens is no affine expression, and told as such or not at all.
    let Some(mut tokens) = tokens.collect::<Option<Vec<SyntaxToken>>>() else { return };
    tokens.retain(|it| !it.kind().is_trivia());
    let Some(names) = declared(&tokens) else { return };
    for token in &tokens[names.end..] {
        let is_word = matches!(token.text(), "floordiv" | "ceildiv" | "mod");
        if token.kind() == SyntaxKind::IDENT && !is_word && !names.all.contains(token.text()) {
            let message = format!(
                "`{}` is neither a dimension nor a symbol of this `{}`",
                token.text(),
                word.text()
            );
            report(error(UNDEFINED_AFFINE_NAME, token.text_range(), message));
        }
    }
}

/// The dimensions and symbols of a map, and where they end.
struct Declared<'a> {
    all: FxHashSet<&'a str>,
    end: usize,
}

/// `<(d0, d1)[s0] ->` or `<(d0)[s0] :`; none where it begins in another way.
fn declared(tokens: &[SyntaxToken]) -> Option<Declared<'_>> {
    use SyntaxKind::{ARROW, COLON, COMMA, IDENT, L_BRACK, L_PAREN, LT, R_BRACK, R_PAREN};
    let kind = |at: usize| tokens.get(at).map(SyntaxToken::kind);
    let mut all = FxHashSet::default();
    let mut at = 0;
    let expect = |at: &mut usize, wanted: SyntaxKind| {
        *at += 1;
        (kind(*at - 1) == Some(wanted)).then_some(())
    };
    expect(&mut at, LT)?;
    for (open, close) in [(L_PAREN, R_PAREN), (L_BRACK, R_BRACK)] {
        if open == L_BRACK && kind(at) != Some(L_BRACK) {
            continue;
        }
        expect(&mut at, open)?;
        while kind(at) != Some(close) {
            all.insert(tokens.get(at)?.text());
            expect(&mut at, IDENT)?;
            if kind(at) != Some(close) {
                expect(&mut at, COMMA)?;
            }
        }
        at += 1;
    }
    matches!(kind(at), Some(ARROW | COLON)).then_some(Declared { all, end: at + 1 })
}
