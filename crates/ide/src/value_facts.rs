//! The facts about a value of MLIR at a place: for hovers, `explain --facts` and `simplify`.
//!
//! In: a file and the place of a value, a definition or a use. Out: the value in terms of arguments and loops, its
//! bounds and congruence and what they rest on, the conditions in force, a simpler form with the rules that lead to it,
//! and the facts that are missing, with the ways to state them. The facts of a unit are worked out once (`db`), and
//! copied for one value that a person asks about; what is stated besides the settings asks for them anew.

use arith::operations::{Decider, Known, Lack, OperationFacts, Outcome, StatedFacts, TermStep};
use db::{PlacedUnit, RootDatabase, SourceFile};
use ir::{
    Dialect, OpId, ValueId,
    guard::{Stage, guarded},
};
use syntax::{Form, TextRange, TextSize};

use crate::{integer_facts::bounds, plan_text::operations::PlanWords};

/// Bodies of more operations have no facts on hover: editors ask while the mouse moves.
const MOST_OPERATIONS: usize = 20_000;

/// The facts about a value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ValueFacts {
    /// The place of its name that was asked about.
    pub range: TextRange,
    /// Its name.
    pub name: String,
    /// Its type.
    pub ty: String,
    /// The value in terms of arguments, loops and what is not understood; none if it is such a thing.
    pub term: Option<String>,
    /// The bounds, if they are tighter than those of the type.
    pub bounds: Option<String>,
    /// The congruence, if there is one.
    pub congruence: Option<String>,
    /// The conditions that these rest on.
    pub because: Vec<KnownFact>,
    /// The conditions in force, outermost first.
    pub known: Vec<KnownFact>,
    /// A simpler form.
    pub simple: Option<String>,
    /// The steps that lead to it.
    pub steps: Vec<TermStep>,
    /// Facts that nothing shows and that would decide something.
    pub missing: Vec<MissingFact>,
}

/// A condition that holds.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct KnownFact {
    /// The condition.
    pub text: String,
    /// The place of the operation that says it.
    pub place: Option<TextRange>,
    /// The source of it, if that is no operation: the settings, an attribute.
    pub by: Option<String>,
}

/// A fact that is not known.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MissingFact {
    /// The fact: a condition, or what does not overflow.
    pub fact: String,
    /// True if it is that nothing in this overflows.
    pub is_overflow: bool,
    /// Its consequence.
    pub outcome: String,
    /// The rule that would apply.
    pub rule: Option<&'static str>,
    /// How it can be stated.
    pub ways: Vec<String>,
}

impl ValueFacts {
    /// One sentence each, for people; without what is in force but says nothing about the value.
    pub fn sentences(&self) -> Vec<String> {
        let mut res = Vec::new();
        res.extend(self.term.as_ref().map(|it| format!("is `{it}`")));
        res.extend(self.bounds.as_ref().map(|it| format!("bounds: `{it}`")));
        res.extend(self.congruence.as_ref().map(|it| format!("congruence: `{it}`")));
        if !self.because.is_empty() {
            let because: Vec<String> =
                self.because.iter().map(|it| format!("`{}`", it.text)).collect();
            res.push(format!("known from {}", because.join(", ")));
        }
        if let Some(simple) = &self.simple {
            let mut rules: Vec<&str> = self.steps.iter().map(|it| it.rule).collect();
            rules.dedup();
            res.push(format!("simpler form: `{simple}` ({})", rules.join(", ")));
        }
        res.extend(self.missing.iter().map(MissingFact::sentence));
        res
    }
}

impl MissingFact {
    /// The fact, what it would do and how it is stated.
    pub fn sentence(&self) -> String {
        let ways = match self.ways.is_empty() {
            true => String::new(),
            false => format!("; state it by {}", self.ways.join(", or ")),
        };
        let fact = match self.is_overflow {
            true => format!("that `{}` does not overflow", self.fact),
            false => format!("`{}`", self.fact),
        };
        format!("not known: {fact}; with it, {}{ways}", self.outcome)
    }
}

