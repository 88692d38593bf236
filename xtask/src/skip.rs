//! A skipped check and its reason: reported by name, never omitted silently.

use std::fmt;

/// Something a machine lacks (a program, a package, a device), and the check that needed it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Skip {
    /// The name of the skipped check.
    pub name: String,
    /// The reason, in one line, with the way to change it where there is one.
    pub reason: String,
}

impl Skip {
    /// A skip whose reason is cut to its first informative line.
    pub fn new(name: impl Into<String>, reason: impl AsRef<str>) -> Skip {
        let reason = reason.as_ref().lines().map(str::trim).find(|line| !line.is_empty());
        Skip { name: name.into(), reason: reason.unwrap_or("no reason was given").to_owned() }
    }
}

impl fmt::Display for Skip {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "skipped: {} ({})", self.name, self.reason)
    }
}

impl std::error::Error for Skip {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reason_is_one_line() {
        let skip = Skip::new("neovim", "\n  no python3 here\ntraceback follows\n");
        assert_eq!(skip.to_string(), "skipped: neovim (no python3 here)");
    }
}
