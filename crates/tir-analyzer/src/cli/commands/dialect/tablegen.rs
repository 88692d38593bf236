//! Definitions from the records of `llvm-tblgen --dump-json`.
//!
//! In: the JSON of one file of definitions (ODS). Out: the dialects whose operations it defines, by name. Linear.

use std::collections::BTreeMap;

use serde_json::Value;

use dialects::{Dialect, Parts, Row};

/// The traits and interfaces that rows keep; all others mean nothing here.
const TRAITS: [&str; 37] = [
    "AffineScope",
    "AlwaysSpeculatable",
    "AutomaticAllocationScope",
    "BranchOpInterface",
    "CallOpInterface",
    "Commutative",
    "ConditionallySpeculatable",
    "ConstantLike",
    "DestinationStyleOpInterface",
    "Elementwise",
    "FunctionOpInterface",
    "HasOnlyGraphRegion",
    "HasParent",
    "Idempotent",
    "InferTypeOpInterface",
    "Involution",
    "IsCommutative",
    "IsTerminator",
    "IsolatedFromAbove",
    "LoopLikeOpInterface",
    "NoMemoryEffect",
    "NoRegionArguments",
    "NoTerminator",
    "Pure",
    "RecursiveMemoryEffects",
    "RecursivelySpeculatable",
    "RegionBranchOpInterface",
    "ReturnLike",
    "SameOperandsAndResultElementType",
    "SameOperandsAndResultShape",
    "SameOperandsAndResultType",
    "SameTypeOperands",
    "SingleBlock",
    "SingleBlockImplicitTerminator",
    "Symbol",
    "SymbolTable",
    "Terminator",
];

/// Reads the dialects of a dump. `source` is where it comes from, for people.
///
/// # Errors
///
/// Text that is no such dump, with the reason.
pub(super) fn read(json: &str, source: &str) -> Result<Vec<Dialect>, String> {
    let records: Value = serde_json::from_str(json)
        .map_err(|it| format!("{}:{}: this is no JSON: {it}", it.line(), it.column()))?;
    let operations = records["!instanceof"]["Op"].as_array().ok_or(
        "this is no dump of operations: `llvm-tblgen --dump-json` on a file of definitions makes one",
    )?;
    let dump = Dump { records: &records };
    let mut dialects: BTreeMap<String, Vec<Row>> = BTreeMap::new();
    for name in operations.iter().filter_map(Value::as_str) {
        let record = &records[name];
        let dialect = dump.record(&record["opDialect"])["name"].as_str().unwrap_or_default();
        if let Some(op) = record["opName"].as_str().filter(|it| !it.is_empty())
            && !dialect.is_empty()
        {
            dialects.entry(dialect.to_owned()).or_default().push(dump.row(op, record));
        }
    }
    let made = dialects.into_iter().map(|(name, mut rows)| {
        rows.sort_by(|a, b| a.ops.cmp(&b.ops));
        rows.dedup_by(|a, b| a.ops == b.ops);
        Dialect { name, source: source.to_owned(), rows, ..Dialect::default() }
    });
    Ok(made.collect())
}

struct Dump<'a> {
    records: &'a Value,
}

