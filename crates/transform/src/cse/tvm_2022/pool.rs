//! Expressions as the pass of 2022 sees them while it rewrites.
//!
//! In: nodes of a body, imported with named values replaced. Out: hash-consed terms ([`X`]): equal terms are one, so
//! that deep equality is a comparison of numbers. Unlike in the body, the variable of a `Let` is a variable of its own,
//! as in TVM: two lets with the same text are two terms. Making a term is O(operands).

use ir::{Body, ExprId, ExprKind, ExprListId, Type, ValueId, arena::Id};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// A term.
pub(super) type X = u32;
/// A variable: of the body by its number, then the variables of lets and those that the pass makes.
pub(super) type Var = u32;
/// The operands of a term.
pub(super) type Operands = SmallVec<[X; 3]>;

/// The kind of a term, apart from its operands.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Tag {
    /// A variable.
    Var(Var),
    /// A constant of the body.
    Constant(ExprId),
    /// A property of a buffer: a variable that the pass never knows.
    Unbound(ExprId),
    /// An expression that this pass does not look into.
    Unknown(ExprId),
    /// An operator with operands; the kind has no operands of its own.
    Node(ExprKind),
    /// Operands: value, body.
    Let(Var),
}

/// A term with its cached properties.
#[derive(Clone, Debug)]
pub(super) struct Term {
    pub(super) tag: Tag,
    pub(super) ty: Type,
    pub(super) operands: Operands,
    /// Nodes of the tree, saturating; numbers of lanes do not count.
    pub(super) size: u32,
    /// May be taken out, if its variables are known.
    pub(super) is_eligible: bool,
    /// It contains a call, a load or an opaque expression.
    is_forbidden: bool,
    /// Has a let in it.
    pub(super) has_let: bool,
    /// The expression of the body where the term was first met.
    pub(super) origin: ExprId,
    /// The lets around that, in its operand: from there its free bound variables count.
    pub(super) depth: u32,
}

/// A node of the body, and the lets around it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Origin {
    pub(super) expr: ExprId,
    pub(super) depth: u32,
}

impl Term {
    /// Returns the place where it was first met.
    pub(super) fn first(&self) -> Origin {
        Origin { expr: self.origin, depth: self.depth }
    }
}

/// The terms of a run.
pub(super) struct Pool<'a> {
    pub(super) body: &'a Body,
    terms: Vec<Term>,
    index: FxHashMap<(Tag, Type, Operands), X>,
    n_vars: u32,
    /// By node of the body: no text stands for it, so it cannot be taken out. Empty without a text.
    textless: Vec<bool>,
}

