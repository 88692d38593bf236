//! The typed tree of Paddle PIR: views of nodes, made by `cargo xtask codegen` from `pir.ungram`.

mod generated;

pub use self::generated::*;

use super::{AstChildren, AstNode, support};
use crate::TokenText;

impl Op {
    /// The name with its dialect: `pd_op.add`, in its quotes.
    pub fn quoted_name(&self) -> Option<TokenText> {
        self.string_token().map(|it| it.shared_text())
    }

    /// The name with its dialect: `pd_op.add`.
    pub fn name(&self) -> Option<String> {
        Some(self.quoted_name()?.as_str().trim_matches('"').to_owned())
    }
}
