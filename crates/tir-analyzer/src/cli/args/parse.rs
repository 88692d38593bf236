//! The arguments of `parse`.

use super::OneInput;

#[derive(clap::Args)]
pub(crate) struct ParseArgs {
    #[command(flatten)]
    pub(crate) input: OneInput,
    /// Print the text of the tree: the bytes of the file, each of them.
    #[arg(long)]
    pub(crate) text: bool,
}

pub(crate) const PARSE_EXAMPLES: &str = "\
Examples:
  tir-analyzer parse a.py                     one line an element of the tree
  tir-analyzer parse --text a.py | cmp - a.py nothing is lost";