impl<'a> Pool<'a> {
    pub(super) fn new(body: &'a Body, textless: Vec<bool>) -> Pool<'a> {
        let n_vars = body.values.len() as u32;
        Pool { body, terms: Vec::new(), index: FxHashMap::default(), n_vars, textless }
    }

    pub(super) fn term(&self, x: X) -> &Term {
        &self.terms[x as usize]
    }
    pub(super) fn n_vars(&self) -> usize {
        self.n_vars as usize
    }
    /// The body's value of a variable; none for those of lets and those that the pass makes.
    pub(super) fn value_of(&self, var: Var) -> Option<ValueId> {
        ((var as usize) < self.body.values.len()).then(|| ValueId::new(var as usize))
    }
    pub(super) fn new_var(&mut self) -> Var {
        self.n_vars += 1;
        self.n_vars - 1
    }
    pub(super) fn var(&mut self, var: Var, ty: Type, origin: Origin) -> X {
        self.make(Tag::Var(var), ty, Operands::new(), origin)
    }

    pub(super) fn make(&mut self, tag: Tag, ty: Type, operands: Operands, origin: Origin) -> X {
        let key = (tag, ty, operands);
        if let Some(&x) = self.index.get(&key) {
            return x;
        }
        let mut size = 1u32;
        let mut is_forbidden = is_forbidden(tag);
        let mut has_let = matches!(tag, Tag::Let(_));
        for &it in visited(tag, &key.2) {
            let operand = self.term(it);
            is_forbidden |= operand.is_forbidden;
            has_let |= operand.has_let;
            size = size.saturating_add(operand.size);
        }
        let is_textless = self.textless.get(origin.expr.index()).copied().unwrap_or_default();
        let is_eligible = !is_forbidden && !is_textless && is_operator(tag);
        let x = self.terms.len() as X;
        let operands = key.2.clone();
        let Origin { expr: origin, depth } = origin;
        let term =
            Term { tag, ty, operands, size, is_eligible, is_forbidden, has_let, origin, depth };
        self.terms.push(term);
        self.index.insert(key, x);
        x
    }

    /// The term with other operands: itself if they are the same.
    pub(super) fn with_operands(&mut self, x: X, operands: Operands) -> X {
        let term = self.term(x);
        if term.operands == operands {
            return x;
        }
        let (tag, ty, origin) = (term.tag, term.ty, term.first());
        self.make(tag, ty, operands, origin)
    }

    /// The operands that the pass looks at: all but numbers of lanes.
    pub(super) fn visited(&self, x: X) -> &[X] {
        let term = self.term(x);
        visited(term.tag, &term.operands)
    }

    /// The largest parts of a term that may be taken out, left to right; itself if it may.
    pub(super) fn maximal(&self, x: X, found: &mut Vec<X>) {
        let mut stack = vec![x];
        while let Some(at) = stack.pop() {
            if self.term(at).is_eligible {
                found.push(at);
            } else {
                stack.extend(self.visited(at).iter().rev());
            }
        }
    }

    /// The largest parts strictly inside a term that may be taken out, left to right.
    pub(super) fn parts(&self, x: X, found: &mut Vec<X>) {
        for &it in self.visited(x) {
            self.maximal(it, found);
        }
    }
}

fn visited(tag: Tag, operands: &[X]) -> &[X] {
    match tag {
        Tag::Node(ExprKind::Ramp { .. }) => &operands[..2],
        Tag::Node(ExprKind::Broadcast { .. }) => &operands[..1],
        _ => operands,
    }
}

fn is_forbidden(tag: Tag) -> bool {
    use ExprKind::{Call, IfThenElse, Load, Region, Slice, Tuple};
    match tag {
        Tag::Unknown(_) => true,
        // `T.if_then_else` is a call in TVM.
        Tag::Node(kind) => matches!(
            kind,
            Call { .. } | IfThenElse(..) | Load { .. } | Region(..) | Slice { .. } | Tuple(_)
        ),
        _ => false,
    }
}

fn is_operator(tag: Tag) -> bool {
    match tag {
        Tag::Node(kind) => !matches!(kind, ExprKind::Ramp { .. } | ExprKind::Broadcast { .. }),
        Tag::Let(_) => true,
        _ => false,
    }
}

/// Returns the kind of a node without its operands and children.
pub(super) fn tag_of(body: &Body, expr: ExprId) -> Tag {
    let none = ExprId::new(0);
    let list = ExprListId::new(0);
    let kind = body.expr(expr).kind;
    Tag::Node(match kind {
        ExprKind::Value(value) => return Tag::Var(value.index() as Var),
        ExprKind::Int(_) | ExprKind::Float(_) | ExprKind::Str(_) => return Tag::Constant(expr),
        ExprKind::BufferField(..) | ExprKind::Buffer(_) => return Tag::Unbound(expr),
        ExprKind::Opaque { .. } | ExprKind::Lambda { .. } | ExprKind::Bound(_) => {
            return Tag::Unknown(expr);
        }
        ExprKind::Binary(op, ..) => ExprKind::Binary(op, none, none),
        ExprKind::Unary(op, _) => ExprKind::Unary(op, none),
        ExprKind::Cast(_) => ExprKind::Cast(none),
        ExprKind::Select(..) => ExprKind::Select(none, none, none),
        ExprKind::IfThenElse(..) => ExprKind::IfThenElse(none, none, none),
        ExprKind::Load { buffer, predicate, .. } => {
            ExprKind::Load { buffer, indices: list, predicate: predicate.map(|_| none) }
        }
        ExprKind::Region(buffer, _) => ExprKind::Region(buffer, list),
        ExprKind::Slice { lower, upper, step } => ExprKind::Slice {
            lower: lower.map(|_| none),
            upper: upper.map(|_| none),
            step: step.map(|_| none),
        },
        ExprKind::Ramp { .. } => ExprKind::Ramp { base: none, stride: none, lanes: none },
        ExprKind::Broadcast { .. } => ExprKind::Broadcast { value: none, lanes: none },
        // The indices are constants: they say where the vectors end, too.
        ExprKind::Shuffle { indices, .. } => ExprKind::Shuffle { vectors: list, indices },
        ExprKind::Let { .. } => ExprKind::Let { value: none, body: none },
        ExprKind::Call { callee, attrs, instance, .. } => {
            ExprKind::Call { callee, args: list, attrs, instance }
        }
        ExprKind::Tuple(_) => ExprKind::Tuple(list),
    })
}
