//! The table: names and patterns to rows.
//!
//! In: the rows of the product, which are static, and checked rows over them. Out: for any name the one row that
//! applies. Building is O(n log n) in the names that are added; an exact lookup is one hash, a pattern lookup one
//! binary search plus the patterns that are prefixes of each other.

use std::{
    collections::BTreeMap,
    sync::{Arc, LazyLock},
};

use rustc_hash::FxHashMap;

use super::model::{Basis, Namespace, OpEffects, Trap};
use super::names::{NameBuffer, normal_tir};
use super::patterns::{self, Pattern, RowIndex};
use super::product;
use super::rows::{EffectError, EffectRows};

/// How a name met its row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MatchKind {
    /// By name.
    Exact,
    /// By a pattern.
    Pattern,
    /// By the definition of its dialect, which states no effects: it does whatever the default says.
    Undeclared,
    /// Not at all: the default of the namespace.
    Default,
}

/// The row of a name, for `explain`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Match<'a> {
    /// How the name was found.
    pub kind: MatchKind,
    /// The name or pattern as the table keeps it (normal form for TIR).
    pub entry: &'a str,
    /// The row.
    pub effects: &'a OpEffects,
}

/// A set of effects rows with lookup by name: those of the product, if it has them, and rows over them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EffectTable {
    version: u32,
    /// True if names without a row here have that of the product, and those of the definitions of dialects.
    has_product: bool,
    rows: Vec<OpEffects>,
    spaces: [Space; 3],
    /// Exact names of TIR as they are mostly written, with `_` between their parts: no normal form has to be made of
    /// them.
    spelled: FxHashMap<Box<str>, RowIndex>,
    /// The rows that a user added, as text, and as they were.
    of_user: String,
    added: Vec<EffectRows>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Space {
    exact: FxHashMap<Box<str>, RowIndex>,
    /// In their order.
    patterns: Vec<Pattern>,
}

impl Space {
    fn insert(&mut self, text: &str, row: RowIndex) {
        if !text.contains('*') {
            self.exact.insert(text.into(), row);
        } else if let Some(old) = self.patterns.iter_mut().find(|it| it.text == text) {
            old.row = row;
        } else {
            self.patterns.push(Pattern::new(text, row));
        }
    }
}

