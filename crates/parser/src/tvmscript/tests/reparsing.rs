//! A part read alone equals the part of the whole.

use std::ops::Range;

use super::{
    properties::{SAMPLES, mutated},
    *,
};
use crate::tvmscript::{indent_at, parse, reparse_block, reparse_statements};

/// A block of a tree, as its consumers see it.
struct BlockSite {
    range: Range<usize>,
    /// `None` if the line of the header goes on with another.
    header_col: Option<u32>,
    depth: u32,
    steps: Range<usize>,
    /// Ranges of the children that are nodes.
    children: Vec<Range<usize>>,
}

fn blocks(text: &str, steps: &[Step]) -> Vec<BlockSite> {
    let mut done = Vec::new();
    let mut open: Vec<(SyntaxKind, usize, usize, Vec<Range<usize>>)> = Vec::new();
    let mut offset = 0;
    for (idx, step) in steps.iter().enumerate() {
        match *step {
            Step::Enter(kind) => open.push((kind, offset, idx, Vec::new())),
            Step::Token { len, .. } => offset += len as usize,
            Step::Exit => {
                let (kind, start, first, children) = open.pop().expect("balanced");
                if let Some(parent) = open.last_mut() {
                    parent.3.push(start..offset);
                }
                if kind == BLOCK || kind == SOURCE_FILE {
                    let header = open.last().map_or(0, |it| it.1);
                    let depth =
                        open.iter().filter(|it| matches!(it.0, BLOCK | MATCH_STMT)).count() as u32;
                    let header_col = plain_indent_at(text, header);
                    done.push(BlockSite {
                        range: start..offset,
                        header_col,
                        depth,
                        steps: first..idx + 1,
                        children,
                    });
                }
            }
        }
    }
    done
}

/// The column of the line at `offset`, unless a `\\` makes it part of the line before.
fn plain_indent_at(text: &str, offset: usize) -> Option<u32> {
    let line = text[..offset].rfind(['\n', '\r']).map_or(0, |it| it + 1);
    let before = text[..line].trim_end_matches(['\n', '\r']);
    (!before.ends_with('\\')).then(|| indent_at(text, offset))
}

/// Edits `old` at `edit` to get `new`, and compares the part read alone with the part of the whole.
fn check(old: &str, new: &str, edit: Range<usize>, inserted: usize) -> usize {
    let old_steps: Vec<_> = parse(old).steps().collect();
    let new_steps: Vec<_> = parse(new).steps().collect();
    let moved = |offset: usize| offset + inserted - edit.len();
    let mut read = 0;
    for site in blocks(old, &old_steps) {
        if site.range.start > edit.start || site.range.end < edit.end {
            continue;
        }
        let colon = Step::Token { kind: COLON, len: 1 };
        if old_steps[site.steps.start.saturating_sub(1)] == colon
            && let Some(header_col) = site.header_col
        {
            let range = site.range.start..moved(site.range.end);
            if let Some(part) = reparse_block(new, range, header_col, site.depth) {
                let part: Vec<_> = part.steps().collect();
                assert_eq!(
                    spliced(&old_steps, site.steps.clone(), &part),
                    new_steps,
                    "{old:?}\n{new:?}"
                );
                read += 1;
            }
        }
        read += check_statements(old, new, &edit, inserted, &site, &old_steps, &new_steps);
    }
    read
}

