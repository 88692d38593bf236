//! The previous lowering of large MLIR functions, for incremental relowering.
//!
//! In: the tree of a function now, and the last version of it that was lowered. Out: its text and its body, the same as
//! without an earlier version. Only the cost depends on which version that is, or on whether there is one: a version is
//! identified by its tree, and the reused parts follow from the differences between the trees.

use std::sync::Arc;

use frontend::{
    mlir::{self, Previous, Traits},
    ops::Lowered,
};
use syntax::{ChangedRun, Green, GreenStep, Shapes, SyntaxKind, changed_run};

use crate::document_aliases::Mentioned;

/// Functions with less text are lowered whole, which takes no time.
pub(crate) const MIN_LEN: u32 = 1024;

/// A version of a function.
#[derive(Debug)]
pub(crate) struct PreviousLowering {
    pub(crate) green: Green,
    pub(crate) text: Arc<str>,
    pub(crate) lowered: Arc<Lowered>,
    pub(crate) traits: Traits,
    pub(crate) shapes: Arc<Shapes>,
    /// The names of aliases in it, and their resolved texts.
    pub(crate) mentioned: Mentioned,
}

/// The text of a unit, and how it came out of the last version.
#[derive(Clone, Debug)]
pub struct UnitText {
    pub(crate) text: Arc<str>,
    /// The place where it differs from the version with this tree.
    pub(crate) change: Option<(Green, ChangedRun)>,
}

impl std::ops::Deref for UnitText {
    type Target = str;
    fn deref(&self) -> &str {
        &self.text
    }
}

impl UnitText {
    /// The text of a tree; `last` is the version before, if one is known.
    pub(crate) fn new(green: &Green, last: Option<&PreviousLowering>) -> UnitText {
        if let Some(last) = last {
            if last.green.ptr_eq(green) {
                return UnitText { text: last.text.clone(), change: None };
            }
            let change = changed_run(&last.green, green, |it| it == SyntaxKind::MLIR_BLOCK);
            let text = change.as_ref().and_then(|it| it.edited_text(&last.text));
            if let Some((text, change)) = text.zip(change) {
                return UnitText { text: text.into(), change: Some((last.green.clone(), change)) };
            }
        }
        UnitText { text: green.text().into(), change: None }
    }
}

/// Relowers the part of a function that an edit reached; returns `None` if that part cannot be determined, and the
/// whole function must be lowered. `find` resolves an alias.
pub(crate) fn relower(
    text: &UnitText,
    last: &PreviousLowering,
    shapes: &Arc<Shapes>,
    mut find: impl FnMut(&str) -> Option<Arc<str>>,
) -> Option<(Lowered, Traits, Mentioned)> {
    let (green, change) = text.change.as_ref()?;
    if !last.green.ptr_eq(green) || !Arc::ptr_eq(&last.shapes, shapes) {
        return None;
    }
    let mut mentioned = Mentioned::default();
    for name in &last.mentioned.names {
        mentioned.add(name, &mut find);
    }
    if mentioned.aliases != last.mentioned.aliases {
        return None;
    }
    change.walk(|step| {
        if let GreenStep::Token(SyntaxKind::ATTR_ID | SyntaxKind::TYPE_ID, name) = step {
            mentioned.add(name, &mut find);
        }
    });
    let previous = Previous { lowered: &last.lowered, traits: last.traits };
    let (lowered, traits) = mlir::relower(previous, change, text, &mentioned.aliases, shapes)?;
    Some((lowered, traits, mentioned))
}
