//! The uses between the parts of a kernel.

use std::collections::{BTreeMap, BTreeSet};

use ir::{Body, BufferId, ExprId, ExprKind, OpId, OpKind, ValueId};
use rustc_hash::{FxHashMap, FxHashSet};

use super::parts::{Part, Place};
use crate::{
    LowerRefusal,
    edit::each_node,
    lists::ops_in,
    named_memory::{root, touches},
};

/// A variable that is bound in the list of a stretch.
pub(super) struct Definition {
    pub(super) expr: ExprId,
    pub(super) stretch: usize,
    pub(super) order: usize,
}

impl Definition {
    /// Returns true if other parts read the value from memory: computing it again could give another one.
    pub(super) fn is_kept(&self, body: &Body) -> bool {
        let flags = body.expr(self.expr).flags;
        flags.has_load || flags.has_impure || flags.has_unknown
    }
}

/// Definitions and uses, by place.
#[derive(Default)]
pub(super) struct Uses {
    pub(super) definitions: FxHashMap<ValueId, Definition>,
    pub(super) values: BTreeMap<Place, BTreeSet<ValueId>>,
    /// The place where the memory of each allocation is used, through whatever buffer.
    pub(super) memory: BTreeMap<BufferId, BTreeSet<Place>>,
    /// The place where each buffer is used.
    pub(super) buffers: FxHashMap<BufferId, BTreeSet<Place>>,
    /// The stretch that allocates memory, at any depth.
    pub(super) homes: FxHashMap<BufferId, usize>,
    /// Declarations in the list of a stretch.
    pub(super) declared: BTreeMap<BufferId, (OpId, usize)>,
    /// Stretches in a loop.
    pub(super) repeated: FxHashSet<usize>,
}

impl Uses {
    pub(super) fn parts(
        &mut self,
        body: &Body,
        parts: &[Part],
        is_repeated: bool,
    ) -> Result<(), LowerRefusal> {
        for part in parts {
            match part {
                Part::Threads(number, ops) => self.stretch(body, *number, ops, is_repeated),
                Part::Once(op) => self.operation(body, *op, Place::Once(*op)),
                Part::Around(op, regions) => {
                    self.operation(body, *op, Place::Once(*op));
                    let is_loop = matches!(body.ops[*op].kind, OpKind::For(_) | OpKind::While);
                    for parts in regions {
                        self.parts(body, parts, is_repeated || is_loop)?;
                    }
                }
            }
        }
        Ok(())
    }

    fn stretch(&mut self, body: &Body, number: usize, ops: &[OpId], is_repeated: bool) {
        if is_repeated {
            self.repeated.insert(number);
        }
        for &op in ops {
            let data = &body.ops[op];
            match data.kind {
                OpKind::Bind => {
                    if let (Some(&value), Some(&expr)) =
                        (data.results.first(), data.operands.first())
                    {
                        let order = self.definitions.len();
                        self.definitions.insert(value, Definition { expr, stretch: number, order });
                    }
                }
                OpKind::Alloc { buffer, .. } | OpKind::DeclBuffer { buffer } => {
                    self.declared.insert(buffer, (op, number));
                }
                _ => {}
            }
            for op in std::iter::once(op).chain(ops_in(body, op)) {
                if let OpKind::Alloc { buffer, .. } = body.ops[op].kind {
                    self.homes.insert(buffer, number);
                }
                self.operation(body, op, Place::Stretch(number));
            }
        }
    }

    fn operation(&mut self, body: &Body, op: OpId, place: Place) {
        let values = self.values.entry(place).or_default();
        for &operand in &body.ops[op].operands {
            each_node(body, operand, &mut |at| {
                if let ExprKind::Value(value) = body.expr(at).kind {
                    values.insert(value);
                }
            });
        }
        if matches!(body.ops[op].kind, OpKind::DeclBuffer { .. } | OpKind::Alloc { .. }) {
            return;
        }
        touches(body, op, &mut |buffer| {
            self.buffers.entry(buffer).or_default().insert(place);
            self.memory.entry(root(body, buffer)).or_default().insert(place);
        });
    }
}
