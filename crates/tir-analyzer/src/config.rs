//! Configuration: the settings of users, in `tir-analyzer.toml` at the workspace root, from the editor and on the
//! command line.
//!
//! Each source is a [`ConfigPatch`] (every field optional, unknown keys collected); patches are laid over the defaults
//! in order: file, initialization options, editor settings, command line. Keys are written in kebab-case in the file
//! and in camelCase or kebab-case by editors.

mod dialects;
mod folder;
mod instances;
mod targets;

use std::{
    collections::BTreeMap,
    path::{Component, Path, PathBuf},
    sync::Arc,
};

use anyhow::Context as _;
use ide::{Dialects, Request, Severity, StatedFacts, Target, TargetOptions};
use serde::{Deserialize, Deserializer, de::Error as _};
use serde_json::Value;

pub use self::{dialects::DialectRows, folder::DIALECTS_FOLDER};

/// Name of the configuration file, looked for at the root of the workspace.
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
    /// `imports.roots`: folders of the workspace, relative to it, in which imports are searched as well.
    pub import_roots: Vec<PathBuf>,
    /// `device-code.target`
    pub target: String,
    /// `device-code.built`: the output folder of `build` in the workspace, whose figures lenses show.
    pub built: PathBuf,
    /// `device-code.lens`: a code lens above each function that launches threads.
    pub device_lens: bool,
    /// `targets.NAME`: the options of single targets.
    pub targets: BTreeMap<Target, TargetOptions>,
    /// `mlir.diagnostics`: report errors in MLIR and PIR; off beside another server that does.
    pub mlir_diagnostics: bool,
    /// `effects.tir`, `effects.mlir`, `effects.pir`: rows about calls and the operations of dialects.
    pub dialects: Arc<DialectRows>,
    /// `facts.NAME`: what is stated about the arguments of functions of MLIR.
    pub stated: Arc<StatedFacts>,
    /// `instance`: instances of factories, beside those that calls make.
    pub instances: Arc<[Request]>,
}

/// Whose rules plans follow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub enum Preset {
    /// All sound plans with savings, and reuse of the user's bindings
    Default,
    /// TVM's pass, names and order included
    Tvm,
    /// TVM's pass of 2022 (0.21 to 0.23), names and order included
    #[serde(rename = "tvm-2022")]
    #[value(name = "tvm-2022")]
    Tvm2022,
    /// `mlir-opt -cse` of LLVM 19, for files of MLIR
    Mlir,
    /// `mlir-opt -cse` of LLVM 24, for files of MLIR
    #[serde(rename = "mlir-24")]
    #[value(name = "mlir-24")]
    Mlir24,
    /// Paddle's pass, for printed programs
    Pir,
}

impl From<Preset> for ide::Preset {
    fn from(preset: Preset) -> ide::Preset {
        match preset {
            Preset::Default => ide::Preset::Default,
            Preset::Tvm => ide::Preset::Tvm,
            Preset::Tvm2022 => ide::Preset::Tvm2022,
            Preset::Mlir => ide::Preset::Mlir19,
            Preset::Mlir24 => ide::Preset::Mlir24,
            Preset::Pir => ide::Preset::Pir,
        }
    }
}

/// The compiler that processes the text after it was fixed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub enum Downstream {
    /// Rewrites that preserve the meaning of the text
    Sound,
    /// TVM: values stay unbound whose names would make its passes evaluate something where the text does not
    Tvm,
}

impl From<Downstream> for ide::Downstream {
    fn from(downstream: Downstream) -> ide::Downstream {
        match downstream {
            Downstream::Sound => ide::Downstream::Sound,
            Downstream::Tvm => ide::Downstream::Tvm,
        }
    }
}

/// The level of equivalence that occurrences of one value must have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub enum Equivalence {
    /// The same tree
    Syntactic,
    /// The same after ordering the operands of `+`, `*` and the like: the same bits always
    Commutative,
    /// The same after re-association of integers, where no overflow can be added
    Associative,
    /// Equal sums and products of integers, where no overflow can be added
    Arithmetic,
}

