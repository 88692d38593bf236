//! The required parts of each kind of node, by the grammar, with words for people.

use parser::SyntaxKind::{self, *};
use rowan::TextSize;

use super::{Place, is_expr};

/// A part that must be there.
#[derive(Debug)]
pub(super) struct Need {
    place: At,
    accepts: fn(SyntaxKind) -> bool,
    /// The name in messages.
    pub(super) what: &'static str,
    /// A way out.
    pub(super) help: Option<&'static str>,
}

/// The place where a part must be.
#[derive(Debug, Clone, Copy)]
enum At {
    /// Directly behind each token or node of this kind that is there.
    Behind(SyntaxKind),
    /// Anywhere in the node, reported before the block if there is one.
    Somewhere,
    /// Anywhere in the node, reported at its end.
    End,
}

impl Need {
    const fn behind(kind: SyntaxKind, accepts: fn(SyntaxKind) -> bool, what: &'static str) -> Need {
        Need { place: At::Behind(kind), accepts, what, help: None }
    }

    const fn somewhere(accepts: fn(SyntaxKind) -> bool, what: &'static str) -> Need {
        Need { place: At::Somewhere, accepts, what, help: None }
    }

    const fn at_end(accepts: fn(SyntaxKind) -> bool, what: &'static str) -> Need {
        Need { place: At::End, accepts, what, help: None }
    }

    const fn help(mut self, help: &'static str) -> Need {
        self.help = Some(help);
        self
    }

    /// Returns the place where the part is missing.
    pub(super) fn unmet(&self, place: Place<'_>) -> Option<TextSize> {
        match self.place {
            At::Behind(kind) => {
                let mut children = place.significant().peekable();
                while let Some(child) = children.next() {
                    if child.kind == kind
                        && !children.peek().is_some_and(|next| (self.accepts)(next.kind))
                    {
                        return Some(child.range.end());
                    }
                }
                None
            }
            At::Somewhere | At::End => {
                if place.significant().any(|it| (self.accepts)(it.kind)) {
                    return None;
                }
                let at_end = matches!(self.place, At::End);
                let is_header =
                    |it: &super::Child<'_>| at_end || !matches!(it.kind, BLOCK | ERROR_NODE);
                let header = place.significant().take_while(is_header);
                Some(header.last().map_or(place.start, |it| it.range.end()))
            }
        }
    }
}

const fn colon() -> Need {
    Need::somewhere(|it| it == COLON, "`:`").help("a `:` stands between the header and its block")
}

const fn expr_behind(kind: SyntaxKind, what: &'static str) -> Need {
    Need::behind(kind, is_expr, what)
}

const fn name_behind(kind: SyntaxKind) -> Need {
    Need::behind(kind, |it| it == NAME, "a name")
}

