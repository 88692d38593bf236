//! `completions` and `man`: the command line as scripts for shells and as pages of a manual, made of the same arguments
//! that are read.

use anyhow::Context as _;
use clap::CommandFactory as _;
use clap_mangen::Man;

use crate::cli::{
    Exit,
    args::{Arguments, CompletionsArgs, ManArgs},
    io::Io,
    output::write,
};

/// Runs `completions`: prints the script of one shell.
pub(crate) fn completions(args: &CompletionsArgs, io: &mut Io<'_>) -> anyhow::Result<Exit> {
    // The library panics where it cannot write; a list of bytes can always be written to.
    let mut script = Vec::new();
    let mut command = Arguments::command();
    clap_complete::generate(args.shell, &mut command, "tir-analyzer", &mut script);
    io.out.write_all(&script)?;
    Ok(Exit::Success)
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
