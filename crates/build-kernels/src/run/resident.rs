//! A build that stays in memory: a save costs what it reaches, whatever the size of the workspace.
//!
//! In: a build of all files; then paths that changed. Out: the files that these reach (themselves, those that import
//! them, the files of factories that they call, those whose outputs somebody changed), and builds of these alone, which
//! leave the folder as a build of all would. Where a change may concern more than that (a file appears or goes,
//! somebody else built into the folder), it says so, and all is to be built.
//!
//! The manifest is true after each build. The notes for the next process are written when the caller has time
//! ([`Resident::note`]); until then a process that is started takes the manifests for the truth, as after a kill.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs, io,
    path::{Path, PathBuf},
    sync::Arc,
};

use codegen::build::{Build, Looks, OutputFolder, Settings};
use syntax::Language;

use super::{
    Around, Called, Input, InputSource, Left, LeftInput, Outcome, Progress, RunOptions, Wanted,
    add, all, calls, files, with_reader,
};
use crate::{
    imports::Workspaces,
    sources::{Folders, real},
};

/// A build of a workspace in memory.
pub struct Resident {
    settings: Settings,
    options: RunOptions,
    left: Left,
    /// The output folder.
    out: PathBuf,
    /// The inputs at a real path.
    places: BTreeMap<PathBuf, BTreeSet<usize>>,
    /// The inputs that import the file at a real path.
    readers: BTreeMap<PathBuf, BTreeSet<usize>>,
    /// The inputs by the paths that calls of factories name.
    factories: BTreeMap<String, BTreeSet<usize>>,
    /// The inputs that call factories of a file.
    callers: BTreeMap<String, BTreeSet<usize>>,
    /// Inputs that are one file with others: what is written to it there is told of there only.
    linked: BTreeSet<usize>,
    /// The folders of imported files, and those of them that nobody was told of.
    folders: BTreeSet<PathBuf>,
    new_folders: Vec<PathBuf>,
    /// The looks since the last build.
    looks: Looks,
    /// Notes about texts that are not written yet.
    is_noted: bool,
}

/// The inputs that a change reaches.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Reached {
    /// These inputs.
    Some(ReachedInputs),
    /// Perhaps all: they have to be looked at.
    All,
}

/// Some inputs of a build, by number.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct ReachedInputs(BTreeSet<usize>);

impl ReachedInputs {
    /// Returns true if it is none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl Resident {
    /// Builds all files, and stays; none if some files cannot be built beside each other, as then each save may change
    /// which.
    ///
    /// # Errors
    /// As [`super::run`].
    pub fn start(
        inputs: &[Input],
        settings: &Settings,
        options: &RunOptions,
        progress: &(dyn Fn(Progress) + Sync),
    ) -> io::Result<(Outcome, Option<Resident>)> {
        let settings = with_reader(settings, options);
        let (outcome, left) = all(inputs, &settings, options, progress, true)?;
        let resident = left.and_then(|left| Resident::new(settings, options.clone(), left));
        Ok((outcome, resident))
    }

    fn new(settings: Settings, options: RunOptions, left: Left) -> Option<Resident> {
        let out = settings.out.canonicalize().ok()?;
        let mut resident = Resident {
            settings,
            options,
            left,
            out,
            places: BTreeMap::new(),
            readers: BTreeMap::new(),
            factories: BTreeMap::new(),
            callers: BTreeMap::new(),
            linked: BTreeSet::new(),
            folders: BTreeSet::new(),
            new_folders: Vec::new(),
            looks: Looks::default(),
            is_noted: true,
        };
        let mut folders = Folders::new();
        for at in 0..resident.left.inputs.len() {
            let InputSource::Path(path) = &resident.left.inputs[at].input.source else {
                return None;
            };
            let path = path.clone();
            let place = real(&path, &mut folders);
            match fs::symlink_metadata(&place) {
                Ok(it) if it.is_symlink() => {
                    let target = place.canonicalize().unwrap_or_else(|_| place.clone());
                    resident.places.entry(target).or_default().insert(at);
                }
                Ok(it) if n_names(&it) > 1 => drop(resident.linked.insert(at)),
                _ => {}
            }
            resident.places.entry(place).or_default().insert(at);
            if let Some(name) = crate::module_path(&path) {
                resident.factories.entry(name).or_default().insert(at);
            }
            resident.depend(at, &mut folders);
        }
        Some(resident)
    }

