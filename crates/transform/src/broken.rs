//! Verification of pass results: a result is verified before anyone uses it.
//!
//! In: a body before and after a pass. Out: the body, or a [`Broken`]: the rule that does not hold, where, and the text
//! of a report that a person can send. A broken result is our mistake: it is not used, and the function stays as it
//! was. O(size of the body).

use ir::{Body, OpId, OpKind, arena::Id as _, verify::VerifyError};

/// Lines of the function that a report shows.
const MOST_LINES: usize = 12;

/// A result that breaks a rule of the IR.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Broken {
    /// Name of the function.
    pub function: String,
    /// Name of the pass; `reading` if the rule was broken before the first one.
    pub pass: &'static str,
    /// The rule that does not hold.
    pub what: String,
    /// The statement that breaks it, printed from the body before the pass, with the statements around it.
    pub context: String,
}

/// The result of a pass if it keeps the rules of the IR.
pub fn kept(pass: &'static str, before: &Body, after: Body) -> Result<Body, Broken> {
    match ir::verify::verify(&after).first() {
        None => Ok(after),
        Some(error) => Err(Broken::new(pass, before, &after, error)),
    }
}

/// Returns `Ok` if a body that was read keeps the rules of the IR: otherwise no pass may see it.
pub fn readable(body: &Body) -> Result<(), Broken> {
    match ir::verify::verify(body).first() {
        None => Ok(()),
        Some(error) => Err(Broken::new("reading", body, body, error)),
    }
}

impl Broken {
    /// An edited text that reads as nothing that keeps the rules.
    pub fn in_text(pass: &'static str, before: &Body, what: String, op: Option<OpId>) -> Broken {
        let context = context(before, op);
        Broken { function: before.name.to_string(), pass, what, context }
    }

    fn new(pass: &'static str, before: &Body, after: &Body, error: &VerifyError) -> Broken {
        // Operations that stay keep their ids.
        let op = error.op.filter(|it| it.index() < before.ops.len());
        Broken {
            function: before.name.to_string(),
            pass,
            what: error.message.clone(),
            context: context(before, op.or_else(|| outermost(after, before))),
        }
    }

    /// The text of a report: one line about the defect, then the data that a report needs.
    pub fn report(&self) -> String {
        let Broken { function, pass, what, context } = self;
        ir::guard::report(function, pass, what, context)
    }
}

/// The first operation, if there is one in both.
fn outermost(after: &Body, before: &Body) -> Option<OpId> {
    after.ops_preorder().into_iter().find(|it| it.index() < before.ops.len())
}

/// The lines of the printed function around an operation.
fn context(body: &Body, op: Option<OpId>) -> String {
    let text = ir::print::tvmscript(body, 0);
    let lines: Vec<&str> = text.lines().collect();
    let at = op.map_or(0, |op| line_of(body, op, &lines));
    let start = at.saturating_sub(MOST_LINES / 2).min(lines.len().saturating_sub(MOST_LINES));
    let end = (start + MOST_LINES).min(lines.len());
    lines[start..end].join("\n")
}

/// The line that an operation begins, about: there is about one a statement.
fn line_of(body: &Body, op: OpId, lines: &[&str]) -> usize {
    let ops: Vec<OpId> = body.ops_preorder().collect();
    let before = ops.iter().take_while(|it| **it != op);
    let n = before.filter(|it| !matches!(body.ops[**it].kind, OpKind::Break)).count();
    let header = lines.iter().take_while(|it| !it.trim_end().ends_with(':')).count() + 1;
    (header + n).min(lines.len().saturating_sub(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_broken_result_is_not_used_and_its_report_has_the_place() {
        let mut before = Body::new("f", ir::Dialect::Tirx);
        let entry = before.entry(before.root);
        let one = before.int(1, ir::DataType::INT32);
        before.push_op(entry, OpKind::Evaluate, &[one]);
        assert!(readable(&before).is_ok());
        let mut after = before.clone();
        let block = after.entry(after.root);
        let op = after.push_op(block, OpKind::Bind, &[one]);
        let x = after.push_result(op, "x", ir::DataType::INT32.into());
        let x = after.value_expr(x);
        after.blocks[block].ops.pop();
        after.push_op(block, OpKind::Evaluate, &[x]);
        let broken = kept("cse", &before, after).unwrap_err();
        assert_eq!((broken.pass, &*broken.what), ("cse", "value `x` (0) is not visible"));
        let report = broken.report();
        assert!(report.contains("please report") || report.contains("Please report"), "{report}");
        assert!(report.contains("T.evaluate(1)"), "{report}");
    }
}
