//! A text without the parameters and bodies of its functions: all that an outline of the file needs.
//!
//! In: a text. Out: a short one with `def f():pass` for each kernel, and the way from its offsets to those of the text.
//! Which functions are kernels is guessed by the last word of a decorator, and told by the tree of the short text
//! ([`Skimmed::is_of`]). A kernel stays whole if it has one of the names that imports bind: it may call something of
//! another file. So it is with functions of Python that have no kernel inside; all of them stay whole in a text that
//! uses such a name anywhere, as they may compute the arguments of its calls. Indents, brackets and strings are
//! followed as far as that takes; where one is odd, nothing is left out. O(bytes), without tokens. A
//! text that [`is_plain`] needs not even that, and of one that has nothing but imports, modules and kernels the outline
//! is read from the lines ([`names`]).

mod names;

use rustc_hash::FxHashSet;
use syntax::{TextRange, TextSize};

use super::discover::FileFunctions;

pub use names::{Named, names};

/// The last words of decorators of functions whose bodies nobody but their lowering reads.
const KERNELS: [&[u8]; 3] = [b"prim_func", b"macro", b"inline"];

/// The last words of all decorators that make functions of the script, or compile kernels.
const DECORATORS: [&str; 7] =
    ["prim_func", "macro", "inline", "jit", "lazy_jit", "function", "pyfunc"];

/// Words that begin statements and stand nowhere else.
const STATEMENTS: [&[u8]; 4] = [b"def ", b"class ", b"return ", b"with "];

/// The text in the place of a body.
const BODY: &str = "pass";

/// A text without the bodies of its kernels.
#[derive(Debug)]
pub struct Skimmed {
    /// The text.
    pub text: String,
    gaps: Vec<Gap>,
    /// The places where the names of kernels without bodies begin.
    names: Vec<TextSize>,
}

/// A place behind which offsets of a short text are by more than before smaller than those of the text.
#[derive(Clone, Copy, Debug)]
struct Gap {
    at: u32,
    missing: u32,
}

impl Skimmed {
    /// Returns true if the functions of the short text are those of the text: what was taken for a kernel is one.
    pub fn is_of(&self, functions: &FileFunctions) -> bool {
        let mut found =
            functions.functions.iter().map(|it| it.range.start() + it.source.name_range.start());
        self.names.iter().all(|name| found.any(|it| it == *name))
    }

    /// The range in the text of one in the short text that has no gap in it.
    pub fn original(&self, range: TextRange) -> TextRange {
        let at = u32::from(range.start());
        let before = self.gaps.partition_point(|it| it.at <= at);
        let missing = before.checked_sub(1).map_or(0, |it| self.gaps[it].missing);
        TextRange::at(range.start() + TextSize::from(missing), range.len())
    }
}

/// Returns a text without the bodies of its kernels; `None` if there is nothing to leave out, or something is odd.
/// Calls of functions of packages that are `known` are of no interest.
pub fn skim(text: &str, known: &[&str]) -> Option<Skimmed> {
    if !has_usual_lines(text) {
        return None;
    }
    let imported = imported(text, known);
    let mut may_call = false;
    let mut lines = Lines { bytes: text.as_bytes(), at: 0, watched: &imported };
    let mut cuts = Vec::new();
    let mut decorated: Option<Decorated> = None;
    let mut open: Option<Open> = None;
    while let Some(line) = lines.next()? {
        let words = &text.as_bytes()[line.start..line.end];
        let is_import = || [&b"from "[..], b"import "].iter().any(|it| words.starts_with(it));
        // What a star binds, nobody knows.
        may_call |= line.is_watched && (!is_import() || words.contains(&b'*'));
        if let Some(body) = open.take() {
            match body.with(&line, words) {
                Step::Goes(body) => {
                    open = Some(body);
                    continue;
                }
                Step::Odd => {}
                Step::Ends(cut) => cuts.push(cut),
            }
            // One that was odd is left as it is, and its lines are read as others.
        }
        let before = decorated.take();
        let is_decorated = before.is_some();
        let may_be_decorated = [&b"@"[..], b"def ", b"class ", b"async "];
        if is_decorated && !may_be_decorated.iter().any(|it| words.starts_with(it)) {
            return None;
        }
        let before = before.filter(|it| it.indent == line.indent);
        if words.first() == Some(&b'@') {
            decorated = Some(Decorated {
                indent: line.indent,
                is_kernel: is_kernel(words) || before.as_ref().is_some_and(|it| it.is_kernel),
                is_python: is_python(words)
                    && (!is_decorated || before.as_ref().is_some_and(|it| it.is_python)),
            });
        } else if before.as_ref().is_some_and(|it| it.is_kernel) {
            open = Open::of(words, &line, true);
        } else if !is_decorated || before.is_some_and(|it| it.is_python) {
            open = Open::of(words, &line, false);
        }
    }
    cuts.extend(open.and_then(Open::end));
    if may_call {
        cuts.retain(|it| it.is_kernel);
    }
    (!cuts.is_empty()).then(|| without(text, &cuts))
}

