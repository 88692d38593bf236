//! Versions against all paths of small random programs.
//!
//! A program is run along every path on which loops run up to twice, as a list of events: writes, and places where a
//! version may start. Every load must read the contents at the last start of its version: no write of its memory since.
//! The writes of a statement are found here by the names of buffers alone, apart from the code under test.

use ir::{
    BlockId, BufferId, ExprKind, OccurrenceId, Occurrences, OpId, OpKind, effects::EffectTable,
};
use rustc_hash::FxHashMap;
use test_utils::Rng;

use super::{
    super::*,
    fixture::{Fixture, parse},
};
use crate::analyses::Analyses;

const PATHS: usize = 300;

/// The buffers of a random program, by how they are declared.
const HEAD: &str =
    "param A\nparam B\nlocal L\nlocal E\nshared S\ncell x\nview V A\ncall call_extern &E\n";
const NAMES: [&str; 7] = ["A", "B", "L", "E", "S", "x", "V"];

/// A random program.
fn program(rng: &mut Rng) -> String {
    let mut text = String::new();
    if rng.one_in(2) {
        text.push_str("noalias\n");
    }
    text.push_str(HEAD);
    let n = 3 + rng.below(9);
    statements(rng, n, 0, false, &mut text);
    text
}

fn statements(rng: &mut Rng, n: usize, depth: usize, in_loop: bool, text: &mut String) {
    let mut left = n;
    while left > 0 {
        left -= 1;
        let indent = "    ".repeat(depth);
        let mut names =
            || (0..1 + rng.below(2)).map(|_| *rng.pick(&NAMES)).collect::<Vec<_>>().join(" ");
        let reads = names();
        let target = *rng.pick(&NAMES);
        let inside = if left > 0 { 1 + rng.below(left) } else { 0 };
        let pick = if inside == 0 { rng.below(8) } else { rng.below(19) };
        match pick {
            0..=2 => *text += &format!("{indent}{target} = {reads}\n"),
            3 => *text += &format!("{indent}use {reads}\n"),
            4 => *text += &format!("{indent}call cuda.atomic_add &{target} {reads}\n"),
            5 => *text += &format!("{indent}call tvm_storage_sync\n"),
            6 if in_loop => *text += &format!("{indent}break\n"),
            6 => *text += &format!("{indent}call call_extern\n"),
            7 => *text += &format!("{indent}use {reads}\n"),
            nest => {
                let head = match nest {
                    8..=10 => "for".to_owned(),
                    11 => format!("while {reads}"),
                    12..=15 => format!("if {reads}"),
                    16 => "attr".to_owned(),
                    17 => "launch".to_owned(),
                    _ => "block".to_owned(),
                };
                let in_loop = matches!(nest, 8..=11) || in_loop && nest < 16;
                *text += &format!("{indent}{head}\n");
                let second = match nest {
                    12..=14 if inside > 1 => Some("else"),
                    18 if inside > 1 => Some("init"),
                    _ => None,
                };
                let first = if second.is_some() { inside.div_ceil(2) } else { inside };
                statements(rng, first, depth + 1, in_loop, text);
                if let Some(second) = second {
                    *text += &format!("{indent}{second}\n");
                    statements(rng, inside - first, depth + 1, in_loop && nest != 18, text);
                }
                left -= inside;
            }
        }
    }
}

/// How a list of statements was left.
#[derive(PartialEq)]
enum Exit {
    AtEnd,
    Break,
}

/// One run along a path.
struct Run<'a> {
    fixture: &'a Fixture,
    occurrences: &'a Occurrences,
    versions: &'a FxHashMap<OccurrenceId, VersionId>,
    has_noalias: bool,
    choices: &'a mut Vec<(usize, usize)>,
    chosen: usize,
    now: u32,
    written: FxHashMap<BufferId, u32>,
    started: FxHashMap<Origin, u32>,
}

