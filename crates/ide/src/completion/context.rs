//! The name that is being typed, told by the text of its line: it need not be a token yet. Keys of a dictionary are
//! told by the text up to the brace that opens it.

use syntax::{Shapes, SyntaxKind as K, SyntaxNode, TextRange, TextSize};

use super::CompletionKind;
use crate::signature_help::written_operation;

/// The name that is being typed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Typed<'a> {
    /// Told by the sigil; [`CompletionKind::Operation`] without one.
    pub(super) wanted: CompletionKind,
    /// The name so far, with its sigil.
    pub(super) prefix: &'a str,
    /// Its place in the text.
    pub(super) range: TextRange,
}

/// The name that ends at an offset of a text, which is no comment. O(line).
pub(super) fn typed(text: &str, offset: TextSize) -> Option<Typed<'_>> {
    let before = text.get(..usize::from(offset))?;
    let line = &before[before.rfind('\n').map_or(0, |it| it + 1)..];
    if comment_starts(line) {
        return None;
    }
    let is_of_name = |it: char| it.is_ascii_alphanumeric() || matches!(it, '_' | '$' | '.' | '-');
    let name = &line[line.trim_end_matches(is_of_name).len()..];
    let rest = &line[..line.len() - name.len()];
    let sigil = rest.chars().next_back();
    let wanted = match sigil {
        Some('%') => Some(CompletionKind::Value),
        Some('^') => Some(CompletionKind::Block),
        Some('@') => Some(CompletionKind::Symbol),
        // `%0#1` is a value.
        Some('#')
            if rest
                .rfind('%')
                .is_some_and(|at| rest[at + 1..].trim_end_matches('#').chars().all(is_of_name)) =>
        {
            None
        }
        Some('#') => Some(CompletionKind::Attribute),
        Some('!') => Some(CompletionKind::Type),
        _ => None,
    };
    let (wanted, len) = match wanted {
        Some(wanted) => (wanted, name.len() + 1),
        None => {
            let rest = rest.strip_suffix('"').unwrap_or(rest);
            is_start_of_operation(rest.trim()).then_some((CompletionKind::Operation, name.len()))?
        }
    };
    let start = before.len() - len;
    let range = TextRange::new((start as u32).into(), offset);
    Some(Typed { wanted, prefix: &before[start..], range })
}

/// Returns true if a name that begins at an offset is a new one: the first of its line, which defines results or a
/// block; an argument of a function or block; the variable of a loop, or one of a list that the operation gives; the
/// name of a function. O([`MAX_DICTIONARY`]).
pub(super) fn is_defined_here(text: &str, name: TextRange, shapes: &Shapes) -> bool {
    let Some(before) = text.get(..usize::from(name.start())) else { return false };
    let line = &before[before.rfind('\n').map_or(0, |it| it + 1)..];
    let bracket = open_bracket(before);
    let sigil = text[usize::from(name.start())..].chars().next();
    if !matches!(sigil, Some('%' | '^' | '@')) {
        return false;
    }
    if sigil == Some('@') {
        return written_operation(before).is_some_and(|(op, behind)| {
            let is_named = behind.contains(['@', '(', '{']);
            (shapes.is_function(op) || shapes.is_module(op)) && !is_named
        });
    }
    let names = line.trim_start();
    let names = names.strip_prefix('(').unwrap_or(names);
    let of_results = |it: char| is_of_name(it) || matches!(it, '%' | ':' | ',' | ' ');
    let is_first = match sigil {
        Some('%') => {
            names.trim().is_empty() || names.starts_with('%') && names.ends_with([',', ' '])
        }
        _ => names.trim().is_empty(),
    };
    let outside = before[..before.len() - line.trim_start().len()].trim_end();
    if is_first && names.chars().all(of_results) {
        return begins_statement(outside);
    }
    if sigil != Some('%') {
        return false;
    }
    if let Some(open) = bracket.filter(|it| before[*it..].starts_with('(')) {
        let head = before[..open].trim_end();
        let last = &head[head.trim_end_matches(|it| is_of_name(it) || it == '"').len()..];
        let around = head[..head.len() - last.len()].chars().next_back();
        let before_sigil = &head[..head.len() - last.len() - around.map_or(0, char::len_utf8)];
        let is_label = around == Some('^')
            && before_sigil.rsplit('\n').next().is_some_and(|it| it.trim().is_empty())
            && begins_statement(before_sigil.trim_end());
        let is_function = around == Some('@')
            && written_operation(&before[..open]).is_some_and(|it| shapes.is_function(it.0));
        let is_listed = || {
            let listed = top_level(&before[open + 1..]).pop();
            let is_next = listed.is_some_and(|it| it.trim().is_empty());
            let (op, behind) = written_operation(&before[..=open]).filter(|_| is_next)?;
            let behind = behind.strip_suffix('(')?.trim();
            let is_word = !last.is_empty() && behind.ends_with(last);
            let word = is_word.then_some(last);
            (behind.is_empty() || is_word).then(|| shapes.defines_in_bracket(op, word))
        };
        if is_label || is_function || is_listed() == Some(true) {
            return true;
        }
    }
    let loop_of = written_operation(before);
    loop_of.is_some_and(|(op, behind)| behind.trim().is_empty() && shapes.defines_first(op))
}

