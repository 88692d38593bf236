//! Actions about comments that state the diagnostics of a test of MLIR (`// expected-error @+1 {{…}}`).
//!
//! In: the place of the cursor, our errors in its document, in the words of `mlir-opt`, and the diagnostics that
//! another server has reported there. Out, for each of them that no comment states: the edit that points a comment
//! with its text at its line, or that gives the comment about its line its text, or that adds a comment, with those of
//! its notes. Where lines are added, the offsets of comments around them are kept right. O(document), for small
//! documents.

mod comments;

use db::{Database as _, PlacedUnit, RootDatabase, SourceFile};
use frontend::ops::codes;
use syntax::{
    Diagnostic, Edit, Severity, SyntaxErrorKind, SyntaxNode, TextRange, TextSize, symbol_name,
};

use self::comments::{Comment, Designator, Kind, comments};
use crate::{
    code_action::{ActionKind, CodeAction},
    diagnostic::DiagnosticsConfig,
    diagnostics,
    finding_levels::FindingLevels,
    pace::Pace,
    units::of_units,
};

/// Files of more text have no such actions: editors ask whenever the cursor moves.
const MAX_LEN: u32 = 1 << 20;

/// A diagnostic of another server.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Reported {
    /// Its place.
    pub offset: TextSize,
    /// How bad it is.
    pub severity: Severity,
    /// Its message.
    pub message: String,
    /// Other places of the file, with what is said about them.
    pub notes: Vec<(TextSize, String)>,
}

/// The actions in a range. Our own errors count where they are reported.
pub(crate) fn expectation_actions(
    db: &RootDatabase,
    file: SourceFile,
    range: TextRange,
    reported: &[Reported],
    reports_errors: bool,
) -> Vec<CodeAction> {
    let parse = db::parse(db, file);
    if parse.mlir().is_none() || u32::from(parse.green().text_len()) > MAX_LEN {
        return Vec::new();
    }
    let root = parse.syntax();
    let text = root.text();
    let is_test = text.contains("expected-") || text.contains("verify-diagnostics");
    if !is_test {
        return Vec::new();
    }
    let frame = |at: PlacedUnit<'_>| at.unit.is_frame(db).then_some(at.range);
    let mut documents = of_units(db, file, Some(range), frame).flatten();
    let Some(document) = documents.find(|it| it.contains_inclusive(range.start())) else {
        return Vec::new();
    };
    let lines = Lines::new(&text[document]);
    let mut told = Vec::new();
    if reports_errors {
        let levels = FindingLevels::default();
        let config =
            DiagnosticsConfig { common_subexpressions: false, levels, ..Default::default() };
        db.unwind_if_revision_cancelled();
        let found = diagnostics::diagnostics(db, file, &config, &Pace::default());
        let found = found.iter().filter(|it| document.contains_range(it.range));
        told.extend(found.filter_map(|it| Told::ours(&root, document.start(), &lines, it)));
    }
    let others = reported.iter().filter(|it| document.contains_inclusive(it.offset));
    told.extend(others.filter_map(|it| Told::reported(document.start(), &lines, it)));
    let test = Test { text: &text[document], comments: comments(&text[document]), lines };
    let begin = range.start().max(document.start()) - document.start();
    let end = range.end().min(document.end()).max(begin + document.start()) - document.start();
    let at = (test.lines.of(begin), test.lines.of(end));
    let actions = test.actions(&told, at);
    let place = |edit: Edit| Edit { range: edit.range + document.start(), ..edit };
    let of_file =
        |it: CodeAction| CodeAction { edits: it.edits.into_iter().map(place).collect(), ..it };
    actions.into_iter().map(of_file).collect()
}

/// A diagnostic or one of its notes.
#[derive(Clone, Debug)]
struct Item {
    line: usize,
    kind: Kind,
    /// The words of `mlir-opt`, as far as they are known.
    message: Option<String>,
}

/// A diagnostic with its notes.
#[derive(Clone, Debug)]
struct Told {
    item: Item,
    notes: Vec<Item>,
    /// True if it is one of ours: nobody else offers a comment for it.
    is_ours: bool,
}

impl Told {
    fn ours(
        root: &SyntaxNode,
        document: TextSize,
        lines: &Lines,
        found: &Diagnostic,
    ) -> Option<Told> {
        if found.severity != Severity::Error {
            return None;
        }
        let text = root.text_in(found.range);
        let line = lines.of(found.range.start() - document);
        let of_line = || root.text_in(lines.range(line) + document);
        let Words { message, note } = words(found.code, &text, of_line)?;
        let note = note.zip(found.related.first()).map(|(words, (range, _))| Item {
            line: lines.of(range.start().checked_sub(document).unwrap_or_default()),
            kind: Kind::Note,
            message: Some(words.to_owned()),
        });
        let item = Item { line, kind: Kind::Error, message };
        Some(Told { item, notes: note.into_iter().collect(), is_ours: true })
    }

