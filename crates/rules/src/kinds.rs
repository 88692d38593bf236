//! Enums whose values are declared rules.

/// Makes an enum of rules: each value stands beside its declaration, an expression of type [`crate::Rule`] that is
/// constant. The enum gets `ALL` (in the order of the text), `rule`, `name` and `from_name`.
#[macro_export]
macro_rules! kinds {
    ($(#[$meta:meta])* $vis:vis enum $Name:ident { $($(#[$of:meta])* $Kind:ident = $rule:expr;)* }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        $vis enum $Name {
            $($(#[$of])* $Kind,)*
        }

        impl $Name {
            /// All of them.
            $vis const ALL: &[$Name] = &[$($Name::$Kind),*];

            /// The declaration.
            $vis const fn rule(self) -> &'static $crate::Rule {
                match self {
                    $($Name::$Kind => const { &$rule },)*
                }
            }

            /// Kebab-case name.
            $vis fn name(self) -> &'static str {
                self.rule().name
            }

            /// The kind of a name.
            $vis fn from_name(name: &str) -> Option<$Name> {
                $Name::ALL.iter().copied().find(|it| it.name() == name)
            }
        }
    };
}

#[cfg(test)]
mod tests {
    use crate::{Fix, Rule, Severity::Hint};

    kinds! {
        /// Two rules.
        enum Kind {
            /// The first.
            A = Rule::reported("a-rule", Hint, "an a", "A.\n").with_fix(Fix::OnRequest);
            /// The second.
            B = Rule::not_shared("b-rule", "a b", "B.\n");
        }
    }

    #[test]
    fn kinds_know_their_declarations() {
        assert_eq!(Kind::ALL, [Kind::A, Kind::B]);
        assert_eq!(Kind::from_name("b-rule"), Some(Kind::B));
        assert_eq!(Kind::from_name("c-rule"), None);
        assert!(Kind::A.rule().is_fixable() && !Kind::B.rule().is_fixable());
        assert_eq!(Kind::A.name(), "a-rule");
    }
}
