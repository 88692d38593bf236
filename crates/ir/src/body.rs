//! One function: signature, tables, and the constructors that keep them well-formed.
//!
//! A [`Body`] is plain data: no positions, no file, no database. Nodes are made through its constructors, which
//! hash-cons (O(size of the node) each) and compute flags. Statements are appended to blocks. The frontend builds it,
//! rewriters build a new one, everybody else reads it.

mod dialect;
mod marks;
mod room;
mod scopes;
mod splice;

use std::hash::BuildHasher;

use rustc_hash::FxBuildHasher;
use smallvec::SmallVec;

use crate::{
    Asserted, Attr, AttrDict, AttrDictId, BinaryOp, Block, BlockId, Buffer, BufferField, BufferId,
    Callee, DataType, DtypeSymbol, Expr, ExprFlags, ExprId, ExprKind, ExprListId, Intrinsic, Lanes,
    MemoryScope, NameId, OpId, OpKind, Operation, Region, RegionId, RegionKind, SBlock, SBlockId,
    SharedDict, ThreadTag, Type, UnaryOp, Value, ValueId, ValueKind,
    arena::{Id, Table},
    interned::{Index, ListTable, NameTable},
};

pub use self::dialect::Dialect;
pub use self::marks::*;
pub use self::splice::OpRun;

/// The direct children of a node, in the order of [`Body::each_child`].
pub type Children = SmallVec<[ExprId; 4]>;

/// A parameter.
#[derive(Clone, Debug, PartialEq)]
pub struct Param {
    /// The value: a scalar, a handle, or the handle behind a buffer parameter.
    pub value: ValueId,
    /// `A: T.Buffer(...)`
    pub buffer: Option<BufferId>,
}

/// A function.
#[derive(Clone, Debug)]
pub struct Body {
    /// Name.
    pub name: Box<str>,
    /// Language.
    pub dialect: Dialect,
    /// Keyword arguments of the decorator (`private=True`, `s_tir=True` …), in the order written.
    pub decorator: SharedDict,
    /// Parameters.
    pub params: Vec<Param>,
    /// `-> T.int32`, if written and not `None`.
    pub return_type: Option<Type>,
    /// `T.func_attr({...})`, in the order written.
    pub attrs: SharedDict,
    /// Statements.
    pub root: RegionId,
    /// Types of parameters that are known by their text only (`x: dtype`), in the order of the parameters.
    pub annotations: Vec<(ValueId, NameId)>,
    /// Captured names that could not be resolved; with any, the function has no fingerprint.
    pub unresolved: Vec<NameId>,
    /// The facts of captured values that Python has checked.
    pub asserted: Asserted,
    /// The first element type that is not known.
    symbolic_dtype: Option<DataType>,
    names: NameTable,
    exprs: Table<ExprId, Expr>,
    expr_index: Index<ExprId>,
    lists: ListTable,
    attr_dicts: Table<AttrDictId, SharedDict>,
    attr_index: Index<AttrDictId>,
    /// As written, where it differs from the value rounded to its type.
    float_spellings: Vec<(ExprId, f64)>,
    binder_names: Vec<(ExprId, Vec<NameId>)>,
    n_instances: u32,
    /// Values.
    pub values: Table<ValueId, Value>,
    /// Buffers.
    pub buffers: Table<BufferId, Buffer>,
    /// Operations.
    pub ops: Table<OpId, Operation>,
    /// Blocks.
    pub blocks: Table<BlockId, Block>,
    /// Regions.
    pub regions: Table<RegionId, Region>,
    /// Payloads of schedulable blocks.
    pub sblocks: Table<SBlockId, SBlock>,
}

