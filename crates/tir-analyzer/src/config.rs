//! Configuration: the settings of users, in the nearest `tir-analyzer.toml`, from the editor and on the command line.
//!
//! Each source is a [`ConfigPatch`]; patches are laid over the defaults in order: file, initialization options, editor
//! settings, command line. Keys are written in kebab-case in the file and in camelCase or kebab-case by editors. Each
//! setting is one row of [`rows`]: its name, its value in [`Config`], what it does.

mod dialects;
mod folder;
mod imports;
mod instances;
mod key;
mod kinds;
mod patch;
mod place;
mod problem;
mod rows;
mod schema;
mod targets;
mod value;

use std::{collections::BTreeMap, path::PathBuf, sync::Arc};

use ide::{Dialects, Request, StatedFacts, Target, TargetOptions};

pub use self::{
    dialects::DialectRows,
    folder::DIALECTS_FOLDER,
    imports::import_folders,
    kinds::{Downstream, Equivalence, Preset},
    patch::ConfigPatch,
    rows::{Setting, settings},
    schema::schema,
};

/// Name of the configuration file.
pub const CONFIG_FILE: &str = "tir-analyzer.toml";

/// The section of the editor's settings.
pub const CONFIG_SECTION: &str = "tir-analyzer";

/// The effective settings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Config {
    /// `cse.preset`
    pub preset: Preset,
    /// `cse.equivalence`: how alike occurrences must be.
    pub equivalence: Equivalence,
    /// `cse.min-occurrences`: values that are computed at fewer places are left alone.
    pub min_occurrences: u32,
    /// `cse.share-intrinsics-across-launch`: hand `T.exp`, `T.log2` … from the host to kernels, where the host computes
    /// them anyway.
    pub share_intrinsics_across_launch: bool,
    /// `cse.partial-redundancies`: insert computations in branches where that makes a value available on every path.
    pub partial_redundancies: bool,
    /// `cse.downstream`: the compiler that processes the text afterwards.
    pub downstream: Downstream,
    /// `hints.enable`
    pub hints_enable: bool,
    /// `hints.all`: show every hint, not only one a line.
    pub hints_all: bool,
    /// `hints.tiles`: what each tile of a kernel takes of its block.
    pub hints_tiles: bool,
    /// `hints.limit`: at most this many hints in one answer.
    pub hints_limit: usize,
    /// `hints.per-function`, `hints.per-lines`, `hints.min-saving`: which values that could be shared are shown, as
    /// hints and diagnostics.
    pub worth: ide::Worth,
    /// `diagnostics.enable`
    pub diagnostics_enable: bool,
    /// `diagnostics.common-subexpressions`: report values that could be shared as hint-level diagnostics too.
    pub diagnostics_common_subexpressions: bool,
    /// `findings.KIND`: how bad findings of each kind are.
    pub levels: ide::FindingLevels,
    /// `findings.loop-invariant-cost`: a value in a loop is worth telling that costs at least so much.
    pub loop_invariant_cost: u32,
    /// `diagnostics.limit`: at most this many diagnostics of one file.
    pub diagnostics_limit: usize,
    /// `facts.enable`: show live variables and the writes of memory, as a code lens at each statement.
    pub facts_enable: bool,
    /// `facts.limit`: at most this many lenses of one file.
    pub facts_limit: usize,
    /// `elsewhere.enable`: read the closed files of the workspace, for "the same elsewhere" in hovers.
    pub elsewhere_enable: bool,
    /// `elsewhere.max-files`: at most this many with kernels.
    pub elsewhere_files: usize,
    /// `elsewhere.max-file-size`: none with more bytes.
    pub elsewhere_file_size: u64,
    /// `imports.roots`: folders beside the settings in which imports are searched as well.
    pub import_roots: Vec<PathBuf>,
    /// `device-code.target`
    pub target: String,
    /// `device-code.built`: the output folder of `build` in the workspace, whose figures lenses show.
    pub built: PathBuf,
    /// `device-code.lens`: a code lens above each function that launches threads.
    pub device_lens: bool,
    /// `cache.remote`: a cache that machines share, beyond the store of `build`.
    pub cache: Option<remote::Address>,
    /// `cache.upload`: keep there what is made here.
    pub cache_upload: bool,
    /// `cache.timeout`: seconds that one call may take.
    pub cache_timeout: u64,
    /// `execute.…`: the workers of `build --execute remote`.
    pub execute: Execute,
    /// `targets.NAME`: the options of single targets.
    pub targets: BTreeMap<Target, TargetOptions>,
    /// `tilelang.python`: the Python that has TileLang, for commands that ask for its own output.
    pub tilelang_python: PathBuf,
    /// `mlir.diagnostics`: report errors in MLIR and PIR; off beside another server that does.
    pub mlir_diagnostics: bool,
    /// `effects.tir`, `effects.mlir`, `effects.pir`: rows about calls and the operations of dialects.
    pub dialects: Arc<DialectRows>,
    /// `facts.NAME`: what is stated about the arguments of functions of MLIR.
    pub stated: Arc<StatedFacts>,
    /// `instance`: instances of factories, beside those that calls make.
    pub instances: Arc<[Request]>,
}

