//! Mistakes in settings, in words and with their places.

use std::{fmt, path::Path};

use serde_json::Value;

use super::place::Place;
use crate::suggest::did_you_mean;

/// A mistake in settings.
#[derive(Clone, PartialEq, Debug)]
pub struct Problem {
    /// The dotted key, in which numbers are those of rows; empty if it is none of one setting.
    key: String,
    message: String,
    /// Where it is, in a file.
    place: Option<Place>,
}

impl Problem {
    /// A mistake in the setting of a key.
    pub(super) fn new(key: impl Into<String>, message: impl Into<String>) -> Problem {
        Problem { key: key.into(), message: message.into(), place: None }
    }

    /// The mistake at a place.
    pub(super) fn at(self, place: Option<Place>) -> Problem {
        Problem { place, ..self }
    }

    /// Where it is, in a file.
    pub(super) fn place(&self) -> Option<Place> {
        self.place
    }

    /// The mistake as one of a text.
    pub(super) fn of_text(self, text: &str) -> Problem {
        let place = self.place.or_else(|| Place::of_key(text, &self.key));
        Problem { place, ..self }
    }

    /// The mistake as one of a file: `PATH:LINE:COLUMN: MESSAGE`.
    pub fn of_file(&self, path: &Path) -> String {
        match self.place {
            Some(place) => format!("{}:{place}: {self}", path.display()),
            None => format!("{}: {self}", path.display()),
        }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let is_name = |it: &&str| it.parse::<usize>().is_err();
        let key: Vec<&str> = self.key.split('.').filter(is_name).collect();
        match key.concat().is_empty() {
            true => f.write_str(&self.message),
            false => write!(f, "`{}`: {}", key.join("."), self.message),
        }
    }
}

impl std::error::Error for Problem {}

/// A value as it is written, shortened.
pub(super) fn shown(value: &Value) -> String {
    const MOST: usize = 40;
    let text = value.to_string();
    match text.char_indices().nth(MOST) {
        Some((end, _)) => format!("`{}…`", &text[..end]),
        None => format!("`{text}`"),
    }
}

/// A key that means nothing, and those that may be meant.
pub(super) fn unknown(key: &str, near: &[&str]) -> Problem {
    Problem::new(key, format!("there is no such setting{}", did_you_mean(near)))
}
