//! The table of settings: a row each.
//!
//! Whoever reads, prints, lists or describes settings takes them from here: patches, `tir-analyzer config`, the schema,
//! the test that keeps the extension for VS Code in step. Tables with names of the user (`targets`, `instance`,
//! `effects`, `facts.NAME`) are read beside it.

use std::{borrow::Cow, path::PathBuf, sync::LazyLock};

use ide::{FindingLevels, Severity};
use rules::Rule;
use serde_json::{Value, json};

use super::{
    Config,
    kinds::{Downstream, Equivalence, Preset},
    value::{SettingValue, one_of},
};

/// A setting.
pub struct Setting {
    /// Its section and name: `hints.limit`.
    pub key: Cow<'static, str>,
    /// Its meaning, in a sentence or more.
    pub doc: &'static str,
    kind: Kind,
}

enum Kind {
    Field {
        read: fn(&mut Config, &Value) -> Result<(), String>,
        write: fn(&Config) -> Value,
        schema: fn() -> Value,
    },
    /// The level of the rule of this name.
    Level(&'static str),
}

impl Setting {
    /// Changes a configuration.
    ///
    /// # Errors
    /// The values that are possible, where the value is not possible.
    pub(super) fn set(&self, config: &mut Config, value: &Value) -> Result<(), String> {
        match self.kind {
            Kind::Field { read, .. } => read(config, value),
            Kind::Level(rule) => {
                let word = value.as_str().map(|it| if it == OLD_INFO { "info" } else { it });
                let level = LEVELS.iter().find(|it| word == Some(it.0));
                let expected = || one_of(LEVELS.iter().map(|it| it.0));
                config.levels.set_named(rule, level.ok_or_else(expected)?.1);
                Ok(())
            }
        }
    }

    /// Its value.
    pub fn value(&self, config: &Config) -> Value {
        match self.kind {
            Kind::Field { write, .. } => write(config),
            Kind::Level(rule) => {
                let level = config.levels.named(rule).flatten();
                json!(LEVELS.iter().find(|it| it.1 == level).map(|it| it.0))
            }
        }
    }

