//! The book: its links, and its examples, which are run.
//!
//! In the chapters that people write (`book/src`), a fenced block says by the word behind its language what it is:
//!
//! | block | is |
//! |---|---|
//! | `python file=a.py` | a file; commands below on the page see it |
//! | `console` | commands behind `$`, and their output; `UPDATE_EXPECT=1` writes it |
//! | `toml check=settings` | settings that must hold |
//! | `toml check`, `json check`, `lisp check` | settings of an editor: well formed, and true of this program |
//! | `python run` | run by `tests/python/test_book.py`, where the package is |
//! | any other | is not looked at |

use std::{fs, path::PathBuf};

use serde_json::Value;

use super::Project;
use crate::config::ConfigPatch;

fn checkout() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..")
}

#[test]
fn the_book_is_whole_and_its_links_lead_somewhere() {
    let outcome = Project::new(&[]).run(&format!("book {}", checkout().display()));
    assert_eq!((outcome.code, outcome.err()), (0, String::new()));
}

#[test]
fn no_checkout_is_an_error() {
    let outcome = Project::new(&[]).run("book .");
    assert_eq!(outcome.code, 2);
    assert!(outcome.err().contains("is it a checkout?"), "{}", outcome.err());
}

#[test]
fn chapters_are_written_for_mdbook() {
    let project = Project::new(&[]);
    assert_eq!(project.run(&format!("book {} --out src", checkout().display())).code, 0);
    assert!(project.read("src/SUMMARY.md").contains("- [dead-store](rules/dead-store.md)"));
    let page = project.read("src/rules/dead-store.md");
    assert!(page.starts_with("# dead-store\n\n**hint**: a store that nothing can read."), "{page}");
    assert!(project.read("src/settings.md").contains("\n### hints.per-lines\n"));
    assert!(project.read("src/python.md").contains("\n### check\n"));
    assert!(project.path().join("src/pictures/neovim-hints.svg").is_file());
}

