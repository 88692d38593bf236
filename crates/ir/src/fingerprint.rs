//! Structural fingerprints: 128 bits, independent of names, files and ids, stable across processes and machines.
//!
//! Input: a body, or one expression of it. The structure is written to a canonical byte string (values and buffers
//! numbered in program order of their definition, nodes in order of their first use, attributes with sorted keys) and
//! that string is hashed with BLAKE3. A function with an unresolved capture has no fingerprint: its meaning is not in
//! its text. O(size of the body's nodes and operations).

use rustc_hash::FxHashMap;

use crate::{
    Attr, BlockId, Body, BufferId, BufferOrigin, BufferRegion, Callee, ExprId, ExprKind, ForKind,
    NameId, OccurrenceId, Occurrences, OpId, OpKind, RegionDim, Type, ValueId, ValueKind,
    arena::Id, walk::WalkEvent,
};

/// A structural hash.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Fingerprint(pub [u8; 16]);

impl std::fmt::Display for Fingerprint {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl std::fmt::Debug for Fingerprint {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        std::fmt::Display::fmt(self, f)
    }
}

/// The fingerprint of a function; none with an unresolved capture or an opaque statement.
pub fn of_function(body: &Body) -> Option<Fingerprint> {
    normal_form(body).map(|it| of_normal_form(&it))
}

/// The canonical byte string of a function: functions that are equal up to names have the same one. None with an
/// unresolved capture or an opaque statement.
pub fn normal_form(body: &Body) -> Option<Vec<u8>> {
    if !body.unresolved.is_empty() {
        return None;
    }
    let mut encoder = Encoder::new(body);
    encoder.function();
    (!encoder.is_opaque).then_some(encoder.bytes)
}

/// The fingerprint of what has this normal form.
pub fn of_normal_form(bytes: &[u8]) -> Fingerprint {
    let hash = blake3::hash(bytes);
    let mut half = [0; 16];
    half.copy_from_slice(&hash.as_bytes()[..16]);
    Fingerprint(half)
}

/// The fingerprint of an expression: its variables count by the order in which they first occur in it.
/// None with an opaque part.
pub fn of_expr(body: &Body, expr: ExprId) -> Option<Fingerprint> {
    let flags = body.expr(expr).flags;
    if flags.has_unknown || flags.has_captured {
        return None;
    }
    let mut encoder = Encoder::new(body);
    encoder.expr(expr);
    (!encoder.is_opaque).then(|| encoder.finish())
}

/// Larger expressions have no fingerprint of their own in [`of_operands`]: they are compared part by part.
const MAX_NODES: u32 = 512;

/// The fingerprints of the expressions that a reader would call one: operands of operations, of loads and of calls, if
/// they have at least `min_nodes` nodes. In program order; O(occurrences), as the size of an expression is limited.
pub fn of_operands(
    body: &Body,
    occurrences: &Occurrences,
    min_nodes: u32,
) -> Vec<(OccurrenceId, Fingerprint)> {
    let mut known: FxHashMap<ExprId, Option<Fingerprint>> = FxHashMap::default();
    let mut found = Vec::new();
    for (id, it) in occurrences.iter() {
        let size = body.expr(it.expr).size;
        if !(min_nodes..=MAX_NODES).contains(&size) {
            continue;
        }
        let is_operand = it.parent.is_none_or(|parent| {
            matches!(
                body.expr(occurrences[parent].expr).kind,
                ExprKind::Load { .. } | ExprKind::Call { .. } | ExprKind::IfThenElse(..)
            )
        });
        if is_operand
            && !is_description(body, it.expr)
            && let Some(fingerprint) =
                *known.entry(it.expr).or_insert_with(|| of_expr(body, it.expr))
        {
            found.push((id, fingerprint));
        }
    }
    found
}

/// A combiner or an index map: it describes a computation, and is no value itself.
fn is_description(body: &Body, expr: ExprId) -> bool {
    let mut has_lambda = false;
    body.each_child(body.expr(expr).kind, &mut |it| {
        has_lambda |= matches!(body.expr(it).kind, ExprKind::Lambda { .. });
    });
    has_lambda
}

