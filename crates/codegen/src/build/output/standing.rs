//! The folder of a target, kept in memory between the builds of a process that stays.
//!
//! In: what a build of all files left; then files that were built again. Out: the folder as a build of all files would
//! leave it, at the cost of the files that are named. Their states are exchanged, and in the text of `manifest.json`
//! the hashes of their manifests, which all have one length. Only where functions become or cease to be equal up to
//! names, or a file gets or loses its manifest, is that text made anew. It is written whole and renamed each time, so
//! the manifest is true after each build. The notes for the next process are written on request
//! ([`StandingOutput::note`]): if they are not, it takes the manifests for the truth, as after a kill.

use std::{collections::BTreeMap, io, sync::Arc};

use rustc_hash::FxHashMap;

use super::{Finished, INDEX, Output, State, aliases, module_folder};
use crate::{
    Target,
    artifact::{key::Key, store::write_atomically},
    build::{
        OutputFolder,
        state::{FileState, Files, Written},
    },
};

/// The folder of a target as the last build left it.
pub(in crate::build) struct StandingOutput {
    target: Target,
    state: State,
    index: IndexText,
    /// The number of functions of each key.
    keys: FxHashMap<[u8; 32], u32>,
    /// By folder of outputs: the file that they are of; none where several names lead there.
    owners: BTreeMap<String, Option<Arc<str>>>,
    n_kernels: usize,
    /// The notes are those of this state.
    is_noted: bool,
}

/// The text before a hash: quotes in names are written with a stroke before them.
const FIELD: &str = "\"hash\": \"";

/// The text of `manifest.json`, and where the hash of each file's manifest is in it.
struct IndexText {
    text: String,
    places: BTreeMap<Arc<str>, usize>,
}

impl IndexText {
    fn of(text: String, files: &Files) -> Option<IndexText> {
        let mut places = BTreeMap::new();
        let mut at = 0;
        for (name, state) in files {
            let Some(manifest) = &state.manifest else { continue };
            at += text.get(at..)?.find(FIELD)? + FIELD.len();
            let hash = Key(manifest.hash).to_string();
            text.get(at..)?.starts_with(&hash).then_some(())?;
            places.insert(name.as_str().into(), at);
        }
        Some(IndexText { text, places })
    }

    /// Exchanges the hash of a file; returns false if it has no place.
    fn set(&mut self, name: &str, hash: [u8; 32]) -> bool {
        let hash = Key(hash).to_string();
        let Some(&at) = self.places.get(name) else { return false };
        self.text.replace_range(at..at + hash.len(), &hash);
        true
    }
}

/// The entry of a function in the list of functions that are equal up to names.
type Listed<'f> = (&'f [u8; 32], &'f str, Vec<(&'f str, u64)>);

impl StandingOutput {
    /// The folder after a build of all files; none if its manifest is not as that build would write it.
    pub(in crate::build) fn of(
        output: &Output,
        (files, index): (Files, Written),
    ) -> Option<StandingOutput> {
        let text = output.index_text(&files, &aliases(&files).0);
        let text = IndexText::of(text, &files)?;
        let mut owners: BTreeMap<String, Option<Arc<str>>> = BTreeMap::new();
        let mut keys = FxHashMap::default();
        let mut n_kernels = 0;
        for (name, state) in &files {
            let owner = owners.entry(module_folder(name).into_owned());
            owner.and_modify(|it| *it = None).or_insert_with(|| Some(name.as_str().into()));
            for function in &state.functions {
                n_kernels += function.kernels.len();
                if function.structure.is_some() {
                    *keys.entry(function.key).or_default() += 1;
                }
            }
        }
        let state = State::of(&output.generator, &output.options_text, index, files);
        let target = output.target;
        // The build has written its notes.
        Some(StandingOutput { target, state, index: text, keys, owners, n_kernels, is_noted: true })
    }

    /// Returns true if nobody else has written the manifest, and each of these files has its folder for itself.
    pub(in crate::build) fn stands(&self, output: &Output, names: &[&str]) -> bool {
        let is_alone = |name: &&str| {
            self.owners.get(&*module_folder(name)).is_some_and(|it| it.as_deref() == Some(*name))
        };
        output.target == self.target
            && (&*output.generator, &*output.options_text)
                == (&*self.state.generator, &*self.state.options)
            && names.iter().all(is_alone)
            && output.looks.stamp(INDEX) == self.state.index.map(|it| it.stamp)
    }

