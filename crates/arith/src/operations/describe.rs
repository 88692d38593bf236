//! The facts about a value at a place, in words: for hovers and the command line.
//!
//! In: a value, the operation before which it is asked about, names of values. Out: its term, bounds, congruence, where
//! they come from, the conditions in force, a simpler form with the rules that lead to it, and facts that are missing.
//! As much work as so many questions: for one value that a person asks about.

mod assumption;

use ir::{Body, DataType, ExprId, ExprKind, OpId, ValueId};
use rustc_hash::FxHashMap;

pub use self::assumption::Assumption;
use super::{
    Decider, Leaf, OperationFacts,
    notation::{leaf_name, term_text},
};
use crate::{
    Attained, Constraint, ContextId, Interval, Modular, Overflow, Simplifier, Source,
    integers::negated, simplify::MissingFact,
};

/// Conditions that are listed.
const MOST_KNOWN: usize = 64;
/// Terms of more nodes are not put into words.
const MOST_NODES: u32 = 256;
/// Signed numbers of MLIR wrap.
const READING: Overflow = Overflow::Wraps;

/// The facts about one value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ValueFacts {
    /// The value in terms of arguments, loops and what is not understood; none if it is such a thing itself.
    pub term: Option<String>,
    /// The type that it is calculated in.
    pub dtype: DataType,
    /// Every value that it has here.
    pub interval: Interval,
    /// The congruence that they are in.
    pub modular: Modular,
    /// The conditions that the bounds and the congruence rest on, outermost first.
    pub because: Vec<Known>,
    /// The conditions in force, outermost first.
    pub known: Vec<Known>,
    /// The simplest form, if it is another one than the term.
    pub simple: Option<String>,
    /// The steps that lead to it.
    pub steps: Vec<TermStep>,
    /// Facts that nothing shows, and what each would do.
    pub missing: Vec<Lack>,
}

/// A condition that holds.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Known {
    /// The condition.
    pub text: String,
    /// The thing that says so.
    pub by: Option<Decider>,
}

/// A step to a simpler form.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TermStep {
    /// The name of the rule or stage.
    pub rule: &'static str,
    /// The term before the step.
    pub before: String,
    /// The term after it.
    pub after: String,
    /// The condition that decides it.
    pub because: Option<String>,
}

/// A fact that is not known.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Lack {
    /// The fact; where it is no condition, what does not overflow.
    pub fact: String,
    /// Its consequence.
    pub outcome: Outcome,
    /// True if it is a condition that an assumption can state.
    pub is_condition: bool,
    /// The name and the condition for `[facts]` of the settings, if those can say it.
    pub setting: Option<(String, String)>,
    /// The number that an argument is a multiple of, if that is all: `tt.divisibility` can say it.
    pub divisor: Option<i64>,
    /// The argument that this is about.
    pub argument: Option<ValueId>,
    /// The operations that state it in the program.
    pub assumption: Option<Assumption>,
}

/// The consequence of a missing fact.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// The condition would be always so.
    Decided(bool),
    /// A part of the condition would always hold, and could go.
    Part,
    /// The condition would be the same in this many elements.
    SameIn(i64),
    /// A rule would apply to a part.
    Rule {
        /// The rule.
        rule: &'static str,
        /// The part.
        part: String,
    },
}

/// Facts that are missing, and the consequence of each.
pub(super) type Lacks = Vec<(ExprId, Outcome)>;

/// The body of terms with the names of its leaves.
pub(super) struct Written<'w> {
    pub(super) simplifier: Simplifier<'static>,
    pub(super) leaves: FxHashMap<ValueId, Leaf>,
    /// The program.
    pub(super) ops: &'w Body,
    deciders: std::collections::BTreeMap<ContextId, Option<Decider>>,
    names: &'w dyn Fn(ValueId) -> String,
}

impl OperationFacts<'_> {
    /// The operation whose facts hold where a value has just been defined; none in a region that was not understood.
    pub fn defined_before(&self, value: ValueId) -> Option<OpId> {
        let (block, at) = match self.body.values[value].kind {
            ir::ValueKind::BlockArg(block, _) => (block, 0),
            ir::ValueKind::Result(op, _) => {
                let block = self.body.ops[op].parent;
                let at = self.body.blocks[block].ops.iter().position(|it| *it == op)?;
                (block, at + 1)
            }
            _ => return None,
        };
        let ops = &self.body.blocks[block].ops;
        let op = ops.get(at).or_else(|| ops.last()).copied()?;
        self.before(op).map(|_| op)
    }

    /// All that is known of a value before an operation, whose names of values are given; none for what is no integer,
    /// and in regions that are not understood.
    pub fn describe(
        mut self,
        value: ValueId,
        at: OpId,
        names: &dyn Fn(ValueId) -> String,
    ) -> Option<ValueFacts> {
        let context = self.used(at, value)?;
        let term = self.term(value)?;
        if self.analyzer.body().expr(term).size > MOST_NODES {
            return None;
        }
        let lacks = self.lacks(context, term);
        let attained = self.attained(context);
        let OperationFacts { body, analyzer, leaves, deciders, .. } = self;
        let simplifier = Simplifier::of(analyzer);
        let written = Written { simplifier, leaves, ops: body, deciders, names };
        Some(written.describe(context, term, lacks, &attained))
    }
}

