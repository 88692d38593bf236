//! Watching folders with all that is in them.
//!
//! On Linux each folder is watched by itself: before it is listed, so that none is missed, and with one call a folder,
//! so that messages are taken in between. A call for all of them takes none until it ends, and each folder that it
//! opens is two messages: beyond some 8,000 folders the system drops them, and nobody knows what was saved. New folders
//! are added when they are told. Elsewhere the system watches all that is below a folder.

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};

use notify::{
    EventKind, RecommendedWatcher, RecursiveMode, Watcher as _,
    event::{CreateKind, ModifyKind, RenameMode},
};

/// True where a folder is watched without those in it.
pub(super) const ONE_BY_ONE: bool = cfg!(any(target_os = "linux", target_os = "android"));

/// Watches a folder.
pub(super) fn watch(
    watcher: &mut RecommendedWatcher,
    folder: &Path,
    mode: RecursiveMode,
) -> notify::Result<()> {
    if !ONE_BY_ONE || mode == RecursiveMode::NonRecursive {
        return watcher.watch(folder, mode);
    }
    let mut open = vec![folder.to_owned()];
    // Links may lead into each other.
    let mut followed = BTreeSet::new();
    while let Some(path) = open.pop() {
        match watcher.watch(&path, RecursiveMode::NonRecursive) {
            // It is gone since it was listed.
            Err(_) if path != folder && !path.is_dir() => continue,
            result => result?,
        }
        let Ok(entries) = fs::read_dir(&path) else { continue };
        for entry in entries.flatten() {
            let Ok(kind) = entry.file_type() else { continue };
            let mut is_new = || {
                let target = entry.path().canonicalize().ok()?;
                (target.is_dir() && followed.insert(target)).then_some(())
            };
            if kind.is_dir() || (kind.is_symlink() && is_new().is_some()) {
                open.push(entry.path());
            }
        }
    }
    Ok(())
}

/// Watches a folder and those around it up to `out`, as far as they are there. What cannot be watched is not noticed at
/// once.
pub(super) fn watch_up_to(watcher: &mut RecommendedWatcher, out: &Path, folder: &Path) {
    let up_to = folder.ancestors().take_while(|it| it.starts_with(out));
    for path in up_to.filter(|it| ONE_BY_ONE && it.is_dir()) {
        let _ = watcher.watch(path, RecursiveMode::NonRecursive);
    }
}

/// Returns true for messages about folders that may be new.
pub(super) fn is_of_new(kind: EventKind) -> bool {
    ONE_BY_ONE
        && matches!(
            kind,
            EventKind::Create(CreateKind::Folder | CreateKind::Any | CreateKind::Other)
                | EventKind::Modify(ModifyKind::Name(RenameMode::To | RenameMode::Both))
        )
}

/// Watches those of some paths that are folders. What cannot be watched is not noticed at once.
pub(super) fn watch_new(watcher: &mut RecommendedWatcher, paths: &BTreeSet<PathBuf>) {
    for path in paths.iter().filter(|it| it.is_dir()) {
        let _ = watch(watcher, path, RecursiveMode::Recursive);
    }
}
