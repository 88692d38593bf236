//! A shard, on a worker.
//!
//! In: a folder that [`crate::shards`] describes: an order and texts. Out: the entries that a build of these texts
//! makes, in one file. The build is the usual one, into a folder beside the texts, which nobody looks at.

use std::{
    fs, io,
    path::Path,
    sync::{Arc, Mutex, PoisonError},
    thread,
    time::Duration,
};

use codegen::{
    action::Action,
    build::{Order, Settings},
    store::{
        Kind,
        layer::{Fetched, Layer, LayerReport},
        pack::{Pack, Packed},
    },
};
use frontend::tvmscript::Request;

use crate::{
    run::{Input, InputSource, RunOptions, run, with_reader},
    shards::{ENTRIES, ORDER, TEXTS},
};

/// The folder of the build.
const MADE: &str = "made";

/// Does the shard in a folder.
///
/// # Errors
/// If the folder is no shard for this program, or cannot be written to. What cannot be read or lowered is no error: it
/// is not among the entries then.
pub fn do_shard(folder: &Path) -> io::Result<()> {
    let order = Order::read(&files::read(&folder.join(ORDER), files::ARTIFACT)?);
    let order = order.map_err(io::Error::other)?;
    let request = |it: &String| Request::parse(it).map_err(|it| io::Error::other(it.message));
    let options = RunOptions {
        jobs: thread::available_parallelism().map_or(1, usize::from),
        prune: false,
        instances: order.instances.iter().map(request).collect::<io::Result<_>>()?,
        workspaces: Vec::new(),
        shards: None,
    };
    let mut inputs = Vec::new();
    for entry in fs::read_dir(folder.join(TEXTS))? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        inputs.push(Input { name, source: InputSource::Path(entry.path()), is_only_name: true });
    }
    inputs.sort();
    let made = Arc::new(Recorder::default());
    let base = Settings::new(folder.join(MADE).join("out"));
    for settings in order.settings(&base).map_err(io::Error::other)? {
        let settings = Settings { layer: Some(made.clone()), ..settings };
        if !order.is_for(&with_reader(&settings, &options).reader) {
            return Err(io::Error::other("the program here is another version than the one there"));
        }
        run(&inputs, &settings, &options, &|_| {})?;
    }
    let pack = made.0.lock().unwrap_or_else(PoisonError::into_inner);
    fs::write(folder.join(ENTRIES), pack.write())
}

/// A layer that has nothing and remembers what it is offered.
#[derive(Default, Debug)]
struct Recorder(Mutex<Pack>);

impl Layer for Recorder {
    fn fetch(&self, wanted: &[(Kind, &Action)]) -> Vec<Option<Fetched>> {
        wanted.iter().map(|_| None).collect()
    }

    fn offer(&self, kind: Kind, action: &Action, file: Vec<u8>, cost: Duration) {
        let mut pack = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        pack.add(kind, action.key(), Packed { file, cost });
    }

    fn refuse(&self, _: Kind, _: &Action) {}

    fn finish(&self) -> LayerReport {
        LayerReport::default()
    }
}

#[cfg(test)]
mod tests;
