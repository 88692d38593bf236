//! From a finished run to a plan.
//!
//! The last term of each operand is held against the operand as it was: where one is a variable and the other is not,
//! the occurrence was replaced; where one is a let that was made, the let is around the occurrence. Likewise for the
//! value of each binding against the node that it was made from. Linear in the occurrences and in the values.

use ir::{
    ExprId, OccurrenceId,
    arena::Id,
    plan::{
        CseBinding, CseGroup, CsePlan, Decision, Equivalence, ExistingName, Part, Preset, Refusal,
        ReuseOf, Within,
    },
};
use rustc_hash::{FxHashMap, FxHashSet};

use super::{
    forms::Forms,
    pool::{Tag, Var, X},
    run::{Home, Made, Run, Vetoes},
};
use crate::cse::facts::Facts;

/// The outcome of a run.
#[derive(Default)]
pub(super) struct Outcome {
    /// In the order in which they stand.
    pub(super) made: Vec<Made>,
    /// By new variable: the occurrences that became it.
    pub(super) replaces: Vec<Vec<OccurrenceId>>,
    /// By made: parts of its value that are variables; those of others by their numbers here.
    pub(super) uses: Vec<Vec<Part>>,
    /// By made: how many parts of values are its variable; of more than two in one value two are counted.
    pub(super) n_uses: Vec<u32>,
    reuses: Vec<Vec<(ExprId, Var)>>,
    /// By user's variable: the occurrences that became it.
    pub(super) replaced_by_user: FxHashMap<Var, Vec<OccurrenceId>>,
    /// User's variables, as they are met.
    pub(super) users: Vec<Var>,
    met: FxHashSet<Var>,
}

/// Reads the outcome off a finished run.
pub(super) fn of_run(run: &Run<'_>) -> Outcome {
    let mut position = vec![usize::MAX; run.made.len()];
    for (at, &number) in run.standing.iter().enumerate() {
        position[number] = at;
    }
    let made: Vec<Made> = run.standing.iter().map(|&it| run.made[it].clone()).collect();
    let mut outcome = Outcome {
        replaces: vec![Vec::new(); made.len()],
        uses: vec![Vec::new(); made.len()],
        reuses: vec![Vec::new(); made.len()],
        n_uses: vec![0; made.len()],
        made,
        ..Outcome::default()
    };
    let number = |var: Var| run.number_of.get(&var).map(|&it| position[it]);
    let mut results = run.results.clone();
    results.sort_unstable_by_key(|it| it.0);
    for &(occurrence, x) in &results {
        operand(run, &mut outcome, &number, occurrence, x);
    }
    for at in 0..outcome.made.len() {
        value(run, &mut outcome, &number, at);
    }
    for it in &mut outcome.made {
        if let Home::InValue(number) = &mut it.home {
            *number = position[*number];
        }
    }
    outcome
}

fn operand(
    run: &Run<'_>,
    outcome: &mut Outcome,
    number: &dyn Fn(Var) -> Option<usize>,
    occurrence: OccurrenceId,
    x: X,
) {
    let facts = run.facts;
    let mut stack = vec![(occurrence, x)];
    while let Some((at, x)) = stack.pop() {
        let term = run.pool.term(x);
        if let Tag::Let(var) = term.tag
            && number(var).is_some()
        {
            stack.push((at, term.operands[1]));
            continue;
        }
        if let Tag::Var(var) = term.tag {
            if facts.body.expr(facts.occurrences[at].expr).is_leaf() {
                continue;
            }
            match number(var) {
                Some(made) => outcome.replaces[made].push(at),
                None => {
                    outcome.replaced_by_user.entry(var).or_default().push(at);
                    outcome.meet(var);
                }
            }
            continue;
        }
        let mut child = OccurrenceId::new(at.index() + 1);
        let first = stack.len();
        for &operand in &term.operands {
            stack.push((child, operand));
            child = facts.occurrences[child].end;
        }
        stack[first..].reverse();
    }
}

fn value(run: &Run<'_>, outcome: &mut Outcome, number: &dyn Fn(Var) -> Option<usize>, at: usize) {
    let body = run.facts.body;
    let mut seen: FxHashMap<(ExprId, X), u8> = FxHashMap::default();
    let mut stack = vec![(outcome.made[at].origin, outcome.made[at].value)];
    while let Some((expr, x)) = stack.pop() {
        // What is in a part that is met twice is used twice.
        let n_met = seen.entry((expr, x)).or_default();
        if *n_met == 2 {
            continue;
        }
        *n_met += 1;
        let is_first = *n_met == 1;
        let term = run.pool.term(x);
        if let Tag::Let(var) = term.tag
            && number(var).is_some()
        {
            stack.push((expr, term.operands[1]));
            continue;
        }
        if let Tag::Var(var) = term.tag {
            if body.expr(expr).is_leaf() {
                continue;
            }
            match number(var) {
                Some(of) => {
                    outcome.n_uses[of] += 1;
                    if is_first {
                        outcome.uses[at].push(Part { expr, of });
                    }
                }
                None if is_first => {
                    outcome.reuses[at].push((expr, var));
                    outcome.meet(var);
                }
                None => {}
            }
            continue;
        }
        let first = stack.len();
        let mut index = 0;
        body.each_child(body.expr(expr).kind, &mut |child| {
            stack.extend(term.operands.get(index).map(|&it| (child, it)));
            index += 1;
        });
        stack[first..].reverse();
    }
}

