//! The roles of operands, which decide what may be substituted for them.
//!
//! Most operands are values: computed where they stand, each time. Others are read by passes, parsers or printers (a
//! number of lanes, a type, a region of a buffer, a layout) and must be seen as they are written: a variable in their
//! place would carry no information. In: a body. Out: the [`Role`] of an operand, of a part of an expression, or of all
//! occurrences ([`Roles`]). A part of such an operand has the role of the operand. Planners that substitute for an
//! operand ask [`may_become`], [`Roles::may_become`] or [`Roles::may_become_name`], and nothing else;
//! [`Role::takes_equal`] tells early that there is no candidate.
//!
//! The presets that follow TVM substitute as TVM does, also for these; they refuse the unsound cases.
//!
//! O(1) an operand; O(occurrences) for all.

mod arguments;
mod becomes;
mod folded;

use crate::{
    Body, BufferOrigin, Callee, ExprId, ExprKind, ForKind, Lanes, OccurrenceId, Occurrences, OpId,
    OpKind, Type, arena::Id as _,
};

pub use becomes::{is_place, may_become};
pub use folded::{is_judged, may_be_constant, may_become_constant};

/// The role of an operand.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Role {
    /// It is computed where it stands, and used.
    Value,
    /// The number of threads of a launch: computed by the host before it, and part of how the kernel is launched.
    Launch,
    /// The bounds of a loop whose extent is seen only in both together, or has to be a constant: to be unrolled, or
    /// made lanes of.
    Trips,
    /// The number of lanes of a vector; not evaluated.
    Lanes,
    /// The mask of the accessed lanes.
    Mask,
    /// A type that stands as an expression.
    Type,
    /// A bound of a part of a buffer, whose extent is seen only in both bounds together.
    Bounds,
    /// An extent, a stride or the offset of a buffer where it is made: how memory is laid out.
    Layout,
    /// A value that is converted to a type that is not known: as a constant it would be converted where it is read, and
    /// may not fit. Or one that TVM asks for its type: a number of Python has none.
    Converted,
    /// An operand that TVM needs as a constant, maybe after loops were unrolled.
    Constant,
    /// The extents of a scope of threads where its index is defined (`T.cta_id([4])`).
    Scope,
    /// An annotation for passes (`T.attr`), or an assumption.
    Annotation,
    /// Evaluated later, with other values of its parameters (a reducer).
    Function,
    /// Part of a statement that is kept by its text.
    Text,
}

impl Role {
    /// All of them.
    pub const ALL: [Role; 14] = [
        Role::Value,
        Role::Launch,
        Role::Trips,
        Role::Lanes,
        Role::Mask,
        Role::Type,
        Role::Bounds,
        Role::Layout,
        Role::Converted,
        Role::Constant,
        Role::Scope,
        Role::Annotation,
        Role::Function,
        Role::Text,
    ];

    /// Returns true if a variable that holds the value may be substituted.
    pub fn takes_name(self) -> bool {
        match self {
            Role::Value | Role::Launch | Role::Layout | Role::Converted => true,
            Role::Trips
            | Role::Lanes
            | Role::Mask
            | Role::Type
            | Role::Bounds
            | Role::Constant
            | Role::Scope
            | Role::Annotation
            | Role::Function
            | Role::Text => false,
        }
    }

    /// Returns true if another expression of the same value may be substituted while the operands beside it stay.
    pub fn takes_equal(self) -> bool {
        match self {
            Role::Value | Role::Trips | Role::Mask | Role::Function | Role::Converted => true,
            Role::Launch
            | Role::Lanes
            | Role::Type
            | Role::Bounds
            | Role::Layout
            | Role::Constant
            | Role::Scope
            | Role::Annotation
            | Role::Text => false,
        }
    }

    /// Returns true if a constant has the same meaning there as an expression of its value; asked beside
    /// [`Role::takes_equal`].
    pub fn takes_constant(self) -> bool {
        self != Role::Converted
    }

    /// Returns the role of a part that has role `part` in an operand of this role.
    fn around(self, part: Role) -> Role {
        match self {
            Role::Value | Role::Converted => part,
            Role::Launch | Role::Layout if part != Role::Value => part,
            _ => self,
        }
    }
}

