//! The names that a namespace of the script offers behind its dot (`T.…`), and the parameters of those that are
//! called: for completion and signatures.
//!
//! They come from the tables that lowering reads forms by, and from the registries of operators. O(names).

use std::collections::BTreeMap;

use ir::{
    DataType,
    effects::{tilelang_ops, tvm_op, tvm_ops},
};

use super::{
    arguments, form_names, forms,
    parameters::{NAMED, REST},
    tile_parameters,
};
use crate::tvmscript::{environment::Namespace, vocabulary};

/// The kind of thing that a name of the script is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum ScriptNameKind {
    /// A construct that the script gives a meaning of its own: `T.grid`, `T.alloc_buffer`, `T.copy`.
    Form,
    /// A type of elements: `T.float16`.
    Type,
    /// An operator of a registry: `T.exp`, `T.ptx.mma`.
    Operator,
}

/// Types of elements that people write.
const TYPES: &[&str] = &[
    "bool",
    "int8",
    "int16",
    "int32",
    "int64",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
    "float16",
    "float32",
    "float64",
    "bfloat16",
    "float8_e4m3fn",
    "float8_e5m2",
    "float4_e2m1fn",
    "handle",
];

/// Constructs of TVM's script that TileLang's has too.
const SHARED: &[&str] = &[
    "cast",
    "Select",
    "if_then_else",
    "bitwise_not",
    "bitwise_and",
    "bitwise_or",
    "bitwise_xor",
    "shift_left",
    "shift_right",
    "abs",
    "isinf",
    "isfinite",
    "isnan",
    "max",
    "min",
    "floordiv",
    "floormod",
    "truncdiv",
    "truncmod",
    "pow",
    "ceildiv",
    "infinity",
    "min_value",
    "max_value",
    "grid",
    "parallel",
    "vectorized",
    "func_attr",
    "evaluate",
    "call_extern",
    "Serial",
    "Unroll",
    "Vectorized",
];

/// Names of TileLang's script that are read by hand, or kept by their text, with their parameters.
const OF_TILELANG_BY_HAND: &[(&str, &[&str])] = &[
    ("alloc_barrier", &["arrive_count"]),
    ("alloc_cluster_barrier", &["arrive_count"]),
    ("alloc_var", &["dtype", "*args", "scope='local.var'", "init=None"]),
    ("annotate_l2_hit_ratio", &["l2_hit_ratio_map"]),
    ("annotate_layout", &["layout_map"]),
    ("annotate_restrict_buffers", &["*buffers"]),
    ("annotate_safe_value", &["safe_value_map"]),
    ("empty", &["*shape", "dtype='float32'"]),
    (
        "Fragment",
        &["shape", "forward_fn", "forward_thread_fn", "replicate=1", "forward_index_fn=None"],
    ),
    ("import_source", &["source"]),
    ("Layout", &["shape", "forward_fn"]),
    ("print", &["obj", "msg=''"]),
    ("ws", &["*warp_group_idx"]),
];

/// Functions of one number that are no operators of a registry of their own.
const MATH: &[&str] = &["ceil", "clz", "likely", "log2"];

/// Decorators of kernels, and forms of their sizes.
const OF_KERNELS: &[&str] = &["prim_func", "macro"];
const OF_TVM: &[&str] = &["inline", "jit"];
const OF_TILELANG: &[&str] = &["dynamic", "symbolic", "const", "sync_threads", "use_swizzle"];

/// The names of a namespace, sorted; names with dots belong to a part of it (`ptx.mma`).
pub fn names(space: Namespace) -> BTreeMap<Box<str>, ScriptNameKind> {
    use ScriptNameKind::{Form, Operator, Type};
    let mut found: BTreeMap<Box<str>, ScriptNameKind> = BTreeMap::new();
    // The first kind of a name stays.
    let mut add = |names: &mut dyn Iterator<Item = &str>, kind: ScriptNameKind| {
        for name in names {
            found.entry(name.into()).or_insert(kind);
        }
    };
    let of = |names: &'static [&'static str]| names.iter().copied();
    let is_script = matches!(space, Namespace::Tir | Namespace::Tirx | Namespace::TileLang);
    add(&mut of(MATH).filter(|_| is_script), Operator);
    let printed = |is_tile: bool| {
        let ops = tvm_ops().iter().filter(move |it| it.is_tile() == is_tile);
        ops.filter_map(|it| it.printed.as_deref())
    };
    match space {
        Namespace::Tir | Namespace::Tirx => {
            add(&mut of(OF_KERNELS).chain(of(OF_TVM)), Form);
            add(&mut of(arguments::STATEMENTS).chain(of(arguments::BUFFERS)), Form);
            add(&mut of(forms::OPERATORS), Form);
            add(&mut of(TYPES), Type);
            add(&mut printed(false), Operator);
        }
        Namespace::Tile => {
            add(&mut printed(true).map(|it| it.strip_prefix("tile.").unwrap_or(it)), Operator);
        }
        Namespace::TileLang => {
            add(&mut of(OF_KERNELS).chain(of(OF_TILELANG)), Form);
            add(&mut of(tile_parameters::TILES).chain(of(tile_parameters::REDUCTIONS)), Form);
            add(&mut of(SHARED), Form);
            add(&mut OF_TILELANG_BY_HAND.iter().map(|it| it.0), Form);
            add(&mut of(TYPES), Type);
            add(&mut tilelang_ops().iter().map(|it| it.printed()), Operator);
            let is_plain =
                |it: &&str| it.bytes().all(|it| it.is_ascii_lowercase() || it.is_ascii_digit());
            add(&mut printed(false).filter(is_plain), Operator);
        }
        Namespace::Ir | Namespace::Relax => {}
    }
    found
}