impl Body {
    /// An empty function with an empty root region of one block.
    pub fn new(name: &str, dialect: Dialect) -> Body {
        let mut body = Body {
            name: name.into(),
            dialect,
            decorator: SharedDict::default(),
            params: Vec::new(),
            return_type: None,
            attrs: SharedDict::default(),
            root: RegionId::new(0),
            annotations: Vec::new(),
            unresolved: Vec::new(),
            asserted: Asserted::default(),
            symbolic_dtype: None,
            names: NameTable::default(),
            exprs: Table::default(),
            expr_index: Index::default(),
            lists: ListTable::default(),
            attr_dicts: Table::default(),
            attr_index: Index::default(),
            float_spellings: Vec::new(),
            binder_names: Vec::new(),
            n_instances: 0,
            values: Table::default(),
            buffers: Table::default(),
            ops: Table::default(),
            blocks: Table::default(),
            regions: Table::default(),
            sblocks: Table::default(),
        };
        body.lists.intern(&[]);
        body.attr_dict(AttrDict::new());
        body.root = body.new_region(None);
        body
    }

    // ---- names, lists, attributes ----

    /// The id of a text.
    pub fn intern(&mut self, text: &str) -> NameId {
        self.names.intern(text)
    }
    /// The id of a text, if it occurs in this body.
    pub fn lookup_name(&self, text: &str) -> Option<NameId> {
        self.names.lookup(text)
    }
    /// The text of an id.
    pub fn name(&self, id: NameId) -> &str {
        self.names.text(id)
    }
    /// The storage scope of a text.
    pub fn memory_scope(&mut self, text: &str) -> MemoryScope {
        let name = self.intern(text);
        self.scope_of(name)
    }
    /// The storage scope of a name.
    pub fn scope_of(&self, name: NameId) -> MemoryScope {
        MemoryScope::of_text(self.name(name), name)
    }
    /// The text of a storage scope.
    pub fn scope_name(&self, scope: MemoryScope) -> &str {
        scope.text().unwrap_or_else(|name| self.name(name))
    }
    /// The thread tag of a text.
    pub fn thread_tag(&mut self, text: &str) -> ThreadTag {
        let name = self.intern(text);
        ThreadTag::of_text(text, name)
    }
    /// The text of a thread tag.
    pub fn tag_name(&self, tag: ThreadTag) -> &str {
        tag.text().unwrap_or_else(|name| self.name(name))
    }
    /// The id of a list.
    pub fn list(&mut self, items: &[ExprId]) -> ExprListId {
        self.lists.intern(items)
    }
    /// The items of a list.
    #[inline]
    pub fn items(&self, id: ExprListId) -> &[ExprId] {
        self.lists.items(id)
    }
    /// The id of a dictionary; equal dictionaries (same order) have one id, the empty one has id 0.
    pub fn attr_dict(&mut self, dict: AttrDict) -> AttrDictId {
        let mut hasher = FxBuildHasher.build_hasher();
        crate::attr::hash_dict(&dict, &mut hasher);
        let hash = std::hash::Hasher::finish(&hasher);
        if let Some(id) = self.attr_index.find(hash, |id| *self.attr_dicts[id] == dict) {
            return id;
        }
        let id = self.attr_dicts.push(dict.into());
        self.attr_index.insert(hash, id);
        id
    }
    /// The entries of a dictionary.
    pub fn dict(&self, id: AttrDictId) -> &AttrDict {
        &self.attr_dicts[id]
    }
    /// The empty dictionary.
    pub fn no_attrs() -> AttrDictId {
        AttrDictId::new(0)
    }
    /// A function attribute by its name.
    pub fn func_attr(&self, key: &str) -> Option<&Attr> {
        self.attrs.iter().find(|(it, _)| &**it == key).map(|(_, value)| value)
    }

    /// Drops the indexes that only insertions need; no insertion is expected for a while. It comes again by itself.
    pub fn drop_indexes(&mut self) {
        self.names.forget_index();
    }

    // ---- element types that are not known ----

