//! The kinds of values that settings have, as JSON.

use std::path::PathBuf;

use clap::ValueEnum;
use serde_json::{Value, json};

use super::kinds::{Downstream, Equivalence, Preset};

/// A kind of value.
pub(super) trait SettingValue: Sized {
    /// Reads a value.
    ///
    /// # Errors
    /// What is expected instead.
    fn read(value: &Value) -> Result<Self, String>;

    /// Writes a value.
    fn write(&self) -> Value;

    /// The JSON schema of the kind.
    fn schema() -> Value;
}

impl SettingValue for bool {
    fn read(value: &Value) -> Result<bool, String> {
        value.as_bool().ok_or_else(|| "`true` or `false`".to_owned())
    }

    fn write(&self) -> Value {
        json!(self)
    }

    fn schema() -> Value {
        json!({ "type": "boolean" })
    }
}

macro_rules! numbers {
    ($($Number:ty)*) => {$(
        impl SettingValue for $Number {
            fn read(value: &Value) -> Result<$Number, String> {
                let number = value.as_u64().and_then(|it| <$Number>::try_from(it).ok());
                number.ok_or_else(|| format!("a whole number from 0 to {}", <$Number>::MAX))
            }

            fn write(&self) -> Value {
                json!(self)
            }

            fn schema() -> Value {
                json!({ "type": "integer", "minimum": 0 })
            }
        }
    )*};
}

numbers! { u32 u64 usize }

impl SettingValue for String {
    fn read(value: &Value) -> Result<String, String> {
        value.as_str().map(str::to_owned).ok_or_else(|| "a text".to_owned())
    }

    fn write(&self) -> Value {
        json!(self)
    }

    fn schema() -> Value {
        json!({ "type": "string" })
    }
}

impl SettingValue for PathBuf {
    fn read(value: &Value) -> Result<PathBuf, String> {
        value.as_str().map(PathBuf::from).ok_or_else(|| "a path".to_owned())
    }

    fn write(&self) -> Value {
        json!(self)
    }

    fn schema() -> Value {
        json!({ "type": "string" })
    }
}

impl SettingValue for Vec<PathBuf> {
    fn read(value: &Value) -> Result<Vec<PathBuf>, String> {
        let paths =
            value.as_array().and_then(|it| it.iter().map(|it| PathBuf::read(it).ok()).collect());
        paths.ok_or_else(|| "a list of paths".to_owned())
    }

    fn write(&self) -> Value {
        json!(self)
    }

    fn schema() -> Value {
        json!({ "type": "array", "items": PathBuf::schema() })
    }
}

impl SettingValue for Vec<String> {
    fn read(value: &Value) -> Result<Vec<String>, String> {
        let texts =
            value.as_array().and_then(|it| it.iter().map(|it| String::read(it).ok()).collect());
        texts.ok_or_else(|| "a list of texts".to_owned())
    }

    fn write(&self) -> Value {
        json!(self)
    }

    fn schema() -> Value {
        json!({ "type": "array", "items": String::schema() })
    }
}

impl SettingValue for Option<remote::Address> {
    fn read(value: &Value) -> Result<Option<remote::Address>, String> {
        match value.as_str() {
            Some("") => Ok(None),
            Some(text) => remote::Address::parse(text)
                .map(Some)
                .map_err(|it| format!("the address of a service: {it}")),
            None => {
                Err("the address of a service, such as \"grpcs://cache.example.com\"".to_owned())
            }
        }
    }

    fn write(&self) -> Value {
        json!(self.as_ref().map(ToString::to_string).unwrap_or_default())
    }

    fn schema() -> Value {
        json!({ "type": "string" })
    }
}

macro_rules! by_name {
    ($($Kind:ty)*) => {$(
        impl SettingValue for $Kind {
            fn read(value: &Value) -> Result<$Kind, String> {
                let named = value.as_str().and_then(|it| <$Kind>::from_str(it, false).ok());
                named.ok_or_else(|| one_of(names::<$Kind>().iter().map(String::as_str)))
            }

            fn write(&self) -> Value {
                json!(name(self))
            }

            fn schema() -> Value {
                json!({ "enum": names::<$Kind>() })
            }
        }
    )*};
}

by_name! { Preset Equivalence Downstream }

fn name(it: &impl ValueEnum) -> String {
    it.to_possible_value().map(|it| it.get_name().to_owned()).unwrap_or_default()
}

fn names<T: ValueEnum>() -> Vec<String> {
    T::value_variants().iter().map(name).collect()
}

/// Names that are expected: `one of "a", "b"`.
pub(super) fn one_of<'a>(names: impl Iterator<Item = &'a str>) -> String {
    let names: Vec<String> = names.map(|it| format!("\"{it}\"")).collect();
    format!("one of {}", names.join(", "))
}