impl Outcome {
    fn meet(&mut self, var: Var) {
        if self.met.insert(var) {
            self.users.push(var);
        }
    }

    /// The plan. `members`: for each made, the occurrences of its group.
    pub(super) fn plan(
        self,
        facts: &Facts<'_>,
        members: &[Vec<OccurrenceId>],
        forms: &Forms<'_>,
        vetoes: &[(ExprId, Refusal, Vec<OccurrenceId>)],
    ) -> CsePlan {
        let mut groups: Vec<CseGroup> = Vec::new();
        for (at, made) in self.made.iter().enumerate() {
            let is_one = members[at].iter().all(|&it| forms.is_written(made, it));
            let uses = self.replaces[at].len() as u32 + self.n_uses[at];
            let saved = uses.saturating_sub(1);
            let mut group = group(facts, made.origin, &members[at], Decision::Bind(at));
            group.saved = saved;
            if !is_one {
                group.equivalence = Equivalence::Arithmetic;
            }
            groups.push(group);
        }
        for &var in &self.users {
            groups.extend(self.reuse(facts, var));
        }
        for (expr, refusal, members) in vetoes {
            groups.push(group(facts, *expr, members, Decision::Refuse(*refusal)));
        }
        groups.sort_by_key(|it| it.occurrences.first().copied());
        let mut group_of_made = vec![0; self.made.len()];
        let mut group_of_user = FxHashMap::default();
        for (index, group) in groups.iter().enumerate() {
            match &group.decision {
                Decision::Bind(at) => group_of_made[*at] = index,
                Decision::Reuse(reuse) => {
                    if let ExistingName::Value(value) = reuse.held {
                        group_of_user.insert(value.index() as Var, index);
                    }
                }
                _ => {}
            }
        }
        let bindings = self.made.iter().enumerate().map(|(at, made)| CseBinding {
            name: made.name.clone(),
            group: group_of_made[at],
            expr: made.origin,
            depth: made.depth,
            before: self.before(facts, at),
            within: match made.home {
                Home::Before(_) => None,
                Home::Around(occurrence) => Some(Within::Occurrence(occurrence)),
                Home::InValue(of) => Some(Within::Value(of)),
            },
            replaces: self.replaces[at].clone(),
            uses: self.uses[at].clone(),
            reuses: self.reuses[at]
                .iter()
                .filter_map(|&(expr, var)| Some(Part { expr, of: *group_of_user.get(&var)? }))
                .collect(),
        });
        let bindings = bindings.collect();
        CsePlan {
            preset: Preset::Tvm2022,
            groups,
            bindings,
            cells: Vec::new(),
            dropped: Vec::new(),
            informational: ir::plan::only_informs(facts.body),
        }
    }

    /// The operation that a binding stands before, or in.
    pub(super) fn before(&self, facts: &Facts<'_>, at: usize) -> ir::OpId {
        match self.made[at].home {
            Home::Before(op) => op,
            Home::Around(occurrence) => facts.occurrences[occurrence].op,
            // Values stand in values only a few deep; each is made before what is in it.
            Home::InValue(of) => self.before(facts, of),
        }
    }

    fn reuse(&self, facts: &Facts<'_>, var: Var) -> Option<CseGroup> {
        let value = ir::ValueId::new(var as usize);
        let ir::ValueKind::Result(bound_by, _) = facts.body.values[value].kind else { return None };
        let definition = facts.occurrences.of_operand(bound_by, 0)?;
        let replaces = self.replaced_by_user.get(&var).cloned().unwrap_or_default();
        let mut members = replaces.clone();
        members.push(definition);
        members.sort_unstable();
        members.dedup();
        let saved = replaces.len() as u32;
        let decision = Decision::Reuse(ReuseOf {
            held: ExistingName::Value(value),
            bound_by,
            definition,
            replaces,
        });
        let mut group = group(facts, facts.occurrences[definition].expr, &members, decision);
        group.saved = saved;
        Some(group)
    }
}

fn group(
    facts: &Facts<'_>,
    expr: ExprId,
    members: &[OccurrenceId],
    decision: Decision,
) -> CseGroup {
    CseGroup {
        expr,
        occurrences: members.to_vec(),
        shadows: facts.shadows.of(members),
        equivalence: Equivalence::Syntactic,
        host_rounding: false,
        exposed_to: None,
        cost: facts.cost(expr),
        saved: 0,
        decision,
    }
}

/// The refused groups, with the occurrences that they would have served.
pub(super) fn refused(
    vetoes: &Vetoes,
    lists: &FxHashMap<ExprId, Vec<OccurrenceId>>,
) -> Vec<(ExprId, Refusal, Vec<OccurrenceId>)> {
    let mut all: Vec<_> = vetoes
        .values
        .iter()
        .map(|(&expr, &refusal)| (expr, refusal, lists.get(&expr).cloned().unwrap_or_default()))
        .collect();
    all.sort_by_key(|it| it.0);
    all
}
