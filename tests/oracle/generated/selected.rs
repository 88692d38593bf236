//! The selection of plans to check, and the amount of output: the environment, read once.
//!
//! A run for one family is several times faster than one for all, so that a failure that was seen once is found again
//! soon.

use std::{env, sync::OnceLock};

/// Plans that are checked or left out together: their rewrites, and the edits of a text that they make.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Family {
    /// The preset `default`, at every level and with every option.
    Default,
    /// The preset `tvm`.
    Tvm,
    /// The preset `tvm-2022`.
    Tvm2022,
    /// Fixes of findings.
    Findings,
    /// Simplification: of the body as a pass, of each item, of the text.
    Simplify,
    /// Programs of which something is not known, as they are printed.
    Printed,
}

impl Family {
    const ALL: [(&'static str, Family); 6] = [
        ("default", Family::Default),
        ("tvm", Family::Tvm),
        ("tvm-2022", Family::Tvm2022),
        ("findings", Family::Findings),
        ("simplify", Family::Simplify),
        ("printed", Family::Printed),
    ];

    /// The family of a name in [`crate::plans::options`]: `default, syntactic` is one of `default`.
    pub(super) fn of_plan(name: &str) -> Family {
        let first = name.split(',').next().unwrap_or(name);
        named(first).expect("presets are families")
    }

    /// Returns true if `TIR_ORACLE_PLANS` selects it; without the variable all are selected.
    pub(super) fn is_selected(self) -> bool {
        static SELECTED: OnceLock<Vec<Family>> = OnceLock::new();
        SELECTED.get_or_init(selected).contains(&self)
    }
}

/// Returns true if every family is checked.
pub(super) fn is_everything() -> bool {
    Family::ALL.iter().all(|(_, it)| it.is_selected())
}

/// The number that a variable holds.
pub(super) fn number(variable: &str) -> Option<u64> {
    env::var(variable).ok()?.parse().ok()
}

fn named(name: &str) -> Option<Family> {
    Family::ALL.iter().find(|it| it.0 == name).map(|it| it.1)
}

fn selected() -> Vec<Family> {
    let Ok(names) = env::var("TIR_ORACLE_PLANS") else {
        return Family::ALL.map(|it| it.1).to_vec();
    };
    let known = Family::ALL.map(|it| it.0).join(", ");
    let family = |name: &str| {
        named(name).unwrap_or_else(|| panic!("TIR_ORACLE_PLANS: `{name}` is none of {known}"))
    };
    names.split(',').map(|it| family(it.trim())).collect()
}
