//! Reading a solution at program points.
//!
//! In: a [`Solution`]. Out: the state at any [`Point`]; `None` where no path comes (forward) or leads out (backward).
//!
//! The solver keeps the states of blocks only. The cursor computes those in between again, from the block's input, and
//! keeps every 64th of each block it has read ([`CHUNK`]) and whole chunks that it reads now: a query costs at most one
//! chunk of transfers, reading a block in any direction costs one transfer an operation, and so a linear number of
//! queries is linear work, in any order. States at the occurrences of one operation are computed together.

use ir::{BlockId, OccurrenceId, OpId, arena::Id};
use rustc_hash::FxHashMap;

use super::{Analysis, Direction, Solution, operands};
use crate::{flow::Shape, point::Point};

/// Operations between two states that are kept.
const CHUNK: usize = 64;
/// Chunks that are kept while reading.
const KEPT: usize = 4096;

/// Reads the states of one solution.
pub struct Cursor<'s, 'a, A: Analysis> {
    solution: &'s Solution<'a, A>,
    /// By block: the states at the start of its chunks that are known so far.
    marks: FxHashMap<BlockId, Vec<Option<A::State>>>,
    /// The states in a chunk: one before each of its operations, seen in the direction of the analysis.
    chunks: FxHashMap<(BlockId, usize), Vec<Option<A::State>>>,
    /// The states at the occurrences of the operation that was asked for last.
    evaluated: Option<(OpId, Vec<Option<A::State>>)>,
    steps: u64,
}

impl<'s, 'a, A: Analysis> Cursor<'s, 'a, A> {
    pub(super) fn new(solution: &'s Solution<'a, A>) -> Self {
        Cursor {
            solution,
            marks: FxHashMap::default(),
            chunks: FxHashMap::default(),
            evaluated: None,
            steps: 0,
        }
    }

    /// The state at a point.
    pub fn at_point(&mut self, point: Point) -> Option<&A::State> {
        match point {
            Point::Before(op) => self.before(op),
            Point::After(op) => self.after(op),
            Point::At(id) => self.at(id),
        }
    }

    /// The state before an operation.
    pub fn before(&mut self, op: OpId) -> Option<&A::State> {
        let flow = self.solution.flow;
        let (block, index) = (flow.body.ops[op].parent, flow.position(op));
        match A::DIRECTION {
            Direction::Forward => self.at_position(block, index),
            Direction::Backward => {
                self.at_position(block, flow.body.blocks[block].ops.len() - index)
            }
        }
    }

    /// The state after an operation and all in it.
    pub fn after(&mut self, op: OpId) -> Option<&A::State> {
        let flow = self.solution.flow;
        let (block, index) = (flow.body.ops[op].parent, flow.position(op) + 1);
        match A::DIRECTION {
            Direction::Forward => self.at_position(block, index),
            Direction::Backward => {
                self.at_position(block, flow.body.blocks[block].ops.len() - index)
            }
        }
    }

    /// The state right before an occurrence is evaluated, its operands having been.
    pub fn at(&mut self, id: OccurrenceId) -> Option<&A::State> {
        let op = self.solution.flow.occurrences[id].op;
        if self.evaluated.as_ref().is_none_or(|it| it.0 != op) {
            let states = self.evaluate(op);
            self.evaluated = Some((op, states));
        }
        let first = self.solution.flow.occurrences.of_op(op).next()?;
        let (_, states) = self.evaluated.as_ref()?;
        states.get(id.index() - first.index())?.as_ref()
    }

    /// Transfers that this cursor has computed: for tests of growth.
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// The state at a position of a block: before the `position`-th operation that the analysis meets.
    fn at_position(&mut self, block: BlockId, position: usize) -> Option<&A::State> {
        let solution = self.solution;
        if solution.flow.is_graph(block) {
            let slot = &solution.blocks[block];
            return match A::DIRECTION {
                Direction::Forward => slot.output.as_ref(),
                Direction::Backward => slot.input.as_ref(),
            };
        }
        let key = (block, position / CHUNK);
        if !self.chunks.contains_key(&key) {
            if self.chunks.len() >= KEPT {
                self.chunks.clear();
            }
            let states = self.read_chunk(block, position / CHUNK);
            self.chunks.insert(key, states);
        }
        self.chunks[&key][position % CHUNK].as_ref()
    }