/// Returns the required parts of a node of this kind, in the order in which their absence is reported.
pub(super) fn needs(kind: SyntaxKind) -> &'static [Need] {
    match kind {
        IF_STMT => const { &[expr_behind(IF_KW, "a condition"), colon()] },
        ELIF_CLAUSE => const { &[expr_behind(ELIF_KW, "a condition"), colon()] },
        WHILE_STMT => const { &[expr_behind(WHILE_KW, "a condition"), colon()] },
        ELSE_CLAUSE | FINALLY_CLAUSE | EXCEPT_CLAUSE => const { &[colon()] },
        TRY_STMT => {
            const {
                &[
                    colon(),
                    Need::at_end(
                        |it| matches!(it, EXCEPT_CLAUSE | FINALLY_CLAUSE),
                        "`except` or `finally` after the block",
                    ),
                ]
            }
        }
        FOR_STMT => {
            const {
                &[
                    expr_behind(FOR_KW, "the target of the loop"),
                    Need::somewhere(|it| it == IN_KW, "`in`"),
                    expr_behind(IN_KW, "the iterable of the loop"),
                    colon(),
                ]
            }
        }
        WITH_STMT => {
            const { &[Need::somewhere(|it| it == WITH_ITEM, "the context manager"), colon()] }
        }
        WITH_ITEM => const { &[expr_behind(AS_KW, "a name")] },
        MATCH_STMT => const { &[expr_behind(MATCH_KW, "a subject"), colon()] },
        CASE_CLAUSE => const { &[expr_behind(CASE_KW, "a pattern"), colon()] },
        CASE_GUARD => const { &[expr_behind(IF_KW, "a condition")] },
        FUNCTION_DEF => {
            const {
                &[
                    Need::behind(DEF_KW, |it| it == NAME, "the function's name"),
                    Need::somewhere(|it| it == PARAM_LIST, "`(` and the parameters"),
                    expr_behind(ARROW, "the type of the result"),
                    colon(),
                ]
            }
        }
        CLASS_DEF => {
            const { &[Need::behind(CLASS_KW, |it| it == NAME, "the name of the class"), colon()] }
        }
        BLOCK => {
            const {
                &[Need::somewhere(|_| true, "an indented block")
                    .help("a block needs a statement: `pass` does nothing")]
            }
        }
        DECORATOR => const { &[expr_behind(AT, "the decorator")] },
        ASSIGN_STMT => const { &[expr_behind(EQ, "a value")] },
        AUG_ASSIGN_STMT => const { &[expr_behind(AUG_OP, "a value")] },
        ANN_ASSIGN_STMT => const { &[expr_behind(COLON, "a type"), expr_behind(EQ, "a value")] },
        RAISE_STMT => const { &[expr_behind(FROM_KW, "the cause")] },
        ASSERT_STMT => {
            const { &[expr_behind(ASSERT_KW, "a condition"), expr_behind(COMMA, "a message")] }
        }
        DEL_STMT => const { &[expr_behind(DEL_KW, "the target of the deletion")] },
        GLOBAL_STMT => const { &[name_behind(GLOBAL_KW), name_behind(COMMA)] },
        NONLOCAL_STMT => const { &[name_behind(NONLOCAL_KW), name_behind(COMMA)] },
        IMPORT_STMT => {
            const { &[Need::somewhere(|it| it == IMPORT_ALIAS, "the name of a module")] }
        }
        FROM_IMPORT_STMT => {
            const {
                &[
                    Need::somewhere(|it| it == IMPORT_KW, "`import`"),
                    Need::somewhere(|it| matches!(it, IMPORT_ALIAS | STAR), "the imported name"),
                ]
            }
        }
        IMPORT_ALIAS => const { &[name_behind(AS_KW)] },
        DOTTED_NAME => const { &[Need::behind(DOT, |it| it == NAME_REF, "a name")] },
        TYPE_ALIAS_STMT => {
            const { &[Need::somewhere(|it| it == EQ, "`=`"), expr_behind(EQ, "a type")] }
        }
        TYPE_PARAM => {
            const {
                &[
                    name_behind(STAR),
                    name_behind(STAR2),
                    expr_behind(COLON, "a bound"),
                    expr_behind(EQ, "a default"),
                ]
            }
        }
        PARAM => {
            const {
                &[
                    name_behind(STAR2),
                    Need::somewhere(|it| matches!(it, NAME | STAR | STAR2 | SLASH), "a name"),
                    expr_behind(COLON, "a type"),
                    expr_behind(EQ, "a default"),
                ]
            }
        }
        ATTRIBUTE_EXPR => {
            const { &[Need::behind(DOT, |it| it == NAME_REF, "the name of an attribute")] }
        }
        SUBSCRIPT_EXPR => const { &[expr_behind(L_BRACK, "an index")] },
        ARG => const { &[expr_behind(EQ, "a value"), expr_behind(STAR2, "a mapping")] },
        UNARY_EXPR => const { &[expr_behind(UNARY_OP, "an operand")] },
        BINARY_EXPR => const { &[expr_behind(BINARY_OP, "an operand")] },
        BOOL_EXPR => {
            const { &[expr_behind(AND_KW, "an operand"), expr_behind(OR_KW, "an operand")] }
        }
        COMPARE_EXPR => const { &[expr_behind(COMPARE_OP, "an operand")] },
        CONDITIONAL_EXPR => {
            const {
                &[
                    expr_behind(IF_KW, "a condition"),
                    Need::somewhere(|it| it == ELSE_KW, "`else` and the other value"),
                    expr_behind(ELSE_KW, "the other value"),
                ]
            }
        }
        LAMBDA_EXPR => {
            const {
                &[
                    Need::somewhere(|it| it == COLON, "`:` and the body"),
                    expr_behind(COLON, "the body"),
                ]
            }
        }
        DICT_ITEM => const { &[expr_behind(COLON, "a value"), expr_behind(STAR2, "a mapping")] },
        COMP_FOR => {
            const {
                &[
                    expr_behind(FOR_KW, "the target of the loop"),
                    Need::somewhere(|it| it == IN_KW, "`in`"),
                    expr_behind(IN_KW, "the iterable of the loop"),
                ]
            }
        }
        COMP_IF => const { &[expr_behind(IF_KW, "a condition")] },
        STAR_EXPR => const { &[expr_behind(STAR, "an operand"), expr_behind(STAR2, "an operand")] },
        WALRUS_EXPR => const { &[expr_behind(COLON_EQ, "a value")] },
        AS_PATTERN => const { &[name_behind(AS_KW)] },
        AWAIT_EXPR => const { &[expr_behind(AWAIT_KW, "an operand")] },
        YIELD_EXPR => const { &[expr_behind(FROM_KW, "an operand")] },
        _ => &[],
    }
}
