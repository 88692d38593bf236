//! The rules of the languages made of operations. None of them reports what the verifier of a dialect would report.

use ir::plan::ops::UNKNOWN_OPERATION as UNKNOWN_OPERATION_RULE;
use rules::{Rule, Severity};

/// Constants for codes, and the table of their rules.
macro_rules! codes {
    ($($(#[$of:meta])* $NAME:ident = $rule:expr;)*) => {
        $($(#[$of])* pub const $NAME: &str = $rule.name;)*

        /// Every rule but that of [`crate::MORE_DIAGNOSTICS`], in the order of the names.
        pub const ALL: &[Rule] = &[$($rule),*];
    };
}

codes! {
    /// An alias that is already defined.
    ALIAS_REDEFINITION = Rule::reported(
        "alias-redefinition",
        Severity::Error,
        "an alias that is already defined",
        "An alias is defined once in a file, or in a part between `// -----` lines. Those of attributes (`#a`) and \
         of types (`!a`) are different names. Here the first definition is used.\n",
    );
    /// A block that its region already has.
    BLOCK_REDEFINITION = Rule::reported(
        "block-redefinition",
        Severity::Error,
        "a block that its region already has",
        "A label names one block of its region: a branch to it could go to either otherwise. Regions have labels of \
         their own.\n",
    );
    /// Numbers of values and types that differ.
    COUNT_MISMATCH = Rule::reported(
        "count-mismatch",
        Severity::Error,
        "numbers of values and types that differ",
        "An operation has as many operands and results as its types say: `\"d.op\"(%a, %b) : (i32) -> i32` names two \
         operands and one type. A pack (`%0:2 =`) counts its values.\n",
    );
    /// A key that its dictionary already has.
    DUPLICATE_KEY = Rule::reported(
        "duplicate-key",
        Severity::Error,
        "a key that its dictionary already has",
        "A dictionary of attributes has each key once, also where the values are equal: `{a = 1 : i32, a = 1 : i32}` \
         is refused.\n",
    );
    /// A symbol that its module already has.
    SYMBOL_REDEFINITION = Rule::reported(
        "symbol-redefinition",
        Severity::Error,
        "a symbol that its module already has",
        "A name is defined once in a symbol table: a module, or what stands outside of all modules of a file or of a \
         part between `// -----` lines. Modules in modules have tables of their own. A declaration counts: a \
         function is not declared and defined.\n",
    );
    /// A value that is used with another type than it has.
    TYPE_MISMATCH = Rule::reported(
        "type-mismatch",
        Severity::Error,
        "a value that is used with another type than it has",
        "Where an operation states the types of its operands, they are those of the definitions: `\"d.op\"(%a) : (f32) \
         -> ()` does not fit a `%a` of type `i32`. It is told of integers, floats and `index` only, since other types \
         may be written in several ways.\n",
    );
    /// A name in an affine map that is neither a dimension nor a symbol of it.
    UNDEFINED_AFFINE_NAME = Rule::reported(
        "undefined-affine-name",
        Severity::Error,
        "a name in an affine map that is neither a dimension nor a symbol of it",
        "The expressions of `affine_map<(d0, d1)[s0] -> (d0 + s0)>` and the conditions of `affine_set<(d0) : (d0 >= \
         0)>` are about the dimensions in the parentheses and the symbols in the brackets in front, and about \
         nothing else.\n",
    );
    /// An alias that is not defined.
    UNDEFINED_ALIAS = Rule::reported(
        "undefined-alias",
        Severity::Error,
        "an alias that is not defined",
        "`#map` and `!t` stand for what the document defines them as; a document is a file, or a part between `// \
         -----` lines. With a dialect (`#dialect.attr`, `#dialect<…>`) it is no alias. It is not told in operations \
         whose form is not known.\n",
    );
    /// A branch to a block that is not in its region.
    UNDEFINED_BLOCK = Rule::reported(
        "undefined-block",
        Severity::Error,
        "a branch to a block that is not in its region",
        "A successor names a block of the region in which the operation stands. Labels of other regions are not \
         visible.\n",
    );
    /// A symbol that nothing defines or declares.
    UNDEFINED_SYMBOL = Rule::reported(
        "undefined-symbol",
        Severity::Error,
        "a symbol that nothing defines or declares",
        "A call, the address of a global and the constant of a function name a symbol of the module that they stand in; \
         one of another module is declared there. It is told of `func.call`, `func.constant`, `memref.get_global`, \
         `llvm.call` and `llvm.mlir.addressof` in their custom form, and only where everything around them is understood \
         and nothing in the document has the name. Functions of a dump of passes stand without their module, so it is \
         not told there.\n",
    );
    /// A value that is not defined here.
    UNDEFINED_VALUE = Rule::reported(
        "undefined-value",
        Severity::Error,
        "a value that is not defined here",
        "Nothing around the operation defines the value, or its region has ended, or a function or module, which \
         sees nothing of what is around it, begins between.\n",
    );
    /// An operation that is in no table: of plans too.
    UNKNOWN_OPERATION = UNKNOWN_OPERATION_RULE;
    /// An operation whose form is in no table.
    UNREAD_OPERATION = Rule::reported(
        "unread-operation",
        Severity::Hint,
        "an operation whose form is in no table",
        "The effects of the operation are known, but not the form in which it is written here. Attributes and operands may \
         change what it does, so it counts as one that may read and write anything: nothing is merged with it or \
         moved over it. In the generic form (`\"d.op\"(%a) : (i32) -> i32`) it is understood. It is told once a file \
         for each dialect.\n",
    );
    /// A value that is used where its definition does not dominate.
    USE_BEFORE_DEFINITION = Rule::reported(
        "use-before-definition",
        Severity::Error,
        "a value that is used where its definition does not dominate",
        "On every path to the use, the definition must come first. Regions of modules have no order, so the rule \
         does not hold there; nor in blocks that cannot be reached.\n",
    );
    /// A value that is already defined.
    VALUE_REDEFINITION = Rule::reported(
        "value-redefinition",
        Severity::Error,
        "a value that is already defined",
        "A name is defined once in a function, nested regions included; regions beside each other may use the same \
         name.\n",
    );
}

/// The rule of a code.
pub fn rule(code: &str) -> Option<&'static Rule> {
    ALL.iter().find(|it| it.name == code)
}

/// The row of `tir-analyzer.toml` that declares an operation without effects; `section` is `mlir` or `pir`.
pub fn settings_row(section: &str, operation: &str) -> String {
    format!("[[effects.{section}]]\nops = [\"{operation}\"]\n")
}

/// Returns the advice for an operation that is in no table.
pub(crate) fn declare(section: &str, operation: &str) -> String {
    let row = settings_row(section, operation);
    format!("say it in tir-analyzer.toml; without effects:\n{}", row.trim_end())
}

/// A number of things: `1 operand`, `2 operands`.
pub(crate) fn count(number: usize, noun: &str) -> String {
    format!("{number} {noun}{}", if number == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_are_sorted_and_documented() {
        assert!(ALL.is_sorted_by_key(|it| it.name));
        assert!(ALL.iter().all(|it| !it.docs.is_empty()));
    }
}
