//! Makes tables of the effects that the product knows: `effects.toml` and rows of other files in, Rust out.

#[path = "src/effects/model.rs"]
#[allow(dead_code, unused_imports, unreachable_pub, reason = "the library asks; the build reads")]
mod model;
#[path = "src/effects/names.rs"]
#[allow(dead_code, unreachable_pub, reason = "public in the library; the build only reads names")]
mod names;
#[path = "src/effects/operands.rs"]
#[allow(dead_code, unreachable_pub, reason = "the library asks; the build only reads rows")]
mod operands;
#[path = "src/effects/patterns.rs"]
#[allow(dead_code, reason = "the library looks names up")]
mod patterns;
#[path = "src/effects/rows.rs"]
#[allow(dead_code, unreachable_pub, reason = "public in the library; the build only reads rows")]
mod rows;
#[path = "src/effects/source.rs"]
mod source;
#[path = "src/team.rs"]
#[allow(dead_code, unreachable_pub, reason = "public in the library; the build only reads names")]
mod team;

use std::{
    collections::{BTreeMap, btree_map::Entry},
    env,
    error::Error,
    fmt::Write as _,
    fs,
    path::Path,
};

use crate::{
    model::{Basis, Namespace, OpEffects, Trap},
    names::{NameBuffer, normal_tir},
    operands::{OperandName, OperandUses},
    patterns::{Pattern, RowIndex},
    team::Team,
};

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=effects.toml");
    println!("cargo::rerun-if-changed=tilelang_ops.toml");
    println!("cargo::rerun-if-changed=src/effects");
    println!("cargo::rerun-if-changed=src/team.rs");
    let out = Path::new(&env::var("OUT_DIR")?).join("effects.rs");
    fs::write(out, tables()?)?;
    Ok(())
}

fn tables() -> Result<String, Box<dyn Error>> {
    let texts = source::rows()?;
    let mut rows = Rows::default();
    let (mut spaces, mut spelled) = (String::new(), String::new());
    for namespace in Namespace::ALL {
        let mut exact = BTreeMap::new();
        let mut patterns: Vec<Pattern> = Vec::new();
        let mut buffer = NameBuffer::new();
        for (i, row) in texts.of(namespace).iter().enumerate() {
            let number = rows.add(&row.check(namespace, i, Basis::Source)?)?;
            for op in &row.ops {
                let name = match namespace {
                    Namespace::Tir => normal_tir(op, &mut buffer),
                    Namespace::Mlir | Namespace::Pir => op,
                };
                let is_new = match name.contains('*') {
                    true => {
                        let is_new = patterns.iter().all(|it| it.text != name);
                        patterns.push(Pattern::new(name, RowIndex::from(number)));
                        is_new
                    }
                    false => insert(&mut exact, name, number),
                };
                if !is_new {
                    return Err(format!("`{op}` has two rows of effects").into());
                }
            }
        }
        patterns::link(&mut patterns);
        if namespace == Namespace::Tir {
            spelled = numbered(&written(&exact))?;
        }
        writeln!(
            spaces,
            "Space {{ exact: {}, patterns: &[{}] }},",
            numbered(&exact)?,
            patterns.iter().map(pattern).collect::<String>()
        )?;
    }
    let mut stated = String::new();
    for row in source::stated()? {
        let row = row.map(|it| it.check(Namespace::Mlir, 0, Basis::Source)).transpose()?;
        match row {
            Some(row) => writeln!(stated, "Some({}),", rows.literal(&row)?)?,
            None => stated.push_str("None,\n"),
        }
    }
    let n_rows = rows.n;
    Ok(format!(
        "{}pub(super) static ROWS: [OpEffects; {n_rows}] = [\n{}];\n\
         pub(super) static STATED: &[Option<OpEffects>] = &[\n{stated}];\n\
         pub(super) static SPACES: [Space; 3] = [\n{spaces}];\n\
         pub(super) static SPELLED: Numbered = {spelled};\n\
         pub(super) const VERSION: u32 = {};\n",
        rows.operands,
        rows.text,
        texts.version.unwrap_or_default(),
    ))
}

fn insert(names: &mut BTreeMap<String, u16>, name: &str, row: u16) -> bool {
    match names.entry(name.to_owned()) {
        Entry::Vacant(it) => {
            it.insert(row);
            true
        }
        Entry::Occupied(_) => false,
    }
}

