//! The table of pretty forms: the form of each operation, from the rows of dialects (`crates/dialects`).
//!
//! Rows in, [`Shapes`] out: names to shapes, shapes as lists of [`Element`]s that `formats.rs` follows. An operation
//! has the shape that an overlay or the user gives it or its prefix, else the form of its definition. A user's dialects
//! go on top with [`Shapes::with`]. Asking for an operation is one hash or two; the form of a definition
//! is read when it is first asked for.

mod assembly;
mod format;

use std::{
    fmt,
    sync::{LazyLock, OnceLock},
};

use dialects::{Dialect, Mark, Parts, Row, file, shipped};
use rustc_hash::FxHashMap;

pub(super) use self::format::{Element, Stop};

/// A shape: the text behind the name of an operation.
#[derive(Debug, Clone)]
pub(super) struct Shape {
    name: Box<str>,
    pub(super) elements: Vec<Element>,
    /// The words of the shape, which are no flags.
    pub(super) words: Vec<Box<str>>,
    /// True if this is the form of a definition, in which each word may mean an attribute.
    is_by_definition: bool,
    /// True if its last types may be those of the results.
    states_results: bool,
    /// True if its operands are known to stand in the order of the generic form.
    keeps_order: bool,
    /// The parts of the definition by name, in the notation of `Parts::to_text`; empty if they are not known.
    parts: Box<str>,
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
    /// True if its regions see no value from around it.
    pub(super) is_isolated: bool,
    /// True if the table has it. Any other may be a symbol table.
    pub(super) is_known: bool,
}

impl OpInfo {
    /// The information about an operation that is not in the table.
    pub(super) const UNKNOWN: OpInfo = OpInfo {
        shape: None,
        is_function: false,
        is_module: false,
        is_swapped: false,
        is_bare: false,
        is_isolated: false,
        is_known: false,
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
    /// True if operations without a row have the form of their definition.
    has_definitions: bool,
}

/// A row of a dialect whose shape cannot be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShapeError {
    /// The line of the row in its file, from 1; 0 if it is in none.
    pub line: usize,
    /// Its column.
    pub column: usize,
    /// The mistake.
    pub message: String,
}

impl fmt::Display for ShapeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            0 => f.write_str(&self.message),
            line => write!(f, "{line}:{}: {}", self.column, self.message),
        }
    }
}

impl std::error::Error for ShapeError {}

/// Fields of effects that name operands by their places. A format that has the operands in another order is not
/// followed beside them.
const OPERAND_LISTS: [&str; 7] =
    ["lazy", "numbers", "addresses", "places", "reads", "writes", "texts"];

