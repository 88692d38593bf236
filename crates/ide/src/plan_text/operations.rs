//! Sentences about a plan of operations, shared by hints, actions, diagnostics and hovers, relative to the unit.

use db::{Db, Unit};
use frontend::ops::OpSourceMap;
use ir::{
    Body, Dialect, OpId, OpKind, ValueId, ValueKind,
    plan::ops::{OpAction, OpChange, OpPlan},
};
use syntax::TextRange;

use crate::names::operations::{name_part, pack};

/// A unit with all that is known of it.
pub(crate) struct PlanWords<'db> {
    pub(crate) body: &'db Body,
    pub(crate) map: &'db OpSourceMap,
    pub(crate) plan: &'db OpPlan,
    pub(crate) text: &'db str,
}

impl<'db> PlanWords<'db> {
    /// None for units that have no body.
    pub(crate) fn new(db: &'db dyn Db, unit: Unit<'db>) -> Option<PlanWords<'db>> {
        let lowered = db::lowered(db, unit).operations()?;
        let plan = db::op_plan(db, unit)?;
        let text = db::text(db, unit);
        Some(PlanWords { body: &lowered.body, map: &lowered.source_map, plan, text })
    }

    /// The name of an operation, with its dialect.
    pub(crate) fn op(&self, op: OpId) -> &'db str {
        op_name(self.body, op)
    }

    /// The name of a value as a use of it is written: `%r#1` is one of several that `%r:2` defines.
    pub(crate) fn value(&self, value: ValueId) -> String {
        let Some(name) = self.defined_name(value) else {
            return "a value without a name".to_owned();
        };
        let pack = pack(self.body, self.map, value);
        match pack.iter().position(|it| *it == value) {
            Some(number) if pack.len() > 1 => format!("{name}#{number}"),
            _ => name.to_owned(),
        }
    }

    /// The name of the results of an operation, of a pack that of all; its own name if it has none.
    pub(crate) fn results(&self, op: OpId) -> String {
        let first = self.body.ops[op].results.first();
        match first.map(|it| self.defined_name(*it)) {
            Some(Some(name)) => name.to_owned(),
            Some(None) => "a value without a name".to_owned(),
            None => self.op(op).to_owned(),
        }
    }

    /// The name that a definition gives a value, without its number in a pack.
    fn defined_name(&self, value: ValueId) -> Option<&'db str> {
        let definition = self.map.definition(value);
        (!definition.is_empty()).then(|| &self.text[name_part(self.text, definition)])
    }

    /// Returns the place where people look for an operation: its name.
    pub(crate) fn place(&self, op: OpId) -> TextRange {
        self.map.op_name(op)
    }

    /// The text of the location of an operation: `#loc3` of `loc(#loc3)` behind it.
    pub(crate) fn location(&self, op: OpId) -> Option<&'db str> {
        let whole = self.text.get(std::ops::Range::<usize>::from(self.map.op(op)))?.trim_end();
        let start = whole.rfind(" loc(")?;
        let inner = whole[start + " loc(".len()..].strip_suffix(')')?;
        // The location stands behind everything else.
        (!inner.contains('\n')).then_some(inner)
    }

    /// Returns the action in a sentence without full stop.
    pub(crate) fn sentence(&self, action: &OpAction) -> String {
        let op = self.op(action.op);
        match &action.change {
            OpChange::Merge { into } | OpChange::MergeWithCopies { into, .. } => {
                format!("`{op}` computes the same value as `{}`", self.results(*into))
            }
            OpChange::MergeUses { into, uses } => format!(
                "`{op}` computes the same value as `{}`, at {} of its uses",
                self.results(*into),
                uses.len()
            ),
            OpChange::Delete => format!("nothing needs this `{op}`"),
            OpChange::Hoist { before } => {
                format!("`{op}` is computed on every path from an earlier `{}`", self.op(*before))
            }
            OpChange::Argument { argument, value } => format!(
                "{} `{}` is always `{}`",
                match self.body.values[*argument].kind {
                    ValueKind::Result(..) => "the result",
                    _ => "the block argument",
                },
                self.value(*argument),
                self.value(*value)
            ),
            OpChange::RemoveArgument { argument } => {
                format!("nothing needs the argument `{}`", self.value(*argument))
            }
        }
    }

    /// Returns the title of a fix. `line` gives the place in the unit, as ` (line 3)`, if it is known.
    pub(crate) fn title(
        &self,
        action: &OpAction,
        line: impl Fn(TextRange) -> Option<String>,
    ) -> String {
        match &action.change {
            OpChange::Merge { into }
            | OpChange::MergeWithCopies { into, .. }
            | OpChange::MergeUses { into, .. } => {
                let (kept, gone) = (self.results(*into), self.results(action.op));
                self.instead(action, &kept, &gone, line)
            }
            OpChange::Delete => format!("Delete `{}`, which nothing needs", self.op(action.op)),
            OpChange::Hoist { before } => {
                format!("Move `{}` before `{}`", self.results(action.op), self.op(*before))
            }
            OpChange::Argument { argument, value } => {
                self.instead(action, &self.value(*value), &self.value(*argument), line)
            }
            OpChange::RemoveArgument { argument } => {
                format!("Remove `{}`, which nothing needs", self.value(*argument))
            }
        }
    }

    /// One value instead of another. In regions beside each other, both may have one name: then the place is added.
    fn instead(
        &self,
        action: &OpAction,
        kept: &str,
        gone: &str,
        line: impl Fn(TextRange) -> Option<String>,
    ) -> String {
        let place = self.other_place(action).filter(|_| kept == gone);
        match place.map(|it| (it, line(it))) {
            None => format!("Use `{kept}` instead of `{gone}`"),
            Some((_, Some(line))) => format!("Use `{kept}`{line} instead"),
            Some((place, None)) => {
                let is_above = place.start() < self.action_place(action).start();
                let side = if is_above { "above" } else { "below" };
                format!("Use the `{kept}` {side} instead")
            }
        }
    }

    /// Returns the reason, and why the peer's pass does not do it.
    pub(crate) fn reason(&self, action: &OpAction) -> String {
        let why_not = match action.kind.why_not_by_peer() {
            Some(why) if self.body.dialect == Dialect::Pir => {
                format!(" Paddle's pass does not do it: {why}.")
            }
            Some(why) => format!(" `mlir-opt -cse` does not do it: {why}."),
            None => String::new(),
        };
        format!("{}: {}.{why_not}", action.kind.name(), self.sentence(action))
    }

    /// Returns the place where the text of an action is: the operation, or the block argument.
    pub(crate) fn action_place(&self, action: &OpAction) -> TextRange {
        match &action.change {
            OpChange::Argument { argument, .. } | OpChange::RemoveArgument { argument } => {
                name_part(self.text, self.map.definition(*argument))
            }
            _ => self.place(action.op),
        }
    }

    /// The place that an action leads to.
    pub(crate) fn other_place(&self, action: &OpAction) -> Option<TextRange> {
        let range = match &action.change {
            OpChange::Merge { into }
            | OpChange::MergeWithCopies { into, .. }
            | OpChange::MergeUses { into, .. } => self.place(*into),
            OpChange::Hoist { before } => self.place(*before),
            OpChange::Argument { value, .. } => self.map.definition(*value),
            OpChange::Delete | OpChange::RemoveArgument { .. } => return None,
        };
        (!range.is_empty()).then_some(range)
    }

    /// Returns true if the text contains the operations that an action changes.
    pub(crate) fn is_written(&self, action: &OpAction) -> bool {
        !self.action_place(action).is_empty()
    }
}

/// The name of an operation, with its dialect.
pub(crate) fn op_name(body: &Body, op: OpId) -> &str {
    match body.ops[op].kind {
        OpKind::Named(name) | OpKind::Opaque(name) => body.name(name),
        _ => "operation",
    }
}
