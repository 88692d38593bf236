//! `[targets.NAME]`: the settings of single targets, as `--target` has them on the command line.
//!
//! In: the section. Out: the options of each target; unknown keys are reported, impossible values are errors.

use std::collections::BTreeMap;

use anyhow::anyhow;
use ide::{Target, TargetOptions};
use serde_json::Value;

use super::kebab;

/// Reads the section.
///
/// # Errors
/// If a value is impossible: an unknown architecture, a limit above that of the architecture.
pub(super) fn read(
    section: Option<&Value>,
    unknown: &mut Vec<String>,
) -> anyhow::Result<BTreeMap<Target, TargetOptions>> {
    let mut targets = BTreeMap::new();
    for (name, settings) in section.and_then(Value::as_object).into_iter().flatten() {
        let Some(target) = Target::parse(name) else {
            unknown.push(format!("targets.{name}"));
            continue;
        };
        let mut options = TargetOptions::default();
        for (key, value) in settings.as_object().into_iter().flatten() {
            let key = kebab(key);
            if !TargetOptions::KEYS.contains(&key.as_str()) {
                unknown.push(format!("targets.{name}.{key}"));
                continue;
            }
            let text = match value {
                Value::Null => continue,
                Value::String(text) => text.clone(),
                other => other.to_string(),
            };
            options.set(target, &key, &text).map_err(|it| anyhow!(it))?;
        }
        options.check(target).map_err(|it| anyhow!(it))?;
        targets.insert(target, options);
    }
    Ok(targets)
}
