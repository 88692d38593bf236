//! `cache`: the store of `build`, counted, checked and shrunk.
//!
//! In: the folder of a store. Out: words or JSON. The work is `codegen::store`'s. The store of builds without options is empty where nothing
//! was built yet; one that is named must be there.

use std::{
    path::{Path, PathBuf},
    time::{Duration, SystemTime},
};

use anyhow::Context as _;
use build_kernels::store_of;
use codegen::store::{
    Store,
    maintain::{Part, Shrunk, Usage, Verified},
};
use serde_json::json;

use crate::cli::{
    Exit,
    build::OUT,
    io::{self, Io, Styled, Tone},
};

/// Version of the JSON: raised when a field changes its meaning or goes.
const VERSION: u32 = 1;

#[derive(clap::Args)]
pub(crate) struct CacheArgs {
    #[command(subcommand)]
    command: CacheCommand,
}

#[derive(clap::Subcommand)]
enum CacheCommand {
    /// Count what is in the store.
    Stat(StoreArgs),
    /// Compare every entry with its checksum. Exit code 1 if one is broken; a build replaces it.
    Verify {
        #[command(flatten)]
        store: StoreArgs,
        /// Remove what is broken.
        #[arg(long)]
        remove: bool,
    },
    /// Remove what was not used for longest, until the rest is small enough.
    Gc {
        #[command(flatten)]
        store: StoreArgs,
        /// How large the store may be: bytes, or with K, M or G.
        #[arg(long, value_name = "SIZE", default_value = DEFAULT_LIMIT)]
        max_size: Size,
    },
}

#[derive(clap::Args)]
struct StoreArgs {
    /// The folder of the store, if it is not that of a build without options.
    #[arg(long, value_name = "DIR")]
    store: Option<PathBuf>,
    /// How to report.
    #[arg(long, value_enum, default_value = "text")]
    format: Format,
}

/// How a command reports.
#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
pub(crate) enum Format {
    /// For people
    Text,
    /// For programs; the schema has a version
    Json,
}

/// How large a store may be unless somebody says otherwise.
pub(crate) const DEFAULT_LIMIT: &str = "2G";

pub(crate) const CACHE_EXAMPLES: &str = "\
Examples:
  tir-analyzer cache stat                     entries and bytes of build/kernels.store
  tir-analyzer cache verify --store ~/.kernels
  tir-analyzer cache gc --max-size 500M       what was not used for longest goes

Exit codes: 0 all is well, 1 `verify` found broken entries, 2 wrong usage or a store that cannot be read or written.";

/// A number of bytes as people write it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Size(pub(crate) u64);

impl std::str::FromStr for Size {
    type Err = String;

    fn from_str(text: &str) -> Result<Size, String> {
        let digits = text.trim_end_matches(|it: char| it.is_ascii_alphabetic());
        let factor = match text[digits.len()..].to_ascii_uppercase().as_str() {
            "" | "B" => 1,
            "K" | "KB" => 1 << 10,
            "M" | "MB" => 1 << 20,
            "G" | "GB" => 1 << 30,
            _ => return Err("write a number of bytes, or one with K, M or G: 500M".to_owned()),
        };
        let number: u64 =
            digits.parse().map_err(|_| "write a whole number, as in 500M".to_owned())?;
        number.checked_mul(factor).map(Size).ok_or_else(|| "that is too large".to_owned())
    }
}

pub(crate) fn cache(args: &CacheArgs, io: &mut Io<'_>, styled: Styled) -> anyhow::Result<Exit> {
    match &args.command {
        CacheCommand::Stat(args) => {
            let store = args.open(io)?;
            let usage = store.usage().with_context(|| cannot_read(&store))?;
            writeln!(io.out, "{}", args.show(stat_json(&store, &usage), || stat_text(&usage)))?;
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
    let Usage { kernels, texts, binaries, temporary, oldest } = usage;
    let mut text =
        format!("code of functions   {}\ntexts               {}", count(*kernels), count(*texts));
    if binaries.entries > 0 {
        text.push_str(&format!("\nbinaries            {}", count(*binaries)));
    }
    if temporary.entries > 0 {
        text.push_str(&format!("\nbeing written       {}", count(*temporary)));
    }
    if let Some(age) = oldest.and_then(|it| SystemTime::now().duration_since(it).ok()) {
        text.push_str(&format!("\nlongest without use {}", duration(age)));
    }
    text
}

fn stat_json(store: &Store, usage: &Usage) -> serde_json::Value {
    json!({
        "version": VERSION, "store": shown(store.root()), "kernels": part_json(usage.kernels),
        "texts": part_json(usage.texts), "binaries": part_json(usage.binaries), "temporary": part_json(usage.temporary),
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