impl From<Equivalence> for ide::Equivalence {
    fn from(equivalence: Equivalence) -> ide::Equivalence {
        match equivalence {
            Equivalence::Syntactic => ide::Equivalence::Syntactic,
            Equivalence::Commutative => ide::Equivalence::Commutative,
            Equivalence::Associative => ide::Equivalence::Associative,
            Equivalence::Arithmetic => ide::Equivalence::Arithmetic,
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

/// One source of settings.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ConfigPatch {
    sections: Sections,
    dialects: Option<Arc<DialectRows>>,
    stated: Option<Arc<StatedFacts>>,
    targets: BTreeMap<Target, TargetOptions>,
    instances: Option<Arc<[Request]>>,
    /// Keys that mean nothing here, dotted.
    pub unknown: Vec<String>,
}

#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default, rename_all = "kebab-case")]
struct Sections {
    cse: Cse,
    hints: Hints,
    diagnostics: Diagnostics,
    findings: Findings,
    facts: Facts,
    elsewhere: Elsewhere,
    imports: Imports,
    device_code: DeviceCode,
    mlir: Mlir,
}

#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default, rename_all = "kebab-case")]
struct Mlir {
    diagnostics: Option<bool>,
}

#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default, rename_all = "kebab-case")]
struct Facts {
    enable: Option<bool>,
    limit: Option<usize>,
}

#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default, rename_all = "kebab-case")]
struct Elsewhere {
    enable: Option<bool>,
    max_files: Option<usize>,
    max_file_size: Option<u64>,
}

#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default, rename_all = "kebab-case")]
struct Imports {
    roots: Option<Vec<PathBuf>>,
}

#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default, rename_all = "kebab-case")]
struct Cse {
    preset: Option<Preset>,
    equivalence: Option<Equivalence>,
    min_occurrences: Option<u32>,
    share_intrinsics_across_launch: Option<bool>,
    partial_redundancies: Option<bool>,
    downstream: Option<Downstream>,
}

#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default, rename_all = "kebab-case")]
struct Hints {
    enable: Option<bool>,
    all: Option<bool>,
    limit: Option<usize>,
    per_function: Option<usize>,
    per_lines: Option<usize>,
    min_saving: Option<u64>,
}

#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default, rename_all = "kebab-case")]
struct Diagnostics {
    enable: Option<bool>,
    common_subexpressions: Option<bool>,
    limit: Option<usize>,
}

/// The severity of findings of a kind, or that they are not reported.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum LevelName {
    Off,
    Hint,
    #[serde(alias = "info")]
    Information,
    Warning,
    Error,
}

impl LevelName {
    fn severity(self) -> Option<Severity> {
        match self {
            LevelName::Off => None,
            LevelName::Hint => Some(Severity::Hint),
            LevelName::Information => Some(Severity::Information),
            LevelName::Warning => Some(Severity::Warning),
            LevelName::Error => Some(Severity::Error),
        }
    }
}

/// Thresholds, and the level of each kind by its name.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default, rename_all = "kebab-case")]
struct Findings {
    loop_invariant_cost: Option<u32>,
    #[serde(flatten, deserialize_with = "levels")]
    levels: BTreeMap<String, LevelName>,
}

/// The settings whose keys are kinds; others are unknown, and reported as such.
fn levels<'de, D: Deserializer<'de>>(from: D) -> Result<BTreeMap<String, LevelName>, D::Error> {
    let all = BTreeMap::<String, Value>::deserialize(from)?;
    all.into_iter()
        .filter(|(key, it)| ide::FindingLevels::is_name(key) && !it.is_null())
        .map(|(kind, it)| Ok((kind, LevelName::deserialize(it).map_err(D::Error::custom)?)))
        .collect()
}

#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default, rename_all = "kebab-case")]
struct DeviceCode {
    target: Option<String>,
    lens: Option<bool>,
    built: Option<PathBuf>,
}

/// Every key there is beside the kinds of findings, for telling the unknown ones.
const KEYS: &[&str] = &[
    "cse.preset",
    "cse.equivalence",
    "cse.min-occurrences",
    "cse.share-intrinsics-across-launch",
    "cse.partial-redundancies",
    "cse.downstream",
    "hints.enable",
    "hints.all",
    "hints.limit",
    "hints.per-function",
    "hints.per-lines",
    "hints.min-saving",
    "diagnostics.enable",
    "diagnostics.common-subexpressions",
    "diagnostics.limit",
    "findings.loop-invariant-cost",
    "facts.enable",
    "facts.limit",
    "elsewhere.enable",
    "elsewhere.max-files",
    "elsewhere.max-file-size",
    "imports.roots",
    "device-code.target",
    "device-code.lens",
    "device-code.built",
    "mlir.diagnostics",
    "effects.tir",
    "effects.mlir",
    "effects.pir",
];

impl ConfigPatch {
    /// Reads settings from JSON. `null` and a missing section change nothing.
    pub fn from_json(value: &Value) -> anyhow::Result<ConfigPatch> {
        // Some clients send the settings of all servers under their section names.
        let value = value.get(CONFIG_SECTION).unwrap_or(value);
        let stated = stated_facts(value)?;
        let value = kebab_keys(value);
        if value.is_null() {
            return Ok(ConfigPatch::default());
        }
        let mut unknown = unknown_keys(&value);
        let targets = targets::read(value.get("targets"), &mut unknown)?;
        let dialects = match value.get("effects").filter(|it| !it.is_null()) {
            Some(section) => Some(Arc::new(DialectRows::read(section)?)),
            None => None,
        };
        let instances = match value.get("instance").filter(|it| !it.is_null()) {
            Some(rows) => Some(instances::read(rows)?.into()),
            None => None,
        };
        let sections =
            serde_json::from_value(value).context("a setting has a value of the wrong kind")?;
        Ok(ConfigPatch { sections, dialects, stated, targets, instances, unknown })
    }

