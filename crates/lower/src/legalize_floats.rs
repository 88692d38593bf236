//! Floats of 8 bits, which few languages have: integers in memory, computed in `float32`.
//!
//! In: a body without blocks. Out: one whose memory and variables of these types hold their bits (`uint8`); parameters
//! keep their type, which is the caller's, and have a view. Copies copy bits (`SEMANTICS: F8`); each operation computes
//! in `float32` and rounds once (see [`bits`]), so that every result is the interpreter's, except functions such as
//! `exp`, which are rounded twice.
//!
//! `bfloat16` and `float16` stay: every writer keeps them as 16 bits, computes in `float` and rounds after each
//! operation. Refused by name: parameters that are one number, strides that the caller chooses, calls that take such
//! values and are not known, arithmetic on `float8_e8m0fnu` (its range is that of `float32`, which would be left on the
//! way). Floats of 6 and 4 bits, several of which share a byte, stay as they are for the writer to refuse. Linear.

mod bits;

use ir::{
    BinaryOp, Body, Buffer, BufferField, BufferId, BufferOrigin, Callee, DataType, ExprId,
    ExprKind, Intrinsic, OpId, OpKind, Type, TypeCode, ValueId, ValueKind, arena::Id as _,
    dtype::Float8,
};
use rustc_hash::FxHashMap;

use self::bits::{BYTE, decode, encode};
use super::{
    LowerOptions, LowerRefusal, Origins,
    edit::{map_expr_from, map_op},
    lists::constant,
};
use crate::reasons;

/// See the module.
pub(super) fn run(
    body: &mut Body,
    options: &LowerOptions,
    _: &mut Origins,
) -> Result<(), LowerRefusal> {
    if options.has_float8 || !uses_float8(body) {
        return Ok(());
    }
    let buffers = plan(body)?;
    retype(body, &buffers);
    rewrite(body, &buffers)
}

fn refused(detail: impl Into<String>) -> LowerRefusal {
    LowerRefusal::new(reasons::FLOAT8, detail)
}

/// The format of a type of 8-bit floats of any number of lanes.
fn format(dtype: DataType) -> Option<Float8> {
    match dtype.code {
        TypeCode::Float8(format) => Some(format),
        _ => None,
    }
}

fn format_of(body: &Body, expr: ExprId) -> Option<Float8> {
    body.dtype(expr).and_then(format)
}

fn uses_float8(body: &Body) -> bool {
    let is_float8 = |dtype: DataType| format(dtype).is_some();
    body.buffers.iter().any(|(_, it)| is_float8(it.dtype))
        || (0..body.n_exprs()).any(|at| body.dtype(ExprId::new(at)).is_some_and(is_float8))
}

/// The change of a buffer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Change {
    /// It holds bits.
    InPlace,
    /// It is the caller's: accesses go through a view.
    Viewed,
}

/// Buffers of 8-bit floats that are accessed, and those that are made here.
fn plan(body: &Body) -> Result<FxHashMap<BufferId, Change>, LowerRefusal> {
    let mut changes = FxHashMap::default();
    for (id, data) in body.buffers.iter() {
        if format(data.dtype).is_none() {
            continue;
        }
        let is_outside = matches!(data.origin, BufferOrigin::Param | BufferOrigin::Match { .. });
        let change = if is_outside { Change::Viewed } else { Change::InPlace };
        if is_outside && is_accessed(body, id) {
            let is_zero = |it: ExprId| constant(body, it) == Some(0);
            if data.strides.is_some() || !data.elem_offset.is_none_or(is_zero) {
                let name = body.name(data.name);
                return Err(refused(format!("the caller chooses the strides of `{name}`")));
            }
            changes.insert(id, change);
        } else if !is_outside {
            changes.insert(id, change);
        }
    }
    Ok(changes)
}

fn is_accessed(body: &Body, buffer: BufferId) -> bool {
    body.ops_preorder().any(|op| {
        matches!(body.ops[op].kind, OpKind::Store { buffer: it, .. } if it == buffer)
            || body.ops[op].operands.iter().any(|&it| reads(body, it, buffer))
    })
}

