//! Rows about instances of factories, in `tir-analyzer.toml`:
//!
//! ```toml
//! [[instance]]
//! function = "matmul"
//! args = { M = 1024, dtype = "float16" }
//! ```
//!
//! A list is a tuple of Python. In: the rows as JSON. Out: [`Request`]s; which factory each means is known where a file
//! is read.

use anyhow::{Context as _, bail};
use ide::{Arguments, Constant, Request};
use serde_json::{Map, Value};

use super::problem::Problem;

/// Levels of a value.
const MAX_DEPTH: u32 = 64;

/// Reads the rows.
///
/// # Errors
/// The first mistake in a row.
pub(super) fn read(rows: &Value) -> Result<Vec<Request>, Problem> {
    let Some(rows) = rows.as_array() else {
        return Err(Problem::new("instance", "a list of rows is expected: `[[instance]]`"));
    };
    let row = |(at, it): (usize, &Value)| {
        row(it).map_err(|it| Problem::new(format!("instance.{at}"), format!("{it:#}")))
    };
    rows.iter().enumerate().map(row).collect()
}

fn row(row: &Value) -> anyhow::Result<Request> {
    let Some(row) = row.as_object() else { bail!("a row has `function` and `args`") };
    if let Some(key) = row.keys().find(|it| !matches!(it.as_str(), "function" | "args")) {
        bail!("there is no key `{key}`; a row has `function` and `args`");
    }
    let Some(function) = row.get("function").and_then(Value::as_str) else {
        bail!("a row names its factory: `function = \"matmul\"`");
    };
    let is_name = |it: &str| {
        let is_start = it.chars().next().is_some_and(|it| it.is_alphabetic() || it == '_');
        is_start && it.chars().all(|it| it.is_alphanumeric() || it == '_')
    };
    if !function.split('.').all(is_name) {
        bail!("`{function}` is no name of a function");
    }
    let empty = Map::new();
    let args = match row.get("args") {
        None => &empty,
        Some(Value::Object(args)) => args,
        Some(_) => bail!("`args` are values by name: `{{ M = 1024 }}`"),
    };
    let mut named = Vec::with_capacity(args.len());
    for (name, value) in args {
        let value = constant(value, 0).with_context(|| format!("`{name}`"))?;
        named.push((name.as_str().into(), value));
    }
    let arguments = Arguments::known(Vec::new(), named);
    Ok(Request { function: function.into(), arguments })
}

/// A value as Python has it.
fn constant(value: &Value, depth: u32) -> anyhow::Result<Constant> {
    if depth > MAX_DEPTH {
        bail!("the value has more than {MAX_DEPTH} levels");
    }
    Ok(match value {
        Value::Null => Constant::None,
        Value::Bool(it) => Constant::Bool(*it),
        Value::Number(it) => match (it.as_i128(), it.as_f64()) {
            (Some(it), _) => Constant::Int(it),
            (None, Some(it)) => Constant::Float(it.to_bits()),
            (None, None) => bail!("`{it}` is no number that is known here"),
        },
        Value::String(it) => Constant::Str(it.as_str().into()),
        Value::Array(items) => {
            let items: anyhow::Result<Vec<Constant>> =
                items.iter().map(|it| constant(it, depth + 1)).collect();
            Constant::Tuple(items?.into())
        }
        Value::Object(_) => bail!("a table is no value of a parameter"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::ConfigPatch;

    #[test]
    fn rows_are_requests_and_mistakes_have_places() {
        let text = "[hints]\nall = true\n\n[[instance]]\nfunction = \"ops.matmul\"\n\
                    args = { M = 1024, dtype = \"float16\", block = [1, 2.5], fused = false }\n";
        let rows: toml::Table = toml::from_str(text).unwrap();
        let read = read(&serde_json::to_value(&rows["instance"]).unwrap()).unwrap();
        let [Request { function, arguments }] = &read[..] else { panic!("{read:?}") };
        let named = arguments.named.iter().map(|(name, value)| format!("{name}={value}"));
        assert_eq!(&**function, "ops.matmul");
        let mut named: Vec<String> = named.collect();
        named.sort();
        assert_eq!(named, ["M=1024", "block=(1, 2.5)", "dtype=\"float16\"", "fused=False"]);
        assert!(ConfigPatch::from_toml(text).unwrap().unknown.is_empty());
        let refused = |row: &str| {
            let text = format!("# settings\n[[instance]]\n{row}\n");
            ConfigPatch::from_toml(&text).unwrap_err().of_file("a".as_ref())
        };
        let place = "a:2:1: `instance`: ";
        assert_eq!(
            refused("args = {}"),
            format!("{place}a row names its factory: `function = \"matmul\"`")
        );
        assert_eq!(refused("function = \"a b\""), format!("{place}`a b` is no name of a function"));
        assert_eq!(
            refused("function = \"f\"\nargs = { x = { y = 1 } }"),
            format!("{place}`x`: a table is no value of a parameter")
        );
        assert!(refused("function = \"f\"\nM = 1").contains("there is no key `M`"));
    }
}
