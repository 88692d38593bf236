//! The tree as text, for people and tests: one line an element, indented by its level.

use std::fmt::{self, Write as _};

use parser::SyntaxKind;
use rowan::{TextRange, TextSize};

use crate::{
    SyntaxNode,
    green::{Step, walk},
    syntax_node::kind_from_raw,
};

/// Deeper levels are indented no further, so that the dump of a deep tree stays linear in its size.
const MAX_INDENT: usize = 60;

/// The tree below a node. Ranges are relative to the node.
pub fn dump(node: &SyntaxNode) -> String {
    let mut out = Dump { text: String::new(), offset: 0.into(), level: 0 };
    walk(node.green(), |step| match step {
        Step::Enter(kind, len) => out.enter(kind_from_raw(kind), len),
        Step::Token(kind, text) => out.token(kind_from_raw(kind), text),
        Step::Leave => out.level -= 1,
    });
    out.text
}

struct Dump {
    text: String,
    offset: TextSize,
    level: usize,
}

impl Dump {
    fn enter(&mut self, kind: SyntaxKind, len: TextSize) {
        let range = TextRange::at(self.offset, len);
        self.line(format_args!("{kind:?}@{range:?}"));
        self.level += 1;
    }

    fn token(&mut self, kind: SyntaxKind, text: &str) {
        let range = TextRange::at(self.offset, TextSize::of(text));
        self.offset = range.end();
        self.line(format_args!("{kind:?}@{range:?} {text:?}"));
    }

    fn line(&mut self, what: fmt::Arguments<'_>) {
        self.text.extend(std::iter::repeat_n("  ", self.level.min(MAX_INDENT)));
        self.text.write_fmt(what).expect("writing to a string does not fail");
        self.text.push('\n');
    }
}
