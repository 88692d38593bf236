//! Sentences: what keeps an operation of MLIR from being merged into one like it.

use db::{PlacedUnit, RootDatabase, SourceFile};
use ir::{
    OpId,
    effects::{EffectTable, MatchKind, Namespace},
    guard::{Stage, guarded},
};
use transform::ops::kept::{Keeper, Kept, Reached, Stays, Write, kept};

use super::words::{effects_text, line_text};
use crate::plan_text::operations::PlanWords;

/// How the sentence begins that names what keeps an operation from being merged.
pub const NOT_THE_SAME: &str = "Not the same as";

/// Returns the sentence about an operation that is like another one and is not merged into it.
pub(super) fn kept_text(
    db: &RootDatabase,
    file: SourceFile,
    at: &PlacedUnit<'_>,
    words: &PlanWords<'_>,
    op: OpId,
) -> Option<String> {
    let effects = &file.configuration(db).dialects(db).effects;
    let work = || kept(words.body, effects, words.plan, op);
    // A mistake of ours is told by the plan of the unit.
    let Kept { twin, by } = guarded(Stage::Planning, at.unit.name(db), work).ok()??;
    let told = Told { db, file, at, words, effects };
    let why = told.why(op, &by)?;
    Some(format!("{NOT_THE_SAME} `{}`{}: {why}.", words.results(twin), told.line(twin)))
}

struct Told<'a, 'db> {
    db: &'a RootDatabase,
    file: SourceFile,
    at: &'a PlacedUnit<'db>,
    words: &'a PlanWords<'db>,
    effects: &'a EffectTable,
}

impl Told<'_, '_> {
    fn line(&self, op: OpId) -> String {
        let place = self.words.place(op);
        if place.is_empty() {
            return String::new();
        }
        line_text(self.db, self.file, self.at, place)
    }

    fn op(&self, op: OpId) -> String {
        format!("`{}`{}", self.words.op(op), self.line(op))
    }

    fn why(&self, op: OpId, by: &Keeper) -> Option<String> {
        let name = self.words.op(op);
        Some(match by {
            Keeper::Unknown => self.unknown(name),
            Keeper::Unread => format!("the text of this `{name}` is not understood"),
            Keeper::Inside(around) => format!(
                "nothing is known of {} around it, which may use its region as it likes",
                self.op(*around)
            ),
            Keeper::Holds(inner) => format!(
                "its region holds {}: {}",
                self.op(*inner),
                self.what_it_does(self.words.op(*inner))
            ),
            Keeper::Ordered => "it is volatile or ordered, so each execution counts".to_owned(),
            Keeper::Changes => format!("each execution counts: {}", self.what_it_does(name)),
            Keeper::Varies => "two executions may give two results".to_owned(),
            Keeper::Attribute { key, here, there } => {
                attribute(key, here.as_deref(), there.as_deref())
            }
            Keeper::Types => "its results have other types".to_owned(),
            Keeper::Blocks => {
                "it has a region of several blocks, and such regions are not compared".to_owned()
            }
            Keeper::Graph => "it is in a graph region, which has no order of operations".to_owned(),
            Keeper::Isolated(around) => {
                format!("{} sees nothing from outside of it", self.op(*around))
            }
            Keeper::OtherPath(stays) => format!(
                "neither comes before the other on every path{}",
                match stays {
                    Some(Stays::MayTrap) => ", and it is not moved, as it may trap",
                    Some(Stays::Reads) => ", and it is not moved, as it reads memory",
                    None => ", and there is no place before both from which every path computes it",
                }
            ),
            Keeper::Together => {
                "it depends on which threads arrive together, and the two are in different blocks"
                    .to_owned()
            }
            Keeper::OtherThread(around) => format!(
                "it depends on the thread, and other threads may execute the region of {}",
                self.op(*around)
            ),
            Keeper::OneBlock => {
                "this preset compares loads of one block only; `default` looks further".to_owned()
            }
            Keeper::Written(write) => self.written(write),
        })
    }

    /// The missing fact where nothing is known of an operation.
    fn unknown(&self, name: &str) -> String {
        let dialect = name.split('.').next().unwrap_or(name);
        match self.effects.explain(Namespace::Mlir, name).kind {
            MatchKind::Undeclared => format!(
                "the definition of `{name}` does not state its effects; a row in \
                 `tir-analyzer.toml` can"
            ),
            _ => format!(
                "nothing is known of what `{name}` does; `tir-analyzer dialect import` reads the \
                 definitions of `{dialect}`, or a row in `tir-analyzer.toml` states it"
            ),
        }
    }

    fn what_it_does(&self, name: &str) -> String {
        let text = effects_text(self.effects, Namespace::Mlir, name);
        let is_call = name.rsplit('.').next() == Some("call");
        let of_call = if is_call { "; what the function does is not looked at" } else { "" };
        format!("{text}{of_call}")
    }

    fn written(&self, write: &Write) -> String {
        let again = match write.again {
            Some(around) => format!(" when {} runs its region again", self.op(around)),
            None => String::new(),
        };
        let name = self.words.op(write.by);
        let why = match write.reach {
            Reached::Unknown => self.unknown(name),
            Reached::Itself(memory) => format!(
                "it is given `{}` too, and accesses are told apart by their memory, not by their \
                 indices",
                self.words.value(memory)
            ),
            Reached::MayOverlap { written, read } => format!(
                "nothing says that `{}` and `{}` do not overlap; only allocations that the \
                 function does not hand on are known apart",
                self.words.value(written),
                self.words.value(read)
            ),
            Reached::Any => self.what_it_does(name),
        };
        format!("{} may write the memory between the two{again}: {why}", self.op(write.by))
    }
}

fn attribute(key: &str, here: Option<&str>, there: Option<&str>) -> String {
    /// More of an attribute is not shown.
    const MAX: usize = 60;
    // Parts of a form that no item of its row claims.
    let what = match key.starts_with('$') {
        true => "a part of its text".to_owned(),
        false => format!("its attribute `{key}`"),
    };
    let shown = |text: &str| crate::shortened::shortened(text, MAX);
    match (here, there) {
        (Some(here), Some(there)) => {
            format!("{what} is `{}`, not `{}`", shown(here), shown(there))
        }
        (Some(here), None) => format!("{what} is `{}`, which that has not", shown(here)),
        (None, Some(there)) => format!("{what} is missing, which is `{}` there", shown(there)),
        (None, None) => format!("{what} is another"),
    }
}
