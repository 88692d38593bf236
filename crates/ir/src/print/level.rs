//! How tightly texts of Python bind.

use crate::BinaryOp;

/// How tightly an expression of Python binds, the loosest first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Level {
    /// `lambda`, `a if c else b`, and what is not looked at.
    Lambda,
    /// `a or b`
    Or,
    /// `a and b`
    And,
    /// `not a`
    Not,
    /// `a == b`, `a in b`, `a is b`
    Comparison,
    /// `a | b`
    BitOr,
    /// `a ^ b`
    BitXor,
    /// `a & b`
    BitAnd,
    /// `a << b`
    Shift,
    /// `a + b`
    Sum,
    /// `a * b`
    Product,
    /// `-a`
    Unary,
    /// A name, a constant, a call, an item, something in brackets.
    Atom,
}

impl Level {
    /// The level of an operator between two operands, as Python and affine maps have it; none for those that only have
    /// a name.
    pub fn of_binary(op: BinaryOp) -> Option<Level> {
        Some(match op {
            BinaryOp::Add | BinaryOp::Sub => Level::Sum,
            BinaryOp::Mul | BinaryOp::Div | BinaryOp::FloorDiv | BinaryOp::FloorMod => {
                Level::Product
            }
            BinaryOp::Eq
            | BinaryOp::Ne
            | BinaryOp::Lt
            | BinaryOp::Le
            | BinaryOp::Gt
            | BinaryOp::Ge => Level::Comparison,
            BinaryOp::And => Level::And,
            BinaryOp::Or => Level::Or,
            BinaryOp::BitAnd => Level::BitAnd,
            BinaryOp::BitOr => Level::BitOr,
            BinaryOp::BitXor => Level::BitXor,
            BinaryOp::Shl | BinaryOp::Shr => Level::Shift,
            BinaryOp::Mod | BinaryOp::Min | BinaryOp::Max => return None,
        })
    }

    /// The level of an expression by its text: that of the loosest operator outside of brackets and strings. O(text).
    pub fn of_text(text: &str) -> Level {
        let mut level = Level::Atom;
        let (mut depth, mut place) = (0usize, Place::Operand);
        let mut rest = text;
        while let Some(first) = rest.chars().next() {
            let len = match first {
                '"' | '\'' => string_len(rest),
                it if it.is_alphanumeric() || it == '_' => word_len(rest),
                _ => operator_len(rest),
            };
            let (token, tail) = rest.split_at(len);
            rest = tail;
            match first {
                '(' | '[' | '{' => depth += 1,
                ')' | ']' | '}' => depth = depth.saturating_sub(1),
                _ if depth > 0 || first.is_whitespace() => continue,
                _ => {
                    if let Some(found) = level_of(token, place) {
                        level = level.min(found);
                        place = match token {
                            "is" => Place::Is,
                            _ => Place::Operand,
                        };
                        continue;
                    }
                }
            }
            place = match first {
                '(' | '[' | '{' | '.' => Place::Operand,
                _ => Place::Operator,
            };
        }
        level
    }
}

/// The token that is expected at a place of an expression.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    /// An operand, or an operator before it.
    Operand,
    /// Behind an `is`: an operand, or the rest of `is not`.
    Is,
    /// An operator behind an operand.
    Operator,
}

/// The level of an operator; none for another token.
fn level_of(token: &str, place: Place) -> Option<Level> {
    Some(match token {
        "if" | "else" | "lambda" | ":=" | "," => Level::Lambda,
        "or" => Level::Or,
        "and" => Level::And,
        "not" if place == Place::Operand => Level::Not,
        "in" | "is" | "not" | "==" | "!=" | "<" | "<=" | ">" | ">=" => Level::Comparison,
        "|" => Level::BitOr,
        "^" => Level::BitXor,
        "&" => Level::BitAnd,
        "<<" | ">>" => Level::Shift,
        "+" | "-" if place == Place::Operator => Level::Sum,
        "*" | "/" | "//" | "%" | "@" => Level::Product,
        // A power binds more tightly than a sign before it, less than one behind it.
        "+" | "-" | "~" | "**" => Level::Unary,
        "." => return None,
        _ if token
            .chars()
            .all(|it| it.is_alphanumeric() || matches!(it, '_' | '.' | '-' | '+')) =>
        {
            return None;
        }
        _ if token.starts_with(['"', '\'']) => return None,
        _ => Level::Lambda,
    })
}

/// The length of a string at the start of a text.
fn string_len(text: &str) -> usize {
    let quote = text.chars().next().unwrap_or('"');
    let mut is_escaped = false;
    for (at, it) in text.char_indices().skip(1) {
        match it {
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            it if it == quote => return at + it.len_utf8(),
            _ => {}
        }
    }
    text.len()
}

/// The length of a name or a number at the start of a text, the sign of an exponent included.
fn word_len(text: &str) -> usize {
    let is_number = text.starts_with(|it: char| it.is_ascii_digit());
    let mut before = ' ';
    for (at, it) in text.char_indices() {
        let goes_on = it.is_alphanumeric()
            || it == '_'
            || is_number && (it == '.' || matches!(it, '+' | '-') && matches!(before, 'e' | 'E'));
        if !goes_on {
            return at;
        }
        before = it;
    }
    text.len()
}

/// The length of an operator or another single character at the start of a text.
fn operator_len(text: &str) -> usize {
    let two = ["**", "//", "<<", ">>", "==", "!=", "<=", ">=", ":="];
    match two.iter().find(|it| text.starts_with(**it)) {
        Some(it) => it.len(),
        None => text.chars().next().map_or(1, char::len_utf8),
    }
}

#[cfg(test)]
mod tests {
    use super::Level;

    #[test]
    fn the_loosest_operator_outside_of_brackets_counts() {
        for (text, level) in [
            ("shape[0]", Level::Atom),
            ("f(a + b).c[1 + 2]", Level::Atom),
            ("f\"{a} + {b}\"", Level::Atom),
            ("a + b", Level::Sum),
            ("a * -b", Level::Product),
            ("-a", Level::Unary),
            ("1e-05", Level::Atom),
            ("a * 1e-05", Level::Product),
            ("a is not None", Level::Comparison),
            ("a not in b", Level::Comparison),
            ("not a", Level::Not),
            ("a if b else c", Level::Lambda),
            ("a and b == c", Level::And),
            ("a ** 2", Level::Unary),
            ("(a + b)", Level::Atom),
        ] {
            assert_eq!(Level::of_text(text), level, "{text}");
        }
    }
}
