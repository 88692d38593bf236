//! `cargo xtask docs`: the book, of `crates/tir-analyzer/book` and of the program's own tables.
//!
//! The program writes the chapters (`tir-analyzer book`), and a pinned mdBook makes pages of them. mdBook is a program
//! of its own under `target/peers`, made once: as a library it would be compiled for everyone who starts `cargo xtask`.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Context as _;

use crate::Outcome;
use crate::process::{run_quiet, run_shown};
use crate::workspace::{Workspace, say};

/// The version of mdBook.
const MDBOOK: &str = "0.4.52";
/// The folder of the book: `book.toml`, and the chapters that people write.
const BOOK: &str = "crates/tir-analyzer/book";

/// Build the book.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  cargo xtask docs                the book, in target/book/html
  cargo xtask docs --check        its chapters and links only, without mdBook")]
pub(crate) struct Args {
    /// Write the chapters and check their links, but do not build the pages.
    #[arg(long)]
    check: bool,
}

pub(crate) fn run(args: &Args, ws: &Workspace) -> anyhow::Result<Outcome> {
    let book = ws.target().join("book");
    write_chapters(ws, &book)?;
    if args.check {
        return Ok(Outcome::Passed);
    }
    let mut build = Command::new(mdbook(ws)?);
    build.arg("build").arg("--dest-dir").arg(book.join("html")).arg(&book);
    run_quiet(&mut build).context("the book does not build")?;
    say(format_args!("{}", book.join("html").join("index.html").display()));
    Ok(Outcome::Passed)
}

/// Has the program write the chapters into `book`, in place of those that are there.
fn write_chapters(ws: &Workspace, book: &Path) -> anyhow::Result<()> {
    let chapters = book.join("src");
    if chapters.exists() {
        std::fs::remove_dir_all(&chapters)?;
    }
    std::fs::create_dir_all(&chapters)
        .with_context(|| format!("cannot make {}", chapters.display()))?;
    std::fs::copy(ws.path(BOOK).join("book.toml"), book.join("book.toml"))?;
    let mut program = ws.cargo();
    program.args(["run", "--quiet", "--locked", "--package", "tir-analyzer", "--", "book", "."]);
    let finished = run_shown(program.arg("--out").arg(std::path::absolute(&chapters)?))?;
    anyhow::ensure!(finished.success, "the chapters cannot be written ({})", finished.status);
    Ok(())
}

/// The pinned mdBook, which is compiled if it is not there.
fn mdbook(ws: &Workspace) -> anyhow::Result<PathBuf> {
    let root = ws.peers().join(format!("mdbook-{MDBOOK}"));
    let program = root.join("bin").join(format!("mdbook{}", std::env::consts::EXE_SUFFIX));
    if !program.exists() {
        say(format_args!("installing mdbook {MDBOOK} into {}", root.display()));
        let mut install = ws.cargo();
        install.args(["install", "--quiet", "--locked", "--no-default-features"]);
        install.args(["--features", "search", "--version", MDBOOK, "--root"]);
        // Apart from the target folder of the workspace, whose profiles are not its own.
        install.arg(&root).arg("mdbook").env("CARGO_TARGET_DIR", root.join("build"));
        let finished = run_shown(&mut install)?;
        anyhow::ensure!(finished.success, "mdbook cannot be installed ({})", finished.status);
        std::fs::remove_dir_all(root.join("build"))?;
    }
    Ok(program)
}
