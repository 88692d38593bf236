//! Sentences about the names of the script: what each does.
//!
//! In: a name behind `T.` or `Tx.`, or a form as the table of effects names it. Out: its sentence, with words about the
//! parts of its name (`im2col`). The data is `script_words.txt`, read on first use; dots and underscores are alike, as
//! in the table of effects. O(parts of the name).

use std::sync::OnceLock;

use ir::effects::{
    names::{NameBuffer, normal_tir},
    tilelang_op,
};
use rustc_hash::FxHashMap;

use crate::tvmscript::{environment::Namespace, script_names, vocabulary};

/// The sentence about `T.NAME`, where `T` stands for `space`; none if nothing is known of the name.
pub fn sentence(space: Namespace, name: &str) -> Option<String> {
    // TileLang's `__exp` is not TVM's `exp`, though the table of effects takes dots and underscores for alike.
    let own = tilelang_op(name).filter(|_| space == Namespace::TileLang).map(|it| &*it.name);
    let form = script_names::form(space, name)?;
    if let Some(known) = own.and_then(of_form).or_else(|| of_form(&form)) {
        return Some(known);
    }
    let dtype = vocabulary::data_type(space, name)?;
    Some(format!("A number as `{dtype}`."))
}

/// The sentence about a form or an operator: `exp`, `ptx.cp_async_ca`, `tile.copy`, `tl.copy`.
pub fn of_form(form: &str) -> Option<String> {
    let mut buffer = NameBuffer::new();
    let name = normal_tir(form, &mut buffer);
    let words = words();
    let sentence =
        words.exact.get(name).or_else(|| prefixes(name).find_map(|it| words.families.get(it)))?;
    let mut text = (*sentence).to_owned();
    for part in words.parts.iter().filter(|it| it.is_of(name)) {
        text.push(' ');
        text.push_str(part.sentence);
    }
    Some(text)
}

/// A name and all that it begins with, part by part, the longest first.
fn prefixes(name: &str) -> impl Iterator<Item = &str> {
    let mut rest = Some(name);
    std::iter::from_fn(move || {
        let it = rest?;
        rest = it.rsplit_once('.').map(|(before, _)| before);
        Some(it)
    })
}

/// Words about a part of the names of some families.
struct Part {
    families: Vec<Box<str>>,
    parts: Vec<Box<str>>,
    sentence: &'static str,
}

impl Part {
    fn is_of(&self, name: &str) -> bool {
        let behind = |family: &str| name.strip_prefix(family)?.strip_prefix('.');
        let has = |rest: &str, part: &str| format!(".{rest}.").contains(&format!(".{part}."));
        self.families
            .iter()
            .filter_map(|it| behind(it))
            .any(|rest| self.parts.iter().any(|part| has(rest, part)))
    }
}

/// The sentences; names are in their normal form.
#[derive(Default)]
struct Words {
    exact: FxHashMap<Box<str>, &'static str>,
    families: FxHashMap<Box<str>, &'static str>,
    parts: Vec<Part>,
}

fn words() -> &'static Words {
    static WORDS: OnceLock<Words> = OnceLock::new();
    WORDS.get_or_init(|| {
        let mut words = Words::default();
        for (names, sentence) in lines() {
            words.add(names, sentence);
        }
        words
    })
}

/// The lines of the file: names and sentence.
fn lines() -> impl Iterator<Item = (&'static str, &'static str)> {
    let lines = include_str!("../../script_words.txt").lines();
    lines.filter(|it| !it.starts_with('#')).filter_map(|it| it.split_once(": "))
}