impl Run<'_> {
    /// The next decision of the path, below `n`.
    fn choose(&mut self, n: usize) -> usize {
        if self.chosen == self.choices.len() {
            self.choices.push((0, n));
        }
        self.chosen += 1;
        self.choices[self.chosen - 1].0
    }

    fn start(&mut self, origin: Origin) {
        self.now += 1;
        self.started.insert(origin, self.now);
    }

    fn write(&mut self, is_written: impl Fn(&str) -> bool) {
        self.now += 1;
        for (name, &buffer) in &self.fixture.buffers {
            if is_written(name) {
                self.written.insert(buffer, self.now);
            }
        }
    }

    /// A store to a buffer: it, its views, and parameters that may overlap.
    fn store(&mut self, target: &str) {
        let overlaps = self.has_noalias;
        let group = |name: &str| match name {
            "A" | "V" => 0,
            "B" if !overlaps => 0,
            "B" => 1,
            _ => name.as_bytes()[0] as usize,
        };
        self.write(|it| group(it) == group(target));
    }

    fn loads(&mut self, op: OpId) {
        for id in self.occurrences.of_op(op) {
            let Some(version) = self.versions.get(&id) else { continue };
            let origin = version.origin();
            if let Origin::Load(_) = origin {
                continue;
            }
            let ExprKind::Load { buffer, .. } =
                self.fixture.body.expr(self.occurrences[id].expr).kind
            else {
                continue;
            };
            let started = match origin {
                Origin::Entry => Some(0),
                origin => self.started.get(&origin).copied(),
            };
            let line = self.fixture.line(op);
            let Some(started) = started else {
                panic!("line {line} reads {origin:?}, which has not started");
            };
            let written = self.written.get(&buffer).copied().unwrap_or(0);
            let name = self.fixture.name(buffer);
            assert!(written <= started, "line {line} reads {name} of {origin:?}, written since");
        }
    }

    fn block(&mut self, block: BlockId) -> Exit {
        self.start(Origin::BlockEntry(block));
        for &op in &self.fixture.body.blocks[block].ops {
            if self.op(op) == Exit::Break {
                return Exit::Break;
            }
        }
        Exit::AtEnd
    }

    fn region(&mut self, op: OpId, index: usize) -> Exit {
        let region = self.fixture.body.ops[op].regions[index];
        self.block(self.fixture.body.entry(region))
    }

    fn op(&mut self, op: OpId) -> Exit {
        let kind = self.fixture.body.ops[op].kind;
        if kind == OpKind::While {
            self.while_loop(op);
            self.start(Origin::After(op));
            return Exit::AtEnd;
        }
        self.loads(op);
        let mut left = Exit::AtEnd;
        match kind {
            OpKind::Store { buffer, .. } => {
                let name = self.fixture.name(buffer).to_owned();
                self.store(&name);
            }
            OpKind::Alloc { buffer, .. } => {
                self.now += 1;
                self.written.insert(buffer, self.now);
            }
            OpKind::Evaluate => self.call(op),
            OpKind::For(_) => {
                for _ in 0..self.choose(3) {
                    self.start(Origin::LoopEntry(op));
                    if self.region(op, 0) == Exit::Break {
                        break;
                    }
                }
            }
            OpKind::If => {
                let arms = self.fixture.body.ops[op].regions.len();
                let arm = self.choose(2);
                if arm < arms {
                    left = self.region(op, arm);
                }
            }
            OpKind::SBlock(_) => {
                let runs_init = self.fixture.body.ops[op].regions.len() > 1 && self.choose(2) == 1;
                if runs_init {
                    self.region(op, 1);
                }
                left = self.region(op, 0);
            }
            OpKind::Break => return Exit::Break,
            _ if !self.fixture.body.ops[op].regions.is_empty() => left = self.region(op, 0),
            _ => {}
        }
        if left == Exit::AtEnd {
            if !matches!(kind, OpKind::Evaluate) {
                self.start(Origin::Write(op));
            }
            self.start(Origin::After(op));
        }
        left
    }

    fn call(&mut self, op: OpId) {
        let expr = self.fixture.body.ops[op].operands[0];
        let text = self.fixture.show(expr);
        let visible = |it: &str| !matches!(it, "L" | "x");
        if text.starts_with("cuda.atomic_add") {
            let target = text["cuda.atomic_add(address_of(".len()..].to_owned();
            let name = target[..1].to_owned();
            self.store(&name);
            self.start(Origin::Write(op));
        } else if text.starts_with("call_extern") || text.starts_with("tvm_storage_sync") {
            self.write(visible);
            self.start(Origin::Write(op));
        }
    }

    fn while_loop(&mut self, op: OpId) {
        // What a loop without a load of it does not wait for.
        let waits = self.reads_visible(op);
        let others = |it: &str| waits && matches!(it, "A" | "B" | "S" | "V");
        let n = self.choose(3);
        for round in 0..=n {
            self.write(others);
            self.start(Origin::LoopEntry(op));
            self.loads(op);
            if round < n && self.region(op, 0) == Exit::Break {
                break;
            }
        }
        self.write(others);
        self.start(Origin::Write(op));
    }

    fn reads_visible(&self, op: OpId) -> bool {
        let region = self.fixture.body.ops[op].regions[0];
        let inner = self.fixture.body.walk(region).filter_map(|it| match it {
            ir::walk::WalkEvent::Enter(op) => Some(op),
            _ => None,
        });
        inner.chain([op]).flat_map(|it| self.occurrences.of_op(it)).any(|id| {
            match self.fixture.body.expr(self.occurrences[id].expr).kind {
                ExprKind::Load { buffer, .. } => {
                    matches!(self.fixture.name(buffer), "A" | "B" | "S" | "V")
                }
                _ => false,
            }
        })
    }
}