/// The facts about the value at an offset; none if there is no value, or none of integers. `more` is stated besides the
/// settings.
pub(crate) fn value_facts(
    db: &RootDatabase,
    file: SourceFile,
    offset: TextSize,
    more: &StatedFacts,
) -> Option<ValueFacts> {
    if db::form(db, file) != Form::Operations {
        return None;
    }
    let at = db::unit_at(db, file, offset)?;
    let inner = at.from_file(offset)?;
    let words = PlanWords::new(db, at.unit)?;
    let (value, range) = words.map.value_at(words.body, inner)?;
    let is_use = words.map.use_at(words.body, inner).is_some();
    let user = words.map.op_at(words.body, inner).filter(|_| is_use);
    of_value(db, &at, &words, value, range, user, more)
}

/// The facts about a value before its user, else behind its definition.
pub(crate) fn of_value(
    db: &RootDatabase,
    at: &PlacedUnit<'_>,
    words: &PlanWords<'_>,
    value: ValueId,
    range: TextRange,
    user: Option<OpId>,
    more: &StatedFacts,
) -> Option<ValueFacts> {
    let body = words.body;
    if body.dialect != Dialect::Mlir || body.ops.len() > MOST_OPERATIONS {
        return None;
    }
    let mut stated = StatedFacts::clone(&at.unit.configuration(db).dialects(db).facts);
    more.iter().for_each(|it| stated.push(it.clone()));
    let names = |it: ValueId| words.value(it);
    let kept = match more.iter().next() {
        Some(_) => None,
        None => db::operation_facts(db, at.unit),
    };
    let work = || {
        let facts = kept.unwrap_or_else(|| OperationFacts::new(body, &stated));
        let before = match user {
            Some(user) => facts.before(user).map(|_| user),
            None => facts.defined_before(value),
        }?;
        facts.describe(value, before, &names)
    };
    let found = guarded(Stage::Planning, at.unit.name(db), work).ok().flatten()?;
    let known = |it: &Known| known(at, words, &stated, it);
    let text = crate::names::operations::type_name(body, value).unwrap_or("?").to_owned();
    let is_condition = found.dtype.is_bool();
    let limits = arith::Interval::of_type(found.dtype);
    Some(ValueFacts {
        range: at.to_file(range),
        name: words.value(value),
        bounds: match found.interval.as_constant().filter(|_| is_condition) {
            Some(value) => Some(format!("always {}", value != 0)),
            None if is_condition => None,
            None => bounds(found.interval, limits),
        },
        congruence: (found.modular.coeff > 1).then(|| found.modular.to_string()),
        term: found.term,
        because: found.because.iter().map(known).collect(),
        known: found.known.iter().map(known).collect(),
        simple: found.simple,
        steps: found.steps,
        missing: found.missing.iter().map(|it| missing(&text, it)).collect(),
        ty: text,
    })
}

fn known(
    at: &PlacedUnit<'_>,
    words: &PlanWords<'_>,
    stated: &StatedFacts,
    it: &Known,
) -> KnownFact {
    let (place, by) = match it.by {
        Some(Decider::Op(op)) => (Some(at.to_file(words.place(op))), None),
        Some(Decider::Stated(number)) => {
            let fact = stated.iter().nth(number);
            (None, fact.map(|it| format!("stated: `{}`", it.text)))
        }
        Some(Decider::Attribute) => (None, Some("`tt.divisibility`".to_owned())),
        None => (None, None),
    };
    KnownFact { text: it.text.clone(), place, by }
}

fn missing(ty: &str, it: &Lack) -> MissingFact {
    let is_mask = ty.starts_with("tensor<") || ty.starts_with("vector<");
    let outcome = match &it.outcome {
        Outcome::Decided(true) if is_mask => "every element of it is true".to_owned(),
        Outcome::Decided(value) => format!("it is always {value}"),
        Outcome::Part => "one comparison of it always holds".to_owned(),
        Outcome::SameIn(n) => format!("it is the same in all {n} elements"),
        Outcome::Rule { rule, part } => format!("{rule} would apply to `{part}`"),
    };
    let rule = match it.outcome {
        Outcome::Rule { rule, .. } => Some(rule),
        _ => None,
    };
    let mut ways = Vec::new();
    if let Some(divisor) = it.divisor {
        ways.push(format!("`tt.divisibility = {divisor} : i32` of the argument"));
    }
    if it.is_condition {
        ways.push("`llvm.intr.assume` or `cf.assert`".to_owned());
    }
    if let Some((name, condition)) = &it.setting {
        ways.push(format!("`{name} = \"{condition}\"` in `[facts]` of the settings"));
    }
    MissingFact { fact: it.fact.clone(), is_overflow: !it.is_condition, outcome, rule, ways }
}
