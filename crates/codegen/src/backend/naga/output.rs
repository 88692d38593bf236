//! From a module to text and bytes: naga's validator, then its writers.
//!
//! A module that the validator refuses is refused with its words; it would be a mistake of this crate, or a limit of
//! naga. The validator's check that barriers stand in uniform control flow is left out: it takes every loop variable
//! for one that differs between threads, and [`crate::kernel::sync`] places barriers only where all threads pass.

use ::naga::{
    Module, ShaderStage,
    back::{msl, spv, wgsl},
    valid::{ModuleInfo, ValidationFlags, Validator},
};

use super::{language::ShaderLanguage, names, spirv};
use crate::{
    artifact::manifest::Bindings,
    kernel::{Refusal, Result},
    reasons,
    target::arch::version,
};

/// Validates a module.
pub(super) fn validate(module: &Module, language: ShaderLanguage) -> Result<ModuleInfo> {
    let flags = ValidationFlags::all() - ValidationFlags::CONTROL_FLOW_UNIFORMITY;
    Validator::new(flags, language.capabilities()).validate(module).map_err(|error| {
        let mut text = error.as_inner().to_string();
        let mut cause: Option<&dyn std::error::Error> = std::error::Error::source(error.as_inner());
        while let Some(error) = cause {
            text.push_str(": ");
            text.push_str(&error.to_string());
            cause = error.source();
        }
        Refusal::new(
            reasons::VALIDATOR,
            names::slots(&text).replace(crate::artifact::names::MARK, ""),
        )
    })
}

fn failed(error: &dyn std::error::Error) -> Refusal {
    Refusal::new(reasons::VALIDATOR, format!("naga cannot write it: {error}"))
}

/// Text with slots; of a module for SPIR-V, that of the same module in WGSL with naga's types of 64 bits.
pub(super) fn text(
    module: &Module,
    info: &ModuleInfo,
    language: ShaderLanguage,
    bindings: &Bindings,
    arch: Option<&str>,
) -> Result<String> {
    let text = match language {
        // What WGSL cannot say is not shown; the binary is there all the same.
        ShaderLanguage::Spirv => {
            wgsl::write_string(module, info, wgsl::WriterFlags::empty()).unwrap_or_default()
        }
        ShaderLanguage::Wgsl => wgsl::write_string(module, info, wgsl::WriterFlags::empty())
            .map_err(|it| failed(&it))?,
        ShaderLanguage::Metal => {
            let options = metal_options(module, bindings, arch);
            let pipeline = msl::PipelineOptions::default();
            msl::write_string(module, info, &options, &pipeline).map_err(|it| failed(&it))?.0
        }
    };
    let title = match language {
        ShaderLanguage::Spirv => {
            "// SPIR-V is binary: this is the same module in WGSL, with types of naga's own.\n"
        }
        ShaderLanguage::Wgsl | ShaderLanguage::Metal => "",
    };
    let mut trimmed = title.to_owned();
    for line in text.lines() {
        trimmed.push_str(line.trim_end());
        trimmed.push('\n');
    }
    Ok(names::slots(&trimmed))
}

/// Buffer slots have the numbers of the bindings.
fn metal_options(module: &Module, bindings: &Bindings, arch: Option<&str>) -> msl::Options {
    let mut resources = msl::EntryPointResources::default();
    for (_, variable) in module.global_variables.iter() {
        let Some(binding) = variable.binding else { continue };
        let written = matches!(
            variable.space,
            ::naga::AddressSpace::Storage { access } if access.contains(::naga::StorageAccess::STORE)
        );
        let slot = u8::try_from(binding.binding).unwrap_or(u8::MAX);
        let target = msl::BindTarget { buffer: Some(slot), mutable: written, ..Default::default() };
        resources.resources.insert(binding, target);
    }
    resources.sizes_buffer = bindings.sizes.and_then(|it| u8::try_from(it).ok());
    msl::Options {
        lang_version: version(arch, (2, 3)),
        per_entry_point_map: [(names::ENTRY.to_owned(), resources)].into_iter().collect(),
        fake_missing_bindings: false,
        zero_initialize_workgroup_memory: false,
        force_loop_bounding: false,
        ..Default::default()
    }
}

/// SPIR-V 1.3 unless another version is chosen, without names; its entry point is `main`.
pub(super) fn binary(
    module: &mut Module,
    info: &ModuleInfo,
    contract: bool,
    arch: Option<&str>,
) -> Result<Vec<u32>> {
    let entry = "main".to_owned();
    if let Some(point) = module.entry_points.first_mut() {
        point.name.clone_from(&entry);
    }
    let options = spv::Options {
        lang_version: version(arch, (1, 3)),
        flags: spv::WriterFlags::empty(),
        zero_initialize_workgroup_memory: spv::ZeroInitializeWorkgroupMemoryMode::None,
        force_loop_bounding: false,
        ..Default::default()
    };
    let pipeline = spv::PipelineOptions { shader_stage: ShaderStage::Compute, entry_point: entry };
    let words =
        spv::write_vec(module, info, &options, Some(&pipeline)).map_err(|it| failed(&it))?;
    Ok(if contract { words } else { spirv::without_contraction(&words) })
}