/// The role of an operand of an operation.
pub fn of_operand(body: &Body, op: OpId, operand: usize) -> Role {
    let data = &body.ops[op];
    if is_type(body, data.operands[operand]) {
        return Role::Type;
    }
    match data.kind {
        OpKind::For(kind) => of_bounds(body, op, kind, operand),
        OpKind::LaunchThread { .. } => Role::Launch,
        OpKind::Store { predicated, .. } if predicated && operand + 1 == data.operands.len() => {
            Role::Mask
        }
        OpKind::Alloc { buffer, .. } | OpKind::DeclBuffer { buffer } => {
            let has_pointer =
                matches!(body.buffers[buffer].origin, BufferOrigin::Decl { data: Some(_) });
            let is_pointer = has_pointer && operand + 1 == data.operands.len();
            if is_pointer { Role::Value } else { Role::Layout }
        }
        OpKind::Attr(_) => Role::Annotation,
        OpKind::Opaque(_) => Role::Text,
        OpKind::If
        | OpKind::While
        | OpKind::SBlock(_)
        | OpKind::EnvThread(_)
        | OpKind::AttrDict
        | OpKind::Store { .. }
        | OpKind::Bind
        | OpKind::Evaluate
        | OpKind::Assert
        | OpKind::Return
        | OpKind::Break
        | OpKind::Continue
        | OpKind::Named(_) => Role::Value,
    }
}

/// The role of a bound of a loop. `T.serial(a, b)` has the extent `b - a`.
fn of_bounds(body: &Body, op: OpId, kind: ForKind, operand: usize) -> Role {
    match kind {
        ForKind::ThreadBinding(_) if operand < 2 => Role::Launch,
        ForKind::ThreadBinding(_) | ForKind::Vectorized | ForKind::Unrolled => Role::Trips,
        ForKind::Serial | ForKind::Parallel => {
            let starts_at_constant = body.expr(body.ops[op].operands[0]).is_constant();
            if starts_at_constant { Role::Value } else { Role::Trips }
        }
    }
}

/// The role of an operand of an expression, the `index`-th as [`Body::each_child`] counts them, if the expression is a
/// value.
pub fn of_child(body: &Body, parent: ExprId, index: usize, child: ExprId) -> Role {
    match is_type(body, child) {
        true => Role::Type,
        false => of_part(body, body.expr(parent).kind, index),
    }
}

fn of_part(body: &Body, kind: ExprKind, index: usize) -> Role {
    match kind {
        ExprKind::Load { indices, .. } if index >= body.items(indices).len() => Role::Mask,
        ExprKind::Ramp { .. } if index == 2 => Role::Lanes,
        ExprKind::Broadcast { .. } if index == 1 => Role::Lanes,
        ExprKind::Shuffle { vectors, .. } if index >= body.items(vectors).len() => Role::Constant,
        ExprKind::Slice { .. } => Role::Bounds,
        ExprKind::Lambda { .. } => Role::Function,
        ExprKind::Call { callee, args, .. } => match callee {
            Callee::Intrinsic(name, it) => {
                arguments::of(body, (body.name(name), it), body.items(args), index)
            }
            // Functions of the module take values.
            Callee::Function(_) => Role::Value,
            // Python that may look at what it is given.
            Callee::Unknown(_) => Role::Text,
        },
        ExprKind::Opaque { .. } => Role::Text,
        ExprKind::Value(_)
        | ExprKind::Bound(_)
        | ExprKind::Int(_)
        | ExprKind::Float(_)
        | ExprKind::Str(_)
        | ExprKind::Binary(..)
        | ExprKind::Unary(..)
        | ExprKind::Cast(_)
        | ExprKind::Select(..)
        | ExprKind::IfThenElse(..)
        | ExprKind::Load { .. }
        | ExprKind::BufferField(..)
        | ExprKind::Buffer(_)
        | ExprKind::Region(..)
        | ExprKind::Ramp { .. }
        | ExprKind::Broadcast { .. }
        | ExprKind::Shuffle { .. }
        | ExprKind::Let { .. }
        | ExprKind::Tuple(_) => Role::Value,
    }
}