    /// The element type that a captured value is; none where a function has more than 65,535 values before it.
    pub fn dtype_symbol(&mut self, value: ValueId) -> Option<DataType> {
        let dtype = DataType::symbolic(DtypeSymbol(u16::try_from(value.index()).ok()?));
        self.symbolic_dtype.get_or_insert(dtype);
        Some(dtype)
    }
    /// The captured value that is this element type, if it is one that is not known.
    pub fn symbol_value(&self, dtype: DataType) -> Option<ValueId> {
        dtype.symbol().map(|it| ValueId::new(it.0.into()))
    }
    /// The first element type that is not known, if there is any.
    pub fn first_symbolic_dtype(&self) -> Option<DataType> {
        self.symbolic_dtype
    }
    /// An element type for people: its name, or the Python expression that it is.
    pub fn dtype_name(&self, dtype: DataType) -> String {
        match self.symbol_value(dtype) {
            Some(value) => self.name(self.values[value].name).to_owned(),
            None => dtype.written(),
        }
    }

    // ---- expressions ----

    /// A node by its id.
    #[inline]
    pub fn expr(&self, id: ExprId) -> Expr {
        match id.as_operand() {
            None => self.exprs[id],
            Some(value) => Expr::of_value(value, self.values[value].ty),
        }
    }
    /// The nodes of the pool, operands before their users.
    pub fn exprs(&self) -> impl DoubleEndedIterator<Item = (ExprId, &Expr)> + ExactSizeIterator {
        self.exprs.iter()
    }
    /// Number of nodes in the pool.
    #[inline]
    pub fn n_exprs(&self) -> usize {
        self.exprs.len()
    }
    /// The type of a node.
    #[inline]
    pub fn ty(&self, id: ExprId) -> Type {
        self.expr(id).ty
    }
    /// The data type of a node, if it has one.
    #[inline]
    pub fn dtype(&self, id: ExprId) -> Option<DataType> {
        self.expr(id).ty.prim()
    }

    /// The node of this structure and type: the existing one or a new one.
    pub fn make(&mut self, kind: ExprKind, ty: Type) -> ExprId {
        if let ExprKind::Value(value) = kind
            && self.dialect.is_of_operations()
        {
            return ExprId::operand(value);
        }
        let hash = FxBuildHasher.hash_one((kind, ty));
        let exprs = &self.exprs;
        if let Some(id) =
            self.expr_index.find(hash, |id| exprs[id].kind == kind && exprs[id].ty == ty)
        {
            return id;
        }
        let (flags, size) = self.summarize(kind, ty);
        let id = self.exprs.push(Expr { kind, ty, flags, size });
        self.expr_index.insert(hash, id);
        id
    }

    fn summarize(&self, kind: ExprKind, ty: Type) -> (ExprFlags, u32) {
        let mut flags = ExprFlags::default();
        let mut size = 1u32;
        self.each_child(kind, &mut |child| {
            let Expr { flags: it, size: child_size, .. } = self.expr(child);
            flags.has_call |= it.has_call;
            flags.has_load |= it.has_load;
            flags.has_impure |= it.has_impure;
            flags.has_unknown |= it.has_unknown;
            flags.has_captured |= it.has_captured;
            flags.has_binder |= it.has_binder;
            flags.open_binders = flags.open_binders.max(it.open_binders);
            size = size.saturating_add(child_size);
        });
        // A captured operand explains an unknown type.
        flags.has_unknown |= match kind {
            ExprKind::Value(value) => self.is_unknown_value(value),
            // What a captured operand beside it asks for (`SEMANTICS: G3`).
            ExprKind::Cast(_) => false,
            _ => ty == Type::Unknown && !flags.has_captured,
        };
        flags.has_captured |= ty.is_open();
        match kind {
            ExprKind::Call { callee, instance, .. } => {
                flags.has_call = true;
                flags.has_impure |= instance != 0;
                flags.has_unknown |= matches!(callee, Callee::Unknown(_));
            }
            ExprKind::IfThenElse(..) => flags.has_call = true,
            ExprKind::Load { .. } | ExprKind::Region(..) => flags.has_load = true,
            ExprKind::Opaque { .. } => {
                flags.has_impure = true;
                flags.has_unknown = true;
            }
            ExprKind::Bound(index) => flags.open_binders = index + 1,
            ExprKind::Let { value, body } => {
                flags.has_binder = true;
                let inner = self.expr(body).flags.open_binders.saturating_sub(1);
                flags.open_binders = inner.max(self.expr(value).flags.open_binders);
            }
            ExprKind::Lambda { params, body } => {
                flags.has_binder = true;
                flags.open_binders = self.expr(body).flags.open_binders.saturating_sub(params);
            }
            _ => {}
        }
        (flags, size)
    }

