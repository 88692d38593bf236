//! Names for new variables: `cse_v1`, `cse_v2`, …
//!
//! A name is free if nothing in the body and nothing in the function's text has it. The preset `tvm` on a body without
//! text counts without looking, as TVM does: there names are labels, and printing keeps them apart.

use rustc_hash::FxHashSet;

use super::facts::Facts;

/// Gives names in order.
pub(super) struct Names<'a> {
    facts: &'a Facts<'a>,
    /// Names of this form that the text has.
    taken: FxHashSet<Box<str>>,
    /// Ignores names that are taken.
    plain: bool,
    last: u32,
}

const PREFIX: &str = "cse_v";

impl<'a> Names<'a> {
    pub(super) fn collect(facts: &'a Facts<'a>, plain: bool) -> Names<'a> {
        let mut taken = FxHashSet::default();
        if let Some(source) = &facts.source {
            (source.names)(&mut |name| {
                if name.starts_with(PREFIX) {
                    taken.insert(name.into());
                }
            });
        }
        Names { facts, taken, plain, last: 0 }
    }

    pub(super) fn next(&mut self) -> Box<str> {
        loop {
            self.last += 1;
            let name = format!("{PREFIX}{}", self.last);
            let is_free =
                || self.facts.body.lookup_name(&name).is_none() && !self.taken.contains(&*name);
            if self.plain || is_free() {
                return name.into();
            }
        }
    }
}
