//! The differences between the languages that naga writes: types, limits, capabilities of the validator.
//!
//! The sources of the limits are the specifications of WebGPU (`maxComputeWorkgroupsPerDimension`)
//! and Vulkan (`maxComputeWorkGroupCount`); those of a block are in [`crate::target::arch`].

use ::naga::valid::Capabilities;
use ir::{DataType, TypeCode};

/// A language that naga writes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) enum ShaderLanguage {
    /// SPIR-V for Vulkan 1.1.
    Spirv,
    /// WGSL of WebGPU, with `enable f16` where it is needed.
    Wgsl,
    /// Metal Shading Language 2.3.
    Metal,
}

impl ShaderLanguage {
    /// Returns true if there are integers of 64 bits. Where there are none, only their low halves are computed.
    pub(super) fn has_int64(self) -> bool {
        self != ShaderLanguage::Wgsl
    }
    /// Returns true if there are floats of 64 bits.
    pub(super) fn has_float64(self) -> bool {
        self == ShaderLanguage::Spirv
    }
    /// Returns true if memory may hold integers of 16 bits.
    pub(super) fn has_int16(self) -> bool {
        self != ShaderLanguage::Wgsl
    }
    /// Returns the capabilities that the validator accepts.
    pub(super) fn capabilities(self) -> Capabilities {
        let mut capabilities = Capabilities::SHADER_FLOAT16;
        capabilities.set(Capabilities::SHADER_INT64, self.has_int64());
        capabilities.set(Capabilities::FLOAT64, self.has_float64());
        capabilities.set(Capabilities::SHADER_INT16, self.has_int16());
        capabilities
    }
    /// Blocks that a grid may have along one dimension.
    pub(super) fn grid_limit(self) -> Option<i64> {
        (self != ShaderLanguage::Metal).then_some(65_535)
    }
    /// Returns the device feature that code with a value of this type requires.
    pub(super) fn feature(self, dtype: DataType, in_memory: bool) -> Option<&'static str> {
        match (dtype.code, dtype.bits) {
            (TypeCode::Float, 16) if in_memory => Some("shader-f16"),
            (TypeCode::Float, 64) => Some("shader-f64"),
            (TypeCode::Int | TypeCode::UInt, 64) if self.has_int64() => Some("shader-int64"),
            (TypeCode::Int | TypeCode::UInt | TypeCode::BFloat, 16)
                if in_memory && self.has_int16() =>
            {
                Some("shader-int16")
            }
            _ => None,
        }
    }
}
