//! Names that may have been meant by one that there is not.

/// Those of `names` that are written much like `name`, the most alike first.
pub(crate) fn near<'a>(name: &str, names: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    const MOST: usize = 3;
    let name = name.to_lowercase();
    let mut near: Vec<(usize, &str)> = names
        .filter_map(|it| {
            let lower = it.to_lowercase();
            let n_edits = strsim::levenshtein(&name, &lower);
            let is_part = name.len() > 2 && (lower.contains(&name) || name.contains(&lower));
            (n_edits <= 1 + name.len() / 3 || is_part).then_some((n_edits, it))
        })
        .collect();
    near.sort_unstable();
    near.dedup();
    near.into_iter().take(MOST).map(|(_, it)| it).collect()
}

/// `; did you mean a or b?`, or nothing.
pub(crate) fn did_you_mean(names: &[&str]) -> String {
    if names.is_empty() {
        return String::new();
    }
    let quoted: Vec<String> = names.iter().map(|it| format!("`{it}`")).collect();
    format!("; did you mean {}?", quoted.join(" or "))
}
