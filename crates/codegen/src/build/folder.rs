//! The folder that a build writes to, one build at a time.
//!
//! In: settings. Out: a lock on the output folder that ends with the value (or the process, however it ends), and the
//! place in the store for the notes of a build for the next one of this folder: by the folder's real path, so that
//! nothing but outputs lies in it. Files that earlier versions kept in the output folder are moved to the store. A few
//! looks at the file system.

use std::{
    fs::{self, File, TryLockError},
    io,
    path::{Component, Path, PathBuf},
};

use super::Settings;
use crate::{
    Target,
    artifact::{key::Key, store::Store},
};

/// The place where a store has the notes about output folders.
const NOTES: &str = "outputs";
/// The place where earlier versions had the store: in the output folder.
const OLD_STORE: &str = ".store";
/// The note files of earlier versions in the output folder, and in those of targets.
const OLD_NOTES: [&str; 2] = [".texts", ".state"];
/// The ending that turns the name of an output folder into that of its store.
const STORE_ENDING: &str = ".store";

/// The default store of an output folder: beside it, with `.store` behind its name.
pub fn store_of(out: &Path) -> PathBuf {
    let real = out.canonicalize().unwrap_or_else(|_| out.to_owned());
    let mut name = real.file_name().unwrap_or_default().to_owned();
    name.push(STORE_ENDING);
    real.with_file_name(name)
}

/// An output folder with one writer.
#[derive(Debug)]
pub struct OutputFolder {
    notes: PathBuf,
    old_store: Option<PathBuf>,
    lock: Option<File>,
}

impl OutputFolder {
    /// Makes the folder if it is not there, and waits until no other build writes to it; `waiting` is called if that
    /// takes any time.
    ///
    /// # Errors
    /// If the folder cannot be made, or the store lies in it.
    pub fn open(settings: &Settings, waiting: &dyn Fn()) -> io::Result<OutputFolder> {
        let Settings { out, store, .. } = settings;
        fs::create_dir_all(out)?;
        let real = out.canonicalize()?;
        if real_path(store).starts_with(&real) {
            let text = format!(
                "the store {} lies in the output folder, which holds outputs only; choose another --store",
                store.display()
            );
            return Err(io::Error::new(io::ErrorKind::InvalidInput, text));
        }
        let key = Key::of(&[real.as_os_str().as_encoded_bytes()]).to_string();
        let notes = store.join(NOTES).join(&key[..32]);
        let lock = lock(&real, &notes, waiting)?;
        let mut folder = OutputFolder { notes, old_store: None, lock };
        folder.take_over(&real, store);
        Ok(folder)
    }

    /// Returns the place where notes about this folder are.
    pub fn notes(&self) -> &Path {
        &self.notes
    }

    /// A store that an earlier version left in the output folder and that could not be moved.
    pub fn old_store(&self) -> Option<&Path> {
        self.old_store.as_deref()
    }

    /// Returns true if no other build can be writing to it.
    pub(super) fn is_locked(&self) -> bool {
        self.lock.is_some()
    }

    /// Moves the store that an earlier version had in the output folder.
    fn take_over(&mut self, out: &Path, store: &Path) {
        let targets = Target::ALL.map(|it| out.join(it.name()));
        for folder in targets.iter().map(PathBuf::as_path).chain([out]) {
            for note in OLD_NOTES {
                let path = folder.join(note);
                if fs::symlink_metadata(&path).is_ok_and(|it| it.is_file())
                    && crate::artifact::store::sealed::read_bytes(&path).is_some()
                {
                    let _ = fs::remove_file(&path);
                }
            }
        }
        let old = out.join(OLD_STORE);
        if !fs::symlink_metadata(&old).is_ok_and(|it| it.is_dir()) || !Store::new(&old).exists() {
            return;
        }
        let is_moved = !store.exists() && fs::rename(&old, store).is_ok();
        self.old_store = (!is_moved).then_some(old);
    }
}

/// The real path of a file that may not exist yet.
fn real_path(path: &Path) -> PathBuf {
    let absolute = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    for above in absolute.ancestors() {
        if let (Ok(mut real), Ok(rest)) = (above.canonicalize(), absolute.strip_prefix(above)) {
            // There are no links in what is not there.
            for part in rest.components() {
                match part {
                    Component::ParentDir => drop(real.pop()),
                    Component::Normal(name) => real.push(name),
                    _ => {}
                }
            }
            return real;
        }
    }
    absolute
}

/// Locks the folder itself, which needs no file in it; where a system does not open folders, a file beside the notes.
/// None where the file system has no locks.
fn lock(out: &Path, notes: &Path, waiting: &dyn Fn()) -> io::Result<Option<File>> {
    let file = match files::open_folder(out) {
        Ok(file) => file,
        Err(_) => {
            fs::create_dir_all(notes)?;
            File::create(notes.join("lock"))?
        }
    };
    match file.try_lock() {
        Ok(()) => return Ok(Some(file)),
        Err(TryLockError::WouldBlock) => waiting(),
        Err(TryLockError::Error(_)) => return Ok(None),
    }
    Ok(file.lock().is_ok().then_some(file))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(out: &Path, store: &Path) -> Settings {
        Settings { store: store.to_owned(), ..Settings::new(out) }
    }

    #[test]
    fn the_store_is_beside_the_output_and_never_in_it() {
        let folder = tempfile::tempdir().expect("a folder");
        let out = folder.path().join("out");
        assert_eq!(store_of(&out).file_name().expect("a name"), "out.store");
        let refused = |store: PathBuf| OutputFolder::open(&settings(&out, &store), &|| {}).is_err();
        assert!(refused(out.join("store")) && refused(out.join("a/b")) && refused(out.clone()));
        assert!(refused(folder.path().join("other/../out/store")));
        assert!(!refused(store_of(&out)) && !refused(folder.path().join("out2")));
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink("out", folder.path().join("link")).expect("a link");
            assert!(refused(folder.path().join("link/store")));
            assert_eq!(store_of(&folder.path().join("link")), store_of(&out));
        }
    }

    #[test]
    fn a_second_build_waits_for_the_first() {
        let folder = tempfile::tempdir().expect("a folder");
        let settings = settings(&folder.path().join("out"), &folder.path().join("store"));
        let first = OutputFolder::open(&settings, &|| panic!("nobody else")).expect("a folder");
        let (told, tells) = std::sync::mpsc::channel();
        std::thread::scope(|scope| {
            let second = scope.spawn(|| {
                let waiting = || told.send(()).expect("a listener");
                OutputFolder::open(&settings, &waiting).expect("a folder").notes().to_owned()
            });
            tells.recv().expect("it waits");
            assert!(!second.is_finished());
            let notes = first.notes().to_owned();
            drop(first);
            assert_eq!(second.join().expect("an end"), notes);
        });
    }
}