fn reads(body: &Body, expr: ExprId, buffer: BufferId) -> bool {
    let mut found = false;
    super::edit::each_node(body, expr, &mut |at| {
        found |= matches!(body.expr(at).kind, ExprKind::Load { buffer: it, .. } if it == buffer);
    });
    found
}

/// Gives buffers and variables the type of bits. A former view in the type of its source is declared by its pointer.
fn retype(body: &mut Body, buffers: &FxHashMap<BufferId, Change>) {
    for id in body.buffers.ids().collect::<Vec<_>>() {
        if buffers.get(&id) == Some(&Change::InPlace) {
            let lanes = body.buffers[id].dtype.lanes;
            body.buffers[id].dtype = BYTE.with_lanes(lanes);
        }
    }
    for op in body.ops_preorder().collect::<Vec<OpId>>() {
        let OpKind::DeclBuffer { buffer } = body.ops[op].kind else { continue };
        if let BufferOrigin::View { source, method } = body.buffers[buffer].origin
            && buffers.contains_key(&buffer)
            && body.name(method) == "view"
        {
            let pointer = pointer(body, source);
            body.buffers[buffer].origin = BufferOrigin::Decl { data: Some(pointer) };
            let operands: Vec<ExprId> = body.buffers[buffer].operands().collect();
            body.ops[op].operands = operands.into();
        }
    }
    for id in body.values.ids().collect::<Vec<ValueId>>() {
        let data = &mut body.values[id];
        if let Type::Prim(dtype) = data.ty
            && format(dtype).is_some()
            && !matches!(data.kind, ValueKind::Param(_))
        {
            data.ty = BYTE.with_lanes(dtype.lanes).into();
        }
    }
}

/// Declares views of parameters where they are bound; returns the replacement of each buffer.
fn views(body: &mut Body, buffers: &FxHashMap<BufferId, Change>) -> FxHashMap<BufferId, BufferId> {
    let mut targets: FxHashMap<BufferId, BufferId> = FxHashMap::default();
    let is_viewed = |it: &BufferId| buffers.get(it) == Some(&Change::Viewed);
    let entry = body.entry(body.root);
    let params: Vec<BufferId> = body.params.iter().filter_map(|it| it.buffer).collect();
    for (at, buffer) in params.into_iter().filter(is_viewed).enumerate() {
        let (view, op) = view(body, buffer, entry);
        body.blocks[entry].ops.insert(at, op);
        targets.insert(buffer, view);
    }
    for op in body.ops_preorder().collect::<Vec<OpId>>() {
        let OpKind::DeclBuffer { buffer } = body.ops[op].kind else { continue };
        if is_viewed(&buffer) && !targets.contains_key(&buffer) {
            let block = body.ops[op].parent;
            let (view, new) = view(body, buffer, block);
            let at = body.blocks[block].ops.iter().position(|&it| it == op);
            let at = at.map_or(body.blocks[block].ops.len(), |it| it + 1);
            body.blocks[block].ops.insert(at, new);
            targets.insert(buffer, view);
        }
    }
    targets
}

/// The bits of a parameter, and its declaration, in no list yet.
fn view(body: &mut Body, buffer: BufferId, block: ir::BlockId) -> (BufferId, OpId) {
    let data = body.buffers[buffer].clone();
    let pointer = pointer(body, buffer);
    let bits = Buffer {
        dtype: BYTE.with_lanes(data.dtype.lanes),
        elem_offset: None,
        origin: BufferOrigin::Decl { data: Some(pointer) },
        attrs: Body::no_attrs(),
        ..data
    };
    let operands: Vec<ExprId> = bits.operands().collect();
    let view = body.buffers.push(bits);
    let op = body.push_op(block, OpKind::DeclBuffer { buffer: view }, &operands);
    body.blocks[block].ops.pop();
    (view, op)
}

fn pointer(body: &mut Body, buffer: BufferId) -> ExprId {
    let data = &body.buffers[buffer];
    let ty = Type::Pointer { element: data.dtype, scope: data.scope };
    body.buffer_field(buffer, BufferField::Data, ty)
}

