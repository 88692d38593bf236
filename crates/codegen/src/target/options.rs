//! The options of code generation.
//!
//! In: settings as people write them ([`TargetOptions`]: on the command line, in a file). Out: [`Options`], the
//! complete input of code generation. Three things follow from them: the code itself ([`CodeOptions`], part of an
//! artifact's key), the flags that the source must be compiled with, and limits that a kernel is held to when it is
//! written out. So another limit or another flag generates nothing.

use std::{
    hash::{Hash, Hasher},
    sync::Arc,
};

use ir::effects::EffectTable;
use lower::LowerOptions;
use serde::{Deserialize, Serialize};
use transform::passes::Pass;

use crate::{
    Target,
    target::arch::{self, Limits},
};

/// The options of generated code.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Options {
    /// Lets the compiler fuse `a * b + c` (`SEMANTICS: F2`). Off unless asked.
    pub contract: bool,
    /// The passes to run before code is written, in this order, by the names of `transform::passes`. Unknown names have
    /// no effect.
    pub passes: Vec<String>,
    /// The options of the target.
    #[serde(flatten)]
    pub device: TargetOptions,
    /// The effects of calls: the table of the product, perhaps with a user's rows.
    #[serde(skip, default = "EffectTable::shared")]
    pub effects: Arc<EffectTable>,
}

/// The same options hash alike: equal ones have equal tables.
impl Hash for Options {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (self.contract, &self.passes, &self.device, self.effects.rows_of_user()).hash(state);
    }
}

/// The options for one target. Unset ones take the values of the table in [`crate::target::arch`].
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
pub struct TargetOptions {
    /// `arch`: `sm_90`, `gfx90a`, a version of the language.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub arch: Option<String>,
    /// `max-threads`: threads that a block may have.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_threads: Option<u32>,
    /// `shared-memory`: bytes of shared memory that a kernel may have.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shared_memory: Option<u64>,
    /// `index-bits`: 64 leaves indices as they are; 32 refuses kernels whose indices are not shown to fit. By default,
    /// they are narrow where that is proved.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub index_bits: Option<u8>,
    /// `contract`: [`Options::contract`] for this target.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fuse: Option<bool>,
    /// `fast-math`: floats are computed as if no value were infinite or NaN, and reassociated; functions less exactly.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fast_math: Option<bool>,
}

/// The part of [`Options`] that the code depends on.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub(crate) struct CodeOptions<'a> {
    contract: bool,
    passes: &'a [String],
    #[serde(skip_serializing_if = "Option::is_none")]
    index_bits: Option<u8>,
    /// Memory is used twice by kernels that need more.
    #[serde(skip_serializing_if = "Option::is_none")]
    shared_memory: Option<u64>,
    /// Pipelines copy while they compute.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    async_copies: bool,
    /// Of the language, where it is written into the code.
    #[serde(skip_serializing_if = "Option::is_none")]
    version: Option<&'a str>,
    /// Of calls, as a user says them; the table of the product is part of the generator.
    #[serde(skip_serializing_if = "str::is_empty")]
    effects: &'a str,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            contract: false,
            passes: vec![Pass::Cse.name().to_owned()],
            device: TargetOptions::default(),
            effects: EffectTable::shared(),
        }
    }
}

impl Options {
    /// These options with the settings of a target.
    #[must_use]
    pub fn with(&self, device: &TargetOptions) -> Options {
        let mut options = Options { device: device.clone(), ..self.clone() };
        options.contract =
            device.fuse.unwrap_or(options.contract) || device.fast_math == Some(true);
        options
    }

    /// Returns true if floats need not be exact.
    pub fn is_fast_math(&self) -> bool {
        self.device.fast_math == Some(true)
    }

    /// Returns the limits of a block.
    pub fn limits(&self, target: Target) -> Limits {
        let limits = arch::find(target, self.device.arch.as_deref()).limits;
        Limits {
            threads: self.device.max_threads.unwrap_or(limits.threads),
            threads_z: limits.threads_z,
            shared: self.device.shared_memory.unwrap_or(limits.shared),
        }
    }

