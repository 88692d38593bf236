//! Packages of the operating system, for peers that come in no other way.

use std::process::Command;

use crate::process;
use crate::workspace::say;

/// Installs packages with `apt-get`, as root only. Anything else on the machine stays as it is.
///
/// # Errors
/// Why they cannot be had; good as the reason of a skip.
pub(crate) fn install_packages(packages: &[&str]) -> anyhow::Result<()> {
    let user = process::run_quiet(Command::new("id").arg("-u"))?;
    anyhow::ensure!(user.trim() == "0", "not installed, and only root may install it");
    anyhow::ensure!(
        process::exists("apt-get", "--version"),
        "not installed, and there is no apt-get to get it"
    );
    say(format_args!("installing {} with apt-get", packages.join(", ")));
    process::run_quiet(Command::new("apt-get").args(["update", "-q"]))?;
    let mut install = Command::new("apt-get");
    install.args(["install", "-q", "-y", "--no-install-recommends"]).args(packages);
    process::run_quiet(install.env("DEBIAN_FRONTEND", "noninteractive"))?;
    Ok(())
}
