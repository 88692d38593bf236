//! The data of a finding: what it says, where, why, and what could be done about it.
//!
//! A planner makes findings; they are plain data, so that the diagnostic, the quick fix, the explanation and JSON say
//! the same. A planner writes its messages itself, as a [`Sentence`]: the words of the text at a place are put in by
//! whoever has the text.

use std::borrow::Cow;

use ir::{
    Body, ExprId, noalias_key,
    plan::{
        finding::{FindingFix, FixEdit, Place, Related, Replacement, Start},
        only_informs,
    },
};
use rules::Rule;

use super::{FindingFacts, FindingKind};

/// The declaration of a kind of finding, which stands in the file of its planner.
pub(crate) struct FindingRule {
    /// Name, level, fix, summary and documentation.
    pub(crate) rule: Rule,
    /// Finds all of the kind, in any order.
    pub(super) plan: fn(&FindingFacts<'_>, &mut Vec<Finding>),
    /// Says what the fix of a finding does, whose first edit is given; mostly [`edit_title`].
    pub(super) title: fn(&Body, &Finding, &FixEdit) -> Sentence,
    /// True if the code of the finding could be removed without changing the function's behaviour.
    pub(super) is_unnecessary: bool,
}

/// One finding.
#[derive(Clone, PartialEq, Debug)]
pub struct Finding {
    /// Its kind.
    pub kind: FindingKind,
    /// True if it is shown to happen: the message names values of loops, blocks and threads for which it does.
    pub is_shown: bool,
    /// The range of the expression or name.
    pub place: Place,
    /// The message with its reason.
    pub message: Sentence,
    /// The places that the message rests on, the most important first.
    pub related: Vec<Related>,
    /// The fix, if one can be applied mechanically.
    pub fix: Option<FindingFix>,
}

impl Finding {
    /// Returns true if its fix is only informational ([`only_informs`]): it names a value.
    pub fn only_informs(&self, body: &Body) -> bool {
        let names = |it: &FindingFix| it.edits.iter().any(|it| matches!(it, FixEdit::Bind { .. }));
        self.fix.as_ref().is_some_and(names) && only_informs(body)
    }

    /// Returns the title of its fix, as a command; `None` if it has none.
    pub fn title(&self, body: &Body) -> Option<Sentence> {
        let edit = self.fix.as_ref()?.edits.first()?;
        Some((self.kind.declared().title)(body, self, edit))
    }
}

impl FindingKind {
    /// Returns true if the code of the finding could be removed without changing the function's behaviour: editors fade
    /// it.
    pub fn is_unnecessary(self) -> bool {
        self.declared().is_unnecessary
    }

    /// Returns true if `fix` and "fix all" apply its fixes by default.
    pub fn is_fixed_by_default(self) -> bool {
        self.rule().fix == rules::Fix::ByDefault
    }
}

/// A set of kinds.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub struct FindingKinds(u32);

impl FindingKinds {
    /// All of them.
    pub const ALL: FindingKinds = FindingKinds((1 << FindingKind::ALL.len()) - 1);

    /// Those that are told by default: what is not proven (`Rule::is_possible`) is left out.
    pub const PROVEN: FindingKinds = {
        let (mut set, mut at) = (0, 0);
        while at < FindingKind::ALL.len() {
            if !FindingKind::ALL[at].rule().is_possible {
                set |= 1 << at;
            }
            at += 1;
        }
        FindingKinds(set)
    };

    /// None of them.
    pub const NONE: FindingKinds = FindingKinds(0);

    /// Returns true if the set contains a kind.
    pub fn contains(self, kind: FindingKind) -> bool {
        self.0 & (1 << kind as u16) != 0
    }

    /// Adds a kind.
    pub fn insert(&mut self, kind: FindingKind) {
        self.0 |= 1 << kind as u16;
    }