/// The settings of remote execution.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Execute {
    /// `execute.remote`: the workers; `None` for those at the shared cache.
    pub remote: Option<remote::Address>,
    /// `execute.jobs`: jobs that workers do at a time.
    pub jobs: usize,
    /// `execute.kernels`: the most kernels of a job.
    pub kernels: usize,
    /// `execute.timeout`: seconds that one job may take.
    pub timeout: u64,
    /// `execute.cuda-path`: the folder of CUDA on workers.
    pub cuda_path: String,
    /// `execute.platform`: properties of the machine, `NAME=VALUE`.
    pub platform: Vec<String>,
    /// `execute.shard-bytes`: the most bytes of files that one job lowers.
    pub shard_bytes: u64,
    /// `execute.shard-files`: with fewer files to lower none are sent.
    pub shard_files: usize,
    /// `execute.program`: this program on workers.
    pub program: String,
}

impl Default for Execute {
    fn default() -> Execute {
        Execute {
            remote: None,
            jobs: 8,
            kernels: 16,
            timeout: 300,
            cuda_path: String::new(),
            platform: Vec::new(),
            shard_bytes: 512 << 10,
            shard_files: 1000,
            program: String::new(),
        }
    }
}

impl Default for Config {
    fn default() -> Config {
        Config {
            preset: Preset::Default,
            equivalence: Equivalence::Commutative,
            min_occurrences: 2,
            share_intrinsics_across_launch: false,
            partial_redundancies: false,
            downstream: Downstream::Sound,
            hints_enable: true,
            hints_all: false,
            hints_tiles: true,
            hints_limit: 20_000,
            worth: ide::Worth::default(),
            diagnostics_enable: true,
            diagnostics_common_subexpressions: true,
            levels: ide::FindingLevels::default(),
            loop_invariant_cost: ide::FindingOptions::default().loop_invariant_cost,
            diagnostics_limit: 200,
            facts_enable: false,
            facts_limit: 1_000,
            elsewhere_enable: true,
            elsewhere_files: 20_000,
            elsewhere_file_size: 1_000_000,
            import_roots: Vec::new(),
            target: "cuda".to_owned(),
            device_lens: true,
            built: PathBuf::from("build/kernels"),
            cache: None,
            cache_upload: false,
            cache_timeout: remote::TIMEOUT.as_secs(),
            execute: Execute::default(),
            tilelang_python: PathBuf::new(),
            targets: BTreeMap::new(),
            mlir_diagnostics: true,
            dialects: Arc::default(),
            stated: Arc::default(),
            instances: Arc::default(),
        }
    }
}

