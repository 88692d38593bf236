//! `cargo xtask codegen`: the files that are made from the grammars of the syntax trees.
//!
//! Input is `crates/syntax/*.ungram`, one file a language. Output are the kinds of tokens and nodes of all
//! (`crates/parser/src/syntax_kind/generated.rs`) and the typed tree of each (`crates/syntax/src/ast/…/generated.rs`).
//! All are committed; with `--check` nothing is written, and a stale file is an error that names it.
//!
//! - [`tokens`] is the table of spellings: which quoted token of the grammar has which kind;
//! - [`grammar`] turns rules into node and enum definitions with typed fields;
//! - [`kinds`] and [`nodes`] print the files; `rustfmt` gives them their layout.

mod grammar;
mod kinds;
mod nodes;
mod tokens;

use std::{
    fs,
    io::Write as _,
    path::Path,
    process::{Command, Stdio},
};

use anyhow::{Context as _, bail, ensure};

use crate::{Outcome, workspace::Workspace};

/// A language and its files.
struct Language {
    name: &'static str,
    grammar: &'static str,
    nodes: &'static str,
    /// The prefix of the kinds of its nodes.
    prefix: &'static str,
}

const LANGUAGES: [Language; 3] = [
    Language {
        name: "TVMScript",
        grammar: "crates/syntax/tvmscript.ungram",
        nodes: "crates/syntax/src/ast/generated.rs",
        prefix: "",
    },
    Language {
        name: "MLIR",
        grammar: "crates/syntax/mlir.ungram",
        nodes: "crates/syntax/src/ast/mlir/generated.rs",
        prefix: "MLIR_",
    },
    Language {
        name: "Paddle PIR",
        grammar: "crates/syntax/pir.ungram",
        nodes: "crates/syntax/src/ast/pir/generated.rs",
        prefix: "PIR_",
    },
];
const KINDS: &str = "crates/parser/src/syntax_kind/generated.rs";

/// Generate the typed syntax tree from its grammar.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  cargo xtask codegen            write the generated files
  cargo xtask codegen --check    only say whether they are up to date")]
pub(crate) struct Args {
    /// Change nothing; fail if a generated file differs from the generator's output.
    #[arg(long)]
    pub(crate) check: bool,
}

/// Makes the generated files, or compares them.
pub(crate) fn run(args: &Args, ws: &Workspace) -> anyhow::Result<Outcome> {
    generate(&ws.path("."), args.check)?;
    Ok(Outcome::Passed)
}

/// Makes the generated files below `root`; with `check`, only compares them with the generator's output.
fn generate(root: &Path, check: bool) -> anyhow::Result<()> {
    let mut grammars = Vec::new();
    for language in &LANGUAGES {
        let path = language.grammar;
        let source =
            fs::read_to_string(root.join(path)).with_context(|| format!("cannot read {path}"))?;
        grammars.push(grammar::lower(&source, language.prefix).with_context(|| path.to_owned())?);
    }
    put(root, KINDS, &rustfmt(root, &kinds::emit(&grammars))?, check)?;
    for (language, grammar) in LANGUAGES.iter().zip(&grammars) {
        put(root, language.nodes, &rustfmt(root, &nodes::emit(language, grammar))?, check)?;
    }
    Ok(())
}

/// Writes `text` to `path` if it differs; with `check`, a difference is an error.
fn put(root: &Path, path: &str, text: &str, check: bool) -> anyhow::Result<()> {
    let file = root.join(path);
    if fs::read_to_string(&file).is_ok_and(|old| old.replace("\r\n", "\n") == text) {
        return Ok(());
    }
    if check {
        bail!(
            "{path} is not what the grammars give: run `cargo xtask codegen` and commit the result"
        );
    }
    if let Some(folder) = file.parent() {
        fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    }
    fs::write(&file, text).with_context(|| format!("cannot write {path}"))
}

fn rustfmt(root: &Path, text: &str) -> anyhow::Result<String> {
    let mut child = Command::new("rustfmt")
        .args(["--edition", "2024", "--emit", "stdout", "--config-path"])
        .arg(root)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .context("cannot start rustfmt: `rustup component add rustfmt` brings it")?;
    let mut stdin = child.stdin.take().context("rustfmt has no standard input")?;
    // rustfmt reads all of its input before it writes, so that neither side waits for the other.
    stdin.write_all(text.as_bytes()).context("cannot write to rustfmt")?;
    drop(stdin);
    let output = child.wait_with_output().context("cannot read from rustfmt")?;
    ensure!(output.status.success(), "rustfmt does not read the generated code");
    String::from_utf8(output.stdout).context("rustfmt wrote something that is not UTF-8")
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    #[test]
    fn generated_files_are_what_the_grammar_gives() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        super::generate(&root, true).expect("run `cargo xtask codegen`");
    }
}