    /// Returns true if a value is a captured one of unknown type: a value of Python.
    pub fn is_captured(&self, value: ValueId) -> bool {
        let data = &self.values[value];
        data.kind == ValueKind::Captured
            && data.ty == Type::Unknown
            && !self.dialect.is_of_operations()
    }

    /// Returns true if nothing is known of a value, and not even that it is one value: a captured one is equal to
    /// itself wherever it is used (`SEMANTICS: G1`).
    fn is_unknown_value(&self, value: ValueId) -> bool {
        let data = &self.values[value];
        let is_parameter =
            matches!(data.kind, ValueKind::Param(_)) && !self.dialect.is_of_operations();
        data.ty == Type::Unknown && !is_parameter && !self.is_captured(value)
    }

    /// Calls `visit` on the direct children of a node in evaluation order (`Store`'s rules are the operation's).
    #[inline]
    pub fn each_child(&self, kind: ExprKind, visit: &mut dyn FnMut(ExprId)) {
        match kind {
            ExprKind::Binary(_, a, b) => {
                visit(a);
                visit(b);
            }
            ExprKind::Unary(_, a) | ExprKind::Cast(a) => visit(a),
            leaf if leaf.is_leaf() => {}
            kind => self.each_of_many(kind, visit),
        }
    }

    /// The direct children of a node, as a list. O(children).
    #[inline]
    pub fn children(&self, expr: ExprId) -> Children {
        match self.expr(expr).kind {
            ExprKind::Binary(_, a, b) => Children::from_slice(&[a, b]),
            kind => {
                let mut children = Children::new();
                self.each_child(kind, &mut |child| children.push(child));
                children
            }
        }
    }

    /// The children of a node that is none of the frequent ones, which [`Body::each_child`] knows where it is called.
    fn each_of_many(&self, kind: ExprKind, visit: &mut dyn FnMut(ExprId)) {
        match kind {
            ExprKind::Value(_)
            | ExprKind::Bound(_)
            | ExprKind::Int(_)
            | ExprKind::Float(_)
            | ExprKind::Str(_)
            | ExprKind::BufferField(..)
            | ExprKind::Buffer(_)
            | ExprKind::Opaque { .. }
            | ExprKind::Binary(..)
            | ExprKind::Unary(..)
            | ExprKind::Cast(_) => {}
            ExprKind::Select(c, a, b) | ExprKind::IfThenElse(c, a, b) => {
                visit(c);
                visit(a);
                visit(b);
            }
            ExprKind::Load { indices, predicate, .. } => {
                self.items(indices).iter().copied().for_each(&mut *visit);
                predicate.into_iter().for_each(visit);
            }
            ExprKind::Region(_, list) | ExprKind::Tuple(list) => {
                self.items(list).iter().copied().for_each(visit)
            }
            ExprKind::Slice { lower, upper, step } => {
                lower.into_iter().chain(upper).chain(step).for_each(visit)
            }
            ExprKind::Ramp { base, stride, lanes } => {
                visit(base);
                visit(stride);
                visit(lanes);
            }
            ExprKind::Broadcast { value, lanes } => {
                visit(value);
                visit(lanes);
            }
            ExprKind::Shuffle { vectors, indices } => {
                self.items(vectors).iter().chain(self.items(indices)).copied().for_each(visit);
            }
            ExprKind::Let { value, body } => {
                visit(value);
                visit(body);
            }
            ExprKind::Lambda { body, .. } => visit(body),
            ExprKind::Call { args, .. } => self.items(args).iter().copied().for_each(visit),
        }
    }