    fn reported(document: TextSize, lines: &Lines, it: &Reported) -> Option<Told> {
        let item = |offset: TextSize, kind, message: &str| Item {
            line: lines.of(offset.checked_sub(document).unwrap_or_default()),
            kind,
            message: Some(message.lines().next().unwrap_or_default().to_owned()),
        };
        let kind = match it.severity {
            Severity::Error => Kind::Error,
            Severity::Warning => Kind::Warning,
            Severity::Information => Kind::Remark,
            Severity::Hint => return None,
        };
        // `-verify-diagnostics` turns these notes off.
        let notes = it.notes.iter().filter(|it| !it.1.starts_with("see current operation"));
        let notes = notes.map(|(offset, message)| item(*offset, Kind::Note, message)).collect();
        Some(Told { item: item(it.offset, kind, &it.message), notes, is_ours: false })
    }
}

/// The words of `mlir-opt`, as far as they are known.
struct Words {
    message: Option<String>,
    /// Those about the first related place.
    note: Option<&'static str>,
}

/// The operations that must find a symbol, with what they say if they do not.
const MUST_FIND: [(&str, &str); 5] = [
    ("memref.get_global", "does not reference a valid global memref"),
    ("llvm.mlir.addressof", "must reference a global defined by"),
    ("llvm.call", "does not reference a symbol in the current scope"),
    ("constant", "reference to undefined function"),
    ("call", "does not reference a valid function"),
];

/// The words of LLVM 19 for an error of ours; none for what it does not report. `text` is what stands at the error,
/// `of_line` the line.
fn words(code: &str, text: &str, of_line: impl FnOnce() -> String) -> Option<Words> {
    let name = || text.split([':', '(', ' ']).next().unwrap_or_default();
    let alias = || name().trim_start_matches(['#', '!']);
    let message = match code {
        codes::UNDEFINED_VALUE => "use of undeclared SSA value name".to_owned(),
        codes::VALUE_REDEFINITION => format!("redefinition of SSA value '{}'", name()),
        codes::BLOCK_REDEFINITION => format!("redefinition of block '{}'", name()),
        codes::UNDEFINED_BLOCK => "reference to an undefined block".to_owned(),
        codes::USE_BEFORE_DEFINITION => "does not dominate this use".to_owned(),
        codes::UNDEFINED_SYMBOL => {
            let line = of_line();
            let found = MUST_FIND.into_iter().find(|it| line.contains(it.0));
            found.map_or("reference", |it| it.1).to_owned()
        }
        codes::SYMBOL_REDEFINITION => {
            format!("redefinition of symbol named '{}'", symbol_name(text))
        }
        codes::ALIAS_REDEFINITION if text.starts_with('!') => {
            format!("redefinition of type alias id '{}'", alias())
        }
        codes::ALIAS_REDEFINITION => format!("redefinition of attribute alias id '{}'", alias()),
        codes::UNDEFINED_ALIAS => format!("undefined symbol alias id '{}'", alias()),
        codes::DUPLICATE_KEY => {
            format!("duplicate key '{}' in dictionary attribute", name().trim_matches('"'))
        }
        codes::TYPE_MISMATCH => "expects different type than prior uses".to_owned(),
        codes::UNDEFINED_AFFINE_NAME => "use of undeclared identifier".to_owned(),
        _ => {
            let is_syntax = SyntaxErrorKind::ALL.iter().any(|it| it.name() == code);
            let is_told = is_syntax || code == codes::COUNT_MISMATCH;
            return is_told.then_some(Words { message: None, note: None });
        }
    };
    let note = match code {
        codes::VALUE_REDEFINITION => Some("previously defined here"),
        codes::USE_BEFORE_DEFINITION => Some("operand defined here"),
        codes::SYMBOL_REDEFINITION => Some("see existing symbol definition here"),
        codes::TYPE_MISMATCH => Some("prior use here"),
        _ => None,
    };
    Some(Words { message: Some(message), note })
}

/// The lines of a document.
struct Lines(Vec<TextRange>);

impl Lines {
    fn new(text: &str) -> Lines {
        let mut lines = Vec::new();
        let mut start = TextSize::new(0);
        for line in text.split_inclusive('\n') {
            let end = start + TextSize::of(line);
            lines.push(TextRange::new(start, end));
            start = end;
        }
        if lines.is_empty() || text.ends_with('\n') {
            lines.push(TextRange::empty(start));
        }
        Lines(lines)
    }

    fn of(&self, offset: TextSize) -> usize {
        self.0.partition_point(|it| it.start() <= offset).saturating_sub(1)
    }

    fn range(&self, line: usize) -> TextRange {
        self.0.get(line).copied().unwrap_or_default()
    }
}

/// A document with comments. Ranges are relative to it.
struct Test<'t> {
    text: &'t str,
    comments: Vec<Comment>,
    lines: Lines,
}

