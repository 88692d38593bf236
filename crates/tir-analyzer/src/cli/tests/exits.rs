//! One policy of exit codes, for every command and every kind of input.

use std::ffi::OsString;

use clap::CommandFactory as _;
use expect_test::expect;
use ir::guard::{Stage, planted::plant};

use super::*;
use crate::cli::{Io, args::Arguments};

/// A command, its files, and for each kind of input the replacement of `FILE`.
struct Row {
    /// With `FILE`. Inputs that the command does not have are `-`.
    words: &'static str,
    clean: &'static str,
    findings: &'static str,
    broken: &'static str,
    missing: &'static str,
    /// Something in which a function panics in the stage that matters.
    internal: Option<&'static str>,
}

const PYTHON: Row = Row {
    words: "",
    clean: "clean.py",
    findings: "shared.py",
    broken: "broken.py",
    missing: "nowhere.py",
    internal: Some("planning.py"),
};

const MLIR: Row = Row {
    words: "",
    clean: "clean.mlir",
    findings: "shared.mlir",
    broken: "broken.mlir",
    missing: "nowhere.mlir",
    internal: Some("planning.mlir"),
};

const FORMAT: Row = Row { findings: "wide.mlir", broken: "cut.mlir", internal: None, ..MLIR };

const ROWS: &[Row] = &[
    Row { words: "check FILE", ..PYTHON },
    Row { words: "check FILE", ..MLIR },
    Row { words: "fix --diff FILE", ..PYTHON },
    Row { words: "fix --diff FILE", ..MLIR },
    Row { words: "format --check FILE", ..FORMAT },
    Row { words: "format --diff FILE", ..FORMAT },
    Row { words: "bisect FILE -- true", ..PYTHON },
    Row { words: "opt FILE", ..PYTHON },
    Row { words: "opt --passes cse FILE", ..MLIR },
    Row { words: "preview FILE", ..PYTHON },
    Row { words: "preview --passes cse FILE", ..MLIR },
    Row { words: "report FILE", ..PYTHON },
    Row { words: "explain FILE:6:7", ..PYTHON },
    Row { words: "explain --facts FILE:6", ..PYTHON },
    Row { words: "explain FILE:2:9", ..MLIR },
    Row { words: "run FILE", findings: "outside.py", internal: Some("running.py"), ..PYTHON },
    Row { words: "run FILE", internal: Some("running.mlir"), ..MLIR },
    Row { words: "parse FILE", internal: None, ..PYTHON },
    Row { words: "parse FILE", internal: None, ..MLIR },
    Row { words: "build --target c FILE", internal: Some("emitting.py"), ..PYTHON },
    Row {
        words: "simplify FILE",
        clean: "1",
        findings: "1+0",
        broken: "1+",
        missing: "-",
        internal: None,
    },
    Row {
        words: "cache verify --store FILE",
        clean: "store",
        findings: "-",
        broken: "torn",
        missing: "nowhere",
        internal: None,
    },
];

/// A function of this name in which a value is shared, in a file of Python.
fn python(name: &str) -> String {
    SHARED.replace("def main(", &format!("def {name}("))
}

fn mlir(name: &str, second: &str) -> String {
    format!(
        "func.func @{name}(%a: i32) -> i32 {{\n  %0 = arith.addi %a, %a : i32\n  {second}\n  \
         %2 = arith.muli %0, %1 : i32\n  return %2 : i32\n}}\n"
    )
}

fn project() -> Project {
    let shared = "%1 = arith.addi %a, %a : i32";
    let mut files = vec![
        ("clean.py".to_owned(), CLEAN.to_owned()),
        ("shared.py".to_owned(), SHARED.to_owned()),
        ("broken.py".to_owned(), BROKEN.to_owned()),
        ("outside.py".to_owned(), CLEAN.replace("A[0]", "A[64]")),
        ("clean.mlir".to_owned(), mlir("f", "%1 = arith.subi %a, %a : i32")),
        ("shared.mlir".to_owned(), mlir("f", shared)),
        ("wide.mlir".to_owned(), mlir("f", "%1   =   arith.subi %a, %a : i32")),
        ("cut.mlir".to_owned(), "func.func @f( {\n".to_owned()),
        ("broken.mlir".to_owned(), mlir("f", "%1 = arith.addi %a, %missing : i32")),
    ];
    for stage in Stage::ALL {
        let name = format!("exits_{}", stage.name());
        plant(*stage, &name);
        files.push((format!("{}.py", stage.name()), python(&name)));
        files.push((format!("{}.mlir", stage.name()), mlir(&name, shared)));
    }
    let files: Vec<(&str, &str)> = files.iter().map(|(a, b)| (&**a, &**b)).collect();
    let project = Project::new(&files);
    assert_eq!(project.run("build --target c shared.py --out out --store store").code, 0);
    assert_eq!(project.run("build --target c shared.py --out torn-out --store torn").code, 0);
    tear(&project.path().join("torn"));
    project
}