#[test]
fn examples_of_the_book_do_what_the_page_says() {
    let mut pages = Vec::new();
    list(&checkout().join("crates/tir-analyzer/book/src"), &mut pages);
    pages.sort();
    let mut wrong = Vec::new();
    for path in pages {
        let text = fs::read_to_string(&path).unwrap();
        let shown = path.file_name().unwrap().to_string_lossy().into_owned();
        let is = run_page(&text).unwrap_or_else(|why| panic!("{shown}: {why}"));
        if is != text && std::env::var_os("UPDATE_EXPECT").is_some() {
            fs::write(path, is).unwrap();
        } else if is != text {
            wrong.push(format!("{shown} should be (UPDATE_EXPECT=1 writes it)\n{is}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn list(folder: &std::path::Path, pages: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true => list(&path, pages),
            false => pages.extend(path.extension().is_some_and(|it| it == "md").then_some(path)),
        }
    }
}

/// The page with the output that its commands really have.
fn run_page(text: &str) -> Result<String, String> {
    let project = Project::new(&[]);
    let mut code = 0;
    let mut out = String::new();
    let mut rest = text;
    while let Some(start) = rest.find("```") {
        let (before, block) = rest.split_at(start + "```".len());
        let (info, block) = block.split_once('\n').ok_or("a fence without an end")?;
        let end = block.find("```").ok_or("a fence without an end")?;
        let (body, after) = block.split_at(end);
        out.push_str(&format!("{before}{info}\n"));
        match info.split_once(' ').unwrap_or((info, "")) {
            ("console", _) => out.push_str(&run_commands(&project, body, &mut code)?),
            (language, how) => {
                check_block(&project, language, how, body)?;
                out.push_str(body);
            }
        }
        out.push_str("```");
        rest = &after["```".len()..];
    }
    Ok(out + rest)
}

fn check_block(project: &Project, language: &str, how: &str, body: &str) -> Result<(), String> {
    if let Some(path) = how.strip_prefix("file=") {
        project.write(path, body.as_bytes());
        return Ok(());
    }
    let wrong = |why: &dyn std::fmt::Display| format!("{why}, in\n{body}");
    match (language, how) {
        ("toml", "check=settings") => {
            let project = Project::new(&[("tir-analyzer.toml", body)]);
            let outcome = project.run("config");
            (outcome.code == 0).then_some(()).ok_or_else(|| wrong(&outcome.err()))
        }
        ("toml", "check") => {
            let read = toml::from_str::<Value>(body).map_err(|error| wrong(&error))?;
            check_settings(&read).map_err(|why| wrong(&why))
        }
        ("json", "check") => {
            let read = serde_json::from_str::<Value>(body).map_err(|error| wrong(&error))?;
            check_settings(&read).map_err(|why| wrong(&why))
        }
        ("lisp", "check") => {
            let words = body.split('"').skip(1).step_by(2);
            let commands: Vec<&str> = words.filter(|it| *it != "tir-analyzer").collect();
            let is_server = !body.contains("(\"tir-analyzer\"") || commands.contains(&"server");
            match (is_balanced(body), is_server) {
                (false, _) => Err(wrong(&"the parentheses do not match")),
                (_, false) => Err(wrong(&"the command is not `server`")),
                _ => Ok(()),
            }
        }
        (_, how) if how.starts_with("check") => Err(wrong(&"a check that nothing does")),
        _ => Ok(()),
    }
}

/// Checks that settings of an editor are true of this program: how a server is started, and the settings that it gets.
fn check_settings(value: &Value) -> Result<(), String> {
    let is_name = |it: &Value| it.as_str() == Some("tir-analyzer");
    let is_server = |it: &[Value]| [["server"], ["mcp"]].iter().any(|words| it == words);
    match value {
        Value::Array(items) => {
            let is_command = items.first().is_some_and(is_name) && items.len() > 1;
            if is_command && !is_server(&items[1..]) {
                return Err(format!("{value} is not the command of a server"));
            }
            items.iter().try_for_each(check_settings)
        }
        Value::Object(fields) => {
            for (program, arguments) in [("command", "args"), ("path", "arguments")] {
                let is_started = fields.get(program).is_some_and(is_name);
                let arguments = fields.get(arguments).and_then(Value::as_array);
                if is_started && !arguments.is_some_and(|it| is_server(it)) {
                    return Err(format!("{value} does not start a server"));
                }
            }
            let is_ours = |name: &str| ["hints", "cse"].contains(&name);
            if fields.keys().any(|it| is_ours(it)) {
                let patch = ConfigPatch::from_json(value).map_err(|error| error.to_string())?;
                if !patch.unknown.is_empty() {
                    return Err(format!("{:?}", patch.unknown));
                }
            }
            fields.values().try_for_each(check_settings)
        }
        _ => Ok(()),
    }
}

#[test]
fn settings_of_editors_are_about_this_program() {
    let check = |text: &str| check_settings(&serde_json::from_str(text).unwrap()).is_ok();
    assert!(check(r#"{"a": {"command": "tir-analyzer", "args": ["server"]}}"#));
    assert!(!check(r#"{"a": {"command": "tir-analyzer", "args": ["serve"]}}"#));
    assert!(check(r#"["tir-analyzer", "server"]"#));
    assert!(!check(r#"["tir-analyzer", "lsp"]"#));
    assert!(check(r#"{"config": {"hints": {"per-function": 8}}}"#));
    assert!(!check(r#"{"config": {"hints": {"per-functions": 8}}}"#));
    assert!(!check(r#"{"config": {"hints": {"per-function": "many"}}}"#));
}

/// True if each parenthesis of a text of Lisp has its partner; strings are left out.
fn is_balanced(text: &str) -> bool {
    let mut depth = 0;
    for part in text.split('"').step_by(2).flat_map(str::chars) {
        depth += match part {
            '(' => 1,
            ')' => -1,
            _ => 0,
        };
        if depth < 0 {
            return false;
        }
    }
    depth == 0
}

/// A block of commands with their output. `cat FILE` and `echo $?` are there beside the program itself.
fn run_commands(project: &Project, block: &str, code: &mut u8) -> Result<String, String> {
    let mut out = String::new();
    for line in block.lines().filter(|it| it.starts_with("$ ")) {
        let words = words(&line["$ ".len()..]);
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        out.push_str(&format!("{line}\n"));
        match words.as_slice() {
            ["tir-analyzer", arguments @ ..] => {
                let outcome = project.run_words(arguments.iter().copied(), b"");
                *code = outcome.code;
                let folder = format!("{}/", project.path().display());
                let said = (outcome.out() + &outcome.err()).replace(&folder, "");
                out.extend(said.lines().map(|it| format!("{}\n", it.trim_end())));
            }
            ["cat", file] => {
                let text = fs::read_to_string(project.path().join(file));
                let text = text.map_err(|error| format!("`{line}`: {error}"))?;
                out.push_str(text.trim_end());
                out.push('\n');
            }
            ["echo", "$?"] => out.push_str(&format!("{code}\n")),
            _ => return Err(format!("`{line}` is not a command of examples")),
        }
    }
    Ok(out)
}

/// The words of a command; quotes keep blanks.
fn words(line: &str) -> Vec<String> {
    let mut all = vec![String::new()];
    let mut quote = None;
    for c in line.chars() {
        match (c, quote) {
            ('\'' | '"', None) => quote = Some(c),
            (c, Some(q)) if c == q => quote = None,
            (' ', None) => all.push(String::new()),
            (c, _) => all.last_mut().unwrap().push(c),
        }
    }
    all.retain(|it| !it.is_empty());
    all
}