    /// The node `kind` with its children replaced by `map`, in the same order as [`Body::each_child`]. Binder names
    /// and spellings stay with the node.
    pub fn map_children(
        &mut self,
        id: ExprId,
        map: &mut dyn FnMut(&mut Body, ExprId) -> ExprId,
    ) -> ExprId {
        let Expr { kind, ty, .. } = self.expr(id);
        let kind = match kind {
            ExprKind::Value(_)
            | ExprKind::Bound(_)
            | ExprKind::Int(_)
            | ExprKind::Float(_)
            | ExprKind::Str(_)
            | ExprKind::BufferField(..)
            | ExprKind::Buffer(_)
            | ExprKind::Opaque { .. } => return id,
            ExprKind::Binary(op, a, b) => ExprKind::Binary(op, map(self, a), map(self, b)),
            ExprKind::Unary(op, a) => ExprKind::Unary(op, map(self, a)),
            ExprKind::Cast(a) => ExprKind::Cast(map(self, a)),
            ExprKind::Select(c, a, b) => ExprKind::Select(map(self, c), map(self, a), map(self, b)),
            ExprKind::IfThenElse(c, a, b) => {
                ExprKind::IfThenElse(map(self, c), map(self, a), map(self, b))
            }
            ExprKind::Load { buffer, indices, predicate } => ExprKind::Load {
                buffer,
                indices: self.map_list(indices, map),
                predicate: predicate.map(|it| map(self, it)),
            },
            ExprKind::Region(buffer, list) => ExprKind::Region(buffer, self.map_list(list, map)),
            ExprKind::Tuple(list) => ExprKind::Tuple(self.map_list(list, map)),
            ExprKind::Slice { lower, upper, step } => ExprKind::Slice {
                lower: lower.map(|it| map(self, it)),
                upper: upper.map(|it| map(self, it)),
                step: step.map(|it| map(self, it)),
            },
            ExprKind::Ramp { base, stride, lanes } => ExprKind::Ramp {
                base: map(self, base),
                stride: map(self, stride),
                lanes: map(self, lanes),
            },
            ExprKind::Broadcast { value, lanes } => {
                ExprKind::Broadcast { value: map(self, value), lanes: map(self, lanes) }
            }
            ExprKind::Shuffle { vectors, indices } => ExprKind::Shuffle {
                vectors: self.map_list(vectors, map),
                indices: self.map_list(indices, map),
            },
            ExprKind::Let { value, body } => {
                ExprKind::Let { value: map(self, value), body: map(self, body) }
            }
            ExprKind::Lambda { params, body } => ExprKind::Lambda { params, body: map(self, body) },
            ExprKind::Call { callee, args, attrs, instance } => {
                ExprKind::Call { callee, args: self.map_list(args, map), attrs, instance }
            }
        };
        let new = self.make(kind, ty);
        if new != id
            && let Some(names) = self.binder_names(id).map(<[NameId]>::to_vec)
        {
            self.set_binder_names(new, names);
        }
        new
    }

    fn map_list(
        &mut self,
        list: ExprListId,
        map: &mut dyn FnMut(&mut Body, ExprId) -> ExprId,
    ) -> ExprListId {
        let items: SmallVec<[ExprId; 8]> = SmallVec::from_slice(self.items(list));
        let mapped: SmallVec<[ExprId; 8]> = items.iter().map(|&it| map(self, it)).collect();
        if mapped == items { list } else { self.list(&mapped) }
    }

