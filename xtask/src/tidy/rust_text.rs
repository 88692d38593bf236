//! The lexical class of each byte of a Rust file: code, comment or text of a literal.
//!
//! A lexer of just that, for rules that must not take a word in a string for code. One pass, linear; any input gives an
//! answer (an unclosed literal reaches to the end).

/// The token kind of a byte. Delimiters belong to the text that they delimit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Tokens and blanks.
    Code,
    /// A line or block comment.
    Comment,
    /// A string, byte string or character literal.
    Text,
}

/// One kind for each byte of `text`.
pub(crate) fn classify(text: &str) -> Vec<Kind> {
    let bytes = text.as_bytes();
    let mut kinds = vec![Kind::Code; bytes.len()];
    let mut at = 0;
    while at < bytes.len() {
        let (kind, end) = match &bytes[at..] {
            [b'/', b'/', ..] => (Kind::Comment, find(bytes, at, b"\n")),
            [b'/', b'*', ..] => (Kind::Comment, block_comment_end(bytes, at)),
            [b'"', ..] => (Kind::Text, string_end(bytes, at + 1)),
            [b'\'', ..] => (Kind::Text, char_end(bytes, at)),
            [b'r', ..] if !follows_name(bytes, at) => (Kind::Text, raw_string_end(bytes, at)),
            _ => (Kind::Code, at + 1),
        };
        // A quote that opens no literal (a lifetime) and an `r` that opens no raw string end where they start.
        if end > at {
            kinds[at..end].fill(kind);
        }
        at = end.max(at + 1);
    }
    kinds
}

fn find(bytes: &[u8], from: usize, needle: &[u8]) -> usize {
    let found = bytes[from..].windows(needle.len()).position(|window| window == needle);
    found.map_or(bytes.len(), |offset| from + offset)
}

fn block_comment_end(bytes: &[u8], start: usize) -> usize {
    let (mut at, mut depth) = (start, 0usize);
    while at < bytes.len() {
        match &bytes[at..] {
            [b'/', b'*', ..] => (at, depth) = (at + 2, depth + 1),
            [b'*', b'/', ..] if depth == 1 => return at + 2,
            [b'*', b'/', ..] => (at, depth) = (at + 2, depth - 1),
            _ => at += 1,
        }
    }
    bytes.len()
}

fn string_end(bytes: &[u8], mut at: usize) -> usize {
    while at < bytes.len() {
        match bytes[at] {
            b'\\' => at += 2,
            b'"' => return at + 1,
            _ => at += 1,
        }
    }
    bytes.len()
}

/// The end of a character literal, or `start` where the quote begins a lifetime or label.
fn char_end(bytes: &[u8], start: usize) -> usize {
    match &bytes[start + 1..] {
        [b'\\', ..] => {
            let close = find(bytes, (start + 3).min(bytes.len()), b"'");
            (close + 1).min(bytes.len())
        }
        [_, b'\'', ..] => start + 3,
        // One character of several bytes.
        [first, ..] if *first >= 0x80 => {
            let close = find(bytes, start + 1, b"'");
            if close <= start + 5 && close < bytes.len() { close + 1 } else { start }
        }
        _ => start,
    }
}

/// The end of a raw string, or `start` where the `r` begins a name.
fn raw_string_end(bytes: &[u8], start: usize) -> usize {
    let hashes = bytes[start + 1..].iter().take_while(|&&byte| byte == b'#').count();
    let open = start + 1 + hashes;
    if bytes.get(open) != Some(&b'"') {
        return start;
    }
    let close: Vec<u8> = std::iter::once(b'"').chain(std::iter::repeat_n(b'#', hashes)).collect();
    (find(bytes, open + 1, &close) + close.len()).min(bytes.len())
}

/// Returns true if the byte at `at` continues an identifier (`br"…"` and `cr"…"` are literals, `for` is not).
fn follows_name(bytes: &[u8], at: usize) -> bool {
    let is_name = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80;
    let previous = at.checked_sub(1).map(|index| bytes[index]);
    let before = at.checked_sub(2).map(|index| bytes[index]);
    match previous {
        Some(b'b' | b'c') => before.is_some_and(is_name),
        Some(byte) => is_name(byte),
        None => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Shows code as itself, comments as `/` and literals as `"`.
    #[track_caller]
    fn check(text: &str, expected: &str) {
        let shown: String = text
            .char_indices()
            .map(|(index, c)| match classify(text)[index] {
                Kind::Code => c,
                Kind::Comment => '/',
                Kind::Text => '"',
            })
            .collect();
        assert_eq!(shown, expected);
    }

    #[test]
    fn strings_and_comments_are_told_from_code() {
        check(r#"let a = "x // y"; // z"#, r#"let a = """"""""; ////"#);
        check("a /* b /* c */ d */ e", "a ///////////////// e");
    }

    #[test]
    fn raw_strings_end_at_their_own_hashes() {
        check(r###"f(r#"a "b" c"#, br"\", for_r)"###, r###"f("""""""""""", b"""", for_r)"###);
    }

    #[test]
    fn lifetimes_are_not_characters() {
        check(
            "fn f<'a>(c: &'a str) { 'x' '\\'' '\u{e9}' }",
            "fn f<'a>(c: &'a str) { \"\"\" \"\"\"\" \"\"\" }",
        );
    }

    #[test]
    fn unclosed_literals_reach_to_the_end() {
        check("a \"b", "a \"\"");
        check("a r#\"b", "a \"\"\"\"");
        check("a /* b", "a ////");
        check("'\\", "\"\"");
    }
}
