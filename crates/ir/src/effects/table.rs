//! The table: names and patterns to rows.
//!
//! In: checked rows. Out: for any name the one row that applies. Building is O(n log n) in the names; an exact lookup
//! is one hash, a pattern lookup one binary search plus the patterns that are prefixes of each other.

use std::sync::{Arc, LazyLock, OnceLock};

use rustc_hash::FxHashMap;

use super::model::{Basis, Namespace, OpEffects, Trap};
use super::names::{NameBuffer, normal_tir};
use super::rows::{EffectError, EffectRow, EffectRows};

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

/// A set of effects rows with lookup by name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EffectTable {
    version: u32,
    rows: Vec<OpEffects>,
    spaces: [Space; 3],
    /// Exact names of TIR as they are mostly written, with `_` between their parts: no normal form has to be made of
    /// them.
    spelled: FxHashMap<Box<str>, RowIndex>,
    /// The rows that a user added, as text.
    of_user: String,
    /// True if names without a row of their own have that of their definition.
    has_definitions: bool,
}

/// Index into `EffectTable::rows`.
type RowIndex = u32;

#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Space {
    exact: FxHashMap<Box<str>, RowIndex>,
    /// Sorted by prefix.
    patterns: Vec<Pattern>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Pattern {
    /// The pattern as written (normal form for TIR).
    text: Box<str>,
    /// Length of the text before the `*`, without the dot of a trailing `.*`.
    prefix_len: u32,
    /// A trailing `.*`: the rest is empty or starts with a dot.
    dotted: bool,
    row: RowIndex,
    /// The nearest pattern before this one whose prefix is a prefix of this one's.
    shorter: Option<u32>,
}

impl Pattern {
    fn new(text: &str, row: RowIndex) -> Pattern {
        let star = text.find('*').expect("a pattern has a star");
        let dotted = text.ends_with(".*");
        let prefix_len = (star - usize::from(dotted)) as u32;
        Pattern { text: text.into(), prefix_len, dotted, row, shorter: None }
    }

    fn prefix(&self) -> &str {
        &self.text[..self.prefix_len as usize]
    }

    fn matches(&self, name: &str) -> bool {
        let Some(rest) = name.strip_prefix(self.prefix()) else { return false };
        if self.dotted {
            return rest.is_empty() || rest.starts_with('.');
        }
        let suffix = self.text.rsplit('*').next().unwrap_or_default();
        rest.ends_with(suffix)
    }

    /// Literal characters: more of them win.
    fn literals(&self) -> usize {
        self.text.len() - 1
    }
}

impl Space {
    fn insert(&mut self, text: &str, row: RowIndex) {
        if !text.contains('*') {
            self.exact.insert(text.into(), row);
        } else if let Some(old) = self.patterns.iter_mut().find(|it| &*it.text == text) {
            old.row = row;
        } else {
            self.patterns.push(Pattern::new(text, row));
        }
    }

    fn link(&mut self) {
        self.patterns.sort_by(|a, b| a.prefix().cmp(b.prefix()).then_with(|| a.text.cmp(&b.text)));
        let mut open: Vec<u32> = Vec::new();
        for i in 0..self.patterns.len() {
            let (before, rest) = self.patterns.split_at_mut(i);
            let pattern = &mut rest[0];
            while open
                .last()
                .is_some_and(|&it| !pattern.prefix().starts_with(before[it as usize].prefix()))
            {
                open.pop();
            }
            pattern.shorter = open.last().copied();
            open.push(i as u32);
        }
    }

    fn pattern(&self, name: &str) -> Option<&Pattern> {
        // Every prefix of `name` sorts before it, and is on the chain of the last pattern that does.
        let end = self.patterns.partition_point(|it| it.prefix() <= name);
        let mut next = end.checked_sub(1);
        let mut best: Option<&Pattern> = None;
        while let Some(i) = next {
            let it = &self.patterns[i];
            if it.matches(name) && best.is_none_or(|best| best.literals() < it.literals()) {
                best = Some(it);
            }
            next = it.shorter.map(|it| it as usize);
        }
        best
    }
}

