//! The arguments of `cache`.

use std::path::PathBuf;

use super::{CacheAddress, DEFAULT_LIMIT, Format, Size};

#[derive(clap::Args)]
pub(crate) struct CacheArgs {
    #[command(subcommand)]
    pub(crate) command: CacheCommand,
}

#[derive(clap::Subcommand)]
pub(crate) enum CacheCommand {
    /// Count the entries of the store.
    Stat(StoreArgs),
    /// Compare every entry with its checksum. Exit code 1 if one is broken; a build replaces it.
    Verify {
        #[command(flatten)]
        store: StoreArgs,
        /// Remove broken entries.
        #[arg(long)]
        remove: bool,
    },
    /// Remove the least recently used entries, until the rest is small enough.
    Gc {
        #[command(flatten)]
        store: StoreArgs,
        /// The limit of the store: bytes, or with K, M or G.
        #[arg(long, value_name = "SIZE", default_value = DEFAULT_LIMIT)]
        max_size: Size,
    },
    /// Write what another program keeps under a name to the standard output. Exit code 1 if there is nothing. It is
    /// searched in the store, then in the shared cache.
    Get(OtherArgs),
    /// Keep the standard input under a name, which says all that it depends on, for another program.
    Put(OtherArgs),
}

#[derive(clap::Args)]
pub(crate) struct OtherArgs {
    /// The name: PROGRAM/KEY/FILE.
    pub(crate) name: String,
    /// The folder of the store.
    #[arg(long, value_name = "DIR")]
    pub(crate) store: PathBuf,
    /// The shared cache beyond it, in place of `cache.remote` of `tir-analyzer.toml`; `none` for none.
    #[arg(long, value_name = "ADDRESS")]
    pub(crate) remote_cache: Option<CacheAddress>,
    /// Keep it there, too.
    #[arg(long)]
    pub(crate) remote_upload: bool,
}

#[derive(clap::Args)]
pub(crate) struct StoreArgs {
    /// The folder of the store, if it is not that of a build without options.
    #[arg(long, value_name = "DIR")]
    pub(crate) store: Option<PathBuf>,
    /// How to report.
    #[arg(long, value_enum, default_value = "text")]
    pub(crate) format: Format,
}

pub(crate) const CACHE_EXAMPLES: &str = "\
Examples:
  tir-analyzer cache stat                     entries and bytes of build/kernels.store
  tir-analyzer cache verify --store ~/.kernels
  tir-analyzer cache gc --max-size 500M       what was not used for longest goes

Exit codes: 0 all is well, 1 `verify` found broken entries or `get` nothing, 2 wrong usage or a store that cannot be read or written.";
