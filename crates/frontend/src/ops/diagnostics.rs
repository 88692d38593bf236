//! The rules of the languages made of operations. None of them judges what a verifier of a dialect would judge.

use crate::{
    said,
    tvmscript::{DiagnosticRule, Severity},
};

/// A rule's code.
pub const ALIAS_REDEFINITION: &str = "alias-redefinition";
/// A rule's code.
pub const BLOCK_REDEFINITION: &str = "block-redefinition";
/// A rule's code.
pub const DUPLICATE_KEY: &str = "duplicate-key";
/// A rule's code.
pub const UNDEFINED_AFFINE_NAME: &str = "undefined-affine-name";
/// A rule's code.
pub const UNDEFINED_ALIAS: &str = "undefined-alias";
/// A rule's code.
pub const SYMBOL_REDEFINITION: &str = "symbol-redefinition";
/// A rule's code.
pub const UNDEFINED_VALUE: &str = "undefined-value";
/// A rule's code.
pub const UNDEFINED_BLOCK: &str = "undefined-block";
/// A rule's code.
pub const USE_BEFORE_DEFINITION: &str = "use-before-definition";
/// A rule's code.
pub const VALUE_REDEFINITION: &str = "value-redefinition";
/// A rule's code.
pub const COUNT_MISMATCH: &str = "count-mismatch";
/// A rule's code.
pub const UNKNOWN_OPERATION: &str = "unknown-operation";

/// A rule's code.
pub const UNREAD_OPERATION: &str = "unread-operation";

/// Every rule, in the order of the names. One of them is of TVMScript as well.
pub const ALL: &[DiagnosticRule] = &[
    DiagnosticRule {
        code: ALIAS_REDEFINITION,
        severity: Severity::Error,
        summary: "an alias that is already defined",
        docs: "An alias is defined once in a file, or in a part between `// -----` lines. Those of attributes (`#a`) and of types (`!a`) are \
               different names. What is read here takes the first definition.\n",
    },
    DiagnosticRule {
        code: BLOCK_REDEFINITION,
        severity: Severity::Error,
        summary: "a block that its region already has",
        docs: "A label names one block of its region: a branch to it could go to either otherwise. Regions have labels of their own.\n",
    },
    DiagnosticRule {
        code: COUNT_MISMATCH,
        severity: Severity::Error,
        summary: "numbers of values and types that differ",
        docs: "An operation has as many operands and results as its types say: `\"d.op\"(%a, %b) : (i32) -> i32` names two operands and \
               one type. A pack (`%0:2 =`) counts its values.\n",
    },
    DiagnosticRule {
        code: DUPLICATE_KEY,
        severity: Severity::Error,
        summary: "a key that its dictionary already has",
        docs: "A dictionary of attributes has each key once, also where the values are equal: \
               `{a = 1 : i32, a = 1 : i32}` is refused.\n",
    },
    said::RULE,
    DiagnosticRule {
        code: SYMBOL_REDEFINITION,
        severity: Severity::Error,
        summary: "a symbol that its module already has",
        docs: "A name is defined once in a symbol table: a module, or what stands outside of all modules of a file or of a part between \
               `// -----` lines. Modules in modules have tables of their own. A declaration counts: a function is not declared and defined.\n",
    },
    DiagnosticRule {
        code: UNDEFINED_AFFINE_NAME,
        severity: Severity::Error,
        summary: "a name in an affine map that is neither a dimension nor a symbol of it",
        docs: "The expressions of `affine_map<(d0, d1)[s0] -> (d0 + s0)>` and the conditions of \
               `affine_set<(d0) : (d0 >= 0)>` are about the dimensions in the parentheses and the symbols in the \
               brackets in front, and about nothing else.\n",
    },
    DiagnosticRule {
        code: UNDEFINED_ALIAS,
        severity: Severity::Error,
        summary: "an alias that is not defined",
        docs: "`#map` and `!t` stand for what the document defines them as; a document is a file, or a part \
               between `// -----` lines. With a dialect (`#dialect.attr`, `#dialect<…>`) it is no alias. It is not \
               told in operations whose form is not known.\n",
    },
    DiagnosticRule {
        code: UNDEFINED_BLOCK,
        severity: Severity::Error,
        summary: "a branch to a block that is not in its region",
        docs: "A successor names a block of the region in which the operation stands. Labels of other regions are not visible.\n",
    },
    DiagnosticRule {
        code: UNDEFINED_VALUE,
        severity: Severity::Error,
        summary: "a value that is not defined here",
        docs: "Nothing around the operation defines the value, or its region has ended, or a function or module, which sees nothing of what \
               is around it, begins between.\n",
    },
    DiagnosticRule {
        code: UNKNOWN_OPERATION,
        severity: Severity::Hint,
        summary: "an operation that is in no table",
        docs: "What the operation does is not known: it may read and write anything, so nothing is merged with it or moved over it. \
               Its effects can be declared in `tir-analyzer.toml`.\n",
    },
    DiagnosticRule {
        code: UNREAD_OPERATION,
        severity: Severity::Hint,
        summary: "an operation whose form is in no table",
        docs: "What the operation does is known, but not the form in which it is written here. Attributes and operands may change what it does, so it \
               counts as one that may read and write anything: nothing is merged with it or moved over it. In the generic form \
               (`\"d.op\"(%a) : (i32) -> i32`) it is understood. It is told once a file for each name.\n",
    },
    DiagnosticRule {
        code: USE_BEFORE_DEFINITION,
        severity: Severity::Error,
        summary: "a value that is used where its definition does not dominate",
        docs: "On every path to the use, the definition must come first. Regions of modules have no order, so the rule does not hold there; \
               nor in blocks that cannot be reached.\n",
    },
    DiagnosticRule {
        code: VALUE_REDEFINITION,
        severity: Severity::Error,
        summary: "a value that is already defined",
        docs: "A name is defined once in a function, nested regions included; regions beside each other may use the same name.\n",
    },
];

/// The rule of a code.
pub fn rule(code: &str) -> Option<&'static DiagnosticRule> {
    ALL.iter().find(|it| it.code == code)
}

/// The row of `tir-analyzer.toml` that says an operation has no effects; `section` is `mlir` or `pir`.
pub fn settings_row(section: &str, operation: &str) -> String {
    format!("[[effects.{section}]]\nops = [\"{operation}\"]\n")
}

/// What to do about an operation that is in no table.
pub(crate) fn declare(section: &str, operation: &str) -> String {
    let row = settings_row(section, operation);
    format!("say it in tir-analyzer.toml; without effects:\n{}", row.trim_end())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_are_sorted_and_documented() {
        assert!(ALL.is_sorted_by_key(|it| it.code));
        assert!(ALL.iter().all(|it| !it.docs.is_empty()));
    }
}
