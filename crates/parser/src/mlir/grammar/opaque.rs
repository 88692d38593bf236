//! Text that is read by its brackets alone: bodies of dialect types and attributes, unknown pretty forms, text after an
//! error.
//!
//! Brackets pair by a stack: a `>` closes only a `<` that is innermost (`d0 >= 0` in parentheses closes nothing), any
//! other closing bracket closes all open brackets inside its partner too. Everything ends before a line that begins an
//! operation. No recursion but for regions; linear.

use super::{region, successor, symbol_ref};
use crate::{
    SyntaxKind::{self, *},
    mlir::parser::{Mark, Parser, Token},
};

/// Returns true if the body of the type here begins with dimensions.
pub(super) fn is_shaped(p: &Parser<'_>) -> bool {
    p.at(IDENT) && matches!(p.text_of(p.current), "tensor" | "vector" | "memref")
}

/// Returns true if the body of a type begins here. A blank may stand before that of a builtin type with a `shape`.
pub(super) fn body_follows(p: &Parser<'_>, shaped: bool) -> bool {
    p.adjacent(LT) || (shaped && p.at(LT) && !p.current.newline)
}

/// `<…>` of a type or an attribute; `shaped` if it begins with dimensions.
pub(super) fn angle_body(p: &mut Parser<'_>, shaped: bool) -> bool {
    if !shaped {
        return balanced(p);
    }
    let base = p.brackets.len();
    p.brackets.push(LT);
    p.bump();
    p.relex_dimensions();
    balanced_from(p, base)
}

/// Everything from the bracket that is the current token to its partner. Gives whether that is there.
pub(super) fn balanced(p: &mut Parser<'_>) -> bool {
    let base = p.brackets.len();
    p.brackets.push(p.current.kind);
    p.bump();
    balanced_from(p, base)
}

fn balanced_from(p: &mut Parser<'_>, base: usize) -> bool {
    while p.brackets.len() > base {
        if p.at_end() || p.blocked() {
            break;
        }
        let kind = p.current.kind;
        match kind {
            VALUE_ID => mention(p, MLIR_VALUE_USE),
            kind if is_bracket(kind) => {
                if !bracket(p, base) {
                    break;
                }
            }
            _ => plain(p),
        }
    }
    let closed = p.brackets.len() == base;
    p.brackets.truncate(base);
    closed
}

fn is_bracket(kind: SyntaxKind) -> bool {
    matches!(kind, L_PAREN | L_BRACK | L_BRACE | LT | R_PAREN | R_BRACK | R_BRACE | GT)
}

/// Consumes an opening bracket, or one that closes something opened since `base`. `false`: it closes something outer.
fn bracket(p: &mut Parser<'_>, base: usize) -> bool {
    let partner = match p.current.kind {
        R_PAREN => L_PAREN,
        R_BRACK => L_BRACK,
        R_BRACE => L_BRACE,
        GT => {
            if p.brackets.len() > base && p.brackets.last() == Some(&LT) {
                p.brackets.pop();
            }
            p.bump();
            return true;
        }
        opening => {
            p.brackets.push(opening);
            p.bump();
            return true;
        }
    };
    let Some(at) = p.brackets[base..].iter().rposition(|it| *it == partner) else { return false };
    p.brackets.truncate(base + at);
    p.bump();
    true
}

/// Any other token; dimensions are read as such. A body may have characters that MLIR has no token for.
fn plain(p: &mut Parser<'_>) {
    let shaped = is_shaped(p);
    if p.brackets.len() > p.n_outer_brackets && p.brackets.last() == Some(&LT) {
        p.allow_character();
    }
    p.bump();
    if shaped && body_follows(p, shaped) {
        p.brackets.push(LT);
        p.bump();
        p.relex_dimensions();
    }
}

/// A value in a node of this kind.
fn mention(p: &mut Parser<'_>, kind: SyntaxKind) {
    p.enter(kind);
    p.bump();
    if p.adjacent(RESULT_NO) {
        p.bump();
    }
    p.exit();
}

/// The rest of an operation whose form is not known, up to its location, the next operation, or a bracket that closes
/// an outer one. Gives whether all brackets are closed; `<` may be less-than.
pub(super) fn rest_of_operation(p: &mut Parser<'_>) -> bool {
    let base = p.brackets.len();
    let mut doubts = Doubts::default();
    while !p.at_end() {
        doubts.close(p);
        if next_begins(p, base) || doubts.label_follows(p) {
            if doubts.decide(p) {
                continue;
            }
            break;
        }
        let kind = p.current.kind;
        match kind {
            L_BRACE if region_follows(p) => {
                // No dictionary has a region inside.
                if !doubts.decide(p) {
                    region(p);
                }
            }
            L_BRACE if is_in_doubt(p) => doubts.open(p),
            VALUE_ID => value(p, base),
            BLOCK_ID => {
                successor(p);
            }
            SYMBOL_ID if std::mem::take(&mut p.symbol_is_def) => {
                p.enter(MLIR_SYMBOL_DEF);
                p.bump();
                p.exit();
            }
            SYMBOL_ID => {
                symbol_ref(p);
            }
            kind if is_bracket(kind) => {
                if !bracket(p, base) && !odd_bracket(p, base) {
                    break;
                }
            }
            _ => plain(p),
        }
    }
    let closed = p.brackets[base..].iter().all(|it| *it == LT);
    p.brackets.truncate(base);
    closed
}

