//! OpenCL C 1.2.

mod dialect;
mod keywords;

/// The dialect.
pub(crate) struct OpenCl {
    /// Lets the compiler fuse a product and a sum.
    pub(crate) contract: bool,
}