    /// The JSON schema of its values.
    pub fn schema(&self) -> Value {
        match self.kind {
            Kind::Field { schema, .. } => schema(),
            Kind::Level(_) => json!({ "enum": LEVELS.map(|it| it.0) }),
        }
    }
}

/// How protocols of editors call the level "info"; it is read, and never written.
const OLD_INFO: &str = "information";

/// The names of levels, as the command line has them.
const LEVELS: [(&str, Option<Severity>); 5] = [
    ("off", None),
    ("hint", Some(Severity::Hint)),
    ("info", Some(Severity::Information)),
    ("warning", Some(Severity::Warning)),
    ("error", Some(Severity::Error)),
];

/// Makes the rows: the documentation, the key, the type, and the field of [`Config`].
macro_rules! rows {
    ($($(#[doc = $doc:literal])+ $key:literal: $type:ty = $($field:ident).+;)*) => {
        fn fields() -> Vec<Setting> {
            vec![$(Setting {
            key: Cow::Borrowed($key),
            doc: concat!($($doc, "\n",)+),
            kind: Kind::Field {
                read: |config, value| {
                    config.$($field).+ = <$type as SettingValue>::read(value)?;
                    Ok(())
                },
                write: |config| <$type as SettingValue>::write(&config.$($field).+),
                schema: <$type as SettingValue>::schema,
            },
        },)*]
        }
    };
}

rows! {
    /// Whose rules plans follow: our own, or those of another compiler's pass, names and order included. Files of
    /// other languages follow "default".
    "cse.preset": Preset = preset;
    /// How alike the occurrences of one value must be.
    "cse.equivalence": Equivalence = equivalence;
    /// Values that are computed at fewer places are left alone.
    "cse.min-occurrences": u32 = min_occurrences;
    /// Hand the results of `T.exp`, `T.log2` and the like from the host to kernels, where the host computes them
    /// anyway; they may differ in the last bits from the device's.
    "cse.share-intrinsics-across-launch": bool = share_intrinsics_across_launch;
    /// Insert computations in branches where that makes a value available on every path.
    "cse.partial-redundancies": bool = partial_redundancies;
    /// The compiler that processes the text afterwards; "tvm" leaves values unbound if a name for them would make
    /// TVM's passes evaluate something where the text does not.
    "cse.downstream": Downstream = downstream;
    /// Show values that could be shared as inlay hints.
    "hints.enable": bool = hints_enable;
    /// Show every hint, also of refused groups; otherwise at most one a line.
    "hints.all": bool = hints_all;
    /// Show what each tile of a kernel takes of its block: type, bytes or registers, stages.
    "hints.tiles": bool = hints_tiles;
    /// The most hints in one answer.
    "hints.limit": usize = hints_limit;
    /// The values of one function that are shown as hints and diagnostics, those that save most.
    "hints.per-function": usize = worth.most;
    /// One more than that for each so many lines of the function; 0 for no more.
    "hints.per-lines": usize = worth.per_lines;
    /// Values that save fewer operations are not shown: evaluations saved, times the cost of one.
    "hints.min-saving": u64 = worth.least;
    /// Report diagnostics.
    "diagnostics.enable": bool = diagnostics_enable;
    /// Report values that could be computed once as diagnostics too, of the level of hints.
    "diagnostics.common-subexpressions": bool = diagnostics_common_subexpressions;
    /// The most diagnostics of one file; the worst are kept.
    "diagnostics.limit": usize = diagnostics_limit;
    /// Show a code lens at each statement: live variables before it, and the writers of the memory that it mentions.
    "facts.enable": bool = facts_enable;
    /// The most such lenses of one file.
    "facts.limit": usize = facts_limit;
    /// Read the closed files of the workspace, so that hovers list the same expression or function elsewhere.
    "elsewhere.enable": bool = elsewhere_enable;
    /// The most such files with kernels.
    "elsewhere.max-files": usize = elsewhere_files;
    /// Closed files with more bytes are not read.
    "elsewhere.max-file-size": u64 = elsewhere_file_size;
    /// Folders beside the settings in which imports of Python are searched, after the workspace itself and its `src`
    /// and `python`.
    "imports.roots": Vec<PathBuf> = import_roots;
    /// The target of device code, with settings as `build --target` has them.
    "device-code.target": String = target;
    /// Show a code lens above each function that launches threads.
    "device-code.lens": bool = device_lens;
    /// The output folder of `build` in the workspace, whose registers lenses show.
    "device-code.built": PathBuf = built;
    /// A cache that several machines share, beyond the store of `build`: "grpcs://HOST/INSTANCE" of the Remote
    /// Execution API, "s3://BUCKET/FOLDER", "redis://HOST", "file:///FOLDER" and others; empty for none.
    "cache.remote": Option<remote::Address> = cache;
    /// Keep there what is built here; otherwise it is only read, as developers do beside a build server that writes.
    "cache.upload": bool = cache_upload;
    /// Seconds that one call may take, before the cache is left alone.
    "cache.timeout": u64 = cache_timeout;
    /// Workers that `build --execute remote` gives work to: "grpcs://HOST/INSTANCE" of the Remote Execution API; empty
    /// for those at `cache.remote`.
    "execute.remote": Option<remote::Address> = execute.remote;
    /// Jobs that workers do at a time.
    "execute.jobs": usize = execute.jobs;
    /// The most kernels that one job compiles.
    "execute.kernels": usize = execute.kernels;
    /// Seconds that one job may take.
    "execute.timeout": u64 = execute.timeout;
    /// The folder of CUDA on workers, of the version here; empty to send the compilers from here.
    "execute.cuda-path": String = execute.cuda_path;
    /// Properties of the machine, as the service knows them: "container-image=docker://…", "OSFamily=linux".
    "execute.platform": Vec<String> = execute.platform;
    /// The most bytes of files that one job lowers; 0 to lower all here.
    "execute.shard-bytes": u64 = execute.shard_bytes;
    /// A build in which fewer files are to be lowered lowers all here.
    "execute.shard-files": usize = execute.shard_files;
    /// This program on workers, of the version here; empty to send this one.
    "execute.program": String = execute.program;
    /// The Python that has TileLang, beside the settings; a command that asks for TileLang's own passes runs it.
    "tilelang.python": PathBuf = tilelang_python;
    /// Report errors in MLIR and PIR; `false` beside another server that reports them.
    "mlir.diagnostics": bool = mlir_diagnostics;
    /// A value in a loop is reported from this cost on.
    "findings.loop-invariant-cost": u32 = loop_invariant_cost;
    /// Report also what may go wrong and is not proven, with the fact that is missing: the rules "possible-…".
    "findings.possible": bool = levels.possible;
}

/// All settings, those of a section together: the fields, then the levels of rules.
pub fn settings() -> &'static [Setting] {
    static ALL: LazyLock<Vec<Setting>> = LazyLock::new(|| {
        let level = |it: &'static Rule| Setting {
            key: format!("findings.{}", it.name).into(),
            doc: it.summary,
            kind: Kind::Level(it.name),
        };
        fields().into_iter().chain(FindingLevels::rules().map(level)).collect()
    });
    &ALL
}