impl EffectTable {
    /// The curated table of this crate.
    pub fn builtin() -> &'static EffectTable {
        static TABLE: OnceLock<EffectTable> = OnceLock::new();
        TABLE.get_or_init(|| {
            let table = EffectTable::from_rows(&EffectRows::of_product());
            let table = table.expect("the rows of the product are tested to be valid");
            EffectTable { has_definitions: true, ..table }
        })
    }

    /// The curated table, to be shared with who may have another one.
    pub fn shared() -> Arc<EffectTable> {
        static TABLE: LazyLock<Arc<EffectTable>> =
            LazyLock::new(|| Arc::new(EffectTable::builtin().clone()));
        TABLE.clone()
    }

    /// The table of these rows alone.
    pub fn from_rows(rows: &EffectRows) -> Result<EffectTable, EffectError> {
        let empty = EffectTable {
            version: 0,
            rows: Vec::new(),
            spaces: Default::default(),
            spelled: FxHashMap::default(),
            of_user: String::new(),
            has_definitions: false,
        };
        empty.with_rows(rows, Basis::Source)
    }

    /// This table with a user's rows over it: a row replaces the entry of the same name or pattern, everything else
    /// follows the same rules of precedence (so a user's pattern does not beat a built-in exact name).
    pub fn overlay(&self, rows: &EffectRows) -> Result<EffectTable, EffectError> {
        let mut table = self.clone().with_rows(rows, Basis::User)?;
        if !rows.is_empty() {
            table.of_user.push_str(&format!("{rows:?}"));
        }
        Ok(table)
    }

    /// Returns the rows that users added to the table of the product, as one text: equal texts, equal tables. Empty if
    /// there are none.
    pub fn rows_of_user(&self) -> &str {
        &self.of_user
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
            space.link();
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
            return self.row(row);
        }
        let mut buffer = NameBuffer::new();
        self.spaces[0]
            .find(normal_tir(name, &mut buffer))
            .map_or(OpEffects::unknown(), |it| self.row(it.1))
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
        let found = self.spaces[namespace as usize].find(name);
        let is_default = found.is_none_or(|it| it.0 == "*");
        if is_default
            && namespace == Namespace::Mlir
            && self.has_definitions
            && let Some(defined) = by_definition(name)
        {
            return defined;
        }
        match found {
            None => Match { kind: MatchKind::Default, entry: "*", effects: OpEffects::unknown() },
            Some((entry, row)) => {
                let kind = match entry {
                    "*" => MatchKind::Default,
                    _ if self.row(row).is_undeclared() => MatchKind::Undeclared,
                    _ if entry.contains('*') => MatchKind::Pattern,
                    _ => MatchKind::Exact,
                };
                Match { kind, entry, effects: self.row(row) }
            }
        }
    }

    /// The names and patterns that have a row of their own, sorted; TIR's in normal form.
    pub fn entries(&self, namespace: Namespace) -> Vec<&str> {
        let space = &self.spaces[namespace as usize];
        let exact = space.exact.keys().map(|it| &**it);
        let mut names: Vec<&str> = exact.chain(space.patterns.iter().map(|it| &*it.text)).collect();
        names.sort_unstable();
        names
    }

    /// A hash of everything that lookups can answer, equal on all machines: part of the key of stored artifacts.
    pub fn digest(&self) -> u128 {
        let mut hash = Fnv::new();
        for space in &self.spaces {
            let patterns = space.patterns.iter().map(|it| (&*it.text, it.row));
            let exact = space.exact.iter().map(|(name, &row)| (&**name, row));
            let mut entries: Vec<(&str, RowIndex)> = exact.chain(patterns).collect();
            entries.sort_unstable();
            hash.write(&(entries.len() as u64).to_le_bytes());
            for (name, row) in entries {
                hash.write(name.as_bytes());
                hash.write(&content(self.row(row)));
            }
        }
        if self.has_definitions {
            hash.write(&dialects::shipped::digest().to_le_bytes());
        }
        hash.0
    }

    fn row(&self, index: RowIndex) -> &OpEffects {
        &self.rows[index as usize]
    }
}

/// The row that follows from the definition of an operation of MLIR, if a dialect of the product defines it.
fn by_definition(name: &str) -> Option<Match<'static>> {
    /// The rows of definitions; none where effects are unknown.
    static ROWS: LazyLock<Vec<Option<OpEffects>>> = LazyLock::new(|| {
        let row = |fields: &[(&str, &str)]| {
            let row = EffectRow::of_fields(vec!["*".to_owned()], fields);
            let row = row.map(|it| it.check(Namespace::Mlir, 0, Basis::Source));
            row.expect("fields of definitions are fields").expect("rows of definitions are valid")
        };
        let stated = dialects::shipped::stated().iter();
        stated.map(|it| (!it.fields.is_empty()).then(|| row(it.fields))).collect()
    });
    let operation = dialects::shipped::operation(name)?;
    let entry = operation.name;
    Some(match &ROWS[usize::from(operation.stated)] {
        Some(effects) => Match { kind: MatchKind::Exact, entry, effects },
        None => Match { kind: MatchKind::Undeclared, entry, effects: OpEffects::unknown() },
    })
}

impl Space {
    /// The entry that applies and its row.
    fn find(&self, name: &str) -> Option<(&str, RowIndex)> {
        if let Some((entry, &row)) = self.exact.get_key_value(name) {
            return Some((entry, row));
        }
        self.pattern(name).map(|it| (&*it.text, it.row))
    }
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
