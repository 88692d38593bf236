//! Outlines of files that are not open: their symbols, and their calls of functions of other files.
//!
//! Made of the text alone, with lines and columns, as nobody has the text afterwards. Kept in
//! [`WorkspaceIndex`](crate::WorkspaceIndex) beside the fingerprints, in few bytes ([`Outline::write`]).

use frontend::tvmscript::{
    FileFunctions,
    discover::callees::{Callable, CallableKind},
    skim::Named,
};
use syntax::{ColumnEncoding, LineIndex, Parse, SyntaxNode, TextRange, Units};

use crate::{
    document_symbols::SymbolKind,
    packed::{Reader, Writer},
};

/// A file has at most so many calls that are kept.
const MAX_CALLS: usize = 256;

/// Packages whose functions are no kernels of a workspace.
pub(crate) const OTHERS: [&str; 16] = [
    "torch",
    "numpy",
    "np",
    "tvm",
    "tilelang",
    "triton",
    "os",
    "sys",
    "math",
    "typing",
    "functools",
    "itertools",
    "pytest",
    "argparse",
    "time",
    "logging",
];

/// A range on one line of a file that the host does not have.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Spot {
    /// The line, from 0.
    pub line: u32,
    utf8: (u32, u32),
    utf16: (u32, u32),
    utf32: (u32, u32),
}

impl Spot {
    /// A range, which ends on the line where it begins.
    pub(crate) fn new(lines: &LineIndex, range: TextRange) -> Spot {
        let start = |encoding| lines.line_col(range.start(), encoding);
        let columns = |encoding| (start(encoding).col, lines.line_col(range.end(), encoding).col);
        Spot {
            line: start(ColumnEncoding::Utf8).line,
            utf8: columns(ColumnEncoding::Utf8),
            utf16: columns(ColumnEncoding::Utf16),
            utf32: columns(ColumnEncoding::Utf32),
        }
    }

    /// The start of a file.
    pub(crate) fn start() -> Spot {
        Spot::of_ascii(0, 0, "")
    }

    /// The place of a name of ASCII, with nothing but ASCII before it on its line.
    fn of_ascii(line: u32, column: u32, name: &str) -> Spot {
        let columns = (column, column + name.len() as u32);
        Spot { line, utf8: columns, utf16: columns, utf32: columns }
    }

    /// Writes it: the line as the difference to the one before, and the columns once if they are the same in all
    /// encodings.
    fn write(&self, writer: &mut Writer<'_>, line: &mut u32) {
        writer.near(self.line, *line);
        *line = self.line;
        let same = self.utf8 == self.utf16 && self.utf8 == self.utf32;
        writer.number(u64::from(self.utf8.0) << 1 | u64::from(same));
        writer.near(self.utf8.1, self.utf8.0);
        if !same {
            for (start, end) in [self.utf16, self.utf32] {
                writer.number(start.into());
                writer.near(end, start);
            }
        }
    }

    fn read(reader: &mut Reader<'_>, line: &mut u32) -> Spot {
        *line = reader.near(*line);
        let head = reader.number();
        let start = (head >> 1) as u32;
        let utf8 = (start, reader.near(start));
        let mut columns = || {
            if head & 1 != 0 {
                return utf8;
            }
            let start = reader.number() as u32;
            (start, reader.near(start))
        };
        Spot { line: *line, utf8, utf16: columns(), utf32: columns() }
    }

    /// The columns where it begins and ends, from 0.
    pub fn columns(&self, encoding: ColumnEncoding) -> (u32, u32) {
        match encoding {
            ColumnEncoding::Utf8 => self.utf8,
            ColumnEncoding::Utf16 => self.utf16,
            ColumnEncoding::Utf32 => self.utf32,
        }
    }
}

/// A symbol of a file that is not open, with texts of its own or with those that the index has.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct ClosedSymbol<T = Box<str>> {
    pub(crate) name: T,
    /// The names around it.
    pub(crate) container: T,
    pub(crate) kind: SymbolKind,
    pub(crate) spot: Spot,
}

/// A call of a function of another file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct ClosedCall<T = Box<str>> {
    /// The words of the import and what is behind it: `a.b.f`.
    pub(crate) path: T,
    /// The function that calls; none at the top of the file.
    pub(crate) caller: Option<ClosedSymbol<T>>,
    pub(crate) spot: Spot,
}

/// The symbols and calls of a file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Outline<T = Box<str>> {
    pub(crate) symbols: Vec<ClosedSymbol<T>>,
    pub(crate) calls: Vec<ClosedCall<T>>,
}

impl<T> Default for Outline<T> {
    fn default() -> Outline<T> {
        Outline { symbols: Vec::new(), calls: Vec::new() }
    }
}

