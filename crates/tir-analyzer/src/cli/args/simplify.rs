//! The arguments of `simplify`.

use super::AnswerFormat;

#[derive(clap::Args)]
pub(crate) struct SimplifyArgs {
    /// The expression, in the notation of TVMScript; `min`, `max`, `floordiv` and the like need no `T.` before them. Or
    /// FILE:LINE:COLUMN of a value of MLIR, with what holds there.
    #[arg(value_name = "EXPR|PLACE", allow_hyphen_values = true)]
    pub(crate) expr: String,
    /// A condition that holds, as `n > 0`; may be repeated.
    #[arg(long, value_name = "CONDITION", allow_hyphen_values = true)]
    pub(crate) given: Vec<String>,
    /// The type of a variable, as `n:int64`; others are `int32`. May be repeated.
    #[arg(long = "var", value_name = "NAME:DTYPE")]
    pub(crate) vars: Vec<String>,
    /// Variables that are sizes: they are not negative. May be repeated.
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    pub(crate) size: Vec<String>,
    /// Also print the facts about the value.
    #[arg(long)]
    pub(crate) facts: bool,
    /// How to answer.
    #[arg(long, value_enum, default_value_t = AnswerFormat::Text)]
    pub(crate) format: AnswerFormat,
}

pub(crate) const SIMPLIFY_EXAMPLES: &str = "\
Examples:
  tir-analyzer simplify 'min(n, n + 1)'
  tir-analyzer simplify kernel.mlir:12:5 --given '1 <= n <= 4096'
  tir-analyzer simplify 'floordiv(x, d2) < d0 * d1' --size d0,d1,d2 --given 'd2 > 0' --given 'd0 * d1 * d2 < 1000000'
  tir-analyzer simplify '(4 * i + j) % 4' --var i:int64 --var j:int64 --given '0 <= j' --given 'j < 4' --facts";
