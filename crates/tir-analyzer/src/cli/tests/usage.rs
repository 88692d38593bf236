//! Help, versions, wrong usage.

use clap::CommandFactory as _;

use super::{Project, SHARED};
use crate::cli::args::Arguments;

#[test]
fn every_command_has_help_with_examples() {
    let project = Project::new(&[]);
    for command in ["", "build", "check", "fix", "opt", "explain", "parse", "server"] {
        let outcome = project.run(&format!("{command} --help"));
        assert_eq!(outcome.code, 0, "{command}");
        assert!(outcome.out().contains("Example"), "{command}");
        assert!(outcome.err.is_empty(), "{command}");
    }
    assert!(project.run("--version").out().starts_with("tir-analyzer "));
}

#[test]
fn every_shell_gets_a_script_that_names_every_command() {
    let project = Project::new(&[]);
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let script = project.run(&format!("completions {shell}")).out();
        for command in Arguments::command().get_subcommands() {
            assert!(script.contains(command.get_name()), "{shell}: {}", command.get_name());
        }
    }
    assert_eq!(project.run("completions tcsh").code, 2);
}

#[test]
fn the_script_of_bash_has_a_part_for_each_command_that_it_finds() {
    let script = Project::new(&[]).run("completions bash").out();
    let found: Vec<&str> = script
        .lines()
        .filter_map(|it| it.trim().strip_prefix("cmd=\"")?.strip_suffix('"'))
        .collect();
    assert!(found.len() > 20, "{found:?}");
    for it in found.into_iter().filter(|it| !it.is_empty()) {
        assert!(script.contains(&format!("        {it})\n")), "{it}");
    }
}

#[test]
fn shells_offer_the_names_of_rules() {
    let project = Project::new(&[]);
    let script = |shell: &str| project.run(&format!("completions {shell}")).out();
    let offers = |shell: &str, option: &str, name: &str| {
        let end = match shell {
            "bash" => ";;",
            "zsh" => " \\\n'",
            _ => "\ncomplete ",
        };
        let script = script(shell);
        let after = script.split(option).skip(1);
        after.filter_map(|it| it.split(end).next()).any(|it| it.contains(name))
    };
    // What `fix` does not change is none of its values.
    for (shell, option) in [("bash", "--select)"), ("zsh", "--select="), ("fish", "-l select")] {
        assert!(offers(shell, option, "dead-store"), "{shell}");
        assert!(!offers(shell, option, "missing-barrier"), "{shell}");
    }
    assert!(offers("bash", "--passes)", "simplify") && offers("zsh", "--passes=", "simplify"));
    for (shell, beside_files) in
        [("bash", "compgen -f"), ("zsh", "_alternative"), ("fish", "-a \"")]
    {
        let script = script(shell);
        let is_there = |it: &str| it.contains(beside_files) && it.contains("missing-barrier");
        assert!(script.lines().any(is_there), "{shell}");
    }
}

#[test]
fn every_command_has_a_page_with_its_examples_line_by_line() {
    let project = Project::new(&[]);
    assert_eq!(project.run("man pages").code, 0);
    for command in Arguments::command().get_subcommands().filter(|it| !it.is_hide_set()) {
        let page = project.read(&format!("pages/tir-analyzer-{}.1", command.get_name()));
        assert!(page.contains(".SH OPTIONS"), "{}", command.get_name());
        assert!(page.contains(".SH EXAMPLES\n.nf\n"), "{}", command.get_name());
    }
    assert!(project.read("pages/tir-analyzer-dialect-import.1").contains(".SH SYNOPSIS"));
    let page = project.read("pages/tir-analyzer.1");
    assert!(page.contains("\ntir\\-analyzer\\-check(1)\n"), "{page}");
}

#[test]
fn wrong_usage_ends_with_exit_code_2() {
    let project = Project::new(&[]);
    for command in
        ["", "nothing", "check --format xml", "check --stdin a.py", "parse", "explain", "opt"]
    {
        let outcome = project.run(command);
        assert_eq!(outcome.code, 2, "{command}");
        assert!(!outcome.err.is_empty() && outcome.out.is_empty(), "{command}");
    }
}

#[cfg(unix)]
#[test]
fn a_name_of_two_lines_is_told_on_one() {
    const NAME: &str = "a\nb.py";
    let place = |it: &str| format!("{NAME}:{it}");
    let commands: &[&[&str]] = &[
        &["check", NAME],
        &["explain", &place("7:11")],
        &["explain", &place("7")],
        &["explain", &place("1:1")],
        &["explain", "--facts", &place("7")],
        &["fix", "--diff", NAME],
        &["report", NAME],
        &["build", "--target", "c", NAME],
    ];
    for words in commands {
        let project = Project::new(&[(NAME, SHARED)]);
        let outcome = project.run_words(words.iter().copied(), b"");
        let all = outcome.out() + &outcome.err();
        let starts: Vec<&str> = all.lines().filter(|it| it.starts_with("b.py")).collect();
        assert!(starts.is_empty(), "{words:?}: {all}");
        assert!(all.contains("a\\nb.py") || words[0] == "build", "{words:?}: {all}");
    }
}
