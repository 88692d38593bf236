//! Functions and classes as values: their text, and what of the place of their definition they hold.

use std::sync::Arc;

use syntax::Green;

use super::value::Value;

/// A scope of a file, over edits of what is in it.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Home {
    /// The file: its number by the provider of modules, or empty for the file itself.
    pub file: Arc<str>,
    /// Names of the classes and functions that the scope is in, and its own, joined by `.`.
    pub path: Arc<str>,
    /// Its number among the scopes of that path.
    pub ordinal: u32,
}

/// The part of a tree that a function is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Code {
    /// A `def`, by its number in the tree.
    Def(u32),
    /// A `lambda`, by its number in the tree.
    Lambda(u32),
}

/// A function of Python.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Function {
    /// Its name; `<lambda>`.
    pub name: Box<str>,
    /// The tree that it is in.
    pub tree: Green,
    /// Its place in the tree.
    pub code: Code,
    /// The scope that its text makes: of a `lambda` that around it.
    pub home: Home,
    /// The values of the parameters that have a default.
    pub defaults: Arc<[(Box<str>, Value)]>,
    /// The names of the functions around it that cannot change any more.
    pub closure: Arc<[(Box<str>, Value)]>,
    /// True if it is in the frame of a function that is being evaluated, whose names it sees.
    pub is_nested: bool,
}

impl Function {
    pub(super) fn size(&self) -> usize {
        let all = self.defaults.iter().chain(self.closure.iter());
        all.map(|it| it.1.size()).fold(1, usize::saturating_add)
    }

    pub(super) fn depth(&self) -> u32 {
        let all = self.defaults.iter().chain(self.closure.iter());
        all.map(|it| it.1.depth()).max().unwrap_or(0).saturating_add(1)
    }
}

/// How the objects of a class are made and compared.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ClassKind {
    /// A class without a special base or decorator.
    Plain,
    /// `@dataclass`
    Data {
        /// `@dataclass(frozen=True)`
        is_frozen: bool,
    },
    /// `class A(NamedTuple)`
    NamedTuple,
    /// `class A(Enum)`
    Enum {
        /// `class A(IntEnum)`: members are integers.
        is_int: bool,
        /// `class A(str, Enum)`: members are strings.
        is_str: bool,
    },
}

/// A class of Python.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Class {
    /// Its name.
    pub name: Box<str>,
    /// How objects are made.
    pub kind: ClassKind,
    /// The scope that its text makes.
    pub home: Home,
    /// Attributes and methods in the order of the text, with those of its bases before.
    pub members: Arc<[(Box<str>, Value)]>,
    /// Fields of a dataclass: the name, and the default where there is one.
    pub fields: Arc<[(Box<str>, Option<Value>)]>,
    /// Methods that are read like attributes.
    pub properties: Arc<[Box<str>]>,
    /// Methods that get the class, or nothing, instead of an object.
    pub statics: Arc<[(Box<str>, bool)]>,
}

impl Class {
    /// An attribute or method.
    pub fn member(&self, name: &str) -> Option<&Value> {
        self.members.iter().rev().find(|it| &*it.0 == name).map(|it| &it.1)
    }

    /// Returns true if its objects cannot be changed.
    pub fn is_frozen(&self) -> bool {
        match self.kind {
            ClassKind::Plain => false,
            ClassKind::Data { is_frozen } => is_frozen,
            ClassKind::NamedTuple | ClassKind::Enum { .. } => true,
        }
    }

    /// Returns true if it is an enumeration.
    pub fn is_enum(&self) -> bool {
        matches!(self.kind, ClassKind::Enum { .. })
    }

    pub(super) fn depth(&self) -> u32 {
        self.members.iter().map(|it| it.1.depth()).max().unwrap_or(0).saturating_add(1)
    }
}
