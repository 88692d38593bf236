//! Packages of the operating system, for peers that come in no other way.

use std::fmt::Display;
use std::process::Command;

use crate::process;
use crate::skip::Skip;
use crate::workspace::say;

/// The loader of OpenCL, and PoCL, which makes a device of the processor.
pub(crate) const OPENCL: &[&str] = &["ocl-icd-libopencl1", "pocl-opencl-icd"];
/// The loader of Vulkan, and lavapipe, which makes a device of the processor.
pub(crate) const VULKAN: &[&str] = &["libvulkan1", "mesa-vulkan-drivers"];

/// What `find` finds; where it finds nothing, packages are installed, and it looks again.
///
/// # Errors
/// A [`Skip`] called `name` that says why it was not found, and why the packages did not help.
pub(crate) fn find_or_install<T, E: Display>(
    name: &str,
    packages: &[&str],
    find: impl Fn() -> Result<T, E>,
) -> Result<T, Skip> {
    find().or_else(|missing| {
        install_packages(packages)
            .map_err(|error| Skip::new(name, format!("{missing:#}; {error:#}")))?;
        find().map_err(|still| Skip::new(name, format!("{still:#}, with {}", packages.join(", "))))
    })
}

/// Installs packages with `apt-get`, as root only. Anything else on the machine stays as it is.
///
/// # Errors
/// Why they cannot be had.
fn install_packages(packages: &[&str]) -> anyhow::Result<()> {
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
    fn what_is_there_needs_no_package() {
        let found = find_or_install("it", &["no-such-package"], || Ok::<_, String>(7));
        assert_eq!(found, Ok(7));
    }

    #[test]
    fn skip_says_what_was_missing_and_why_no_package_helps() {
        let looks = Cell::new(0);
        let found = find_or_install("it", &["no such package"], || {
            looks.set(looks.get() + 1);
            Err::<(), _>("no device")
        });
        let skip = found.unwrap_err().to_string();
        assert!(skip.starts_with("skipped: it (no device; "), "{skip}");
        assert_eq!(looks.get(), 1);
    }
}
