//! Names for values that get one: `value_v1`, `value_v2`, …
//!
//! In: the names that the text mentions. Out: names that neither the text nor the body has.

use ir::{Body, plan::SourceView};
use rustc_hash::FxHashSet;

const PREFIX: &str = "value_v";

/// Gives names in order.
pub(super) struct Names {
    /// Names of this form that the text has.
    taken: FxHashSet<Box<str>>,
    last: u32,
}

impl Names {
    pub(super) fn collect(source: Option<&SourceView<'_>>) -> Names {
        let mut taken = FxHashSet::default();
        if let Some(source) = source {
            (source.names)(&mut |name| {
                if name.starts_with(PREFIX) {
                    taken.insert(name.into());
                }
            });
        }
        Names { taken, last: 0 }
    }

    pub(super) fn next(&mut self, body: &Body) -> Box<str> {
        loop {
            self.last += 1;
            let name = format!("{PREFIX}{}", self.last);
            if body.lookup_name(&name).is_none() && !self.taken.contains(&*name) {
                return name.into();
            }
        }
    }
}
