//! Reasons for which a function has no device code.

use std::fmt;

use crate::{Rule, Topic};

/// A declared reason for which a function has no device code. [`reasons!`](crate::reasons) declares them; there is no
/// other way to get one.
#[derive(Clone, Copy)]
pub struct Reason(&'static Rule);

impl Reason {
    /// A reason of a declaration: for [`reasons!`](crate::reasons) only.
    #[doc(hidden)]
    pub const fn declared(rule: &'static Rule) -> Reason {
        Reason(rule)
    }

    /// The declaration of a reason: for [`reasons!`](crate::reasons) only.
    #[doc(hidden)]
    pub const fn rule_of(
        name: &'static str,
        summary: &'static str,
        docs: &'static str,
        help: &'static str,
    ) -> Rule {
        Rule { help, ..Rule::new(name, Topic::NotBuilt, summary, docs) }
    }

    /// The declaration.
    pub fn rule(self) -> &'static Rule {
        self.0
    }

    /// Kebab-case name.
    pub fn name(self) -> &'static str {
        self.0.name
    }

    /// One sentence that says what a person can do about it.
    pub fn help(self) -> &'static str {
        self.0.help
    }
}

impl PartialEq for Reason {
    fn eq(&self, other: &Reason) -> bool {
        self.name() == other.name()
    }
}

impl Eq for Reason {}

impl fmt::Debug for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self.name(), f)
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// Declares reasons for which a function has no device code: a name, what it means (a sentence without its full stop)
/// and what a person can do. Makes a constant of type [`Reason`] for each, and `ALL` of them.
#[macro_export]
macro_rules! reasons {
    ($($NAME:ident = $name:literal, $text:literal, $help:literal;)*) => {
        $(
            #[doc = concat!("`", $name, "`: ", $text, ".")]
            pub const $NAME: $crate::Reason = $crate::Reason::declared(const {
                &$crate::Reason::rule_of($name, $text, concat!($text, ". ", $help), $help)
            });
        )*

        /// All reasons that this crate declares, in the order of the text.
        pub const ALL: &[$crate::Reason] = &[$($NAME),*];
    };
}
