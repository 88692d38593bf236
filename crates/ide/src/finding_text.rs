//! Sentences about findings: what diagnostics, actions and `explain` say, so that they say the same.

use db::{Db, Unit};
use ir::{
    Body,
    plan::finding::{Finding, FindingKind, FixEdit, Place, Reason, Related, Replacement, Role},
    print::expr_text,
};
use syntax::TextRange;

use crate::plan_text::{excerpt, function_text};

/// Expressions of more nodes are not written out.
const MAX_NODES: u32 = 64;

/// All that sentences about the findings of one function are made from.
pub(crate) struct FindingText<'db> {
    body: &'db Body,
    map: &'db frontend::tvmscript::SourceMap,
    text: &'db str,
    name: &'db str,
    name_range: TextRange,
}

impl<'db> FindingText<'db> {
    pub(crate) fn new(db: &'db dyn Db, unit: Unit<'db>) -> FindingText<'db> {
        FindingText {
            body: db::body(db, unit),
            map: db::source_map(db, unit),
            text: &function_text(db, unit).text,
            name: unit.name(db),
            name_range: unit.name_range(db),
        }
    }

    /// Where a place is in the function; none for what a macro made and the like.
    pub(crate) fn range(&self, place: Place) -> Option<TextRange> {
        match place {
            Place::Function => Some(self.name_range),
            _ => self.map.place(place),
        }
    }

    /// What stands at a place, in code marks.
    pub(crate) fn shown(&self, place: Place) -> String {
        match (place, self.range(place)) {
            (Place::Function, _) => format!("`{}`", self.name),
            (_, Some(range)) => format!("`{}`", excerpt(self.text, range).replace('`', "'")),
            (_, None) => "this".to_owned(),
        }
    }

    /// What a finding says, without a full stop.
    pub(crate) fn message(&self, it: &Finding) -> String {
        let shown = self.shown(it.place);
        match it.reason {
            Reason::NeverUsed => format!("{shown} is never used"),
            Reason::UsedByDeadOnly => {
                format!("{shown} is used only by what is never used itself")
            }
            Reason::Overwritten => "this store is overwritten before anything reads it".to_owned(),
            Reason::NeverRead => "nothing reads what this stores".to_owned(),
            Reason::StoredAlready => "the memory holds this value already".to_owned(),
            Reason::LoadedBefore => match self.holder(it) {
                Some(name) => format!("{shown} is read again while {name} holds it"),
                None => format!("{shown} was read before and has not changed since"),
            },
            Reason::StoredBefore => format!("{shown} still is what was stored to it"),
            Reason::CopyOf { source } => {
                let source = match self.body.expr(source).size {
                    ..=MAX_NODES => format!("`{}`", expr_text(self.body, source)),
                    _ => "what it was copied from".to_owned(),
                };
                format!("{shown} is a copy of {source}, and neither has changed since")
            }
            Reason::NeverWritten => format!("{shown} is read, and nothing has written it"),
            Reason::MaybeNotWritten => format!("{shown} may be read before anything writes it"),
            Reason::Always { value } => {
                let known = if it.kind == FindingKind::RedundantCondition { " here" } else { "" };
                let value = if value { "true" } else { "false" };
                format!("{shown} is always {value}{known}")
            }
            Reason::AfterEnd => {
                "this is never executed: what is before it does not go on".to_owned()
            }
            Reason::ArmNotTaken => "this is never executed: its condition is never true".to_owned(),
            Reason::NoIteration => {
                "this is never executed: the loop around it runs no iteration".to_owned()
            }
            Reason::Invariant { cost } => {
                let operations = if cost == 1 { "operation" } else { "operations" };
                format!(
                    "{shown} is the same in every iteration of the loop, and costs {cost} {operations} in each"
                )
            }
            Reason::WouldShare { groups, saved } => {
                let (values, evaluations) = (
                    if groups == 1 { "value" } else { "values" },
                    if saved == 1 { "evaluation" } else { "evaluations" },
                );
                format!(
                    "parameters of {shown} may overlap: with `{}` {groups} more {values} could be shared, which \
                     saves {saved} {evaluations}",
                    self.noalias()
                )
            }
            Reason::Unordered { reads: true } => {
                "this reads shared memory that another thread writes, with no barrier between"
                    .to_owned()
            }
            Reason::Unordered { reads: false } => {
                "this writes shared memory that another thread reads, with no barrier between"
                    .to_owned()
            }
            Reason::OrdersNothing => {
                "no thread depends across this barrier on what another one does".to_owned()
            }
            Reason::MayOverlap => {
                format!("parameters of {shown} may overlap: `{}` says they do not", self.noalias())
            }
        }
    }

    /// The name that holds a value already.
    fn holder(&self, it: &Finding) -> Option<String> {
        let holder = it.related.iter().find(|it| it.role == Role::Holder)?;
        Some(self.shown(holder.place))
    }

    fn noalias(&self) -> &'static str {
        ir::noalias_key(self.body.dialect)
    }

    /// What can be done, as a command; none if there is no fix.
    pub(crate) fn action(&self, it: &Finding) -> Option<String> {
        let edits = &it.fix.as_ref()?.edits;
        let shown = self.shown(it.place);
        Some(match (it.kind, edits.first()?) {
            (FindingKind::DeadBinding, _) if it.reason == Reason::UsedByDeadOnly => {
                format!("Remove {shown} and what uses it")
            }
            (FindingKind::DeadBinding, _) => format!("Remove {shown}"),
            (FindingKind::DeadStore, _) => "Remove this store".to_owned(),
            (_, FixEdit::RemoveOp(_)) => "Remove what is never executed".to_owned(),
            (_, FixEdit::KeepRegion { .. }) => "Keep what is executed only".to_owned(),
            (_, FixEdit::Replace { with, occurrence }) => {
                let shown = self.shown(Place::Occurrence(*occurrence));
                match *with {
                    Replacement::Value(value) => {
                        let name = self.body.name(self.body.values[value].name);
                        format!("Use `{name}` instead of {shown}")
                    }
                    Replacement::Copy(source) => {
                        format!("Replace {shown} by {}", self.shown(Place::Occurrence(source)))
                    }
                    Replacement::Bool(value) => {
                        let value = if value { "True" } else { "False" };
                        format!("Replace {shown} by `{value}`")
                    }
                }
            }
            (_, FixEdit::Bind { name, .. }) => {
                format!("Compute {shown} once before the loop, as `{name}`")
            }
            (_, FixEdit::AddNoalias) => format!("Add `\"{}\": True`", self.noalias()),
        })
    }

    /// Related places with what they are.
    pub(crate) fn related(&self, it: &Finding) -> Vec<(TextRange, String)> {
        self.related_places(&it.related)
    }

    /// Places with what they are, the first few.
    pub(crate) fn related_places(&self, all: &[Related]) -> Vec<(TextRange, String)> {
        const MAX_RELATED: usize = 8;
        let place = |it: &Related| Some((self.range(it.place)?, role(it.role).to_owned()));
        let mut res: Vec<_> = all.iter().filter_map(place).take(MAX_RELATED).collect();
        // Most have one place.
        res.shrink_to_fit();
        res
    }
}

fn role(role: Role) -> &'static str {
    match role {
        Role::Overwrites => "overwritten here",
        Role::DeadUse => "used here, for something that is never used",
        Role::SameValue => "the same value is computed here",
        Role::Stored => "stored here",
        Role::Copy => "copied here",
        Role::Holder => "this holds the value",
        Role::Allocation => "made here, without a value",
        Role::MayWrite => "written here, but not on every path",
        Role::Decides => "this decides it",
        Role::Around => "this is the guard around it",
        Role::SameCondition => "this guard has the same condition",
        Role::Ends => "nothing after this is executed",
        Role::Loop => "this loop",
        Role::MayAlias => "this may overlap with another parameter",
        Role::Shareable => "could be shared",
        Role::WritesShared => "another thread writes it here",
        Role::ReadsShared => "another thread reads it here",
    }
}
