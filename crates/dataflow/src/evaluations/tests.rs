//! Random programs with places, and the truth about them over all their paths.

use ir::{BlockId, ExprKind, OpId, OpKind, walk::WalkEvent};
use test_utils::Rng;

use super::*;
use crate::memory::tests::fixture::Fixture;

/// Statements that evaluate a load (the value), and those that evaluate a constant (asked about), in order.
pub(crate) fn places(fixture: &Fixture, scopes: &ScopeTree) -> Vec<Place> {
    let body = &fixture.body;
    let mut places: Vec<Place> = body
        .walk(body.root)
        .filter_map(|it| match it {
            WalkEvent::Enter(op) if body.ops[op].kind == OpKind::Evaluate => Some(op),
            _ => None,
        })
        .map(|op| {
            let kind = match body.expr(body.ops[op].operands[0]).kind {
                ExprKind::Int(_) => PlaceKind::Asked,
                _ => PlaceKind::Certain,
            };
            Place { op, kind }
        })
        .collect();
    places.sort_by_key(|it| scopes.order(it.op));
    places
}

/// The program with notes behind its lines.
pub(crate) fn annotated(text: &str, notes: impl Iterator<Item = (usize, String)>) -> String {
    let notes: Vec<(usize, String)> = notes.collect();
    let mut out = String::new();
    for (index, line) in text.lines().enumerate() {
        match notes.iter().find(|it| it.0 == index + 1) {
            Some((_, note)) => out += &format!("{line:<17} # {note}\n"),
            None => out += &format!("{line}\n"),
        }
    }
    out
}

/// A random program.
pub(crate) fn program(rng: &mut Rng) -> String {
    let mut text = String::from("param A\n");
    let n = 3 + rng.below(9);
    statements(rng, n, 0, false, &mut text);
    text
}

fn statements(rng: &mut Rng, n: usize, depth: usize, in_loop: bool, text: &mut String) {
    let mut left = n;
    while left > 0 {
        left -= 1;
        let indent = "    ".repeat(depth);
        let inside = if left > 0 { 1 + rng.below(left) } else { 0 };
        match if inside == 0 { rng.below(5) } else { rng.below(13) } {
            0 | 1 => *text += &format!("{indent}use A\n"),
            4 if in_loop && rng.one_in(3) => *text += &format!("{indent}break\n"),
            2..=4 => *text += &format!("{indent}use 1\n"),
            nest => {
                let head = ["for", "for", "while 1", "if 1", "if 1", "if 1", "attr", "where"];
                let in_loop = nest < 8 || in_loop && nest < 12;
                *text += &format!("{indent}{}\n", head[nest - 5]);
                let has_else = (8..=9).contains(&nest) && inside > 1;
                let first = if has_else { inside.div_ceil(2) } else { inside };
                statements(rng, first, depth + 1, in_loop, text);
                if has_else {
                    *text += &format!("{indent}else\n");
                    statements(rng, inside - first, depth + 1, in_loop, text);
                }
                left -= inside;
            }
        }
    }
}

/// The truth about the places of a program, over all paths.
pub(crate) struct Truth {
    /// For each place, whether an evaluation always and whether it ever came before, without earlier iterations of the
    /// loops around the place.
    pub(crate) before: Vec<Option<(bool, bool)>>,
    /// For each place, whether an evaluation always comes at or after it; `None` for one that no path reaches.
    pub(crate) after: Vec<Option<bool>>,
}

/// A step of a path.
enum Step {
    At(usize, bool),
    Evaluated,
}

struct Path<'a> {
    fixture: &'a Fixture,
    places: &'a [Place],
    choices: &'a mut Vec<(usize, usize)>,
    chosen: usize,
    evaluated: bool,
    steps: Vec<Step>,
}

impl Truth {
    pub(crate) fn of(fixture: &Fixture, places: &[Place]) -> Truth {
        let mut truth = Truth { before: vec![None; places.len()], after: vec![None; places.len()] };
        let mut choices = Vec::new();
        for _ in 0..200 {
            let mut path = Path {
                fixture,
                places,
                choices: &mut choices,
                chosen: 0,
                evaluated: false,
                steps: Vec::new(),
            };
            path.block(fixture.body.entry(fixture.body.root));
            let mut follows = false;
            for step in path.steps.iter().rev() {
                match *step {
                    Step::Evaluated => follows = true,
                    Step::At(place, evaluated) => {
                        let (always, ever) = truth.before[place].unwrap_or((true, false));
                        truth.before[place] = Some((always && evaluated, ever || evaluated));
                        truth.after[place] = Some(truth.after[place].unwrap_or(true) && follows);
                    }
                }
            }
            while choices.last().is_some_and(|(it, n)| it + 1 == *n) {
                choices.pop();
            }
            match choices.last_mut() {
                Some((it, _)) => *it += 1,
                None => break,
            }
        }
        truth
    }
}

impl Path<'_> {
    fn choose(&mut self, n: usize) -> usize {
        if self.chosen == self.choices.len() {
            self.choices.push((0, n));
        }
        self.chosen += 1;
        self.choices[self.chosen - 1].0
    }

    /// Returns true if the list was executed to its end.
    fn block(&mut self, block: BlockId) -> bool {
        self.fixture.body.blocks[block].ops.iter().all(|&op| self.op(op))
    }

    fn op(&mut self, op: OpId) -> bool {
        let data = &self.fixture.body.ops[op];
        let inner = data.regions.iter().map(|&it| self.fixture.body.entry(it)).collect::<Vec<_>>();
        match data.kind {
            OpKind::Evaluate => {
                let index = self.places.iter().position(|it| it.op == op).expect("collected");
                self.steps.push(Step::At(index, self.evaluated));
                if self.places[index].kind == PlaceKind::Certain {
                    self.evaluated = true;
                    self.steps.push(Step::Evaluated);
                }
                true
            }
            OpKind::For(_) | OpKind::While => {
                // Four iterations are as good as one or two; a `while` may have none.
                let n =
                    if data.kind == OpKind::While { self.choose(3) } else { 1 + self.choose(2) };
                let before = self.evaluated;
                let mut after = before;
                for round in 0..n {
                    // What the iteration before evaluated counts for what follows the loop only.
                    self.evaluated = before;
                    let goes_on = self.block(inner[0]);
                    after |= self.evaluated;
                    let _ = round;
                    if !goes_on {
                        break;
                    }
                }
                self.evaluated = after;
                true
            }
            OpKind::If => {
                let arm = self.choose(2);
                inner.get(arm).is_none_or(|&it| self.block(it))
            }
            OpKind::SBlock(_) => self.choose(2) == 0 || self.block(inner[0]),
            OpKind::Break => false,
            _ => inner.first().is_none_or(|&it| self.block(it)),
        }
    }
}
