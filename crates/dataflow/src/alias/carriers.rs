//! Address carriers: the expressions that hold the address of a memory, and the addresses that escape.
//!
//! Every value and every buffer is an element; so is the *world*, the memory behind pointers that come from nowhere
//! known. Elements whose addresses meet (a pointer bound to a name, a choice of two pointers, a buffer declared on a
//! pointer) are united, whatever the direction: one pass, independent of the order of nodes, nearly linear. An address
//! *escapes* when something that is not looked into may keep it: an unknown call, a store of the pointer, a return
//! (`SEMANTICS: M8`).

use ir::{
    AttrDict, Body, BufferField, BufferId, BufferOrigin, Callee, ExprId, ExprKind, Intrinsic,
    OpKind, Type, TypeCode, ValueId, ValueKind,
    arena::Id,
    effects::{EffectTable, Element, MemoryEffect, MemorySet, OpEffects, OperandUse, is_list},
};

use super::union_find::UnionFind;

/// The element of memory that nothing is known of.
pub(super) const WORLD: u32 = 0;
const NONE: u32 = u32::MAX;
const UNSEEN: u32 = u32::MAX - 1;
const OPEN: u32 = u32::MAX - 2;

pub(super) struct Carriers<'a> {
    body: &'a Body,
    effects: &'a EffectTable,
    pub(super) sets: UnionFind,
    /// By node: an element whose memory it is the address of, or [`NONE`].
    of_node: Vec<u32>,
    /// By element; holds for its set.
    escaping: Vec<bool>,
}

/// The arguments that a call may keep.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Keeps {
    Nothing,
    /// Pointers whose memory it is not stated to access: they may be part of the written values.
    Unstated,
    /// All pointers, and elements by reference.
    All,
}

/// Returns the arguments that a call of these effects may keep. A call without effects returns them as its result.
fn kept_arguments(callee: Callee, effects: &OpEffects) -> Keeps {
    match effects.memory_effect {
        MemoryEffect::None | MemoryEffect::Read => Keeps::Nothing,
        MemoryEffect::Unknown | MemoryEffect::Alloc => Keeps::All,
        _ => {
            // These put a pointer into a structure in memory.
            let puts =
                matches!(callee, Callee::Intrinsic(_, Intrinsic::StructSet | Intrinsic::AnyList));
            let all = puts || effects.memory.contains(MemorySet::GLOBAL);
            if all { Keeps::All } else { Keeps::Unstated }
        }
    }
}

/// Returns true if the row states that an operand is tracked, not kept.
fn is_followed(used: Option<OperandUse>) -> bool {
    used.is_some_and(|it| it.may_read() || it.may_write() || it == OperandUse::Place)
}

pub(super) fn is_pointer(ty: Type) -> bool {
    match ty {
        Type::Pointer { .. } | Type::Unknown => true,
        Type::Prim(dtype) => dtype.code == TypeCode::Handle,
        Type::Named(_) => true,
    }
}

