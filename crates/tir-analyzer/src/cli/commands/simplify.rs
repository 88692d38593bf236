//! `simplify`: an expression at the prompt, in its simplest form, with the rules that led there.
//!
//! In: an expression in TVMScript's notation and conditions that hold. Both become a small function, so all constructs
//! of the language work here as in a file; undeclared names are its parameters. Out: the simplest form under the
//! conditions, each step with the name of its rule, and which fact would let one more rule apply. `FILE:LINE:COLUMN` of
//! a value of MLIR asks about that value ([`values`]).

mod question;

use arith::{
    Constraint, ContextId, Overflow, Simplifier,
    simplify::{Missing, MissingFact, Step},
};
use ir::{
    Body, ExprId,
    guard::{Stage, guarded},
    print::expr_text,
};
use serde_json::{Value, json};

use self::question::Question;
use crate::cli::{
    Exit,
    args::{AnswerFormat, SimplifyArgs},
    commands::values,
    io::{Io, Styled},
};

/// Version of the JSON answers.
const VERSION: u32 = 1;

/// The answer.
struct Answer {
    before: String,
    after: String,
    dtype: String,
    steps: Vec<(&'static str, String, String, Option<String>)>,
    missing: Vec<(&'static str, String, String)>,
    /// Bounds and congruence, if the value is an integer.
    facts: Option<(arith::Interval, arith::Modular)>,
    /// No value has all the conditions.
    is_contradiction: bool,
}

/// Runs the command.
pub(crate) fn simplify(
    args: &SimplifyArgs,
    io: &mut Io<'_>,
    styled: Styled,
) -> anyhow::Result<Exit> {
    let place = values::answer(&args.expr, &args.given, args.format, io, styled)?;
    if let Some(answer) = place {
        io.out.write_all(answer.as_bytes())?;
        return Ok(Exit::Success);
    }
    let question = Question::read(&args.expr, &args.given, &args.vars, &args.size)?;
    let answer = guarded(Stage::Planning, &question.body.name, || answer(&question));
    let answer = answer.map_err(|it| anyhow::anyhow!(it.report()))?;
    let text = match args.format {
        AnswerFormat::Text => text(&answer, args.facts, styled.out),
        AnswerFormat::Json => format!("{:#}\n", value(&answer)),
    };
    io.out.write_all(text.as_bytes())?;
    Ok(Exit::Success)
}

fn answer(question: &Question) -> Answer {
    // The expression stands where it is evaluated and used.
    let reading = Overflow::Excluded;
    let mut simplifier = Simplifier::new(&question.body);
    let analyzer = simplifier.analyzer();
    let mut ctx = analyzer.root();
    for &condition in &question.given {
        ctx = analyzer.assume(ctx, condition, true);
    }
    let is_contradiction = analyzer.is_contradiction(reading, ctx);
    let before = question.expr;
    let after = simplifier.simplify(ctx, before, reading);
    let steps = simplifier.steps(ctx, before, reading);
    let missing = simplifier.missing(ctx, before, reading);
    let is_integral = |body: &Body| body.dtype(after).is_some_and(|it| it.is_integer());
    let facts = is_integral(simplifier.body()).then(|| {
        let it = simplifier.analyzer().facts_with(reading, ctx, after);
        (it.interval, it.modular)
    });
    let steps = steps.iter().map(|it| step(&mut simplifier, it)).collect();
    let body = simplifier.body();
    Answer {
        before: expr_text(body, before),
        after: expr_text(body, after),
        dtype: body.dtype(before).map(|it| it.to_string()).unwrap_or_default(),
        steps,
        missing: missing.iter().map(|it| lacking(body, it)).collect(),
        facts,
        is_contradiction,
    }
}

fn step(
    simplifier: &mut Simplifier<'_>,
    it: &Step,
) -> (&'static str, String, String, Option<String>) {
    let because = it.because.and_then(|ctx| reason(simplifier, ctx));
    let body = simplifier.body();
    (it.rule, expr_text(body, it.before), expr_text(body, it.after), because)
}

/// Returns the condition that a context adds to its parent, if it is one.
fn reason(simplifier: &mut Simplifier<'_>, ctx: ContextId) -> Option<String> {
    match simplifier.analyzer().constraint(ctx) {
        Constraint::Assume { cond, holds } => {
            let text = expr_text(simplifier.body(), cond);
            Some(if holds { text } else { format!("not ({text})") })
        }
        _ => None,
    }
}

fn lacking(body: &Body, it: &Missing) -> (&'static str, String, String) {
    let of = |expr: ExprId| expr_text(body, expr);
    let fact = match it.fact {
        MissingFact::Holds(condition) => format!("`{}`", of(condition)),
        MissingFact::NoOverflow(expr) => format!("that `{}` does not overflow", of(expr)),
        MissingFact::NoEvent(expr) => format!("that evaluating `{}` is no error", of(expr)),
    };
    (it.rule, of(it.expr), fact)
}

// ---- how it is told ----

fn text(answer: &Answer, with_facts: bool, is_styled: bool) -> String {
    let (bold, dim, end) = if is_styled { ("\x1b[1m", "\x1b[2m", "\x1b[0m") } else { ("", "", "") };
    let mut out = format!("{bold}{}{end}\n", answer.after);
    if answer.is_contradiction {
        out.push_str("no value has all these conditions: they contradict one another\n");
    }
    for (rule, before, after, because) in &answer.steps {
        let because = because.as_ref().map(|it| format!(", as {it}")).unwrap_or_default();
        out.push_str(&format!("  {rule}: {before}  =>  {after}{dim}{because}{end}\n"));
    }
    if answer.steps.is_empty() {
        out.push_str("  it is in its simplest form\n");
    }
    for (rule, expr, fact) in &answer.missing {
        out.push_str(&format!("not known: {fact}; with it, {rule} would apply to `{expr}`\n"));
    }
    if with_facts && let Some((interval, modular)) = &answer.facts {
        out.push_str(&format!("bounds: {interval}\ncongruence: {modular}\n"));
    }
    out
}

fn value(answer: &Answer) -> Value {
    let bound = |it: i128, infinite: i128| (it != infinite).then(|| it.to_string());
    json!({
        "version": VERSION,
        "before": answer.before,
        "after": answer.after,
        "dtype": answer.dtype,
        "contradiction": answer.is_contradiction,
        "steps": answer.steps.iter().map(|(rule, before, after, because)| {
            json!({ "rule": rule, "before": before, "after": after, "because": because })
        }).collect::<Vec<_>>(),
        "missing": answer.missing.iter().map(|(rule, expr, fact)| {
            json!({ "rule": rule, "expression": expr, "fact": fact })
        }).collect::<Vec<_>>(),
        "facts": answer.facts.map(|(interval, modular)| json!({
            "min": bound(interval.min, arith::Interval::NEG_INF),
            "max": bound(interval.max, arith::Interval::POS_INF),
            "modulus": modular.coeff.to_string(),
            "remainder": modular.base.to_string(),
        })),
    })
}
