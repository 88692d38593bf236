//! Bytes as a file and what is done with it: one byte for the language, one for the number of steps, four a step, and
//! the text.

use std::borrow::Cow;

use syntax::{Edit, Language};

use crate::range;

/// Most steps of a script.
const MOST: usize = 12;

/// The texts that an edit writes.
const PIECES: &[&str] = &[
    "",
    "\n",
    "\r\n",
    " ",
    "    ",
    "\t",
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    "<",
    ">",
    "'",
    "\"",
    "'''",
    "\"\"\"",
    "#",
    "//",
    "\\\n",
    ":",
    ":\n",
    ",",
    "=",
    " == ",
    ".",
    ";",
    "@",
    "%",
    "^",
    "!",
    "->",
    "x",
    "1",
    "0x",
    "é",
    "🦀",
    "if ",
    "else:\n",
    "for i in n:\n",
    "def f():\n",
    "with a as b:\n",
    "while x:\n",
    "return\n",
    "^bb0:\n",
    "%0 = ",
    "func.func @f() {\n}\n",
    "module {",
    "loc(",
    "\"a.b\"()",
    "({",
    "})",
    " : () -> ()",
    "{program}",
    "() -> ",
    "|",
    "i32",
    "*",
    "lambda ",
    "\u{c}",
    "\0",
    "\u{2028}",
    "\r",
];

/// One step: four bytes.
#[derive(Clone, Copy, Debug)]
pub struct Step(pub [u8; 4]);

impl Step {
    /// A place in a text, on the boundary of a character.
    pub fn place(self, text: &str) -> usize {
        let place = usize::from(u16::from_le_bytes([self.0[0], self.0[1]]));
        text.floor_char_boundary(place * text.len() / usize::from(u16::MAX))
    }
}

/// A file and what is done with it.
#[derive(Debug)]
pub struct Script {
    /// The language of the file.
    pub language: Language,
    /// The steps.
    pub steps: Vec<Step>,
}

impl Script {
    /// The script and the text; none if there are too few bytes.
    pub fn of(bytes: &[u8]) -> Option<(Script, Cow<'_, str>)> {
        let (&[language, number], rest) = bytes.split_first_chunk()?;
        let language = Language::ALL[usize::from(language) % Language::ALL.len()];
        let number = usize::from(number) % MOST + 1;
        let (steps, text) = rest.split_at_checked(number * 4)?;
        let steps = steps.as_chunks().0.iter().map(|it| Step(*it)).collect();
        Some((Script { language, steps }, String::from_utf8_lossy(text)))
    }
}

/// The edit that a step is: at its place some characters are replaced by a piece, or by a part of the text.
pub fn edit(step: &Step, text: &str) -> Edit {
    let start = step.place(text);
    let [.., removed, written] = step.0;
    // Most edits remove little.
    let removed = if removed < 128 { usize::from(removed % 4) } else { usize::from(removed) - 127 };
    let end = text.floor_char_boundary(start + removed).max(start);
    let written = usize::from(written);
    let new = match PIECES.get(written) {
        Some(it) => (*it).to_owned(),
        None => {
            let from = text.floor_char_boundary(written * 7919 % (text.len() + 1));
            let to = text.floor_char_boundary(from + written).max(from);
            text[from..to].to_owned()
        }
    };
    Edit::replace(range(start, end), new)
}