/// Rewrites all accesses and expressions.
fn rewrite(body: &mut Body, buffers: &FxHashMap<BufferId, Change>) -> Result<(), LowerRefusal> {
    let targets = views(body, buffers);
    let mut rewriter = Rewriter { targets, refusal: None };
    let mut memo = FxHashMap::default();
    for op in body.ops_preorder().collect::<Vec<OpId>>() {
        map_op(body, op, &mut |body, expr| {
            map_expr_from(body, expr, &mut memo, &mut |body, old, new| {
                rewriter.node(body, old, new)
            })
        });
        if let OpKind::Store { buffer, predicated } = body.ops[op].kind
            && let Some(&buffer) = rewriter.targets.get(&buffer)
        {
            body.ops[op].kind = OpKind::Store { buffer, predicated };
        }
        if let Some(refusal) = rewriter.refusal.take() {
            return Err(refusal.at(op));
        }
    }
    Ok(())
}

struct Rewriter {
    /// The buffers that replace parameters.
    targets: FxHashMap<BufferId, BufferId>,
    refusal: Option<LowerRefusal>,
}

/// Calls that move values and do not look at them.
fn moves(it: Intrinsic) -> bool {
    it.makes_address() || matches!(it, Intrinsic::ThreadAllreduce | Intrinsic::CommReducer)
}

impl Rewriter {
    /// Returns the replacement of a node, given the operands in `new`: bits where `old` is an 8-bit float.
    fn node(&mut self, body: &mut Body, old: ExprId, new: ExprId) -> ExprId {
        let of = format_of(body, old);
        let byte = body.dtype(old).map(|it| BYTE.with_lanes(it.lanes));
        match body.expr(new).kind {
            ExprKind::Float(bits) => match of {
                Some(format) => {
                    let single = DataType::FLOAT32.with_lanes(byte.unwrap_or(BYTE).lanes);
                    let value = body.float(f64::from_bits(bits), single);
                    self.encode(body, format, value)
                }
                None => new,
            },
            ExprKind::Load { buffer, indices, predicate } => {
                let is_bits = format(body.buffers[buffer].dtype).is_none();
                match (self.targets.get(&buffer).copied(), of) {
                    (None, None) => new,
                    (None, Some(_)) if !is_bits => self.refuse(new, "a buffer that is not known"),
                    (target, _) => {
                        let indices = body.items(indices).to_vec();
                        body.load(target.unwrap_or(buffer), &indices, predicate)
                    }
                }
            }
            ExprKind::Value(value) if of.is_some() => {
                match matches!(body.values[value].kind, ValueKind::Param(_)) {
                    true => self.refuse(new, "a parameter that is one number"),
                    false => body.value_expr(value),
                }
            }
            ExprKind::Binary(op, a, b) => {
                let ExprKind::Binary(_, before, _) = body.expr(old).kind else { return new };
                match format_of(body, before) {
                    Some(format) => self.binary(body, op, format, a, b),
                    None => new,
                }
            }
            ExprKind::Cast(a) => {
                let ExprKind::Cast(before) = body.expr(old).kind else { return new };
                self.cast(body, (format_of(body, before), of), a, old)
            }
            ExprKind::Call { callee: Callee::Intrinsic(name, it), args, .. } => {
                let ExprKind::Call { args: before, .. } = body.expr(old).kind else { return new };
                let before = body.items(before).to_vec();
                let args = body.items(args).to_vec();
                let name = body.name(name).to_owned();
                self.call(body, (&name, it), (old, new), &before, &args)
            }
            kind => match (of, byte) {
                (Some(_), Some(byte)) => body.make(kind, byte.into()),
                _ => new,
            },
        }
    }

    fn refuse(&mut self, keep: ExprId, detail: &str) -> ExprId {
        let refusal = refused(format!("floats of 8 bits: {detail}"));
        self.refusal.get_or_insert(refusal);
        keep
    }

    fn encode(&mut self, body: &mut Body, format: Float8, value: ExprId) -> ExprId {
        match encode(body, format, value) {
            Some(bits) => bits,
            None => self.refuse(value, "a conversion with more than one rounding"),
        }
    }

