//! A kernel taken apart where the threads of a block wait for each other.
//!
//! In: a body and a launch. Out: its [`Part`]s, in order. Launches are open: their contents are in the list around
//! them, since each thread of the kernel executes them wherever they stand.

use ir::{Body, ForKind, Intrinsic, OpId, OpKind};
use rustc_hash::FxHashSet;

use super::plan::refuse;
use crate::{LowerRefusal, lists::ops_in};

/// Statements with a barrier in them that may be around each other.
const MAX_NESTING: usize = 64;

/// Part of a kernel's work.
pub(super) enum Part {
    /// A stretch between barriers, by its number: every thread does it.
    Threads(usize, Vec<OpId>),
    /// A declaration that all threads of a block see.
    Once(OpId),
    /// A statement with barriers in it, and the contents of each of its regions.
    Around(OpId, Vec<Vec<Part>>),
}

/// The place where something is used.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) enum Place {
    Stretch(usize),
    Once(OpId),
}

/// The parts of a kernel.
pub(super) struct Parts<'a> {
    body: &'a Body,
    splits: FxHashSet<OpId>,
    n_stretches: usize,
    pub(super) list: Vec<Part>,
    /// Statements whose region goes into the list around them.
    pub(super) opened: FxHashSet<OpId>,
}

/// A list under construction.
#[derive(Default)]
struct List {
    parts: Vec<Part>,
    open: Vec<OpId>,
}

impl<'a> Parts<'a> {
    pub(super) fn of(body: &'a Body, kernel: OpId) -> Result<Parts<'a>, LowerRefusal> {
        let mut parts = Parts {
            body,
            splits: splits(body, kernel),
            n_stretches: 0,
            list: Vec::new(),
            opened: FxHashSet::default(),
        };
        let mut list = List::default();
        parts.ops(&[kernel], &mut list, 0)?;
        parts.close(&mut list);
        parts.list = list.parts;
        Ok(parts)
    }

    fn close(&mut self, list: &mut List) {
        if !list.open.is_empty() {
            list.parts.push(Part::Threads(self.n_stretches, std::mem::take(&mut list.open)));
            self.n_stretches += 1;
        }
    }

    fn ops(&mut self, ops: &[OpId], list: &mut List, depth: usize) -> Result<(), LowerRefusal> {
        if depth > MAX_NESTING {
            return Err(refuse("barriers are nested too deep"));
        }
        for &op in ops {
            self.op(op, list, depth).map_err(|it| it.at(op))?;
        }
        Ok(())
    }

    fn op(&mut self, op: OpId, list: &mut List, depth: usize) -> Result<(), LowerRefusal> {
        let body = self.body;
        let data = &body.ops[op];
        if data.regions.iter().any(|&it| body.regions[it].blocks.len() != 1) {
            return Err(refuse("a region of several blocks"));
        }
        if !self.splits.contains(&op) {
            match data.kind {
                OpKind::EnvThread(_) => {}
                _ => {
                    check_jumps(body, op)?;
                    list.open.push(op);
                }
            }
            return Ok(());
        }
        let inside = |at: usize| &body.blocks[body.entry(data.regions[at])].ops;
        match data.kind {
            OpKind::Evaluate => self.close(list),
            OpKind::LaunchThread { .. } => self.ops(inside(0), list, depth + 1)?,
            OpKind::Bind | OpKind::Alloc { .. } | OpKind::DeclBuffer { .. } => {
                self.opened.insert(op);
                list.open.push(op);
                self.ops(inside(0), list, depth + 1)?;
            }
            OpKind::For(ForKind::Serial | ForKind::Unrolled)
            | OpKind::While
            | OpKind::If
            | OpKind::Attr(_)
            | OpKind::AttrDict => {
                self.close(list);
                let mut regions = Vec::new();
                for at in 0..data.regions.len() {
                    let mut inner = List::default();
                    self.ops(inside(at), &mut inner, depth + 1)?;
                    self.close(&mut inner);
                    regions.push(inner.parts);
                }
                list.parts.push(Part::Around(op, regions));
            }
            _ => return Err(refuse("a barrier stands in a statement that no loop is around")),
        }
        Ok(())
    }
}

/// Barriers and launches, and all that has one in it.
fn splits(body: &Body, kernel: OpId) -> FxHashSet<OpId> {
    let mut splits = FxHashSet::from_iter([kernel]);
    for op in ops_in(body, kernel) {
        if is_barrier(body, op) || matches!(body.ops[op].kind, OpKind::LaunchThread { .. }) {
            let mut at = Some(op);
            while let Some(op) = at
                && splits.insert(op)
            {
                at = body.parent_op(op);
            }
        }
    }
    splits
}

fn is_barrier(body: &Body, op: OpId) -> bool {
    let data = &body.ops[op];
    data.kind == OpKind::Evaluate
        && body.operands_of(data.operands[0], Intrinsic::StorageSync).is_some()
}

/// Refuses a jump that would leave the loop over the threads.
fn check_jumps(body: &Body, op: OpId) -> Result<(), LowerRefusal> {
    for inner in std::iter::once(op).chain(ops_in(body, op)) {
        match body.ops[inner].kind {
            OpKind::Return => return Err(refuse("a thread returns").at(inner)),
            OpKind::Break | OpKind::Continue => {}
            _ => continue,
        }
        let mut at = inner;
        while !matches!(body.ops[at].kind, OpKind::For(_) | OpKind::While) {
            match body.parent_op(at) {
                Some(parent) if at != op => at = parent,
                _ => return Err(refuse("a jump leaves a loop with a barrier").at(inner)),
            }
        }
    }
    Ok(())
}

/// The parts with some declarations done once, before the stretch that they stood in.
pub(super) fn hoist(parts: Vec<Part>, hoisted: &FxHashSet<OpId>) -> Vec<Part> {
    let mut list = Vec::new();
    for part in parts {
        match part {
            Part::Threads(number, ops) => {
                let (once, each): (Vec<OpId>, Vec<OpId>) =
                    ops.into_iter().partition(|it| hoisted.contains(it));
                list.extend(once.into_iter().map(Part::Once));
                if !each.is_empty() {
                    list.push(Part::Threads(number, each));
                }
            }
            Part::Around(op, regions) => {
                let regions = regions.into_iter().map(|it| hoist(it, hoisted)).collect();
                list.push(Part::Around(op, regions));
            }
            Part::Once(op) => list.push(Part::Once(op)),
        }
    }
    list
}
