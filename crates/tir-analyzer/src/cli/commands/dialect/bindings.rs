//! Definitions from the Python bindings that `mlir-tblgen -gen-python-op-bindings` makes.
//!
//! In: the text of a `_NAME_ops_gen.py`, which wheels of compilers have whose `.td` files are not public. Out: its
//! dialect: operations with their parts by name. Bindings state neither effects nor traits nor forms, so their
//! operations do anything. The code is read line by line as its generator writes it, and never run. Linear.

use dialects::{Dialect, Parts, Row};

/// Reads the dialect of a text.
///
/// # Errors
///
/// Text without a dialect.
pub(super) fn read(text: &str, source: &str) -> Result<Vec<Dialect>, String> {
    let mut name = None;
    let mut rows = Vec::new();
    let mut open: Option<Operation<'_>> = None;
    for line in code(text) {
        if let Some(found) = assigned(line, "DIALECT_NAMESPACE") {
            name = Some(found.trim_matches('"').to_owned());
        } else if line.starts_with("class ") {
            rows.extend(open.take().and_then(Operation::row));
            open = line.contains(".OpView)").then(Operation::default);
        } else if let Some(operation) = &mut open {
            // Code of the module ends a class.
            match line.starts_with(' ') || line.trim().is_empty() {
                true => operation.line(line.trim()),
                false => rows.extend(open.take().and_then(Operation::row)),
            }
        }
    }
    rows.extend(open.take().and_then(Operation::row));
    let name = name.ok_or("there is no `DIALECT_NAMESPACE` in this text, so it has no bindings")?;
    for row in &mut rows {
        let prefix = format!("{name}.");
        row.ops.iter_mut().for_each(|it| *it = it.strip_prefix(&prefix).unwrap_or(it).to_owned());
    }
    rows.sort_by(|a, b| a.ops.cmp(&b.ops));
    Ok(vec![Dialect { name, source: source.to_owned(), rows, ..Dialect::default() }])
}

/// The lines that are no documentation.
fn code(text: &str) -> impl Iterator<Item = &str> {
    let mut is_documentation = false;
    text.lines().filter(move |line| {
        let n_quotes = line.matches("\"\"\"").count();
        let was = is_documentation;
        is_documentation ^= n_quotes % 2 == 1;
        !was && n_quotes == 0
    })
}

/// The value of `NAME = VALUE`.
fn assigned<'a>(line: &'a str, name: &str) -> Option<&'a str> {
    let value = line.trim_start().strip_prefix(name)?.trim_start().strip_prefix('=')?;
    Some(value.trim())
}

/// The name of a part: the generator puts `_` behind a word of Python, or of its own code.
fn own(name: &str) -> &str {
    name.strip_suffix('_').unwrap_or(name)
}

/// One class of bindings, as far as it was read.
#[derive(Default)]
struct Operation<'a> {
    name: Option<&'a str>,
    /// The parameters of its constructor, with their types.
    signature: &'a str,
    operands: Vec<String>,
    attributes: Vec<String>,
    /// The constructor's results: how many it makes; none where it is given them.
    made: Option<Vec<String>>,
    /// The properties that are results, and those that are regions.
    results: Vec<String>,
    regions: Vec<String>,
    n_regions: usize,
    has_more_regions: bool,
    has_successors: bool,
}

impl<'a> Operation<'a> {
    fn line(&mut self, line: &'a str) {
        if let Some(name) = assigned(line, "OPERATION_NAME") {
            self.name = Some(name.trim_matches('"'));
        } else if let Some(regions) = assigned(line, "_ODS_REGIONS") {
            let (number, is_all) =
                regions.trim_matches(['(', ')']).split_once(',').unwrap_or((regions, "True"));
            self.n_regions = number.trim().parse().unwrap_or(0);
            self.has_more_regions = is_all.trim() == "False";
        } else if let Some(parameters) = line.strip_prefix("def __init__(") {
            self.signature = parameters;
        } else if line == "results = []" {
            self.made = Some(Vec::new());
        } else if line.starts_with("_ods_successors") && !line.ends_with("= None") {
            self.has_successors = true;
        } else if let Some(property) = line.strip_prefix("def ") {
            self.property(property);
        } else {
            let (condition, statement) =
                match line.strip_prefix("if ").and_then(|it| it.split_once(": ")) {
                    Some((condition, statement)) => (Some(condition), statement),
                    None => (None, line),
                };
            self.statement(condition, statement);
        }
    }

