//! Values of Python: known ones, and ones of which only a kind and a reason are known.
//!
//! A value is immutable and shared. Its size and its depth are bounded ([`MAX_SIZE`], [`MAX_DEPTH`]), so that walking
//! over one, comparing, hashing and dropping it need neither much time nor much stack.

use std::{ops::Deref, sync::Arc};

use super::{
    function::{Class, Function},
    limits::{MAX_DEPTH, MAX_SIZE},
};

/// A value of Python.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub enum Value {
    /// `None`
    #[default]
    None,
    /// `True`
    Bool(bool),
    /// `16`; integers beyond 128 bits are unknown.
    Int(i128),
    /// `1.5`, by its bits.
    Float(u64),
    /// `"float16"`
    Str(Box<str>),
    /// `(1, 2)`
    Tuple(Items),
    /// `[1, 2]`
    List(Items),
    /// `{1, 2}`, each item once, in the order of the text.
    Set(Items),
    /// `{"a": 1}`: keys and values in turn, in the order of insertion.
    Dict(Items),
    /// `slice(1, 2)`: start, stop and step.
    Slice(Items),
    /// The items of a generator, `zip`, `map` …, which can be read once: no name ever has such a value.
    Iterator(Items),
    /// `range(start, stop, step)`
    Range(i128, i128, i128),
    /// A `def` or `lambda` of Python.
    Function(Arc<Function>),
    /// A class.
    Class(Arc<Class>),
    /// An object of a class: the values of its fields, by name, in the order in which they were set.
    Instance(Arc<Class>, Fields),
    /// A method with the object that it is called on.
    Bound(Box<str>, Items),
    /// `functools.partial(f, …)`: the function, the positional arguments, and the others by name.
    Partial(Items, Fields),
    /// A number of TVM with its data type (`T.int64(1)`).
    Typed(Box<str>, Items),
    /// A module, class or function of Python, by its dotted path (`tvm.tir`, `math.ceil`).
    Path(Box<str>),
    /// A module whose file is in the workspace, by the number that its provider gives it.
    Module(Arc<str>),
    /// A value that cannot be read from the text.
    Unknown(Unknown),
}

/// A value that is not known.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Unknown {
    /// Its kind, as far as that is known.
    pub kind: Kind,
    /// The reason why it is not known, as the end of a sentence: "`k` is a parameter of `matmul`".
    pub reason: Arc<str>,
}

/// The kind of a value that is not known.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Kind {
    /// Nothing is known.
    #[default]
    Any,
    /// `int`
    Int,
    /// `float`
    Float,
    /// `bool`
    Bool,
    /// `str`
    Str,
    /// A tuple or list, of a length that may be known.
    Sequence(Option<u32>),
}

impl Kind {
    /// Its name in Python; `None` if nothing is known.
    pub fn name(self) -> Option<&'static str> {
        Some(match self {
            Kind::Any => return None,
            Kind::Int => "int",
            Kind::Float => "float",
            Kind::Bool => "bool",
            Kind::Str => "str",
            Kind::Sequence(_) => "sequence",
        })
    }
}

impl Unknown {
    /// A value of which nothing but the reason is known.
    pub fn new(reason: impl Into<Arc<str>>) -> Unknown {
        Unknown { kind: Kind::Any, reason: reason.into() }
    }

    /// The same reason for a value of another kind.
    #[must_use]
    pub fn of_kind(&self, kind: Kind) -> Unknown {
        Unknown { kind, reason: self.reason.clone() }
    }
}

/// The items of a tuple, list, set or dictionary, shared by all that have the value.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Items {
    vals: Arc<[Value]>,
    size: usize,
    depth: u32,
}

impl Items {
    /// The number of items, all levels of them, and the characters of their strings, at most `usize::MAX`: items are
    /// shared, so their total may be exponentially larger than the text.
    pub fn size(&self) -> usize {
        self.size
    }

    /// Returns true if no other value shares the items.
    pub(super) fn is_unshared(&mut self) -> bool {
        Arc::get_mut(&mut self.vals).is_some()
    }
}

impl std::fmt::Debug for Items {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

impl Deref for Items {
    type Target = [Value];

    fn deref(&self) -> &[Value] {
        &self.vals
    }
}

impl From<Vec<Value>> for Items {
    fn from(vals: Vec<Value>) -> Items {
        let size = vals.iter().map(Value::size).fold(1, usize::saturating_add);
        let depth = vals.iter().map(Value::depth).max().unwrap_or(0).saturating_add(1);
        Items { vals: vals.into(), size, depth }
    }
}

impl FromIterator<Value> for Items {
    fn from_iter<I: IntoIterator<Item = Value>>(vals: I) -> Items {
        vals.into_iter().collect::<Vec<Value>>().into()
    }
}

/// The fields of an object, by name.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Fields(Arc<[(Box<str>, Value)]>);

impl Default for Fields {
    /// Shares nothing with other objects: who has the fields is the object.
    fn default() -> Fields {
        Vec::new().into()
    }
}

impl Fields {
    /// The value of a field.
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.0.iter().find(|it| &*it.0 == name).map(|it| &it.1)
    }

