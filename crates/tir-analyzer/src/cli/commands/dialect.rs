//! `dialect`: files of dialects from their definitions, and what is known of dialects and operations.

mod bindings;
mod import;
mod irdl;
mod show;
mod tablegen;

use crate::cli::{
    Exit,
    args::{DialectArgs, DialectCommand},
    io::{Io, Styled},
};

/// Runs the command.
pub(crate) fn dialect(args: &DialectArgs, io: &mut Io<'_>, styled: Styled) -> anyhow::Result<Exit> {
    match &args.command {
        DialectCommand::Import(args) => import::import(args, io),
        DialectCommand::List { format } => show::list(*format, io),
        DialectCommand::Show { operation, format } => show::show(operation, *format, io, styled),
    }
}
