#![doc = include_str!("../README.md")]

mod artifact;
mod backend;
pub mod build;
mod device;
pub mod execute;
pub mod kernel;
pub mod reasons;
mod target;
#[cfg(test)]
mod test_bodies;
#[cfg(test)]
mod tests;

pub use artifact::{SharedLine, action, canonical, key::Key, manifest, names, store};
pub use backend::{DeviceCode, Feature};
pub use device::{
    Checkpoint, Source, device_code, device_code_until, emit, kernels, kernels_for, with_barriers,
};
pub use kernel::{Kernel, KernelSet, Unsupported, bounds, host, split::launches};
pub use target::{
    Target, arch,
    options::{OptionValues, Options, TargetOptions},
};
