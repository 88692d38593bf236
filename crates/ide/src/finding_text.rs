//! Sentences about findings with the text of their places, the same for diagnostics, actions and `explain`.
//!
//! The sentences are the planners' ([`transform::findings`]).

use std::borrow::Cow;

use db::{Db, Unit, function_text};
use ir::{
    Body, OpId,
    plan::finding::{Place, Related, Role},
    print::expr_text,
};
use syntax::TextRange;
use transform::findings::{Finding, FindingKind, Sentence, Word};

use crate::plan_text::{excerpt, first_line};

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

    /// The range of a place in the function; `None` for statements of a macro and the like.
    pub(crate) fn range(&self, place: Place) -> Option<TextRange> {
        match place {
            Place::Function => Some(self.name_range),
            _ => self.map.place(place),
        }
    }

    /// The first line of the statement of an operation.
    pub(crate) fn first_line(&self, op: OpId) -> TextRange {
        first_line(self.text, self.map.op_range(op))
    }

    /// Returns true if a condition is known for the values of captured names only: with others it may be another.
    pub(crate) fn is_of_known_names(&self, it: &Finding) -> bool {
        let kinds = [FindingKind::ConstantCondition, FindingKind::RedundantCondition];
        let mentions = |range| self.map.mentions_known(range);
        kinds.contains(&it.kind) && self.range(it.place).is_some_and(mentions)
    }

    /// Returns the text at a place, in code marks.
    pub(crate) fn shown(&self, place: Place) -> String {
        match (place, self.range(place)) {
            (Place::Function, _) => format!("`{}`", self.name),
            (_, Some(range)) => format!("`{}`", excerpt(self.text, range).replace('`', "'")),
            (_, None) => "this".to_owned(),
        }
    }

    /// A sentence of a planner, with what stands at its places.
    fn sentence(&self, it: &Sentence) -> String {
        let words = it.words().iter().map(|it| match it {
            Word::Text(text) => text.as_ref().into(),
            Word::Place(place) => Cow::Owned(self.shown(*place)),
            Word::Expr(expr) => Cow::Owned(format!("`{}`", expr_text(self.body, *expr))),
        });
        words.collect()
    }

    /// Returns the message of a finding, without a full stop.
    pub(crate) fn message(&self, it: &Finding) -> String {
        self.sentence(&it.message)
    }

    /// Returns the title of the fix, as a command; `None` if there is no fix.
    pub(crate) fn action(&self, it: &Finding) -> Option<String> {
        Some(self.sentence(&it.title(self.body)?))
    }

    /// Related places with their descriptions.
    pub(crate) fn related(&self, it: &Finding) -> Vec<(TextRange, String)> {
        let own = self.range(it.place);
        let mut res = self.related_places(&it.related);
        // One text may stand for several loads.
        res.retain(|(range, role)| Some(*range) != own || role != Role::READ_TOO.0);
        res
    }

    /// Places with their descriptions, the first few.
    pub(crate) fn related_places(&self, all: &[Related]) -> Vec<(TextRange, String)> {
        const MAX_RELATED: usize = 8;
        let place = |it: &Related| Some((self.range(it.place)?, it.role.0.to_owned()));
        let mut res: Vec<_> = all.iter().filter_map(place).take(MAX_RELATED).collect();
        // Most have one place.
        res.shrink_to_fit();
        res
    }
}
