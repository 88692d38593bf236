//! Rows as the TOML text has them, and their checking.
//!
//! In: the text of `effects.toml`, or the rows of a user's `tir-analyzer.toml` as serde read them. Out: typed
//! [`OpEffects`], or an [`EffectError`] with row, column and message. Linear.

use std::{borrow::Cow, fmt};

use serde::{Deserialize, Serialize};

use super::model::{
    Applies, Asynchrony, Basis, Flags, MemoryEffect, MemorySet, Namespace, OpEffects, Trap,
    TrapKind,
};
use super::operands::{OperandName, OperandUse, OperandUses};

/// Rows of all namespaces: `effects.toml` with the rows of dialects, or the `[effects]` part of a user's configuration:
///
/// ```toml
/// [[effects.mlir]]
/// ops = ["mydialect.add", "mydialect.vec.*"]
/// commutative = "all"
///
/// [[effects.tir]]
/// ops = ["T.my_load"]
/// effect = "read"
/// memory = "argument"
/// may_trap = "mem"
/// reads = [0]
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
pub struct EffectRows {
    /// The version of the table; a configuration has none.
    pub version: Option<u32>,
    /// Rows of TIR calls and nodes.
    pub tir: Vec<EffectRow>,
    /// Rows of MLIR operations.
    pub mlir: Vec<EffectRow>,
    /// Rows of Paddle PIR operations.
    pub pir: Vec<EffectRow>,
}

impl EffectRows {
    /// The rows of one namespace.
    pub fn of(&self, namespace: Namespace) -> &[EffectRow] {
        match namespace {
            Namespace::Tir => &self.tir,
            Namespace::Mlir => &self.mlir,
            Namespace::Pir => &self.pir,
        }
    }

    /// Returns true if the table has no rows.
    pub fn is_empty(&self) -> bool {
        self.tir.is_empty() && self.mlir.is_empty() && self.pir.is_empty()
    }
}

/// One row as text. The fields are described at the head of `effects.toml`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
pub struct EffectRow {
    /// Names and patterns that share the row.
    pub ops: Vec<String>,
    /// See [`MemoryEffect`].
    pub effect: Option<String>,
    /// See [`MemorySet`]; several joined by `+`.
    pub memory: Option<String>,
    /// `yes`, `no`, or a [`TrapKind`].
    pub may_trap: Option<String>,
    /// Depends on which threads arrive together.
    pub convergent: bool,
    /// Equal operands and memory give an equal value; true if absent.
    pub deterministic: Option<bool>,
    /// See [`Asynchrony`].
    #[serde(rename = "async")]
    pub asynchrony: Option<String>,
    /// See [`Applies`].
    pub commutative: Option<String>,
    /// See [`Applies`].
    pub associative: Option<String>,
    /// Operands that are evaluated under a condition.
    pub lazy: Vec<u8>,
    /// See [`OpEffects::arity`].
    pub arity: Option<u8>,
    /// See [`OperandUse::Number`].
    pub numbers: Vec<OperandName>,
    /// See [`OperandUse::Address`].
    pub addresses: Vec<OperandName>,
    /// See [`OperandUse::Place`].
    pub places: Vec<OperandName>,
    /// See [`OperandUse::Reads`].
    pub reads: Vec<OperandName>,
    /// See [`OperandUse::Writes`].
    pub writes: Vec<OperandName>,
    /// See [`OperandUse::Text`].
    pub texts: Vec<OperandName>,
    /// See [`Flags`].
    pub flags: Vec<String>,
    /// Differs from the peer's label.
    pub departs: bool,
    /// See [`Basis`].
    pub basis: Option<String>,
    /// A note for the reader.
    pub reason: Option<String>,
}

/// A defect of a row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EffectError {
    /// The namespace of the row.
    pub namespace: Namespace,
    /// The row's place among those of its namespace, from 0.
    pub row: usize,
    /// The row's first name, or nothing.
    pub op: String,
    /// The field.
    pub column: &'static str,
    /// The defect, and the correct form.
    pub message: String,
}

impl fmt::Display for EffectError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let EffectError { namespace, row, op, column, message } = self;
        write!(f, "[[{}]] row {} (`{op}`), `{column}`: {message}", namespace.name(), row + 1)
    }
}

