//! The names in an outline of a text that is nothing but imports, modules and kernels, as most printed programs are.
//!
//! In: a text. Out: its modules and kernels in order, without a tree; none if anything else is in the text, or anything
//! in it is written in an unusual way, or may mean something else than it seems. O(bytes).

use rustc_hash::{FxHashMap, FxHashSet};
use syntax::SyntaxKind;

use super::{KERNELS, Line, Lines, Open, Step, has_usual_lines, imported, is_in_word};
use crate::tvmscript::vocabulary;

/// A module or kernel of a text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Named<'t> {
    /// Its name, of ASCII.
    pub name: &'t str,
    /// The name of the module around it; empty without one.
    pub module: &'t str,
    /// True for a module.
    pub is_module: bool,
    /// The line of the name, from 0.
    pub line: u32,
    /// The column of the name, from 0, in any units.
    pub column: u32,
}

/// Returns the modules and kernels of a text in order; `None` if it has anything else but imports of packages that are
/// `known`, or may have.
pub fn names<'t>(text: &'t str, known: &[&str]) -> Option<Vec<Named<'t>>> {
    // All but the first statement is read only if that is an import, or decorates something.
    let first = first_statement(text)?;
    let is_usual = ["@", "from ", "import "].iter().any(|it| first.starts_with(it));
    if !is_usual || !has_usual_lines(text) || !imported(text, known).is_empty() {
        return None;
    }
    let mut reader = Reader::new(text);
    reader.commented_imports()?;
    let nothing = FxHashSet::default();
    let mut lines = Lines { bytes: text.as_bytes(), at: 0, watched: &nothing };
    let mut open: Option<Open> = None;
    while let Some(line) = lines.next()? {
        if let Some(body) = open.take() {
            let words = &text.as_bytes()[line.start..line.end];
            match body.with(&line, words) {
                Step::Goes(body) => {
                    open = Some(body);
                    continue;
                }
                Step::Odd => return None,
                Step::Ends(_) => {}
            }
        }
        open = reader.statement(&line)?;
    }
    if let Some(body) = open {
        body.end()?;
    }
    reader.end()
}

/// The text from its first statement on.
fn first_statement(text: &str) -> Option<&str> {
    let mut rest = text;
    loop {
        rest = rest.trim_start_matches([' ', '\n']);
        match rest.strip_prefix('#') {
            Some(comment) => rest = &comment[comment.find('\n')?..],
            None => return Some(rest),
        }
    }
}

struct Reader<'t> {
    text: &'t str,
    /// The names that imports bind, and the paths that they are of: the package or module, and what is in it.
    imports: FxHashMap<&'t str, [&'t str; 2]>,
    /// The decorator of the next line.
    decorator: Option<Decorator<'t>>,
    /// The module whose lines are read, and their indent once it is known.
    module: Option<(&'t str, Option<usize>)>,
    found: Vec<Named<'t>>,
    /// The beginning of the last name that was found, and its line.
    last: (usize, u32),
}

/// The words of a decorator, and the indent of its line.
struct Decorator<'t> {
    head: &'t str,
    rest: &'t str,
    indent: usize,
}

