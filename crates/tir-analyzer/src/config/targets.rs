//! `[targets.NAME]`: the settings of single targets, as `--target` has them on the command line.
//!
//! In: the section. Out: the options of each target; unknown keys are reported, impossible values are errors.

use std::collections::BTreeMap;

use ide::{Target, TargetOptions};
use serde_json::Value;

use super::{
    key::kebab,
    problem::{Problem, unknown},
};
use crate::suggest::near;

/// Reads the section.
///
/// # Errors
/// If a value is impossible: an unknown architecture, a limit above that of the architecture.
pub(super) fn read(
    section: &Value,
    unknown_keys: &mut Vec<Problem>,
) -> Result<BTreeMap<Target, TargetOptions>, Problem> {
    let mut targets = BTreeMap::new();
    for (name, settings) in section.as_object().into_iter().flatten() {
        let key_of_target = format!("targets.{name}");
        let Some(target) = Target::parse(name) else {
            let names = Target::ALL.iter().map(|it| it.name());
            unknown_keys.push(unknown(&key_of_target, &near(name, names)));
            continue;
        };
        let mut options = TargetOptions::default();
        for (key, value) in settings.as_object().into_iter().flatten() {
            let key = kebab(key);
            if !TargetOptions::KEYS.contains(&key.as_str()) {
                let near = near(&key, TargetOptions::KEYS.into_iter());
                unknown_keys.push(unknown(&format!("{key_of_target}.{key}"), &near));
                continue;
            }
            let text = match value {
                Value::Null => continue,
                Value::String(text) => text.clone(),
                other => other.to_string(),
            };
            let set = options.set(target, &key, &text);
            set.map_err(|it| Problem::new(format!("{key_of_target}.{key}"), it))?;
        }
        options.check(target).map_err(|it| Problem::new(key_of_target, it))?;
        targets.insert(target, options);
    }
    Ok(targets)
}