impl Outline {
    /// Of a file of statements: kernels, macros, factories and modules. `spot` is the place of a range of the tree.
    /// O(tokens of the tree).
    pub(crate) fn of_functions(
        functions: &FileFunctions,
        parse: &Parse,
        spot: &dyn Fn(TextRange) -> Spot,
    ) -> Outline {
        if functions.functions.is_empty() {
            return Outline::default();
        }
        let root = parse.syntax();
        let calls = functions.calls(&root);
        let symbol = |it: &Callable| ClosedSymbol {
            name: it.name().into(),
            container: container(&it.path).into(),
            kind: SymbolKind::Function,
            spot: spot(it.name_range),
        };
        let mut outline = Outline::default();
        for (name, range) in module_names(&root) {
            let (container, kind) = ("".into(), SymbolKind::Module);
            let spot = spot(range);
            outline.symbols.push(ClosedSymbol { name: name.into(), container, kind, spot });
        }
        outline.symbols.extend(calls.callables.iter().filter(|it| is_symbol(it)).map(symbol));
        outline.symbols.sort_by_key(|it| it.spot);
        let foreign = calls.sites.iter().filter_map(|site| {
            let words: Vec<&str> = site.words.iter().map(|it| &**it).collect();
            let path = functions.scopes().imported_words(site.scope, &words)?;
            let is_other = OTHERS.contains(&path.split('.').next().unwrap_or_default());
            let caller = || site.caller.map(|it| symbol(&calls.callables[it]));
            (!is_other).then(|| ClosedCall {
                path: path.into(),
                caller: caller(),
                spot: spot(site.range),
            })
        });
        outline.calls.extend(foreign.take(MAX_CALLS));
        outline
    }

    /// Of a file that has nothing but these modules and kernels. O(functions).
    pub(crate) fn of_names(names: &[Named<'_>]) -> Outline {
        let symbol = |it: &Named<'_>| ClosedSymbol {
            name: it.name.into(),
            container: it.module.into(),
            kind: if it.is_module { SymbolKind::Module } else { SymbolKind::Function },
            spot: Spot::of_ascii(it.line, it.column, it.name),
        };
        Outline { symbols: names.iter().map(symbol).collect(), calls: Vec::new() }
    }

    /// Of a file of operations: its functions. O(functions).
    pub(crate) fn of_units(units: &Units, lines: &LineIndex) -> Outline {
        let named = units.functions.iter().filter(|it| !it.source.name.is_empty());
        let symbol = |it: &syntax::UnitItem| ClosedSymbol {
            name: it.source.name.clone(),
            container: it.source.path.clone(),
            kind: SymbolKind::Function,
            spot: Spot::new(lines, it.source.name_range + it.range.start()),
        };
        Outline { symbols: named.map(symbol).collect(), calls: Vec::new() }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.symbols.is_empty() && self.calls.is_empty()
    }

    /// Writes it, for the index to keep.
    pub(crate) fn write<'a>(&'a self, writer: &mut Writer<'a>) {
        let mut line = 0;
        writer.number(self.symbols.len() as u64);
        self.symbols.iter().for_each(|it| it.write(writer, &mut line));
        writer.number(self.calls.len() as u64);
        for ClosedCall { path, caller, spot } in &self.calls {
            writer.text(path);
            spot.write(writer, &mut line);
            writer.number(caller.is_some().into());
            caller.iter().for_each(|it| it.write(writer, &mut line));
        }
    }
}

impl<'a> Outline<&'a str> {
    /// Reads what [`Outline::write`] has written. O(symbols + calls).
    pub(crate) fn read(reader: &mut Reader<'a>) -> Outline<&'a str> {
        let mut line = 0;
        let symbols = (0..reader.number()).map(|_| ClosedSymbol::read(reader, &mut line)).collect();
        let n_calls = reader.number();
        let call = |_| {
            let (path, spot) = (reader.text(), Spot::read(reader, &mut line));
            let has_caller = reader.number() != 0;
            let caller = has_caller.then(|| ClosedSymbol::read(reader, &mut line));
            ClosedCall { path, caller, spot }
        };
        let calls = (0..n_calls).map(call).collect();
        Outline { symbols, calls }
    }
}

impl ClosedSymbol {
    fn write<'a>(&'a self, writer: &mut Writer<'a>, line: &mut u32) {
        writer.text(&self.name);
        writer.text(&self.container);
        let kind = KINDS.iter().position(|it| *it == self.kind).unwrap_or_default();
        writer.number(kind as u64);
        self.spot.write(writer, line);
    }
}

impl<'a> ClosedSymbol<&'a str> {
    fn read(reader: &mut Reader<'a>, line: &mut u32) -> ClosedSymbol<&'a str> {
        let (name, container) = (reader.text(), reader.text());
        let kind = KINDS.get(reader.number() as usize).copied().unwrap_or(SymbolKind::Function);
        ClosedSymbol { name, container, kind, spot: Spot::read(reader, line) }
    }
}

/// The kinds of symbols, by their numbers in what is written.
const KINDS: [SymbolKind; 5] = [
    SymbolKind::Function,
    SymbolKind::Module,
    SymbolKind::Block,
    SymbolKind::Buffer,
    SymbolKind::Global,
];

/// Returns true if a function is shown among the symbols of a workspace: helpers are left to Python tools.
pub(crate) fn is_symbol(it: &Callable) -> bool {
    it.kind != CallableKind::Helper && !it.name().is_empty()
}

/// The names around the last one of a path.
pub(crate) fn container(path: &str) -> &str {
    path.rsplit_once('.').map_or("", |it| it.0)
}

/// The classes at the top of a file that have functions, as the outline shows them.
fn module_names(root: &SyntaxNode) -> Vec<(String, TextRange)> {
    use syntax::SyntaxKind as K;
    let classes = root.children().filter(|it| it.kind() == K::CLASS_DEF);
    let is_module = |it: &SyntaxNode| {
        let mut decorators = it.children().filter(|it| it.kind() == K::DECORATOR);
        decorators.any(|it| it.text().contains("ir_module"))
    };
    let name = |it: SyntaxNode| {
        let name = it.children().find(|it| it.kind() == K::NAME)?;
        Some((name.text(), name.text_range()))
    };
    classes.filter(is_module).filter_map(name).collect()
}
