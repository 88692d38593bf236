//! C11: a whole function as one exported function over pointers and numbers, compiled by the system's `cc`.

mod conversions;
mod dialect;
mod keywords;

/// The dialect.
pub(crate) struct C {
    /// True if the compiler may fuse a product and a sum.
    pub(crate) contract: bool,
}
