//! The table of spellings: which token of the grammar has which kind.

/// The tokens of the lexer besides punctuation and keywords: (kind, documentation).
pub(super) const SPECIAL: &[(&str, &str)] = &[
    ("TOMBSTONE", "Never in a tree: the mark of an abandoned node."),
    ("EOF", "Never in a tree: the end of the text."),
];

/// Trivia and unreadable text, in the order of the enum: (kind, documentation).
pub(super) const TRIVIA: &[(&str, &str)] = &[
    ("WHITESPACE", ""),
    ("COMMENT", ""),
    ("LINE_CONTINUATION", ""),
    ("NEWLINE", ""),
    ("BOM", ""),
    ("ERROR", "A run of bytes that begins no token."),
];

/// Tokens that carry text: (name in the grammar, kind).
pub(super) const TEXTUAL: &[(&str, &str)] = &[
    ("#int", "INT"),
    ("#float", "FLOAT"),
    ("#imaginary", "IMAGINARY"),
    ("#string", "STRING"),
    ("#ident", "IDENT"),
    ("#value_id", "VALUE_ID"),
    ("#result_no", "RESULT_NO"),
    ("#block_id", "BLOCK_ID"),
    ("#symbol_id", "SYMBOL_ID"),
    ("#attr_id", "ATTR_ID"),
    ("#type_id", "TYPE_ID"),
    ("#dim_list", "DIM_LIST"),
    ("#split_marker", "SPLIT_MARKER"),
    ("#pir_null", "PIR_NULL"),
];

/// Punctuation: (spelling, kind).
pub(super) const PUNCTUATION: &[(&str, &str)] = &[
    ("(", "L_PAREN"),
    (")", "R_PAREN"),
    ("[", "L_BRACK"),
    ("]", "R_BRACK"),
    ("{", "L_BRACE"),
    ("}", "R_BRACE"),
    (",", "COMMA"),
    (":", "COLON"),
    (":=", "COLON_EQ"),
    (";", "SEMICOLON"),
    (".", "DOT"),
    ("...", "DOT3"),
    ("->", "ARROW"),
    ("@", "AT"),
    ("@=", "AT_EQ"),
    ("=", "EQ"),
    ("==", "EQ2"),
    ("!=", "NEQ"),
    ("<", "LT"),
    ("<=", "LE"),
    ("<<", "LT2"),
    ("<<=", "LT2_EQ"),
    (">", "GT"),
    (">=", "GE"),
    (">>", "GT2"),
    (">>=", "GT2_EQ"),
    ("+", "PLUS"),
    ("+=", "PLUS_EQ"),
    ("-", "MINUS"),
    ("-=", "MINUS_EQ"),
    ("*", "STAR"),
    ("*=", "STAR_EQ"),
    ("**", "STAR2"),
    ("**=", "STAR2_EQ"),
    ("/", "SLASH"),
    ("/=", "SLASH_EQ"),
    ("//", "SLASH2"),
    ("//=", "SLASH2_EQ"),
    ("%", "PERCENT"),
    ("%=", "PERCENT_EQ"),
    ("&", "AMP"),
    ("&=", "AMP_EQ"),
    ("|", "PIPE"),
    ("|=", "PIPE_EQ"),
    ("^", "CARET"),
    ("^=", "CARET_EQ"),
    ("~", "TILDE"),
    ("::", "COLON2"),
    ("?", "QUESTION"),
    ("{-#", "METADATA_OPEN"),
    ("#-}", "METADATA_CLOSE"),
];

/// Python's reserved words.
pub(super) const KEYWORDS: &[&str] = &[
    "False", "None", "True", "and", "as", "assert", "async", "await", "break", "class", "continue",
    "def", "del", "elif", "else", "except", "finally", "for", "from", "global", "if", "import",
    "in", "is", "lambda", "nonlocal", "not", "or", "pass", "raise", "return", "try", "while",
    "with", "yield",
];

/// Words that are keywords only where the grammar reads them as such.
pub(super) const SOFT_KEYWORDS: &[&str] = &["case", "match", "type"];

/// The kind of a keyword.
pub(super) fn keyword_kind(word: &str) -> String {
    format!("{}_KW", word.to_ascii_uppercase())
}

/// The kind of a token as the grammar writes it, without its quotes.
pub(super) fn kind_of(token: &str) -> Option<String> {
    let named = TEXTUAL.iter().chain(PUNCTUATION).find(|(spelling, _)| *spelling == token);
    if let Some((_, kind)) = named {
        return Some((*kind).to_owned());
    }
    KEYWORDS.iter().chain(SOFT_KEYWORDS).find(|word| **word == token).map(|word| keyword_kind(word))
}

/// All tokens with a fixed spelling, in the order of the enum: (spelling, kind).
pub(super) fn fixed() -> impl Iterator<Item = (&'static str, String)> {
    let words = KEYWORDS.iter().chain(SOFT_KEYWORDS).map(|word| (*word, keyword_kind(word)));
    PUNCTUATION.iter().map(|(text, kind)| (*text, (*kind).to_owned())).chain(words)
}

/// `FOR_STMT` for `ForStmt`.
pub(super) fn screaming(name: &str) -> String {
    snake(name).to_ascii_uppercase()
}

/// `for_stmt` for `ForStmt`.
pub(super) fn snake(name: &str) -> String {
    let mut res = String::new();
    for (i, c) in name.char_indices() {
        if c.is_ascii_uppercase() && i > 0 {
            res.push('_');
        }
        res.push(c.to_ascii_lowercase());
    }
    res
}