    /// A variable.
    pub fn value_expr(&mut self, value: ValueId) -> ExprId {
        let ty = self.values[value].ty;
        self.make(ExprKind::Value(value), ty)
    }
    /// An integer or bool constant, wrapped to `dtype`.
    pub fn int(&mut self, value: i128, dtype: DataType) -> ExprId {
        self.make(ExprKind::Int(dtype.wrap_int(value)), dtype.into())
    }
    /// A float constant, rounded to `dtype`; the spelled value is kept for printing.
    pub fn float(&mut self, value: f64, dtype: DataType) -> ExprId {
        let rounded = dtype.round_float(value);
        let bits = if rounded.is_nan() { f64::NAN.to_bits() } else { rounded.to_bits() };
        let n_before = self.exprs.len();
        let id = self.make(ExprKind::Float(bits), dtype.into());
        if self.exprs.len() > n_before && value.to_bits() != bits {
            self.float_spellings.push((id, value));
        }
        id
    }
    /// The double that a float constant was first written as (TVM keeps it unrounded).
    pub fn float_spelling(&self, id: ExprId) -> Option<f64> {
        let ExprKind::Float(bits) = self.expr(id).kind else { return None };
        let at = self.float_spellings.binary_search_by_key(&id, |(it, _)| *it);
        Some(at.map_or(f64::from_bits(bits), |at| self.float_spellings[at].1))
    }
    /// A string.
    pub fn string(&mut self, text: &str) -> ExprId {
        let name = self.intern(text);
        self.make(ExprKind::Str(name), DataType::HANDLE.into())
    }
    /// `lhs op rhs` of operands of one type; comparisons and logic give bool of as many lanes.
    pub fn binary(&mut self, op: BinaryOp, lhs: ExprId, rhs: ExprId) -> ExprId {
        let ty = match self.ty(lhs) {
            Type::Prim(dtype) if op.is_comparison() || op.is_logical() => {
                Type::Prim(DataType::BOOL.with_lanes(dtype.lanes))
            }
            ty => ty,
        };
        self.make(ExprKind::Binary(op, lhs, rhs), ty)
    }
    /// `op operand`
    pub fn unary(&mut self, op: UnaryOp, operand: ExprId) -> ExprId {
        let ty = self.ty(operand);
        self.make(ExprKind::Unary(op, operand), ty)
    }
    /// Conversion; none is made when the type is the same.
    pub fn cast(&mut self, value: ExprId, dtype: DataType) -> ExprId {
        if self.dtype(value) == Some(dtype) {
            value
        } else {
            self.make(ExprKind::Cast(value), dtype.into())
        }
    }
    /// `T.Select`
    pub fn select(&mut self, condition: ExprId, then: ExprId, otherwise: ExprId) -> ExprId {
        let ty = self.ty(then);
        self.make(ExprKind::Select(condition, then, otherwise), ty)
    }
    /// `T.if_then_else`. Its type is that of an arm whose type is known.
    pub fn if_then_else(&mut self, condition: ExprId, then: ExprId, otherwise: ExprId) -> ExprId {
        let ty = match self.ty(then) {
            Type::Unknown => self.ty(otherwise),
            ty => ty,
        };
        self.make(ExprKind::IfThenElse(condition, then, otherwise), ty)
    }
    /// `buffer[indices]`. Its type is the element type with as many lanes as the last index has.
    pub fn load(
        &mut self,
        buffer: BufferId,
        indices: &[ExprId],
        predicate: Option<ExprId>,
    ) -> ExprId {
        let ty = self.access_type(buffer, indices);
        let indices = self.list(indices);
        self.make(ExprKind::Load { buffer, indices, predicate }, ty)
    }
    /// The type of an access: not known for a vector of unknown length.
    fn access_type(&self, buffer: BufferId, indices: &[ExprId]) -> Type {
        match indices.last() {
            Some(&index) if self.has_open_lanes(index) => Type::Unknown,
            _ => self.access_dtype(buffer, indices).into(),
        }
    }
    /// Returns true if a value is made of a vector whose length is not known. O(nodes of unknown type).
    pub fn has_open_lanes(&self, expr: ExprId) -> bool {
        let mut stack: SmallVec<[ExprId; 4]> = SmallVec::from_slice(&[expr]);
        while let Some(at) = stack.pop() {
            let node = self.expr(at);
            match node.kind {
                _ if node.ty != Type::Unknown => {}
                ExprKind::Ramp { .. } | ExprKind::Broadcast { .. } => return true,
                ExprKind::Load { .. } | ExprKind::Call { .. } => {}
                kind => self.each_child(kind, &mut |it| stack.push(it)),
            }
        }
        false
    }
    /// The type of the value that one access of `buffer` at `indices` moves.
    pub fn access_dtype(&self, buffer: BufferId, indices: &[ExprId]) -> DataType {
        let element = self.buffers[buffer].dtype;
        let lanes =
            indices.last().and_then(|&it| self.dtype(it)).map_or(Lanes::Fixed(1), |it| it.lanes);
        match (element.lanes, lanes) {
            (_, Lanes::Fixed(1)) => element,
            (Lanes::Fixed(m), Lanes::Fixed(n)) => {
                element.with_lanes(Lanes::Fixed(m.saturating_mul(n)))
            }
            (Lanes::Fixed(m), Lanes::Scalable(n)) | (Lanes::Scalable(m), Lanes::Fixed(n)) => {
                element.with_lanes(Lanes::Scalable(m.saturating_mul(n)))
            }
            (Lanes::Scalable(_), Lanes::Scalable(_)) => element,
        }
    }
    /// A property of a buffer. Its type: a pointer for the data, else that of the written expression or `int32`.
    pub fn buffer_field(&mut self, buffer: BufferId, field: BufferField, ty: Type) -> ExprId {
        self.make(ExprKind::BufferField(buffer, field), ty)
    }
    /// The operator of TVM of a name.
    pub fn operator(&mut self, name: &str) -> Callee {
        Callee::Intrinsic(self.intern(name), Intrinsic::of_name(name))
    }
    /// An operator of TVM that has a name: none but [`Intrinsic::Other`] has none.
    pub fn intrinsic(&mut self, it: Intrinsic) -> Callee {
        Callee::Intrinsic(self.intern(it.name().unwrap_or_default()), it)
    }
    /// The operands of a call of an operator, if it is one.
    pub fn operands_of(&self, expr: ExprId, of: Intrinsic) -> Option<&[ExprId]> {
        match self.expr(expr).kind {
            ExprKind::Call { callee: Callee::Intrinsic(_, it), args, .. } if it == of => {
                Some(self.items(args))
            }
            _ => None,
        }
    }
    /// A call. `fresh` gives it an instance number of its own: say so for all that is not a value of its operands.
    pub fn call(
        &mut self,
        callee: Callee,
        args: &[ExprId],
        attrs: AttrDictId,
        ty: Type,
        fresh: bool,
    ) -> ExprId {
        let args = self.list(args);
        let instance = if fresh { self.next_instance() } else { 0 };
        self.make(ExprKind::Call { callee, args, attrs, instance }, ty)
    }
    /// An expression kept by its text.
    pub fn opaque(&mut self, text: &str) -> ExprId {
        let text = self.intern(text);
        let instance = self.next_instance();
        self.make(ExprKind::Opaque { text, instance }, Type::Unknown)
    }
    fn next_instance(&mut self) -> u32 {
        self.n_instances += 1;
        self.n_instances
    }
    /// The names written for the variables of a binder, outermost first.
    pub fn binder_names(&self, binder: ExprId) -> Option<&[NameId]> {
        let at = self.binder_names.binary_search_by_key(&binder, |(it, _)| *it).ok()?;
        Some(&self.binder_names[at].1)
    }
    /// Keeps the names of a binder that has just been made; the first names of a node stay.
    pub fn set_binder_names(&mut self, binder: ExprId, names: Vec<NameId>) {
        if let Err(at) = self.binder_names.binary_search_by_key(&binder, |(it, _)| *it) {
            self.binder_names.insert(at, (binder, names));
        }
    }