impl std::error::Error for EffectError {}

/// A column and its defect.
type Wrong = (&'static str, String);

impl EffectRow {
    /// A row that is given field by field, as the files of dialects have it: the items of lists have blanks between
    /// them.
    ///
    /// # Errors
    ///
    /// A field that no row has, or a value that is none of it.
    pub fn of_fields(
        ops: Vec<String>,
        fields: &[(impl AsRef<str>, impl AsRef<str>)],
    ) -> Result<EffectRow, String> {
        let mut row = EffectRow { ops, ..EffectRow::default() };
        for (key, value) in fields {
            row.set(key.as_ref(), value.as_ref())?;
        }
        Ok(row)
    }

    /// The row of operations that are known, but not what they do: it is that of an unknown operation.
    pub fn unknown(ops: Vec<String>) -> EffectRow {
        EffectRow {
            ops,
            effect: Some("unknown".to_owned()),
            may_trap: Some("yes".to_owned()),
            convergent: true,
            deterministic: Some(false),
            ..EffectRow::default()
        }
    }

    fn set(&mut self, key: &str, value: &str) -> Result<(), String> {
        let truth = || match value {
            "true" => Ok(true),
            "false" => Ok(false),
            _ => Err(format!("`{key}` is `true` or `false`")),
        };
        let number = |it: &str| it.parse().map_err(|_| format!("`{key}` has no `{it}`"));
        let words = || value.split_whitespace();
        let names = || words().map(operand_name).collect();
        let text = || Some(value.to_owned());
        match key {
            "effect" => self.effect = text(),
            "memory" => self.memory = text(),
            "may_trap" => self.may_trap = text(),
            "convergent" => self.convergent = truth()?,
            "deterministic" => self.deterministic = Some(truth()?),
            "async" => self.asynchrony = text(),
            "commutative" => self.commutative = text(),
            "associative" => self.associative = text(),
            "lazy" => self.lazy = words().map(number).collect::<Result<_, _>>()?,
            "arity" => self.arity = Some(number(value)?),
            "numbers" => self.numbers = names(),
            "addresses" => self.addresses = names(),
            "places" => self.places = names(),
            "reads" => self.reads = names(),
            "writes" => self.writes = names(),
            "texts" => self.texts = names(),
            "flags" => self.flags = words().map(str::to_owned).collect(),
            "departs" => self.departs = truth()?,
            "basis" => self.basis = text(),
            "reason" => self.reason = text(),
            _ => return Err(format!("a row has no `{key}`")),
        }
        Ok(())
    }

    /// The typed row, or its defect. `row` and `namespace` only place the error.
    pub(super) fn check(
        &self,
        namespace: Namespace,
        row: usize,
        default_basis: Basis,
    ) -> Result<OpEffects, EffectError> {
        self.typed(default_basis).map_err(|(column, message)| {
            let op = self.ops.first().cloned().unwrap_or_default();
            EffectError { namespace, row, op, column, message }
        })
    }

    fn typed(&self, default_basis: Basis) -> Result<OpEffects, Wrong> {
        self.check_names()?;
        let memory_effect =
            field("effect", &self.effect, MemoryEffect::NAMES)?.unwrap_or(MemoryEffect::None);
        let departs = if self.departs { Flags::DEPARTS } else { Flags::EMPTY };
        if self.departs && self.reason.is_none() {
            return Err(("reason", "a row that departs from its peer says why".to_owned()));
        }
        Ok(OpEffects {
            memory_effect,
            memory: self.memory(memory_effect)?,
            may_trap: self.trap()?,
            convergent: self.convergent,
            deterministic: self.deterministic.unwrap_or(true),
            asynchrony: field("async", &self.asynchrony, Asynchrony::NAMES)?
                .unwrap_or(Asynchrony::None),
            commutative: field("commutative", &self.commutative, Applies::NAMES)?
                .unwrap_or(Applies::No),
            associative: field("associative", &self.associative, Applies::NAMES)?
                .unwrap_or(Applies::No),
            lazy_operands: self.lazy()?,
            arity: self.arity,
            operands: self.operands(memory_effect)?,
            flags: self.flags()?.union(departs),
            basis: field("basis", &self.basis, Basis::NAMES)?.unwrap_or(default_basis),
            reason: self.reason.clone().map(Cow::Owned),
        })
    }

    fn check_names(&self) -> Result<(), Wrong> {
        if self.ops.is_empty() {
            return Err(("ops", "at least one name is needed".to_owned()));
        }
        for op in &self.ops {
            if op.is_empty() || op.contains(char::is_whitespace) {
                return Err(("ops", format!("`{op}` is not a name")));
            }
            if op.matches('*').count() > 1 {
                return Err(("ops", format!("`{op}` has more than one `*`")));
            }
        }
        Ok(())
    }

    fn memory(&self, effect: MemoryEffect) -> Result<MemorySet, Wrong> {
        let Some(text) = &self.memory else {
            return match effect {
                MemoryEffect::None => Ok(MemorySet::EMPTY),
                MemoryEffect::Unknown => Ok(MemorySet::ALL),
                _ => Err(("memory", format!("effect `{}` needs one", effect.name()))),
            };
        };
        if effect == MemoryEffect::None {
            return Err(("memory", "effect `none` touches none".to_owned()));
        }
        let mut res = MemorySet::EMPTY;
        for name in text.split('+') {
            res = res.union(match name {
                "unknown" => MemorySet::ALL,
                _ => one_of("memory", name, MemorySet::NAMES)?,
            });
        }
        Ok(res)
    }

    fn trap(&self) -> Result<Trap, Wrong> {
        match self.may_trap.as_deref() {
            None | Some("no") => Ok(Trap::No),
            Some("yes") => Ok(Trap::Yes),
            Some(kind) => one_of("may_trap", kind, TrapKind::NAMES).map(Trap::Cond),
        }
    }

    fn lazy(&self) -> Result<u8, Wrong> {
        self.lazy.iter().try_fold(0, |bits, &index| match index {
            0..8 => Ok(bits | 1 << index),
            _ => Err(("lazy", format!("operand {index} is beyond the 8 that a row can name"))),
        })
    }

    fn operands(&self, effect: MemoryEffect) -> Result<OperandUses, Wrong> {
        use OperandUse::{Address, Number, Place, Reads, Text, Writes};
        let mut res = OperandUses::default();
        for (column, names, used) in [
            ("numbers", &self.numbers, Number),
            ("addresses", &self.addresses, Address),
            ("places", &self.places, Place),
            ("reads", &self.reads, Reads),
            ("writes", &self.writes, Writes),
            ("texts", &self.texts, Text),
        ] {
            for name in names {
                res.add(name, used).map_err(|it| {
                    (column, format!("{it} is in two lists that exclude each other"))
                })?;
            }
        }
        let is_mild =
            matches!(effect, MemoryEffect::None | MemoryEffect::Read | MemoryEffect::Alloc);
        if is_mild && res.any_written() {
            return Err(("writes", format!("effect `{}` writes no operand", effect.name())));
        }
        if !is_mild && self.arity.is_some() {
            return Err(("arity", "only a row that writes nothing has one".to_owned()));
        }
        if effect == MemoryEffect::None && res.any_reached() {
            return Err(("reads", "effect `none` reads no operand".to_owned()));
        }
        Ok(res)
    }

    fn flags(&self) -> Result<Flags, Wrong> {
        self.flags
            .iter()
            .try_fold(Flags::EMPTY, |res, name| Ok(res.union(one_of("flags", name, Flags::NAMES)?)))
    }
}

fn operand_name(word: &str) -> OperandName {
    word.parse().map_or_else(|_| OperandName::Keyword(word.to_owned().into()), OperandName::Index)
}

fn field<T: Copy>(
    column: &'static str,
    text: &Option<String>,
    names: &[(&'static str, T)],
) -> Result<Option<T>, Wrong> {
    text.as_deref().map(|it| one_of(column, it, names)).transpose()
}

fn one_of<T: Copy>(
    column: &'static str,
    text: &str,
    names: &[(&'static str, T)],
) -> Result<T, Wrong> {
    names.iter().find(|(name, _)| *name == text).map(|&(_, it)| it).ok_or_else(|| {
        let known: Vec<&str> = names.iter().map(|(name, _)| *name).collect();
        (column, format!("`{text}` is none of {}", known.join(", ")))
    })
}