impl Config {
    /// The defaults with `patches` laid over them, later ones on top.
    pub fn layered<'a>(patches: impl IntoIterator<Item = &'a ConfigPatch>) -> Config {
        let mut config = Config::default();
        for patch in patches {
            patch.apply(&mut config);
        }
        config
    }

    /// The tables about operations, with what is stated about arguments.
    pub fn tables(&self) -> Dialects {
        Dialects { facts: self.stated.clone(), ..self.dialects.tables().clone() }
    }

    /// The settings as the analysis of their files has them.
    pub fn for_analysis(&self) -> ide::Settings {
        ide::Settings {
            config: self.analysis(),
            dialects: self.tables(),
            requests: self.instances.clone(),
        }
    }

    /// Returns true if these settings say the same as others about dialects and arguments.
    pub fn has_tables_of(&self, other: &Config) -> bool {
        self.dialects == other.dialects && self.stated == other.stated
    }

    /// The same settings, with the tables of others if these say the same: nothing is made of them anew.
    pub fn sharing_tables_of(self, other: &Config) -> Config {
        if !self.has_tables_of(other) {
            return self;
        }
        Config { dialects: other.dialects.clone(), stated: other.stated.clone(), ..self }
    }

    /// The part that analyses depend on.
    pub fn analysis(&self) -> ide::Config {
        ide::Config { cse: self.cse(), findings: self.findings(), ops: self.ops() }
    }

    /// How equal operations are planned.
    pub fn ops(&self) -> ide::OpOptions {
        ide::OpOptions { preset: self.preset.into(), allow_unsound: false }
    }

    /// How common subexpressions are planned.
    pub fn cse(&self) -> ide::CseOptions {
        ide::CseOptions {
            preset: self.preset.into(),
            equivalence: self.equivalence.into(),
            min_occurrences: self.min_occurrences,
            share_intrinsics_across_launch: self.share_intrinsics_across_launch,
            partial_redundancies: self.partial_redundancies,
            downstream: self.downstream.into(),
            ..ide::CseOptions::default()
        }
    }

    /// Returns the options for findings besides common subexpressions.
    pub fn findings(&self) -> ide::FindingOptions {
        ide::FindingOptions {
            kinds: self.levels.kinds(),
            loop_invariant_cost: self.loop_invariant_cost,
        }
    }

    /// Returns the options of a target.
    pub fn target_options(&self, target: Target) -> TargetOptions {
        self.targets.get(&target).cloned().unwrap_or_default()
    }

    /// The settings of diagnostics; `limit` is the caller's.
    pub fn diagnostics(&self, limit: usize) -> ide::DiagnosticsConfig {
        ide::DiagnosticsConfig {
            common_subexpressions: self.diagnostics_common_subexpressions,
            worth: self.worth,
            operations: self.mlir_diagnostics,
            levels: self.levels,
            read_back: false,
            instances: false,
            limit,
        }
    }
}

#[cfg(test)]
mod tests {
    use ide::{FindingKind, Severity};

    use super::*;
    use serde_json::{Value, json};

    /// The unknown keys of a patch.
    fn unknown(patch: &ConfigPatch) -> Vec<String> {
        let key = |it: &super::problem::Problem| {
            it.to_string().split('`').nth(1).unwrap_or_default().to_owned()
        };
        patch.unknown.iter().map(key).collect()
    }

    #[test]
    fn preset_of_operations_reaches_their_plans() {
        for (name, preset) in [
            ("mlir", ide::Preset::Mlir19),
            ("mlir-24", ide::Preset::Mlir24),
            ("pir", ide::Preset::Pir),
        ] {
            let patch = ConfigPatch::from_json(&json!({"cse": {"preset": name}})).unwrap();
            let analysis = Config::layered([&patch]).analysis();
            assert_eq!((analysis.ops.preset, preset.name()), (preset, name));
        }
    }

    #[test]
    fn later_patches_win_and_absent_settings_stay() {
        let file = ConfigPatch::from_toml("[hints]\nall = true\nlimit = 7\n").unwrap();
        let editor = ConfigPatch::from_json(&json!({"hints": {"all": false}})).unwrap();
        let config = Config::layered([&file, &editor]);
        assert_eq!((config.hints_all, config.hints_limit), (false, 7));
    }

