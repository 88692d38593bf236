//! Help, versions, wrong usage.

use clap::CommandFactory as _;

use super::Project;
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