impl<'t> Reader<'t> {
    fn new(text: &'t str) -> Reader<'t> {
        Reader {
            text,
            imports: FxHashMap::default(),
            decorator: None,
            module: None,
            found: Vec::new(),
            last: (0, 0),
        }
    }

    /// As printed programs have them, before the first statement.
    fn commented_imports(&mut self) -> Option<()> {
        for line in self.text.split('\n').map(|it| it.trim_start_matches(' ')) {
            match line.strip_prefix('#') {
                Some(comment) => {
                    let comment = comment.trim_start_matches('#').trim();
                    let from = comment.strip_prefix("from ");
                    let Some((module, names)) = from.and_then(|it| it.split_once(" import "))
                    else {
                        continue;
                    };
                    for name in names.split(',') {
                        let mut words = name.split_whitespace();
                        let Some(imported) = words.next() else { continue };
                        self.bind(words.nth(1).unwrap_or(imported), [module, imported])?;
                    }
                }
                None if line.is_empty() => {}
                None => break,
            }
        }
        Some(())
    }

    /// With a line of no body: `Some(Some(…))` if it begins one, `None` if it is anything else but expected.
    fn statement(&mut self, line: &Line) -> Option<Option<Open>> {
        let words = &self.text[line.start..line.end];
        self.place(line.indent)?;
        if let Some(decorator) = self.decorator.take() {
            if decorator.indent != line.indent {
                return None;
            }
            return match words.strip_prefix("class ") {
                Some(rest) => self.class(&decorator, rest, line).map(|()| None),
                None => self.kernel(&decorator, words, line).map(Some),
            };
        }
        if let Some(decorator) = words.strip_prefix('@') {
            self.decorator = Some(self.decorator_of(decorator, line)?);
        } else if let Some(import) = words.strip_prefix("from ") {
            self.imports_from(import)?;
        } else if let Some(import) = words.strip_prefix("import ") {
            self.import(import)?;
        } else {
            self.call(words, line)?;
        }
        Some(None)
    }

    /// Leaves a module where a line is not in it; `None` if a line has an indent that no line has there.
    fn place(&mut self, indent: usize) -> Option<()> {
        match &mut self.module {
            Some((_, inner @ None)) if indent > 0 => *inner = Some(indent),
            // A module has lines.
            Some((_, None)) => return None,
            Some((_, Some(inner))) if indent == *inner => {}
            _ if indent == 0 => self.module = None,
            _ => return None,
        }
        Some(())
    }

    /// `a.b`, and `a.b(…)`.
    fn decorator_of(&self, words: &'t str, line: &Line) -> Option<Decorator<'t>> {
        let words = dotted(words, line)?;
        let (head, rest) = words.split_once('.')?;
        Some(Decorator { head, rest, indent: line.indent })
    }

    /// `class NAME:` of a module.
    fn class(&mut self, decorator: &Decorator<'t>, rest: &'t str, line: &Line) -> Option<()> {
        let name = rest.strip_suffix(':').filter(|it| is_name(it))?;
        let is_module = last(decorator.rest) == "ir_module" && self.module.is_none();
        if !is_module || self.is_script(name) {
            return None;
        }
        self.add(name, line.start + "class ".len(), line.indent, true);
        self.module = Some((name, None));
        Some(())
    }

    /// `def NAME(…):` of a kernel, with or without the type of a result.
    fn kernel(&mut self, decorator: &Decorator<'t>, words: &'t str, line: &Line) -> Option<Open> {
        let path = self.path(decorator)?;
        vocabulary::decorated(&path)?;
        let (start, end) = line.parentheses?;
        let name = self.text.get(line.start + "def ".len()..start - 1).filter(|it| is_name(it))?;
        let behind = self.text.get(end + 1..line.end)?.trim_start_matches(' ');
        let is_usual = behind == ":" || behind.starts_with("->");
        if !is_usual || self.is_script(name) {
            return None;
        }
        let open = Open::of(words.as_bytes(), line, true)?;
        self.add(name, line.start + "def ".len(), line.indent, false);
        Some(open)
    }

    /// The path of a decorator that makes kernels.
    fn path(&self, decorator: &Decorator<'_>) -> Option<String> {
        let Decorator { head, rest, .. } = decorator;
        if !KERNELS.contains(&last(rest).as_bytes()) {
            return None;
        }
        Some(match (self.imports.get(head), *head) {
            (Some([module, ""]), _) => format!("{module}.{rest}"),
            (Some([module, name]), _) => format!("{module}.{name}.{rest}"),
            (None, "T") => format!("tvm.script.tirx.{rest}"),
            (None, _) => return None,
        })
    }

    /// Returns true for a name that an import binds, or that is the script's without one: a definition gives it another
    /// meaning from there on.
    fn is_script(&self, name: &str) -> bool {
        self.imports.contains_key(name) || matches!(name, "T" | "I" | "R")
    }

    fn add(&mut self, name: &'t str, at: usize, indent: usize, is_module: bool) {
        let before = &self.text.as_bytes()[self.last.0..at];
        let lines = before.iter().filter(|it| **it == b'\n').count();
        self.last = (at, self.last.1 + lines as u32);
        let column = indent + if is_module { "class ".len() } else { "def ".len() };
        let module = self.module.filter(|_| !is_module).map_or("", |it| it.0);
        let (line, column) = (self.last.1, column as u32);
        self.found.push(Named { name, module, is_module, line, column });
    }

    /// `from a.b import c as d, e`.
    fn imports_from(&mut self, import: &'t str) -> Option<()> {
        let (module, names) = import.split_once(" import ")?;
        let module = module.trim_matches(' ');
        is_dotted(module).then_some(())?;
        for name in names.split(',') {
            let (imported, alias) = renamed(name)?;
            is_name(imported).then_some(())?;
            self.bind(alias.unwrap_or(imported), [module, imported])?;
        }
        Some(())
    }

    /// `import a.b as c, d`.
    fn import(&mut self, import: &'t str) -> Option<()> {
        for module in import.split(',') {
            let (module, alias) = renamed(module)?;
            is_dotted(module).then_some(())?;
            let first = module.split('.').next().unwrap_or_default();
            match alias {
                Some(alias) => self.bind(alias, [module, ""])?,
                None => self.bind(first, [first, ""])?,
            }
        }
        Some(())
    }

    /// A name that had another meaning, or gets one late, means what the whole text says.
    fn bind(&mut self, name: &'t str, path: [&'t str; 2]) -> Option<()> {
        let bound = *self.imports.entry(name).or_insert(path);
        (self.found.is_empty() && bound == path).then_some(())
    }

    /// `I.module_attrs(…)` and others in a module.
    fn call(&self, words: &'t str, line: &Line) -> Option<()> {
        let (head, _) = dotted(words, line)?.split_once('.')?;
        let is_call = line.parentheses.is_some() && self.module.is_some();
        let is_of_import = self.imports.contains_key(head);
        // What binds a name in an expression.
        (is_call && is_of_import && !words.contains(":=")).then_some(())
    }

    fn end(self) -> Option<Vec<Named<'t>>> {
        let is_empty_module = matches!(self.module, Some((_, None)));
        let has_kernel = self.found.iter().any(|it| !it.is_module);
        (self.decorator.is_none() && !is_empty_module && has_kernel).then_some(self.found)
    }
}

