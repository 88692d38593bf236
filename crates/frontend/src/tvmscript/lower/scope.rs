//! Names in scope: a stack of bindings a name, undone when a frame ends.
//!
//! Names are the body's interned ones, so the table is a dense vector; entering and leaving a frame costs the number of
//! its definitions. A macro sees only the frames up to its definition: [`Scopes::hide`].

use ir::{NameId, arena::Id};
use smallvec::SmallVec;

use super::value::Val;
use crate::tvmscript::source_map::DefinitionId;

/// A name with its meaning.
#[derive(Clone, Debug)]
pub(crate) struct Binding {
    pub(crate) val: Val,
    pub(crate) definition: DefinitionId,
    /// Number of the frame that it is in.
    frame: u32,
}

impl Binding {
    /// Returns true if the name comes from outside the function.
    pub(crate) fn is_captured(&self) -> bool {
        self.frame == 0
    }
}

/// Frames that a macro may not see, in ranges.
type Hidden = SmallVec<[std::ops::Range<u32>; 1]>;

/// The frames that a macro sees: those that are seen where it is defined.
#[derive(Clone, Debug, Default)]
pub(crate) struct Visible {
    /// The innermost one.
    frame: u32,
    /// Those below it that are not seen.
    hidden: Hidden,
}

/// The names in scope.
#[derive(Default, Debug)]
pub(crate) struct Scopes {
    table: Vec<SmallVec<[Binding; 1]>>,
    log: Vec<NameId>,
    /// Length of the log where each frame begins. Frame 0 holds the captures from outside.
    frames: Vec<usize>,
    hidden: Hidden,
}

/// The state that [`Scopes::unhide`] needs.
pub(crate) struct Restore(Hidden);

impl Scopes {
    pub(crate) fn depth(&self) -> u32 {
        self.frames.len() as u32
    }

    pub(crate) fn push_frame(&mut self) {
        self.frames.push(self.log.len());
    }

    pub(crate) fn pop_frame(&mut self) {
        let Some(start) = self.frames.pop() else { return };
        for name in self.log.drain(start..) {
            self.table[name.index()].pop();
        }
    }

    /// The names that the innermost frame gives a meaning, in order and each once.
    pub(crate) fn frame_names(&self) -> Vec<(NameId, DefinitionId)> {
        let start = self.frames.last().copied().unwrap_or_default();
        let mut names: Vec<(NameId, DefinitionId)> = Vec::new();
        for &name in &self.log[start..] {
            let Some(binding) = self.table[name.index()].last() else { continue };
            if !names.iter().any(|(it, _)| *it == name) {
                names.push((name, binding.definition));
            }
        }
        names
    }

    /// Ends a frame, and returns the names that it defined.
    pub(crate) fn pop_frame_names(&mut self) -> Vec<(NameId, DefinitionId)> {
        let names = self.frame_names();
        self.pop_frame();
        names
    }

    /// The frames that are seen here.
    pub(crate) fn visible(&self) -> Visible {
        Visible { frame: self.depth(), hidden: self.hidden.clone() }
    }

    /// Hides all frames but those that a macro sees: none for one that stands outside the function.
    pub(crate) fn hide(&mut self, visible: &Visible) -> Restore {
        let mut hidden = visible.hidden.clone();
        hidden.push(visible.frame + 1..self.depth() + 1);
        Restore(std::mem::replace(&mut self.hidden, hidden))
    }

    pub(crate) fn unhide(&mut self, restore: Restore) {
        self.hidden = restore.0;
    }

    fn slot(&mut self, name: NameId) -> &mut SmallVec<[Binding; 1]> {
        if self.table.len() <= name.index() {
            self.table.resize_with(name.index() + 1, SmallVec::new);
        }
        &mut self.table[name.index()]
    }

    /// Binds a name in the innermost frame, over its earlier meaning.
    pub(crate) fn define(&mut self, name: NameId, val: Val, definition: DefinitionId) {
        let frame = self.depth();
        self.slot(name).push(Binding { val, definition, frame });
        self.log.push(name);
    }

    /// Binds a name from outside the function, below everything else.
    pub(crate) fn define_outer(&mut self, name: NameId, val: Val, definition: DefinitionId) {
        self.slot(name).insert(0, Binding { val, definition, frame: 0 });
    }

    /// Gives the visible binding another meaning.
    pub(crate) fn redefine(&mut self, name: NameId, val: Val) {
        let Some(bindings) = self.table.get_mut(name.index()) else { return };
        let visible = bindings.iter_mut().rev().find(|it| is_visible(&self.hidden, it.frame));
        if let Some(binding) = visible {
            binding.val = val;
        }
    }

    pub(crate) fn lookup(&self, name: NameId) -> Option<&Binding> {
        let bindings = self.table.get(name.index())?;
        bindings.iter().rev().find(|it| is_visible(&self.hidden, it.frame))
    }

    /// The binding, if it was made in the innermost frame.
    pub(crate) fn in_innermost(&self, name: NameId) -> Option<&Binding> {
        self.lookup(name).filter(|it| it.frame == self.depth())
    }
}

fn is_visible(hidden: &Hidden, frame: u32) -> bool {
    frame == 0 || !hidden.iter().any(|it| it.contains(&frame))
}
