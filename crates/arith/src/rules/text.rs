//! The words of a rule.

/// A word of a rule and where it starts.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Token {
    Name(String),
    Int(i128),
    Float(f64),
    /// An operator, bracket or comma.
    Sign(&'static str),
}

/// Longer ones first: the first that fits is taken.
const SIGNS: &[&str] = &[
    "=>", "//", "<=", ">=", "==", "!=", "<<", ">>", "<", ">", "+", "-", "*", "%", "&", "|", "^",
    "~", "(", ")", ",", "[", "]",
];

/// The words of a text; the rest of it where it has none.
pub(super) fn tokens(text: &str) -> Result<Vec<Token>, String> {
    let mut tokens = Vec::new();
    let mut rest = text.trim_start();
    while let Some(first) = rest.chars().next() {
        let n = if first.is_ascii_alphabetic() {
            let end = |it: char| !it.is_ascii_alphanumeric() && it != '_';
            let n = rest.find(end).unwrap_or(rest.len());
            // A flag may hold hyphens; no name is subtracted without a space.
            tokens.push(Token::Name(rest[..n].to_owned()));
            n
        } else if first.is_ascii_digit() {
            let n = rest.find(|it: char| !it.is_ascii_digit() && it != '.').unwrap_or(rest.len());
            let number = &rest[..n];
            tokens.push(match (number.parse(), number.parse()) {
                (Ok(int), _) => Token::Int(int),
                (_, Ok(float)) => Token::Float(float),
                _ => return Err(format!("no number: {number}")),
            });
            n
        } else {
            let sign = SIGNS.iter().find(|it| rest.starts_with(**it));
            let sign = sign.ok_or_else(|| format!("what is {first:?} here?"))?;
            tokens.push(Token::Sign(sign));
            sign.len()
        };
        rest = rest[n..].trim_start();
    }
    Ok(tokens)
}