    /// Notes what an input depends on.
    fn depend(&mut self, at: usize, folders: &mut Folders) {
        let LeftInput { reads, calls, .. } = &self.left.inputs[at];
        for path in reads {
            let path = Path::new(path);
            if let Some(folder) = path.parent()
                && !self.folders.contains(folder)
            {
                self.folders.insert(folder.to_owned());
                self.new_folders.push(folder.to_owned());
            }
            self.readers.entry(real(path, folders)).or_default().insert(at);
            // A link tells nothing of what it leads to.
            if fs::symlink_metadata(path).is_ok_and(|it| it.is_symlink())
                && let Ok(target) = path.canonicalize()
            {
                self.readers.entry(target).or_default().insert(at);
            }
        }
        for (file, _) in calls {
            self.callers.entry(file.clone()).or_default().insert(at);
        }
    }

    /// Forgets what an input depends on.
    fn forget(&mut self, at: usize, folders: &mut Folders) {
        let LeftInput { reads, calls, .. } = &self.left.inputs[at];
        for path in reads {
            let path = Path::new(path);
            for it in [Some(real(path, folders)), path.canonicalize().ok()].into_iter().flatten() {
                if let Some(readers) = self.readers.get_mut(&it) {
                    readers.remove(&at);
                }
            }
        }
        for (file, _) in calls {
            if let Some(callers) = self.callers.get_mut(file) {
                callers.remove(&at);
            }
        }
    }

    /// The inputs that changes at these paths reach. `passed` are files that no build reads, though they could be read.
    ///
    /// # Errors
    /// If the output folder cannot be looked at.
    pub fn reached(
        &mut self,
        paths: &BTreeSet<PathBuf>,
        passed: &BTreeSet<PathBuf>,
    ) -> io::Result<Reached> {
        let mut found = BTreeSet::new();
        let mut outputs = BTreeSet::new();
        let mut folders = Folders::new();
        for path in paths {
            let place = real(path, &mut folders);
            if let Ok(output) = place.strip_prefix(&self.out) {
                outputs.extend(output.to_str().map(|it| it.replace('\\', "/")));
                continue;
            }
            self.looks.stats += 1;
            let metadata = fs::symlink_metadata(&place).ok();
            let (inputs, readers) = (self.places.get(&place), self.readers.get(&place));
            let readers = readers.filter(|it| !it.is_empty());
            if inputs.is_some() || readers.is_some() {
                if !metadata.is_some_and(|it| it.is_file()) {
                    return Ok(Reached::All);
                }
                found.extend(inputs.into_iter().chain(readers).flatten());
                continue;
            }
            let is_passed = metadata.is_some() && passed.contains(path);
            if !is_passed && self.may_matter(&place, metadata.as_ref()) {
                return Ok(Reached::All);
            }
        }
        if outputs.len() < paths.len() {
            found.extend(&self.linked);
        }
        if !outputs.is_empty() {
            let folder = OutputFolder::open(&self.settings, &|| {})?;
            let outputs = outputs.iter().map(String::as_str);
            let (touched, looks) = self.left.standing.touched(&self.settings, folder, outputs);
            add(&mut self.looks, looks);
            let Some(touched) = touched else { return Ok(Reached::All) };
            if !touched.is_empty() {
                let all = self.left.inputs.iter().enumerate();
                found.extend(all.filter(|it| touched.contains(&it.1.input.name)).map(|it| it.0));
            }
        }
        Ok(Reached::Some(ReachedInputs(found)))
    }

    /// Returns true if something at a path that no build has read may be read by the next, or may be what one looked
    /// for in vain.
    fn may_matter(&self, place: &Path, metadata: Option<&fs::Metadata>) -> bool {
        let name = place.file_name().unwrap_or_default().to_string_lossy();
        // Nothing imports such names, and folders are searched without them.
        if name.starts_with('.') || name == "__pycache__" {
            return false;
        }
        let has_some = |files: &BTreeMap<PathBuf, BTreeSet<usize>>| {
            let mut after = files.range(place.to_owned()..);
            after.next().is_some_and(|(path, _)| path.starts_with(place))
        };
        match metadata {
            Some(it) if it.is_dir() => true,
            // A folder that is gone.
            None if has_some(&self.places) || has_some(&self.readers) => true,
            _ => Language::of_path(place).is_some(),
        }
    }

