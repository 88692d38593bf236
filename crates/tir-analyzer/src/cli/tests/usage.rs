//! Help, versions, wrong usage.

use super::Project;

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