/// The decorators so far of what comes next.
struct Decorated {
    indent: usize,
    /// One makes a kernel.
    is_kernel: bool,
    /// None of them is the script's, or compiles.
    is_python: bool,
}

/// Returns false for a text with other line ends, tabs or pages, which are rare.
fn has_usual_lines(text: &str) -> bool {
    let is_other = |it: &u8| matches!(it, b'\r' | b'\t' | b'\x0c');
    // All of a piece are looked at: several bytes are at once.
    let is_usual = |it: &[u8]| it.iter().filter(|it| is_other(it)).count() == 0;
    text.len() <= u32::MAX as usize && text.as_bytes().chunks(256).all(is_usual)
}

/// Returns true if a text has no function of the script, and imports nothing but packages that are `known`: then it has
/// nothing for an outline.
pub fn is_plain(text: &str, known: &[&str]) -> bool {
    !may_have_functions(text) && imported(text, known).is_empty()
}

/// Returns false if no decorator of a text can be one of the script's.
fn may_have_functions(text: &str) -> bool {
    // Without an import `T`, `I` and `R` are the script's.
    let is_script = |(_, rest): (&str, &str)| {
        let mut rest = rest.trim_start_matches(' ').bytes();
        matches!(rest.next(), Some(b'T' | b'I' | b'R'))
            && rest.next().is_none_or(|it| !is_in_word(it))
    };
    let splits = || text.match_indices('@').map(|(at, _)| text.split_at(at + 1));
    if !text.contains("tvm") && !text.contains("tilelang") && !splits().any(is_script) {
        return false;
    }
    DECORATORS.iter().any(|word| words(text, word).any(|at| may_decorate(text, at, word)))
}

/// Returns true if a word may be the last one of a decorator, or a name that an import binds.
fn may_decorate(text: &str, at: usize, word: &str) -> bool {
    let (before, after) =
        (text[..at].trim_end_matches(' '), text[at + word.len()..].trim_start_matches(' '));
    let line = &before[before.rfind('\n').map_or(0, |it| it + 1)..];
    // In the parentheses of an import names are behind names, and before a comma or their end.
    let is_in_list = after.is_empty()
        || after.starts_with([',', ')', '\n', '\r', '\\', '#'])
        || after.starts_with("as ");
    before.ends_with(['.', '\\']) || line.contains("import") || is_in_list
}

/// The places of a word in a text.
fn words<'t>(text: &'t str, word: &'t str) -> impl Iterator<Item = usize> + 't {
    let is_free = |it: Option<usize>| {
        it.and_then(|it| text.as_bytes().get(it)).is_none_or(|it| !is_in_word(*it))
    };
    let all = text.match_indices(word).map(|it| it.0);
    all.filter(move |at| is_free(at.checked_sub(1)) && is_free(Some(at + word.len())))
}

/// The text without some parts of it.
fn without(text: &str, cuts: &[Cut]) -> Skimmed {
    let mut short = String::with_capacity(text.len() / 4);
    let (mut gaps, mut names) =
        (Vec::with_capacity(2 * cuts.len()), Vec::with_capacity(cuts.len()));
    let mut from = 0;
    for Cut { name, parameters, body, is_kernel } in cuts {
        if *is_kernel {
            names.push(TextSize::from((short.len() + name - from) as u32));
        }
        short.push_str(&text[from..parameters.0]);
        gaps.push(Gap { at: short.len() as u32, missing: (parameters.1 - short.len()) as u32 });
        short.push_str(&text[parameters.1..body.0]);
        short.push_str(BODY);
        gaps.push(Gap { at: short.len() as u32, missing: (body.1 - short.len()) as u32 });
        from = body.1;
    }
    short.push_str(&text[from..]);
    Skimmed { text: short, gaps, names }
}

/// A function of which parts are left out.
struct Cut {
    /// The place of its name.
    name: usize,
    /// Between the parentheses.
    parameters: (usize, usize),
    body: (usize, usize),
    /// False for a function of Python.
    is_kernel: bool,
}

/// A function whose body is being read.
struct Open {
    cut: Cut,
    /// Of the lines that it is in, from the outside; the first is that of the function.
    indents: Vec<usize>,
    /// The last line begins a block.
    begins: bool,
    /// It has no line yet.
    is_empty: bool,
}

enum Step {
    Goes(Open),
    /// Nothing of the function may be left out.
    Odd,
    Ends(Cut),
}

