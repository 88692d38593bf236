//! Dynamic counts: how much a program computes, the measure of a rewrite's savings.
//!
//! Every node of an expression that a run evaluates counts once for each lane that it is evaluated for: for each active
//! thread of a block, each lane of a vectorised loop, each lane of a vector type. So a count does not depend on values
//! that the interpreter itself computes only once for all lanes, and a loop counts the same before and after it is
//! vectorised. Lazy operands count where they are evaluated. The computations of the signature (shapes of arguments)
//! count too.
//!
//! | field | counts |
//! |---|---|
//! | `arith` | binary and unary operators, casts, `Select`, `T.if_then_else`, `T.reinterpret`, `Ramp`, `Broadcast`, `Shuffle` |
//! | `loads` | elements read from buffers |
//! | `stores` | elements written to buffers, results of thread reductions among them |
//! | `calls` | all other calls: intrinsics such as `exp`, barriers, reductions over threads |
//!
//! Nothing are: variables, constants, `Let` itself, buffer properties, hints (`T.likely`), the multiplication of an
//! index by a stride, and accesses to mutable scalars of `tirx` (`x = e`): those are variables too. Lanes that a
//! predicate switches off count as loads and stores, as the instruction is there.

use ir::{Body, Callee, DataType, ExprKind, Intrinsic, Lanes, Type};

/// Operations evaluated in a run, by kind.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Counts {
    /// Operators and conversions.
    pub arith: u64,
    /// Elements loaded.
    pub loads: u64,
    /// Elements stored.
    pub stores: u64,
    /// Calls.
    pub calls: u64,
}

impl Counts {
    /// All of them.
    pub fn total(self) -> u64 {
        self.arith + self.loads + self.stores + self.calls
    }

    /// Returns the counts since `earlier`.
    pub(super) fn since(self, earlier: Counts) -> Counts {
        Counts {
            arith: self.arith - earlier.arith,
            loads: self.loads - earlier.loads,
            stores: self.stores - earlier.stores,
            calls: self.calls - earlier.calls,
        }
    }

    /// Adds `other`, `times` times.
    pub(super) fn add(&mut self, other: Counts, times: u64) {
        self.arith += other.arith * times;
        self.loads += other.loads * times;
        self.stores += other.stores * times;
        self.calls += other.calls * times;
    }
}

/// The lanes of a vector type; 1 for everything else.
pub(super) fn lanes_of(ty: Type) -> u64 {
    match ty.prim().map(|it: DataType| it.lanes) {
        Some(Lanes::Fixed(n) | Lanes::Scalable(n)) => n.into(),
        None => 1,
    }
}

/// Returns the counts of one evaluation of a node, without its operands.
pub(super) fn own(body: &Body, kind: ExprKind, ty: Type) -> Counts {
    let n = lanes_of(ty);
    let arith = Counts { arith: n, ..Counts::default() };
    match kind {
        ExprKind::Binary(..)
        | ExprKind::Unary(..)
        | ExprKind::Cast(_)
        | ExprKind::Select(..)
        | ExprKind::IfThenElse(..)
        | ExprKind::Ramp { .. }
        | ExprKind::Broadcast { .. }
        | ExprKind::Shuffle { .. } => arith,
        ExprKind::Load { buffer, .. } if !body.buffers[buffer].is_cell() => {
            Counts { loads: n, ..Counts::default() }
        }
        ExprKind::Call { callee: Callee::Intrinsic(_, Intrinsic::Reinterpret), .. } => arith,
        ExprKind::Call { callee: Callee::Intrinsic(_, it), .. } if it.is_transparent() => {
            Counts::default()
        }
        ExprKind::Call { .. } => Counts { calls: n, ..Counts::default() },
        _ => Counts::default(),
    }
}
