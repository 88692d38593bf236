//! TileLang's operators: names, result types, and the parts of buffers that they access.
//!
//! In: a name as TileLang prints it, or with `tl.`. Out: the [`TileLangOp`] that its sources register. The data is
//! `tilelang_ops.toml`, parsed on first use, and its rows are rows of the effects table. A lookup is one hash.

use std::{collections::BTreeMap, sync::OnceLock};

use rustc_hash::FxHashMap;
use serde::Deserialize;

use super::rows::EffectRow;
use crate::DataType;

/// The prefix of TileLang's operators here; TileLang prints them without.
const PREFIX: &str = "tl.";

/// The type of a call of a TileLang operator.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TileLangResult {
    /// The type of an operand.
    Operand(usize),
    /// Named by the first operand.
    Named,
    /// Always this.
    Fixed(DataType),
    /// Not known.
    Unknown,
}

/// An operator as TileLang registers it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TileLangOp {
    /// The name of its calls: `tl.copy`.
    pub name: Box<str>,
    /// The type of a call.
    pub result: TileLangResult,
    /// How the operands that are parts of buffers are accessed, as `T.region` prints it: 1 read, 2 written, 3 both.
    pub regions: Vec<u8>,
}

impl TileLangOp {
    /// The name that TileLang prints behind `T.`.
    pub fn printed(&self) -> &str {
        self.name.strip_prefix(PREFIX).unwrap_or(&self.name)
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(rename = "version")]
    _version: u32,
    tir: Vec<EffectRow>,
    results: BTreeMap<String, Vec<String>>,
    regions: BTreeMap<String, Vec<String>>,
}

struct Registry {
    ops: FxHashMap<Box<str>, TileLangOp>,
}

/// The operator of a name, with `tl.` or without: `copy`, `tl.copy`. O(1).
pub fn tilelang_op(name: &str) -> Option<&'static TileLangOp> {
    registry().ops.get(name.strip_prefix(PREFIX).unwrap_or(name))
}

/// All operators, sorted by name.
pub fn tilelang_ops() -> Vec<&'static TileLangOp> {
    let mut all: Vec<&TileLangOp> = registry().ops.values().collect();
    all.sort_unstable_by_key(|it| &it.name);
    all
}

fn registry() -> &'static Registry {
    static REGISTRY: OnceLock<Registry> = OnceLock::new();
    REGISTRY.get_or_init(|| {
        let file = toml::from_str(include_str!("../../tilelang_ops.toml"))
            .expect("tilelang_ops.toml is tested to be valid");
        Registry::new(file)
    })
}

impl Registry {
    fn new(file: File) -> Registry {
        let mut ops = FxHashMap::default();
        let names = file.tir.iter().flat_map(|row| &row.ops).filter(|it| !it.contains('*'));
        for name in names {
            let printed = name.strip_prefix(PREFIX).unwrap_or(name);
            let result = TileLangResult::Unknown;
            let op = TileLangOp { name: name.as_str().into(), result, regions: Vec::new() };
            ops.insert(printed.into(), op);
        }
        for (text, names) in &file.results {
            for name in names {
                let op = ops.get_mut(name.as_str());
                debug_assert!(op.is_some(), "{name} is no operator");
                op.into_iter().for_each(|it| it.result = result(text));
            }
        }
        for (digits, names) in &file.regions {
            for name in names {
                let op = ops.get_mut(name.as_str());
                debug_assert!(op.is_some(), "{name} is no operator");
                let digits = digits.bytes().map(|it| it.saturating_sub(b'0')).collect();
                op.into_iter().for_each(|it| it.regions = Vec::clone(&digits));
            }
        }
        Registry { ops }
    }
}

fn result(text: &str) -> TileLangResult {
    match text {
        "arg0" => TileLangResult::Operand(0),
        "arg1" => TileLangResult::Operand(1),
        "first" => TileLangResult::Named,
        "handle" => TileLangResult::Fixed(DataType::VOID),
        dtype => DataType::parse(dtype).map_or(TileLangResult::Unknown, TileLangResult::Fixed),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::effects::{self, EffectTable, MatchKind, Namespace};

    #[test]
    fn every_operator_has_its_row_and_type() {
        registry().ops.iter().for_each(|(printed, op)| {
            assert_eq!(op.printed(), &**printed);
            assert_eq!(tilelang_op(&op.name), Some(op));
            let found = EffectTable::builtin().explain(Namespace::Tir, &op.name);
            assert_eq!(found.kind, MatchKind::Exact, "{printed}");
        });
        assert_eq!(tilelang_op("copy").map(|it| &*it.regions), Some(&[1, 2][..]));
        assert_eq!(tilelang_op("tl_shuffle_elect").unwrap().result, result("bool"));
        assert_eq!(tilelang_op("exp"), None);
    }

    #[test]
    fn tile_operations_write_what_their_builders_say() {
        let row = effects::tir("tl.copy");
        assert!(row.operands.of(effects::Operand::At(1)).unwrap().may_write());
        assert!(!row.operands.of(effects::Operand::At(0)).unwrap().may_write());
        let gemm = effects::tir("tl.gemm");
        let accumulator = gemm.operands.of(effects::Operand::At(2)).unwrap();
        assert!(accumulator.may_write() && accumulator.may_read());
    }
}