impl Test<'_> {
    /// The actions in some lines.
    fn actions(&self, told: &[Told], (first, last): (usize, usize)) -> Vec<CodeAction> {
        let is_here = |line: usize| (first..=last).contains(&line);
        let mut is_used = vec![false; self.comments.len()];
        // Those that are stated are not a matter of any action, nor are their comments.
        let mut open: Vec<(&Told, Vec<&Item>)> = Vec::new();
        for told in told {
            let mut left = Vec::new();
            for item in std::iter::once(&told.item).chain(&told.notes) {
                let stated = self.find(&is_used, item, |it| {
                    it.target == Some(item.line) || it.designator == Designator::Unknown
                });
                match stated {
                    Some(at) => is_used[at] = true,
                    None => left.push(item),
                }
            }
            open.push((told, left));
        }
        let mut res = Vec::new();
        for (told, mut left) in open {
            left.retain(|item| {
                let Some((at, edit, title)) = self.update(&is_used, item) else { return true };
                is_used[at] = true;
                if is_here(item.line) || is_here(self.comments[at].line) {
                    let action = CodeAction::without_edits(title, ActionKind::QuickFix);
                    res.push(CodeAction { edits: vec![edit], is_preferred: true, ..action });
                }
                false
            });
            let is_main = left.first().is_some_and(|it| std::ptr::eq(*it, &told.item));
            if told.is_ours && is_main && is_here(told.item.line) {
                res.push(self.addition(&left));
            }
        }
        if res.len() > 1 {
            res.iter_mut().for_each(|it| it.is_preferred = false);
        }
        res
    }

    /// The nearest comment that is not used and could state an item.
    fn find(
        &self,
        is_used: &[bool],
        item: &Item,
        fits: impl Fn(&Comment) -> bool,
    ) -> Option<usize> {
        let free = self.comments.iter().enumerate().filter(|(at, it)| {
            let is_text = item.message.as_ref().is_none_or(|message| it.fits(message));
            !is_used[*at] && it.kind == item.kind && is_text && fits(it)
        });
        free.min_by_key(|(_, it)| it.line.abs_diff(item.line)).map(|it| it.0)
    }

    /// A comment that states the item after an edit, the edit, and what it does.
    fn update(&self, is_used: &[bool], item: &Item) -> Option<(usize, Edit, String)> {
        let word = item.kind.word();
        let message = item.message.as_ref()?;
        if let Some(at) = self.find(is_used, item, Comment::has_text) {
            let comment = &self.comments[at];
            let edit = pointed(comment, item.line as i64 - comment.line as i64);
            let title = match edit.text.trim() {
                "" => format!("Point `expected-{word}` at its own line"),
                offset => format!("Point `expected-{word}` at this {word}: `{offset}`"),
            };
            return Some((at, edit, title));
        }
        let mut free = self.comments.iter().enumerate();
        let (at, comment) = free.find(|(at, it)| {
            !is_used[*at] && it.kind == item.kind && it.target == Some(item.line)
        })?;
        let edit = Edit { range: comment.text_range, text: message.clone() };
        Some((at, edit, format!("Update the text of `expected-{word}`")))
    }

    /// Adds the comments of a diagnostic and of notes in the lines before them.
    fn addition(&self, items: &[&Item]) -> CodeAction {
        let mut edits: Vec<Edit> = Vec::new();
        for item in items {
            let line = self.lines.range(item.line);
            let content = &self.text[line];
            let indent = &content[..content.len() - content.trim_start_matches([' ', '\t']).len()];
            let end = if content.ends_with("\r\n") { "\r\n" } else { "\n" };
            let (word, message) = (item.kind.word(), item.message.as_deref().unwrap_or_default());
            let text = format!("{indent}// expected-{word} @below {{{{{message}}}}}{end}");
            match edits.iter_mut().find(|it| it.range.start() == line.start()) {
                Some(edit) => edit.text.push_str(&text),
                None => edits.push(Edit { range: TextRange::empty(line.start()), text }),
            }
        }
        // Lines that move away from their comments.
        let moved = |line: usize| {
            let before = items.iter().filter(|it| it.line <= line).count();
            (line + before) as i64
        };
        for comment in &self.comments {
            let (Designator::Offset(old), Some(target)) = (comment.designator, comment.target)
            else {
                continue;
            };
            let new = moved(target) - moved(comment.line);
            if new != old {
                edits.push(pointed(comment, new));
            }
        }
        edits.sort_by_key(|it| (it.range.start(), it.range.end()));
        let word = items.first().map_or("error", |it| it.kind.word());
        let notes = if items.len() > 1 { " and its note" } else { "" };
        let title = format!("Add `expected-{word}` for this {word}{notes}");
        CodeAction { edits, ..CodeAction::without_edits(title, ActionKind::QuickFix) }
    }
}

/// The edit that points a comment at the line so far behind its own.
fn pointed(comment: &Comment, offset: i64) -> Edit {
    let text = match offset {
        0 => " ".to_owned(),
        offset => format!(" @{offset:+} "),
    };
    Edit { range: comment.designator_range, text }
}