impl EffectTable {
    /// The curated table of this crate.
    pub fn builtin() -> &'static EffectTable {
        static TABLE: LazyLock<EffectTable> = LazyLock::new(EffectTable::product);
        &TABLE
    }

    /// The curated table, to be shared with who may have another one.
    pub fn shared() -> Arc<EffectTable> {
        static TABLE: LazyLock<Arc<EffectTable>> =
            LazyLock::new(|| Arc::new(EffectTable::product()));
        TABLE.clone()
    }

    fn product() -> EffectTable {
        EffectTable { version: product::VERSION, has_product: true, ..EffectTable::empty() }
    }

    fn empty() -> EffectTable {
        EffectTable {
            version: 0,
            has_product: false,
            rows: Vec::new(),
            spaces: Default::default(),
            spelled: FxHashMap::default(),
            of_user: String::new(),
            added: Vec::new(),
        }
    }

    /// The table of these rows alone.
    pub fn from_rows(rows: &EffectRows) -> Result<EffectTable, EffectError> {
        EffectTable::empty().with_rows(rows, Basis::Source)
    }

    /// This table with a user's rows over it: a row replaces the entry of the same name or pattern, everything else
    /// follows the same rules of precedence (so a user's pattern does not beat a built-in exact name).
    pub fn overlay(&self, rows: &EffectRows) -> Result<EffectTable, EffectError> {
        let mut table = self.clone().with_rows(rows, Basis::User)?;
        if !rows.is_empty() {
            table.of_user.push_str(&format!("{rows:?}"));
            table.added.push(rows.clone());
        }
        Ok(table)
    }

    /// Returns the rows that users added to the table of the product, as one text: equal texts, equal tables. Empty if
    /// there are none.
    pub fn rows_of_user(&self) -> &str {
        &self.of_user
    }

    /// Returns the rows that users added to the table of the product, in the order in which they were: laid over it
    /// again they make this table.
    pub fn added_rows(&self) -> &[EffectRows] {
        &self.added
    }

    fn with_rows(mut self, rows: &EffectRows, basis: Basis) -> Result<EffectTable, EffectError> {
        let mut buffer = NameBuffer::new();
        for namespace in Namespace::ALL {
            let space = &mut self.spaces[namespace as usize];
            for (i, row) in rows.of(namespace).iter().enumerate() {
                let index = self.rows.len() as RowIndex;
                self.rows.push(row.check(namespace, i, basis)?);
                for op in &row.ops {
                    let op = match namespace {
                        Namespace::Tir => normal_tir(op, &mut buffer),
                        Namespace::Mlir | Namespace::Pir => op,
                    };
                    space.insert(op, index);
                }
            }
            patterns::link(&mut space.patterns);
        }
        self.spell();
        self.version = rows.version.unwrap_or(self.version);
        Ok(self)
    }

    /// Notes how the exact names of TIR are mostly written.
    fn spell(&mut self) {
        let mut buffer = NameBuffer::new();
        let exact = self.spaces[Namespace::Tir as usize].exact.iter();
        let written = exact.filter_map(|(name, &row)| {
            let written = name.replace('.', "_");
            (normal_tir(&written, &mut buffer) == &**name).then_some((written.into(), row))
        });
        self.spelled = written.collect();
    }

    /// The version of the table's content.
    pub fn version(&self) -> u32 {
        self.version
    }

    /// The effects of a TIR call or expression node. Any spelling of the name; aliases of the file resolved.
    pub fn tir(&self, name: &str) -> &OpEffects {
        if let Some(&row) = self.spelled.get(name) {
            return &self.rows[row as usize];
        }
        if self.has_product
            && let Some((_, row)) = product::spelled().find(name)
        {
            return product::row(row);
        }
        let mut buffer = NameBuffer::new();
        let found = self.find(Namespace::Tir, normal_tir(name, &mut buffer));
        found.map_or(OpEffects::unknown(), |it| it.1)
    }

    /// The effects of an MLIR operation.
    pub fn mlir(&self, name: &str) -> &OpEffects {
        self.lookup(Namespace::Mlir, name)
    }

    /// The effects of a Paddle PIR operation.
    pub fn pir(&self, name: &str) -> &OpEffects {
        self.lookup(Namespace::Pir, name)
    }

    /// The effects of an operation.
    pub fn lookup(&self, namespace: Namespace, name: &str) -> &OpEffects {
        match namespace {
            Namespace::Tir => self.tir(name),
            _ => self.explain(namespace, name).effects,
        }
    }

    /// The effects of an operation and the entry that gave them.
    pub fn explain(&self, namespace: Namespace, name: &str) -> Match<'_> {
        let mut buffer = NameBuffer::new();
        let name = match namespace {
            Namespace::Tir => normal_tir(name, &mut buffer),
            Namespace::Mlir | Namespace::Pir => name,
        };
        let found = self.find(namespace, name);
        let is_default = found.is_none_or(|it| it.0 == "*");
        if is_default
            && namespace == Namespace::Mlir
            && self.has_product
            && let Some(defined) = by_definition(name)
        {
            return defined;
        }
        match found {
            None => Match { kind: MatchKind::Default, entry: "*", effects: OpEffects::unknown() },
            Some((entry, effects)) => {
                let kind = match entry {
                    "*" => MatchKind::Default,
                    _ if effects.is_undeclared() => MatchKind::Undeclared,
                    _ if entry.contains('*') => MatchKind::Pattern,
                    _ => MatchKind::Exact,
                };
                Match { kind, entry, effects }
            }
        }
    }

    /// The entry that applies and its row.
    fn find(&self, namespace: Namespace, name: &str) -> Option<(&str, &OpEffects)> {
        let space = &self.spaces[namespace as usize];
        let of_product = self.has_product.then(|| product::space(namespace));
        if let Some((entry, &row)) = space.exact.get_key_value(name) {
            return Some((entry, &self.rows[row as usize]));
        }
        if let Some((entry, row)) = of_product.and_then(|it| it.exact.find(name)) {
            return Some((entry, product::row(row)));
        }
        let own = patterns::find(&space.patterns, name);
        let of_product = of_product.and_then(|it| patterns::find(it.patterns, name));
        match (own, of_product) {
            (Some(own), None) => Some((&own.text, &self.rows[own.row as usize])),
            (Some(own), Some(other)) if own.rank() >= other.rank() => {
                Some((&own.text, &self.rows[own.row as usize]))
            }
            (_, Some(other)) => Some((&other.text, product::row(other.row))),
            (None, None) => None,
        }
    }

    /// The names and patterns that have a row of their own, sorted; TIR's in normal form.
    pub fn entries(&self, namespace: Namespace) -> Vec<&str> {
        self.rows_of(namespace).into_keys().collect()
    }

    /// The same with their rows.
    fn rows_of(&self, namespace: Namespace) -> BTreeMap<&str, &OpEffects> {
        let mut rows: BTreeMap<&str, &OpEffects> = BTreeMap::new();
        if self.has_product {
            let product::Space { exact, patterns } = product::space(namespace);
            rows.extend(exact.iter().map(|(name, row)| (name, product::row(row))));
            rows.extend(patterns.iter().map(|it| (&*it.text, product::row(it.row))));
        }
        let Space { exact, patterns } = &self.spaces[namespace as usize];
        rows.extend(exact.iter().map(|(name, &row)| (&**name, &self.rows[row as usize])));
        rows.extend(patterns.iter().map(|it| (&*it.text, &self.rows[it.row as usize])));
        rows
    }

    /// A hash of everything that lookups can answer, equal on all machines: part of the key of stored artifacts.
    pub fn digest(&self) -> u128 {
        let mut hash = Fnv::new();
        for namespace in Namespace::ALL {
            let rows = self.rows_of(namespace);
            hash.write(&(rows.len() as u64).to_le_bytes());
            for (name, row) in rows {
                hash.write(name.as_bytes());
                hash.write(&content(row));
            }
        }
        if self.has_product {
            hash.write(&dialects::shipped::digest().to_le_bytes());
        }
        hash.0
    }
}