    #[test]
    fn editors_may_use_camel_case_and_the_section_name() {
        let settings =
            json!({"tir-analyzer": {"deviceCode": {"target": "opencl"}, "cse": {"preset": "tvm"}}});
        let config = Config::layered([&ConfigPatch::from_json(&settings).unwrap()]);
        assert_eq!((config.target.as_str(), config.preset), ("opencl", Preset::Tvm));
    }

    #[test]
    fn targets_have_settings() {
        let file =
            "[targets.cuda]\narch = \"sm_90\"\nmax-threads = 512\nthreads = 1\n[targets.vulkan]\n";
        let file = ConfigPatch::from_toml(file).unwrap();
        assert_eq!(unknown(&file), ["targets.cuda.threads", "targets.vulkan"]);
        let editor = json!({"targets": {"cuda": {"maxThreads": 256, "fastMath": true}}});
        let editor = ConfigPatch::from_json(&editor).unwrap();
        let config = Config::layered([&file, &editor]);
        let expected = ide::TargetOptions::parse("cuda:arch=sm_90:max-threads=256:fast-math=true");
        assert_eq!(config.target_options(Target::Cuda), expected.unwrap().1);
        let wrong = ConfigPatch::from_toml("[targets.cuda]\narch = \"sm_1\"\n").unwrap_err();
        assert!(wrong.to_string().contains("known are sm_70"), "{wrong}");
    }

    #[test]
    fn unknown_keys_are_named_and_do_no_harm() {
        let patch = ConfigPatch::from_toml("[hint]\nall = true\n[hints]\nmany = 1\n").unwrap();
        assert_eq!(unknown(&patch), ["hint", "hints.many"]);
        assert_eq!(Config::layered([&patch]), Config::default());
    }

    #[test]
    fn findings_have_levels_by_their_names() {
        let file = "[findings]\ndead-store = \"off\"\nread-before-write = \"error\"\nloop-invariant-cost = 3\n";
        let file = ConfigPatch::from_toml(file).unwrap();
        let editor = json!({"findings": {"deadStore": "warning", "deadStores": "off"}});
        let editor = ConfigPatch::from_json(&editor).unwrap();
        assert_eq!(unknown(&editor), ["findings.dead-stores"]);
        let config = Config::layered([&file]);
        assert_eq!(config.levels.get(FindingKind::DeadStore), None);
        assert!(!config.findings().kinds.contains(FindingKind::DeadStore));
        assert_eq!(config.levels.get(FindingKind::ReadBeforeWrite), Some(Severity::Error));
        assert_eq!(config.loop_invariant_cost, 3);
        let config = Config::layered([&file, &editor]);
        assert_eq!(config.levels.get(FindingKind::DeadStore), Some(Severity::Warning));
        assert!(ConfigPatch::from_toml("[findings]\ndead-store = \"loud\"\n").is_err());
    }

    /// The contributions of the extension for VS Code.
    fn contributes_to_vscode() -> Value {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../editors/vscode/package.json");
        let manifest = std::fs::read_to_string(path).unwrap();
        let manifest: Value = serde_json::from_str(&manifest).unwrap();
        manifest["contributes"].clone()
    }

    #[test]
    fn vscode_knows_the_files_of_every_language() {
        let contributes = contributes_to_vscode();
        let languages = contributes["languages"].as_array().unwrap();
        for row in syntax::Language::with(|it| !it.editor_ids.contains(&"python")) {
            let row = row.support();
            let found = languages.iter().find(|it| it["id"] == row.id).unwrap();
            let extensions: Vec<_> = row.extensions.iter().map(|it| format!(".{it}")).collect();
            assert!(row.editor_ids.contains(&row.id));
            assert_eq!(found["extensions"], json!(extensions));
        }
    }