impl Shapes {
    /// The table of the operations that the product knows.
    pub fn builtin() -> &'static Shapes {
        static TABLE: LazyLock<Shapes> = LazyLock::new(|| {
            let mut table = Shapes { has_definitions: true, ..Shapes::default() };
            for (name, notation) in shipped::shapes() {
                table.add_shape(name, notation).expect("a test reads the table of the product");
            }
            for row in shipped::overlays() {
                let names = row.ops.iter().copied();
                table
                    .add(names, row.shape, row.marks)
                    .expect("a test reads the table of the product");
            }
            table
        });
        &TABLE
    }

    /// This table with the rows of a dialect on top: their shapes, which may be those of this table, and formats.
    ///
    /// # Errors
    ///
    /// A shape that is not in the notation, or a name of none; the place is that of the row.
    pub fn with(&self, dialect: &Dialect) -> Result<Shapes, ShapeError> {
        let mut res = self.clone();
        let at = |row: &Row, message| ShapeError { line: row.line, column: row.column, message };
        for (name, notation) in &dialect.shapes {
            res.add_shape(name, notation)
                .map_err(|it| at(&Row::default(), format!("{it} in the shape `{name}`")))?;
        }
        for row in &dialect.rows {
            let names: Vec<String> = row.ops.iter().map(|it| dialect.full_name(it)).collect();
            let names = || names.iter().map(String::as_str);
            if row.has_trait("IsolatedFromAbove") {
                res.isolate(names());
            }
            let names_operands = row.fields.iter().any(|(key, _)| OPERAND_LISTS.contains(&&**key));
            let operands = row.parts.operands.as_deref().unwrap_or_default();
            if let (Some(format), None) = (&row.format, &row.shape)
                && (!names_operands || assembly::keeps_order(format, operands))
            {
                res.add_format(names(), format, &row.parts).map_err(|it| at(row, it))?;
            }
            res.add(names(), row.shape.as_deref(), &row.marks).map_err(|it| at(row, it))?;
        }
        Ok(res)
    }

    /// Adds a shape, or replaces the one of this name. Gives its number.
    fn add_shape(&mut self, name: &str, notation: &str) -> Result<u16, String> {
        let elements = format::compile(notation)?;
        let mut words = Vec::new();
        format::collect_words(&elements, &mut words);
        self.push(Shape {
            name: name.into(),
            elements,
            words,
            is_by_definition: false,
            states_results: true,
            keeps_order: true,
            parts: Box::default(),
        })
    }

    fn push(&mut self, shape: Shape) -> Result<u16, String> {
        let at = match self.shapes.iter().position(|it| it.name == shape.name) {
            Some(at) => {
                self.shapes[at] = shape;
                at
            }
            None => {
                self.shapes.push(shape);
                self.shapes.len() - 1
            }
        };
        u16::try_from(at).ok().filter(|it| *it < DEFINED).ok_or("too many shapes".to_owned())
    }

    /// The number of a shape, which is given by name or by notation.
    fn shape_number(&mut self, shape: &str) -> Result<u16, String> {
        if let Some(at) = self.shapes.iter().position(|it| *it.name == *shape) {
            return Ok(at as u16);
        }
        let is_name = |it: char| it.is_ascii_lowercase() || it.is_ascii_digit() || it == '-';
        if shape.trim().is_empty() || shape.chars().all(is_name) {
            return Err(format!("`{shape}` is an unknown shape"));
        }
        self.add_shape(shape, shape)
    }

    /// Gives operations a shape and marks.
    fn add<'n>(
        &mut self,
        names: impl Iterator<Item = &'n str>,
        shape: Option<&str>,
        marks: &[Mark],
    ) -> Result<(), String> {
        let shape = shape.map(|it| self.shape_number(it)).transpose()?;
        for name in names {
            match name.strip_suffix('*') {
                Some(prefix) if shape.is_some() => {
                    self.prefixes.retain(|(it, _)| **it != *prefix);
                    let info = OpInfo { shape, is_known: true, ..OpInfo::UNKNOWN };
                    self.prefixes.push((prefix.into(), info));
                }
                Some(_) => {}
                None => self.add_operation(name, shape, marks)?,
            }
        }
        Ok(())
    }

    fn add_operation(
        &mut self,
        name: &str,
        shape: Option<u16>,
        marks: &[Mark],
    ) -> Result<(), String> {
        if shape.is_none() && marks.is_empty() {
            return Ok(());
        }
        // The form of a definition is read when it is first asked for: not here, where it is replaced.
        let mut info = match shape {
            Some(_) => self.ops.get(name).copied().unwrap_or_else(|| self.marks_of(name)),
            None => self.info(name),
        };
        info.is_known = true;
        info.shape = shape.or(info.shape);
        info.is_function |= marks.contains(&Mark::Function);
        info.is_module |= marks.contains(&Mark::Module);
        info.is_swapped |= marks.contains(&Mark::Swapped);
        if marks.contains(&Mark::Reordered) {
            // A shape of ours has the order that it states.
            info.shape = info.shape.filter(|it| !self.shape(*it).is_by_definition);
        }
        if marks.contains(&Mark::Bare) {
            let (_, bare) = name.split_once('.').ok_or("a name without dialect")?;
            self.ops.insert(bare.into(), OpInfo { is_bare: true, ..info });
            self.bare.insert(bare.into(), name.into());
        }
        self.ops.insert(name.into(), info);
        Ok(())
    }

    fn isolate<'n>(&mut self, names: impl Iterator<Item = &'n str>) {
        for name in names {
            let info = OpInfo { is_isolated: true, is_known: true, ..self.info(name) };
            self.ops.insert(name.into(), info);
        }
    }

    /// Gives operations the form of their definition, if elements can say it.
    fn add_format<'n>(
        &mut self,
        names: impl Iterator<Item = &'n str>,
        format: &str,
        parts: &Parts,
    ) -> Result<(), String> {
        let Some(shape) = defined(format, parts) else { return Ok(()) };
        // Equal texts with other parts are other shapes.
        let name = format!("{format} / {}", parts.to_text()).into();
        let number = self.push(Shape { name, ..shape })?;
        for name in names {
            let info = OpInfo { shape: Some(number), is_known: true, ..self.info(name) };
            self.ops.insert(name.into(), info);
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

    /// The properties of an operation without a row of its own.
    fn prefix_info(&self, name: &str) -> OpInfo {
        let info = self.marks_of(name);
        let definition = self.definition(name);
        let is_known = info.is_known || definition.is_some();
        let form = definition.and_then(|it| it.format);
        let form = form.filter(|it| of_definition(*it).is_some()).map(|it| DEFINED + it);
        // A pattern says how most of its operations are written; one that begins otherwise is none of them.
        let fits = |pattern: &u16| {
            let first = |it: u16| self.shape(it).elements.first();
            let mark = |it: Option<&Element>| match it {
                Some(Element::Mark(mark)) => Some(*mark),
                _ => None,
            };
            form.is_none_or(|form| {
                mark(first(*pattern)).is_none_or(|it| mark(first(form)) == Some(it))
            })
        };
        OpInfo { shape: info.shape.filter(fits).or(form), is_known, ..info }
    }

    /// The same, but for the form that its definition states.
    fn marks_of(&self, name: &str) -> OpInfo {
        let is_isolated = self.definition(name).is_some_and(|it| it.has_trait("IsolatedFromAbove"));
        let fits = self.prefixes.iter().filter(|(prefix, _)| name.starts_with(&**prefix));
        // The longest pattern says most about the name.
        let found = fits.max_by_key(|(prefix, _)| prefix.len());
        OpInfo { is_isolated, ..found.map_or(OpInfo::UNKNOWN, |(_, info)| *info) }
    }

    /// The definition of an operation, where operations without a row have the form of theirs.
    fn definition(&self, name: &str) -> Option<shipped::Operation> {
        self.has_definitions.then(|| shipped::operation(name)).flatten()
    }

    pub(super) fn shape(&self, number: u16) -> &Shape {
        match number.checked_sub(DEFINED).and_then(of_definition) {
            Some(shape) => shape,
            None => &self.shapes[usize::from(number)],
        }
    }

    /// Returns true if an operation is written in the form of its definition: more of its text means something than
    /// the elements of the form say.
    pub fn is_by_definition(&self, op: &str) -> bool {
        self.info(op).shape.is_some_and(|it| self.shape(it).is_by_definition)
    }

    /// The name of the shape in which an operation is written, if it is known.
    pub fn shape_of(&self, op: &str) -> Option<&str> {
        self.info(op).shape.map(|it| &*self.shape(it).name)
    }

    /// The name with its dialect of an operation that is written without: `func.return` for `return`.
    pub fn full_name<'a>(&'a self, op: &'a str) -> &'a str {
        self.bare.get(op).map_or(op, |it| it)
    }

    /// The operations that are known, in no order and some of them twice: those that have a row of their own, the names
    /// that stand for them without their dialect, and those that dialects of the product define.
    pub fn operations(&self) -> impl Iterator<Item = &str> {
        let defined = self.has_definitions.then(shipped::operations).into_iter().flatten();
        let of_rows = self.ops.keys().chain(self.bare.keys()).map(|it| &**it);
        of_rows.chain(defined.map(|it| it.name))
    }

    /// How an operation is written, for people: `%a, %b : type`. Optional parts are left out.
    pub fn example_of(&self, op: &str) -> Option<String> {
        let elements = &self.shape(self.info(op).shape?).elements;
        let has_all = self.format_of(op).is_some_and(|it| it.starts_with("operands "));
        let parts = if has_all { self.parts_of(op) } else { None };
        let operands = parts.and_then(|it| it.operands);
        let mut res = String::new();
        // One of any number stands for one.
        let n_together = operands.map_or(1, |it| it.len().clamp(1, MOST_SHOWN));
        format::show(elements, n_together, &mut 0, &mut res);
        Some(res)
    }

    /// The assembly format of an operation in ODS's notation, if the product has a definition with one.
    pub fn format_of(&self, op: &str) -> Option<&'static str> {
        let format = shipped::operation(self.full_name(op))?.format?;
        Some(shipped::formats()[usize::from(format)].text)
    }

    /// The parts of an operation by name, as far as its definition is known: that of a project, else the product's.
    pub fn parts_of(&self, op: &str) -> Option<Parts> {
        let op = self.full_name(op);
        let own = self.info(op).shape.map_or("", |it| &*self.shape(it).parts);
        let of_product = || Some(shipped::operation(op)?.parts);
        let text = Some(own).filter(|it| !it.is_empty()).or_else(of_product)?;
        Some(file::parts_of_text(text)).filter(|it| *it != Parts::default())
    }

    /// The traits that the product's definition of an operation has, with commas between them.
    pub fn traits_of(&self, op: &str) -> Option<&'static str> {
        let operation = shipped::operation(self.full_name(op)).filter(|_| self.has_definitions)?;
        Some(operation.traits).filter(|it| !it.is_empty())
    }

    /// The words that the shape of an operation names; others are keywords or flags of it.
    pub fn words(&self, op: &str) -> &[Box<str>] {
        self.info(op).shape.map_or(&[], |it| &self.shape(it).words)
    }

    /// Returns true if the form of an operation begins with a value that it defines: the variable of a loop.
    pub fn defines_first(&self, op: &str) -> bool {
        let Some(shape) = self.info(op).shape else { return false };
        let mut elements = self.shape(shape).elements.iter();
        matches!(elements.find(|it| !matches!(it, Element::Flags)), Some(Element::Def))
    }

    /// Returns true if the names in a round bracket of an operation are values that it defines: each that is first of
    /// its item, as in `iter_args(%a = %b, %c = %d)` and `(%i, %j) = …`. `word` stands before the bracket; without one,
    /// the bracket is the first of all.
    pub fn defines_in_bracket(&self, op: &str, word: Option<&str>) -> bool {
        let Some(shape) = self.info(op).shape else { return false };
        format::defines_behind(&self.shape(shape).elements, word)
    }

    /// Returns true if the reading of a pretty operation depends on the text inside its regions.
    pub fn looks_into_regions(&self, op: &str) -> bool {
        self.info(op).shape.is_none_or(|it| format::looks_into_regions(&self.shape(it).elements))
    }

    /// Returns true if the pretty form of an operation has the first two operands of the generic form in the opposite
    /// order. All other operands, those of successors last, have the same order in both where it keeps its order.
    pub fn is_swapped(&self, op: &str) -> bool {
        self.info(op).is_swapped
    }

    /// Returns true if the operands of a pretty operation are known to have the order of the generic form, but for the
    /// first two of one that is swapped. A definition without the names of the operands does not say.
    pub fn keeps_order(&self, op: &str) -> bool {
        self.info(op).shape.is_none_or(|it| self.shape(it).keeps_order)
    }

    /// Returns true if the types of the results may be read off the form of an operation: of a form of a definition,
    /// only if that says so.
    pub fn states_results(&self, op: &str) -> bool {
        let is_same =
            || shipped::operation(op).is_some_and(|it| it.has_trait("SameOperandsAndResultType"));
        self.info(op).shape.is_none_or(|it| self.shape(it).states_results || is_same())
    }

    /// Returns true if the regions of an operation see no value from around it.
    pub fn is_isolated(&self, op: &str) -> bool {
        let info = self.info(op);
        info.is_isolated || info.is_function || info.is_module
    }

    /// Returns true if an operation is a symbol table that may contain functions.
    pub fn is_module(&self, op: &str) -> bool {
        self.info(op).is_module
    }

    /// Returns true if the table has an operation. Any other may be a symbol table.
    pub fn is_known(&self, op: &str) -> bool {
        self.info(op).is_known
    }

    /// Returns true if an operation is a function, whose body is a unit of its own.
    pub fn is_function(&self, op: &str) -> bool {
        self.info(op).is_function
    }
}

