//! The rows that the product has, from the texts that state them: for the build script, which makes tables of them, and
//! for tests of these.

use serde::Deserialize;

use super::rows::{EffectRow, EffectRows};

/// The rows of TileLang's operators; the rest of their file is read where it is needed.
#[derive(Deserialize)]
struct TileLang {
    tir: Vec<EffectRow>,
}

/// All rows of the product: those of `effects.toml`, of TileLang's operators, and those that overlays of dialects
/// state.
pub(super) fn rows() -> Result<EffectRows, String> {
    let mut rows: EffectRows = toml::from_str(include_str!("../../effects.toml"))
        .map_err(|it| format!("effects.toml: {it}"))?;
    let tilelang: TileLang = toml::from_str(include_str!("../../tilelang_ops.toml"))
        .map_err(|it| format!("tilelang_ops.toml: {it}"))?;
    rows.tir.extend(tilelang.tir);
    for it in dialects::shipped::overlays().iter().filter(|it| !it.fields.is_empty()) {
        let ops = it.ops.iter().map(|it| (*it).to_owned()).collect();
        let row = EffectRow::of_fields(ops, it.fields);
        rows.mlir.push(row.map_err(|error| format!("overlays/{}.toml: {error}", it.file))?);
    }
    Ok(rows)
}

/// The rows that follow from the effects that definitions of dialects state; none where they state nothing.
pub(super) fn stated() -> Result<Vec<Option<EffectRow>>, String> {
    let row = |fields: &[(&str, &str)]| {
        let row = || EffectRow::of_fields(vec!["*".to_owned()], fields);
        (!fields.is_empty()).then(row).transpose()
    };
    dialects::shipped::stated().iter().map(|it| row(it.fields)).collect()
}
