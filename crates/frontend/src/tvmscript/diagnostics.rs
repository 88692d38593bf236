//! The diagnostics of lowering a function, with a code and the exact range.
//!
//! Codes are kebab-case and stable; [`ALL`] documents each, for `explain` and for tables of rules.

use ir::guard::Panicked;
use rules::Rule;
use syntax::{Diagnostic, Severity, TextRange};

macro_rules! codes {
    ($($(#[doc = $docs:literal])* $konst:ident = $code:literal, $severity:ident, $summary:literal;)*) => {
        $(#[doc = $summary] pub const $konst: &str = $code;)*

        /// Every rule of this crate, in the order of their names.
        pub const ALL: &[Rule] = &[$(Rule::reported(
            $code,
            Severity::$severity,
            $summary,
            concat!($($docs, "\n"),*),
        )),*];
    };
}

codes! {
    /// Both operands of an operator, or the two sides of a binding, must have types that TVM can bring together.
    /// Arithmetic promotes (`int32 + float32` is `float32`); `==`, `!=` and bindings do not. Bool conditions are
    /// required by `and`, `or`, `not`, `if`, `while`, `assert` and `T.if_then_else`; integers do not count as bool.
    /// Write the conversion: `T.Cast("int64", x)` or `x != 0`.
    DTYPE_MISMATCH = "dtype-mismatch", Error, "the data types do not fit together";
    /// A constant divisor is zero, or a constant shift amount is negative or not less than the width of the type.
    /// TVM refuses both when it reads the text.
    INVALID_CONSTANT = "invalid-constant", Error, "a constant operand that the operator refuses";
    /// A mistake of tir-analyzer: the work on this function ended with a panic. Nothing of the function is changed or
    /// built; the rest of the file is not concerned. Please report it with the file and the message.
    INTERNAL_ERROR = "internal-error", Error, "a function that tir-analyzer has a mistake with";
    /// A `T.` form has arguments that it does not take: a missing or unknown argument, a wrong number of targets,
    /// or a value of the wrong kind where a data type, buffer, list or string is needed.
    MALFORMED_FORM = "malformed-form", Error, "a T. form with arguments it does not take";
    /// A name is defined a second time in the same scope where TVM wants one definition: an immutable binding
    /// (`x: T.let = e`) or a buffer. Choose another name, or assign to a mutable scalar (`x = e`). The functions of a
    /// module (`@I.ir_module`) have different names too; at the top of a file, Python lets the second replace the
    /// first.
    REDEFINITION = "redefinition", Error, "a name that is already defined in this scope";
    /// The text cannot be read as Python. The statement is kept as it is and may do anything; the rest of the
    /// function is analysed.
    SYNTAX_ERROR = "syntax-error", Error, "text that cannot be read";
    /// TileLang refuses what a kernel tells its compiler: in `T.annotate_layout` a layout of another size than its
    /// tile, a function that takes another number of indices or takes two elements to one place (the message names
    /// both), a swizzle that does not fit the rows (`make_full_bank_swizzled_layout` takes rows of 128 bytes, `half` of
    /// 64, `quarter` of 32, eight rows at once, or four), a layout of a fragment that is no `T.Fragment`; in
    /// `T.annotate_l2_hit_ratio` memory that is not global. What rests on a name that is not known is not told.
    TILE_LAYOUT = "tile-layout", Error, "a layout that TileLang refuses";
    /// A name is used that nothing in the function defines and nothing around it either, or after the end of the
    /// scope that defined it (the body of a `for`, `with`, `if`).
    UNDEFINED_NAME = "undefined-name", Error, "a name that is not defined here";
    /// A name comes from the Python around the function and its value is not a constant that can be read from the
    /// text. It is a symbol of unknown type: nothing is assumed about it and nothing is commoned across it.
    UNRESOLVED_CAPTURE = "unresolved-capture", Hint, "a Python name whose value is not known here";
    /// A `T.` function that is in no table: it may do anything. Its effects can be declared in `tir-analyzer.toml`.
    UNKNOWN_INTRINSIC = "unknown-intrinsic", Hint, "a T. function with unknown effects";
    /// The statement or expression is valid Python, but TVMScript gives it no meaning that this tool knows. It is
    /// kept by its text and may do anything.
    UNSUPPORTED_CONSTRUCT = "unsupported-construct", Warning, "a construct without a known meaning";
    /// A buffer is accessed with more or fewer indices than it has dimensions.
    WRONG_BUFFER_RANK = "wrong-buffer-rank", Error, "a buffer access with the wrong number of indices";
}

/// Returns the diagnostic for a function in which a panic ended the work, at its name.
pub fn internal_error(panicked: &Panicked, name: TextRange) -> Diagnostic {
    Diagnostic {
        code: INTERNAL_ERROR,
        severity: Severity::Error,
        range: name,
        message: panicked.to_string(),
        help: Some("this is a mistake of tir-analyzer; please report it with the file".to_owned()),
        ..Diagnostic::default()
    }
}

/// The rule of a code.
pub fn rule(code: &str) -> Option<&'static Rule> {
    ALL.iter().find(|it| it.name == code)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_are_documented_and_in_kebab_case() {
        for rule in ALL {
            assert!(
                rule.name.bytes().all(|it| it.is_ascii_lowercase() || it == b'-'),
                "{}",
                rule.name
            );
            assert!(!rule.docs.trim().is_empty(), "{}", rule.name);
        }
    }
}
