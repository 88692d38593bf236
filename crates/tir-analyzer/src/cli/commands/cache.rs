//! `cache`: the store of `build`, counted, checked and shrunk.
//!
//! In: the folder of a store. Out: words or JSON. The work is `codegen::store`'s. The store of builds without options
//! is empty where nothing was built yet; one that is named must be there.

use std::{
    path::Path,
    time::{Duration, SystemTime},
};

use anyhow::Context as _;
use build_kernels::{STORE_LIMIT, store_of};
use codegen::{
    build::Others,
    store::{
        Store,
        maintain::{Part, Shrunk, Usage, Verified},
        statistics::{LayerWork, Statistics},
    },
};
use serde_json::json;

use crate::cli::{
    Exit,
    args::{CacheArgs, CacheCommand, Format, OUT, OtherArgs, StoreArgs},
    input::settings::Settings,
    io::{self, Io, Styled, Tone},
};

use super::build::SharedCache;

/// Version of the JSON: raised when a field changes its meaning or goes.
const VERSION: u32 = 1;

/// Runs the command.
pub(crate) fn cache(args: &CacheArgs, io: &mut Io<'_>, styled: Styled) -> anyhow::Result<Exit> {
    match &args.command {
        CacheCommand::Stat(args) => {
            let store = args.open(io)?;
            let usage = store.usage().with_context(|| cannot_read(&store))?;
            let work = store.statistics();
            let text = || stat_text(&usage) + &work_text(&work);
            writeln!(io.out, "{}", args.show(stat_json(&store, &usage, &work), text))?;
            Ok(Exit::Success)
        }
        CacheCommand::Verify { store: args, remove } => {
            let store = args.open(io)?;
            let verified = store.verify().with_context(|| cannot_read(&store))?;
            if *remove {
                for path in &verified.corrupt {
                    std::fs::remove_file(path)
                        .with_context(|| format!("cannot remove {}", path.display()))?;
                }
            }
            if args.format == Format::Text {
                let done = if *remove { ", removed" } else { "" };
                for path in &verified.corrupt {
                    let text = format!("broken entry {}{done}", path.display());
                    io::message(io.err, styled.err, Tone::Error, &text)?;
                }
            }
            let text = || {
                let Verified { whole, corrupt } = &verified;
                format!("{}: whole; {} broken", count(*whole), corrupt.len())
            };
            writeln!(io.out, "{}", args.show(verify_json(&store, &verified), text))?;
            let is_whole = verified.corrupt.is_empty();
            Ok(if is_whole { Exit::Success } else { Exit::Findings })
        }
        CacheCommand::Gc { store: args, max_size } => {
            let store = args.open(io)?;
            let shrunk = store
                .shrink(max_size.0)
                .with_context(|| format!("cannot clean up {}", store.root().display()))?;
            let Shrunk { removed, kept } = shrunk;
            let json = json!({
                "version": VERSION, "store": shown(store.root()),
                "removed": part_json(removed), "kept": part_json(kept),
            });
            let text = || format!("removed {}, kept {}", count(removed), count(kept));
            writeln!(io.out, "{}", args.show(json, text))?;
            Ok(Exit::Success)
        }
        CacheCommand::Get(args) => {
            let others = args.open(io, styled)?;
            let found = others.get(&args.name).with_context(|| args.cannot_use())?;
            args.finish(others, io, styled)?;
            let Some(bytes) = found else { return Ok(Exit::Findings) };
            io.out.write_all(&bytes)?;
            Ok(Exit::Success)
        }
        CacheCommand::Put(args) => {
            let others = args.open(io, styled)?;
            let bytes = io.read_stdin()?;
            others.put(&args.name, &bytes).with_context(|| args.cannot_use())?;
            args.finish(others, io, styled)?;
            Ok(Exit::Success)
        }
    }
}

impl OtherArgs {
    fn open(&self, io: &mut Io<'_>, styled: Styled) -> anyhow::Result<Others> {
        let config = Settings::default().of_folder(&io.folder)?;
        let settings = super::build::cache(self.remote_cache.as_ref(), self.remote_upload, &config);
        let layer = SharedCache::default().of(settings).or_else(|why| {
            let text = format!("the shared cache is not used: {why}");
            io::message(io.err, styled.err, Tone::Warning, &text)?;
            Ok::<_, std::io::Error>(None)
        })?;
        Ok(Others::new(Store::new(io.resolve(&self.store)), layer))
    }

    fn finish(&self, others: Others, io: &mut Io<'_>, styled: Styled) -> anyhow::Result<()> {
        let report = others.finish(STORE_LIMIT).with_context(|| self.cannot_use())?;
        for note in report.iter().flat_map(|it| &it.notes) {
            let text = format!("the shared cache is not used for all: {note}");
            io::message(io.err, styled.err, Tone::Warning, &text)?;
        }
        Ok(())
    }

    fn cannot_use(&self) -> String {
        format!("cannot use the store {}", self.store.display())
    }
}