/// Writes the canonical form.
struct Encoder<'a> {
    body: &'a Body,
    bytes: Vec<u8>,
    values: FxHashMap<ValueId, u32>,
    buffers: FxHashMap<BufferId, u32>,
    exprs: FxHashMap<ExprId, u32>,
    /// The places of blocks in their regions.
    blocks: FxHashMap<BlockId, u64>,
    is_opaque: bool,
}

impl<'a> Encoder<'a> {
    fn new(body: &'a Body) -> Self {
        Encoder {
            body,
            bytes: Vec::new(),
            values: FxHashMap::default(),
            buffers: FxHashMap::default(),
            exprs: FxHashMap::default(),
            blocks: FxHashMap::default(),
            is_opaque: false,
        }
    }

    fn finish(self) -> Fingerprint {
        of_normal_form(&self.bytes)
    }

    fn tag(&mut self, tag: u8) {
        self.bytes.push(tag);
    }
    fn number(&mut self, number: u64) {
        self.bytes.extend_from_slice(&number.to_le_bytes());
    }
    fn text(&mut self, text: &str) {
        self.number(text.len() as u64);
        self.bytes.extend_from_slice(text.as_bytes());
    }
    fn name(&mut self, name: NameId) {
        self.text(self.body.name(name));
    }

    fn ty(&mut self, ty: Type) {
        match ty {
            Type::Unknown => self.tag(0),
            Type::Prim(dtype) => {
                self.tag(1);
                self.text(&dtype.to_string());
            }
            Type::Pointer { element, scope } => {
                self.tag(2);
                self.text(&element.to_string());
                self.text(self.body.scope_name(scope));
            }
            Type::Named(name) => {
                self.tag(3);
                self.name(name);
            }
        }
    }

    /// The number of a value; a value met for the first time is described by its type.
    fn value(&mut self, value: ValueId) {
        if let Some(&number) = self.values.get(&value) {
            self.tag(0);
            self.number(number.into());
            return;
        }
        let number = self.values.len() as u32;
        self.values.insert(value, number);
        let data = self.body.values[value];
        self.tag(if data.kind == ValueKind::Captured { 2 } else { 1 });
        self.tag(u8::from(data.is_size));
        self.ty(data.ty);
    }

    /// The number of a buffer; a buffer met for the first time is described.
    fn buffer(&mut self, buffer: BufferId) {
        if let Some(&number) = self.buffers.get(&buffer) {
            self.tag(0);
            self.number(number.into());
            return;
        }
        let number = self.buffers.len() as u32;
        self.buffers.insert(buffer, number);
        self.tag(1);
        let data = &self.body.buffers[buffer];
        self.text(&data.dtype.to_string());
        self.text(self.body.scope_name(data.scope));
        self.number(data.shape.len() as u64);
        self.number(data.strides.as_ref().map_or(u64::MAX, |it| it.len() as u64));
        self.tag(u8::from(data.elem_offset.is_some()));
        match &data.origin {
            BufferOrigin::Param => self.tag(0),
            BufferOrigin::Match { .. } => self.tag(1),
            BufferOrigin::MatchRegion(region) => {
                self.tag(2);
                self.region(region);
            }
            BufferOrigin::Alloc => self.tag(3),
            BufferOrigin::Decl { data } => self.tag(if data.is_some() { 4 } else { 5 }),
            BufferOrigin::View { source, method } => {
                self.tag(6);
                self.buffer(*source);
                self.name(*method);
            }
            BufferOrigin::Cell => self.tag(7),
        }
        for operand in data.operands() {
            self.expr(operand);
        }
        self.attrs(self.body.dict(data.attrs));
    }

    fn region(&mut self, region: &BufferRegion) {
        self.buffer(region.buffer);
        self.number(region.dims.len() as u64);
        for dim in &region.dims {
            match *dim {
                RegionDim::Point(index) => {
                    self.tag(0);
                    self.expr(index);
                }
                RegionDim::Slice { lower, upper, step } => {
                    self.tag(1);
                    for bound in [lower, upper, step] {
                        self.tag(u8::from(bound.is_some()));
                        bound.into_iter().for_each(|it| self.expr(it));
                    }
                }
            }
        }
    }

