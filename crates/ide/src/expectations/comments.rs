//! Comments that state the diagnostics which `mlir-opt -verify-diagnostics` must see:
//! `// expected-error @+1 {{text}}`.
//!
//! In: the text of a document. Out: its comments with the lines that they mean. As MLIR reads them: one a line, the
//! text reaches to the end of the line, and `@below` and `@above` mean the next line without such a comment. Linear.

use syntax::{TextRange, TextSize};

/// The kind of a diagnostic.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    Error,
    Warning,
    Remark,
    Note,
}

impl Kind {
    const ALL: [Kind; 4] = [Kind::Error, Kind::Warning, Kind::Remark, Kind::Note];

    /// The word of a comment.
    pub(super) fn word(self) -> &'static str {
        match self {
            Kind::Error => "error",
            Kind::Warning => "warning",
            Kind::Remark => "remark",
            Kind::Note => "note",
        }
    }
}

/// How a comment names its line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Designator {
    /// `@+1`, `@-1`, or nothing for its own line.
    Offset(i64),
    Below,
    Above,
    /// A place that is not known.
    Unknown,
}

/// A comment. Lines count from 0 in the document.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Comment {
    pub(super) line: usize,
    pub(super) kind: Kind,
    /// True if parts of its text are regular expressions.
    is_regex: bool,
    pub(super) designator: Designator,
    /// The line that it means, if that is known.
    pub(super) target: Option<usize>,
    /// The place between the kind and the text: the designator with its blanks.
    pub(super) designator_range: TextRange,
    pub(super) text_range: TextRange,
    text: String,
}

impl Comment {
    /// Returns true if a message fits the text of the comment.
    pub(super) fn fits(&self, message: &str) -> bool {
        if !self.is_regex {
            return message.contains(&self.text);
        }
        // What a regular expression matches is not looked at: the texts around them stand there in this order.
        let mut rest = message;
        let mut pieces = self.text.split("{{").enumerate();
        pieces.all(|(number, piece)| {
            let literal = if number == 0 { piece } else { piece.split("}}").last().unwrap_or("") };
            match rest.find(literal) {
                Some(at) => {
                    rest = &rest[at + literal.len()..];
                    true
                }
                None => false,
            }
        })
    }

    /// Returns true if the comment says something about the text of the diagnostic.
    pub(super) fn has_text(&self) -> bool {
        !self.text.is_empty()
    }
}

/// The comments of a text, in its order.
pub(super) fn comments(text: &str) -> Vec<Comment> {
    let mut found: Vec<Comment> = Vec::new();
    let mut start = 0;
    let mut last_code = None;
    // Comments that mean the next line without one.
    let mut waiting = 0;
    for (line, content) in text.split_inclusive('\n').enumerate() {
        match comment(content.trim_end_matches(['\n', '\r']), start, line) {
            Some(mut it) => {
                it.target = match it.designator {
                    Designator::Offset(offset) => usize::try_from(line as i64 + offset).ok(),
                    Designator::Above => last_code,
                    Designator::Below | Designator::Unknown => None,
                };
                found.push(it);
            }
            None => {
                for it in &mut found[waiting..] {
                    if it.designator == Designator::Below {
                        it.target = Some(line);
                    }
                }
                waiting = found.len();
                last_code = Some(line);
            }
        }
        start += content.len();
    }
    found
}

/// The comment of a line that begins at `start`.
fn comment(content: &str, start: usize, line: usize) -> Option<Comment> {
    const BEGIN: &str = "expected-";
    let mut from = 0;
    while let Some(at) = content[from..].find(BEGIN) {
        from += at + BEGIN.len();
        if let Some(found) = behind(content, from, start, line) {
            return Some(found);
        }
    }
    None
}

/// The comment whose kind stands at an offset of a line.
fn behind(content: &str, at: usize, start: usize, line: usize) -> Option<Comment> {
    let kind = Kind::ALL.into_iter().find(|it| content[at..].starts_with(it.word()))?;
    let rest = &content[at + kind.word().len()..];
    let is_regex = rest.starts_with("-re");
    let rest = rest.strip_prefix("-re").unwrap_or(rest);
    let begin = content.len() - rest.len();
    let (designator, rest) = designator(rest.trim_start_matches(' '))?;
    let rest = rest.trim_start_matches(' ');
    let text = rest.strip_prefix("{{")?.strip_suffix("}}")?;
    let place = |from: usize, to: usize| {
        let offset = |it: usize| TextSize::try_from(start + it).ok();
        Some(TextRange::new(offset(from)?, offset(to)?))
    };
    let end = content.len() - rest.len();
    Some(Comment {
        line,
        kind,
        is_regex,
        designator,
        target: None,
        designator_range: place(begin, end)?,
        text_range: place(end + 2, content.len() - 2)?,
        text: text.to_owned(),
    })
}

/// The designator at the begin of a text, and what is behind it.
fn designator(text: &str) -> Option<(Designator, &str)> {
    let Some(named) = text.strip_prefix('@') else { return Some((Designator::Offset(0), text)) };
    let words = [
        ("above", Designator::Above),
        ("below", Designator::Below),
        ("unknown", Designator::Unknown),
    ];
    if let Some((word, it)) = words.into_iter().find(|it| named.starts_with(it.0)) {
        return Some((it, &named[word.len()..]));
    }
    let digits = named.strip_prefix(['+', '-'])?;
    let len = digits.find(|it: char| !it.is_ascii_digit()).unwrap_or(digits.len());
    let offset: i64 = digits[..len].parse().ok()?;
    let offset = if named.starts_with('-') { -offset } else { offset };
    Some((Designator::Offset(offset), &digits[len..]))
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;

    fn check(text: &str, expect: Expect) {
        let shown = comments(text).into_iter().map(|it| {
            let Comment { line, kind, target, .. } = it;
            format!("{line} {kind:?} {target:?} {:?}\n", &text[it.text_range])
        });
        expect.assert_eq(&shown.collect::<String>());
    }

    #[test]
    fn comments_mean_lines() {
        check(
            "// expected-error @+1 {{a}}\nop\nop // expected-warning {{b}} }}\n// expected-note@-2{{}}\n",
            expect![[r#"
                0 Error Some(1) "a"
                2 Warning Some(2) "b}} "
                3 Note Some(1) ""
            "#]],
        );
        check(
            "op\n// expected-error@below {{a}}\n// expected-note @above {{b}}\nop // expected-remark {{c}}\nop\n",
            expect![[r#"
                1 Error Some(4) "a"
                2 Note Some(0) "b"
                3 Remark Some(3) "c"
            "#]],
        );
        check(
            "// expected-error @unknown {{a}}\n// expected-error @+ {{a}}\n// expected-error {{a}} x\n// expected {{\n",
            expect![[r#"
                0 Error None "a"
            "#]],
        );
    }

    #[test]
    fn parts_that_are_regular_expressions_fit_any_text() {
        let fits = |text: &str, message: &str| comments(text)[0].fits(message);
        assert!(fits("// expected-error-re {{use of '{{.*}}' here}}", "a use of '%x' here"));
        assert!(!fits("// expected-error-re {{use of '{{.*}}' here}}", "a use of '%x' there"));
        assert!(
            fits("// expected-error {{use}}", "a use") && !fits("// expected-error {{us}}", "a")
        );
    }
}