#[test]
fn no_path_writes_between_the_start_of_a_version_and_its_loads() {
    let mut rng = Rng::new(20);
    for _ in 0..1_500 {
        let text = program(&mut rng);
        let fixture = parse(&text);
        let body = &fixture.body;
        let occurrences = Occurrences::collect(body);
        let effects = EffectTable::builtin();
        let analyses = Analyses::of(body, &occurrences, effects);
        let (aliases, memory) = (analyses.aliases(), analyses.memory());
        let versions: FxHashMap<OccurrenceId, VersionId> =
            occurrences.iter().filter_map(|(id, _)| Some((id, memory.of_load(id)?))).collect();
        let mut choices = Vec::new();
        for _ in 0..PATHS {
            let outcome = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
                let mut run = Run {
                    fixture: &fixture,
                    occurrences: &occurrences,
                    versions: &versions,
                    has_noalias: aliases.has_noalias(),
                    choices: &mut choices,
                    chosen: 0,
                    now: 0,
                    written: FxHashMap::default(),
                    started: FxHashMap::default(),
                };
                run.block(body.entry(body.root));
            }));
            assert!(outcome.is_ok(), "{text}{choices:?}");
            while choices.last().is_some_and(|(it, n)| it + 1 == *n) {
                choices.pop();
            }
            match choices.last_mut() {
                Some((it, _)) => *it += 1,
                None => break,
            }
        }
    }
}

#[test]
fn in_a_list_without_branches_versions_change_with_writes_only() {
    let mut rng = Rng::new(7);
    for _ in 0..200 {
        let mut text = String::from("noalias\nparam A\nparam B\n");
        let mut writes = [0, 0];
        let mut expected: Vec<(usize, usize)> = Vec::new();
        for _ in 0..20 {
            let buffer = rng.below(2);
            let name = ["A", "B"][buffer];
            if rng.one_in(3) {
                text += &format!("{name} = 1\n");
                writes[buffer] += 1;
            } else {
                text += &format!("use {name}\n");
                expected.push((buffer, writes[buffer]));
            }
        }
        let fixture = parse(&text);
        let body = &fixture.body;
        let occurrences = Occurrences::collect(body);
        let effects = EffectTable::builtin();
        let analyses = Analyses::of(body, &occurrences, effects);
        let memory = analyses.memory();
        let found: Vec<VersionId> =
            occurrences.iter().filter_map(|(id, _)| memory.of_load(id)).collect();
        assert_eq!(found.len(), expected.len());
        for (i, a) in expected.iter().enumerate() {
            for (j, b) in expected.iter().enumerate() {
                if a.0 == b.0 {
                    assert_eq!(a == b, found[i] == found[j], "{text}");
                }
            }
        }
    }
}