impl<'a> Carriers<'a> {
    pub(super) fn collect(body: &'a Body, effects: &'a EffectTable) -> Carriers<'a> {
        let n = 1 + body.values.len() + body.buffers.len();
        let mut this = Carriers {
            body,
            effects,
            sets: UnionFind::new(n),
            of_node: vec![UNSEEN; body.n_exprs()],
            escaping: vec![false; n],
        };
        this.escaping[WORLD as usize] = true;
        for index in 0..body.n_exprs() {
            ir::interrupt::check();
            this.resolve(ExprId::new(index));
        }
        this.unite_buffers();
        for index in 0..body.n_exprs() {
            ir::interrupt::check();
            this.escapes_of_node(ExprId::new(index));
        }
        for op in body.ops.ids() {
            this.escapes_of_op(op);
        }
        this
    }

    fn value(&self, value: ValueId) -> u32 {
        1 + value.index() as u32
    }
    pub(super) fn buffer(&self, buffer: BufferId) -> u32 {
        (1 + self.body.values.len() + buffer.index()) as u32
    }
    pub(super) fn param(&self, value: ValueId) -> u32 {
        self.value(value)
    }
    /// The element whose memory the node is an address of.
    pub(super) fn of(&self, expr: ExprId) -> Option<u32> {
        let carrier = self.carrier(expr);
        (carrier != NONE).then_some(carrier)
    }
    /// For each element whether its set escapes.
    pub(super) fn escaping(&mut self) -> Vec<bool> {
        let n = self.escaping.len();
        let mut of_set = vec![false; n];
        for element in 0..n {
            let set = self.sets.find(element as u32) as usize;
            of_set[set] |= self.escaping[element];
        }
        (0..n).map(|it| of_set[self.sets.find(it as u32) as usize]).collect()
    }

    // ---- what a node carries ----

    /// Finds the carrier of a node after those of its operands and of the definitions of its variables.
    fn resolve(&mut self, expr: ExprId) {
        let mut stack = vec![expr];
        while let Some(&at) = stack.last() {
            match self.of_node[at.index()] {
                UNSEEN => {
                    self.of_node[at.index()] = OPEN;
                    let kind = self.body.expr(at).kind;
                    let of_node = &self.of_node;
                    let mut push = |it: ExprId| {
                        if of_node[it.index()] == UNSEEN {
                            stack.push(it);
                        }
                    };
                    self.body.each_child(kind, &mut push);
                    if let ExprKind::Value(value) = kind {
                        self.bound_to(value).into_iter().for_each(push);
                    }
                }
                OPEN => {
                    self.of_node[at.index()] = self.own(at);
                    stack.pop();
                }
                _ => {
                    stack.pop();
                }
            }
        }
    }

    fn bound_to(&self, value: ValueId) -> Option<ExprId> {
        let ValueKind::Result(op, _) = self.body.values[value].kind else { return None };
        let data = &self.body.ops[op];
        if data.kind == OpKind::Bind { data.operands.first().copied() } else { None }
    }

    fn own(&mut self, expr: ExprId) -> u32 {
        let body = self.body;
        let node = body.expr(expr);
        let is_pointer = is_pointer(node.ty);
        let found = match node.kind {
            ExprKind::BufferField(buffer, BufferField::Data)
            | ExprKind::Buffer(buffer)
            | ExprKind::Region(buffer, _) => self.buffer(buffer),
            ExprKind::BufferField(..) => NONE,
            ExprKind::Value(value) => self.of_value(value, is_pointer),
            ExprKind::Load { .. } | ExprKind::Slice { .. } | ExprKind::Lambda { .. } => NONE,
            ExprKind::Opaque { .. } => WORLD,
            ExprKind::Binary(op, ..) if op.is_comparison() || op.is_logical() => NONE,
            ExprKind::Unary(ir::UnaryOp::Not, _) => NONE,
            call @ ExprKind::Call { args, .. } => {
                let effects = self.effects.call(body, call);
                if effects.memory_effect == MemoryEffect::None && !node.ty.is_bool() {
                    self.meet(call, body.items(args))
                } else {
                    NONE
                }
            }
            kind => {
                let mut found = NONE;
                body.each_child(kind, &mut |it| found = self.met(found, self.carrier(it)));
                found
            }
        };
        match found {
            NONE if is_pointer && !matches!(node.kind, ExprKind::Str(_)) => WORLD,
            found => found,
        }
    }

    fn of_value(&mut self, value: ValueId, is_pointer: bool) -> u32 {
        let element = self.value(value);
        let source = match self.body.values[value].kind {
            ValueKind::Param(_) if is_pointer => return element,
            ValueKind::Result(..) => match self.bound_to(value) {
                Some(bound) => self.carrier(bound),
                None => NONE,
            },
            _ => NONE,
        };
        match source {
            NONE if !is_pointer => return NONE,
            NONE => self.sets.unite(element, WORLD),
            carrier => self.sets.unite(element, carrier),
        }
        element
    }

    fn carrier(&self, expr: ExprId) -> u32 {
        match self.of_node[expr.index()] {
            // A name bound to itself, in a body that does not verify.
            OPEN | UNSEEN => WORLD,
            carrier => carrier,
        }
    }

    /// The memory of any of the operands of a call that are addresses, or elements whose address it takes.
    fn meet(&mut self, call: ExprKind, args: &[ExprId]) -> u32 {
        let body = self.body;
        let mut found = NONE;
        for (index, &expr) in args.iter().enumerate() {
            let carrier = match body.expr(expr).kind {
                ExprKind::Load { buffer, .. }
                    if self.effects.element(body, call, index) == Element::Name =>
                {
                    self.buffer(buffer)
                }
                _ => self.carrier(expr),
            };
            found = self.met(found, carrier);
        }
        found
    }

    /// The memory of both, if both are addresses.
    fn met(&mut self, found: u32, carrier: u32) -> u32 {
        match (found, carrier) {
            (found, NONE) => found,
            (NONE, carrier) => carrier,
            (found, carrier) => {
                self.sets.unite(found, carrier);
                found
            }
        }
    }

    // ---- buffers ----

    fn unite_buffers(&mut self) {
        let body = self.body;
        let mut has_param = vec![false; body.buffers.len()];
        for param in &body.params {
            if let Some(buffer) = param.buffer {
                has_param[buffer.index()] = true;
                self.sets.unite(self.buffer(buffer), self.value(param.value));
            }
        }
        for (buffer, data) in body.buffers.iter() {
            let element = self.buffer(buffer);
            let same = match &data.origin {
                BufferOrigin::Alloc | BufferOrigin::Cell => continue,
                BufferOrigin::Param if has_param[buffer.index()] => continue,
                BufferOrigin::Param | BufferOrigin::Decl { data: None } => WORLD,
                BufferOrigin::Match { handle: pointer }
                | BufferOrigin::Decl { data: Some(pointer) } => self.of(*pointer).unwrap_or(WORLD),
                BufferOrigin::MatchRegion(region) => self.buffer(region.buffer),
                BufferOrigin::View { source, .. } => self.buffer(*source),
            };
            self.sets.unite(element, same);
        }
    }

    // ---- what escapes ----

    fn escape(&mut self, expr: ExprId) {
        if let Some(element) = self.of(expr) {
            self.escaping[element as usize] = true;
        }
    }

    /// An argument of a callee that may keep it: an element may be taken by reference, and each item of a list is one.
    fn escape_argument(&mut self, argument: ExprId) {
        let body = self.body;
        let mut stack = vec![argument];
        while let Some(at) = stack.pop() {
            self.escape(at);
            match body.expr(at).kind {
                ExprKind::Load { buffer, .. } => {
                    let element = self.buffer(buffer);
                    self.escaping[element as usize] = true;
                }
                kind if is_list(kind) => body.each_child(kind, &mut |it| stack.push(it)),
                _ => {}
            }
        }
    }

    /// Expressions in compile-time data.
    fn escape_attrs(&mut self, attrs: &AttrDict) {
        for expr in attrs.iter().flat_map(|it| it.1.expressions()) {
            self.escape_argument(expr);
        }
    }

    fn escapes_of_node(&mut self, expr: ExprId) {
        let body = self.body;
        match body.expr(expr).kind {
            call @ ExprKind::Call { callee, args, attrs, .. } => {
                let effects = self.effects.call(body, call);
                let keeps = kept_arguments(callee, effects);
                let attrs = body.dict(attrs);
                for (index, &arg) in body.items(args).iter().enumerate() {
                    match keeps {
                        Keeps::All => self.escape_argument(arg),
                        Keeps::Unstated if !is_followed(effects.operand_use(attrs, index)) => {
                            self.escape(arg);
                        }
                        _ => {}
                    }
                }
                if keeps != Keeps::Nothing {
                    self.escape_attrs(attrs);
                }
            }
            ExprKind::Let { value, .. } => self.escape(value),
            ExprKind::Lambda { body, .. } => self.escape(body),
            _ => {}
        }
    }

    fn escapes_of_op(&mut self, op: ir::OpId) {
        let body = self.body;
        let data = &body.ops[op];
        match data.kind {
            OpKind::Store { .. } => {
                if let Some(&value) = data.operands.first() {
                    self.escape(value);
                }
            }
            OpKind::Return | OpKind::Opaque(_) | OpKind::Named(_) => {
                data.operands.iter().for_each(|&it| self.escape(it));
            }
            _ => {}
        }
        for successor in &data.successors {
            body.items(successor.args).iter().for_each(|&it| self.escape(it));
        }
    }
}
