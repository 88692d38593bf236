//! Device limits: checks that a kernel fits the devices that it is for, in threads of a block and shared memory.
//!
//! In: the canonical manifest entry of a kernel, a target and its options. Out: the reason why it does not fit, with
//! numbers. The check runs when an artifact is written out, not when it is made: another limit generates nothing.

use rules::Reason;

use crate::{
    Options, Target,
    artifact::manifest::{self, Expr},
    reasons,
};

/// The reason why a kernel does not fit.
pub(crate) struct Exceeded {
    /// One of [`crate::reasons`].
    pub(crate) reason: Reason,
    pub(crate) detail: String,
    /// The feature of the kernel that it is about, if it is one.
    pub(crate) feature: Option<usize>,
}

/// Returns the reason why a kernel does not fit; none if it does, or if its block is chosen by the caller.
pub(crate) fn exceeded(
    kernel: &manifest::Kernel,
    target: Target,
    options: &Options,
) -> Option<Exceeded> {
    let limits = options.limits(target);
    let who = options.device.arch.as_deref().unwrap_or(target.name());
    // A limit that somebody chose is named by its setting.
    let most = |limit: u64, key: &str, is_chosen: bool| match is_chosen {
        true => format!("`{key}` allows {limit}"),
        false => format!("{who} takes {limit}"),
    };
    let refused = |reason, detail| Some(Exceeded { reason, detail, feature: None });
    let [x, y, z] = kernel.block.each_ref().map(|it: &Expr| it.tree.as_int());
    if let (Some(x), Some(y), Some(z)) = (x, y, z) {
        let threads = [x, y, z].map(i128::from).iter().fold(1i128, |a, b| a.saturating_mul(*b));
        if threads > i128::from(limits.threads) {
            let chosen = options.device.max_threads.is_some();
            let most = most(limits.threads.into(), "max-threads", chosen);
            return refused(reasons::BLOCK_SIZE, format!("a block has {threads} threads; {most}"));
        }
        if z > i64::from(limits.threads_z) {
            let most = most(limits.threads_z.into(), "", false);
            return refused(
                reasons::BLOCK_SIZE,
                format!("a block has {z} threads along z; {most}"),
            );
        }
    }
    if target.has_instructions()
        && let Some(arch) = options.device.arch.as_deref().and_then(arch_number)
    {
        for (at, feature) in kernel.features.iter().enumerate() {
            let (needed, what) = feature.split_once(' ').unwrap_or((feature, "it"));
            if arch_number(needed).is_some_and(|it| it > arch) {
                let detail = format!("`{what}` needs `arch={needed}`; the target is {who}");
                return Some(Exceeded { reason: reasons::ARCH, detail, feature: Some(at) });
            }
        }
    }
    let shared = kernel.static_shared_bytes.saturating_add(kernel.dynamic_shared_bytes);
    if shared > limits.shared {
        let chosen = options.device.shared_memory.is_some();
        let most = most(limits.shared, "shared-memory", chosen);
        return refused(
            reasons::SHARED_MEMORY_SIZE,
            format!("{shared} bytes of shared memory; {most}"),
        );
    }
    None
}

/// 80 of `sm_80`.
fn arch_number(name: &str) -> Option<u32> {
    name.strip_prefix("sm_")?.trim_end_matches(char::is_alphabetic).parse().ok()
}