/// The names with `_` between their parts, where that means the same.
fn written(exact: &BTreeMap<String, u16>) -> BTreeMap<String, u16> {
    let mut buffer = NameBuffer::new();
    let written = exact.iter().filter_map(|(name, row)| {
        let written = name.replace('.', "_");
        (normal_tir(&written, &mut buffer) == *name).then_some((written, *row))
    });
    written.collect()
}

fn numbered(names: &BTreeMap<String, u16>) -> Result<String, String> {
    let rows: Vec<u16> = names.values().copied().collect();
    let names = dialects::names::write(names.keys().map(String::as_str))?;
    Ok(format!("Numbered {{ names: Names {names}, rows: &{rows:?} }}"))
}

fn pattern(it: &Pattern) -> String {
    let Pattern { text, prefix_len, dotted, row, shorter } = it;
    format!(
        "Pattern {{ text: Cow::Borrowed({text:?}), prefix_len: {prefix_len}, dotted: {dotted}, row: {row}, \
         shorter: {shorter:?} }},\n"
    )
}

/// Rows in Rust.
#[derive(Default)]
struct Rows {
    n: u16,
    text: String,
    /// The uses of operands, each with the number of its static.
    known: BTreeMap<String, usize>,
    operands: String,
}

impl Rows {
    /// Adds a row. Gives its number.
    fn add(&mut self, row: &OpEffects) -> Result<u16, Box<dyn Error>> {
        let number = self.n;
        self.n = number.checked_add(1).ok_or("too many rows of effects")?;
        let literal = self.literal(row)?;
        writeln!(self.text, "{literal},")?;
        Ok(number)
    }

    fn literal(&mut self, row: &OpEffects) -> Result<String, Box<dyn Error>> {
        let OpEffects {
            memory_effect,
            memory,
            may_trap,
            convergent,
            deterministic,
            asynchrony,
            commutative,
            associative,
            lazy_operands,
            arity,
            operands,
            flags,
            basis,
            reason,
        } = row;
        let may_trap = match may_trap {
            Trap::No => "Trap::No".to_owned(),
            Trap::Yes => "Trap::Yes".to_owned(),
            Trap::Cond(kind) => format!("Trap::Cond(TrapKind::{kind:?})"),
        };
        let reason = match reason {
            Some(reason) => format!("Some(Cow::Borrowed({reason:?}))"),
            None => "None".to_owned(),
        };
        let (memory, flags) = (memory.bits(), flags.bits());
        let operands = self.operands(operands)?;
        Ok(format!(
            "OpEffects {{ memory_effect: MemoryEffect::{memory_effect:?}, memory: MemorySet::of_bits({memory}), \
             may_trap: {may_trap}, convergent: {convergent}, deterministic: {deterministic}, \
             asynchrony: Asynchrony::{asynchrony:?}, commutative: Applies::{commutative:?}, \
             associative: Applies::{associative:?}, lazy_operands: {lazy_operands}, arity: {arity:?}, \
             operands: {operands}, flags: Flags::of_bits({flags}), basis: Basis::{basis:?}, reason: {reason} }}"
        ))
    }

    fn operands(&mut self, uses: &OperandUses) -> Result<String, Box<dyn Error>> {
        if uses.is_empty() {
            return Ok("OperandUses::NONE".to_owned());
        }
        let (named, others) = uses.parts();
        let others = match others {
            Some(it) => format!("Some(OperandUse::{it:?})"),
            None => "None".to_owned(),
        };
        let mut items = String::new();
        for (name, used) in named {
            let name = match name {
                OperandName::Index(index) => format!("OperandName::Index({index})"),
                OperandName::Keyword(key) => {
                    format!("OperandName::Keyword(Cow::Borrowed({key:?}))")
                }
            };
            write!(items, "({name}, OperandUse::{used:?}), ")?;
        }
        let next = self.known.len();
        let number = *self.known.entry(items.clone()).or_insert(next);
        if number == next {
            let n = named.len();
            writeln!(
                self.operands,
                "static OPERANDS_{number}: [(OperandName, OperandUse); {n}] = [{items}];"
            )?;
        }
        Ok(format!("OperandUses::of_static(&OPERANDS_{number}, {others})"))
    }
}
