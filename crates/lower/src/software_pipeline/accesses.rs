//! The memory that each statement of a pipeline reads and writes.
//!
//! In: the operations of a statement. Out: the objects in memory ([`RootId`]) that it reads and that it writes, and
//! whether it does more than that: a barrier, a wait, a call of which not all is known. O(occurrences of the
//! statement), and classes of memory a call.

use std::collections::BTreeSet;

use barriers::instructions::{Instruction, instruction};
use dataflow::{
    alias::{AliasClass, AliasClasses, Reach, RootId},
    analyses::Analyses,
    flow::Flow,
    touch::{Cell, Touch, Touches},
};
use ir::{Body, BufferId, ExprKind, OpId, OpKind};

use crate::vectorize::lanes::is_in_kernel;

/// The objects that a statement accesses.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(super) struct Accesses {
    pub(super) reads: BTreeSet<RootId>,
    pub(super) writes: BTreeSet<RootId>,
    /// Of these, the objects that calls access.
    pub(super) by_calls: BTreeSet<RootId>,
    /// An operation that may access anything.
    pub(super) wild: Option<OpId>,
}

impl Accesses {
    /// Returns true if the order of two statements matters for an object.
    pub(super) fn conflict(&self, other: &Accesses, root: RootId) -> bool {
        let touches = |it: &Accesses| it.reads.contains(&root) || it.writes.contains(&root);
        (self.writes.contains(&root) && touches(other))
            || (other.writes.contains(&root) && touches(self))
    }
}

/// The objects of a body.
pub(super) struct Objects<'a> {
    body: &'a Body,
    aliases: &'a AliasClasses,
    /// By class: its objects.
    of_class: Vec<(AliasClass, BTreeSet<RootId>)>,
    /// True in kernels, whose parameters do not overlap (`SEMANTICS: M6`).
    is_in_kernel: bool,
}

impl<'a> Objects<'a> {
    /// Of a body, for statements in a loop.
    pub(super) fn of(body: &'a Body, analyses: &'a Analyses<'a>, op: OpId) -> Objects<'a> {
        let aliases = analyses.aliases();
        let mut of_class: Vec<(AliasClass, BTreeSet<RootId>)> = Vec::new();
        for (buffer, _) in body.buffers.iter() {
            let class = aliases.class(buffer);
            match of_class.binary_search_by_key(&class, |it| it.0) {
                Ok(at) => drop(of_class[at].1.insert(aliases.root(buffer))),
                Err(at) => of_class.insert(at, (class, BTreeSet::from([aliases.root(buffer)]))),
            }
        }
        Objects { body, aliases, of_class, is_in_kernel: is_in_kernel(body, op) }
    }

    /// The object of a buffer.
    pub(super) fn root(&self, buffer: BufferId) -> RootId {
        self.aliases.root(buffer)
    }

    fn of_buffer(&self, buffer: BufferId) -> BTreeSet<RootId> {
        match self.is_in_kernel {
            true => BTreeSet::from([self.aliases.root(buffer)]),
            false => self.in_class(self.aliases.class(buffer)),
        }
    }

    fn in_class(&self, class: AliasClass) -> BTreeSet<RootId> {
        let at = self.of_class.binary_search_by_key(&class, |it| it.0);
        at.map_or_else(|_| BTreeSet::new(), |at| self.of_class[at].1.clone())
    }

    /// The accesses of a statement that has these operations.
    pub(super) fn accesses(
        &self,
        flow: &Flow<'_>,
        touches: &Touches<'_>,
        ops: &[OpId],
    ) -> Accesses {
        let mut all = Accesses::default();
        for &op in ops {
            let data = &self.body.ops[op];
            match data.kind {
                OpKind::Store { buffer, .. } => all.writes.extend(self.of_buffer(buffer)),
                // Memory of the statement itself.
                OpKind::Alloc { .. } => {}
                OpKind::Assert | OpKind::Return => all.wild = all.wild.or(Some(op)),
                _ => self.add(&touches.operation(op), op, &mut all),
            }
            for id in flow.occurrences.of_op(op) {
                let expr = flow.occurrences[id].expr;
                let touch = || touches.occurrence(id);
                match self.body.expr(expr).kind {
                    ExprKind::Load { buffer, .. } if !touch().reads.is_empty() => {
                        all.reads.extend(self.of_buffer(buffer));
                    }
                    ExprKind::Load { .. } => {}
                    ExprKind::Call { .. } => match instruction(self.body, expr) {
                        Some(known) => self.instruction(&known, op, &mut all),
                        None => self.add(&touch(), op, &mut all),
                    },
                    _ => self.add(&touch(), op, &mut all),
                }
            }
        }
        all
    }

    fn instruction(&self, known: &Instruction<'_>, op: OpId, all: &mut Accesses) {
        // Copies in flight and waits are counted by time.
        if matches!(
            known,
            Instruction::Copy(_)
                | Instruction::Commit
                | Instruction::Wait(_)
                | Instruction::WaitAll
        ) {
            all.wild = all.wild.or(Some(op));
        }
        for (pointer, is_written) in known.pointers() {
            let class = self.aliases.of_address(pointer).filter(|it| *it != self.aliases.world());
            let Some(class) = class else {
                all.wild = all.wild.or(Some(op));
                continue;
            };
            let roots = self.in_class(class);
            all.by_calls.extend(roots.iter().copied());
            let reads = !is_written || matches!(known, Instruction::Mma(_));
            if is_written {
                all.writes.extend(roots.iter().copied());
            }
            if reads {
                all.reads.extend(roots);
            }
        }
    }

    fn add(&self, touch: &Touch, op: OpId, all: &mut Accesses) {
        let kinds = [Reach::Private, Reach::Escaped, Reach::Visible].map(Cell::reach);
        let is_wild = |it: &Cell| kinds.contains(it) || *it == Cell::OUTLIVING;
        if touch.reads.iter().chain(&touch.writes).any(is_wild) {
            all.wild = all.wild.or(Some(op));
        }
        for (class, roots) in &self.of_class {
            let cell = Cell::class(*class);
            if touch.reads.contains(&cell) || touch.writes.contains(&cell) {
                all.by_calls.extend(roots.iter().copied());
            }
            if touch.reads.contains(&cell) {
                all.reads.extend(roots.iter().copied());
            }
            if touch.writes.contains(&cell) {
                all.writes.extend(roots.iter().copied());
            }
        }
        let world = Cell::class(self.aliases.world());
        if touch.reads.contains(&world) || touch.writes.contains(&world) {
            all.wild = all.wild.or(Some(op));
        }
    }
}