/// Returns true if an operation or a label may begin behind a text: nothing in it goes on.
fn begins_statement(before: &str) -> bool {
    if open_bracket(before).is_some_and(|it| !before[it..].starts_with('{')) {
        return false;
    }
    let code = before.lines().rev().map(|line| match comment_starts(line) {
        true => line.split("//").next().unwrap_or_default().trim_end(),
        false => line.trim_end(),
    });
    let last = code.take(MAX_COMMENTS).find(|it| !it.is_empty()).unwrap_or_default();
    !last.ends_with([',', '(', '[', '=', '<']) && !last.ends_with("->")
}

/// The contents of a brace.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Inside {
    /// Attributes.
    Keys,
    /// Operations.
    Region,
    /// The text so far does not tell.
    Either,
}

/// The key of an operation's dictionary that is being typed.
pub(super) struct Key<'a> {
    /// The operation.
    pub(super) op: &'a str,
    /// The keys that stand before it.
    pub(super) written: Vec<&'a str>,
    pub(super) inside: Inside,
    /// True if the operation is in the generic form, which has all attributes in its dictionaries.
    pub(super) is_generic: bool,
    pub(super) typed: Typed<'a>,
}

/// Lines of comments before a statement that are passed.
const MAX_COMMENTS: usize = 256;

/// More of a text before a key is not searched for its brace.
const MAX_DICTIONARY: usize = 4096;

/// The key that ends at an offset of a text, if it is one. `read` is the grammar. O([`MAX_DICTIONARY`]).
pub(super) fn key<'a>(
    text: &'a str,
    offset: TextSize,
    read: &dyn Fn(&str) -> SyntaxNode,
) -> Option<Key<'a>> {
    let before = text.get(..usize::from(offset))?;
    let open = open_brace(before)?;
    let inside = &before[open + 1..];
    let mut parts = top_level(inside);
    let last = parts.pop()?;
    let prefix = last.trim_start();
    if !prefix.chars().all(is_of_name) {
        return None;
    }
    let outside = before[..open].trim_end();
    let (op, behind) = written_operation(&before[..open])?;
    let is_generic = before[..open - behind.len()].ends_with('"');
    let written: Vec<&str> =
        parts.iter().filter_map(|it| it.split('=').next()).map(str::trim).collect();
    let is_key = |it: &&str| !it.is_empty() && it.chars().all(is_of_name);
    let has_keys = !written.is_empty() && written.iter().all(is_key);
    let inside = match has_keys || outside.ends_with('<') || outside.ends_with("attributes") {
        true => Inside::Keys,
        false => inside_of(op, behind, is_generic, read),
    };
    Some(Key {
        op,
        written,
        inside,
        is_generic,
        typed: ending(before, prefix, CompletionKind::Key),
    })
}

/// Returns what a brace may open behind the text of an operation: the grammar reads both continuations.
fn inside_of(
    op: &str,
    behind: &str,
    is_generic: bool,
    read: &dyn Fn(&str) -> SyntaxNode,
) -> Inside {
    const KEY: &str = "{probe.key}";
    const REGION: &str = "{\n\"probe.op\"() : () -> ()\n}";
    let op = if is_generic { format!("\"{op}\"") } else { op.to_owned() };
    if behind.len() > MAX_DICTIONARY {
        return Inside::Either;
    }
    // The kind of the node that the brace belongs to, and of the operation.
    let opened = |probe: &str| {
        let text = format!("{op}{behind}{probe}");
        let at = TextSize::of(&text) - TextSize::of(probe);
        let brace = read(&text).token_at_offset(at).right_biased()?;
        let node = brace.parent()?;
        Some((node.kind(), node.parent()?.kind()))
    };
    let is_opaque = |it: Option<(K, K)>| it.is_none_or(|it| it.1 == K::MLIR_OPAQUE_OP);
    let (key, region) = (opened(KEY), opened(REGION));
    let has_keys = key.is_some_and(|it| it.0 == K::MLIR_ATTR_DICT);
    let has_region = region.is_some_and(|it| it.0 == K::MLIR_REGION) && !is_opaque(region);
    match (has_keys, has_region) {
        (true, false) => Inside::Keys,
        (false, true) => Inside::Region,
        _ => Inside::Either,
    }
}