    /// The states of a chunk; those of the chunks before it are passed through if nothing is kept of them.
    fn read_chunk(&mut self, block: BlockId, chunk: usize) -> Vec<Option<A::State>> {
        let solution = self.solution;
        let ops = &solution.flow.body.blocks[block].ops;
        let marks = self.marks.entry(block).or_insert_with(|| vec![solution.entered(block)]);
        let mut states = Vec::new();
        for index in chunk.min(marks.len() - 1)..=chunk {
            let mut state = marks[index].clone();
            let end = (index * CHUNK + CHUNK).min(ops.len());
            states.clear();
            for position in index * CHUNK..end {
                let next = solution.across(met(ops, position, A::DIRECTION), state.clone());
                states.push(std::mem::replace(&mut state, next));
            }
            self.steps += states.len() as u64;
            if states.len() < CHUNK {
                states.push(state);
            } else if marks.len() == index + 1 {
                marks.push(state);
            }
        }
        states
    }

    fn evaluate(&mut self, op: OpId) -> Vec<Option<A::State>> {
        let solution = self.solution;
        let flow = solution.flow;
        let ids = flow.occurrences.of_op(op);
        let mut states: Vec<Option<A::State>> = vec![None; ids.count()];
        let start = match (flow.shape(op), A::DIRECTION) {
            (Shape::Plain, Direction::Forward) => self.before(op).cloned(),
            (Shape::Plain, Direction::Backward) => {
                let after = self.after(op).cloned();
                solution.after_operands(op, after)
            }
            _ => solution.ports.get(&op).and_then(|it| it.operands.clone()),
        };
        let (Some(mut state), Some(first)) = (start, flow.occurrences.of_op(op).next()) else {
            return states;
        };
        if A::DIRECTION == Direction::Backward {
            solution.analysis.operation(op, &mut state);
        }
        let observe = &mut |id: OccurrenceId, state: &A::State| {
            states[id.index() - first.index()] = Some(state.clone());
        };
        operands::evaluate(flow, &solution.analysis, op, &mut state, Some(observe));
        self.steps += 1;
        states
    }
}

/// The operation at a position, counted from the side where the analysis enters the block.
fn met(ops: &[OpId], position: usize, direction: Direction) -> OpId {
    match direction {
        Direction::Forward => ops[position],
        Direction::Backward => ops[ops.len() - 1 - position],
    }
}

impl<A: Analysis> Solution<'_, A> {
    /// The state at the other side of an operation, by the stored part of the fixpoint.
    fn across(&self, op: OpId, state: Option<A::State>) -> Option<A::State> {
        if self.flow.shape(op) != Shape::Plain {
            return self.ports.get(&op).and_then(|it| it.across.clone());
        }
        let mut state = self.after_operands(op, state)?;
        self.transfer(op, &mut state);
        let goes_on = A::DIRECTION == Direction::Backward || self.flow.jumps(op).next;
        goes_on.then_some(state)
    }

    /// Calls `see` with the state at every point, in program order: before an operation, at its occurrences, then in
    /// its regions, then after it.
    pub fn visit(&self, mut see: impl FnMut(Point, Option<&A::State>)) {
        let mut cursor = self.cursor();
        for event in self.flow.body.walk(self.flow.body.root) {
            match event {
                ir::walk::WalkEvent::Enter(op) => {
                    see(Point::Before(op), cursor.before(op));
                    for id in self.flow.occurrences.of_op(op) {
                        see(Point::At(id), cursor.at(id));
                    }
                }
                ir::walk::WalkEvent::Leave(op) => see(Point::After(op), cursor.after(op)),
                _ => {}
            }
        }
    }
}
