//! Functions of MLIR and PIR before and after passes: their texts, which the edits of the plan change.
//!
//! In: a file, passes. Out: a preview a function. The output that `opt` would print, function by function. O(text), and
//! one more for each round of the plan.

use anyhow::{Context as _, bail};
use ide::{Dialects, PassPreview, preview_operations};
use ir::plan::Preset;
use syntax::{Edit, Language, TextEdit, TextRange, TextSize};
use transform::{ops::OpOptions, passes::Pass};

use super::Previews;
use crate::{
    cli::{
        driver::ops::{self, Rules},
        input::source::Source,
    },
    suggest::{did_you_mean, near},
};

/// The functions of a file, or those of a name.
pub(super) fn previews(
    function: Option<&str>,
    dialects: &Dialects,
    language: Language,
    source: &Source,
    passes: &[Pass],
) -> anyhow::Result<Previews> {
    let text = &*source.text;
    let functions = functions(text, language, dialects);
    let is_asked = |name: &str| function.is_none_or(|it| it == name);
    if let Some(asked) = function
        && !functions.iter().any(|it| it.0 == asked)
    {
        let names = near(asked, functions.iter().map(|it| it.0.as_str()));
        bail!("there is no function `{asked}`{}", did_you_mean(&names));
    }
    let options = OpOptions { preset: Preset::Default, allow_unsound: false };
    let rules = Rules { options: &options, dialects, kinds: None, two_threads: false };
    let done = match passes.contains(&Pass::Cse) {
        true => ops::run(text, language, rules, None, None)?,
        false => ops::Done::new(),
    };
    let edits = done.edits.unpack().unwrap_or_default();
    let asked = functions.iter().filter(|it| is_asked(&it.0));
    let is_shown = |at: TextSize| asked.clone().any(|it| it.1.contains_inclusive(at));
    let left = done.notes.into_iter().filter(|it| function.is_none() || is_shown(it.0));
    Ok(Previews {
        code: Vec::new(),
        left: left.map(|it| it.1).collect(),
        functions: asked
            .clone()
            .map(|(name, range)| preview(text, name, *range, edits.edits(), passes))
            .collect::<anyhow::Result<_>>()?,
    })
}

/// Names and places.
fn functions(text: &str, language: Language, dialects: &Dialects) -> Vec<(String, TextRange)> {
    let units = syntax::units(&syntax::parse_with(language, &dialects.shapes, text)).functions;
    units.into_iter().map(|it| (it.source.name.to_string(), it.range)).collect()
}

fn preview(
    text: &str,
    name: &str,
    range: TextRange,
    edits: &[Edit],
    passes: &[Pass],
) -> anyhow::Result<PassPreview> {
    let inside = edits.iter().filter(|it| range.contains_range(it.range));
    let shifted = inside.map(|it| Edit { range: it.range - range.start(), ..it.clone() });
    let edits = TextEdit::from_edits(shifted.collect()).ok().context("edits that overlap")?;
    let before = &text[range];
    Ok(preview_operations(name, before, passes, || (edits.apply(before), Vec::new())))
}