impl Open {
    /// The function that a line begins; none if it is something else.
    fn of(words: &[u8], line: &Line, is_kernel: bool) -> Option<Open> {
        let rest = words.strip_prefix(b"def ")?;
        let name = line.start + 4 + rest.iter().position(|it| *it != b' ')?;
        let (start, end) = line.parentheses?;
        // What binds a name in a default binds it around the function.
        let is_plain = line.last == b':' && !line.is_watched && !has(words, b":=");
        let body = (line.end, line.end);
        let cut = Cut { name, parameters: (start, end), body, is_kernel };
        let open = || Open { cut, indents: vec![line.indent], begins: true, is_empty: true };
        is_plain.then(open)
    }

    /// With a line that may be one of the body.
    fn with(mut self, line: &Line, words: &[u8]) -> Step {
        let outer = self.indents[0];
        if line.indent <= outer {
            return self.end().map_or(Step::Odd, Step::Ends);
        }
        let top = *self.indents.last().unwrap_or(&outer);
        match line.indent > top {
            true if self.begins => self.indents.push(line.indent),
            true => return Step::Odd,
            // A block has lines.
            false if self.begins => return Step::Odd,
            false => {
                while self.indents.last().is_some_and(|it| *it > line.indent) {
                    self.indents.pop();
                }
                if self.indents.last() != Some(&line.indent) {
                    return Step::Odd;
                }
            }
        }
        // A kernel in a function of Python, and what binds names outside of it.
        let is_outside = words.first() == Some(&b'@') || has(words, b"global ");
        if line.is_watched || (!self.cut.is_kernel && is_outside) {
            return Step::Odd;
        }
        self.begins = line.last == b':';
        self.is_empty = false;
        self.cut.body.1 = line.end;
        Step::Goes(self)
    }

    /// At the end of its body.
    fn end(self) -> Option<Cut> {
        (!self.is_empty && !self.begins).then_some(self.cut)
    }
}

/// A logical line: brackets and long strings go over several.
struct Line {
    indent: usize,
    start: usize,
    /// The end of the last token.
    end: usize,
    /// The last byte of the last token.
    last: u8,
    /// Where the first parenthesis that is in no other bracket begins and ends, inside.
    parentheses: Option<(usize, usize)>,
    /// It has one of the names that are looked for.
    is_watched: bool,
}

struct Lines<'t> {
    bytes: &'t [u8],
    at: usize,
    /// Names that are looked for.
    watched: &'t FxHashSet<&'t [u8]>,
}

impl Lines<'_> {
    fn get(&self, at: usize) -> u8 {
        self.bytes.get(at).copied().unwrap_or(b'\n')
    }

    /// Returns true if a line begins as only statements do: in brackets that somebody has yet to close.
    fn begins_statement(&self) -> bool {
        let rest = &self.bytes[self.at..];
        // Lines that are empty are followed by others, which are looked at then.
        let n_blank = rest.iter().take_while(|it| **it == b' ').count();
        let rest = &rest[n_blank..];
        STATEMENTS.iter().any(|it| rest.starts_with(it))
    }

    fn skip_comment(&mut self) {
        while self.at < self.bytes.len() && self.bytes[self.at] != b'\n' {
            self.at += 1;
        }
    }

    /// The next line that is not empty: `Some(None)` at the end, `None` where one is odd.
    fn next(&mut self) -> Option<Option<Line>> {
        let indent = loop {
            let start = self.at;
            while self.get(self.at) == b' ' {
                self.at += 1;
            }
            match self.bytes.get(self.at) {
                None => return Some(None),
                Some(b'\n') => self.at += 1,
                Some(b'#') => self.skip_comment(),
                Some(_) => break self.at - start,
            }
        };
        let start = self.at;
        let mut line =
            Line { indent, start, end: start, last: 0, parentheses: None, is_watched: false };
        let mut depth = 0usize;
        let mut opened = None;
        while self.at < self.bytes.len() {
            let byte = self.bytes[self.at];
            match byte {
                b' ' => {
                    self.at += 1;
                    continue;
                }
                b'\n' if depth == 0 => {
                    self.at += 1;
                    return Some(Some(line));
                }
                b'\n' => {
                    self.at += 1;
                    if self.begins_statement() {
                        return None;
                    }
                    continue;
                }
                b'#' => {
                    self.skip_comment();
                    continue;
                }
                b'A'..=b'Z' | b'a'..=b'z' | b'_' | 0x80.. => self.word(&mut line),
                b'0'..=b'9' => self.skip_word(),
                b'(' | b'[' | b'{' => {
                    self.at += 1;
                    if depth == 0 && byte == b'(' && line.parentheses.is_none() && opened.is_none()
                    {
                        opened = Some(self.at);
                    }
                    depth += 1;
                }
                b')' | b']' | b'}' => {
                    depth = depth.checked_sub(1)?;
                    if depth == 0 && line.parentheses.is_none() {
                        line.parentheses = opened.map(|it| (it, self.at));
                    }
                    self.at += 1;
                }
                b'"' | b'\'' => self.string(byte)?,
                b'\\' if self.get(self.at + 1) == b'\n' => {
                    self.at += 2;
                    continue;
                }
                b'\\' => return None,
                _ => self.at += 1,
            }
            line.end = self.at;
            line.last = self.bytes[self.at - 1];
        }
        (depth == 0).then_some(Some(line))
    }

    fn skip_word(&mut self) {
        while self.at < self.bytes.len() && is_in_word(self.bytes[self.at]) {
            self.at += 1;
        }
    }

    fn word(&mut self, line: &mut Line) {
        let start = self.at;
        self.skip_word();
        if !self.watched.is_empty() {
            line.is_watched |= self.watched.contains(&self.bytes[start..self.at]);
        }
    }

    /// Skips a string.
    fn string(&mut self, quote: u8) -> Option<()> {
        let is_long = self.get(self.at + 1) == quote && self.get(self.at + 2) == quote;
        self.at += if is_long { 3 } else { 1 };
        loop {
            let byte = *self.bytes.get(self.at)?;
            self.at += 1;
            match byte {
                b'\\' => self.at += 1,
                b'\n' if !is_long => return None,
                _ if byte != quote => {}
                _ if !is_long => return Some(()),
                _ if self.get(self.at) == quote && self.get(self.at + 1) == quote => {
                    self.at += 2;
                    return Some(());
                }
                _ => {}
            }
        }
    }
}