    /// The architecture that binaries are made for: the one that is chosen, otherwise the oldest with asynchronous
    /// copies.
    pub(crate) fn binary_arch(&self) -> &str {
        self.device.arch.as_deref().unwrap_or("sm_80")
    }

    /// Returns the options that the code depends on.
    pub(crate) fn code(&self, target: Target) -> CodeOptions<'_> {
        CodeOptions {
            contract: self.contract,
            passes: &self.passes,
            index_bits: self.device.index_bits,
            shared_memory: self.chosen_shared(target),
            async_copies: self.has_async_copies(target),
            version: self.device.arch.as_deref().filter(|_| target.writes_version()),
            effects: self.effects.rows_of_user(),
        }
    }

    /// How functions are lowered.
    pub(crate) fn lowering(&self, target: Target) -> LowerOptions {
        let default = LowerOptions::default();
        LowerOptions {
            max_shared: self
                .chosen_shared(target)
                .map_or(default.max_shared, |it| u32::try_from(it).unwrap_or(u32::MAX)),
            index_bits: if self.device.index_bits == Some(64) { 64 } else { default.index_bits },
            has_async_copies: self.has_async_copies(target),
            effects: self.effects.clone(),
            ..default
        }
    }

    /// Returns true if the chosen architecture copies to shared memory asynchronously.
    fn has_async_copies(&self, target: Target) -> bool {
        self.device.arch.as_deref().is_some_and(|it| arch::has_async_copies(target, it))
    }

    /// The limit of shared memory, if it was chosen; no device has more than another that was not named.
    fn chosen_shared(&self, target: Target) -> Option<u64> {
        let named = self.device.arch.as_deref().map(|it| arch::find(target, Some(it)));
        let of_arch = named.filter(|it| it.is_hardware).map(|it| it.limits.shared);
        self.device.shared_memory.or(of_arch)
    }
}

