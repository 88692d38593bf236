//! The values of expressions while a function is read: IR, or Python values.

use std::rc::Rc;

use ir::{BufferId, ExprId, NameId, RegionDim, ThreadTag, Type, ValueId};
use syntax::Green;

use super::{source_tree::Src, visible::Visible};
use crate::tvmscript::{
    environment::{Constant, Namespace, Signature},
    staging::Home,
};

/// A typed expression with its source.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tx {
    pub(crate) id: ExprId,
    pub(crate) src: Src,
}

/// A value with its source. The sources of a value's parts (a tuple's items, a region's dimensions) are the children of
/// its own: a named value has none, and gets the name's where that is used.
#[derive(Clone, Debug)]
pub(crate) struct Ev {
    pub(crate) val: Val,
    pub(crate) src: Src,
}

/// A macro that a function defines.
#[derive(Debug)]
pub(crate) struct LocalMacro {
    /// The tree that it is in: that of the function, or of the macro around it.
    pub(crate) tree: Green,
    /// Its number among the definitions of the tree.
    pub(crate) def: u32,
    pub(crate) sees: Visible,
    /// The scope where its free names are looked up, if it is not that of the function.
    pub(crate) home: Option<Rc<Home>>,
}

/// One dimension of an access.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Dim {
    Point(Tx),
    Slice { at: Src, lower: Option<Tx>, upper: Option<Tx>, step: Option<Tx> },
}

impl Dim {
    /// Without its sources.
    pub(crate) fn plain(&self) -> RegionDim {
        let id = |it: Option<Tx>| it.map(|it| it.id);
        match *self {
            Dim::Point(tx) => RegionDim::Point(tx.id),
            Dim::Slice { lower, upper, step, .. } => {
                RegionDim::Slice { lower: id(lower), upper: id(upper), step: id(step) }
            }
        }
    }
}

/// A dimension that the text does not mention.
pub(crate) fn is_left_out(dim: &RegionDim) -> bool {
    matches!(dim, RegionDim::Slice { lower: None, upper: None, step: None })
}

/// True for a symbol that was declared as a size, which is not negative.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct IsSize(pub(crate) bool);

/// The entries of a dictionary by their keys: names, or numbers behind a `#`.
pub(crate) type Entries = Rc<[(Box<str>, Val)]>;

/// A value of an expression. It holds no source: a name's value outlives the sources of the statement that made it.
#[derive(Clone, Debug)]
pub(crate) enum Val {
    Expr(ExprId),
    /// A constant of Python: it gets its type where it is used.
    Const(Constant),
    /// A tuple or list.
    Seq(Items),
    Dict,
    /// A dictionary of keyword arguments, of values that hold no others.
    Entries(Entries),
    /// `slice(start, stop, step)`, of values that hold no others.
    Slice(Rc<[Val; 3]>),
    Buffer(BufferId),
    /// A mutable scalar: reading the name reads memory.
    Cell(BufferId),
    /// An access with slices.
    Region(BufferId, Rc<[RegionDim]>),
    /// `T.float32`, `T.handle("float32", "shared")`
    Type(Type),
    /// `T.int32(is_size_var=True)`
    SizeType(Type),
    /// `T`, `I`, `R`
    Namespace(Namespace),
    /// `T.a.b`, by what follows the `T.`
    Intrinsic(NameId),
    /// A function, class or module of Python, by its dotted path.
    Path(NameId),
    /// `A.view`
    Method(BufferId, NameId),
    /// `x.astype`
    ExprMethod(ExprId, NameId),
    /// `A.shape`, `A.strides`
    Shape(BufferId),
    Strides(BufferId),
    /// A macro: its definition, and the scope that it stands in.
    Macro(Rc<Green>, Rc<Home>),
    /// A macro defined in the function, or in a macro that is expanded.
    LocalMacro(Rc<LocalMacro>),
    Function(Rc<Signature>),
    Module,
    Lambda,
    /// A variable of an enclosing `T.Let` or lambda: how many binders are around the one that binds it.
    Bound(u32, Type),
    /// `tx = T.env_thread(...)`: a value; its tag is kept with it.
    Thread(ValueId, ThreadTag),
    /// `T.let`, `T.let[...]` as an annotation.
    LetAnnotation(Option<Type>),
    /// `T.float32[4]` as an annotation.
    VectorAnnotation(ir::DataType, Rc<[ExprId]>),
    /// `n = T.int32()`: a symbol that nothing has used yet.
    Declared(Type, IsSize),
    /// An object of Python that is made while the function is read (a layout): its text.
    Static(Rc<str>),
    /// A Python expression without a meaning here. It becomes IR, kept by the text, where IR is needed, so that only
    /// the whole of `a.b(c).d` does.
    Python,
    /// A Python name of unknown value.
    Unknown(ValueId),
}

/// The items of a tuple or list. They are counted when it is made: items are shared, so their total may be
/// exponentially larger than the text, and walking over it would never end.
#[derive(Clone, Debug)]
pub(crate) struct Items {
    vals: Rc<[Val]>,
    size: usize,
}

impl Items {
    /// The number of items, all levels of them.
    pub(crate) fn size(&self) -> usize {
        self.size
    }

    /// Returns true if something else has the same items.
    pub(crate) fn is_shared(&self) -> bool {
        Rc::strong_count(&self.vals) > 1
    }
}

impl FromIterator<Val> for Items {
    fn from_iter<I: IntoIterator<Item = Val>>(vals: I) -> Items {
        let vals: Rc<[Val]> = vals.into_iter().collect();
        let size = vals.iter().map(|it| match it {
            Val::Seq(items) => items.size,
            Val::Const(it) => it.size(),
            _ => 1,
        });
        let size = size.fold(1, usize::saturating_add);
        Items { vals, size }
    }
}

impl std::ops::Deref for Items {
    type Target = [Val];

    fn deref(&self) -> &[Val] {
        &self.vals
    }
}

/// Level by level: names for tuples nest them as deep as the text is long.
impl Drop for Items {
    fn drop(&mut self) {
        let mut inner = self.take_inner();
        while let Some(mut items) = inner.pop() {
            inner.extend(items.take_inner());
        }
    }
}

impl Items {
    /// The tuples and lists in it, if it is their only owner.
    fn take_inner(&mut self) -> Vec<Items> {
        let is_inner = |it: &&mut Val| matches!(it, Val::Seq(_));
        let taken = |it: &mut Val| match std::mem::replace(it, Val::Dict) {
            Val::Seq(items) => Some(items),
            _ => None,
        };
        let vals = Rc::get_mut(&mut self.vals).unwrap_or_default();
        vals.iter_mut().filter(is_inner).filter_map(taken).collect()
    }
}