    fn binary(
        &mut self,
        body: &mut Body,
        op: BinaryOp,
        format: Float8,
        a: ExprId,
        b: ExprId,
    ) -> ExprId {
        let (x, y) = (decode(body, format, a), decode(body, format, b));
        match op {
            // They choose, so a NaN keeps its bits (`SEMANTICS: F6`, `F8`).
            BinaryOp::Max | BinaryOp::Min => {
                let order = if op == BinaryOp::Max { BinaryOp::Gt } else { BinaryOp::Lt };
                let condition = body.binary(order, x, y);
                body.select(condition, a, b)
            }
            _ if op.is_comparison() => body.binary(op, x, y),
            _ if format == Float8::E8M0Fnu => {
                self.refuse(a, "arithmetic on powers of two (`float8_e8m0fnu`)")
            }
            _ => {
                let result = body.binary(op, x, y);
                self.encode(body, format, result)
            }
        }
    }

    fn cast(
        &mut self,
        body: &mut Body,
        (from, to): (Option<Float8>, Option<Float8>),
        a: ExprId,
        old: ExprId,
    ) -> ExprId {
        let Some(target) = body.dtype(old) else { return old };
        if from.is_some() && from == to {
            return a;
        }
        let value = match from {
            Some(from) => decode(body, from, a),
            None => a,
        };
        let Some(to) = to else { return body.cast(value, target) };
        let Some(source) = body.dtype(value) else { return self.refuse(a, "an unknown type") };
        // An integer that `float32` does not hold is beyond all formats but the one that is all exponent.
        let is_exact = source.is_bool() || (source.is_integer() && source.bits <= 16);
        if source.is_integer() && !is_exact && to == Float8::E8M0Fnu {
            return self.refuse(a, "a conversion with more than one rounding");
        }
        let is_double = source.is_float() && source.bits == 64;
        let single = DataType::FLOAT32.with_lanes(source.lanes);
        let value = if is_double { value } else { body.cast(value, single) };
        self.encode(body, to, value)
    }

    fn call(
        &mut self,
        body: &mut Body,
        (name, it): (&str, Intrinsic),
        (old, new): (ExprId, ExprId),
        before: &[ExprId],
        args: &[ExprId],
    ) -> ExprId {
        let of = format_of(body, old);
        let formats: Vec<Option<Float8>> = before.iter().map(|&it| format_of(body, it)).collect();
        let Some(dtype) = body.dtype(old) else { return new };
        if of.is_none() && formats.iter().all(Option::is_none) || moves(it) {
            return new;
        }
        let byte = BYTE.with_lanes(dtype.lanes);
        if it == Intrinsic::Reinterpret {
            let Some(&bits) = args.last() else { return new };
            let to = if of.is_some() { byte } else { dtype };
            return match body.dtype(bits) == Some(to) {
                true => bits,
                false => reinterpreted(body, bits, to),
            };
        }
        let ExprKind::Call { callee, attrs, instance: 0, .. } = body.expr(new).kind else {
            return self.refuse(new, &format!("`T.{name}` of them"));
        };
        let all: Option<Vec<Float8>> = formats.into_iter().collect();
        let Some(all) = all.filter(|it| !it.is_empty()) else {
            return self.refuse(new, &format!("`T.{name}` of them"));
        };
        let wide = args.iter().zip(all).map(|(&it, format)| decode(body, format, it));
        let wide: Vec<ExprId> = wide.collect();
        let result = if of.is_some() { DataType::FLOAT32.with_lanes(dtype.lanes) } else { dtype };
        let result = body.call(callee, &wide, attrs, result.into(), false);
        match of {
            Some(format) => self.encode(body, format, result),
            None => result,
        }
    }
}

fn reinterpreted(body: &mut Body, value: ExprId, dtype: DataType) -> ExprId {
    let name = body.string(&dtype.to_string());
    let callee = body.intrinsic(Intrinsic::Reinterpret);
    body.call(callee, &[name, value], Body::no_attrs(), dtype.into(), false)
}
