//! Objects of Python that emit IR: pools of memory, barriers, pipelines, profilers, and functions of other modules.
//!
//! A pool is memory of its own; what it allocates are views of it. Of any other object only the name is known: its
//! methods are calls, of which it is the first operand, and may do anything. O(arguments).

use ir::{
    AllocKind, Attr, AttrDict, Buffer, BufferId, BufferOrigin, Callee, DataType, Intrinsic, Type,
    ValueKind,
};

use super::{
    Doubt, Lowerer, R,
    arguments::Args,
    buffers::{BufferForm, BufferSpec},
    source_tree::{At, Src},
    value::{Ev, Tx, Val},
};
use crate::tvmscript::ast::{Ex, ExKind, Run};

/// The classes of TVM that allocate memory, and the scope of what they allocate.
const POOLS: [(&str, &str); 2] = [("SMEMPool", "shared.dyn"), ("TMEMPool", "tmem")];

impl Lowerer<'_, '_, '_> {
    /// `pool = T.SMEMPool()`: memory from which the pool allocates.
    pub(super) fn pool(&mut self, value: Ex) -> R<Option<(BufferForm, BufferSpec)>> {
        let ast = self.ast;
        let ExKind::Call { callee, args } = *ast.kind(value) else { return Ok(None) };
        let Some(class) = self.class_name(callee) else { return Ok(None) };
        let Some(&(_, scope)) = POOLS.iter().find(|it| it.0 == class) else { return Ok(None) };
        let name = self.text(ast.range(callee));
        let args = self.args(args);
        let pointer = match args.positional.first() {
            Some(&first) => {
                let ev = self.eval(first)?;
                match ev.val {
                    Val::Expr(id) if matches!(self.s.body.ty(id), Type::Pointer { .. }) => {
                        Some(self.lift(&ev)?)
                    }
                    _ => None,
                }
            }
            None => None,
        };
        let positional = args.positional.iter().map(|&it| self.attr(it)).collect();
        let keywords = self.keyword_attrs(&args.keywords);
        let call = Attr::Call { name: name.into(), args: positional, keywords };
        let extent = self.unknown_extent(value);
        let form = match pointer {
            Some(_) => BufferForm::Decl,
            None => BufferForm::Alloc(AllocKind::Flat, ""),
        };
        let buffer = Buffer {
            name: self.s.body.intern(""),
            dtype: DataType::uint(8),
            shape: vec![extent.id],
            strides: None,
            elem_offset: None,
            scope: self.s.body.memory_scope(scope),
            origin: match pointer {
                Some(pointer) => BufferOrigin::Decl { data: Some(pointer.id) },
                None => BufferOrigin::Alloc,
            },
            attrs: self.s.body.attr_dict(vec![(ir::OBJECT.into(), call)]),
        };
        let operands = [extent].into_iter().chain(pointer).collect();
        Ok(Some((form, BufferSpec { buffer, operands })))
    }

    /// `T.alloc_tcgen05_ldst_frag("32x32b", (128, 64), "float32")`: registers of a warp group, of which each thread has
    /// a part, with the shape of the whole.
    pub(super) fn fragment(
        &mut self,
        ex: Ex,
        name: &str,
        args: &Args<'_>,
    ) -> R<(BufferForm, BufferSpec)> {
        let dtype = match args.get("dtype") {
            Some(dtype) => match self.type_of(dtype)? {
                Type::Prim(dtype) => dtype,
                _ => return Err(self.unsupported(dtype, "a buffer of unknown type")),
            },
            None => return Err(self.malformed(ex, "the type is missing")),
        };
        let shape = match (args.get("tensor_shape"), args.get("src")) {
            (Some(shape), _) => self.shape(shape)?,
            (None, Some(source)) => {
                let Val::Buffer(source) = self.eval(source)?.val else {
                    return Err(self.malformed(source, "a buffer is needed"));
                };
                let at = At { is_real: false, ..self.at(ex) };
                let shape = self.s.body.buffers[source].shape.clone();
                shape.into_iter().map(|it| self.tx(it, at)).collect()
            }
            (None, None) => return Err(self.malformed(ex, "the shape is missing")),
        };
        let positional = args.positional.iter().map(|&it| self.attr(it)).collect();
        let keywords = self.keyword_attrs(&args.keywords);
        let call = Attr::Call { name: format!("T.{name}").into(), args: positional, keywords };
        let buffer = Buffer {
            name: self.s.body.intern(""),
            dtype,
            shape: shape.iter().map(|it| it.id).collect(),
            strides: None,
            elem_offset: None,
            scope: self.s.body.memory_scope("local"),
            origin: BufferOrigin::Alloc,
            attrs: self.s.body.attr_dict(vec![(ir::OBJECT.into(), call)]),
        };
        Ok((BufferForm::Alloc(AllocKind::Flat, "local"), BufferSpec { buffer, operands: shape }))
    }

    /// The last name of a callee of Python.
    fn class_name(&self, callee: Ex) -> Option<&str> {
        let (head, rest) = self.ast.dotted(callee)?;
        Some(rest.last().copied().unwrap_or(head))
    }

    /// Returns true if a buffer is the memory of a pool.
    pub(super) fn is_pool(&self, buffer: BufferId) -> bool {
        let attrs = self.s.body.buffers[buffer].attrs;
        self.s.body.dict(attrs).iter().any(|(key, _)| &**key == ir::OBJECT)
    }

    /// `pool.alloc((64, 32), "float16", align=128)`
    pub(super) fn allocated(
        &mut self,
        ex: Ex,
        pool: BufferId,
        method: &str,
        args: &Args<'_>,
    ) -> R<BufferSpec> {
        let written = args.positional.first().copied().or_else(|| args.keyword("shape"));
        let Some(written) = written else {
            return Err(self.malformed(ex, "the shape is missing"));
        };
        let shape = self.shape(written)?;
        let dtype = args.positional.get(1).copied().or_else(|| args.keyword("dtype"));
        let dtype = match dtype {
            Some(dtype) => match self.type_of(dtype)? {
                Type::Prim(dtype) => dtype,
                _ => return Err(self.unsupported(dtype, "a buffer of unknown type")),
            },
            None => DataType::FLOAT32,
        };
        let mut attrs = AttrDict::new();
        let positional = args.positional.iter().map(|&it| self.attr(it)).collect();
        attrs.push(("args".into(), Attr::List(positional)));
        attrs.extend(self.keyword_attrs(&args.keywords));
        Ok(self.view_of(pool, method, dtype, shape, attrs))
    }

    /// A function of another module: called by its text, and nothing is known of it.
    pub(super) fn foreign_call(&mut self, ex: Ex, callee: Ex, args: Run) -> R<Ev> {
        self.s.doubt = self.s.doubt.max(Doubt::Unknown);
        if self.expansion.is_some() {
            return Ok(self.opaque_ex(ex));
        }
        self.unknown_call(ex, callee, args)
    }

    /// Returns true if a value is an object of which only the name is known.
    pub(super) fn is_object(&self, value: Tx) -> bool {
        let is_named = |id: ir::ExprId| match self.s.body.expr(id).kind {
            ir::ExprKind::Value(value) => {
                matches!(self.s.body.values[value].kind, ValueKind::Result(op, _)
                    if self.s.body.is_plain_name(op))
            }
            ir::ExprKind::Call { callee: Callee::Intrinsic(name, _), .. } => {
                is_member(self.s.body.name(name))
            }
            _ => false,
        };
        self.ty(value) == Type::Unknown && is_named(value.id)
    }

    /// `bar.wait(stage, phase)`
    pub(super) fn member_call(&mut self, ex: Ex, object: Tx, name: &str, args: Run) -> R<Ev> {
        let args = self.args(args);
        let mut operands = vec![object];
        let mut attrs = AttrDict::new();
        for &arg in &args.positional {
            match *self.ast.kind(arg) {
                ExKind::Star(inner) => {
                    for ev in self.spread(inner)? {
                        operands.push(self.lift(&ev)?);
                    }
                }
                _ => {
                    let (operand, spelling) = self.argument(arg)?;
                    let key = ir::spelling_key(operands.len());
                    attrs.extend(spelling.map(|it| (key, it)));
                    operands.push(operand);
                }
            }
        }
        attrs.extend(self.keyword_operands(&args.keywords, &|_| false, &mut operands));
        let tx = self.member(ex, &format!("{METHOD}{name}"), &operands, attrs);
        Ok(Ev { val: Val::Expr(tx.id), src: tx.src })
    }

    /// `state.phase`
    pub(super) fn member_value(&mut self, object: Tx, name: &str, src: Src) -> Tx {
        let at = At { range: self.s.sources.range(src), is_real: self.expansion.is_none() };
        let callee = self.member_callee(&format!("{ATTRIBUTE}{name}"));
        let id = self.s.body.call(callee, &[object.id], ir::Body::no_attrs(), Type::Unknown, true);
        Tx { id, src: self.s.sources.node(at, &[object.src]) }
    }

    fn member(&mut self, ex: Ex, name: &str, operands: &[Tx], attrs: AttrDict) -> Tx {
        let callee = self.member_callee(name);
        let ids: Vec<_> = operands.iter().map(|it| it.id).collect();
        let attrs = self.s.body.attr_dict(attrs);
        let id = self.s.body.call(callee, &ids, attrs, Type::Unknown, true);
        let children: Vec<Src> = operands.iter().map(|it| it.src).collect();
        Tx { id, src: self.node(ex, &children) }
    }

    fn member_callee(&mut self, name: &str) -> Callee {
        Callee::Intrinsic(self.s.body.intern(name), Intrinsic::Other)
    }
}

/// The name of the call of a method of its first operand begins so.
const METHOD: &str = ir::METHOD_OF;
/// The name of what an attribute of its operand is begins so.
const ATTRIBUTE: &str = ir::ATTRIBUTE_OF;

/// Returns true if a call is a method or an attribute of its first operand.
pub(super) fn is_member(name: &str) -> bool {
    name.starts_with(METHOD) || name.starts_with(ATTRIBUTE)
}
