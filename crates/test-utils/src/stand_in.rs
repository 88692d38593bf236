//! A program that stands for a Python which has TileLang: it notes what it is asked, and does what a test says.

use std::{fs, io, os::unix::fs::PermissionsExt as _, path::Path};

/// Writes the program. It reads one line, the request, keeps it in the file `request` beside itself, and goes on as
/// this script of a shell.
///
/// # Errors
/// If it cannot be written.
pub fn python(program: &Path, script: &str) -> io::Result<()> {
    let keep = "read -r request\necho \"$request\" > \"$(dirname \"$0\")/request\"";
    fs::write(program, format!("#!/bin/sh\n{keep}\n{script}\n"))?;
    fs::set_permissions(program, fs::Permissions::from_mode(0o755))
}
