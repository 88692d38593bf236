//! Actions: what entries of the store are made from, as the Remote Execution API describes work.
//!
//! An entry is the output of an *action*: a command (this program's version and the settings of the target), an input
//! root (the normal form of the function, or the source of a kernel) and a platform (what the command needs: an
//! architecture, a compiler with its version). The key of the entry is the action's digest: the SHA-256 of its message
//! in the canonical encoding of protocol buffers. So one key serves the memory of a build, the store on disk, an
//! object store, and the action cache of any server of that API. Messages refer to each other by digests, so the key
//! covers every byte of them. No path, name of the user, line, host, time or order of discovery is in a message.
//!
//! The messages are the parts that are used here of `build/bazel/remote/execution/v2/remote_execution.proto`; the tests
//! of the crate `remote` compare their bytes with those of the whole messages. Linear in the inputs.

use prost::Message as _;
use sha2::{Digest as _, Sha256};

use super::key::{GENERATOR, Key, hex};
use crate::{Options, Target};

/// The name of the output of each action.
pub const OUTPUT: &str = "entry";
/// The property of a platform that identifies a compiler.
const COMPILER: &str = "compiler";
/// The property of a platform that is the architecture of its devices.
const ARCHITECTURE: &str = "architecture";

/// The messages, by their names there.
mod message {
    /// The message `Digest`.
    #[derive(Clone, PartialEq, Eq, prost::Message)]
    pub struct Digest {
        /// SHA-256, in lower-case hexadecimal digits.
        #[prost(string, tag = "1")]
        pub hash: String,
        /// Bytes.
        #[prost(int64, tag = "2")]
        pub size_bytes: i64,
    }

    #[derive(Clone, PartialEq, prost::Message)]
    pub(super) struct FileNode {
        #[prost(string, tag = "1")]
        pub(super) name: String,
        #[prost(message, optional, tag = "2")]
        pub(super) digest: Option<Digest>,
    }

    #[derive(Clone, PartialEq, prost::Message)]
    pub(super) struct Directory {
        #[prost(message, repeated, tag = "1")]
        pub(super) files: Vec<FileNode>,
    }

    #[derive(Clone, PartialEq, prost::Message)]
    pub(super) struct Command {
        #[prost(string, repeated, tag = "1")]
        pub(super) arguments: Vec<String>,
        #[prost(string, repeated, tag = "7")]
        pub(super) output_paths: Vec<String>,
    }

    #[derive(Clone, PartialEq, prost::Message)]
    pub(super) struct Property {
        #[prost(string, tag = "1")]
        pub(super) name: String,
        #[prost(string, tag = "2")]
        pub(super) value: String,
    }

    #[derive(Clone, PartialEq, prost::Message)]
    pub(super) struct Platform {
        #[prost(message, repeated, tag = "1")]
        pub(super) properties: Vec<Property>,
    }

    #[derive(Clone, PartialEq, prost::Message)]
    pub(super) struct Action {
        #[prost(message, optional, tag = "1")]
        pub(super) command_digest: Option<Digest>,
        #[prost(message, optional, tag = "2")]
        pub(super) input_root_digest: Option<Digest>,
        #[prost(message, optional, tag = "10")]
        pub(super) platform: Option<Platform>,
    }
}

pub use self::message::Digest as DigestMessage;

/// SHA-256 and length of bytes.
#[derive(
    Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, serde::Serialize, serde::Deserialize,
)]
pub struct Digest {
    /// SHA-256.
    pub hash: [u8; 32],
    /// Bytes.
    pub size: u64,
}

impl Digest {
    /// The digest of bytes.
    pub fn of(bytes: &[u8]) -> Digest {
        Digest { hash: Sha256::digest(bytes).into(), size: bytes.len() as u64 }
    }

    /// As a message.
    pub fn message(self) -> DigestMessage {
        // No memory holds more bytes than that.
        let size_bytes = i64::try_from(self.size).unwrap_or(i64::MAX);
        DigestMessage { hash: hex(&self.hash), size_bytes }
    }
}

/// Describes what an entry is made from.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Action {
    key: Key,
    message: Vec<u8>,
    command: Vec<u8>,
    root: Vec<u8>,
}

