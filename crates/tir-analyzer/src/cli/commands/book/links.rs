//! Links of the book: each leads to a page or a picture, and to a heading that is there.

use std::collections::{BTreeMap, BTreeSet};

use super::Pages;

/// The links that lead nowhere, and the pages that the table of contents does not list. Linear.
pub(super) fn check(pages: &Pages) -> Vec<String> {
    let texts: BTreeMap<&str, String> = pages
        .iter()
        .filter(|it| it.0.ends_with(".md"))
        .map(|(path, bytes)| (path.as_str(), String::from_utf8_lossy(bytes).into_owned()))
        .collect();
    let anchors: BTreeMap<&str, BTreeSet<String>> =
        texts.iter().map(|(path, text)| (*path, anchors(text))).collect();
    let mut wrong = Vec::new();
    let mut listed = BTreeSet::new();
    for (path, text) in &texts {
        for link in links(text) {
            if link.contains("://") || link.starts_with("mailto:") {
                continue;
            }
            let (file, anchor) = link.split_once('#').unwrap_or((link, ""));
            let goal = if file.is_empty() { (*path).to_owned() } else { resolved(path, file) };
            if *path == "SUMMARY.md" {
                listed.insert(goal.clone());
            }
            let has_anchor =
                || anchor.is_empty() || anchors.get(&*goal).is_some_and(|it| it.contains(anchor));
            if !pages.contains_key(&goal) || !has_anchor() {
                wrong.push(format!("{path}: {link}"));
            }
        }
    }
    for path in texts.keys().filter(|it| **it != "SUMMARY.md" && !listed.contains(**it)) {
        wrong.push(format!("SUMMARY.md: lacks {path}"));
    }
    wrong
}

/// The path that a relative link of a page leads to.
fn resolved(page: &str, link: &str) -> String {
    let mut parts: Vec<&str> = page.split('/').collect();
    parts.pop();
    for part in link.split('/') {
        match part {
            "." => {}
            ".." => drop(parts.pop()),
            it => parts.push(it),
        }
    }
    parts.join("/")
}

/// The lines outside of fenced blocks.
pub(super) fn prose(text: &str) -> impl Iterator<Item = &str> {
    let mut is_code = false;
    text.lines().filter(move |line| {
        let is_fence = line.trim_start().starts_with("```");
        is_code ^= is_fence;
        !is_code && !is_fence
    })
}

/// The goals of links and pictures, those in back quotes left out.
fn links(text: &str) -> impl Iterator<Item = &str> {
    prose(text).flat_map(|line| {
        let mut rest = line;
        std::iter::from_fn(move || {
            let at = rest.find("](")?;
            let before = &rest[..at];
            let after = &rest[at + "](".len()..];
            let end = after.find(')')?;
            let is_quoted = before.matches('`').count() % 2 == 1;
            rest = &after[end..];
            Some((!is_quoted).then_some(&after[..end]))
        })
        .flatten()
    })
}

/// The names that mdBook gives to the headings of a page.
fn anchors(text: &str) -> BTreeSet<String> {
    let mut all = BTreeSet::new();
    for line in prose(text) {
        let title = line.trim_start_matches('#');
        if title.len() == line.len() || !title.starts_with(' ') {
            continue;
        }
        let plain: String = title
            .trim()
            .chars()
            .filter_map(|c| match c {
                c if c.is_alphanumeric() || c == '_' || c == '-' => Some(c.to_ascii_lowercase()),
                c if c.is_whitespace() => Some('-'),
                _ => None,
            })
            .collect();
        let mut name = plain.clone();
        let mut number = 1;
        while !all.insert(name) {
            name = format!("{plain}-{number}");
            number += 1;
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_lead_to_pages_and_headings() {
        let page = |text: &str| text.as_bytes().to_vec();
        let pages = Pages::from([
            ("SUMMARY.md".to_owned(), page("[a](a.md)\n[b](b/c.md)\n")),
            ("a.md".to_owned(), page("# A `b` c\n[x](b/c.md#d) [y](#a-b-c) `[z](no.md)`\n")),
            ("b/c.md".to_owned(), page("## D\n## D\n[x](../a.md) [y](#d-1) ![p](p.png)\n")),
            ("d.md".to_owned(), page("```\n[x](no.md)\n```\n[w](a.md#no)\n")),
        ]);
        let expected = ["b/c.md: p.png", "d.md: a.md#no", "SUMMARY.md: lacks d.md"];
        assert_eq!(check(&pages), expected);
    }
}
