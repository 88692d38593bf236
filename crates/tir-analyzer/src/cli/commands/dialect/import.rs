//! `dialect import`: definitions in, one file a dialect out, each whole or as it was.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Context as _, anyhow, bail};
use dialects::{Dialect, file};

use super::{bindings, irdl, tablegen};
use crate::cli::{
    Exit,
    args::ImportArgs,
    io::Io,
    output::{count, write},
};

/// Runs the command.
pub(super) fn import(args: &ImportArgs, io: &mut Io<'_>) -> anyhow::Result<Exit> {
    let mut dialects: BTreeMap<String, Dialect> = BTreeMap::new();
    for path in &args.files {
        for dialect in read(args, path, io)? {
            match dialects.get_mut(&dialect.name) {
                Some(known) => merge(known, dialect),
                None => {
                    dialects.insert(dialect.name.clone(), dialect);
                }
            }
        }
    }
    dialects.retain(|_, it| !it.rows.is_empty());
    if dialects.is_empty() {
        bail!("no operation is defined there");
    }
    let out = io.resolve(&args.out);
    fs::create_dir_all(&out).with_context(|| format!("cannot make {}", args.out.display()))?;
    for (name, dialect) in &dialects {
        let file = format!("{name}.toml");
        let shown = args.out.join(&file).display().to_string();
        write::create(&out.join(&file), &shown, dialects::write(dialect).as_bytes(), io)?;
        writeln!(io.out, "{shown}: {}", summary(dialect))?;
    }
    Ok(Exit::Success)
}

/// `14 operations, 9 with effects, 12 with a form`.
fn summary(dialect: &Dialect) -> String {
    let rows = &dialect.rows;
    let n_effects = rows
        .iter()
        .filter(|it| it.states_effects() || dialects::effect_fields(it, &[]).is_some())
        .count();
    let n_forms = rows.iter().filter(|it| it.format.is_some() || it.shape.is_some()).count();
    let n = rows.iter().map(|it| it.ops.len()).sum();
    format!("{}, {n_effects} with effects, {n_forms} with a form", count(n, "operation"))
}

/// Adds the rows of a later file; a name that both have is taken from the later one.
fn merge(known: &mut Dialect, later: Dialect) {
    known.rows.retain(|row| !later.rows.iter().any(|it| it.ops == row.ops));
    known.rows.extend(later.rows);
    known.rows.sort_by(|a, b| a.ops.cmp(&b.ops));
    known.shapes.extend(later.shapes);
    if !known.source.split("; ").any(|it| it == later.source) {
        known.source = format!("{}; {}", known.source, later.source);
    }
}

fn read(args: &ImportArgs, path: &Path, io: &Io<'_>) -> anyhow::Result<Vec<Dialect>> {
    let shown = path.display();
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let source = args.source.clone().unwrap_or_else(|| name.into_owned());
    let in_file = |it: String| match it.starts_with(|it: char| it.is_ascii_digit()) {
        true => anyhow!("{shown}:{it}"),
        false => anyhow!("{shown}: {it}"),
    };
    let extension = path.extension().unwrap_or_default().to_string_lossy();
    if extension == "td" {
        let json = records(args, path, io)?;
        return tablegen::read(&json, &source).map_err(in_file);
    }
    let text = files::read_text(&io.resolve(path), files::ARTIFACT)
        .with_context(|| format!("cannot read {shown}"))?;
    match &*extension {
        "json" => tablegen::read(&text, &source).map_err(in_file),
        "irdl" | "mlir" => irdl::read(&text, &source).map_err(in_file),
        "py" => bindings::read(&text, &source).map_err(in_file),
        "toml" => {
            let mut dialect = file::read(&text).map_err(|it| in_file(it.to_string()))?;
            dialect.source = args.source.clone().unwrap_or(dialect.source);
            Ok(vec![dialect])
        }
        _ => bail!("{shown} is none of .td, .json, .irdl, .mlir, .py and .toml"),
    }
}

const NO_PROGRAM: &str = "no `llvm-tblgen` is on the PATH, which reads .td files: install it (Debian: llvm-19), name \
     it with --tblgen, or import the output of `llvm-tblgen --dump-json` from where it is";

/// The records of a `.td` file, as JSON.
fn records(args: &ImportArgs, path: &Path, io: &Io<'_>) -> anyhow::Result<String> {
    let programs = args.tblgen.clone().map_or_else(tblgen, |it| vec![it]);
    first_of(&programs, |it| records_by(it, args, path, io))
}

/// The answer of the first program that gives one: definitions may need a newer program than the first on the PATH.
/// Told are the errors of the first.
fn first_of(
    programs: &[PathBuf],
    ask: impl Fn(&Path) -> anyhow::Result<String>,
) -> anyhow::Result<String> {
    let mut refused = None;
    for program in programs {
        match ask(program) {
            Ok(records) => return Ok(records),
            Err(error) => refused = refused.or(Some(error)),
        }
    }
    Err(refused.unwrap_or_else(|| anyhow!(NO_PROGRAM)))
}

/// The records of a `.td` file, as one program prints them.
fn records_by(
    program: &Path,
    args: &ImportArgs,
    path: &Path,
    io: &Io<'_>,
) -> anyhow::Result<String> {
    let path = io.resolve(path);
    let mut command = Command::new(program);
    command.arg("--dump-json").current_dir(&io.folder);
    for folder in args.include.iter().map(|it| io.resolve(it)) {
        command.arg("-I").arg(folder);
    }
    if let Some(folder) = path.parent() {
        command.arg("-I").arg(folder);
    }
    let shown = program.display();
    let done = command.arg(&path).output().with_context(|| {
        format!("cannot run {shown}: --tblgen names the `llvm-tblgen` to run, by its path")
    })?;
    if !done.status.success() {
        let errors = String::from_utf8_lossy(&done.stderr);
        let errors: Vec<&str> = errors.lines().take(6).collect();
        bail!(
            "{shown} cannot read it:\n{}\n`-I DIR` names the folders of files that it includes; definitions of a new LLVM \
             need an `llvm-tblgen` as new, which --tblgen names",
            errors.join("\n")
        );
    }
    String::from_utf8(done.stdout).with_context(|| format!("the output of {shown} is no text"))
}

/// All `llvm-tblgen` on the PATH, newest first; one without a version in its name is the user's choice.
fn tblgen() -> Vec<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let names = || {
        let versions = (15..40).rev().map(|it| format!("llvm-tblgen-{it}"));
        std::iter::once("llvm-tblgen".to_owned()).chain(versions)
    };
    let found = names().filter_map(|name| {
        std::env::split_paths(&path).map(|it| it.join(&name)).find(|it| it.is_file())
    });
    found.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_a_program_the_ways_out_are_named() {
        let error = first_of(&[], |_| Ok(String::new())).unwrap_err().to_string();
        for way in ["--tblgen", "llvm-19", "--dump-json"] {
            assert!(error.contains(way), "{error}");
        }
        let programs = [PathBuf::from("old"), PathBuf::from("new")];
        let ask = |it: &Path| match it.ends_with("new") {
            true => Ok("records".to_owned()),
            false => Err(anyhow!("too old")),
        };
        assert_eq!(first_of(&programs, ask).unwrap(), "records");
        assert_eq!(first_of(&programs[..1], ask).unwrap_err().to_string(), "too old");
    }
}
