//! `completions` and `man`: the command line as scripts for shells and as pages of a manual, made of the same arguments
//! that are read.

use ::rules::Topic;
use anyhow::Context as _;
use clap::{
    CommandFactory as _,
    builder::{PossibleValue, PossibleValuesParser},
};
use clap_complete::Shell;
use clap_mangen::Man;
use transform::passes::Pass;

use crate::cli::{
    Exit,
    args::{Arguments, CompletionsArgs, ManArgs},
    io::Io,
    output::write,
    rules,
};

/// Runs `completions`: prints the script of one shell.
pub(crate) fn completions(args: &CompletionsArgs, io: &mut Io<'_>) -> anyhow::Result<Exit> {
    // The library panics where it cannot write; a list of bytes can always be written to.
    let mut script = Vec::new();
    let mut command = with_names(Arguments::command());
    clap_complete::generate(args.shell, &mut command, "tir-analyzer", &mut script);
    let script = with_rules(args.shell, String::from_utf8(script)?);
    io.out.write_all(script.as_bytes())?;
    Ok(Exit::Success)
}

/// The arguments, with the names of rules and passes as values that a shell offers. Where arguments are read, a name
/// that is unknown is told with those that are like it.
fn with_names(command: clap::Command) -> clap::Command {
    let rules = rules::all().iter().filter(|it| it.is_fixable());
    let rules: Vec<_> = rules.map(|it| PossibleValue::new(it.name).help(it.summary)).collect();
    let passes = ["none"].into_iter().chain(Pass::all().map(Pass::name));
    let passes: Vec<_> = passes.map(PossibleValue::new).collect();
    let offer = |command: clap::Command, name: &'static str, values: &[PossibleValue]| {
        let parser = PossibleValuesParser::new(values.to_vec());
        command.mut_arg(name, |it| it.value_parser(parser))
    };
    command
        .mut_subcommand("fix", |it| offer(it, "select", &rules))
        .mut_subcommand("opt", |it| offer(it, "passes", &passes))
        .mut_subcommand("preview", |it| offer(it, "passes", &passes))
        .mut_subcommand("build", |it| offer(it, "passes", &passes))
}

/// The script with the names of rules beside files, after `explain`: clap knows places as one or the other.
fn with_rules(shell: Shell, script: String) -> String {
    // The steps of the simplifier are asked about by those who saw one told.
    let all = rules::all().iter().filter(|it| it.topic != Topic::Simplification);
    let names: Vec<&str> = all.map(|it| it.name).collect();
    let names = names.join(" ");
    match shell {
        Shell::Bash => {
            // clap_complete takes the sign in the name of the program for the end of a word here, and not where it sets
            // the command: no command would have options.
            let script = script.replace("tir__subcmd__analyzer", "tir__analyzer");
            let Some(at) = script.find("__subcmd__explain)\n") else { return script };
            let (before, explain) = script.split_at(at);
            let offered = "compgen -W \"${opts}\" -- \"${cur}\"";
            let both = format!(
                "compgen -W \"${{opts}} {names}\" -- \"${{cur}}\"; compgen -f -- \"${{cur}}\""
            );
            format!("{before}{}", explain.replacen(offered, &both, 1))
        }
        Shell::Zsh => {
            let Some(at) = script.find("'::what -- ") else { return script };
            let (before, what) = script.split_at(at);
            let both =
                format!(":{{_alternative \"rules:rule:({names})\" \"files:file:_files\"}}' \\\n");
            format!("{before}{}", what.replacen(":_default' \\\n", &both, 1))
        }
        Shell::Fish => {
            let when = "__fish_tir_analyzer_using_subcommand explain";
            format!("{script}complete -c tir-analyzer -n \"{when}\" -a \"{names}\"\n")
        }
        _ => script,
    }
}

/// Runs `man`: writes a page for the program and one for each command.
pub(crate) fn man(args: &ManArgs, io: &mut Io<'_>) -> anyhow::Result<Exit> {
    let folder = io.resolve(&args.folder);
    std::fs::create_dir_all(&folder)
        .with_context(|| format!("cannot make {}", args.folder.display()))?;
    for (name, page) in pages()? {
        let shown = args.folder.join(&name).display().to_string();
        write::create(&folder.join(&name), &shown, &page, io)?;
    }
    Ok(Exit::Success)
}

/// The pages with the names of their files, in the order of the commands.
fn pages() -> anyhow::Result<Vec<(String, Vec<u8>)>> {
    let mut program = Arguments::command();
    // Global arguments and full names come to the commands only so.
    program.build();
    let mut pages = vec![("tir-analyzer.1".to_owned(), page(&program)?)];
    let mut pending: Vec<(String, clap::Command)> = vec![("tir-analyzer".to_owned(), program)];
    while let Some((above, command)) = pending.pop() {
        let mut below = Vec::new();
        for it in command.get_subcommands().filter(|it| it.get_name() != "help") {
            let name = format!("{above}-{}", it.get_name());
            if !it.is_hide_set() {
                pages.push((format!("{name}.1"), page(it)?));
                below.push((name, it.clone()));
            }
        }
        pending.extend(below.into_iter().rev());
    }
    Ok(pages)
}

/// One page: the usual sections, and then the examples line by line as `--help` has them.
fn page(command: &clap::Command) -> anyhow::Result<Vec<u8>> {
    let man = Man::new(command.clone().version(crate::version::NUMBER)).manual("tir-analyzer");
    let mut text = Vec::new();
    man.render_title(&mut text)?;
    man.render_name_section(&mut text)?;
    man.render_synopsis_section(&mut text)?;
    man.render_description_section(&mut text)?;
    man.render_options_section(&mut text)?;
    if command.get_subcommands().any(|it| it.get_name() != "help") {
        text.extend_from_slice(b".SH COMMANDS\n");
        for it in command.get_subcommands() {
            if it.get_name() != "help" && !it.is_hide_set() {
                let about = it.get_about().map(ToString::to_string).unwrap_or_default();
                let name = it.get_display_name().unwrap_or(it.get_name());
                let (name, about) = (roff(&format!("{name}(1)")), roff(&about));
                text.extend_from_slice(format!(".TP\n{name}\n{about}\n").as_bytes());
            }
        }
    }
    if let Some(examples) = command.get_after_help() {
        text.extend_from_slice(b".SH EXAMPLES\n.nf\n");
        let examples = examples.to_string();
        let lines = examples.lines().skip_while(|it| *it == "Examples:");
        lines.for_each(|it| text.extend_from_slice(format!("{}\n", roff(it)).as_bytes()));
        text.extend_from_slice(b".fi\n");
    }
    Ok(text)
}

/// A line of a page that says just this: no character of it is a request.
fn roff(line: &str) -> String {
    let line = line.replace('\\', "\\(rs").replace('-', "\\-");
    if line.starts_with(['.', '\'']) { format!("\\&{line}") } else { line }
}