    fn attrs(&mut self, dict: &[(Box<str>, Attr)]) {
        self.entries(dict.iter().collect());
    }

    fn entries(&mut self, mut entries: Vec<&(Box<str>, Attr)>) {
        entries.sort_by(|a, b| a.0.cmp(&b.0));
        self.number(entries.len() as u64);
        for (key, value) in entries {
            self.text(key);
            self.attr(value);
        }
    }

    fn attr(&mut self, attr: &Attr) {
        crate::stack::with_room(|| match attr {
            Attr::None => self.tag(0),
            Attr::Bool(value) => self.bytes.extend([1, u8::from(*value)]),
            Attr::Int(value, dtype) => {
                self.tag(2);
                self.number(*value as u64);
                self.text(&dtype.map_or_else(String::new, |it| it.to_string()));
            }
            Attr::Float(value, dtype) => {
                self.tag(3);
                self.number(value.to_bits());
                self.text(&dtype.map_or_else(String::new, |it| it.to_string()));
            }
            Attr::Str(text) => {
                self.tag(4);
                self.text(text);
            }
            Attr::List(items) => {
                self.tag(5);
                self.number(items.len() as u64);
                items.iter().for_each(|item| self.attr(item));
            }
            Attr::Dict(entries) => {
                self.tag(6);
                self.attrs(entries);
            }
            Attr::Call { name, args, keywords } => {
                self.tag(7);
                self.text(name);
                self.number(args.len() as u64);
                args.iter().for_each(|item| self.attr(item));
                self.attrs(keywords);
            }
            Attr::Expr(expr) => {
                self.tag(8);
                self.expr(*expr);
            }
            Attr::Text(text) => {
                self.tag(9);
                self.text(text);
            }
            Attr::Operand(index) => {
                self.tag(10);
                self.number(u64::from(*index));
            }
        });
    }

    /// Writes a node and its operands, each node once, children first; no recursion over depth.
    fn expr(&mut self, root: ExprId) {
        let mut stack = vec![(root, false)];
        while let Some((id, is_ready)) = stack.pop() {
            interrupt::check();
            if self.exprs.contains_key(&id) {
                continue;
            }
            let kind = self.body.expr(id).kind;
            if !is_ready {
                stack.push((id, true));
                let mark = stack.len();
                self.body.each_child(kind, &mut |child| stack.push((child, false)));
                stack[mark..].reverse();
                continue;
            }
            self.node(id, kind);
            let number = self.exprs.len() as u32;
            self.exprs.insert(id, number);
        }
        self.tag(0xfe);
        self.number(self.exprs[&root].into());
    }