impl Written<'_> {
    fn describe(
        mut self,
        context: ContextId,
        term: ExprId,
        lacks: Lacks,
        attained: &[Attained],
    ) -> ValueFacts {
        let facts = self.simplifier.analyzer().facts_with(READING, context, term);
        let body = self.simplifier.body();
        let dtype = body.dtype(term).unwrap_or(DataType::INT64);
        let is_leaf = body.expr(term).is_leaf();
        let simple = self.simplifier.simplify(context, term, READING);
        let mut steps = Vec::new();
        if simple != term {
            for step in self.simplifier.steps(context, term, READING) {
                steps.push(TermStep {
                    rule: step.rule,
                    before: self.text(step.before),
                    after: self.text(step.after),
                    because: step.because.and_then(|it| self.known(it)).map(|it| it.text),
                });
            }
        }
        let simple = (simple != term).then(|| self.text(simple));
        let text = self.text(term);
        ValueFacts {
            simple: simple.filter(|it| *it != text),
            term: (!is_leaf).then_some(text),
            dtype,
            interval: facts.interval,
            modular: facts.modular,
            because: self.because(context, term),
            known: self.all_known(context),
            steps,
            missing: self.missing(context, term, lacks, attained),
        }
    }

    pub(super) fn text(&self, term: ExprId) -> String {
        let body = self.simplifier.body();
        let name = |leaf| leaf_name(body, &self.leaves, leaf, self.names);
        term_text(body, term, &name)
    }

    /// The condition that a context adds, if something in the program says it.
    fn known(&mut self, context: ContextId) -> Option<Known> {
        // A conjunction is several contexts, the last of which is remembered.
        let by = self.deciders.range(context..).next().and_then(|(_, it)| *it)?;
        let Constraint::Assume { cond, holds } = self.simplifier.analyzer().constraint(context)
        else {
            return None;
        };
        let text = match self.simplifier.body().expr(cond).kind {
            _ if holds => self.text(cond),
            ExprKind::Binary(op, a, b) if op.is_comparison() => {
                let opposite = negated(op);
                let it = self.simplifier.analyzer().grow(|body| body.binary(opposite, a, b));
                self.text(it)
            }
            _ => format!("not ({})", self.text(cond)),
        };
        Some(Known { text, by: Some(by) })
    }

    fn because(&mut self, context: ContextId, term: ExprId) -> Vec<Known> {
        let origins = self.simplifier.analyzer().sources(READING, context, term);
        let of = origins.iter().filter_map(|it| match it.source {
            Source::Condition(at) => self.known(at),
            _ => None,
        });
        let mut res: Vec<Known> = of.collect();
        res.dedup();
        res
    }

    fn all_known(&mut self, context: ContextId) -> Vec<Known> {
        let mut res = Vec::new();
        let mut at = context;
        while let Some(parent) = self.simplifier.analyzer().parent(at) {
            res.extend(self.known(at));
            if res.len() >= MOST_KNOWN {
                break;
            }
            at = parent;
        }
        res.reverse();
        res
    }

    /// The facts that are missing, but for those that some run contradicts.
    fn missing(
        &mut self,
        context: ContextId,
        term: ExprId,
        lacks: Lacks,
        attained: &[Attained],
    ) -> Vec<Lack> {
        let mut res = Vec::new();
        for (fact, outcome) in lacks {
            if self.is_refuted(context, fact, attained) {
                continue;
            }
            let root = self.simplifier.analyzer().root();
            let fact = self.simplifier.simplify(root, fact, Overflow::Excluded);
            res.push(self.lack(fact, outcome));
        }
        for it in self.simplifier.missing(context, term, READING) {
            let outcome = Outcome::Rule { rule: it.rule, part: self.text(it.expr) };
            let lack = match it.fact {
                MissingFact::Holds(fact) if self.is_refuted(context, fact, attained) => continue,
                MissingFact::Holds(condition) => self.lack(condition, outcome),
                MissingFact::NoOverflow(part) => Lack {
                    fact: self.text(part),
                    outcome,
                    is_condition: false,
                    setting: None,
                    divisor: None,
                    argument: None,
                    assumption: None,
                },
                MissingFact::NoEvent(_) => continue,
            };
            if res.iter().all(|known: &Lack| known.fact != lack.fact) {
                res.push(lack);
            }
        }
        res
    }

    fn is_refuted(&mut self, context: ContextId, fact: ExprId, attained: &[Attained]) -> bool {
        // A sum that wraps excuses nothing where people read the fact.
        let mut is_so =
            |reading| self.simplifier.analyzer().is_refuted(reading, context, fact, attained);
        is_so(READING) || is_so(Overflow::Excluded)
    }

    fn lack(&self, fact: ExprId, outcome: Outcome) -> Lack {
        let (setting, divisor) = self.setting(fact);
        let assumption = self.assumption(fact);
        let argument = match assumption.as_ref().map(|it| &it.values[..]) {
            Some(&[only]) if divisor.is_some() => Some(only),
            _ => None,
        };
        Lack {
            fact: self.text(fact),
            outcome,
            is_condition: true,
            setting,
            divisor,
            argument,
            assumption,
        }
    }
}