/// A bracket of an operation that is not known, which closes one of another kind, as of a half-open interval, `[%a,
/// %b)`; or none, on the line of the form: `0) (%a) {`. Only a brace ends what is around.
fn odd_bracket(p: &mut Parser<'_>, base: usize) -> bool {
    if p.op_name.is_empty() || p.shapes.info(p.op_name).is_known {
        return false;
    }
    let innermost = p.brackets[base..].last();
    let is_odd = match p.current.kind {
        R_PAREN => innermost == Some(&L_BRACK),
        R_BRACK => innermost == Some(&L_PAREN),
        _ => return false,
    };
    if is_odd {
        p.brackets.pop();
    } else if innermost.is_some() || p.current.newline || !p.is_in_region() {
        return false;
    }
    p.bump();
    true
}

/// The open braces of an operation that are read as those of dictionaries and may be those of regions: `key : value`
/// and an operation of unknown form begin alike. They are regions if a line in the innermost begins an operation.
///
/// Then the text from the outermost on is read again, once: no brace in it is in doubt any longer.
#[derive(Default)]
struct Doubts {
    /// The place of the outermost.
    first: Option<Mark>,
    /// The offsets of all, and the number of brackets around each.
    braces: Vec<(usize, usize)>,
}

impl Doubts {
    /// The current brace is in doubt.
    fn open(&mut self, p: &mut Parser<'_>) {
        if self.braces.is_empty() {
            self.first = Some(p.mark());
        }
        self.braces.push((p.current.start, p.brackets.len()));
        p.brackets.push(L_BRACE);
        p.bump();
    }

    /// Forgets the braces that are closed.
    fn close(&mut self, p: &Parser<'_>) {
        while self.braces.last().is_some_and(|it| it.1 >= p.brackets.len()) {
            self.braces.pop();
        }
    }

    /// Returns true if the innermost open bracket is in doubt.
    fn is_innermost(&self, p: &Parser<'_>) -> bool {
        self.braces.last().is_some_and(|it| it.1 + 1 == p.brackets.len())
    }

    /// Returns true if a label begins a line in a brace that is in doubt.
    fn label_follows(&self, p: &mut Parser<'_>) -> bool {
        p.at(BLOCK_ID)
            && p.current.newline
            && self.is_innermost(p)
            && matches!(p.peek(), COLON | L_PAREN)
    }

    /// Returns to the outermost brace if the innermost bracket is in doubt and what follows says that it is a region.
    fn decide(&mut self, p: &mut Parser<'_>) -> bool {
        let Some(first) = self.first.filter(|_| self.is_innermost(p)) else { return false };
        let (_, n_brackets) = self.braces[0];
        if !p.rewind_to_regions(first, self.braces.iter().map(|it| it.0)) {
            return false;
        }
        p.brackets.truncate(n_brackets);
        self.braces.clear();
        true
    }
}

/// Returns true if a region may begin here, or a dictionary whose entries have a `:`. The text behind it decides.
fn is_in_doubt(p: &mut Parser<'_>) -> bool {
    let first = p.token_from(p.current.end);
    first.kind == IDENT
        && p.token_from(first.end).kind == COLON
        && (p.text_of(first).contains('.') || !p.inner_dialect().is_empty())
}

/// Returns true if a new construct begins here, seen from inside an operation.
fn next_begins(p: &mut Parser<'_>, base: usize) -> bool {
    let outside = p.brackets.len() == base;
    if p.at(IDENT) && outside && p.at_word("loc") && is_trailing_location(p) {
        return true;
    }
    if !p.current.newline {
        return false;
    }
    let kind = p.current.kind;
    match kind {
        BLOCK_ID => outside && matches!(p.peek(), COLON | L_PAREN),
        ATTR_ID | TYPE_ID => outside && p.peek() == EQ,
        METADATA_OPEN => true,
        STRING => p.op_starts_at(p.current) && !is_quoted_part(p),
        _ => p.op_starts_at(p.current),
    }
}