    /// Builds the inputs that were reached, and what they reach in turn: the files whose factories they call in another
    /// way. None if all have to be built; the same after an error.
    ///
    /// # Errors
    /// If the output or the store cannot be written.
    pub fn build(
        &mut self,
        reached: &ReachedInputs,
        progress: &(dyn Fn(Progress) + Sync),
    ) -> io::Result<Option<Outcome>> {
        let mut reached = reached.0.clone();
        let Resident { settings, options, .. } = &*self;
        let (settings, jobs) = (settings.clone(), options.jobs);
        let instances = Arc::clone(&options.instances);
        let effects = &settings.options.effects;
        let workspaces = Workspaces::new(&options.workspaces);
        self.left.texts.begin();
        let inputs: Vec<Input> = self.inputs(&reached);
        let changed: Vec<&Input> = inputs.iter().collect();
        let now = calls(&changed, jobs, &self.left.texts, &workspaces, effects);
        for (at, now) in reached.clone().into_iter().zip(now) {
            reached.extend(self.call(at, now.calls));
        }
        let inputs: Vec<Input> = self.inputs(&reached);
        // What changed in between is another message.
        let unseen = Called::default();
        let wanted: Vec<_> = inputs.iter().map(|input| Wanted { input, called: &unseen }).collect();
        let waiting = || progress(Progress { is_waiting: true, ..Progress::default() });
        let folder = OutputFolder::open(&settings, &waiting)?;
        let names: Vec<&str> = inputs.iter().map(|it| it.name.as_str()).collect();
        let Some(build) = Build::again(&settings, folder, &self.left.standing, &names) else {
            return Ok(None);
        };
        let called = self.called(&reached);
        // A save reaches few files.
        let around = Around { effects, requests: &instances, called, workspaces, shards: None };
        let done = files(&build, &wanted, jobs, &self.left.texts, &around, progress)?;
        let mut outcome = Outcome { failures: done.failures, ..Outcome::default() };
        outcome.report = build.finish_some(done.built, &mut self.left.standing)?;
        if self.left.texts.keep(&done.known, &BTreeSet::new()) {
            self.is_noted = false;
        }
        let mut folders = Folders::new();
        for (at, mut reads) in reached.into_iter().zip(done.reads) {
            reads.sort();
            reads.dedup();
            if self.left.inputs[at].reads != reads {
                self.forget(at, &mut folders);
                self.left.inputs[at].reads = reads;
                self.depend(at, &mut folders);
            }
        }
        let looks = &mut outcome.report.looks;
        add(looks, std::mem::take(&mut self.looks));
        add(looks, self.left.texts.counts.take());
        add(looks, around.workspaces.take_looks());
        Ok(Some(outcome))
    }

    fn inputs(&self, numbers: &BTreeSet<usize>) -> Vec<Input> {
        numbers.iter().map(|it| self.left.inputs[*it].input.clone()).collect()
    }

    /// Takes over the calls that an input makes; the inputs whose calls are others for that.
    fn call(&mut self, at: usize, now: Vec<(String, String)>) -> BTreeSet<usize> {
        if self.left.inputs[at].calls == now {
            return BTreeSet::new();
        }
        let before = std::mem::replace(&mut self.left.inputs[at].calls, now);
        let now = &self.left.inputs[at].calls;
        let mut reached = BTreeSet::new();
        for (file, _) in before.iter().chain(now) {
            reached.extend(self.factories.get(file).into_iter().flatten());
        }
        for (file, _) in &before {
            if let Some(callers) = self.callers.get_mut(file) {
                callers.remove(&at);
            }
        }
        for (file, _) in now {
            self.callers.entry(file.clone()).or_default().insert(at);
        }
        reached
    }

    /// The calls of factories of these inputs.
    fn called(&self, reached: &BTreeSet<usize>) -> BTreeMap<String, Vec<String>> {
        let mut callers = BTreeSet::new();
        let mut wanted = BTreeSet::new();
        for at in reached {
            let InputSource::Path(path) = &self.left.inputs[*at].input.source else { continue };
            let Some(own) = crate::module_path(path) else { continue };
            callers.extend(self.callers.get(&own).into_iter().flatten());
            wanted.insert(own);
        }
        let calls = callers.iter().flat_map(|it: &usize| &self.left.inputs[*it].calls);
        super::called(calls.filter(|it| wanted.contains(&it.0)))
    }

    /// The folders of imported files that were not told before: changes in them concern this build.
    pub fn new_folders(&mut self) -> Vec<PathBuf> {
        std::mem::take(&mut self.new_folders)
    }

    /// Returns true if the notes for the next process are to be written.
    pub fn has_news(&self) -> bool {
        !self.is_noted || !self.left.standing.is_noted()
    }

    /// Writes the notes for the next process; nothing where somebody else has built into the folder since.
    ///
    /// # Errors
    /// If they cannot be written.
    pub fn note(&mut self) -> io::Result<()> {
        if !self.has_news() {
            return Ok(());
        }
        let folder = OutputFolder::open(&self.settings, &|| {})?;
        if self.left.standing.note(&self.settings, folder)? && !self.is_noted {
            self.left.texts.write()?;
        }
        self.is_noted = true;
        Ok(())
    }
}

/// The number of names of a file.
fn n_names(metadata: &fs::Metadata) -> u64 {
    #[cfg(unix)]
    return std::os::unix::fs::MetadataExt::nlink(metadata);
    #[cfg(not(unix))]
    {
        let _ = metadata;
        1
    }
}

#[cfg(test)]
mod tests;