    /// Gives a build what it has to know of the files that it will build.
    pub(in crate::build) fn lend(&self, output: &mut Output, names: &[&str]) {
        for name in names {
            if let Some(state) = self.state.get(name) {
                output.old.put((*name).to_owned(), Arc::clone(state));
            }
        }
    }

    /// The file that an output is of, by the path of the output in the folder of the target; empty is that folder.
    pub(in crate::build) fn owner<'a>(&'a self, path: &'a str) -> Owner<'a> {
        let below = [path, "/"].concat();
        let has_some = || {
            let mut after = self.owners.range(below.clone()..);
            after.next().is_some_and(|it| it.0.starts_with(&below))
        };
        if path.is_empty() || self.owners.contains_key(path) || has_some() {
            return Owner::Folder(path);
        }
        if path == INDEX {
            return Owner::All;
        }
        let folder = path.rsplit_once('/').map_or("", |it| it.0);
        match self.owners.get(folder) {
            Some(Some(name)) => Owner::File(name),
            Some(None) => Owner::All,
            None => Owner::Nobody,
        }
    }

    /// Returns true if the outputs of a file are as they were written.
    pub(in crate::build) fn has_outputs(&self, output: &Output, name: &str) -> bool {
        self.state.get(name).is_none_or(|it| output.stands(name, it))
    }

    /// The files of the folder, and the kernels in them.
    pub(in crate::build) fn size(&self) -> (usize, usize) {
        (self.state.len(), self.n_kernels)
    }

    /// Writes the notes for the next process, if they are not as they would be.
    pub(in crate::build) fn note(&mut self, folder: &OutputFolder) -> io::Result<()> {
        if self.is_noted {
            return Ok(());
        }
        if let Some(index) = &mut self.state.index {
            index.hash = *blake3::hash(self.index.text.as_bytes()).as_bytes();
        }
        let State { generator, options, index, .. } = &self.state;
        let place = (folder.notes(), self.target);
        self.state.write(place, (generator, options), *index, &self.state.all())?;
        self.is_noted = true;
        Ok(())
    }

    /// There is nothing to note any more.
    pub(in crate::build) fn forget_notes(&mut self) {
        self.is_noted = true;
    }

    /// Returns true if the notes are those of this state.
    pub(in crate::build) fn is_noted(&self) -> bool {
        self.is_noted
    }