fn has(line: &[u8], part: &[u8]) -> bool {
    line.windows(part.len()).any(|it| it == part)
}

fn is_in_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80
}

/// Returns true for `@a.b` and `@a.b(…)` where `b` makes a kernel.
fn is_kernel(words: &[u8]) -> bool {
    let end = words.iter().position(|it| *it == b'(').unwrap_or(words.len());
    let mut parts = words[1..end].trim_ascii().rsplit(|it| *it == b'.');
    parts.next().is_some_and(|it| KERNELS.contains(&it)) && parts.next().is_some()
}

/// Returns true for `@a.b` and `@a.b(…)` where `b` is no word of the script's decorators: as it is behind a dot, no
/// import has renamed it.
fn is_python(words: &[u8]) -> bool {
    let end = words.iter().position(|it| *it == b'(').unwrap_or(words.len());
    let mut parts = words[1..end].trim_ascii().rsplit(|it| *it == b'.');
    let last = parts.next().unwrap_or_default();
    let is_word = !last.is_empty() && last.iter().all(|it| is_in_word(*it));
    is_word && parts.next().is_some() && !DECORATORS.iter().any(|it| it.as_bytes() == last)
}

/// The names that imports of a text may bind, but those of packages that are known.
fn imported<'t>(text: &'t str, known: &[&str]) -> FxHashSet<&'t [u8]> {
    let mut names: FxHashSet<&[u8]> = FxHashSet::default();
    let word = "import";
    for at in words(text, word) {
        let start = text[..at].rfind('\n').map_or(0, |it| it + 1);
        let mut end = text[at..].find('\n').map_or(text.len(), |it| at + it);
        let line = text[start..end].trim_start_matches([' ', '#']);
        if is_of_known(line, known) {
            continue;
        }
        // Names in parentheses, and on a line that is continued, are on the lines below.
        let behind = text[at + word.len()..].trim_start();
        if behind.starts_with('(') {
            end = text[end..].find(')').map_or(text.len(), |it| end + it);
        }
        while text[..end].ends_with('\\') && end < text.len() {
            end = text[end + 1..].find('\n').map_or(text.len(), |it| end + 1 + it);
        }
        let found = text.as_bytes()[start..end].split(|it| !is_in_word(*it));
        names.extend(found.filter(|it| !it.is_empty()));
    }
    names
}

/// Returns true if a line imports from packages that are known, and does nothing else.
fn is_of_known(line: &str, known: &[&str]) -> bool {
    let is_known = |module: &str| {
        let first = module.split(['.', ' ']).next().unwrap_or_default();
        known.contains(&first)
    };
    if line.contains([';', ':']) {
        return false;
    }
    match (line.strip_prefix("from "), line.strip_prefix("import ")) {
        (Some(module), _) => is_known(module.trim_start()),
        (_, Some(modules)) => modules.split(',').all(|it| is_known(it.trim_start())),
        _ => false,
    }
}

#[cfg(test)]
mod tests;
