//! The rows that the product has.

use super::{
    rows::{EffectRow, EffectRows},
    tilelang_ops,
};

impl EffectRows {
    /// All rows of the product: those of `effects.toml`, of TileLang's operators, and those that overlays of dialects
    /// state.
    pub(super) fn of_product() -> EffectRows {
        let mut rows: EffectRows = toml::from_str(include_str!("../../effects.toml"))
            .expect("effects.toml is tested to be TOML");
        rows.tir.extend_from_slice(tilelang_ops::rows());
        let overlays = dialects::shipped::overlays().iter().filter(|it| !it.fields.is_empty());
        rows.mlir.extend(overlays.map(|it| {
            let ops = it.ops.iter().map(|it| (*it).to_owned()).collect();
            EffectRow::of_fields(ops, it.fields).expect("rows of overlays are tested to be valid")
        }));
        rows
    }
}
