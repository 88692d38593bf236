//! The arguments of `book`.

use std::path::PathBuf;

#[derive(clap::Args)]
pub(crate) struct BookArgs {
    /// The root of a checkout of the sources.
    #[arg(value_name = "CHECKOUT")]
    pub(crate) root: PathBuf,
    /// Write the chapters here, for mdBook; without it, they are only checked.
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
}

pub(super) const BOOK_EXAMPLES: &str = "\
Examples:
  tir-analyzer book .                         check the book of this checkout
  tir-analyzer book . --out target/book/src   write its chapters, as `cargo xtask docs` does";