/// Operands that an example writes one by one.
const MOST_SHOWN: usize = 8;
/// The first number of shapes that are made from definitions of the product, when they are first asked for.
const DEFINED: u16 = 0x4000;

/// The shape of a form of the product's definitions, if elements can say it.
fn of_definition(number: u16) -> Option<&'static Shape> {
    static SHAPES: LazyLock<Box<[OnceLock<Option<Shape>>]>> =
        LazyLock::new(|| shipped::formats().iter().map(|_| OnceLock::new()).collect());
    let made = SHAPES[usize::from(number)].get_or_init(|| {
        let format = &shipped::formats()[usize::from(number)];
        defined(format.text, &file::parts_of_text(format.parts))
    });
    made.as_ref()
}

/// The shape of an assembly format. Its words are no words of the shape: each may mean an attribute.
fn defined(format: &str, parts: &Parts) -> Option<Shape> {
    let elements = assembly::compile(format, parts)?;
    Some(Shape {
        name: format.into(),
        elements,
        words: Vec::new(),
        is_by_definition: true,
        states_results: assembly::states_results(format, parts),
        keeps_order: parts.operands.as_ref().is_some_and(|it| assembly::keeps_order(format, it)),
        parts: parts.to_text().into(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn effects_of_operands_stand_beside_formats_in_their_order() {
        for row in shipped::overlays().iter().filter(|it| it.shape.is_none()) {
            if !row.fields.iter().any(|(key, _)| OPERAND_LISTS.contains(key)) {
                continue;
            }
            for name in row.ops {
                let format = shipped::operation(name).and_then(|it| it.format);
                let Some(format) = format.map(|it| &shipped::formats()[usize::from(it)]) else {
                    continue;
                };
                let operands = file::parts_of_text(format.parts).operands.unwrap_or_default();
                assert!(assembly::keeps_order(format.text, &operands), "{name}");
            }
        }
    }
}
