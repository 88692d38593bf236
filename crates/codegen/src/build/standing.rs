//! An output folder that one process builds again and again: what is in it stays in memory between the builds.
//!
//! In: a build of all files, then files by name. Out: builds of these files alone, which leave the folder as a build of
//! all would, for as long as nobody else writes to it. What a build of some costs depends on them, on the length of the
//! manifest's text, and on nothing else.

use std::{collections::BTreeSet, io};

use super::{
    Build, BuildReport, BuiltFile, Looks, OutputFolder, Settings, Untouched,
    output::{Owner, StandingOutput},
};

/// The folder of each target as a build left it.
pub struct Standing(Vec<StandingOutput>);

impl Standing {
    /// Returns true if the notes for the next process are those of the last build.
    pub fn is_noted(&self) -> bool {
        self.0.iter().all(StandingOutput::is_noted)
    }

    /// Writes the notes for the next process into the folder, which must be that of the builds; nothing, and `false`,
    /// where somebody else has built into it since.
    ///
    /// # Errors
    /// If they cannot be written.
    pub fn note(&mut self, settings: &Settings, folder: OutputFolder) -> io::Result<bool> {
        let build = Build::blank(settings, folder);
        let stands = build.outputs.iter().zip(&self.0).all(|(it, this)| this.stands(it, &[]));
        for standing in &mut self.0 {
            match stands {
                true => standing.note(&build.folder)?,
                false => standing.forget_notes(),
            }
        }
        Ok(stands)
    }

    /// The files of which outputs are not as they were written, of those that paths from the output folder, with `/`,
    /// are outputs of; none if all have to be looked at. A look at each output of such a file. Returns what was looked
    /// at too.
    pub fn touched<'p>(
        &self,
        settings: &Settings,
        folder: OutputFolder,
        paths: impl IntoIterator<Item = &'p str>,
    ) -> (Option<BTreeSet<String>>, Looks) {
        let build = Build::blank(settings, folder);
        let mut owners = BTreeSet::new();
        for path in paths {
            for (at, output) in build.outputs.iter().enumerate() {
                // The whole output folder is that of each target.
                let path = if path.is_empty() { Some("") } else { output.within(path) };
                owners.extend(path.map(|path| (at, self.0[at].owner(path))));
            }
        }
        let mut files = BTreeSet::new();
        let mut is_all = false;
        for (at, owner) in owners {
            let (output, standing) = (&build.outputs[at], &self.0[at]);
            match owner {
                Owner::File(name) if !standing.has_outputs(output, name) => {
                    files.insert(name.to_owned());
                }
                Owner::All => is_all |= !standing.stands(output, &[]),
                Owner::Folder(path) => is_all |= !output.has_folder(path),
                Owner::File(_) | Owner::Nobody => {}
            }
        }
        let looks = build.outputs.iter().map(|it| it.n_looks().stats).sum();
        ((!is_all).then_some(files), Looks { stats: looks, reads: 0 })
    }
}

impl<'a> Build<'a> {
    /// Begins a build of some files into a folder that stands; none if somebody else has written to it, or one of them
    /// shares its place: then all have to be built.
    pub fn again(
        settings: &'a Settings,
        folder: OutputFolder,
        standing: &Standing,
        names: &[&str],
    ) -> Option<Build<'a>> {
        let mut build = Build::blank(settings, folder);
        let stands = |(output, standing): (&_, &StandingOutput)| standing.stands(output, names);
        let is_same = build.outputs.len() == standing.0.len();
        if !is_same || !build.outputs.iter().zip(&standing.0).all(stands) {
            return None;
        }
        for (output, standing) in build.outputs.iter_mut().zip(&standing.0) {
            standing.lend(output, names);
        }
        Some(build)
    }

    /// Finishes a build of all files, and keeps in memory what is there; none where that cannot be done.
    ///
    /// # Errors
    /// As [`Self::finish`].
    pub fn finish_and_stay(
        &self,
        files: Vec<BuiltFile>,
        gone: &BTreeSet<String>,
    ) -> io::Result<(BuildReport, Option<Standing>)> {
        let mut standing = Some(Vec::new());
        let report = self.finish_with(files, &mut |_, output, states| {
            let mut finished = output.finish(states, gone)?;
            let this = finished.all.take().and_then(|all| StandingOutput::of(output, all));
            standing = standing.take().zip(this).map(|(mut all, this)| {
                all.push(this);
                all
            });
            Ok(finished)
        })?;
        Ok((report, standing.map(Standing)))
    }

    /// Finishes a build of some files ([`Self::again`]).
    ///
    /// # Errors
    /// If files cannot be read or written: then what stands is not known any more.
    pub fn finish_some(
        &self,
        files: Vec<BuiltFile>,
        standing: &mut Standing,
    ) -> io::Result<BuildReport> {
        let n_files = files.len();
        let mut report = self
            .finish_with(files, &mut |at, output, states| standing.0[at].finish(output, states))?;
        let sizes = standing.0.iter().map(StandingOutput::size);
        let (all, kernels) = sizes.fold((0, 0), |sum, it| (it.0.max(sum.0), sum.1 + it.1));
        report.untouched = Untouched {
            files: all.saturating_sub(n_files),
            kernels: kernels.saturating_sub(report.kernels.len()),
        };
        Ok(report)
    }
}
