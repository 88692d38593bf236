//! The state of an output folder after its last build, by which the next one quickly sees that a file needs nothing.
//!
//! There is one file for each target among the store's notes about the folder ([`super::OutputFolder`]). It holds for
//! every source file the hash of its text, and every output with its hash and a [`Stamp`]. An output with another stamp
//! is read again, whoever changed it. A state file of another version, or with a wrong checksum, counts as absent: then
//! the manifests of the folder describe its contents ([`FileState::of_module`]). The state is written last: after a
//! kill the old one remains, whose stamps no longer match the outputs replaced since. Linear in the kernels; the entry
//! of a file is decoded on demand.

use std::{
    collections::BTreeMap,
    fs, io,
    ops::Range,
    path::{Path, PathBuf},
    sync::{Arc, OnceLock},
};

use serde::{Deserialize, Serialize};

use super::Measured;
use crate::{
    Target,
    artifact::{
        key::{Key, hex},
        manifest::{self, Module, UnsupportedFunction},
        store::{
            Stamp,
            sealed::{self, SEAL},
        },
    },
};

/// Raised with the form of the file.
const VERSION: u32 = 5;

/// The file of a target.
fn file(notes: &Path, target: Target) -> PathBuf {
    notes.join(format!("{}.state", target.name()))
}

/// The state of a target's folder.
#[derive(Default, Debug)]
pub(super) struct State {
    /// The generator of the code.
    pub(super) generator: String,
    /// With these options.
    pub(super) options: String,
    /// `manifest.json`, if it was written.
    pub(super) index: Option<Written>,
    /// All that was read.
    bytes: Vec<u8>,
    files: BTreeMap<String, Stored>,
}

/// The state of a file, which is read when it is asked for: threads share that work.
#[derive(Debug)]
struct Stored {
    /// `None` for entries that come from manifests.
    bytes: Option<Range<usize>>,
    /// Known without reading it, as all are asked for that before threads share the work.
    has_outputs: bool,
    state: OnceLock<Option<Arc<FileState>>>,
}

/// The beginning of the file; the states of the files follow.
#[derive(Serialize, Deserialize)]
struct Head<'a> {
    version: u32,
    generator: &'a str,
    options: &'a str,
    index: Option<Written>,
    /// Names, how many bytes their states have, and whether they have outputs.
    #[serde(borrow)]
    files: Vec<(&'a str, usize, bool)>,
}

/// The states of files by name; shared, as most stay from build to build.
pub(super) type Files = BTreeMap<String, Arc<FileState>>;

/// The result for a file.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(super) struct FileState {
    /// Hash of its text.
    #[serde(with = "hash")]
    pub(super) text: [u8; 32],
    /// Hash of its other inputs: generator and options.
    #[serde(with = "hash")]
    pub(super) made_with: [u8; 32],
    /// `module.json`, if it has something to say.
    pub(super) manifest: Option<Written>,
    pub(super) functions: Vec<FunctionState>,
    pub(super) unsupported: Vec<UnsupportedFunction>,
    pub(super) without_launch: u32,
}

/// A function with kernels.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(super) struct FunctionState {
    pub(super) name: String,
    pub(super) structure: Option<[u8; 16]>,
    #[serde(with = "hash")]
    pub(super) key: [u8; 32],
    pub(super) kernels: Vec<KernelState>,
}

/// A kernel.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(super) struct KernelState {
    pub(super) entry: String,
    pub(super) file: Written,
    /// Its binaries: endings of their names, and their files.
    pub(super) binaries: Vec<(String, Written)>,
    pub(super) measured: Option<Measured>,
}

/// A file of the output.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(super) struct Written {
    #[serde(with = "hash")]
    pub(super) hash: [u8; 32],
    pub(super) stamp: Stamp,
}

impl Written {
    /// Returns true if the file at `path` is still that file.
    pub(super) fn stands(&self, path: &Path) -> bool {
        fs::metadata(path).is_ok_and(|it| Stamp::of(&it) == self.stamp)
    }
}

impl State {
    pub(super) fn new(generator: String, options: String) -> State {
        State { generator, options, ..State::default() }
    }

    /// The state of these files, with `manifest.json`, all of it in memory.
    pub(super) fn of(generator: &str, options: &str, index: Written, files: Files) -> State {
        let mut state = State::new(generator.to_owned(), options.to_owned());
        state.index = Some(index);
        files.into_iter().for_each(|(name, it)| drop(state.put(name, it)));
        state
    }

    /// The state of a folder; none where there is none that can be trusted.
    pub(super) fn read(notes: &Path, target: Target) -> Option<State> {
        let bytes = sealed::read_bytes(&file(notes, target))?;
        let (head, states) = postcard::take_from_bytes::<Head<'_>>(bytes.get(SEAL..)?).ok()?;
        let mut at = bytes.len() - states.len();
        let mut stored = |len: usize, has_outputs: bool| {
            let end = at.checked_add(len)?;
            let bytes = std::mem::replace(&mut at, end)..end;
            Some(Stored { bytes: Some(bytes), has_outputs, state: OnceLock::new() })
        };
        let files = head
            .files
            .iter()
            .map(|&(name, len, has_outputs)| Some((name.to_owned(), stored(len, has_outputs)?)));
        let files = files.collect::<Option<_>>()?;
        let (generator, options) = (head.generator.to_owned(), head.options.to_owned());
        let (version, index) = (head.version, head.index);
        (version == VERSION).then_some(State { generator, options, index, bytes, files })
    }

    /// The result for a file.
    pub(super) fn get(&self, name: &str) -> Option<&Arc<FileState>> {
        self.state(self.files.get(name)?)
    }

