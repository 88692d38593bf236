//! The kinds of syntax errors, each with its declaration.

use rules::{Rule, Severity::Error, kinds};

use crate::bounded::MORE_DIAGNOSTICS;

kinds! {
    /// The kind of a syntax error. Its name can be looked up.
    pub enum SyntaxErrorKind {
        /// Text that fits nowhere.
        UnexpectedText = Rule::reported(
            "unexpected-text",
            Error,
            "text that fits nowhere",
            "Nothing in the language can stand here: Python's grammar has no place for it or, in MLIR, the operation is \
             known and not written so (the message says how). The text is kept as it is; what stands around it is \
             read. What follows the name of an operation that is not known is never told.\n",
        );
        /// Something that must be there is not.
        MissingPart = Rule::reported(
            "missing-part",
            Error,
            "something that must be there is not",
            "A statement or expression lacks a part: an operand, a name, a body. While a line is half typed this goes \
             away by itself.\n",
        );
        /// A bracket without its partner.
        UnclosedBracket = Rule::reported(
            "unclosed-bracket",
            Error,
            "a bracket without its partner",
            "`(`, `[` or `{` is never closed. It ends at the next line that starts a statement with less indentation, \
             so that the functions after it are read as ever.\n",
        );
        /// A string without its closing quotes.
        UnterminatedString = Rule::reported(
            "unterminated-string",
            Error,
            "a string without its closing quotes",
            "A string with single quotes ends at the end of its line; one with triple quotes takes the rest of the \
             file.\n",
        );
        /// A number with wrong digits.
        MalformedNumber = Rule::reported(
            "malformed-number",
            Error,
            "a number with wrong digits",
            "A digit does not belong to the base of the number (`0b12`), an underscore stands at its end, or digits \
             are missing (`0x`).\n",
        );
        /// A character that begins no token.
        UnknownCharacter = Rule::reported(
            "unknown-character",
            Error,
            "a character that begins no token",
            "The language knows no token that begins with this character. Often it was pasted: a typographic quote or \
             dash.\n",
        );
        /// A line that is deeper than its block.
        UnexpectedIndent = Rule::reported(
            "unexpected-indent",
            Error,
            "a line that is deeper than its block",
            "A line may be indented more than the one before it only after a colon.\n",
        );
        /// More levels than can be read.
        TooDeep = Rule::reported(
            "too-deep",
            Error,
            "more levels than can be read",
            "Expressions or blocks are nested deeper than the reader goes. The text is kept as it is. Give parts of \
             the expression names.\n",
        );
        /// Errors that are not listed.
        MoreErrors = MORE_DIAGNOSTICS;
    }
}
