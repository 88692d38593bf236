//! The names that a function captures from the Python around it, one at a time.
//!
//! Lowering asks an [`Environment`] for each name that the function itself does not bind. So a database can make one
//! query a name, and an edit of one constant invalidates its users only. Nothing is executed: a name whose value cannot
//! be read from the text is [`Capture::Unknown`].

use ir::{DataType, effects::EffectTable};
use syntax::Green;

use super::staging::{Home, Unknown};
pub use super::vocabulary::Namespace;

/// A compile-time value of Python.
pub use super::staging::Value as Constant;

/// The meaning of a captured name.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Capture {
    /// `n = TypeVar("n")`, a symbolic `int64`; `n = T.dynamic("n")` of TileLang, a symbol of its type.
    TypeVar(DataType),
    /// A value of Python, known at least in part.
    Constant(Constant),
    /// An alias of `T`, `I`, `R`.
    Namespace(Namespace),
    /// Another module, class or function of Python, by its dotted path (`tvm.tir`, `math.ceil`).
    Path(Box<str>),
    /// A macro or inline function of this file.
    Macro {
        /// Its definition.
        green: Green,
        /// The scope that it stands in, where its own free names are looked up.
        home: Home,
    },
    /// Another function of the module.
    Function(Signature),
    /// The module class itself, or `cls`.
    Module,
    /// Nothing that can be known from the text.
    Unknown(Unknown),
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
    /// The scope; `None` if no scope of the file binds it.
    pub home: Option<Home>,
}

/// A condition that Python has checked before it makes a function.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Assertion {
    /// The expression.
    pub condition: Green,
    /// False if it has been found not to hold.
    pub holds: bool,
}

/// Gives captured names their meaning.
pub trait Environment {
    /// Returns the meaning of a name in a scope, or in that of the function: the text of a macro or helper has the
    /// meaning of its place of definition.
    fn resolve_at(&self, home: Option<&Home>, name: &str) -> Found;

    /// Returns the meaning of a name that the function does not bind.
    fn resolve(&self, name: &str) -> Capture {
        self.resolve_at(None, name).capture
    }

    /// Returns the conditions that Python has checked before it makes the function.
    fn assertions(&self) -> Vec<Assertion> {
        Vec::new()
    }

    /// Returns the value of an attribute of a captured object.
    fn member(&self, object: &Constant, name: &str) -> Constant {
        let _ = name;
        Constant::Unknown(unanswered(object))
    }

    /// Returns the result of a call of a captured function with known arguments.
    fn apply(
        &self,
        function: &Constant,
        positional: Vec<Constant>,
        keywords: Vec<(Box<str>, Constant)>,
    ) -> Constant {
        let _ = (positional, keywords);
        Constant::Unknown(unanswered(function))
    }

    /// The effects of calls: they decide which calls are values, and which names are known.
    fn effects(&self) -> &EffectTable {
        EffectTable::builtin()
    }
}

/// An unknown value: an environment without an evaluator knows no more of an object.
fn unanswered(object: &Constant) -> Unknown {
    match object.first_unknown() {
        Some(it) => it.clone(),
        None => Unknown::new("nothing evaluates it here"),
    }
}

/// An environment without anything but `T`, `I` and `R`.
#[derive(Clone, Copy, Default, Debug)]
pub struct EmptyEnvironment;

impl Environment for EmptyEnvironment {
    fn resolve_at(&self, _: Option<&Home>, name: &str) -> Found {
        Found { capture: predefined(name).unwrap_or(Capture::Undefined), home: None }
    }
}

/// Functions, types and errors of Python that need no import.
const BUILTINS: [&str; 104] = [
    "range",
    "int",
    "float",
    "bool",
    "str",
    "len",
    "min",
    "max",
    "abs",
    "tuple",
    "list",
    "print",
    "sum",
    "zip",
    "enumerate",
    "isinstance",
    "any",
    "all",
    "sorted",
    "reversed",
    "slice",
    "getattr",
    "dict",
    "set",
    "frozenset",
    "map",
    "filter",
    "divmod",
    "round",
    "pow",
    "hasattr",
    "callable",
    "type",
    "repr",
    "object",
    "property",
    "staticmethod",
    "classmethod",
    "super",
    "iter",
    "next",
    "id",
    "hash",
    "hex",
    "bin",
    "oct",
    "ord",
    "chr",
    "bytes",
    "bytearray",
    "complex",
    "format",
    "issubclass",
    "setattr",
    "delattr",
    "vars",
    "dir",
    "open",
    "Exception",
    "ValueError",
    "TypeError",
    "KeyError",
    "RuntimeError",
    "NotImplementedError",
    "AssertionError",
    "AttributeError",
    "ascii",
    "compile",
    "eval",
    "exec",
    "globals",
    "input",
    "locals",
    "memoryview",
    "BaseException",
    "ArithmeticError",
    "DeprecationWarning",
    "EOFError",
    "FileNotFoundError",
    "ImportError",
    "IndexError",
    "KeyboardInterrupt",
    "LookupError",
    "MemoryError",
    "ModuleNotFoundError",
    "NameError",
    "OSError",
    "OverflowError",
    "PermissionError",
    "RecursionError",
    "StopIteration",
    "SystemExit",
    "TimeoutError",
    "UnicodeError",
    "UserWarning",
    "Warning",
    "ZeroDivisionError",
    "Ellipsis",
    "NotImplemented",
    "__import__",
    "__name__",
    "__file__",
    "__doc__",
    "__debug__",
];

/// The names that printed dumps use without an import.
pub(crate) fn predefined(name: &str) -> Option<Capture> {
    Some(match name {
        "T" => Capture::Namespace(Namespace::Tirx),
        "I" => Capture::Namespace(Namespace::Ir),
        "R" => Capture::Namespace(Namespace::Relax),
        "cls" => Capture::Module,
        "tvm" | "typing" | "math" => Capture::Path(name.into()),
        "TypeVar" => Capture::Path("typing.TypeVar".into()),
        _ if BUILTINS.contains(&name) => Capture::Path(format!("builtins.{name}").into()),
        _ => return None,
    })
}