    /// Reads settings from the text of a `tir-analyzer.toml`.
    pub fn from_toml(text: &str) -> anyhow::Result<ConfigPatch> {
        let value: toml::Table = toml::from_str(text)?;
        instances::check(text)?;
        ConfigPatch::from_json(&serde_json::to_value(value)?)
    }

    /// Reads `tir-analyzer.toml` and the files of dialects in `root`; no file changes nothing.
    pub fn load(root: &Path) -> anyhow::Result<ConfigPatch> {
        let path = root.join(CONFIG_FILE);
        let text = files::read_text_within(crate::walk::workspace_of(root), &path, files::SETTINGS);
        let mut patch = match text {
            Ok(text) => {
                ConfigPatch::from_toml(&text).with_context(|| format!("in {}", path.display()))?
            }
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => ConfigPatch::default(),
            Err(error) => {
                return Err(error).with_context(|| format!("cannot read {}", path.display()));
            }
        };
        let files = folder::read(root)?;
        if !files.is_empty() {
            let rows = DialectRows::of_files(files, patch.dialects.as_deref())?;
            patch.dialects = Some(Arc::new(rows));
        }
        Ok(patch)
    }

    /// Returns true if a folder has settings: the file, or files of dialects.
    pub fn is_in(root: &Path) -> bool {
        root.join(CONFIG_FILE).exists() || !folder::paths(root).is_empty()
    }

