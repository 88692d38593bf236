//! The names that a function captures from the Python around it, one at a time.
//!
//! Lowering asks an [`Environment`] for each name that the function itself does not bind. So a database can make one
//! query a name, and an edit of one constant invalidates its users only. Nothing is executed: a name whose value cannot
//! be read from the text is [`Capture::Unknown`].

use std::sync::Arc;

use ir::effects::EffectTable;
use syntax::Green;

/// A compile-time value of Python.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Constant {
    /// `None`
    None,
    /// `True`
    Bool(bool),
    /// `16`
    Int(i128),
    /// `1.5`, by its bits.
    Float(u64),
    /// `"float16"`
    Str(Box<str>),
    /// `(1, 2)`; shared, because each mention of the name has it.
    Tuple(Arc<[Constant]>),
    /// `[1, 2]`
    List(Arc<[Constant]>),
}

impl Constant {
    /// Its items, all levels of them, and the characters of its strings. Counting ends above `limit`, so that it takes
    /// no longer than that: tuples share their items.
    pub(crate) fn size(&self, limit: usize) -> usize {
        let mut size = 0;
        let mut stack = vec![std::slice::from_ref(self)];
        while let Some(items) = stack.pop() {
            for item in items {
                size += match item {
                    Constant::Str(it) => it.len().max(1),
                    _ => 1,
                };
                if let Constant::Tuple(items) | Constant::List(items) = item {
                    stack.push(items);
                }
                if size > limit {
                    return size;
                }
            }
        }
        size
    }
}

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
}

/// The meaning of a captured name.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Capture {
    /// `n = TypeVar("n")`: a symbolic `int64`.
    TypeVar,
    /// A Python constant.
    Constant(Constant),
    /// An alias of `T`, `I`, `R`.
    Namespace(Namespace),
    /// Another module, class or function of Python, by its dotted path (`tvm.tir`, `math.ceil`).
    Path(Box<str>),
    /// A macro or inline function of this file.
    Macro {
        /// Its definition.
        green: Green,
        /// The place where its own free names are looked up: so many scopes around the one that was asked.
        up: u32,
    },
    /// Another function of the module.
    Function(Signature),
    /// The module class itself, or `cls`.
    Module,
    /// Nothing that can be known from the text.
    Unknown,
    /// Nothing in the file has the name.
    Undefined,
}

/// The signature of another function, as its callers need it.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Signature {
    /// Name.
    pub name: Box<str>,
    /// Data type after `->`, if it is one (`int32`).
    pub returns: Option<Box<str>>,
}

/// The meaning of a name, and the scope that binds it.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Found {
    /// The kind.
    pub capture: Capture,
    /// The scope, by the number of scopes between it and the function; `None` if no scope of the file binds it.
    pub home: Option<u32>,
}

/// Gives captured names their meaning.
pub trait Environment {
    /// Returns the meaning of a name in the scope `up` scopes around that of the function: the text of a macro has the
    /// meaning of its place of definition.
    fn resolve_above(&self, up: u32, name: &str) -> Found;

    /// Returns the meaning of a name that the function does not bind.
    fn resolve(&self, name: &str) -> Capture {
        self.resolve_above(0, name).capture
    }

    /// The effects of calls: they decide which calls are values, and which names are known.
    fn effects(&self) -> &EffectTable {
        EffectTable::builtin()
    }
}

/// An environment without anything but `T`, `I` and `R`.
#[derive(Clone, Copy, Default, Debug)]
pub struct EmptyEnvironment;

impl Environment for EmptyEnvironment {
    fn resolve_above(&self, _: u32, name: &str) -> Found {
        Found { capture: predefined(name).unwrap_or(Capture::Undefined), home: None }
    }
}

/// The names that printed dumps use without an import.
pub(crate) fn predefined(name: &str) -> Option<Capture> {
    Some(match name {
        "T" => Capture::Namespace(Namespace::Tirx),
        "I" => Capture::Namespace(Namespace::Ir),
        "R" => Capture::Namespace(Namespace::Relax),
        "cls" => Capture::Module,
        "tvm" | "typing" | "math" => Capture::Path(name.into()),
        "TypeVar" => Capture::Path("typing.TypeVar".into()),
        "range" | "int" | "float" | "bool" | "str" | "len" | "min" | "max" | "abs" | "tuple"
        | "list" | "print" | "sum" | "zip" | "enumerate" | "isinstance" | "any" | "all"
        | "sorted" | "reversed" | "slice" | "getattr" => {
            Capture::Path(format!("builtins.{name}").into())
        }
        _ => return None,
    })
}

/// The namespace of an imported module, by its dotted path.
pub(crate) fn namespace(path: &str) -> Option<Namespace> {
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
