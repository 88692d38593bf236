//! The reference: an explicit graph with a node for every point and step, solved by going round until nothing changes.
//!
//! It is written from `SEMANTICS.md` alone and shares with the solver only the kinds of jumps of operations.

use std::collections::BTreeMap;

use ir::{BlockId, ExprKind, OccurrenceId, OpId, OpKind, RegionId, arena::Id};

use crate::{
    flow::{Flow, Target},
    lattice::Lattice,
    point::Point,
    solver::{Analysis, Direction},
};

#[derive(Clone, Copy)]
enum Step {
    Nothing,
    Node(OccurrenceId),
    Op(OpId),
    Start(BlockId),
    Leave(OpId),
    Edge(OpId, usize),
}

struct Graph<'f, 'a> {
    flow: &'f Flow<'a>,
    steps: Vec<Step>,
    edges: Vec<(usize, usize)>,
    /// The node whose input is the state at the point.
    points: BTreeMap<Point, usize>,
    exit: usize,
    /// Of loops: where `break` and `continue` go.
    breaks: BTreeMap<OpId, (usize, usize)>,
}

pub(super) struct Reference<S> {
    points: BTreeMap<Point, usize>,
    states: Vec<Option<S>>,
    exit: usize,
}

impl<S> Reference<S> {
    pub(super) fn at(&self, point: Point) -> Option<&S> {
        self.states[self.points[&point]].as_ref()
    }
    pub(super) fn at_exit(&self) -> Option<&S> {
        self.states[self.exit].as_ref()
    }
}

pub(super) fn solve<A: Analysis>(flow: &Flow<'_>, analysis: &A) -> Reference<A::State> {
    let mut graph = Graph {
        flow,
        steps: vec![Step::Nothing],
        edges: Vec::new(),
        points: BTreeMap::new(),
        exit: 0,
        breaks: BTreeMap::new(),
    };
    let start = graph.node(Step::Nothing);
    let end = graph.region(flow.body.root, start);
    graph.edges.push((end, 0));
    let (states, exit) = graph.iterate(analysis, start);
    Reference { points: graph.points, states, exit }
}

impl Graph<'_, '_> {
    fn node(&mut self, step: Step) -> usize {
        self.steps.push(step);
        self.steps.len() - 1
    }

    fn after(&mut self, from: usize, step: Step) -> usize {
        let to = self.node(step);
        self.edges.push((from, to));
        to
    }

    fn region(&mut self, region: RegionId, from: usize) -> usize {
        let body = self.flow.body;
        let blocks = &body.regions[region].blocks;
        if body.regions[region].kind == ir::RegionKind::Graph {
            return self.graph_region(blocks[0], from);
        }
        let starts: Vec<usize> = blocks.iter().map(|&it| self.node(Step::Start(it))).collect();
        self.edges.push((from, starts[0]));
        let end = self.node(Step::Nothing);
        for (&block, &start) in blocks.iter().zip(&starts) {
            let mut at = start;
            for &op in &body.blocks[block].ops {
                at = self.op(op, at);
            }
            let last = body.blocks[block].ops.last();
            let successors = last.map_or(&[][..], |&it| &body.ops[it].successors);
            for (index, successor) in successors.iter().enumerate() {
                let edge = self.after(at, Step::Edge(*last.unwrap(), index));
                let to = blocks.iter().position(|&it| it == successor.block).unwrap();
                self.edges.push((edge, starts[to]));
            }
            if successors.is_empty() {
                self.edges.push((at, end));
            }
        }
        end
    }

    fn graph_region(&mut self, block: BlockId, from: usize) -> usize {
        let start = self.after(from, Step::Start(block));
        let hub = self.after(start, Step::Nothing);
        for &op in &self.flow.body.blocks[block].ops {
            let end = self.op(op, hub);
            self.edges.push((end, hub));
            self.points.insert(Point::Before(op), hub);
            self.points.insert(Point::After(op), hub);
        }
        hub
    }

    /// Adds an operation; the result is the node after it.
    fn op(&mut self, op: OpId, from: usize) -> usize {
        let body = self.flow.body;
        let data = &body.ops[op];
        let before = self.after(from, Step::Nothing);
        self.points.insert(Point::Before(op), before);
        let has_body = !data.regions.is_empty();
        let (out, after) = if has_body {
            let after = self.node(Step::Leave(op));
            (self.after(after, Step::Nothing), after)
        } else {
            let out = self.node(Step::Nothing);
            (out, out)
        };
        self.points.insert(Point::After(op), out);
        let (mut at, mut again) = (before, after);
        if has_body {
            match data.kind {
                OpKind::While => {
                    at = self.after(at, Step::Nothing);
                    again = at;
                }
                OpKind::For(_) | OpKind::LaunchThread { .. } => again = self.node(Step::Nothing),
                _ => {}
            }
            self.breaks.insert(op, (after, again));
        }
        let mut past = None;
        for id in self.flow.occurrences.of_op(op) {
            if past.is_none_or(|it| it <= id) {
                at = self.occurrence(id, at);
                past = Some(self.flow.occurrences[id].end);
            }
        }
        let done = self.after(at, Step::Op(op));
        let jumps = self.flow.jumps(op).clone();
        for target in jumps.targets {
            let to = match target {
                Target::Exit => self.exit,
                Target::Break(to) => self.breaks[&to].0,
                Target::Continue(to) => self.breaks[&to].1,
            };
            self.edges.push((done, to));
        }
        if jumps.next {
            self.regions(op, done, after, again);
        } else if has_body {
            let nowhere = self.node(Step::Nothing);
            self.regions(op, nowhere, after, again);
        }
        out
    }

