//! The origin of this program: its version, the commit of its sources, and how it was built.
//!
//! Nothing here is of the moment of the build: the same sources give the same program.

/// The version of the package.
pub(crate) const NUMBER: &str = env!("CARGO_PKG_VERSION");

/// The version with the commit, where it is known: `0.1.0 (74b66600f 2026-11-27)`. Builds for development have none.
pub(crate) const SHORT: &str = env!("TIR_ANALYZER_VERSION");

/// [`SHORT`], and a line each for the commit's full name, the target and the profile of cargo.
pub(crate) const LONG: &str = concat!(
    env!("TIR_ANALYZER_VERSION"),
    "\ncommit: ",
    env!("TIR_ANALYZER_COMMIT"),
    "\ntarget: ",
    env!("TIR_ANALYZER_TARGET"),
    "\nprofile: ",
    env!("TIR_ANALYZER_PROFILE"),
);

#[cfg(test)]
mod tests {
    use std::{path::Path, process::Command};

    use super::{commit::of, *};

    const NAME: &str = "0123456789abcdef0123456789abcdef01234567";

    /// The commits, short and long, of a package in `root/crates/p` with these files.
    #[track_caller]
    fn check(root: &Path, files: &[(&str, &str)], expected: &str) {
        let folder = root.join("crates/p");
        for (path, text) in files {
            let path = folder.join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        let commit = of(&folder);
        let told = commit.map(|it| format!("{} | {}", it.short(), it.long())).unwrap_or_default();
        assert_eq!(told, expected);
    }

    fn git(root: &Path, arguments: &[&str]) {
        let mut command = Command::new("git");
        command.arg("-C").arg(root).args(["-c", "user.name=a", "-c", "user.email=a@b"]);
        command.env("GIT_COMMITTER_DATE", "2026-01-02T03:04:05Z").args(arguments);
        assert!(command.output().unwrap().status.success(), "{arguments:?}");
    }

    #[test]
    fn an_archive_tells_its_commit() {
        let root = tempfile::tempdir().unwrap();
        let stamp = format!("{NAME} 2026-11-27\n");
        let expected = format!("012345678 2026-11-27 | {NAME} 2026-11-27");
        check(root.path(), &[("build/archive.txt", &stamp)], &expected);
    }

    #[test]
    fn a_package_tells_its_commit_without_a_day() {
        let root = tempfile::tempdir().unwrap();
        let note = format!("{{\n  \"git\": {{\n    \"sha1\": \"{NAME}\"\n  }}\n}}");
        let files = [(".cargo_vcs_info.json", &*note), ("build/archive.txt", "$Format:%H %cs$\n")];
        check(root.path(), &files, &format!("012345678 | {NAME}"));
    }

    #[test]
    fn sources_without_any_of_them_have_no_commit() {
        let root = tempfile::tempdir().unwrap();
        check(root.path(), &[("build/archive.txt", "$Format:%H %cs$\n")], "");
        check(root.path(), &[("build/archive.txt", "x y\n")], "");
    }

    #[test]
    fn git_tells_the_commit_of_its_own_root_only() {
        let root = tempfile::tempdir().unwrap();
        git(root.path(), &["init", "--quiet"]);
        check(root.path(), &[("a", "")], "");
        git(root.path(), &["add", "."]);
        git(root.path(), &["commit", "--quiet", "-m", "a"]);
        let commit = of(&root.path().join("crates/p")).unwrap();
        assert!(commit.short().ends_with(" 2026-01-02"), "{commit:?}");
        assert!(commit.changes_with.iter().any(|it| it.ends_with(".git/HEAD")), "{commit:?}");
        assert_eq!(of(&root.path().join("crates/p/inner/q")), None);
    }

    #[test]
    fn the_first_line_is_short_and_the_rest_says_how_it_was_built() {
        let (first, rest) = LONG.split_once('\n').unwrap();
        assert_eq!(first, SHORT);
        assert!(SHORT.starts_with(NUMBER));
        let keys: Vec<_> = rest.lines().map(|it| it.split(": ").next().unwrap()).collect();
        assert_eq!(keys, ["commit", "target", "profile"]);
        assert!(LONG.contains(std::env::consts::ARCH), "{LONG}");
    }
}

/// The code of the build script, for the tests.
#[cfg(test)]
#[path = "../build/commit.rs"]
mod commit;
