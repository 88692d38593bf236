//! Python environments of our own, one folder per peer under the target folder.
//!
//! An environment is made once: a stamp with the list of packages is written last, so that an interrupted
//! installation is done again and a changed list makes a new environment. Nothing outside the folder changes.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Mutex, PoisonError};

use crate::process::run_quiet;
use crate::skip::Skip;
use crate::workspace::{Workspace, say};

const STAMP: &str = "installed-packages";

/// A Python environment with known packages in it.
#[derive(Clone, Debug)]
pub struct Venv {
    dir: PathBuf,
}

impl Venv {
    /// Makes (or finds) the environment `name` with exactly these pinned packages.
    ///
    /// # Errors
    /// A [`Skip`] of that name where there is no Python 3 or a package cannot be had.
    pub fn with_packages(ws: &Workspace, name: &str, packages: &[&str]) -> Result<Venv, Skip> {
        // Stages that run at the same time may want the same one.
        static ONE: Mutex<()> = Mutex::new(());
        let _one = ONE.lock().unwrap_or_else(PoisonError::into_inner);
        let venv = Venv { dir: ws.peers().join(name) };
        let wanted = packages.join("\n");
        if std::fs::read_to_string(venv.dir.join(STAMP)).is_ok_and(|found| found == wanted) {
            return Ok(venv);
        }
        say(format_args!("installing {} into {}", packages.join(", "), venv.dir.display()));
        venv.install(packages, &wanted).map_err(|error| Skip::new(name, format!("{error:#}")))?;
        Ok(venv)
    }

    /// Makes the environment `name` again, with these packages: files may be among them, which a list does not pin.
    ///
    /// # Errors
    /// As [`Venv::with_packages`].
    pub fn fresh(ws: &Workspace, name: &str, packages: &[&str]) -> Result<Venv, Skip> {
        let venv = Venv { dir: ws.peers().join(name) };
        say(format_args!("installing {} into {}", packages.join(", "), venv.dir.display()));
        venv.install(packages, &packages.join("\n"))
            .map_err(|error| Skip::new(name, format!("{error:#}")))?;
        Ok(venv)
    }

    fn install(&self, packages: &[&str], stamp: &str) -> anyhow::Result<()> {
        let python = find_python()?;
        if self.dir.exists() {
            std::fs::remove_dir_all(&self.dir)?;
        }
        std::fs::create_dir_all(&self.dir)?;
        run_quiet(Command::new(python).args(["-m", "venv"]).arg(&self.dir))?;
        if !packages.is_empty() {
            let mut pip = Command::new(self.python());
            pip.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check"])
                .arg("--no-input")
                .args(packages);
            run_quiet(&mut pip)?;
        }
        std::fs::write(self.dir.join(STAMP), stamp)?;
        Ok(())
    }

    /// The interpreter of the environment.
    pub fn python(&self) -> PathBuf {
        self.program("python")
    }

    /// A program that the environment has: its interpreter, or a script of a package.
    pub fn program(&self, name: &str) -> PathBuf {
        let folder = self.dir.join(if cfg!(windows) { "Scripts" } else { "bin" });
        folder.join(format!("{name}{}", std::env::consts::EXE_SUFFIX))
    }

    /// The folder its packages are unpacked in.
    ///
    /// # Errors
    /// If its interpreter does not answer.
    pub fn site_packages(&self) -> anyhow::Result<PathBuf> {
        let script = "import sysconfig; print(sysconfig.get_paths()['purelib'])";
        let printed = run_quiet(Command::new(self.python()).args(["-c", script]))?;
        Ok(Path::new(printed.trim()).to_owned())
    }
}

/// The first of the usual names that is a Python 3 which can make environments.
fn find_python() -> anyhow::Result<&'static str> {
    let probe = "import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 9))";
    ["python3", "python"]
        .into_iter()
        .find(|name| run_quiet(Command::new(name).args(["-c", probe])).is_ok())
        .ok_or_else(|| {
            anyhow::anyhow!("no Python 3.9 or newer with the modules venv and ensurepip")
        })
}
