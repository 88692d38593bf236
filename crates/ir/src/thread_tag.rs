//! Thread tags: which index of a launch a loop or a variable is.
//!
//! In: the text of a tag, where a program is read. Out: a [`ThreadTag`], of which code asks what it needs to know.
//! The table below is the only place that compares these texts; [`crate::Body::thread_tag`] reads one,
//! [`crate::Body::tag_name`] writes it as it was. O(length of the text).

use crate::NameId;

/// A dimension of a launch.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Dim {
    /// `.x`
    X,
    /// `.y`
    Y,
    /// `.z`
    Z,
}

impl Dim {
    /// All of them.
    pub const ALL: [Dim; 3] = [Dim::X, Dim::Y, Dim::Z];
}

/// The unit that a thread index counts.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum ThreadTag {
    /// `blockIdx.x`: the blocks of a launch.
    BlockIdx(Dim),
    /// `threadIdx.x`: the threads of a block.
    ThreadIdx(Dim),
    /// `clusterCtaIdx.x`: the blocks of a cluster.
    ClusterCtaIdx(Dim),
    /// `vthread`, `vthread.x`: virtual threads, which one thread executes; by the text.
    VThread(NameId),
    /// Another tag, by its text.
    Other(NameId),
}

/// Each tag with its text.
const NAMES: [(&str, ThreadTag); 9] = [
    ("blockIdx.x", ThreadTag::BlockIdx(Dim::X)),
    ("blockIdx.y", ThreadTag::BlockIdx(Dim::Y)),
    ("blockIdx.z", ThreadTag::BlockIdx(Dim::Z)),
    ("threadIdx.x", ThreadTag::ThreadIdx(Dim::X)),
    ("threadIdx.y", ThreadTag::ThreadIdx(Dim::Y)),
    ("threadIdx.z", ThreadTag::ThreadIdx(Dim::Z)),
    ("clusterCtaIdx.x", ThreadTag::ClusterCtaIdx(Dim::X)),
    ("clusterCtaIdx.y", ThreadTag::ClusterCtaIdx(Dim::Y)),
    ("clusterCtaIdx.z", ThreadTag::ClusterCtaIdx(Dim::Z)),
];

impl ThreadTag {
    /// The indices of a launch, in the order of its configuration: those of blocks, then those of threads.
    pub const LAUNCH: [ThreadTag; 6] = [
        ThreadTag::BlockIdx(Dim::X),
        ThreadTag::BlockIdx(Dim::Y),
        ThreadTag::BlockIdx(Dim::Z),
        ThreadTag::ThreadIdx(Dim::X),
        ThreadTag::ThreadIdx(Dim::Y),
        ThreadTag::ThreadIdx(Dim::Z),
    ];

    /// The tag of a text; the name is that of the text.
    pub(crate) fn of_text(text: &str, name: NameId) -> ThreadTag {
        match NAMES.iter().find(|(it, _)| *it == text) {
            Some(&(_, tag)) => tag,
            None if text.starts_with("vthread") => ThreadTag::VThread(name),
            None => ThreadTag::Other(name),
        }
    }

    /// The text of a tag that has a dimension, or the name of it.
    pub fn text(self) -> Result<&'static str, NameId> {
        match self {
            ThreadTag::VThread(name) | ThreadTag::Other(name) => Err(name),
            known => Ok(NAMES.iter().find(|(_, it)| *it == known).map_or("", |(text, _)| text)),
        }
    }

    /// An index of blocks.
    pub fn is_block(self) -> bool {
        matches!(self, ThreadTag::BlockIdx(_))
    }

    /// An index of threads in a block.
    pub fn is_thread(self) -> bool {
        matches!(self, ThreadTag::ThreadIdx(_))
    }

    /// An index of virtual threads.
    pub fn is_virtual(self) -> bool {
        matches!(self, ThreadTag::VThread(_))
    }

    /// The place among the indices of a launch.
    pub fn launch_index(self) -> Option<usize> {
        ThreadTag::LAUNCH.iter().position(|it| *it == self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Body, Dialect};

    #[test]
    fn tags_are_read_and_written_as_they_were() {
        let mut body = Body::new("f", Dialect::Tirx);
        let texts = NAMES.map(|it| it.0);
        for text in texts.into_iter().chain(["vthread", "vthread.x", "blockIdx", "cthread"]) {
            let tag = body.thread_tag(text);
            assert_eq!(body.tag_name(tag), text);
        }
    }

    #[test]
    fn only_block_and_thread_indices_are_of_a_launch() {
        let mut body = Body::new("f", Dialect::Tirx);
        let mut tag = |text| body.thread_tag(text);
        assert_eq!(tag("threadIdx.z").launch_index(), Some(5));
        assert_eq!(tag("vthread.x").launch_index(), None);
        assert_eq!(tag("blockIdx").launch_index(), None);
        assert!(tag("vthread.x").is_virtual() && tag("vthread").is_virtual());
        assert!(!tag("clusterCtaIdx.x").is_block());
    }
}
