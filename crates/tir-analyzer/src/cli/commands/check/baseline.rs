//! A list of accepted findings: with it, `check` reports only new ones.
//!
//! An entry names the file, the function, the rule, and a fingerprint of the text that the finding is about; lines do
//! not count, so edits elsewhere leave it. Equal entries are one with a number. Sorted, one entry a line: the file is
//! made for version control.
//!
//! ```json
//! {"version": 1, "findings": [
//! {"path": "a.py", "function": "Module.main", "code": "dead-store", "fingerprint": "0f…", "count": 2}
//! ]}
//! ```

use std::{collections::BTreeMap, path::Path};

use anyhow::{Context as _, bail};
use serde::{Deserialize, Serialize};
use serde_json::json;
use syntax::TextRange;

use crate::cli::input::{functions::Functions, source::Source};

/// Version of the file's form.
const VERSION: u32 = 1;

/// The identity of an entry.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub(crate) struct Key {
    path: String,
    function: String,
    code: String,
    fingerprint: String,
}

#[derive(Serialize, Deserialize)]
struct Entry {
    #[serde(flatten)]
    key: Key,
    count: usize,
}

#[derive(Deserialize)]
struct File {
    version: u32,
    findings: Vec<Entry>,
}

/// Accepted findings, and how many there are of each.
#[derive(Default, Debug)]
pub(crate) struct Baseline {
    entries: BTreeMap<Key, usize>,
}

impl Baseline {
    /// Reads a list.
    pub(crate) fn read(path: &Path, shown: &str) -> anyhow::Result<Baseline> {
        let text = files::read_named(path, files::ARTIFACT)
            .and_then(|it| String::from_utf8(it).map_err(std::io::Error::other))
            .with_context(|| format!("cannot read the baseline {shown}"))?;
        let wrong = || {
            format!("{shown} is no baseline of this tool; write one with `check --write-baseline`")
        };
        let file: File = serde_json::from_str(&text).with_context(wrong)?;
        if file.version != VERSION {
            bail!("{shown} has version {}, and this tool reads version {VERSION}", file.version);
        }
        let mut baseline = Baseline::default();
        for Entry { key, count } in file.findings {
            baseline.add(key, count);
        }
        Ok(baseline)
    }

    /// Accepts so many more of an entry.
    pub(crate) fn add(&mut self, key: Key, count: usize) {
        *self.entries.entry(key).or_default() += count;
    }

    /// The entries of one file.
    pub(crate) fn of_file(&self, shown: &str) -> BTreeMap<Key, usize> {
        let path = portable(shown);
        let of_file = self.entries.iter().filter(|(key, _)| key.path == path);
        of_file.map(|(key, count)| (key.clone(), *count)).collect()
    }

    /// Number of findings.
    pub(crate) fn len(&self) -> usize {
        self.entries.values().sum()
    }

    /// The list as text.
    pub(crate) fn text(&self) -> String {
        let entries = self.entries.iter().map(|(key, count)| {
            let entry = Entry { key: key.clone(), count: *count };
            json!(entry).to_string()
        });
        let entries: Vec<String> = entries.collect();
        format!("{{\"version\": {VERSION}, \"findings\": [\n{}\n]}}\n", entries.join(",\n"))
    }
}

impl Key {
    /// A name of the `nth` finding with this key: 16 digits.
    pub(crate) fn digest(&self, nth: usize) -> String {
        let Key { path, function, code, fingerprint: text } = self;
        format!("{:016x}", fingerprint(&format!("{path} {function} {code} {text} {nth}")))
    }
}

impl std::fmt::Display for Key {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.function.as_str() {
            "" => write!(f, "{}: `{}`", self.path, self.code),
            function => write!(f, "{}: `{}` in `{function}`", self.path, self.code),
        }
    }
}

/// The entry of a finding.
pub(crate) fn key(
    shown: &str,
    source: &Source,
    functions: &Functions,
    code: &str,
    range: TextRange,
) -> Key {
    let text = source.text.get(std::ops::Range::<usize>::from(range)).unwrap_or_default();
    Key {
        path: portable(shown),
        function: functions.identity_at(range).to_owned(),
        code: code.to_owned(),
        fingerprint: format!("{:016x}", fingerprint(text)),
    }
}

/// A path that is the same on all machines.
fn portable(shown: &str) -> String {
    shown.replace('\\', "/")
}

/// A hash of the words of a text: FNV-1a, 64 bits.
fn fingerprint(text: &str) -> u64 {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    let mut write = |byte: u8| hash = (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
    for word in text.split_whitespace() {
        word.bytes().for_each(&mut write);
        write(b' ');
    }
    hash
}