impl TargetOptions {
    /// The names of all settings.
    pub const KEYS: [&'static str; 6] =
        ["arch", "max-threads", "shared-memory", "index-bits", "contract", "fast-math"];

    /// Reads a target with its settings: `cuda`, or `cuda:arch=sm_90:max-threads=512`.
    ///
    /// # Errors
    ///
    /// The mistake in words, with the allowed forms.
    pub fn parse(text: &str) -> Result<(Target, TargetOptions), String> {
        let mut parts = text.split(':');
        let name = parts.next().unwrap_or_default();
        let target = Target::parse(name).ok_or_else(|| {
            let all: Vec<_> = Target::ALL.iter().map(|it| it.name()).collect();
            format!("there is no target `{name}`; targets are {}", all.join(", "))
        })?;
        let mut options = TargetOptions::default();
        for part in parts {
            let (key, value) = part.split_once('=').ok_or_else(|| {
                format!(
                    "`{part}` is no setting; write {}:KEY=VALUE, with a KEY of {}",
                    name,
                    keys()
                )
            })?;
            options.set(target, key, value)?;
        }
        options.check(target)?;
        Ok((target, options))
    }

    /// The values of one of [`Self::KEYS`]; none if the target has no such setting.
    pub fn values(target: Target, key: &str) -> Option<OptionValues> {
        Some(match key {
            "arch" => {
                let names: Vec<_> = arch::names(target).collect();
                if names.is_empty() {
                    return None;
                }
                OptionValues::Names(names)
            }
            "max-threads" if !target.is_host() => OptionValues::Count,
            "shared-memory" if !target.is_host() => OptionValues::Bytes,
            "index-bits" if target.has_wide_addresses() => OptionValues::Bits(&[32, 64]),
            "index-bits" => OptionValues::Bits(&[32]),
            "contract" if target.controls_contraction() => OptionValues::Flag,
            "fast-math" if target.has_fast_math() => OptionValues::Flag,
            _ => return None,
        })
    }

    /// Sets one of [`Self::KEYS`]; [`Self::check`] checks the combination.
    ///
    /// # Errors
    ///
    /// The mistake in words, with the allowed forms.
    pub fn set(&mut self, target: Target, key: &str, value: &str) -> Result<(), String> {
        let name = target.name();
        let wrong = |what: &str| format!("`{key}={value}` of {name}: {what}");
        let flag = || value.parse::<bool>().map_err(|_| wrong("write true or false"));
        match key {
            "arch" => {
                if !arch::names(target).any(|it| it == value) {
                    let all: Vec<_> = arch::names(target).collect();
                    return Err(match all.is_empty() {
                        true => wrong("this target has no architectures"),
                        false => wrong(&format!("it is unknown; known are {}", all.join(", "))),
                    });
                }
                self.arch = Some(value.to_owned());
            }
            "max-threads" | "shared-memory" if target.is_host() => {
                return Err(wrong("functions of the host have no blocks"));
            }
            "max-threads" => {
                let number = value.parse().ok().filter(|&it| it > 0);
                self.max_threads = Some(number.ok_or_else(|| wrong("write a number of threads"))?);
            }
            "shared-memory" => {
                let bytes = parse_bytes(value);
                self.shared_memory = Some(bytes.ok_or_else(|| wrong("write bytes, or 48K"))?);
            }
            "index-bits" => {
                let bits = value.parse().ok().filter(|it| matches!(it, 32 | 64));
                let bits = bits.ok_or_else(|| wrong("write 32 or 64"))?;
                if bits == 64 && !target.has_wide_addresses() {
                    return Err(wrong("addresses are computed in 32 bits there"));
                }
                self.index_bits = Some(bits);
            }
            "contract" if !target.controls_contraction() => {
                return Err(wrong("the language leaves it to the device"));
            }
            "contract" => self.fuse = Some(flag()?),
            "fast-math" if !target.has_fast_math() => {
                return Err(wrong("the language has no such mode"));
            }
            "fast-math" => self.fast_math = Some(flag()?),
            _ => return Err(format!("`{key}` is no setting of a target; there are {}", keys())),
        }
        Ok(())
    }

    /// Checks that the settings are consistent: no limit is above that of the architecture.
    ///
    /// # Errors
    ///
    /// The inconsistent setting in words, with both numbers.
    pub fn check(&self, target: Target) -> Result<(), String> {
        let Some(name) = &self.arch else { return Ok(()) };
        let row = arch::find(target, Some(name));
        if !row.is_hardware {
            return Ok(());
        }
        let pairs = [
            ("max-threads", self.max_threads.map(u64::from), u64::from(row.limits.threads)),
            ("shared-memory", self.shared_memory, row.limits.shared),
        ];
        for (key, chosen, most) in pairs {
            if let Some(chosen) = chosen.filter(|&it| it > most) {
                return Err(format!("`{key}={chosen}` of {}: {name} has {most}", target.name()));
            }
        }
        Ok(())
    }

    /// These settings, and those of `over` where it has some.
    #[must_use]
    pub fn overlaid(&self, over: &TargetOptions) -> TargetOptions {
        TargetOptions {
            arch: over.arch.clone().or_else(|| self.arch.clone()),
            max_threads: over.max_threads.or(self.max_threads),
            shared_memory: over.shared_memory.or(self.shared_memory),
            index_bits: over.index_bits.or(self.index_bits),
            fuse: over.fuse.or(self.fuse),
            fast_math: over.fast_math.or(self.fast_math),
        }
    }
}

fn keys() -> String {
    TargetOptions::KEYS.join(", ")
}

/// The values that a setting of a target may have.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum OptionValues {
    /// One of these names.
    Names(Vec<&'static str>),
    /// A number from 1.
    Count,
    /// A number of bytes, or one with `K` or `M`.
    Bytes,
    /// One of these numbers.
    Bits(&'static [u8]),
    /// True or false.
    Flag,
}

/// `65536`, `48K`, `1M`.
fn parse_bytes(text: &str) -> Option<u64> {
    let (digits, factor) = match text.strip_suffix(['K', 'k']) {
        Some(digits) => (digits, 1 << 10),
        None => match text.strip_suffix(['M', 'm']) {
            Some(digits) => (digits, 1 << 20),
            None => (text, 1),
        },
    };
    digits.parse::<u64>().ok()?.checked_mul(factor)
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::{Expect, expect};

    #[test]
    fn values_are_those_that_can_be_set() {
        let sets =
            |target, key, value: &str| TargetOptions::default().set(target, key, value).is_ok();
        for target in Target::ALL {
            for key in TargetOptions::KEYS {
                let samples = ["sm_90", "0", "1", "-1", "32", "64", "48K", "true", "x"];
                let takes: Vec<&str> =
                    samples.into_iter().filter(|it| sets(target, key, it)).collect();
                let expected: Vec<&str> = match TargetOptions::values(target, key) {
                    None => vec![],
                    Some(OptionValues::Names(names)) => {
                        assert!(names.iter().all(|it| sets(target, key, it)));
                        samples.into_iter().filter(|it| names.contains(it)).collect()
                    }
                    Some(OptionValues::Count) => vec!["1", "32", "64"],
                    Some(OptionValues::Bytes) => vec!["0", "1", "32", "64", "48K"],
                    Some(OptionValues::Bits([32])) => vec!["32"],
                    Some(OptionValues::Bits(_)) => vec!["32", "64"],
                    Some(OptionValues::Flag) => vec!["true"],
                };
                assert_eq!(takes, expected, "{} {key}", target.name());
            }
        }
    }

    #[track_caller]
    fn check(text: &str, expected: Expect) {
        let read = match TargetOptions::parse(text) {
            Ok((target, options)) => {
                let options = Options::default().with(&options);
                format!("{:?} {:?}", options.limits(target), target.compile_flags(&options))
            }
            Err(error) => error,
        };
        expected.assert_eq(&read);
    }

    #[test]
    fn settings_of_a_target_are_read() {
        check(
            "cuda:arch=sm_75:max-threads=512:fast-math=true",
            expect![[
                r#"Limits { threads: 512, threads_z: 64, shared: 65536 } ["--std=c++17", "--fmad=true", "--use_fast_math", "--gpu-architecture=sm_75"]"#
            ]],
        );
        check(
            "opencl:shared-memory=32K:arch=2.0",
            expect![[
                r#"Limits { threads: 1024, threads_z: 64, shared: 32768 } ["-cl-std=CL2.0", "-cl-fp32-correctly-rounded-divide-sqrt"]"#
            ]],
        );
    }

    #[test]
    fn errors_in_a_setting_are_reported() {
        check(
            "cuda:arch=sm_42",
            expect![
                "`arch=sm_42` of cuda: it is unknown; known are sm_70, sm_72, sm_75, sm_80, sm_86, sm_87, sm_89, sm_90, sm_90a, sm_100, sm_100a, sm_103, sm_120, sm_121"
            ],
        );
        check(
            "cuda:shared-memory=128K:arch=sm_86",
            expect!["`shared-memory=131072` of cuda: sm_86 has 101376"],
        );
        check("wgsl:arch=1", expect!["`arch=1` of wgsl: this target has no architectures"]);
        check(
            "wgsl:fast-math=true",
            expect!["`fast-math=true` of wgsl: the language has no such mode"],
        );
        check(
            "c:max-threads=1",
            expect!["`max-threads=1` of c: functions of the host have no blocks"],
        );
        check(
            "spirv:index-bits=64",
            expect!["`index-bits=64` of spirv: addresses are computed in 32 bits there"],
        );
        check(
            "hip:gfx90a",
            expect![
                "`gfx90a` is no setting; write hip:KEY=VALUE, with a KEY of arch, max-threads, shared-memory, index-bits, contract, fast-math"
            ],
        );
        check(
            "cuda:threads=1",
            expect![
                "`threads` is no setting of a target; there are arch, max-threads, shared-memory, index-bits, contract, fast-math"
            ],
        );
        check(
            "ptx",
            expect![
                "there is no target `ptx`; targets are cuda, opencl, hip, c, spirv, wgsl, metal"
            ],
        );
    }
}