/// Spoils all files below a folder.
fn tear(folder: &Path) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true => tear(&path),
            false => fs::write(path, "torn").unwrap(),
        }
    }
}

/// A stream whose reader is gone.
struct Closed;

impl std::io::Write for Closed {
    fn write(&mut self, _: &[u8]) -> std::io::Result<usize> {
        Err(std::io::ErrorKind::BrokenPipe.into())
    }
    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[test]
fn every_command_is_in_the_table() {
    for command in Arguments::command().get_subcommands() {
        let name = command.get_name();
        let is_here = ROWS.iter().any(|it| it.words.split(' ').next() == Some(name));
        // Servers have the protocol for their answers; their exit codes are in `tests/lsp` and `tests/mcp`. `dialect`,
        // `config`, `book`, `completions` and `man` read no kernels, and `shard` is for workers; their exit codes are
        // in the tests of their names.
        let others =
            ["server", "mcp", "help", "dialect", "config", "book", "completions", "man", "shard"];
        assert!(is_here || others.contains(&name), "{name} has no row");
    }
}

#[test]
fn exit_codes_follow_one_policy() {
    let project = project();
    let code = |row: &Row, file: &str| {
        let done = project.run(&row.words.replace("FILE", file));
        (done.code, done.out() + &done.err())
    };
    let mut table = format!(
        "{:28}{:>7}{:>10}{:>8}{:>9}{:>10}{:>8}\n",
        "", "clean", "findings", "broken", "missing", "internal", "closed"
    );
    for row in ROWS {
        let of = |file| match file {
            "-" => file.to_owned(),
            _ => code(row, file).0.to_string(),
        };
        let internal = row.internal.map_or("-".to_owned(), |file| {
            let (code, said) = code(row, file);
            let what = format!("{} {file}: {said}", row.words);
            assert!(said.contains("internal error in"), "{what}");
            assert!(said.to_lowercase().contains("please report it"), "{what}");
            code.to_string()
        });
        let closed = closed_output(&project, &row.words.replace("FILE", row.clean));
        let kind = row.clean.rsplit_once('.').map_or("", |it| it.1);
        table.push_str(&format!(
            "{:28}{:>7}{:>10}{:>8}{:>9}{internal:>10}{closed:>8}\n",
            format!("{} {kind}", row.words.replace(" FILE", "").replace("FILE", "")).trim(),
            of(row.clean),
            of(row.findings),
            of(row.broken),
            of(row.missing),
        ));
    }
    expect![[r#"
                                      clean  findings  broken  missing  internal  closed
        check py                          0         0       1        2         1       0
        check mlir                        0         0       1        2         1       0
        fix --diff py                     0         0       0        2         1       0
        fix --diff mlir                   0         0       1        2         1       0
        format --check mlir               0         1       1        2         -       0
        format --diff mlir                0         0       0        2         -       0
        bisect -- true py                 0         1       0        2         1       0
        opt py                            0         0       1        2         1       0
        opt --passes cse mlir             0         0       1        2         1       0
        preview py                        0         0       1        2         1       0
        preview --passes cse mlir         0         0       1        2         1       0
        report py                         0         0       0        2         1       0
        explain:6:7 py                    0         0       2        2         2       0
        explain --facts:6 py              0         0       0        2         2       0
        explain:2:9 mlir                  0         0       0        2         2       0
        run py                            0         1       2        2         2       0
        run mlir                          0         0       2        2         2       0
        parse py                          0         0       0        2         -       0
        parse mlir                        0         0       0        2         -       0
        build --target c py               0         0       0        2         1       0
        simplify                          0         0       2        -         -       0
        cache verify --store              0         -       1        2         -       0
    "#]]
    .assert_eq(&table);
}

fn closed_output(project: &Project, command: &str) -> u8 {
    let words = std::iter::once("tir-analyzer").chain(command.split_whitespace());
    let arguments: Vec<OsString> = words.map(OsString::from).collect();
    let mut io = Io {
        stdin: &mut std::io::empty(),
        out: &mut Closed,
        err: &mut Vec::new(),
        folder: project.path().to_owned(),
        out_is_terminal: false,
        err_is_terminal: false,
    };
    cli::run(&arguments, &mut io)
}
