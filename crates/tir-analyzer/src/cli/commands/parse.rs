//! `parse`: the syntax tree of a file, or its text made again from the tree.

use syntax::Language;

use crate::cli::{
    Exit,
    args::ParseArgs,
    input::jobs,
    io::{Io, Styled},
};

/// Runs the command.
pub(crate) fn parse(args: &ParseArgs, io: &mut Io<'_>, styled: Styled) -> anyhow::Result<Exit> {
    let job = jobs::one(&args.input, io, styled)?;
    let bytes = job.run(|source| {
        let language = Language::of_file(&job.file.path, &source.text);
        let parse = syntax::parse_as(language, &source.text);
        Ok(match args.text {
            true => source.restore(&parse.text()),
            false => syntax::dump(&parse.syntax()).into_bytes(),
        })
    })?;
    io.out.write_all(&bytes)?;
    Ok(Exit::Success)
}