/// The form that `T.NAME` stands for, as the table of effects names it; none if such names are no forms of kernels.
pub fn form(space: Namespace, name: &str) -> Option<String> {
    form_names::form(space, name).map(Into::into)
}

/// The parameters of `T.NAME`, as they are written in a `def`: `start`, `dtype='int32'`, `*` before those that are
/// given by name only, `*args` for any number. None for what is no form and no operator.
pub fn parameters(space: Namespace, name: &str) -> Option<Vec<String>> {
    if let Some(dtype) = vocabulary::data_type(space, name) {
        let all: &[&str] = match dtype == DataType::HANDLE {
            true => &["dtype=None", "storage_scope='global'"],
            false => &["expr"],
        };
        return Some(all.iter().copied().map(str::to_owned).collect());
    }
    if space == Namespace::TileLang
        && let Some((_, all)) = OF_TILELANG_BY_HAND.iter().find(|it| it.0 == name)
    {
        return Some(all.iter().copied().map(str::to_owned).collect());
    }
    let form = form_names::form(space, name)?;
    let written = |it: &&str| match *it {
        REST => "*args".to_owned(),
        it => it.to_owned(),
    };
    match arguments::parameters(&form, space == Namespace::Tir) {
        Some(parameters) => {
            let mut all: Vec<String> = parameters.iter().map(written).collect();
            // Behind `*args`, all are given by name.
            if let Some(rest) = all.iter().position(|it| it == "*args") {
                let is_mark = |(at, it): (usize, &String)| at < rest || it != NAMED;
                let keep: Vec<bool> = all.iter().enumerate().map(is_mark).collect();
                let mut keep = keep.into_iter();
                all.retain(|_| keep.next().unwrap_or(true));
            }
            Some(all)
        }
        None => operands(&form),
    }
}

/// The operands of an operator, by their number where the registry states it.
fn operands(form: &str) -> Option<Vec<String>> {
    use ir::effects::DtypePosition;
    if form.starts_with("tl.") {
        return ir::effects::tilelang_op(form).map(|_| vec!["*args".to_owned()]);
    }
    if MATH.contains(&form) {
        return Some(vec!["x".to_owned()]);
    }
    let op = tvm_op(form)?;
    // Several operators of one printed name differ by their operands.
    let is_one = ir::effects::tvm_ops_printed_as(form).count() <= 1;
    // TVM registers one operand of `fmod`, and gives it two.
    let arity = if form == "fmod" { Some(2) } else { op.arity.filter(|_| is_one) };
    let mut all: Vec<String> = match arity {
        Some(1) => vec!["x".to_owned()],
        Some(n) => (1..=n).map(|it| format!("x{it}")).collect(),
        None => vec!["*args".to_owned()],
    };
    match op.dtype {
        DtypePosition::First => all.insert(0, "dtype".to_owned()),
        DtypePosition::Last => all.push("dtype".to_owned()),
        DtypePosition::None => {}
    }
    Some(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(space: Namespace, name: &str) -> String {
        parameters(space, name).map_or("none".to_owned(), |it| it.join(", "))
    }

    #[test]
    fn names_are_those_that_lowering_reads() {
        for name in arguments::BUFFERS {
            assert!(arguments::buffer_parameters(name, false).is_some(), "{name}");
        }
        for name in tile_parameters::REDUCTIONS {
            assert!(tile_parameters::reduction(name).is_some(), "{name}");
        }
        let effects = ir::effects::EffectTable::builtin();
        assert!(MATH.iter().all(|it| super::super::intrinsics::is_known(it, effects)));
        for name in SHARED {
            assert!(parameters(Namespace::TileLang, name).is_some(), "{name}");
        }
        let tirx = names(Namespace::Tirx);
        assert_eq!(tirx.get("grid"), Some(&ScriptNameKind::Form));
        assert_eq!(tirx.get("float16"), Some(&ScriptNameKind::Type));
        assert_eq!(tirx.get("exp"), Some(&ScriptNameKind::Operator));
        assert!(tirx.keys().any(|it| it.starts_with("ptx.")) && !tirx.contains_key("copy"));
        let tile = names(Namespace::Tile);
        assert!(tile.contains_key("copy") && !tile.contains_key("grid"));
        let tilelang = names(Namespace::TileLang);
        assert!(tilelang.contains_key("reduce_max") && tilelang.contains_key("exp2"));
        assert!(!tilelang.contains_key("match_buffer"));
    }

    #[test]
    fn parameters_are_shown_as_a_def_has_them() {
        assert_eq!(shown(Namespace::Tirx, "if_then_else"), "cond, t, f");
        assert_eq!(
            shown(Namespace::Tirx, "serial"),
            "start, stop, *, annotations, step, unroll, dtype"
        );
        assert_eq!(shown(Namespace::Tirx, "exp"), "x");
        assert_eq!(shown(Namespace::Tirx, "fma"), "x1, x2, x3");
        assert_eq!(shown(Namespace::Tirx, "float32"), "expr");
        assert_eq!(shown(Namespace::Tirx, "handle"), "dtype=None, storage_scope='global'");
        assert_eq!(shown(Namespace::TileLang, "Kernel"), "*args, threads, prelude, cluster_dims");
        assert_eq!(shown(Namespace::TileLang, "reduce_max"), "buffer, out, dim, clear");
        assert_eq!(shown(Namespace::TileLang, "no_such_name"), "none");
    }
}
