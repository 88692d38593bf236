//! A dialect and its operations, as its file has them.

/// A dialect: one file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Dialect {
    /// Its name: `arith`.
    pub name: String,
    /// Where its rows come from: a project and its version, or the file of definitions.
    pub source: String,
    /// Names of shapes, with their notations.
    pub shapes: Vec<(String, String)>,
    /// Fields of effects that hold for all operations whose definition states that they have no effect or only read.
    pub defaults: Vec<(String, String)>,
    /// The rows of its operations.
    pub rows: Vec<Row>,
}

impl Dialect {
    /// The name with its dialect of an operation, or a pattern.
    pub fn full_name(&self, op: &str) -> String {
        format!("{}.{op}", self.name)
    }
}

/// The statements of a file about some operations.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Row {
    /// Their names without the dialect; a pattern has one `*`.
    pub ops: Vec<String>,
    /// The line of the row in its file, from 1.
    pub line: usize,
    /// The column, in characters from 1.
    pub column: usize,
    /// Parts by name, as far as the definition is known. `*` follows a part of any number, `?` an optional one.
    pub parts: Parts,
    /// The traits and interfaces of the definition that mean something here.
    pub traits: Vec<String>,
    /// The effects of the definition: `none`, `recursive`, `code` (decided by code), or `read`, `write`, `allocate` and
    /// `free`, each with `$operand` or a resource behind it. Nothing if the definition states none.
    pub effects: Vec<String>,
    /// The form in which it is written, in ODS's notation.
    pub format: Option<String>,
    /// The form in which it is written: a name of a shape, or the notation of one.
    pub shape: Option<String>,
    /// How it takes part in the structure of a file.
    pub marks: Vec<Mark>,
    /// A row of the effects table, field by field, that holds instead of the effects of the definition.
    pub fields: Vec<(String, String)>,
    /// One line about the operation.
    pub summary: Option<String>,
}

impl Row {
    /// Returns true if the row has an entry for the effects table of its own.
    pub fn states_effects(&self) -> bool {
        self.fields.iter().any(|(key, _)| key == "effect")
    }

    /// Returns true if the definition has this trait.
    pub fn has_trait(&self, name: &str) -> bool {
        self.traits.iter().any(|it| it == name)
    }
}

/// The parts of an operation by name. Where a list is absent, the definition is not known that far.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Parts {
    /// Operands, in the order of the generic form.
    pub operands: Option<Vec<String>>,
    /// Results.
    pub results: Option<Vec<String>>,
    /// Attributes and properties; `!` follows one that is written as nothing but its presence.
    pub attributes: Option<Vec<String>>,
    /// Regions.
    pub regions: Option<Vec<String>>,
    /// Successors.
    pub successors: Option<Vec<String>>,
}

impl Parts {
    /// The lists with their keys in a file.
    pub fn lists(&self) -> [(&'static str, &Option<Vec<String>>); 5] {
        [
            ("operands", &self.operands),
            ("results", &self.results),
            ("attributes", &self.attributes),
            ("regions", &self.regions),
            ("successors", &self.successors),
        ]
    }

    /// All parts in one text: `operands lhs rhs; results result`. Empty if nothing is known.
    pub fn to_text(&self) -> String {
        let known = self.lists().into_iter().filter_map(|(key, list)| {
            let list = list.as_ref()?;
            Some(std::iter::once(key).chain(list.iter().map(String::as_str)).collect::<Vec<_>>())
        });
        known.map(|it| it.join(" ")).collect::<Vec<_>>().join("; ")
    }
}

/// How an operation takes part in the structure of a file, or of its own text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mark {
    /// A function: its body is a unit of its own.
    Function,
    /// A symbol table that may contain functions.
    Module,
    /// The first two operands of the generic form stand the other way round in the pretty form.
    Swapped,
    /// The name may be written without its dialect.
    Bare,
    /// The format of the definition has the operands in another order than the generic form, so it is not followed.
    Reordered,
}

impl Mark {
    /// All marks, with their keys in a file.
    pub const ALL: [(&'static str, Mark); 5] = [
        ("function", Mark::Function),
        ("module", Mark::Module),
        ("swapped", Mark::Swapped),
        ("bare", Mark::Bare),
        ("reordered", Mark::Reordered),
    ];
}
