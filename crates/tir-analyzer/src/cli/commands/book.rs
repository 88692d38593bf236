//! `book`: the chapters of the book, those that people write and those that are made of the program's own tables.
//!
//! For people who build the book (`cargo xtask docs`), so it is not listed in the help. The made parts stand nowhere in
//! the repository: rules, settings, commands and targets are tables of this program, so that no copy of them can be
//! stale. A page takes such a part by the line `<!-- made: NAME -->`. Links between pages and to their headings are
//! checked before anything is written.

mod links;
mod made;
mod python;
mod rules;

use std::{collections::BTreeMap, path::Path};

use anyhow::{Context as _, bail};

use crate::cli::{Exit, args::BookArgs, io::Io, output::count};

/// The chapters that people write, from the root of the checkout.
const CHAPTERS: &str = "crates/tir-analyzer/book/src";
/// Pictures of the real editors, which commands make: their names in the book, and their files.
const PICTURES: [(&str, &str); 3] = [
    ("pictures/neovim-hints.svg", "editors/nvim/hints.svg"),
    ("pictures/vscode-hints.png", "editors/vscode/images/hints.png"),
    ("pictures/vscode-device-code.png", "editors/vscode/images/device-code.png"),
];
/// The most bytes of a file of the book.
const MAX_LEN: u64 = 16 << 20;

/// The files of the book by their paths.
type Pages = BTreeMap<String, Vec<u8>>;

/// Runs the command.
pub(crate) fn book(args: &BookArgs, io: &mut Io<'_>) -> anyhow::Result<Exit> {
    let root = io.resolve(&args.root);
    let pages = compose(&root)?;
    let wrong = links::check(&pages);
    if !wrong.is_empty() {
        bail!("links of the book lead nowhere:\n  {}", wrong.join("\n  "));
    }
    if let Some(out) = &args.out {
        let out = io.resolve(out);
        for (path, bytes) in &pages {
            let path = out.join(path);
            let folder = path.parent().unwrap_or(&out);
            std::fs::create_dir_all(folder)
                .and_then(|()| std::fs::write(&path, bytes))
                .with_context(|| format!("cannot write {}", path.display()))?;
        }
    }
    writeln!(io.out, "{}", count(pages.len(), "file"))?;
    Ok(Exit::Success)
}

/// All files of the book of a checkout.
///
/// # Errors
/// A file that cannot be read, or a made part that nobody makes.
fn compose(root: &Path) -> anyhow::Result<Pages> {
    let mut pages = Pages::new();
    read_folder(&root.join(CHAPTERS), "", &mut pages)?;
    for (name, file) in PICTURES {
        pages.insert(name.to_owned(), read(&root.join(file))?);
    }
    pages.extend(rules::pages());
    for (path, bytes) in &mut pages {
        if path.ends_with(".md") {
            let text = String::from_utf8_lossy(bytes).into_owned();
            *bytes = fill(root, &text).with_context(|| path.clone())?.into_bytes();
        }
    }
    Ok(pages)
}

/// A page with its made parts, and the names of the files that its blocks are.
fn fill(root: &Path, text: &str) -> anyhow::Result<String> {
    let mut out = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        let part = line.trim().strip_prefix("<!-- made: ").and_then(|it| it.strip_suffix(" -->"));
        match part {
            Some(part) => out.push_str(&made::part(root, part)?),
            None => {
                let file =
                    line.trim_end().strip_prefix("```").and_then(|it| it.split_once(" file="));
                out.extend(file.map(|(_, path)| format!("`{path}`:\n\n")));
                out.push_str(line);
            }
        }
    }
    Ok(out)
}

fn read_folder(folder: &Path, below: &str, pages: &mut Pages) -> anyhow::Result<()> {
    let entries = std::fs::read_dir(folder)
        .with_context(|| format!("cannot read {}: is it a checkout?", folder.display()))?;
    for entry in entries {
        let entry = entry?;
        let path = format!("{below}{}", entry.file_name().to_string_lossy());
        match entry.file_type()?.is_dir() {
            true => read_folder(&entry.path(), &format!("{path}/"), pages)?,
            false => {
                pages.insert(path, read(&entry.path())?);
            }
        }
    }
    Ok(())
}

fn read(path: &Path) -> anyhow::Result<Vec<u8>> {
    files::read(path, MAX_LEN).with_context(|| format!("cannot read {}", path.display()))
}
