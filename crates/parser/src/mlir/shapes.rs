//! The table of pretty forms: the form of each operation (`shapes.txt`, where the notation is explained).
//!
//! Text in, [`Shapes`] out: names to shapes, shapes as lists of [`Element`]s that `formats.rs` follows. A user's rows
//! for other dialects go on top with [`Shapes::extended`]. Reading the table is linear in it and happens once; asking
//! for an operation is one hash.

mod format;

use std::{fmt, sync::LazyLock};

use rustc_hash::FxHashMap;

pub(super) use self::format::Element;

/// The table that is part of the product.
const BUILTIN: &str = include_str!("shapes.txt");

/// A shape: the text behind the name of an operation.
#[derive(Debug, Clone)]
pub(super) struct Shape {
    name: Box<str>,
    pub(super) elements: Vec<Element>,
    /// The words of the shape, which are no flags.
    pub(super) words: Vec<Box<str>>,
}

/// The table's information about an operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct OpInfo {
    /// The number of its shape, if it has one.
    pub(super) shape: Option<u16>,
    /// True if it is a function: its body is a unit of its own.
    pub(super) is_function: bool,
    /// True if it may contain functions.
    pub(super) is_module: bool,
    /// True if the generic form has the first two operands in the opposite order.
    pub(super) is_swapped: bool,
    /// True if this name is written without its dialect.
    pub(super) is_bare: bool,
}

impl OpInfo {
    /// The information about an operation that is not in the table.
    pub(super) const UNKNOWN: OpInfo = OpInfo {
        shape: None,
        is_function: false,
        is_module: false,
        is_swapped: false,
        is_bare: false,
    };
}

/// The table of pretty forms.
#[derive(Debug, Clone, Default)]
pub struct Shapes {
    shapes: Vec<Shape>,
    ops: FxHashMap<Box<str>, OpInfo>,
    /// Prefixes up to their last dot, with the properties of all operations that begin so.
    prefixes: Vec<(Box<str>, OpInfo)>,
    /// Names without their dialect, with the full ones.
    bare: FxHashMap<Box<str>, Box<str>>,
}

/// A line of a table that cannot be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShapeError {
    /// The mistake, with the line.
    pub message: String,
}

impl fmt::Display for ShapeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for ShapeError {}

