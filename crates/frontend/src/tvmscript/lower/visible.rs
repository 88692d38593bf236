//! The frames of names that a macro sees.

use smallvec::SmallVec;

/// Frames that a macro may not see, in ranges.
pub(super) type Hidden = SmallVec<[std::ops::Range<u32>; 1]>;

/// The frames that a macro sees: those that are seen where it is defined.
#[derive(Clone, Debug, Default)]
pub(crate) struct Visible {
    /// The innermost one.
    pub(super) frame: u32,
    /// Those below it that are not seen.
    pub(super) hidden: Hidden,
}