fn check_statements(
    old: &str,
    new: &str,
    edit: &Range<usize>,
    inserted: usize,
    site: &BlockSite,
    old_steps: &[Step],
    new_steps: &[Step],
) -> usize {
    let Some(last) =
        site.children.iter().position(|it| edit.start >= it.start && edit.end <= it.end)
    else {
        return 0;
    };
    let Some(before) = last.checked_sub(1) else { return 0 };
    let ends_line = |end: usize| end == old.len() || old[..end].ends_with(['\n', '\r']);
    if !ends_line(site.children[before].end) || !ends_line(site.children[last].end) {
        return 0;
    }
    let Some(start) = before.checked_sub(1).map(|it| site.children[it].end) else { return 0 };
    let range = start..site.children[last].end + inserted - edit.len();
    let is_block = old_steps[site.steps.start] == Step::Enter(BLOCK);
    let indent = if is_block { plain_indent_at(old, site.children[0].start) } else { Some(0) };
    let Some(indent) = indent else { return 0 };
    let depth = site.depth + u32::from(is_block);
    let Some(part) = reparse_statements(new, range, indent, depth) else { return 0 };
    let part: Vec<_> = part.steps().collect();
    let replaced = steps_between(old_steps, start, site.children[last].end, &site.steps);
    assert_eq!(
        spliced(old_steps, replaced, &part[1..part.len() - 1]),
        new_steps,
        "{old:?}\n{new:?}"
    );
    1
}

/// The steps of a list's children from offset `start` to `end`.
fn steps_between(steps: &[Step], start: usize, end: usize, list: &Range<usize>) -> Range<usize> {
    let (mut offset, mut depth) = (0, 0);
    let (mut first, mut last) = (None, list.end - 1);
    for (idx, step) in steps.iter().enumerate().take(list.end) {
        if idx > list.start
            && depth == 1
            && offset == start
            && first.is_none()
            && *step != Step::Exit
        {
            first = Some(idx);
        }
        if idx > list.start && depth == 1 && offset == end && first.is_some() {
            last = idx;
            break;
        }
        match step {
            Step::Enter(_) => depth += i32::from(idx >= list.start),
            Step::Exit => depth -= i32::from(idx > list.start),
            Step::Token { len, .. } => offset += *len as usize,
        }
    }
    first.expect("a child begins there")..last
}

fn spliced(steps: &[Step], at: Range<usize>, part: &[Step]) -> Vec<Step> {
    [&steps[..at.start], part, &steps[at.end..]].concat()
}

#[test]
fn a_part_read_alone_is_the_part_of_the_whole() {
    let mut random = Random(0xd1b5_4a32_d192_ed03);
    let mut read = 0;
    for text in SAMPLES {
        let mut text = String::from(*text);
        for round in 0..3_000 {
            if round % 10 == 0 {
                text = String::from(SAMPLES[random.below(SAMPLES.len())]);
            }
            let (new, edit, inserted) = mutated(&text, &mut random);
            read += check(&text, &new, edit, inserted);
            text = new;
        }
    }
    assert!(read > 2_000, "only {read} parts could be read alone");
}

#[test]
fn every_block_of_an_unchanged_text_can_be_read_alone() {
    for text in &SAMPLES[..2] {
        let steps: Vec<_> = parse(text).steps().collect();
        for site in blocks(text, &steps) {
            let on_own_line = text[site.range.clone()].starts_with('\n');
            if on_own_line {
                let part = reparse_block(
                    text,
                    site.range.clone(),
                    site.header_col.expect("plain"),
                    site.depth,
                )
                .expect("a block");
                assert!(part.steps().eq(steps[site.steps].iter().copied()));
            }
        }
    }
}

#[test]
fn part_that_leaves_its_block_is_refused() {
    let refused = |text: &str, len: usize| {
        let start = text.find(':').expect("a header") + 1;
        assert!(reparse_block(text, start..start + len, 0, 0).is_none(), "{text:?}");
    };
    refused("if a:\n  f(\ng(h)\n", "\n  f(\n".len() - 1);
    refused("if a:\n  '''\ng(h)\n", "\n  '''\n".len());
    refused("if a:\n  b\nc\n  d\n", "\n  b\nc\n".len());
    refused("if a:= b\n", "= b\n".len());
    refused("if a: b\n", " b\n".len());
    refused("if a:\n  b\n\nc\n", "\n  b\n\n".len());
}
