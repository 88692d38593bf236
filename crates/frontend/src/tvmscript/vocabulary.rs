//! The languages of kernels in Python, a row each: the modules that offer their names, the decorators that make
//! kernels,
//! and the form that a name of `T` stands for.
//!
//! All else asks here. Names that TileLang shares with TVM (`T.exp2`, `T.if_then_else`, `T.serial`) are TVM's forms;
//! its
//! own are called `tl.NAME`, as the operators that TileLang registers.

use std::borrow::Cow;

use ir::{DataType, Dialect};

use super::{
    discover::FunctionKind,
    environment::{Namespace, namespace},
    lower::{is_tile_form, is_tvm_form},
};

/// How a decorated function is to be read.
pub(super) struct Decorated {
    pub(super) kind: FunctionKind,
    pub(super) namespace: Option<Namespace>,
}

/// Returns true for the module of TileLang's language, and those of its targets (`tilelang.cuda.language`).
pub(super) fn is_tilelang(module: &str) -> bool {
    let rest = module.strip_prefix("tilelang.").and_then(|it| it.strip_suffix("language"));
    rest.is_some_and(|it| it.is_empty() || it.ends_with('.') && it.matches('.').count() == 1)
}

/// Returns true if a decorator is TileLang's compiler: over a function that returns a kernel, or that is one.
pub(super) fn is_jit(path: &str) -> bool {
    let Some((module, name)) = path.rsplit_once('.') else { return false };
    matches!(name, "jit" | "lazy_jit") && matches!(module, "tilelang" | "tilelang.jit" | "tl")
}

/// Returns true if a name of a module makes kernels: the module decides the language of a file.
pub(super) fn is_kernels(space: Namespace) -> bool {
    matches!(space, Namespace::Tir | Namespace::Tirx | Namespace::TileLang)
}

/// The language of a function by the module that its decorator comes from.
pub(super) fn dialect(space: Option<Namespace>) -> Dialect {
    match space {
        Some(Namespace::Tir) => Dialect::Tir,
        Some(Namespace::TileLang) => Dialect::TileLang,
        _ => Dialect::Tirx,
    }
}

/// `tvm.script.tirx.prim_func` and its relatives.
pub(super) fn decorated(path: &str) -> Option<Decorated> {
    let (module, name) = path.rsplit_once('.')?;
    let namespace = namespace(module);
    let kind = match (name, namespace?) {
        ("prim_func", space) if is_kernels(space) => FunctionKind::PrimFunc,
        ("jit", Namespace::Tir | Namespace::Tirx) => FunctionKind::PrimFunc,
        ("macro" | "inline", space) if is_kernels(space) => FunctionKind::Macro,
        ("function" | "macro", Namespace::Relax) => FunctionKind::Relax,
        ("pyfunc", Namespace::Ir) => FunctionKind::Python,
        _ => return None,
    };
    Some(Decorated { kind, namespace })
}

/// The form of `T.NAME`, where `T` stands for `space`; none if such names are no forms of kernels.
pub(super) fn form(space: Namespace, name: &str) -> Option<Cow<'_, str>> {
    Some(match space {
        Namespace::Tir | Namespace::Tirx => Cow::Borrowed(name),
        Namespace::Tile => format!("tile.{name}").into(),
        Namespace::TileLang => tilelang_form(name),
        Namespace::Ir if name == "meta_var" => Cow::Borrowed(name),
        Namespace::Ir | Namespace::Relax => return None,
    })
}

/// The type of elements that `T.NAME` is.
pub(super) fn data_type(space: Namespace, name: &str) -> Option<DataType> {
    /// Types that TVM's `T` has no member for.
    const SHORT: [&str; 4] = ["void", "int", "uint", "float"];
    match space {
        Namespace::Tir | Namespace::Tirx => {
            DataType::parse(name).filter(|_| !SHORT.contains(&name))
        }
        // TileLang has also the names of C and PyTorch.
        Namespace::TileLang => DataType::parse(match name {
            "half" => "float16",
            "double" => "float64",
            "float" => "float32",
            "char" => "int8",
            "short" => "int16",
            "int" => "int32",
            "long" => "int64",
            "uchar" => "uint8",
            "ushort" => "uint16",
            "uint" => "uint32",
            "ulong" => "uint64",
            "void" => return None,
            "ptr" => "handle",
            other => other,
        }),
        _ => None,
    }
}

/// TileLang's name for a form.
fn tilelang_form(name: &str) -> Cow<'_, str> {
    let name = match name {
        "Serial" => "serial",
        "Unroll" => "unroll",
        "Vectorized" => "vectorized",
        "WarpSpecialize" => "ws",
        "symbolic" => "dynamic",
        "sync_threads" | "sync_global" => "sync_threads",
        other => other,
    };
    let head = name.split('.').next().unwrap_or(name);
    let own = format!("tl.{name}");
    // Some names have another meaning in TVM, or other arguments.
    match head != "print" && !is_tile_form(&own) && is_tvm_form(name) {
        true => Cow::Borrowed(name),
        false => own.into(),
    }
}