/// Returns true if an expression defines the index of a thread, a warp, a block … by the extents of its scope:
/// `T.cta_id([4])`.
pub fn defines_threads(body: &Body, expr: ExprId) -> bool {
    matches!(body.expr(expr).kind, ExprKind::Call { callee: Callee::Intrinsic(_, it), .. }
        if it.is_scope_index())
}

/// Returns true if an expression stands for a type, wherever it occurs.
pub(crate) fn is_type(body: &Body, expr: ExprId) -> bool {
    matches!(body.expr(expr).kind, ExprKind::Call { callee: Callee::Intrinsic(_, it), .. } if it.is_type())
}

/// Returns true if a variable can hold values of this type. TVMScript has no annotation for vectors of scalable length.
pub fn has_annotation(ty: Type) -> bool {
    ty.prim().is_none_or(|it| matches!(it.lanes, Lanes::Fixed(_)))
}

/// Nodes that are looked at for one of known type.
const MAX_OPEN: usize = 64;

/// Returns true if an expression is made of captured values and constants alone: TVM computes it as it reads it, and
/// nothing of it is left in the kernel (`SEMANTICS: G1`). O(1): small expressions only.
pub fn is_staged(body: &Body, expr: ExprId) -> bool {
    if !body.expr(expr).flags.has_captured {
        return false;
    }
    let mut stack = vec![expr];
    let mut n_seen = 0;
    while let Some(at) = stack.pop() {
        n_seen += 1;
        match body.expr(at).kind {
            _ if n_seen > MAX_OPEN => return false,
            ExprKind::Int(_) | ExprKind::Float(_) => {}
            ExprKind::Value(value) if body.is_captured(value) => {}
            kind @ (ExprKind::Binary(..)
            | ExprKind::Unary(..)
            | ExprKind::Cast(_)
            | ExprKind::Select(..)) => body.each_child(kind, &mut |it| stack.push(it)),
            _ => return false,
        }
    }
    true
}

/// Returns true if an expression of unknown type is an operator on numbers of which one is IR of 32 bits and more or a
/// float, and none is a vector of unknown length: then it is a number that C computes in its own width, whatever the
/// captured values in it are (`SEMANTICS: G3`). O(1): small expressions only.
pub fn is_open_number(body: &Body, expr: ExprId) -> bool {
    let node = body.expr(expr);
    let is_operator = matches!(node.kind, ExprKind::Binary(op, ..) if !op.is_comparison());
    if !is_operator || node.ty != Type::Unknown || node.flags.has_unknown {
        return false;
    }
    let mut has_known = false;
    let mut stack = vec![expr];
    let mut n_seen = 0;
    while let Some(at) = stack.pop() {
        let node = body.expr(at);
        n_seen += 1;
        match (node.kind, node.ty) {
            _ if n_seen > MAX_OPEN => return false,
            (_, Type::Prim(dtype)) => {
                let is_wide = dtype.is_integer() && dtype.bits >= 32;
                has_known |= is_wide || dtype.is_float();
                if !has_annotation(node.ty) || dtype.is_symbolic() {
                    return false;
                }
            }
            (ExprKind::Value(value), Type::Unknown) if body.is_captured(value) => {}
            (kind @ (ExprKind::Binary(..) | ExprKind::Cast(_)), Type::Unknown) => {
                body.each_child(kind, &mut |it| stack.push(it));
            }
            _ => return false,
        }
    }
    has_known
}

/// The roles of all occurrences of a body.
pub struct Roles(Vec<Role>);

impl Roles {
    /// Looks at all occurrences, outer before inner.
    pub fn of(body: &Body, occurrences: &Occurrences) -> Roles {
        let mut roles = vec![Role::Value; occurrences.len()];
        for (id, it) in occurrences.iter() {
            if it.parent.is_none() {
                roles[id.index()] = of_operand(body, it.op, it.operand as usize);
            }
            let here = roles[id.index()];
            let mut child = OccurrenceId::new(id.index() + 1);
            let mut index = 0;
            while child < it.end {
                let role = of_child(body, it.expr, index, occurrences[child].expr);
                roles[child.index()] = here.around(role);
                child = occurrences[child].end;
                index += 1;
            }
        }
        Roles(roles)
    }

    /// The role of an occurrence.
    pub fn role(&self, occurrence: OccurrenceId) -> Role {
        self.0[occurrence.index()]
    }
}

#[cfg(test)]
mod tests;