    /// The kinds, sorted by name.
    pub fn iter(self) -> impl Iterator<Item = FindingKind> {
        FindingKind::ALL.iter().copied().filter(move |it| self.contains(*it))
    }
}

impl FromIterator<FindingKind> for FindingKinds {
    fn from_iter<T: IntoIterator<Item = FindingKind>>(kinds: T) -> FindingKinds {
        let mut set = FindingKinds::NONE;
        kinds.into_iter().for_each(|it| set.insert(it));
        set
    }
}

/// A sentence about places of a body, without a full stop.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct Sentence(Vec<Word>);

/// A part of a [`Sentence`].
#[derive(Clone, PartialEq, Debug)]
pub enum Word {
    /// Text, spaces included.
    Text(Cow<'static, str>),
    /// Returns the text at a place, in code marks.
    Place(Place),
    /// An expression as it is printed, in code marks.
    Expr(ExprId),
}

impl Sentence {
    /// The sentence of these words.
    pub fn of(words: impl IntoIterator<Item = Word>) -> Sentence {
        Sentence(words.into_iter().collect())
    }

    /// The words.
    pub fn words(&self) -> &[Word] {
        &self.0
    }
}

impl From<&'static str> for Word {
    fn from(text: &'static str) -> Word {
        Word::Text(text.into())
    }
}

impl From<u32> for Word {
    fn from(number: u32) -> Word {
        Word::Text(number.to_string().into())
    }
}

impl From<Place> for Word {
    fn from(place: Place) -> Word {
        Word::Place(place)
    }
}

impl From<ExprId> for Word {
    fn from(expr: ExprId) -> Word {
        Word::Expr(expr)
    }
}

/// A [`Sentence`] of texts, numbers, places and expressions.
macro_rules! sentence {
    ($($word:expr),* $(,)?) => {
        $crate::findings::Sentence::of([$($crate::findings::Word::from($word)),*])
    };
}
pub(super) use sentence;

/// Returns the title of an edit, as a command.
pub(super) fn edit_title(body: &Body, finding: &Finding, edit: &FixEdit) -> Sentence {
    match edit {
        FixEdit::RemoveOp(_) => sentence!["Remove the code that is never executed"],
        FixEdit::KeepRegion { .. } => sentence!["Keep only the code that is executed"],
        FixEdit::Replace { with, occurrence } => {
            let replaced = Place::Occurrence(*occurrence);
            match *with {
                Replacement::Value(value) => {
                    let name = body.name(body.values[value].name);
                    let words = [Word::Text(format!("Use `{name}` instead of ").into())];
                    Sentence::of(words.into_iter().chain([replaced.into()]))
                }
                Replacement::Copy(source) => {
                    sentence!["Replace ", replaced, " by ", Place::Occurrence(source)]
                }
                Replacement::Bool(true) => sentence!["Replace ", replaced, " by `True`"],
                Replacement::Bool(false) => sentence!["Replace ", replaced, " by `False`"],
            }
        }
        FixEdit::Bind { name, .. } => Sentence::of([
            "Compute ".into(),
            finding.place.into(),
            Word::Text(format!(" once before the loop, as `{name}`").into()),
        ]),
        FixEdit::Fill { buffer, with, .. } => {
            let name = body.name(body.buffers[*buffer].name);
            let dtype = body.buffers[*buffer].dtype;
            let text = match with {
                Start::Zero => format!("Clear `{name}` first"),
                Start::Lowest => format!("Fill `{name}` with the least value of {dtype} first"),
                Start::Highest => format!("Fill `{name}` with the greatest value of {dtype} first"),
            };
            Sentence::of([Word::Text(text.into())])
        }
        FixEdit::Assume { value, divisor, .. } => {
            let name = body.name(body.values[*value].name);
            let text = format!("Assume that `{name}` is a multiple of {divisor}");
            Sentence::of([Word::Text(text.into())])
        }
        FixEdit::AddNoalias => sentence!["Add `\"", noalias_key(body.dialect), "\": True`"],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_are_sorted_and_fit_a_set() {
        assert!(FindingKind::ALL.is_sorted_by_key(|it| it.name()));
        for &kind in FindingKind::ALL {
            assert_eq!(FindingKind::from_name(kind.name()), Some(kind));
            assert!(kind.rule().level.is_some(), "{}", kind.name());
        }
        assert_eq!(FindingKinds::ALL.iter().count(), FindingKind::ALL.len());
    }
}