    fn node(&mut self, id: ExprId, kind: ExprKind) {
        self.tag(0xff);
        match kind {
            ExprKind::Value(value) => {
                self.tag(0);
                self.value(value);
            }
            ExprKind::Bound(index) => {
                self.tag(1);
                self.number(index.into());
            }
            ExprKind::Int(value) => {
                self.tag(2);
                self.number(value as u64);
            }
            ExprKind::Float(bits) => {
                self.tag(3);
                self.number(bits);
            }
            ExprKind::Str(text) => {
                self.tag(4);
                self.name(text);
            }
            ExprKind::Binary(op, ..) => self.bytes.extend([5, op as u8]),
            ExprKind::Unary(op, _) => self.bytes.extend([6, op as u8]),
            ExprKind::Cast(_) => self.tag(7),
            ExprKind::Select(..) => self.tag(8),
            ExprKind::IfThenElse(..) => self.tag(22),
            ExprKind::Load { buffer, indices, predicate } => {
                self.bytes.extend([9, u8::from(predicate.is_some())]);
                self.buffer(buffer);
                self.number(self.body.items(indices).len() as u64);
            }
            ExprKind::BufferField(buffer, field) => {
                self.tag(10);
                self.buffer(buffer);
                self.text(&format!("{field:?}"));
            }
            ExprKind::Buffer(buffer) => {
                self.tag(11);
                self.buffer(buffer);
            }
            ExprKind::Region(buffer, indices) => {
                self.tag(12);
                self.buffer(buffer);
                self.number(self.body.items(indices).len() as u64);
            }
            ExprKind::Slice { lower, upper, step } => {
                self.tag(13);
                self.bytes.extend([lower, upper, step].map(|it| u8::from(it.is_some())));
            }
            ExprKind::Ramp { .. } => self.tag(14),
            ExprKind::Broadcast { .. } => self.tag(15),
            ExprKind::Shuffle { vectors, .. } => {
                self.tag(16);
                self.number(self.body.items(vectors).len() as u64);
            }
            ExprKind::Let { .. } => self.tag(17),
            ExprKind::Lambda { params, .. } => {
                self.tag(18);
                self.number(params.into());
            }
            ExprKind::Call { callee, args, attrs, instance } => {
                self.tag(19);
                let (tag, name) = match callee {
                    Callee::Intrinsic(name, _) => (0, name),
                    Callee::Function(name) => (1, name),
                    Callee::Unknown(name) => (2, name),
                };
                // Instances tell two calls apart, which their two nodes do already; only being one matters.
                self.bytes.extend([tag, u8::from(instance != 0)]);
                self.name(name);
                self.number(self.body.items(args).len() as u64);
                self.attrs(self.body.dict(attrs));
            }
            ExprKind::Tuple(items) => {
                self.tag(20);
                self.number(self.body.items(items).len() as u64);
            }
            ExprKind::Opaque { text, .. } => {
                self.tag(21);
                self.is_opaque = true;
                self.name(text);
            }
        }
        self.ty(self.body.ty(id));
        let mut children = Vec::new();
        self.body.each_child(kind, &mut |child| children.push(self.exprs[&child]));
        children.into_iter().for_each(|child| self.number(child.into()));
    }

    fn function(&mut self) {
        let body = self.body;
        self.tag(body.dialect as u8);
        self.attrs(&body.decorator);
        // Equal up to names: operations keep that of the function among its attributes.
        let is_named = |it: &&(Box<str>, Attr)| *it.0 != *"sym_name";
        self.entries(body.attrs.iter().filter(is_named).collect());
        match body.return_type {
            Some(ty) => self.ty(ty),
            None => self.tag(0xfd),
        }
        for &(_, text) in &body.annotations {
            self.text(body.name(text));
        }
        self.number(body.params.len() as u64);
        for param in &body.params {
            self.value(param.value);
            match param.buffer {
                Some(buffer) => self.buffer(buffer),
                None => self.tag(0xfc),
            }
        }
        for event in body.walk(body.root) {
            match event {
                WalkEvent::Enter(op) => self.op(op),
                WalkEvent::EnterRegion(region) => {
                    self.tag(0xfb);
                    self.tag(body.regions[region].kind as u8);
                    let blocks = &body.regions[region].blocks;
                    for (position, &block) in blocks.iter().enumerate() {
                        self.blocks.insert(block, position as u64);
                        self.tag(0xfa);
                        // Where one ends and the next begins.
                        if blocks.len() > 1 {
                            self.number(body.blocks[block].ops.len() as u64);
                        }
                        for &arg in &body.blocks[block].args {
                            self.value(arg);
                        }
                    }
                }
                WalkEvent::LeaveRegion(_) => self.tag(0xf9),
                WalkEvent::Leave(_) => self.tag(0xf8),
            }
        }
    }

    fn op(&mut self, op: OpId) {
        let body = self.body;
        let data = &body.ops[op];
        self.op_kind(data.kind);
        self.number(data.operands.len() as u64);
        data.operands.iter().for_each(|&it| self.expr(it));
        self.number(data.results.len() as u64);
        data.results.iter().for_each(|&it| self.value(it));
        self.number(data.successors.len() as u64);
        for successor in &data.successors {
            let position = self.blocks.get(&successor.block).copied();
            self.number(position.unwrap_or(successor.block.index() as u64));
            body.items(successor.args).iter().for_each(|&it| self.expr(it));
        }
        self.attrs(body.dict(data.attrs));
    }