    fn state<'a>(&'a self, stored: &'a Stored) -> Option<&'a Arc<FileState>> {
        let read = || postcard::from_bytes(self.bytes.get(stored.bytes.clone()?)?).ok();
        stored.state.get_or_init(|| read().map(Arc::new)).as_ref()
    }

    /// The names of all files.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.files.keys().map(String::as_str)
    }

    /// The names of files with outputs.
    pub(super) fn names_with_outputs(&self) -> impl Iterator<Item = &str> {
        self.files.iter().filter(|it| it.1.has_outputs).map(|it| it.0.as_str())
    }

    /// Replaces the entry of a file; `None` removes it.
    pub(super) fn set(&mut self, name: &str, state: Option<FileState>) {
        match state.map(Arc::new) {
            None => drop(self.files.remove(name)),
            Some(it) => drop(self.put(name.to_owned(), it)),
        }
    }

    /// Replaces the entry of a file; the one that it had.
    pub(super) fn put(&mut self, name: String, state: Arc<FileState>) -> Option<Arc<FileState>> {
        let has_outputs = state.manifest.is_some();
        let stored = Stored { bytes: None, has_outputs, state: OnceLock::from(Some(state)) };
        let before = self.files.insert(name, stored)?;
        self.state(&before).cloned()
    }

    /// The number of files.
    pub(super) fn len(&self) -> usize {
        self.files.len()
    }

    /// All files.
    pub(super) fn all(&self) -> Files {
        let all = self.files.iter();
        all.filter_map(|(name, it)| Some((name.clone(), Arc::clone(self.state(it)?)))).collect()
    }

    /// Returns true if these are the files of the state.
    pub(super) fn is_of(&self, files: &Files) -> bool {
        let is_same = |(name, stored): (&String, &Stored), (other, now): (&String, _)| {
            name == other && self.state(stored) == Some(now)
        };
        self.files.len() == files.len()
            && self.files.iter().zip(files).all(|(before, now)| is_same(before, now))
    }

    /// Writes another state of the folder, of these files. Unchanged entries are not serialised again.
    pub(super) fn write(
        &self,
        (notes, target): (&Path, Target),
        (generator, options): (&str, &str),
        index: Option<Written>,
        files: &Files,
    ) -> io::Result<()> {
        let mut states = Vec::with_capacity(self.bytes.len());
        let mut lens = Vec::with_capacity(files.len());
        for (name, state) in files {
            let start = states.len();
            let stored = self.files.get(name).filter(
                |it| matches!(it.state.get(), Some(Some(before)) if Arc::ptr_eq(before, state)),
            );
            match stored.and_then(|it| self.bytes.get(it.bytes.clone()?)) {
                Some(bytes) => states.extend_from_slice(bytes),
                None => {
                    states = postcard::to_extend(&**state, states).map_err(io::Error::other)?;
                }
            }
            lens.push((name.as_str(), states.len() - start, state.manifest.is_some()));
        }
        let head = Head { version: VERSION, generator, options, index, files: lens };
        let bytes = postcard::to_extend(&head, vec![0; SEAL]).map_err(io::Error::other)?;
        sealed::write_bytes(&file(notes, target), [bytes, states].concat())
    }
}

impl FileState {
    /// Returns the outputs of a file by its manifest, without its text and options. `written` looks up an output by the
    /// path from the folder of the target.
    pub(super) fn of_module(
        module: Module,
        manifest: Written,
        written: &dyn Fn(&str, &str) -> Option<Written>,
    ) -> FileState {
        let kernel = |it: manifest::Kernel| {
            let binary = |it: manifest::Binary| Some((it.kind, written(&it.file, &it.hash)?));
            Some(KernelState {
                file: written(&it.file, &it.hash)?,
                entry: it.entry,
                binaries: it.binaries.into_iter().filter_map(binary).collect(),
                measured: None,
            })
        };
        let function = |it: manifest::Function| {
            let (structure, key) = it.key.split_once('-')?;
            Some(FunctionState {
                name: it.name,
                structure: unhex(structure),
                key: Key::parse(key)?.0,
                kernels: it.kernels.into_iter().filter_map(kernel).collect(),
            })
        };
        FileState {
            text: [0; 32],
            made_with: [0; 32],
            manifest: Some(manifest),
            functions: module.functions.into_iter().filter_map(function).collect(),
            unsupported: module.unsupported,
            without_launch: 0,
        }
    }
}

/// The bytes of 32 hexadecimal digits.
fn unhex(digits: &str) -> Option<[u8; 16]> {
    let mut bytes = [0; 16];
    if digits.len() != 32 || !digits.is_ascii() {
        return None;
    }
    for (at, byte) in bytes.iter_mut().enumerate() {
        *byte = u8::from_str_radix(&digits[2 * at..2 * at + 2], 16).ok()?;
    }
    Some(bytes)
}

impl FunctionState {
    /// As manifests and reports write it: equal keys are equal kernels, up to names.
    pub(super) fn key_text(&self) -> String {
        let structure = self.structure.map_or_else(|| "text".to_owned(), |it| hex(&it));
        structure + "-" + &hex(&self.key)
    }
}

/// Hashes as bytes in a row: there are several a kernel, and one byte after the other takes as long as all else.
mod hash {
    use serde::{Deserialize as _, Deserializer, Serializer, de::Error as _};

    pub(super) fn serialize<S: Serializer>(hash: &[u8; 32], to: S) -> Result<S::Ok, S::Error> {
        to.serialize_bytes(hash)
    }

    pub(super) fn deserialize<'d, D: Deserializer<'d>>(from: D) -> Result<[u8; 32], D::Error> {
        let bytes = <&[u8]>::deserialize(from)?;
        bytes.try_into().map_err(|_| D::Error::invalid_length(bytes.len(), &"32 bytes"))
    }
}