    // ---- values, buffers, statements ----

    /// A new value.
    pub fn new_value(&mut self, name: &str, ty: Type, kind: ValueKind) -> ValueId {
        let name = self.intern(name);
        self.values.push(Value { name, ty, kind, is_size: false })
    }
    /// A new region with one empty block.
    pub fn new_region(&mut self, parent: Option<OpId>) -> RegionId {
        let region =
            self.regions.push(Region { blocks: Default::default(), parent, kind: RegionKind::Ssa });
        self.new_block(region);
        region
    }
    /// A new block at the end of a region.
    pub fn new_block(&mut self, region: RegionId) -> BlockId {
        let block =
            self.blocks.push(Block { args: Default::default(), ops: Vec::new(), parent: region });
        self.regions[region].blocks.push(block);
        block
    }
    /// The first block of a region.
    pub fn entry(&self, region: RegionId) -> BlockId {
        self.regions[region].blocks[0]
    }
    /// A new argument of a block.
    pub fn new_block_arg(&mut self, block: BlockId, name: &str, ty: Type) -> ValueId {
        let index = self.blocks[block].args.len() as u32;
        let value = self.new_value(name, ty, ValueKind::BlockArg(block, index));
        self.blocks[block].args.push(value);
        value
    }
    /// Appends an operation without results, regions and attributes.
    pub fn push_op(&mut self, block: BlockId, kind: OpKind, operands: &[ExprId]) -> OpId {
        let op = self.ops.push(Operation {
            kind,
            operands: operands.into(),
            results: Default::default(),
            regions: Default::default(),
            successors: Default::default(),
            attrs: Body::no_attrs(),
            parent: block,
        });
        let ops = &mut self.blocks[block].ops;
        if ops.capacity() == 0 {
            // As much as the smallest piece of memory holds: many blocks are short.
            ops.reserve_exact(6);
        }
        ops.push(op);
        op
    }
    /// Gives an operation one more region, with one empty block.
    pub fn push_region(&mut self, op: OpId) -> RegionId {
        let region = self.new_region(Some(op));
        self.ops[op].regions.push(region);
        region
    }
    /// Gives an operation one more result.
    pub fn push_result(&mut self, op: OpId, name: &str, ty: Type) -> ValueId {
        let index = self.ops[op].results.len() as u32;
        let value = self.new_value(name, ty, ValueKind::Result(op, index));
        self.ops[op].results.push(value);
        value
    }
    /// The operation whose region holds `op`, if any.
    pub fn parent_op(&self, op: OpId) -> Option<OpId> {
        self.regions[self.blocks[self.ops[op].parent].parent].parent
    }
}