    fn op_kind(&mut self, kind: OpKind) {
        let body = self.body;
        match kind {
            OpKind::For(kind) => match kind {
                ForKind::Serial => self.bytes.extend([0, 0]),
                ForKind::Parallel => self.bytes.extend([0, 1]),
                ForKind::Vectorized => self.bytes.extend([0, 2]),
                ForKind::Unrolled => self.bytes.extend([0, 3]),
                ForKind::ThreadBinding(tag) => {
                    self.bytes.extend([0, 4]);
                    self.text(self.body.tag_name(tag));
                }
            },
            OpKind::If => self.tag(1),
            OpKind::While => self.tag(2),
            OpKind::SBlock(block) => {
                self.tag(3);
                let data = &body.sblocks[block];
                self.tag(u8::from(data.has_predicate));
                self.number(data.iter_vars.len() as u64);
                for iter in &data.iter_vars {
                    self.tag(iter.kind as u8);
                    self.expr(iter.dom_min);
                    self.expr(iter.dom_extent);
                }
            }
            OpKind::LaunchThread { tag, var } => {
                self.tag(4);
                self.text(self.body.tag_name(tag));
                self.value(var);
            }
            OpKind::EnvThread(tag) => {
                self.tag(5);
                self.text(self.body.tag_name(tag));
            }
            OpKind::Attr(key) => {
                self.tag(6);
                self.name(key);
            }
            OpKind::AttrDict => self.tag(7),
            OpKind::Store { buffer, predicated } => {
                self.bytes.extend([8, u8::from(predicated)]);
                self.buffer(buffer);
            }
            OpKind::Bind => self.tag(9),
            OpKind::Alloc { buffer, kind } => {
                self.bytes.extend([10, kind as u8]);
                self.buffer(buffer);
            }
            OpKind::DeclBuffer { buffer } => {
                self.tag(11);
                self.buffer(buffer);
            }
            OpKind::Evaluate => self.tag(12),
            OpKind::Assert => self.tag(13),
            OpKind::Return => self.tag(14),
            OpKind::Break => self.tag(15),
            OpKind::Continue => self.tag(16),
            OpKind::Opaque(text) => {
                self.tag(17);
                self.is_opaque = true;
                self.name(text);
            }
            OpKind::Named(name) => {
                self.tag(18);
                self.name(name);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{BinaryOp, DataType, Dialect};

    /// `for i in range(n): A-less evaluate of i * n + k`, with the given names and constant.
    fn sample(names: [&str; 2], constant: i128) -> Body {
        let mut body = Body::new(names[0], Dialect::Tirx);
        let n = body.new_value(names[1], DataType::INT32.into(), ValueKind::Param(0));
        body.params.push(crate::Param { value: n, buffer: None });
        let n = body.value_expr(n);
        let zero = body.int(0, DataType::INT32);
        let entry = body.entry(body.root);
        let op = body.push_op(entry, OpKind::For(ForKind::Serial), &[zero, n]);
        let region = body.push_region(op);
        let block = body.entry(region);
        let i = body.new_block_arg(block, names[1], DataType::INT32.into());
        let i = body.value_expr(i);
        let product = body.binary(BinaryOp::Mul, i, n);
        let k = body.int(constant, DataType::INT32);
        let sum = body.binary(BinaryOp::Add, product, k);
        body.push_op(block, OpKind::Evaluate, &[sum]);
        body
    }

    #[test]
    fn names_do_not_count_and_constants_do() {
        let one = of_function(&sample(["f", "n"], 3)).expect("a fingerprint");
        assert_eq!(Some(one), of_function(&sample(["g", "m"], 3)));
        assert_ne!(Some(one), of_function(&sample(["f", "n"], 4)));
    }

    #[test]
    fn an_unresolved_capture_has_none() {
        let mut body = sample(["f", "n"], 3);
        let name = body.intern("outside");
        body.unresolved.push(name);
        assert_eq!(of_function(&body), None);
    }
}