    /// The fields in order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Value)> {
        self.0.iter().map(|(name, value)| (&**name, value))
    }

    /// Sets a field, if no other value shares the object. Returns false if one does.
    pub(super) fn set(&mut self, name: &str, value: Value) -> bool {
        let Some(fields) = Arc::get_mut(&mut self.0) else { return false };
        match fields.iter_mut().find(|it| &*it.0 == name) {
            Some(field) => field.1 = value,
            None => {
                let new = [(Box::from(name), value)];
                self.0 = fields.iter().cloned().chain(new).collect();
            }
        }
        true
    }

    /// Takes the value of a field out, if no other value shares the object.
    pub(super) fn take(&mut self, name: &str) -> Option<Value> {
        let fields = Arc::get_mut(&mut self.0)?;
        fields.iter_mut().find(|it| &*it.0 == name).map(|it| std::mem::take(&mut it.1))
    }

    fn size(&self) -> usize {
        self.0.iter().map(|it| it.1.size()).fold(1, usize::saturating_add)
    }

    fn depth(&self) -> u32 {
        self.0.iter().map(|it| it.1.depth()).max().unwrap_or(0).saturating_add(1)
    }
}

impl From<Vec<(Box<str>, Value)>> for Fields {
    fn from(fields: Vec<(Box<str>, Value)>) -> Fields {
        Fields(fields.into())
    }
}

impl Value {
    /// A string.
    pub fn str(text: impl Into<Box<str>>) -> Value {
        Value::Str(text.into())
    }

    /// A float.
    pub fn float(value: f64) -> Value {
        Value::Float(value.to_bits())
    }

    /// A value that is not known.
    pub fn unknown(reason: impl Into<Arc<str>>) -> Value {
        Value::Unknown(Unknown::new(reason))
    }

    /// The values in it, if it is made of values alone.
    pub(super) fn items(&self) -> Option<&Items> {
        match self {
            Value::Tuple(it)
            | Value::List(it)
            | Value::Set(it)
            | Value::Dict(it)
            | Value::Slice(it)
            | Value::Iterator(it)
            | Value::Typed(_, it)
            | Value::Bound(_, it) => Some(it),
            _ => None,
        }
    }

    /// The number of values in it, all levels of them, and the characters of their strings.
    pub(crate) fn size(&self) -> usize {
        match self {
            Value::Str(it) => it.len().max(1),
            Value::Instance(_, fields) => fields.size(),
            Value::Partial(it, fields) => it.size.saturating_add(fields.size()),
            Value::Function(it) => it.size(),
            other => other.items().map_or(1, Items::size),
        }
    }

    pub(super) fn depth(&self) -> u32 {
        match self {
            Value::Instance(class, fields) => fields.depth().max(class.depth()),
            Value::Partial(it, fields) => it.depth.max(fields.depth()),
            Value::Function(it) => it.depth(),
            Value::Class(it) => it.depth(),
            other => other.items().map_or(0, |it| it.depth),
        }
    }

    /// The value itself, or an unknown one if it is too large or nested too deeply.
    #[must_use]
    pub(super) fn bounded(self) -> Value {
        if self.size() > MAX_SIZE {
            return Value::unknown(format!("it has more than {MAX_SIZE} items and characters"));
        }
        if self.depth() > MAX_DEPTH {
            return Value::unknown(format!("it is nested more than {MAX_DEPTH} levels deep"));
        }
        self
    }

    /// Returns true if all of it is known.
    pub fn is_known(&self) -> bool {
        self.first_unknown().is_none()
    }

    /// The first value in it that is not known.
    pub fn first_unknown(&self) -> Option<&Unknown> {
        match self {
            Value::Unknown(it) => Some(it),
            Value::Instance(_, fields) => fields.iter().find_map(|it| it.1.first_unknown()),
            Value::Partial(it, fields) => {
                let mut all = it.iter().chain(fields.iter().map(|it| it.1));
                all.find_map(Value::first_unknown)
            }
            other => other.items()?.iter().find_map(Value::first_unknown),
        }
    }

    /// Returns true if it is data of Python alone, which a kernel can use as it is: numbers, strings, `None`, and
    /// tuples and lists of such.
    pub fn is_plain(&self) -> bool {
        match self {
            Value::None | Value::Bool(_) | Value::Int(_) | Value::Float(_) | Value::Str(_) => true,
            Value::Tuple(items) | Value::List(items) => items.iter().all(Value::is_plain),
            _ => false,
        }
    }

    /// Returns true if it contains an object that Python can change in place.
    pub fn is_mutable(&self) -> bool {
        match self {
            Value::List(_) | Value::Set(_) | Value::Dict(_) => true,
            Value::Tuple(items) | Value::Bound(_, items) => items.iter().any(Value::is_mutable),
            Value::Instance(class, fields) => {
                !class.is_frozen() || fields.iter().any(|it| it.1.is_mutable())
            }
            Value::Partial(items, fields) => {
                items.iter().any(Value::is_mutable) || fields.iter().any(|it| it.1.is_mutable())
            }
            _ => false,
        }
    }

    /// The name of its type in Python; `None` if that is not known.
    pub fn type_name(&self) -> Option<&str> {
        Some(match self {
            Value::None => "NoneType",
            Value::Bool(_) => "bool",
            Value::Int(_) => "int",
            Value::Float(_) => "float",
            Value::Str(_) => "str",
            Value::Tuple(_) => "tuple",
            Value::List(_) => "list",
            Value::Set(_) => "set",
            Value::Dict(_) => "dict",
            Value::Slice(_) => "slice",
            Value::Iterator(_) => "iterator",
            Value::Module(_) => "module",
            Value::Range(..) => "range",
            Value::Function(_) | Value::Bound(..) => "function",
            Value::Class(_) => "type",
            Value::Instance(class, _) => &class.name,
            Value::Partial(..) => "partial",
            Value::Typed(..) | Value::Path(_) => return None,
            Value::Unknown(it) => return it.kind.name().filter(|it| *it != "sequence"),
        })
    }
}