/// Equal bodies were made by the same calls in the same order: same names, same ids, same everything but positions,
/// which no body has. So whatever was computed from one holds, ids included, for the other. O(size).
impl PartialEq for Body {
    fn eq(&self, other: &Body) -> bool {
        // Without `..`, so that a new field is decided on here. The indexes follow from their tables.
        let Body {
            name,
            dialect,
            decorator,
            params,
            return_type,
            attrs,
            root,
            annotations,
            unresolved,
            asserted,
            symbolic_dtype,
            names,
            exprs,
            expr_index: _,
            lists,
            attr_dicts,
            attr_index: _,
            float_spellings,
            binder_names,
            n_instances,
            values,
            buffers,
            ops,
            blocks,
            regions,
            sblocks,
        } = self;
        let spelling = |(id, value): &(ExprId, f64)| (*id, value.to_bits());
        *name == other.name
            && *dialect == other.dialect
            && *decorator == other.decorator
            && *params == other.params
            && *return_type == other.return_type
            && *attrs == other.attrs
            && *root == other.root
            && *annotations == other.annotations
            && *unresolved == other.unresolved
            && *asserted == other.asserted
            && *symbolic_dtype == other.symbolic_dtype
            && *names == other.names
            && exprs.len() == other.exprs.len()
            && exprs.iter().zip(other.exprs.iter()).all(|((_, a), (_, b))| {
                // Flags and size follow from these.
                a.kind == b.kind && a.ty == b.ty
            })
            && *lists == other.lists
            && *attr_dicts == other.attr_dicts
            && float_spellings.iter().map(spelling).eq(other.float_spellings.iter().map(spelling))
            && *binder_names == other.binder_names
            && *n_instances == other.n_instances
            && *values == other.values
            && *buffers == other.buffers
            && *ops == other.ops
            && *blocks == other.blocks
            && *regions == other.regions
            && *sblocks == other.sblocks
    }
}
