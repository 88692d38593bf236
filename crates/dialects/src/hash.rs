//! The hash of names, the same when the product is built and when it runs.

/// FNV-1a of the bytes of a name.
pub(crate) fn of_name(name: &str) -> u32 {
    name.bytes().fold(0x811c_9dc5, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193))
}