    fn apply(&self, config: &mut Config) {
        fn set<T: Clone>(slot: &mut T, value: &Option<T>) {
            if let Some(value) = value {
                *slot = value.clone();
            }
        }
        let Sections {
            cse,
            hints,
            diagnostics,
            findings,
            facts,
            elsewhere,
            imports,
            device_code,
            mlir,
        } = &self.sections;
        set(&mut config.preset, &cse.preset);
        set(&mut config.equivalence, &cse.equivalence);
        set(&mut config.min_occurrences, &cse.min_occurrences);
        set(&mut config.share_intrinsics_across_launch, &cse.share_intrinsics_across_launch);
        set(&mut config.partial_redundancies, &cse.partial_redundancies);
        set(&mut config.downstream, &cse.downstream);
        set(&mut config.hints_enable, &hints.enable);
        set(&mut config.hints_all, &hints.all);
        set(&mut config.hints_limit, &hints.limit);
        set(&mut config.worth.most, &hints.per_function);
        set(&mut config.worth.per_lines, &hints.per_lines);
        set(&mut config.worth.least, &hints.min_saving);
        set(&mut config.diagnostics_enable, &diagnostics.enable);
        set(&mut config.diagnostics_common_subexpressions, &diagnostics.common_subexpressions);
        set(&mut config.diagnostics_limit, &diagnostics.limit);
        set(&mut config.loop_invariant_cost, &findings.loop_invariant_cost);
        for (name, level) in &findings.levels {
            config.levels.set_named(name, level.severity());
        }
        set(&mut config.facts_enable, &facts.enable);
        set(&mut config.facts_limit, &facts.limit);
        set(&mut config.elsewhere_enable, &elsewhere.enable);
        set(&mut config.elsewhere_files, &elsewhere.max_files);
        set(&mut config.elsewhere_file_size, &elsewhere.max_file_size);
        set(&mut config.import_roots, &imports.roots);
        set(&mut config.target, &device_code.target);
        set(&mut config.device_lens, &device_code.lens);
        set(&mut config.built, &device_code.built);
        set(&mut config.mlir_diagnostics, &mlir.diagnostics);
        set(&mut config.dialects, &self.dialects);
        set(&mut config.stated, &self.stated);
        set(&mut config.instances, &self.instances);
        for (&target, options) in &self.targets {
            let all = config.target_options(target).overlaid(options);
            config.targets.insert(target, all);
        }
    }
}

/// Returns the folders in which the imports of a workspace are searched: its own first. A folder that is not in it has
/// no part in it, whoever wrote the settings.
pub fn import_folders(root: &Path, roots: &[PathBuf]) -> Vec<PathBuf> {
    let is_inside = |it: &&PathBuf| it.components().all(|it| matches!(it, Component::Normal(_)));
    let inside = roots.iter().filter(is_inside).map(|it| root.join(it));
    std::iter::once(root.to_owned()).chain(inside).collect()
}

/// The texts in the section `facts`: conditions by the names of arguments; none without any.
fn stated_facts(value: &Value) -> anyhow::Result<Option<Arc<StatedFacts>>> {
    let section = value.get("facts").and_then(Value::as_object);
    let mut facts = StatedFacts::default();
    for (name, condition) in section.into_iter().flatten() {
        if let Some(condition) = condition.as_str() {
            let added = facts.add(name, condition);
            added.map_err(|it| anyhow::anyhow!("in `facts.{name}`: {it}"))?;
        }
    }
    let is_any = facts.iter().next().is_some();
    Ok(is_any.then(|| Arc::new(facts)))
}

/// `value` with the keys of its first two levels in kebab-case.
fn kebab_keys(value: &Value) -> Value {
    let convert = |value: &Value, inner: &dyn Fn(&Value) -> Value| match value {
        Value::Object(map) => {
            Value::Object(map.iter().map(|(key, it)| (kebab(key), inner(it))).collect())
        }
        other => other.clone(),
    };
    convert(value, &|it| convert(it, &|it| convert(it, &Value::clone)))
}

fn kebab(key: &str) -> String {
    let mut out = String::with_capacity(key.len() + 2);
    for c in key.chars() {
        if c.is_ascii_uppercase() {
            out.push('-');
            out.push(c.to_ascii_lowercase());
        } else {
            out.push(if c == '_' { '-' } else { c });
        }
    }
    out
}

fn unknown_keys(value: &Value) -> Vec<String> {
    let mut unknown = Vec::new();
    // Those of targets and instances are told by who reads them.
    let sections = value
        .as_object()
        .into_iter()
        .flatten()
        .filter(|it| !matches!(it.0.as_str(), "targets" | "instance"));
    for (section, settings) in sections {
        if !KEYS.iter().any(|key| key.starts_with(&format!("{section}."))) {
            unknown.push(section.clone());
            continue;
        }
        for (setting, value) in settings.as_object().into_iter().flatten() {
            if section == "facts" && value.is_string() {
                continue;
            }
            let key = format!("{section}.{setting}");
            let is_kind = section == "findings" && ide::FindingLevels::is_name(setting);
            if !is_kind && !KEYS.contains(&key.as_str()) {
                unknown.push(key);
            }
        }
    }
    unknown
}

#[cfg(test)]
mod tests {
    use ide::FindingKind;

    use super::*;
    use serde_json::json;

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
        assert_eq!(file.unknown, ["targets.cuda.threads", "targets.vulkan"]);
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
        assert_eq!(patch.unknown, ["hint", "hints.many"]);
        assert_eq!(Config::layered([&patch]), Config::default());
    }

    #[test]
    fn findings_have_levels_by_their_names() {
        let file = "[findings]\ndead-store = \"off\"\nread-before-write = \"error\"\nloop-invariant-cost = 3\n";
        let file = ConfigPatch::from_toml(file).unwrap();
        let editor = json!({"findings": {"deadStore": "warning", "deadStores": "off"}});
        let editor = ConfigPatch::from_json(&editor).unwrap();
        assert_eq!(editor.unknown, ["findings.dead-stores"]);
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
        let kinds = FindingKind::ALL.iter().map(|it| it.name());
        let kinds = kinds.chain(ide::SimplificationKind::ALL.iter().map(|it| it.name()));
        let mut expected: Vec<String> = KEYS.iter().map(|it| (*it).to_owned()).collect();
        expected.extend(kinds.map(|it| format!("findings.{it}")));
        expected.extend(["instance", "targets"].map(str::to_owned));
        expected.sort_unstable();
        expected.dedup();
        assert_eq!(settings_of_vscode().into_keys().collect::<Vec<_>>(), expected);
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
        assert_eq!(patch.unknown, [""; 0]);
        assert_eq!(Config::layered([&patch]), Config::default());
    }

    #[test]
    fn wrong_kind_of_value_is_an_error() {
        assert!(ConfigPatch::from_json(&json!({"hints": {"all": 3}})).is_err());
        assert!(ConfigPatch::from_json(&Value::Null).is_ok());
    }
}
