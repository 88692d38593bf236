//! Plain statements, executed on terms by one function alone.
//!
//! A statement is *plain* if it neither loops, nor jumps, nor has an effect that others see before the function ends:
//! the two functions need not meet at it.

use std::collections::BTreeMap;

use ir::{
    BlockId, BufferId, Callee, ExprId, ExprKind, Intrinsic, OpId, OpKind, RegionId, SBlockId,
    ValueId,
};

use crate::{
    engine::{Engine, Stop},
    memory::ClassId,
    names::initial_memory,
    side::{Side, Value, Which},
    term::Term,
};

type Result<T> = std::result::Result<T, Stop>;

/// The statements left to execute; the last one is next.
pub(crate) type Rest = Vec<Item>;

/// A part of what is left.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Item {
    /// A statement.
    Op(OpId),
    /// A variable of a loop that is written out gets its value.
    Let(ValueId, Value),
}

impl Engine<'_> {
    /// Puts the statements of a region before what is left.
    pub(crate) fn enter(&self, side: &Side<'_>, region: RegionId, rest: &mut Rest) -> Result<()> {
        let block = self.only_block(side, region)?;
        rest.extend(side.body.blocks[block].ops.iter().rev().map(|&it| Item::Op(it)));
        Ok(())
    }

    pub(crate) fn only_block(&self, side: &Side<'_>, region: RegionId) -> Result<BlockId> {
        match side.body.regions[region].blocks[..] {
            [block] => Ok(block),
            _ => Err(Stop::unsupported("a region of several blocks")),
        }
    }

    /// Executes statements until one at which the functions meet, or the end.
    pub(crate) fn advance(&mut self, side: &mut Side<'_>, rest: &mut Rest) -> Result<()> {
        while let Some(&item) = rest.last() {
            let op = match item {
                Item::Let(variable, value) => {
                    side.values.insert(variable, value);
                    rest.pop();
                    continue;
                }
                Item::Op(op) => op,
            };
            if self.is_plain(side, op) {
                rest.pop();
                self.execute(side, op)?;
                continue;
            }
            let data = &side.body.ops[op];
            match data.kind {
                OpKind::Attr(_) | OpKind::AttrDict | OpKind::Bind if !data.regions.is_empty() => {
                    rest.pop();
                    let region = data.regions[0];
                    self.own_part(side, op)?;
                    self.enter(side, region, rest)?;
                }
                OpKind::SBlock(id) if !side.body.sblocks[id].has_predicate => {
                    rest.pop();
                    self.bind_block(side, op, id)?;
                    if let Some(&init) = data.regions.get(1) {
                        self.initialise(side, id, init)?;
                    }
                    self.enter(side, data.regions[0], rest)?;
                }
                _ => return Ok(()),
            }
        }
        Ok(())
    }

    /// Returns true if a statement is plain.
    pub(crate) fn is_plain(&mut self, side: &Side<'_>, op: OpId) -> bool {
        let key = (side.which == Which::After, op);
        if let Some(&known) = self.plain.get(&key) {
            return known;
        }
        let known = ir::stack::with_room(|| self.find_plain(side, op));
        self.plain.insert(key, known);
        known
    }

    fn find_plain(&mut self, side: &Side<'_>, op: OpId) -> bool {
        let body = side.body;
        let data = &body.ops[op];
        let is_kind = match data.kind {
            OpKind::If
            | OpKind::Attr(_)
            | OpKind::AttrDict
            | OpKind::Store { .. }
            | OpKind::Bind
            | OpKind::Alloc { .. }
            | OpKind::DeclBuffer { .. }
            | OpKind::EnvThread(_)
            | OpKind::SBlock(_) => true,
            OpKind::Evaluate => !jumps_by_call(side, op),
            _ => false,
        };
        is_kind
            && !data.operands.iter().any(|&it| self.has_effect(side, it))
            && data.regions.iter().all(|&region| {
                let blocks = &body.regions[region].blocks;
                blocks.len() == 1
                    && body.blocks[blocks[0]].ops.iter().all(|&it| self.is_plain(side, it))
            })
    }

    /// Returns true if an expression has a call with effects. Linear in the expression.
    pub(crate) fn has_effect(&self, side: &Side<'_>, expr: ExprId) -> bool {
        let body = side.body;
        let mut stack = vec![expr];
        while let Some(expr) = stack.pop() {
            let node = body.expr(expr);
            if !node.flags.has_call && !node.flags.has_impure {
                continue;
            }
            if let ExprKind::Call { callee, instance, .. } = node.kind {
                use Intrinsic::{Assume, IgnoreLoopPartition, Likely, ThreadInvariant};
                let is_transparent = matches!(
                    callee,
                    Callee::Intrinsic(_, Likely | IgnoreLoopPartition | ThreadInvariant | Assume)
                );
                let effects = self.effects.call(body, node.kind);
                let is_value = effects.is_pure_value() && instance == 0;
                if !is_transparent && !is_value {
                    return true;
                }
            }
            body.each_child(node.kind, &mut |child| stack.push(child));
        }
        false
    }

    /// Returns true if a statement may leave the list that it is in.
    pub(crate) fn may_jump(&mut self, side: &Side<'_>, op: OpId) -> bool {
        let key = (side.which == Which::After, op);
        if let Some(&known) = self.jumps.get(&key) {
            return known;
        }
        let data = &side.body.ops[op];
        let is_jump = match data.kind {
            OpKind::Return | OpKind::Break | OpKind::Continue => true,
            OpKind::Evaluate => jumps_by_call(side, op),
            _ => false,
        };
        let known = is_jump
            || ir::stack::with_room(|| {
                data.regions.iter().any(|&region| {
                    side.body.regions[region].blocks.iter().any(|&block| {
                        side.body.blocks[block].ops.iter().any(|&it| self.may_jump(side, it))
                    })
                })
            });
        self.jumps.insert(key, known);
        known
    }

    /// Executes a plain statement.
    fn execute(&mut self, side: &mut Side<'_>, op: OpId) -> Result<()> {
        let body = side.body;
        let data = &body.ops[op];
        match data.kind {
            OpKind::If => {
                let condition = self.condition(side, data.operands[0])?;
                let regions: Vec<Option<RegionId>> =
                    (0..2).map(|at| data.regions.get(at).copied()).collect();
                self.branch(side, condition, regions[0], regions[1])
            }
            OpKind::SBlock(id) => {
                self.bind_block(side, op, id)?;
                if body.sblocks[id].has_predicate
                    && let Some(&predicate) = data.operands.last()
                {
                    let condition = self.condition(side, predicate)?;
                    if data.regions.len() > 1 {
                        return Err(Stop::unsupported("a guarded reduction"));
                    }
                    return self.branch(side, condition, Some(data.regions[0]), None);
                }
                if let Some(&init) = data.regions.get(1) {
                    self.initialise(side, id, init)?;
                }
                self.whole(side, data.regions[0])
            }
            _ => {
                self.own_part(side, op)?;
                for &region in &data.regions {
                    self.whole(side, region)?;
                }
                Ok(())
            }
        }
    }

    /// Executes a statement without its regions.
    pub(crate) fn own_part(&mut self, side: &mut Side<'_>, op: OpId) -> Result<()> {
        let body = side.body;
        let data = &body.ops[op];
        match data.kind {
            OpKind::Store { buffer, predicated } => {
                let operands = data.operands.to_vec();
                self.store(side, buffer, predicated, &operands)
            }
            OpKind::Bind => {
                let value = self.eval(side, data.operands[0])?;
                for &it in data.results.iter() {
                    side.values.insert(it, value);
                }
                Ok(())
            }
            OpKind::Evaluate => self.evaluate(side, data.operands[0]),
            // The node is not evaluated.
            OpKind::Attr(_) => match data.operands.last() {
                Some(&value) => {
                    let value = self.eval(side, value)?;
                    self.used(side, value);
                    Ok(())
                }
                None => Ok(()),
            },
            OpKind::Alloc { buffer, .. } => {
                self.make_buffer(side, buffer, &data.operands)?;
                // Fresh memory: arbitrary, and the same in both functions (`M3`).
                if let Some(class) = self.memory.class(buffer) {
                    let sort = self.memory_sort(side, class);
                    let name = format!("fresh {}", ir::arena::Id::index(buffer));
                    let fresh = self.pool.var(&name, sort);
                    side.memory.insert(class, fresh);
                }
                Ok(())
            }
            OpKind::DeclBuffer { buffer } => self.make_buffer(side, buffer, &data.operands),
            _ => Ok(()),
        }
    }

    fn evaluate(&mut self, side: &mut Side<'_>, expr: ExprId) -> Result<()> {
        let body = side.body;
        if let Some([condition]) = body.operands_of(expr, Intrinsic::Assume) {
            // `X4`: a fact where it stands; false is an error.
            let condition = self.condition(side, *condition)?;
            self.require(side, condition);
            return Ok(());
        }
        self.eval(side, expr).map(|_| ())
    }

    fn make_buffer(
        &mut self,
        side: &mut Side<'_>,
        buffer: BufferId,
        operands: &[ExprId],
    ) -> Result<()> {
        let mut terms = Vec::with_capacity(operands.len());
        for &it in operands {
            let value = self.eval(side, it)?;
            self.used(side, value);
            terms.push(value.term);
        }
        side.buffers.insert(buffer, terms);
        Ok(())
    }

    pub(crate) fn bind_block(&mut self, side: &mut Side<'_>, op: OpId, id: SBlockId) -> Result<()> {
        let body = side.body;
        for (at, variable) in body.sblocks[id].iter_vars.iter().enumerate() {
            let Some(&binding) = body.ops[op].operands.get(at) else {
                return Err(Stop::unsupported("a block without bindings"));
            };
            let value = self.eval(side, binding)?;
            self.used(side, value);
            side.values.insert(variable.value, value);
        }
        Ok(())
    }

    /// `L9`: `init` runs where every variable of a reduction is at its first value.
    pub(crate) fn initialise(
        &mut self,
        side: &mut Side<'_>,
        id: SBlockId,
        init: RegionId,
    ) -> Result<()> {
        let body = side.body;
        let mut condition = self.pool.truth(true);
        for variable in &body.sblocks[id].iter_vars {
            if variable.kind != ir::IterKind::Reduce {
                continue;
            }
            let first = self.quiet(side, variable.dom_min)?;
            let Some(value) = side.values.get(&variable.value).copied() else { continue };
            let is_first = self.pool.eq(first.term, value.term);
            condition = self.pool.and(condition, is_first);
        }
        let block = self.only_block(side, init)?;
        let ops = body.blocks[block].ops.clone();
        if !ops.iter().all(|&it| self.is_plain(side, it)) {
            return Err(Stop::unsupported("a loop where a reduction starts"));
        }
        self.branch(side, condition, Some(init), None)
    }

    fn whole(&mut self, side: &mut Side<'_>, region: RegionId) -> Result<()> {
        let block = self.only_block(side, region)?;
        for &op in &side.body.blocks[block].ops {
            ir::stack::with_room(|| self.execute(side, op))?;
        }
        Ok(())
    }

    /// Both arms, joined where they end.
    fn branch(
        &mut self,
        side: &mut Side<'_>,
        condition: Term,
        then: Option<RegionId>,
        otherwise: Option<RegionId>,
    ) -> Result<()> {
        let guard = side.guard;
        let not = self.pool.not(condition);
        let (memory, cells) = (side.memory.clone(), side.cells.clone());
        side.guard = self.pool.and(guard, condition);
        if let Some(region) = then {
            self.whole(side, region)?;
        }
        let taken = (
            std::mem::replace(&mut side.memory, memory),
            std::mem::replace(&mut side.cells, cells),
        );
        side.guard = self.pool.and(guard, not);
        if let Some(region) = otherwise {
            self.whole(side, region)?;
        }
        side.guard = guard;
        self.join(side, condition, taken.0, taken.1);
        Ok(())
    }

    /// The state after an `if`, given that after its first arm; the side has that after the second.
    fn join(
        &mut self,
        side: &mut Side<'_>,
        condition: Term,
        mut memory: BTreeMap<ClassId, Term>,
        mut cells: BTreeMap<BufferId, Value>,
    ) {
        let classes: Vec<ClassId> = memory.keys().chain(side.memory.keys()).copied().collect();
        for class in classes {
            let otherwise = self.memory_of(side, class);
            let sort = self.memory_sort(side, class);
            let name = initial_memory(class);
            let then = *memory.entry(class).or_insert_with(|| self.pool.var(&name, sort));
            let joined = self.pool.ite(condition, then, otherwise);
            side.memory.insert(class, joined);
            memory.insert(class, joined);
        }
        let buffers: Vec<BufferId> = cells.keys().chain(side.cells.keys()).copied().collect();
        for buffer in buffers {
            let otherwise = self.cell(side, buffer);
            let then = match cells.get(&buffer) {
                Some(&value) => value,
                None => self.initial_cell(side, buffer),
            };
            let joined = self.chosen(condition, then, otherwise);
            side.cells.insert(buffer, joined);
            cells.insert(buffer, joined);
        }
    }
}

fn jumps_by_call(side: &Side<'_>, op: OpId) -> bool {
    let Some(&expr) = side.body.ops[op].operands.first() else { return false };
    matches!(side.body.expr(expr).kind, ExprKind::Call { callee: Callee::Intrinsic(_, it), .. }
        if it.is_jump())
}

impl Engine<'_> {
    /// Collects what holds on entry: extents of parameters are not negative (`B6`).
    pub(crate) fn entry(&mut self, side: &mut Side<'_>) -> Result<()> {
        let body = side.body;
        for param in &body.params {
            let Some(buffer) = param.buffer else { continue };
            for &extent in &body.buffers[buffer].shape {
                let value = self.quiet(side, extent)?;
                let extent = self.wide(value.term, body.ty(extent));
                if self.pool.sort(extent) != crate::term::Sort::bits(64) {
                    continue;
                }
                let zero = self.pool.bits(0, 64);
                let holds = self.pool.relation(crate::term::Op::LessEq(true), zero, extent);
                if self.pool.known_truth(holds) != Some(true) {
                    self.facts.push(holds);
                }
            }
        }
        Ok(())
    }
}
