//! `tir-analyzer mcp`: the commands that only read, as tools of the Model Context Protocol, for coding agents.
//!
//! | file | is |
//! |---|---|
//! | `tools` | the tools: a row each, with its parameters |
//! | `words` | arguments of a call → the words of a command line |
//! | `inside` | paths of a call → paths inside of the root, or a refusal |
//! | `answer` | the words → the answer of the command, run in the process |
//! | `service` | the protocol: lists the tools, answers calls, ends those that take too long |
//!
//! A tool is a command: what an agent is told is what the command line prints. Nothing outside of the root is read by
//! the wish of an agent, nothing in it is written, and no code of a file is executed.

mod answer;
mod inside;
mod service;
mod tools;
mod words;

use std::path::Path;

use anyhow::Context as _;
use rmcp::ServiceExt as _;

use self::{inside::Root, service::Service};

/// The tools, for documentation: name, description, parameters with theirs.
pub(crate) fn tools()
-> impl Iterator<Item = (&'static str, &'static str, impl Iterator<Item = (&'static str, &'static str)>)>
{
    tools::TOOLS
        .iter()
        .map(|it| (it.name, it.description, it.parameters.iter().map(|it| (it.name, it.doc))))
}

/// Serves one client over standard input and output until it goes.
///
/// # Errors
///
/// A root that is no folder, a handshake that fails.
pub(crate) fn run(root: &Path) -> anyhow::Result<()> {
    let service = Service::new(Root::new(root)?);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build();
    let runtime = runtime.context("cannot start to serve")?;
    runtime.block_on(async {
        let running = service.serve(rmcp::transport::stdio()).await;
        running.context("the client did not begin as the protocol says")?.waiting().await?;
        anyhow::Ok(())
    })?;
    // What still runs for a client that is gone need not end.
    runtime.shutdown_background();
    Ok(())
}