impl<'a> Dump<'a> {
    /// The record that a reference names.
    fn record(&self, reference: &'a Value) -> &'a Value {
        reference["def"].as_str().map_or(reference, |it| &self.records[it])
    }

    fn row(&self, op: &str, record: &'a Value) -> Row {
        let mut row = Row { ops: vec![op.to_owned()], ..Row::default() };
        let list = |key: &str| record[key]["args"].as_array().map_or(&[][..], |it| it);
        for reference in record["traits"].as_array().into_iter().flatten() {
            self.add_trait(reference, &mut row);
        }
        if row.has_trait("Pure") || row.has_trait("NoMemoryEffect") {
            row.effects.push("none".to_owned());
        }
        if row.has_trait("RecursiveMemoryEffects") {
            row.effects.push("recursive".to_owned());
        }
        let (mut operands, mut attributes, mut results) = (Vec::new(), Vec::new(), Vec::new());
        for argument in list("arguments") {
            match self.argument(argument, &mut row) {
                (Kind::Operand, name) => operands.push(name),
                (Kind::Attribute, name) => attributes.push(name),
            }
        }
        for result in list("results") {
            results.push(self.argument(result, &mut row).1);
        }
        let region = |it: &Value| self.counted(it, "VariadicRegion");
        let successor = |it: &Value| self.counted(it, "VariadicSuccessor");
        row.parts = Parts {
            operands: Some(operands),
            results: Some(results),
            attributes: Some(attributes),
            regions: Some(list("regions").iter().map(region).collect()),
            successors: Some(list("successors").iter().map(successor).collect()),
        };
        row.effects.sort();
        row.effects.dedup();
        row.traits.sort();
        row.traits.dedup();
        row.format = record["assemblyFormat"].as_str().map(one_line);
        row.summary = record["summary"].as_str().map(one_line).filter(|it| !it.is_empty());
        row
    }

    /// A trait, those that it stands for, and the effects that it states.
    fn add_trait(&self, reference: &'a Value, row: &mut Row) {
        let mut open = vec![self.record(reference)];
        while let Some(record) = open.pop() {
            let names = [&record["!name"], &record["trait"], &record["cppInterfaceName"]];
            for name in names.into_iter().filter_map(Value::as_str).filter_map(known_trait) {
                row.traits.push(name);
            }
            if let Some(inner) = record["traits"].as_array() {
                open.extend(inner.iter().map(|it| self.record(it)));
            }
            let is_effects = |it: &str| {
                it.starts_with("MemoryEffectOpInterface")
                    || it.starts_with("MemoryEffectsOpInterface")
            };
            let is_stated = record["effects"].is_array();
            match record["effects"].as_array() {
                Some(effects) if effects.is_empty() => row.effects.push("none".to_owned()),
                Some(effects) => {
                    row.effects.extend(effects.iter().map(|it| self.effect(it, None)));
                }
                None => {}
            }
            let interface = record["cppInterfaceName"].as_str().or(record["trait"].as_str());
            let is_none = row.effects.iter().any(|it| it == "none");
            if !is_stated && !is_none && interface.is_some_and(is_effects) {
                row.effects.push("code".to_owned());
            }
        }
    }

    /// An effect: `read $operand`, `write Resource`. One that is none on memory counts as one that code decides.
    fn effect(&self, reference: &'a Value, part: Option<&str>) -> String {
        let record = self.record(reference);
        let name = record["effect"].as_str().unwrap_or_default();
        let kind = match name.rsplit("::").next() {
            Some("Read") => "read",
            Some("Write") => "write",
            Some("Allocate") => "allocate",
            Some("Free") => "free",
            _ => return "code".to_owned(),
        };
        let resource = record["resource"].as_str().or(record["resource"]["def"].as_str());
        let resource = resource.and_then(|it| it.rsplit("::").next()).unwrap_or_default();
        match (part, resource) {
            (Some(part), _) => format!("{kind} ${part}"),
            (None, "" | "DefaultResource") => kind.to_owned(),
            (None, resource) => format!("{kind} {resource}"),
        }
    }

    /// An argument or result with its mark; its effects go to the row.
    fn argument(&self, argument: &'a Value, row: &mut Row) -> (Kind, String) {
        let name = argument[1].as_str().unwrap_or_default();
        let record = self.record(&argument[0]);
        for decorator in record["decorators"].as_array().into_iter().flatten() {
            let effect = self.effect(decorator, Some(name));
            row.effects.push(effect);
        }
        let base = match &record["constraint"] {
            Value::Null => record,
            constraint => self.record(constraint),
        };
        let classes = base["!superclasses"].as_array();
        let is = |class: &str| {
            base["!name"] == class || classes.is_some_and(|it| it.iter().any(|it| it == class))
        };
        let is_attribute =
            ["Attr", "AttrConstraint", "Property", "PropConstraint"].into_iter().any(is);
        let mark = match () {
            () if is("UnitAttr") || is("UnitProp") || is("UnitProperty") => "!",
            () if is("Variadic") || is("VariadicOfVariadic") => "*",
            () if is("Optional") || is("OptionalAttr") || base["isOptional"] == 1 => "?",
            () => "",
        };
        let kind = if is_attribute { Kind::Attribute } else { Kind::Operand };
        (kind, format!("{}{mark}", part_name(name)))
    }

    /// A region or successor with its mark.
    fn counted(&self, argument: &'a Value, variadic: &str) -> String {
        let name = part_name(argument[1].as_str().unwrap_or_default());
        let classes = self.record(&argument[0])["!superclasses"].as_array();
        let is_variadic = classes.is_some_and(|it| it.iter().any(|it| it == variadic));
        if is_variadic { format!("{name}*") } else { name }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Operand,
    Attribute,
}

/// A part without a name keeps its place.
fn part_name(name: &str) -> String {
    if name.is_empty() { "_".to_owned() } else { name.to_owned() }
}

/// The name of a trait without its namespaces and C++ suffixes, if rows keep it.
fn known_trait(name: &str) -> Option<String> {
    let name =
        ["::Trait", "::Impl"].iter().fold(name, |it, end| it.strip_suffix(end).unwrap_or(it));
    let base = name.split('<').next().unwrap_or_default();
    let start = base.rfind("::").map_or(0, |it| it + 2);
    TRAITS.contains(&&base[start..]).then(|| name[start..].to_owned())
}

/// The text with every run of white space as one blank.
fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