/// Returns true if a name in quotes that begins a line is a part of the form of the operation above: it is further to
/// the right, and a number of results stands where an operation has its type: `"op"(%a) {k = v} : 1`.
fn is_quoted_part(p: &mut Parser<'_>) -> bool {
    if !p.is_inside_operation(p.current) {
        return false;
    }
    let mut token = p.token_from(p.current.end);
    let mut n_open = 0u32;
    for _ in 0..MOST_IN_BODY {
        let last = token;
        token = p.token_from(token.end);
        match last.kind {
            // Regions.
            L_PAREN if token.kind == L_BRACE => return false,
            L_PAREN | L_BRACE | L_BRACK => n_open += 1,
            R_PAREN | R_BRACE | R_BRACK if n_open > 0 => n_open -= 1,
            COLON if n_open == 0 => return token.kind == INT,
            EOF | SPLIT_MARKER => return false,
            _ if n_open == 0 => return false,
            _ => {}
        }
    }
    false
}

/// Returns true if `loc(…)` ends the operation. Elsewhere it is part of a pretty form. One without its end is looked at
/// up to the end of its list or the next operation: what is further away changes nothing here.
fn is_trailing_location(p: &mut Parser<'_>) -> bool {
    let mut token = p.token_from(p.current.end);
    if token.kind != L_PAREN {
        return false;
    }
    let (mut open, mut n_braces) = (0u32, 0u32);
    let mut last = IDENT;
    loop {
        match token.kind {
            L_PAREN => open += 1,
            R_PAREN => open -= 1,
            L_BRACE => n_braces += 1,
            R_BRACE if n_braces == 0 => return true,
            R_BRACE => n_braces -= 1,
            EOF | SPLIT_MARKER => return true,
            _ if token.newline && p.op_starts_behind(last, token) => return true,
            _ => {}
        }
        last = token.kind;
        token = p.token_from(token.end);
        if open == 0 {
            let ends = matches!(token.kind, EOF | SPLIT_MARKER | R_BRACE | R_PAREN | METADATA_OPEN);
            return ends || token.newline;
        }
    }
}

/// A value: a use, or perhaps a definition for the regions that follow.
fn value(p: &mut Parser<'_>, base: usize) {
    let in_parens = p.brackets.len() > base && p.brackets.last() == Some(&L_PAREN);
    let defines = in_parens && matches!(p.peek(), COLON | EQ);
    mention(p, if defines { MLIR_POSSIBLE_DEF } else { MLIR_VALUE_USE });
}

/// Returns true if a region opens here: an operation or a label follows a `{`.
pub(in crate::mlir) fn region_follows(p: &mut Parser<'_>) -> bool {
    if !p.at(L_BRACE) {
        return false;
    }
    if p.is_region_here() {
        return true;
    }
    let first = p.token_from(p.current.end);
    match first.kind {
        BLOCK_ID => true,
        IDENT if !first.newline => {
            !ends_with_brace(p, first)
                && !is_short_body(p, first)
                && (p.op_starts_at(first) || begins_bare(p, first))
        }
        IDENT => p.op_starts_at(first) || begins_bare(p, first) || states_its_type(p, first),
        _ => p.op_starts_at(first),
    }
}

/// Returns true if an operation without operands begins a line behind a brace: no entry of a dictionary has a type of a
/// function behind its key.
fn states_its_type(p: &mut Parser<'_>, first: Token) -> bool {
    let next = p.token_from(first.end);
    p.text_of(first).contains('.') && next.kind == COLON && p.token_from(next.end).kind == L_PAREN
}

/// Returns true if an operation without its dialect begins behind a brace: the entry of a dictionary is followed by
/// other tokens.
fn begins_bare(p: &mut Parser<'_>, first: Token) -> bool {
    if p.inner_dialect().is_empty() {
        return false;
    }
    let next = p.token_from(first.end);
    match next.kind {
        VALUE_ID | SYMBOL_ID | STRING => true,
        IDENT if !next.newline => true,
        INT | FLOAT | ATTR_ID | TYPE_ID => !next.newline,
        // A type or an attribute may stand in braces too: `{tensor<4xf32>}`.
        L_PAREN | L_BRACK | L_BRACE | LT | MINUS => first.newline && !next.newline,
        IDENT | R_BRACE => first.newline && next.newline,
        _ => false,
    }
}

/// Returns true if a single word stands in braces: `{unit_attribute}`.
fn ends_with_brace(p: &mut Parser<'_>, first: Token) -> bool {
    p.token_from(first.end).kind == R_BRACE
}

