#![doc = include_str!("../README.md")]

mod access;
mod allreduce;
pub mod arch;
mod artifact;
mod barrier;
mod bound;
pub mod bounds;
pub mod build;
mod c;
mod c_family;
pub mod canonical;
mod cuda;
mod device;
mod hip;
pub mod host;
mod index_width;
pub mod kernel;
mod key;
mod limits;
pub mod manifest;
mod naga;
pub mod names;
mod opencl;
mod options;
pub mod reasons;
mod split;
pub mod store;
mod sync;
mod target;
#[cfg(test)]
mod test_bodies;
#[cfg(test)]
mod tests;

pub use artifact::SharedLine;
pub use c_family::{DeviceCode, Feature};
pub use device::{
    Checkpoint, Source, device_code, device_code_until, emit, kernels, kernels_for, with_barriers,
};
pub use kernel::{Kernel, KernelSet, Unsupported};
pub use key::Key;
pub use options::{Options, TargetOptions};
pub use split::launches;
pub use target::Target;