    /// `res(self) -> _ods_ir.OpResult:`
    fn property(&mut self, property: &str) {
        let Some((name, ty)) = property.split_once("(self) -> ") else { return };
        let ty = ty.trim_end_matches(':');
        let mark = match ty {
            _ if ty.contains("Optional[") => "?",
            _ if ty.ends_with("List") || ty.ends_with("Sequence") => "*",
            _ => "",
        };
        if ty.contains("OpResult") {
            self.results.push(format!("{}{mark}", own(name)));
        } else if ty.contains("ir.Region") {
            self.regions.push(format!("{}{mark}", own(name)));
        }
    }

    /// A statement of the constructor, and the condition under which it is executed.
    fn statement(&mut self, condition: Option<&str>, statement: &str) {
        let of = |list: &str| {
            let rest = statement.strip_prefix(list)?.strip_prefix('.')?;
            let arguments =
                rest.strip_prefix("append(").or_else(|| rest.strip_prefix("extend("))?;
            let is_many = rest.starts_with("extend") || arguments.contains("results_or_values(");
            let name = arguments.rsplit('(').next()?.trim_end_matches(')');
            Some((name, is_many))
        };
        if let Some((name, is_many)) = of("operands") {
            let is_absent = self.is_of(name, "_Optional[");
            let mark = match () {
                () if condition.is_some() || is_absent => "?",
                () if is_many || self.is_of(name, "_Sequence[") => "*",
                () => "",
            };
            self.operands.push(format!("{}{mark}", own(name)));
        } else if let Some((name, is_many)) = of("results") {
            let mark = match () {
                () if condition.is_some() => "?",
                () if is_many || self.is_of(name, "_Sequence[") => "*",
                () => "",
            };
            self.made.get_or_insert_default().push(format!("{}{mark}", own(name)));
        } else if let Some(rest) = statement.strip_prefix("attributes[\"")
            && let Some((name, value)) = rest.split_once('"')
        {
            let mark = match condition {
                Some(_) if value.contains("UnitAttr") => "!",
                Some(_) => "?",
                None => "",
            };
            self.attributes.push(format!("{name}{mark}"));
        }
    }

    /// Returns true if a parameter's type begins so.
    fn is_of(&self, name: &str, ty: &str) -> bool {
        self.signature.split(", ").any(|it| {
            it.strip_prefix(name)
                .and_then(|it| it.strip_prefix(": "))
                .is_some_and(|it| it.starts_with(ty))
        })
    }

    fn row(self) -> Option<Row> {
        let name = self.name?;
        let mut regions = self.regions;
        for at in regions.len()..self.n_regions {
            regions.push(format!("region{at}"));
        }
        if self.has_more_regions && !regions.iter().any(|it| it.ends_with('*')) {
            regions.push("regions*".to_owned());
        }
        // A result without a name has no property; where types are inferred, nothing else tells of it.
        let results = match self.made {
            Some(made) if made.len() >= self.results.len() => {
                let named = made.len() == self.results.len();
                Some(if named { self.results } else { made })
            }
            _ => Some(self.results).filter(|it| !it.is_empty()),
        };
        let parts = Parts {
            operands: Some(self.operands),
            results,
            attributes: Some(self.attributes),
            regions: Some(regions),
            successors: (!self.has_successors).then(Vec::new),
        };
        Some(Row { ops: vec![name.to_owned()], parts, ..Row::default() })
    }
}
