//! Packages of the operating system, for peers that come in no other way.

use std::fmt::Display;
use std::process::Command;
use std::sync::{Mutex, PoisonError};

use crate::process;
use crate::skip::Skip;
use crate::workspace::say;

/// The loader of OpenCL, and PoCL, which makes a device of the processor.
pub(crate) const OPENCL: &[&str] = &["ocl-icd-libopencl1", "pocl-opencl-icd"];
/// The loader of Vulkan, and lavapipe, which makes a device of the processor.
pub(crate) const VULKAN: &[&str] = &["libvulkan1", "mesa-vulkan-drivers"];

/// Returns the result of `find`. If it finds nothing, packages are installed, and it looks again.
///
/// # Errors
///
/// A [`Skip`] called `name` with the reason why it was not found, and why the packages did not help.
pub(crate) fn find_or_install<T, E: Display>(
    name: &str,
    packages: &[&str],
    find: impl Fn() -> Result<T, E>,
) -> Result<T, Skip> {
    find_after(name, find, || install_packages(packages))
}

fn find_after<T, E: Display>(
    name: &str,
    find: impl Fn() -> Result<T, E>,
    install: impl FnOnce() -> anyhow::Result<()>,
) -> Result<T, Skip> {
    find().or_else(|missing| {
        install().map_err(|error| Skip::new(name, format!("{missing:#}; {error:#}")))?;
        find().map_err(|still| Skip::new(name, format!("{still:#}")))
    })
}

/// Installs packages with `apt-get`, as root only. Anything else on the machine stays as it is.
///
/// # Errors
/// Why they cannot be had.
fn install_packages(packages: &[&str]) -> anyhow::Result<()> {
    // Two at a time wait for each other in vain.
    static ONE: Mutex<()> = Mutex::new(());
    let _one = ONE.lock().unwrap_or_else(PoisonError::into_inner);
    let user = process::run_quiet(Command::new("id").arg("-u"))?;
    let names = packages.join(", ");
    anyhow::ensure!(user.trim() == "0", "only root may install {names}");
    anyhow::ensure!(
        process::exists("apt-get", "--version"),
        "there is no apt-get to install {names}"
    );
    say(format_args!("installing {names} with apt-get"));
    process::run_quiet(Command::new("apt-get").args(["update", "-q"]))?;
    let mut install = Command::new("apt-get");
    install.args(["install", "-q", "-y", "--no-install-recommends"]).args(packages);
    process::run_quiet(install.env("DEBIAN_FRONTEND", "noninteractive"))?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    #[test]
    fn present_programs_are_not_installed() {
        let refuse = || anyhow::bail!("nothing is to be installed");
        assert_eq!(find_after("it", || Ok::<_, String>(7), refuse), Ok(7));
    }

    #[test]
    fn missing_programs_are_searched_again_after_installation() {
        let is_there = Cell::new(false);
        let find = || is_there.get().then_some(7).ok_or("no device");
        let install = || {
            is_there.set(true);
            Ok(())
        };
        assert_eq!(find_after("it", find, install), Ok(7));
    }

    #[test]
    fn skip_says_what_was_missing_and_why_nothing_was_installed() {
        let refuse = || anyhow::bail!("only root may install it");
        let skip = find_after("it", || Err::<(), _>("no device"), refuse).unwrap_err();
        assert_eq!(skip.to_string(), "skipped: it (no device; only root may install it)");
    }
}
