//! The languages of kernels in Python, a row each: the modules that offer their names, the decorators that make
//! kernels, and the types that names of `T` are. All else asks here; `lower::form_names` says what a name of `T` stands
//! for in a kernel.

use ir::{DataType, Dialect};

/// A family of names that `T.`, `I.`, `R.` … stand for.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Namespace {
    /// `tvm.script.tirx`
    Tirx,
    /// `tvm.script.tir`
    Tir,
    /// `tvm.script.ir`
    Ir,
    /// `tvm.script.relax`
    Relax,
    /// `tvm.script.tirx.tile`
    Tile,
    /// `tilelang.language`
    TileLang,
}

/// The kind of a function.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum FunctionKind {
    /// `@T.prim_func`
    PrimFunc,
    /// `@T.macro`, `@T.inline`
    Macro,
    /// `@R.function`, opaque.
    Relax,
    /// `@I.pyfunc`, opaque.
    Python,
}

/// The namespace of an imported module, by its dotted path.
pub(crate) fn namespace(path: &str) -> Option<Namespace> {
    if is_tilelang(path) {
        return Some(Namespace::TileLang);
    }
    let rest = path.strip_prefix("tvm.script.")?;
    let rest = rest.strip_prefix("parser.").or(rest.strip_prefix("ir_builder.")).unwrap_or(rest);
    Some(match rest {
        "tirx" => Namespace::Tirx,
        "tir" => Namespace::Tir,
        "ir" => Namespace::Ir,
        "relax" => Namespace::Relax,
        "tirx.tile" => Namespace::Tile,
        _ => return None,
    })
}

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
