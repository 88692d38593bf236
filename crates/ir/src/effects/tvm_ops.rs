//! TVM's operator registry: printed names, labels, arity, dtype position.
//!
//! In: a name in any spelling. Out: the [`TvmOp`] that TVM 0.27 registers. The data is `tvm_ops.toml`, parsed on first
//! use; a lookup is one hash. These labels are TVM's own and wrong in places: passes use the effects table, the `tvm`
//! presets and the printer use these.

use std::{collections::BTreeMap, sync::OnceLock};

use rustc_hash::FxHashMap;
use serde::Deserialize;

use super::model::named;
use super::names::{NameBuffer, normal_tir};
use crate::DataType;

named! {
    /// TVM's label of a call (its `CallEffectKind`). An operator without one counts as opaque in TVM.
    enum CallEffectKind {
        /// A value of its operands.
        Pure = "pure",
        /// Reads state.
        ReadState = "read_state",
        /// Updates state; TVM has one kind for this and for opaque.
        Opaque = "opaque",
        /// Only an argument of another call.
        SpecialCallArg = "special_call_arg",
        /// Carries information, computes nothing.
        EmbedInfo = "embed_info",
        /// Transfers control.
        ControlJump = "control_jump",
    }
}

named! {
    /// The place where the TVMScript printer writes a call's result type among its arguments.
    enum DtypePosition {
        /// Nowhere.
        None = "none",
        /// Before the arguments: `T.reinterpret("float32", x)`.
        First = "first",
        /// After them: `T.tvm_struct_get(p, 0, 1, "int32")`.
        Last = "last",
    }
}

/// An operator as TVM registers it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TvmOp {
    /// The registered name without its `tirx.`: `exp`, `ptx.cp_async_ca`, `tile.copy`.
    pub name: Box<str>,
    /// The name that the printer writes after `T.` (`Tx.` for `tile.*`); `None` if the operator has no printed form.
    pub printed: Option<Box<str>>,
    /// TVM's label.
    pub effect: Option<CallEffectKind>,
    /// The place where the result type is printed.
    pub dtype: DtypePosition,
    /// The type of the result, where it is always the same and known.
    pub result: Option<DataType>,
    /// The number of arguments, where fixed.
    pub arity: Option<u8>,
    /// The vectoriser may widen it in place.
    pub vectorizable: bool,
}

impl TvmOp {
    /// Returns true if TVM treats a call as a value of its operands.
    pub fn is_pure_by_label(&self) -> bool {
        self.effect == Some(CallEffectKind::Pure)
    }

    /// Returns true if the call belongs to the tile namespace.
    pub fn is_tile(&self) -> bool {
        self.name.starts_with("tile.")
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(rename = "version")]
    _version: u32,
    unprinted: Vec<String>,
    op: Vec<Group>,
    results: BTreeMap<String, Vec<String>>,
    printed: toml::Table,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Group {
    names: Vec<String>,
    effect: Option<String>,
    arity: Option<u8>,
    dtype: Option<String>,
    #[serde(default)]
    vectorizable: bool,
}

pub(super) struct Registry {
    pub(super) ops: Vec<TvmOp>,
    /// Normal names to operators.
    by_name: FxHashMap<Box<str>, u32>,
    /// Normal printed names to operators, in the order of the file.
    by_printed: FxHashMap<Box<str>, Vec<u32>>,
}

/// The operator of a name: by its registered name, else the first that prints so.
///
/// `T.exp`, `tirx.exp`, `exp`, `tir.tvm_call_packed` and `T.call_packed` are all found; `Tx.exp` is `tile.exp`.
pub fn tvm_op(name: &str) -> Option<&'static TvmOp> {
    let registry = registry();
    let mut buffer = NameBuffer::new();
    let name = normal_tir(name, &mut buffer);
    let index = registry.by_name.get(name).or_else(|| registry.by_printed.get(name)?.first())?;
    Some(&registry.ops[*index as usize])
}

/// All operators, in the order of the file.
pub fn tvm_ops() -> &'static [TvmOp] {
    &registry().ops
}

/// All operators that TVM prints as `name`, in the order of the file: `T.ptx.cp` stands for many, which differ by their
/// arguments.
pub fn tvm_ops_printed_as(name: &str) -> impl Iterator<Item = &'static TvmOp> {
    let registry = registry();
    let mut buffer = NameBuffer::new();
    let found = registry.by_printed.get(normal_tir(name, &mut buffer));
    found.into_iter().flatten().map(|&it| &registry.ops[it as usize])
}

pub(super) fn registry() -> &'static Registry {
    static REGISTRY: OnceLock<Registry> = OnceLock::new();
    REGISTRY.get_or_init(|| {
        let file = toml::from_str(include_str!("../../tvm_ops.toml"))
            .expect("tvm_ops.toml is tested to be valid");
        Registry::new(file)
    })
}

impl Registry {
    fn new(file: File) -> Registry {
        let mut printed_as: FxHashMap<&str, &str> = FxHashMap::default();
        for (printed, names) in &file.printed {
            let names = names.as_array().into_iter().flatten().filter_map(|it| it.as_str());
            printed_as.extend(names.map(|name| (name, printed.as_str())));
        }
        let mut res = Registry {
            ops: Vec::new(),
            by_name: FxHashMap::default(),
            by_printed: FxHashMap::default(),
        };
        for group in &file.op {
            for name in &group.names {
                let tile = name.strip_prefix("tile.");
                let default = tile.unwrap_or(name);
                let printed = (!file.unprinted.contains(name))
                    .then(|| printed_as.get(name.as_str()).copied().unwrap_or(default));
                res.push(group.op(name, printed));
            }
        }
        for (dtype, names) in &file.results {
            let mut buffer = NameBuffer::new();
            for name in names {
                let place = res.by_name.get(normal_tir(name, &mut buffer)).copied();
                let op = place.and_then(|it| res.ops.get_mut(it as usize));
                debug_assert!(op.is_some(), "{name} is no operator");
                op.into_iter().for_each(|it| it.result = DataType::parse(dtype));
            }
        }
        res
    }

    fn push(&mut self, op: TvmOp) {
        let index = self.ops.len() as u32;
        let mut buffer = NameBuffer::new();
        self.by_name.insert(normal_tir(&op.name, &mut buffer).into(), index);
        // A tile operator prints under `Tx`, where it is found by its own name.
        if let Some(printed) = op.printed.as_deref().filter(|_| !op.is_tile()) {
            self.by_printed.entry(normal_tir(printed, &mut buffer).into()).or_default().push(index);
        }
        self.ops.push(op);
    }
}

impl Group {
    fn op(&self, name: &str, printed: Option<&str>) -> TvmOp {
        TvmOp {
            name: name.into(),
            printed: printed.map(Into::into),
            effect: self.effect.as_deref().and_then(CallEffectKind::from_name),
            dtype: self
                .dtype
                .as_deref()
                .and_then(DtypePosition::from_name)
                .unwrap_or(DtypePosition::None),
            result: None,
            arity: self.arity,
            vectorizable: self.vectorizable,
        }
    }
}