    #[test]
    fn the_template_of_jetbrains_has_the_files_of_every_language() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../editors/jetbrains/template.json");
        let template: Value =
            serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
        let of = |row: &syntax::LanguageSupport| {
            let patterns: Vec<_> = row.extensions.iter().map(|it| format!("*.{it}")).collect();
            (json!(row.editor_ids[0]), json!(patterns))
        };
        let expected: Vec<_> = syntax::Language::ALL.iter().map(|it| of(it.support())).collect();
        let mappings = template["fileTypeMappings"].as_array().unwrap().iter();
        let found: Vec<_> = mappings
            .map(|it| (it["languageId"].clone(), it["fileType"]["patterns"].clone()))
            .collect();
        assert_eq!(found, expected);
    }

    /// The settings that the extension for VS Code hands to the server, with their defaults.
    fn settings_of_vscode() -> BTreeMap<String, Value> {
        let contributes = contributes_to_vscode();
        let groups = contributes["configuration"].as_array().unwrap();
        let all = groups.iter().flat_map(|it| it["properties"].as_object().unwrap());
        let own = ["server.", "python.", "passes.", "trace."];
        all.map(|(name, it)| (name.strip_prefix("tir-analyzer.").unwrap(), &it["default"]))
            .filter(|(name, _)| !own.iter().any(|it| name.starts_with(it)))
            .map(|(name, default)| (name.to_owned(), default.clone()))
            .collect()
    }

    #[test]
    fn vscode_has_every_setting_under_its_name_here() {
        // The settings of shared caches and workers are those of `build`, which no editor calls.
        let mut expected: Vec<String> = settings()
            .iter()
            .map(|it| it.key.to_string())
            .filter(|it| !it.starts_with("cache.") && !it.starts_with("execute."))
            .collect();
        let tables = ["effects.mlir", "effects.pir", "effects.tir", "instance", "targets"];
        expected.extend(tables.map(str::to_owned));
        expected.sort_unstable();
        assert_eq!(settings_of_vscode().into_keys().collect::<Vec<_>>(), expected);
    }

    #[test]
    fn levels_and_targets_of_vscode_have_the_values_of_the_schema() {
        let contributes = contributes_to_vscode();
        let schema = schema();
        let groups = contributes["configuration"].as_array().unwrap();
        for (name, it) in groups.iter().flat_map(|it| it["properties"].as_object().unwrap()) {
            let key = name.strip_prefix("tir-analyzer.").unwrap();
            if key == "targets" {
                assert_eq!(it["properties"], schema["properties"]["targets"]["properties"]);
            } else if let Some(rule) = key.strip_prefix("findings.") {
                let row = &schema["properties"]["findings"]["properties"][rule];
                assert_eq!(
                    (&it["enum"], &it["default"]),
                    (&row["enum"], &row["default"]),
                    "{rule}"
                );
            }
        }
    }

    #[test]
    fn defaults_of_vscode_are_those_of_the_server() {
        let mut settings = json!({});
        for (name, default) in settings_of_vscode() {
            match name.split_once('.') {
                Some((section, key)) => settings[section][key] = default,
                None => settings[&name] = default,
            }
        }
        let patch = ConfigPatch::from_json(&settings).unwrap();
        assert_eq!(patch.unknown, []);
        assert_eq!(Config::layered([&patch]), Config::default());
    }

    #[test]
    fn wrong_kind_of_value_is_an_error() {
        assert!(ConfigPatch::from_json(&json!({"hints": {"all": 3}})).is_err());
        assert!(ConfigPatch::from_json(&Value::Null).is_ok());
        // As an editor in Lua writes empty tables.
        for empty in [json!([]), json!({ "hints": [] }), json!({ "tir-analyzer": [] })] {
            assert_eq!(ConfigPatch::from_json(&empty), Ok(ConfigPatch::default()), "{empty}");
        }
        assert!(ConfigPatch::from_json(&json!({ "hints": [1] })).is_err());
    }
}