/// `a.b` of `a.b` and `a.b(…)`, where a line has nothing else.
fn dotted<'t>(words: &'t str, line: &Line) -> Option<&'t str> {
    let end = words.find('(').unwrap_or(words.len());
    let is_all = match line.parentheses {
        Some((_, close)) => close + 1 == line.end,
        None => end == words.len(),
    };
    let name = &words[..end];
    (is_all && is_dotted(name)).then_some(name)
}

/// `a` and `b` of `a as b`.
fn renamed(text: &str) -> Option<(&str, Option<&str>)> {
    let mut words = text.split(' ').filter(|it| !it.is_empty());
    let first = words.next()?;
    match (words.next(), words.next(), words.next()) {
        (None, ..) => Some((first, None)),
        (Some("as"), Some(alias), None) if is_name(alias) => Some((first, Some(alias))),
        _ => None,
    }
}

/// Names with dots between them.
fn is_dotted(text: &str) -> bool {
    text.split('.').all(is_name)
}

/// The last of names with dots between them.
fn last(text: &str) -> &str {
    text.rsplit('.').next().unwrap_or_default()
}

/// A name of ASCII.
fn is_name(text: &str) -> bool {
    let is_first = |it: &u8| it.is_ascii_alphabetic() || *it == b'_';
    let has_letters = text.is_ascii() && text.bytes().all(is_in_word);
    has_letters
        && text.as_bytes().first().is_some_and(is_first)
        && SyntaxKind::from_keyword(text).is_none()
}

#[cfg(test)]
mod tests;