    fn regions(&mut self, op: OpId, from: usize, after: usize, again: usize) {
        let body = self.flow.body;
        let data = &body.ops[op];
        let unknown = |expr: ir::ExprId| body.expr(expr).flags.has_unknown;
        match data.kind {
            _ if data.regions.is_empty() => self.edges.push((from, after)),
            OpKind::For(_) | OpKind::LaunchThread { .. } => {
                let extent = if matches!(data.kind, OpKind::For(_)) { 1 } else { 0 };
                let extent = body.expr(data.operands[extent]).kind;
                if !matches!(extent, ExprKind::Int(1..)) {
                    self.edges.push((from, after));
                }
                let header = self.after(from, Step::Nothing);
                let end = self.region(data.regions[0], header);
                self.edges.extend([(end, again), (again, header), (again, after)]);
            }
            OpKind::While => {
                self.edges.push((from, after));
                let end = self.region(data.regions[0], from);
                self.edges.push((end, again));
            }
            OpKind::If if !unknown(data.operands[0]) => {
                if data.regions.len() < 2 {
                    self.edges.push((from, after));
                }
                for &region in &data.regions {
                    let end = self.region(region, from);
                    self.edges.push((end, after));
                }
            }
            OpKind::SBlock(block) => {
                let inside = self.after(from, Step::Nothing);
                if let Some(&init) = data.regions.get(1) {
                    let end = self.region(init, from);
                    self.edges.push((end, inside));
                }
                let end = self.region(data.regions[0], inside);
                self.edges.push((end, after));
                if body.sblocks[block].has_predicate {
                    self.edges.push((from, after));
                }
            }
            OpKind::AttrDict => {
                let end = data.regions.iter().fold(from, |at, &it| self.region(it, at));
                self.edges.push((end, after));
            }
            _ => {
                let hub = self.after(from, Step::Nothing);
                for &region in &data.regions {
                    let end = self.region(region, hub);
                    self.edges.push((end, hub));
                }
                self.edges.push((hub, after));
            }
        }
    }

    fn occurrence(&mut self, id: OccurrenceId, from: usize) -> usize {
        let body = self.flow.body;
        let here = self.flow.occurrences[id];
        let mut children = Vec::new();
        let mut child = OccurrenceId::new(id.index() + 1);
        while child < here.end {
            children.push(child);
            child = self.flow.occurrences[child].end;
        }
        let mut at = from;
        let name = match body.expr(here.expr).kind {
            ExprKind::Binary(ir::BinaryOp::And | ir::BinaryOp::Or, ..) => "and",
            ExprKind::Select(..) => "select",
            ExprKind::IfThenElse(..) => "if_then_else",
            _ => "",
        };
        if name == "if_then_else" {
            at = self.occurrence(children[0], at);
            let ends = [children[1], children[2]].map(|it| self.occurrence(it, at));
            at = self.node(Step::Nothing);
            self.edges.extend(ends.map(|it| (it, at)));
        } else {
            for (index, &child) in children.iter().enumerate() {
                let end = self.occurrence(child, at);
                if index > 0 && (name == "and" || name == "select") {
                    let join = self.node(Step::Nothing);
                    self.edges.extend([(at, join), (end, join)]);
                    at = join;
                } else {
                    at = end;
                }
            }
        }
        let node = self.after(at, Step::Node(id));
        self.points.insert(Point::At(id), node);
        node
    }

    /// The state before each node (in program order, whatever the direction), and the number of the exit.
    fn iterate<A: Analysis>(&self, analysis: &A, start: usize) -> (Vec<Option<A::State>>, usize) {
        let forward = A::DIRECTION == Direction::Forward;
        let mut into: Vec<Option<A::State>> = vec![None; self.steps.len()];
        let first = if forward { start } else { self.exit };
        into[first] = Some(analysis.boundary());
        loop {
            let mut changed = false;
            let out: Vec<Option<A::State>> = self
                .steps
                .iter()
                .zip(&into)
                .map(|(it, state)| transfer(analysis, *it, state))
                .collect();
            for &(from, to) in &self.edges {
                let (from, to) = if forward { (from, to) } else { (to, from) };
                changed |= into[to].join(&out[from]);
            }
            if !changed {
                // Backward, the state before a node is what its step makes of the one after it.
                return (if forward { into } else { out }, self.exit);
            }
        }
    }
}

fn transfer<A: Analysis>(analysis: &A, step: Step, state: &Option<A::State>) -> Option<A::State> {
    let mut state = state.clone()?;
    match step {
        Step::Nothing => {}
        Step::Node(id) => analysis.occurrence(id, &mut state),
        Step::Op(op) => analysis.operation(op, &mut state),
        Step::Leave(op) => analysis.leave(op, &mut state),
        Step::Start(block) => analysis.block_start(block, &mut state),
        Step::Edge(op, index) => analysis.edge(op, index, &mut state),
    }
    Some(state)
}