impl StoreArgs {
    /// The store. That of builds without options is empty before the first one; one that is named has to be there.
    fn open(&self, io: &Io<'_>) -> anyhow::Result<Store> {
        let Some(named) = &self.store else {
            return Ok(Store::new(store_of(&io.resolve(Path::new(OUT)))));
        };
        let store = Store::new(io.resolve(named));
        if store.exists() {
            return Ok(store);
        }
        let beside = store_of(&io.resolve(named));
        let help = match Store::new(&beside).exists() {
            true => format!("did you mean {}?", beside.display()),
            false => "name the folder that `build --store` was given, or the one beside its `--out`, `build/kernels.store` for \
                      `build/kernels`".to_owned(),
        };
        anyhow::bail!("there is no store in {}; {help}", named.display())
    }

    fn show(&self, json: serde_json::Value, text: impl Fn() -> String) -> String {
        match self.format {
            Format::Text => text(),
            Format::Json => json.to_string(),
        }
    }
}

fn stat_text(usage: &Usage) -> String {
    let Usage { kernels, texts, binaries, others, temporary, oldest } = usage;
    let mut text =
        format!("code of functions   {}\ntexts               {}", count(*kernels), count(*texts));
    if binaries.entries > 0 {
        text.push_str(&format!("\nbinaries            {}", count(*binaries)));
    }
    if others.entries > 0 {
        text.push_str(&format!("\nof other programs   {}", count(*others)));
    }
    if temporary.entries > 0 {
        text.push_str(&format!("\nbeing written       {}", count(*temporary)));
    }
    if let Some(age) = oldest.and_then(|it| SystemTime::now().duration_since(it).ok()) {
        text.push_str(&format!("\nlongest without use {}", duration(age)));
    }
    text
}

/// Describes what builds found, by layer.
fn work_text(work: &Statistics) -> String {
    let mut text = String::new();
    for (name, it) in [("found here", &work.store), ("in the shared cache", &work.layer)] {
        if it.hits + it.misses + it.kept + it.failures == 0 {
            continue;
        }
        let saved = work.saved(it).as_secs_f64();
        let found = count(Part { entries: it.hits, bytes: it.bytes_in });
        text.push_str(&format!("\n{name:<19} {found}; about {saved:.1} s saved"));
        if it.misses > 0 {
            text.push_str(&format!("; {} not found", it.misses));
        }
        if it.kept > 0 {
            let added = count(Part { entries: it.kept, bytes: it.bytes_out });
            text.push_str(&format!("; {added} added"));
        }
        if it.failures > 0 {
            text.push_str(&format!("; {} builds with failures", it.failures));
        }
    }
    text
}

fn work_json(work: &Statistics, it: &LayerWork) -> serde_json::Value {
    json!({
        "hits": it.hits, "misses": it.misses, "bytesIn": it.bytes_in, "added": it.kept,
        "bytesOut": it.bytes_out, "failures": it.failures,
        "savedSeconds": work.saved(it).as_secs_f64(),
    })
}

fn stat_json(store: &Store, usage: &Usage, work: &Statistics) -> serde_json::Value {
    json!({
        "version": VERSION, "store": shown(store.root()), "kernels": part_json(usage.kernels),
        "texts": part_json(usage.texts), "binaries": part_json(usage.binaries), "others": part_json(usage.others), "temporary": part_json(usage.temporary),
        "found": { "store": work_json(work, &work.store), "sharedCache": work_json(work, &work.layer) },
    })
}

fn verify_json(store: &Store, verified: &Verified) -> serde_json::Value {
    let corrupt: Vec<String> = verified.corrupt.iter().map(|it| shown(it)).collect();
    json!({
        "version": VERSION, "store": shown(store.root()), "whole": part_json(verified.whole),
        "corrupt": corrupt,
    })
}

fn part_json(part: Part) -> serde_json::Value {
    json!({ "entries": part.entries, "bytes": part.bytes })
}

fn shown(path: &Path) -> String {
    path.display().to_string()
}

fn cannot_read(store: &Store) -> String {
    format!("cannot read the store {}", store.root().display())
}

fn count(part: Part) -> String {
    let entries = if part.entries == 1 { "entry" } else { "entries" };
    format!("{} {entries}, {}", part.entries, bytes(part.bytes))
}

/// Bytes with three digits at most.
fn bytes(bytes: u64) -> String {
    let mut value = bytes as f64;
    for unit in ["B", "KB", "MB"] {
        if value < 1000.0 {
            let digits = usize::from(unit != "B" && value < 10.0);
            return format!("{value:.digits$} {unit}");
        }
        value /= 1024.0;
    }
    format!("{value:.1} GB")
}

fn duration(age: Duration) -> String {
    let minutes = age.as_secs() / 60;
    match (minutes / (24 * 60), minutes / 60) {
        (0, 0) => format!("{minutes} min"),
        (0, hours) => format!("{hours} h"),
        (days, _) => format!("{days} days"),
    }
}