/// The row that follows from the definition of an operation of MLIR, if a dialect of the product defines it.
fn by_definition(name: &str) -> Option<Match<'static>> {
    let operation = dialects::shipped::operation(name)?;
    let entry = operation.name;
    Some(match product::stated(operation.stated) {
        Some(effects) => Match { kind: MatchKind::Exact, entry, effects },
        None => Match { kind: MatchKind::Undeclared, entry, effects: OpEffects::unknown() },
    })
}

/// Everything of a row that an analysis can see.
fn content(row: &OpEffects) -> Vec<u8> {
    let trap = match row.may_trap {
        Trap::No => [0, 0],
        Trap::Yes => [1, 0],
        Trap::Cond(kind) => [2, kind as u8],
    };
    let mut res = vec![
        0xff, // Never part of a name: ends it.
        row.memory_effect as u8,
        row.memory.bits(),
        trap[0],
        trap[1],
        u8::from(row.convergent),
        u8::from(row.deterministic),
        row.asynchrony as u8,
        row.commutative as u8,
        row.associative as u8,
        row.lazy_operands,
    ];
    res.extend(row.flags.bits().to_le_bytes());
    res.push(row.arity.map_or(0xff, |it| it));
    row.operands.content(&mut res);
    res.push(0xff);
    res
}

/// FNV-1a, 128 bits.
struct Fnv(u128);

impl Fnv {
    fn new() -> Fnv {
        Fnv(0x6c62_272e_07bb_0142_62b8_2175_6295_c58d)
    }

    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.0 =
                (self.0 ^ u128::from(byte)).wrapping_mul(0x0000_0000_0100_0000_0000_0000_0000_013b);
        }
    }
}
