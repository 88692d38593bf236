//! A shard as a job for a worker: what its folder holds, and what comes back.
//!
//! In: the program, an order, texts. Out: a job. Files are named by number in the order of their hashes, with the end
//! of the name that tells their language: nothing of it depends on paths, hosts, users or times.

use std::{path::Path, time::Duration};

use codegen::execute::{Content, Job, JobFile};

/// The command that does a shard in the folder that it is run in.
const COMMAND: &str = "shard";
/// The order of the build.
pub(crate) const ORDER: &str = "order.json";
/// The folder with the texts.
pub(crate) const TEXTS: &str = "texts";
/// The entries that were made of them.
pub(crate) const ENTRIES: &str = "entries";
/// The program, if it is sent.
const PROGRAM: &str = "tir-analyzer";

/// The program on workers.
#[derive(Clone, Copy, Debug)]
pub(super) enum Program<'p> {
    Sent(&'p Content),
    /// In a place that workers know.
    There(&'p str),
}

/// A text that is sent: the name that it has here, and its bytes.
pub(super) type Text<'t> = (&'t str, Vec<u8>);

/// The job of a shard.
pub(super) fn job(
    program: Program<'_>,
    order: &Content,
    texts: Vec<Text<'_>>,
    platform: &[(String, String)],
    timeout: Duration,
) -> Job {
    let file = |path: String, content: Content| JobFile { path, content, is_executable: false };
    let mut files = vec![file(ORDER.to_owned(), order.clone())];
    for (at, (name, bytes)) in texts.into_iter().enumerate() {
        let end = Path::new(name).extension().unwrap_or_default().to_string_lossy();
        files.push(file(format!("{TEXTS}/{at}.{end}"), Content::of_bytes(bytes)));
    }
    let command = match program {
        Program::There(path) => path.to_owned(),
        Program::Sent(content) => {
            let path = PROGRAM.to_owned();
            files.push(JobFile { path, content: content.clone(), is_executable: true });
            format!("./{PROGRAM}")
        }
    };
    Job {
        arguments: vec![command, COMMAND.to_owned()],
        environment: vec![("LC_ALL".to_owned(), "C".to_owned())],
        files,
        outputs: vec![ENTRIES.to_owned()],
        platform: platform.to_vec(),
        timeout,
    }
}