impl Action {
    /// An action of a command, files of the input root by name, and needs by name.
    fn new(arguments: &[&str], inputs: &[(&str, Digest)], needs: &[(&str, &str)]) -> Action {
        let arguments = ["tir-analyzer"].iter().chain(arguments).map(|&it| it.to_owned());
        let command = message::Command {
            arguments: arguments.collect(),
            output_paths: vec![OUTPUT.to_owned()],
        };
        let file = |(name, digest): &(&str, Digest)| message::FileNode {
            name: (*name).to_owned(),
            digest: Some(digest.message()),
        };
        let mut root = message::Directory { files: inputs.iter().map(file).collect() };
        // In the canonical form both are sorted.
        root.files.sort_by(|a, b| a.name.cmp(&b.name));
        let need = |(name, value): &(&str, &str)| message::Property {
            name: (*name).to_owned(),
            value: (*value).to_owned(),
        };
        let mut platform = message::Platform { properties: needs.iter().map(need).collect() };
        platform.properties.sort_by(|a, b| (&a.name, &a.value).cmp(&(&b.name, &b.value)));
        let (command, root) = (command.encode_to_vec(), root.encode_to_vec());
        let message = message::Action {
            command_digest: Some(Digest::of(&command).message()),
            input_root_digest: Some(Digest::of(&root).message()),
            platform: (!platform.properties.is_empty()).then_some(platform),
        };
        let message = message.encode_to_vec();
        Action { key: Key(Digest::of(&message).hash), message, command, root }
    }

    fn of_code(input: (&str, Digest), target: Target, options: &Options) -> Action {
        let options =
            serde_json::to_string(&options.code(target)).expect("plain data has a JSON form");
        let arguments = ["generate", GENERATOR, "--target", target.name(), "--options", &options];
        Action::new(&arguments, &[input], &[])
    }

    /// The action whose output is the artifact of a function with this normal form
    /// ([`ir::fingerprint::normal_form`]).
    pub fn of_artifact(function: Digest, target: Target, options: &Options) -> Action {
        Action::of_code(("function", function), target, options)
    }

    /// The action of a function that has no normal form, as there is something unknown in it: a hash of all that its
    /// body depends on takes the place of that.
    pub fn of_unknown(text: &[u8; 32], target: Target, options: &Options) -> Action {
        Action::of_code(("hash-of-text", Digest::of(text)), target, options)
    }

    /// The action whose output is what the text of a file remembers of its functions. `reader` is the version of the
    /// reader of source texts.
    pub fn of_text(text: &[u8; 32], reader: &str) -> Action {
        let arguments = ["read", GENERATOR, "--reader", reader];
        Action::new(&arguments, &[("hash-of-text", Digest::of(text))], &[])
    }

    /// The action whose output is what a vendor's compiler makes of the source of a kernel. `runner` is the version of
    /// the code that runs compilers, and `compiler` identifies the programs with their versions.
    pub fn of_binary(
        source: &str,
        flags: &[String],
        arch: &str,
        compiler: &str,
        runner: &str,
    ) -> Action {
        let mut arguments = vec!["compile", runner, "--entry", super::BINARY_ENTRY];
        arguments.extend(flags.iter().map(String::as_str));
        let source = ("kernel.cu", Digest::of(source.as_bytes()));
        Action::new(&arguments, &[source], &[(COMPILER, compiler), (ARCHITECTURE, arch)])
    }

    /// The action of what another program keeps under a name.
    pub fn of_other(name: &str) -> Action {
        Action::new(&["keep", name], &[], &[])
    }

    /// The key of its output: the SHA-256 of [`Self::message`].
    pub fn key(&self) -> Key {
        self.key
    }

    /// The encoded message `Action`.
    pub fn message(&self) -> &[u8] {
        &self.message
    }

    /// The encoded message `Command` that it refers to.
    pub fn command(&self) -> &[u8] {
        &self.command
    }

    /// The encoded message `Directory` that it refers to.
    pub fn root(&self) -> &[u8] {
        &self.root
    }
}

#[cfg(test)]
mod tests;