/// Returns true if the braces hold an operation by its name and attributes, which stand for a region of the structured
/// operation around: `linalg.map { arith.addi {k} }`.
fn is_short_body(p: &mut Parser<'_>, first: Token) -> bool {
    let mut token = p.token_from(first.end);
    if !matches!(p.op_name, "linalg.map" | "linalg.reduce") || token.kind != L_BRACE {
        return false;
    }
    let mut n_open = 0u32;
    for _ in 0..MOST_IN_BODY {
        match token.kind {
            L_BRACE => n_open += 1,
            R_BRACE if n_open == 0 => return true,
            R_BRACE => n_open -= 1,
            EOF | SPLIT_MARKER => return false,
            _ if n_open == 0 => return false,
            _ => {}
        }
        token = p.token_from(token.end);
    }
    false
}

/// The limit on the tokens of operands and attributes that are looked at.
const MOST_IN_BODY: u32 = 64;

/// A pretty form of an operation from behind its name: all of it without a structure. What cannot be the end of any
/// form is `MLIR_MISSING`.
pub(super) fn form(p: &mut Parser<'_>, is_function: bool) {
    p.symbol_is_def = is_function;
    let closed = rest_of_operation(p);
    p.symbol_is_def = false;
    if !closed || p.is_awaiting() {
        p.missing();
    }
}

/// The rest of an operation whose row describes less than is written: no error.
pub(super) fn unread_rest(p: &mut Parser<'_>) {
    p.enter(MLIR_UNREAD);
    form(p, false);
    p.exit();
}

/// Returns true if nothing of an operation follows its form.
pub(super) fn ends_here(p: &mut Parser<'_>) -> bool {
    let ends = p.at_end() || matches!(p.current.kind, R_BRACE | R_PAREN);
    ends || next_begins(p, p.brackets.len()) || (!p.current.newline && p.op_starts_at(p.current))
}

/// The rest of an operation in which something was wrong: in an `ERROR_NODE`, or `MLIR_MISSING` if nothing is left of
/// it.
pub(super) fn error_rest(p: &mut Parser<'_>) {
    let base = p.brackets.len();
    let ends = p.at_end() || matches!(p.current.kind, R_BRACE) || next_begins(p, base);
    if ends {
        p.missing();
        return;
    }
    p.enter(ERROR_NODE);
    let start = p.current.start;
    rest_of_operation(p);
    if p.current.start == start {
        // A closing bracket without its partner; a brace would end the list.
        p.bump();
        rest_of_operation(p);
    }
    p.exit();
}

/// Parses stray text in a region: up to the next line that begins a construct, a label, or the end of the region.
pub(super) fn stray_in_region(p: &mut Parser<'_>) {
    stray_until(p, |p| matches!(p.current.kind, R_BRACE | BLOCK_ID));
}

/// Parses stray text outside of all regions: up to the next line that begins a construct. There a brace closes nothing,
/// and a label begins nothing.
pub(super) fn stray(p: &mut Parser<'_>) {
    stray_until(p, |_| false);
}

fn stray_until(p: &mut Parser<'_>, ends: impl Fn(&Parser<'_>) -> bool) {
    p.enter(ERROR_NODE);
    p.bump();
    while !p.at_end() && !ends(p) && (p.at(BLOCK_ID) || !next_begins(p, p.brackets.len())) {
        p.bump();
    }
    p.exit();
}

/// The group of brackets here, which nests too deep, unread.
pub(super) fn too_deep(p: &mut Parser<'_>) {
    p.enter(TOO_DEEP);
    let mut open = 0u32;
    while !p.at_end() {
        let kind = p.current.kind;
        match kind {
            L_PAREN | L_BRACK | L_BRACE => open += 1,
            R_PAREN | R_BRACK | R_BRACE => open = open.saturating_sub(1),
            _ => {}
        }
        p.bump();
        if open == 0 {
            break;
        }
    }
    p.exit();
}

/// The text of an operation up to where `ends` says so outside of all brackets, or up to its end; `false` if it has
/// successors or regions, or a bracket without its partner.
pub(in crate::mlir) fn text_until(
    p: &mut Parser<'_>,
    mut ends: impl FnMut(&mut Parser<'_>) -> bool,
) -> bool {
    let base = p.brackets.len();
    let mut read = true;
    while read && !p.at_end() && !next_begins(p, base) {
        let outside = p.brackets.len() == base;
        if outside && ends(p) {
            break;
        }
        let kind = p.current.kind;
        match kind {
            BLOCK_ID => read = false,
            L_BRACE if region_follows(p) => read = false,
            VALUE_ID => mention(p, MLIR_VALUE_USE),
            R_BRACE | R_PAREN | R_BRACK if outside => break,
            kind if is_bracket(kind) => read = bracket(p, base),
            _ => plain(p),
        }
    }
    let closed = p.brackets[base..].iter().all(|it| *it == LT);
    p.brackets.truncate(base);
    read && closed
}