/// The innermost brace that a text leaves open; none if another bracket is open in it.
fn open_brace(before: &str) -> Option<usize> {
    open_bracket(before).filter(|it| before[*it..].starts_with('{'))
}

/// The innermost bracket that a text leaves open. O([`MAX_DICTIONARY`]).
fn open_bracket(before: &str) -> Option<usize> {
    let mut depth = 0_usize;
    let mut in_string = false;
    for (at, it) in before.bytes().enumerate().rev().take(MAX_DICTIONARY) {
        match it {
            b'"' => in_string = !in_string,
            _ if in_string => {}
            b'}' | b']' | b')' => depth += 1,
            b'{' | b'[' | b'(' if depth == 0 => return Some(at),
            b'{' | b'[' | b'(' => depth -= 1,
            _ => {}
        }
    }
    None
}

/// The parts of a text between commas outside of brackets and strings.
fn top_level(text: &str) -> Vec<&str> {
    let (mut parts, mut start, mut depth, mut in_string) = (Vec::new(), 0, 0_usize, false);
    for (at, it) in text.bytes().enumerate() {
        match it {
            b'"' => in_string = !in_string,
            _ if in_string => {}
            b'{' | b'[' | b'(' | b'<' => depth += 1,
            b'}' | b']' | b')' | b'>' => depth = depth.saturating_sub(1),
            b',' if depth == 0 => {
                parts.push(&text[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&text[start..]);
    parts
}

/// The word of an enumeration that is being typed.
pub(super) struct Word<'a> {
    /// The operation.
    pub(super) op: &'a str,
    /// The flag in whose body it stands; behind the name of the operation there is none.
    pub(super) flag: Option<&'a str>,
    /// The words that stand before it in the body.
    pub(super) written: Vec<&'a str>,
    pub(super) typed: Typed<'a>,
}

/// The word that ends at an offset of a text: right behind the name of an operation, or in the body of a flag. O(line).
pub(super) fn word(text: &str, offset: TextSize) -> Option<Word<'_>> {
    let before = text.get(..usize::from(offset))?;
    let (op, behind) = written_operation(before)?;
    let first = behind.strip_prefix(' ')?;
    let first = first.strip_prefix('"').unwrap_or(first);
    if first.chars().all(is_of_name) {
        let typed = ending(before, first, CompletionKind::Word);
        return Some(Word { op, flag: None, written: Vec::new(), typed });
    }
    let (head, inside) = behind.rsplit_once('<')?;
    let flag = &head[head.trim_end_matches(is_of_name).len()..];
    let mut written: Vec<&str> = inside.split(',').map(str::trim).collect();
    let prefix = written.pop()?;
    let is_word = |it: &str| it.chars().all(is_of_name);
    if flag.is_empty() || !is_word(prefix) || !written.iter().all(|it| is_word(it)) {
        return None;
    }
    let typed = ending(before, prefix, CompletionKind::Word);
    Some(Word { op, flag: Some(flag), written, typed })
}

/// The name that is typed at the end of a text.
fn ending<'a>(before: &'a str, prefix: &'a str, wanted: CompletionKind) -> Typed<'a> {
    let start = before.len() - prefix.len();
    let range = TextRange::new((start as u32).into(), (before.len() as u32).into());
    Typed { wanted, prefix, range }
}

fn is_of_name(it: char) -> bool {
    it.is_ascii_alphanumeric() || matches!(it, '_' | '$' | '.')
}

/// Returns true if a comment begins in a line, outside of strings.
fn comment_starts(line: &str) -> bool {
    let mut in_string = false;
    let mut bytes = line.bytes().peekable();
    while let Some(byte) = bytes.next() {
        match byte {
            b'\\' if in_string => drop(bytes.next()),
            b'"' => in_string = !in_string,
            b'/' if !in_string && bytes.peek() == Some(&b'/') => return true,
            _ => {}
        }
    }
    false
}

/// Returns true if an operation's name follows a text of its line: nothing, results and `=`, a brace, or a label.
fn is_start_of_operation(before: &str) -> bool {
    match before.chars().next_back() {
        None => true,
        Some('=') => before.starts_with(['%', '(']),
        Some('{') => true,
        Some(':') => before.starts_with('^'),
        _ => false,
    }
}