    /// Those functions of a file that are equal to others.
    fn listed<'f>(&self, state: &'f FileState) -> Vec<Listed<'f>> {
        let is_equal = |key| self.keys.get(key).is_some_and(|it| *it > 1);
        let all = state.functions.iter().filter(|it| it.structure.is_some() && is_equal(&it.key));
        all.map(|it| {
            let kernels = it.kernels.iter().map(|it| (it.entry.as_str(), it.file.stamp.len));
            (&it.key, it.name.as_str(), kernels.collect())
        })
        .collect()
    }

    /// Exchanges the state of a file; whether the manifest has to be made anew, and the state before.
    fn exchange(&mut self, name: &str, now: &Arc<FileState>) -> (bool, Option<Arc<FileState>>) {
        let Some(before) = self.state.put(name.to_owned(), Arc::clone(now)) else {
            return (true, None);
        };
        let listed = self.listed(&before);
        let has_key = |state: &FileState| -> Vec<[u8; 32]> {
            state.functions.iter().filter(|it| it.structure.is_some()).map(|it| it.key).collect()
        };
        let count = |state: &FileState| state.functions.iter().map(|it| it.kernels.len()).sum();
        let (n_before, n_now): (usize, usize) = (count(&before), count(now));
        self.n_kernels = self.n_kernels + n_now - n_before;
        for key in has_key(&before) {
            if let Some(n) = self.keys.get_mut(&key) {
                *n -= 1;
                if *n == 0 {
                    self.keys.remove(&key);
                }
            }
        }
        has_key(now).into_iter().for_each(|key| *self.keys.entry(key).or_default() += 1);
        let is_other = listed != self.listed(now)
            || match (before.manifest, now.manifest) {
                (_, Some(manifest)) => !self.index.set(name, manifest.hash),
                (had, None) => had.is_some(),
            };
        (is_other, Some(before))
    }

    /// Takes over the files that were built again, removes outputs that they no longer make, and writes the manifest.
    pub(in crate::build) fn finish(
        &mut self,
        output: &Output,
        built: Files,
    ) -> io::Result<Finished> {
        let mut finished = Finished::default();
        let mut replaced = Vec::new();
        let mut is_other = false;
        for (name, now) in &built {
            if self.state.get(name).is_some_and(|it| Arc::ptr_eq(it, now)) {
                continue;
            }
            let (is_new, before) = self.exchange(name, now);
            is_other |= is_new;
            replaced.extend(before.map(|it| (name.clone(), it)));
            self.is_noted = false;
        }
        let has_manifest = |(name, before): &(String, Arc<FileState>)| {
            let hash = |it: &FileState| it.manifest.map(|it| it.hash);
            built.get(name).is_some_and(|now| hash(now) != hash(before))
        };
        if is_other {
            let all = self.state.all();
            let (equal, bytes) = aliases(&all);
            let text = output.index_text(&all, &equal);
            let no_place = || io::Error::other("a manifest without the files that it names");
            self.index = IndexText::of(text, &all).ok_or_else(no_place)?;
            (finished.aliases, finished.alias_bytes) = (equal, bytes);
        }
        if is_other || replaced.iter().any(has_manifest) {
            let stamp = write_atomically(&output.folder.join(INDEX), self.index.text.as_bytes())?;
            self.state.index = Some(Written { hash: [0; 32], stamp });
        }
        finished.removed = output.remove(&replaced, &built);
        Ok(finished)
    }
}

/// The one that an output is of.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(in crate::build) enum Owner<'a> {
    /// A file.
    File(&'a str),
    /// More than one.
    All,
    /// Those in a folder, all of them.
    Folder(&'a str),
    /// None that is built.
    Nobody,
}

impl Output {
    /// The folder in which an output is, by the path of the output from the folder of all targets.
    pub(in crate::build) fn within<'p>(&self, path: &'p str) -> Option<&'p str> {
        let rest = path.strip_prefix(self.target.name())?;
        if rest.is_empty() { Some(rest) } else { rest.strip_prefix('/') }
    }

    /// Returns true if there is a folder in that of the target.
    pub(in crate::build) fn has_folder(&self, path: &str) -> bool {
        self.folder.join(path).is_dir()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hashes_are_exchanged_in_the_text() {
        let state = |hash: u8| {
            Arc::new(FileState {
                text: [0; 32],
                made_with: [0; 32],
                manifest: Some(Written { hash: [hash; 32], stamp: Default::default() }),
                functions: Vec::new(),
                unsupported: Vec::new(),
                without_launch: 0,
            })
        };
        let without = FileState { manifest: None, ..(*state(0)).clone() };
        let text = |files: &Files| {
            let mut index = crate::manifest::Index::new(Target::Cuda);
            for (file, state) in files {
                let Some(manifest) = state.manifest else { continue };
                index.modules.push(crate::manifest::ModuleEntry {
                    file: file.clone(),
                    manifest: super::super::in_folder(&module_folder(file), "module.json"),
                    hash: Key(manifest.hash).to_string(),
                });
            }
            index.to_json()
        };
        // A name that looks like the field.
        let names = ["a.py", "b\"hash\": \"b.py", "c.py"];
        let files: Files =
            names.iter().zip(1..).map(|(it, n)| ((*it).to_owned(), state(n))).collect();
        let mut all = files.clone();
        all.insert("none.py".to_owned(), Arc::new(without));
        let mut index = IndexText::of(text(&all), &all).expect("places");
        assert!(index.set(names[1], [9; 32]) && !index.set("none.py", [9; 32]));
        all.insert(names[1].to_owned(), state(9));
        assert_eq!(index.text, text(&all));
        assert!(IndexText::of(text(&files), &all.clone()).is_none());
    }
}
