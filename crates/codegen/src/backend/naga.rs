//! One translation for the languages that naga writes: SPIR-V, WGSL and Metal differ by a [`ShaderLanguage`] only.
//!
//! In: a kernel of a [`KernelSet`]. Out: naga's module, validated, as canonical text with slots for names
//! ([`crate::artifact::names`]), and as bytes where the language has them. A construct that a language cannot express
//! exactly is refused with a reason, never approximated. Linear in the printed size.

mod expr;
mod function;
mod intrinsics;
mod language;
mod lines;
mod memory;
mod names;
mod operators;
mod output;
mod spirv;
mod stmt;
#[cfg(test)]
mod tests;
mod types;
mod writer;

pub(crate) use intrinsics::spelling;
pub(crate) use language::ShaderLanguage;
pub(crate) use names::words;

use ::naga::{EntryPoint, ShaderStage};

use crate::{
    Options,
    backend::{DeviceCode, Feature, c_family::dialect::Dialect},
    kernel::{Kernel, KernelSet, Result},
};

/// Stack for naga, which recurses over nested statements and expressions; both are bounded before.
const STACK: usize = 16 << 20;

/// Writes one kernel.
pub(crate) fn emit(
    set: &KernelSet,
    kernel: &Kernel,
    language: ShaderLanguage,
    options: &Options,
) -> Result<DeviceCode> {
    let mut writer = writer::Writer::new(set, kernel, language);
    let workgroup_size = writer.workgroup_size()?;
    writer.kernel()?;
    let mut module = writer.out.module;
    module.entry_points.push(EntryPoint {
        name: names::ENTRY.to_owned(),
        stage: ShaderStage::Compute,
        early_depth_test: None,
        workgroup_size,
        workgroup_size_overrides: None,
        function: writer.out.function,
        mesh_info: None,
        task_payload: None,
        incoming_ray_payload: None,
    });
    let bindings = writer.bindings;
    let arch = options.device.arch.as_deref();
    let marked = writer.out.marked;
    let (text, lines, binary) = stacker::grow(STACK, || {
        let mut plain = lines::without_markers(&module);
        let info = output::validate(&plain, language)?;
        let text = output::text(&plain, &info, language, &bindings, arch)?;
        let with_markers = output::text(&module, &info, language, &bindings, arch)?;
        let lines = lines::of_text(&text, &with_markers, &marked);
        let binary = match language {
            ShaderLanguage::Spirv => output::binary(&mut plain, &info, options.contract, arch)?,
            ShaderLanguage::Wgsl | ShaderLanguage::Metal => Vec::new(),
        };
        Ok((text, lines, binary))
    })?;
    let mut features: Vec<Feature> = Vec::new();
    for known in ["shader-f16", "shader-f64", "shader-int16", "shader-int64"] {
        let feature = || Feature { name: known.to_owned(), op: None };
        features.extend(writer.features.contains(known).then(feature));
    }
    Ok(DeviceCode {
        text,
        binary,
        made: writer.out.names.into_made(),
        static_shared: writer.shared_bytes,
        dynamic_shared: 0,
        lines,
        shared: Vec::new(),
        bindings: Some(bindings),
        features,
        checks: writer.checks,
    })
}

/// Beginnings of words that naga's writers use.
pub(crate) const RESERVED_PREFIXES: &[&str] = &["_", "naga", "metal"];

/// Returns true if a word of a language cannot be an identifier of ours.
pub(crate) fn is_reserved(word: &str, language: ShaderLanguage) -> bool {
    match language {
        ShaderLanguage::Spirv | ShaderLanguage::Wgsl => {
            ::naga::keywords::wgsl::RESERVED.contains(&word)
                || ::naga::keywords::wgsl::BUILTIN_IDENTIFIERS.contains(&word)
        }
        ShaderLanguage::Metal => {
            Dialect::is_reserved(&crate::backend::cuda::Cuda, word) || METAL.contains(&word)
        }
    }
}

/// Words of Metal that C++ does not have.
const METAL: &[&str] = &[
    "atomic_uint",
    "bfloat",
    "constant",
    "device",
    "fragment",
    "half",
    "kernel",
    "object_data",
    "packed_float2",
    "packed_float3",
    "packed_float4",
    "ptrdiff_t",
    "ray_data",
    "size_t",
    "texture",
    "thread",
    "threadgroup",
    "threadgroup_imageblock",
    "uint",
    "uint2",
    "uint3",
    "ulong",
    "ushort",
    "vertex",
    "visible",
    "stitchable",
];