impl Shapes {
    /// The table of the operations that the product knows.
    pub fn builtin() -> &'static Shapes {
        static TABLE: LazyLock<Shapes> = LazyLock::new(|| {
            Shapes::default().extended(BUILTIN).expect("a test reads the table of the product")
        });
        &TABLE
    }

    /// This table with the rows of another text on top, in the notation of `shapes.txt`. Shapes of both may be used.
    ///
    /// # Errors
    ///
    /// A line that is not in the notation, or names an unknown shape.
    pub fn extended(&self, text: &str) -> Result<Shapes, ShapeError> {
        let mut res = self.clone();
        let mut section = "";
        for line in logical_lines(text) {
            match line.as_str() {
                "[shapes]" => section = "shapes",
                "[operations]" => section = "operations",
                "[flags]" => section = "flags",
                row => res.row(section, row).map_err(|what| ShapeError {
                    message: format!("{what} in the line `{row}` of a table of shapes"),
                })?,
            }
        }
        Ok(res)
    }

    fn row(&mut self, section: &str, row: &str) -> Result<(), String> {
        match section {
            "shapes" => self.shape_row(row),
            "operations" => self.operation_row(row),
            "flags" => self.flag_row(row),
            _ => Err("text before the first section".to_owned()),
        }
    }

    fn shape_row(&mut self, row: &str) -> Result<(), String> {
        let (name, notation) = row.split_once('=').ok_or("no `=`")?;
        let name = name.trim();
        if self.shapes.len() >= usize::from(u16::MAX) {
            return Err("too many shapes".to_owned());
        }
        let elements = format::compile(notation)?;
        let mut words = Vec::new();
        format::collect_words(&elements, &mut words);
        let shape = Shape { name: name.into(), elements, words };
        match self.shapes.iter().position(|it| *it.name == *name) {
            Some(at) => self.shapes[at] = shape,
            None => self.shapes.push(shape),
        }
        Ok(())
    }

    fn operation_row(&mut self, row: &str) -> Result<(), String> {
        let (head, names) = row.split_once(':').ok_or("no `:`")?;
        let (shape, dialect) = head.split_once(' ').ok_or("no dialect")?;
        let shape =
            self.shapes.iter().position(|it| *it.name == *shape).ok_or("an unknown shape")?;
        let dialect = dialect.trim();
        for name in names.split_whitespace() {
            let info = |old: OpInfo| OpInfo { shape: Some(shape as u16), ..old };
            match format!("{dialect}.{name}").strip_suffix('*') {
                Some(prefix) => {
                    self.prefixes.retain(|(it, _)| **it != *prefix);
                    self.prefixes.push((prefix.into(), info(OpInfo::UNKNOWN)));
                }
                None => {
                    let full = format!("{dialect}.{name}");
                    let old = self.ops.get(&*full).copied().unwrap_or(OpInfo::UNKNOWN);
                    self.ops.insert(full.into(), info(old));
                }
            }
        }
        Ok(())
    }

    fn flag_row(&mut self, row: &str) -> Result<(), String> {
        let (flag, names) = row.split_once('=').ok_or("no `=`")?;
        for full in names.split_whitespace() {
            let mut info = self.info(full);
            match flag.trim() {
                "function" => info.is_function = true,
                "module" => info.is_module = true,
                "swapped" => info.is_swapped = true,
                "bare" => {
                    let (_, name) = full.split_once('.').ok_or("a name without dialect")?;
                    self.ops.insert(name.into(), OpInfo { is_bare: true, ..info });
                    self.bare.insert(name.into(), full.into());
                }
                _ => return Err("an unknown flag".to_owned()),
            }
            self.ops.insert(full.into(), info);
        }
        Ok(())
    }

    #[inline]
    pub(super) fn info(&self, name: &str) -> OpInfo {
        match self.ops.get(name) {
            Some(info) => *info,
            None => self.prefix_info(name),
        }
    }

    fn prefix_info(&self, name: &str) -> OpInfo {
        let found = self.prefixes.iter().find(|(prefix, _)| name.starts_with(&**prefix));
        found.map_or(OpInfo::UNKNOWN, |(_, info)| *info)
    }

    pub(super) fn shape(&self, number: u16) -> &Shape {
        &self.shapes[usize::from(number)]
    }

    /// The name of the shape in which an operation is written, if it is known.
    pub fn shape_of(&self, op: &str) -> Option<&str> {
        self.info(op).shape.map(|it| &*self.shape(it).name)
    }

    /// The name with its dialect of an operation that is written without: `func.return` for `return`.
    pub fn full_name<'a>(&'a self, op: &'a str) -> &'a str {
        self.bare.get(op).map_or(op, |it| it)
    }

    /// The operations that have a row of their own, in no order, and the names that stand for them without their dialect.
    pub fn operations(&self) -> impl Iterator<Item = &str> {
        self.ops.keys().chain(self.bare.keys()).map(|it| &**it)
    }

    /// How an operation is written, for people: `%a, %b : type`. Optional parts are left out.
    pub fn example_of(&self, op: &str) -> Option<String> {
        let elements = &self.shape(self.info(op).shape?).elements;
        let mut res = String::new();
        format::show(elements, &mut 0, &mut res);
        Some(res)
    }

    /// The words that the shape of an operation names; others are keywords or flags of it.
    pub fn words(&self, op: &str) -> &[Box<str>] {
        self.info(op).shape.map_or(&[], |it| &self.shape(it).words)
    }

    /// Returns true if the reading of a pretty operation depends on the text inside its regions.
    pub fn looks_into_regions(&self, op: &str) -> bool {
        self.info(op).shape.is_none_or(|it| format::looks_into_regions(&self.shape(it).elements))
    }

    /// Returns true if the pretty form of an operation has the first two operands of the generic form in the opposite
    /// order. All other operands, those of successors last, have the same order in both.
    pub fn is_swapped(&self, op: &str) -> bool {
        self.info(op).is_swapped
    }

    /// Returns true if an operation is a symbol table that may contain functions.
    pub fn is_module(&self, op: &str) -> bool {
        self.info(op).is_module
    }

    /// Returns true if an operation is a function, whose body is a unit of its own.
    pub fn is_function(&self, op: &str) -> bool {
        self.info(op).is_function
    }
}

/// The lines of a table without comments; one that begins with blanks goes on with the line before.
fn logical_lines(text: &str) -> Vec<String> {
    let mut res: Vec<String> = Vec::new();
    for line in text.lines().filter(|it| !it.starts_with('#') && !it.trim().is_empty()) {
        match res.last_mut() {
            Some(last) if line.starts_with(' ') => {
                last.push(' ');
                last.push_str(line.trim());
            }
            _ => res.push(line.trim().to_owned()),
        }
    }
    res
}