impl Words {
    fn add(&mut self, names: &'static str, sentence: &'static str) {
        let normal = |name: &str| -> Box<str> { normal_tir(name, &mut NameBuffer::new()).into() };
        if let Some((families, parts)) = names.strip_prefix('+').and_then(|it| it.split_once(' ')) {
            let families = families.split(',').map(normal).collect();
            let parts = parts.split(',').map(normal).collect();
            self.parts.push(Part { families, parts, sentence });
            return;
        }
        for name in names.split(' ') {
            let (map, name) = match name.strip_suffix('*') {
                Some(name) => (&mut self.families, name),
                None => (&mut self.exact, name),
            };
            let before = map.insert(normal(name), sentence);
            debug_assert!(before.is_none(), "{name} has two lines");
        }
    }
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};
    use ir::{
        Intrinsic,
        effects::{tilelang_ops, tvm_op, tvm_ops},
    };

    use super::*;

    const SPACES: [Namespace; 4] =
        [Namespace::Tir, Namespace::Tirx, Namespace::Tile, Namespace::TileLang];

    #[test]
    fn every_name_of_the_script_has_a_sentence() {
        let mut missing = Vec::new();
        for space in SPACES {
            for name in script_names::names(space).keys() {
                if sentence(space, name).is_none() {
                    missing.push(format!("{space:?} {name}"));
                }
            }
        }
        let ops = tvm_ops().iter().map(|it| &*it.name);
        for name in ops.chain(tilelang_ops().iter().map(|it| &*it.name)) {
            if of_form(name).is_none() {
                missing.push(name.to_owned());
            }
        }
        assert_eq!(missing, Vec::<String>::new());
    }

    #[test]
    fn every_line_is_about_a_name_that_is_known() {
        let is_known = |name: &str| {
            let of_registry = tvm_op(name).is_some() || tilelang_op(name).is_some();
            let is_ours = Intrinsic::of_name(name) != Intrinsic::Other;
            let tile = name.strip_prefix("tl.").unwrap_or(name);
            let is_name = SPACES.iter().any(|&space| {
                script_names::parameters(space, tile).is_some()
                    || script_names::names(space).contains_key(tile)
            });
            of_registry || is_ours || is_name
        };
        let starts = |family: &str| {
            let family: Box<str> = normal_tir(family, &mut NameBuffer::new()).into();
            let mut buffer = NameBuffer::new();
            let ops = tvm_ops().iter().map(|it| &it.name);
            let tiles = tilelang_ops();
            ops.chain(tiles.iter().map(|it| &it.name))
                .any(|it| prefixes(normal_tir(it, &mut buffer)).any(|it| *it == *family))
        };
        let mut unknown = Vec::new();
        for (names, sentence) in lines() {
            assert!(sentence.ends_with('.'), "{names}: {sentence}");
            for name in names.split(' ').filter(|_| !names.starts_with('+')) {
                let known = match name.strip_suffix('*') {
                    Some(family) => starts(family) || is_known(family),
                    None => is_known(name),
                };
                if !known {
                    unknown.push(name);
                }
            }
        }
        assert_eq!(unknown, Vec::<&str>::new());
    }

    #[track_caller]
    fn check(space: Namespace, name: &str, expected: Expect) {
        expected.assert_eq(&sentence(space, name).unwrap_or("none".to_owned()));
    }

    #[test]
    fn the_longest_beginning_of_a_name_counts() {
        check(Namespace::Tirx, "exp", expect!["The exponential function, e to the power of x."]);
        check(
            Namespace::Tirx,
            "ptx.cp.async.wait_group",
            expect!["Waits until only so many groups of copies of this thread are left."],
        );
        check(
            Namespace::Tirx,
            "ptx.cp_async_bulk_tensor_g2s_cluster_im2col",
            expect![
                "Begins a bulk copy of a box of a tensor (TMA), by a tensor map. From global to the shared memory of a block of the cluster; a barrier is signalled. The box is one of a convolution."
            ],
        );
        check(Namespace::Tirx, "int32x4", expect!["A number as `int32x4`."]);
        check(
            Namespace::Tile,
            "copy",
            expect![
                "Copies a tile to another of the same shape; the threads of its scope together."
            ],
        );
        check(
            Namespace::TileLang,
            "copy",
            expect![
                "Copies a tile to another, cast to its type. What is out of bounds is read as zero and not written."
            ],
        );
        check(Namespace::TileLang, "__exp", expect!["e to the power of x, fast and less exact."]);
        check(Namespace::TileLang, "exp2", expect!["Two to the power of x."]);
        check(Namespace::TileLang, "no_such_name", expect!["none"]);
    }
}
