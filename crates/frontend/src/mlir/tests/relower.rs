//! A function that is lowered after an edit is the one that is lowered from scratch, whatever edits came before.

use std::{ops::Range, path::Path};

use parser::{SyntaxKind, mlir::Shapes};
use syntax::{Edit, Green, Language, Parse, TextRange, changed_run, parse_as, units};
use test_utils::{
    Rng, ir_samples,
    operations::{Shape, mlir},
};

use crate::{
    mlir::{Aliases, Previous, Traits, aliases, lower_function_with_traits, relower},
    ops::Lowered,
};

/// A file under edits, with the reused lowering of its functions.
struct World {
    text: String,
    parse: Parse,
    aliases: Aliases,
    functions: Vec<Version>,
    /// The number of functions that were relowered incrementally, and of those lowered from scratch after an edit.
    counts: (usize, usize),
}

struct Version {
    green: Green,
    lowered: Lowered,
    traits: Traits,
    /// The version from which the next is made, if it is not this one.
    base: Option<Box<Version>>,
}

impl Version {
    fn new(green: &Green, aliases: &Aliases) -> Version {
        let (lowered, traits) =
            lower_function_with_traits(green, &green.text(), aliases, Shapes::builtin());
        Version { green: green.clone(), lowered, traits, base: None }
    }

    /// The next version, relowered from the edited part.
    fn after(&self, green: &Green, aliases: &Aliases) -> Option<Version> {
        if let Some(base) = &self.base {
            return base.after(green, aliases);
        }
        let change = changed_run(&self.green, green, |it| it == SyntaxKind::MLIR_BLOCK)?;
        let text = green.text();
        assert_eq!(change.edited_text(&self.green.text()).as_ref(), Some(&text));
        let previous = Previous { lowered: &self.lowered, traits: self.traits };
        let (lowered, traits) = relower(previous, &change, &text, aliases, Shapes::builtin())?;
        Some(Version { green: green.clone(), lowered, traits, base: None })
    }

    /// This version behind another one.
    fn behind(mut self, old: Version) -> Version {
        let base = old.base.unwrap_or_else(|| Box::new(Version { base: None, ..old }));
        if !self.traits.is_base_after(base.traits, true) {
            self.base = Some(base);
        }
        self
    }
}

/// The aliases of the first document.
fn aliases_of(parse: &Parse) -> Aliases {
    let chunk = parse.mlir().and_then(|it| it.chunks().next());
    chunk.map(|it| aliases(&it)).unwrap_or_default()
}

impl World {
    fn new(text: &str) -> World {
        let parse = parse_as(Language::Mlir, text);
        let aliases = aliases_of(&parse);
        let functions = units(&parse).functions.into_iter();
        let functions = functions.map(|it| Version::new(&it.source.green, &aliases)).collect();
        World { text: text.to_owned(), parse, aliases, functions, counts: (0, 0) }
    }

    #[track_caller]
    fn edit(&mut self, range: Range<usize>, new: &str) {
        let before = self.text.clone();
        let edit = Edit::replace(
            TextRange::new((range.start as u32).into(), (range.end as u32).into()),
            new,
        );
        edit.apply(&mut self.text);
        self.parse = self.parse.reparse(&edit).parse;
        let aliases = aliases_of(&self.parse);
        let same_aliases = aliases == self.aliases;
        self.aliases = aliases;
        let units = units(&self.parse).functions;
        let can_follow = same_aliases && units.len() == self.functions.len();
        let old = std::mem::take(&mut self.functions);
        let mut old = old.into_iter();
        for unit in units {
            let (green, old) = (&unit.source.green, old.next());
            if let Some(old) = old.filter(|_| can_follow) {
                if old.green.ptr_eq(green) {
                    self.functions.push(old);
                    continue;
                }
                if let Some(new) = old.after(green, &self.aliases) {
                    let fresh = Version::new(green, &self.aliases);
                    assert_same(&new.lowered, &fresh.lowered, &before, &edit);
                    assert_eq!(new.traits.is_plain, fresh.traits.is_plain, "{edit:?} in\n{before}");
                    self.functions.push(new.behind(old));
                    self.counts.0 += 1;
                    continue;
                }
                self.functions.push(Version::new(green, &self.aliases).behind(old));
                self.counts.1 += 1;
                continue;
            }
            self.functions.push(Version::new(green, &self.aliases));
            self.counts.1 += 1;
        }
    }

    /// An edit, and its undoing.
    fn edit_and_undo(&mut self, range: Range<usize>, new: &str) {
        let old = self.text[range.clone()].to_owned();
        self.edit(range.clone(), new);
        self.edit(range.start..range.start + new.len(), &old);
    }
}

#[track_caller]
fn assert_same(new: &Lowered, fresh: &Lowered, before: &str, edit: &Edit) {
    let context = || format!("{edit:?} in\n{before}");
    assert_eq!(new.diagnostics, fresh.diagnostics, "{}", context());
    assert!(new.source_map == fresh.source_map, "the maps differ: {}", context());
    assert!(new.body.is_equal_but_for_interned(&fresh.body), "the bodies differ: {}", context());
    assert_eq!(ir::verify::verify(&new.body), ir::verify::verify(&fresh.body), "{}", context());
}

/// Replacement texts.
const SNIPPETS: &[&str] = &[
    "",
    " ",
    "\n",
    "7",
    "%0",
    "%1",
    "%a",
    "%zz",
    "%zz = arith.constant 7 : i32\n  ",
    "%zz, %zy = \"test.two\"() : () -> (i32, i64)\n  ",
    "%pp:2 = \"test.two\"() : () -> (i32, i64)\n  ",
    "\"test.op\"(%zz) {a = 1} : (i32) -> ()\n  ",
    "\"test.op\"() ({\n    \"test.in\"() : () -> ()\n  }) : () -> ()\n  ",
    "// a comment\n  ",
    "foo.bar %zz\n  ",
    "i64",
    "add",
    "mul",
    "f32",
    "(",
    "}",
    "^bb9:\n",
];

fn random_edit(rng: &mut Rng, text: &str) -> (Range<usize>, String) {
    let bound = |at: usize| (0..=at).rev().find(|it| text.is_char_boundary(*it)).unwrap_or(0);
    let at = bound(rng.below(text.len() + 1));
    let line_start = text[..at].rfind('\n').map_or(0, |it| it + 1);
    let line_end = text[at..].find('\n').map_or(text.len(), |it| at + it + 1);
    let word = |it: char| it.is_alphanumeric() || "%_.".contains(it);
    let start = text[..at].rfind(|it| !word(it)).map_or(0, |it| it + 1);
    let start = (start..=at).find(|it| text.is_char_boundary(*it)).unwrap_or(at);
    let end = text[at..].find(|it| !word(it)).map_or(text.len(), |it| at + it);
    match rng.below(6) {
        // A line twice, or gone.
        0 => (line_start..line_start, text[line_start..line_end].to_owned()),
        1 => (line_start..line_end, String::new()),
        2 => (line_start..line_start, (*rng.pick(SNIPPETS)).to_owned()),
        3 => (start..end, (*rng.pick(SNIPPETS)).to_owned()),
        4 => (bound(at.saturating_sub(1))..at, String::new()),
        _ => (at..at, (*rng.pick(SNIPPETS)).to_owned()),
    }
}

/// Random edits, a few at a time: many make an error that stays, behind which nothing is taken over. Gives how many
/// functions were taken over, and how many were not.
fn check_random(text: &str, seed: u64, rounds: usize) -> (usize, usize) {
    let mut rng = Rng::new(seed);
    let mut counts = (0, 0);
    for _ in 0..rounds {
        let mut world = World::new(text);
        for _ in 0..6 {
            let (range, new) = random_edit(&mut rng, &world.text);
            if rng.one_in(4) {
                world.edit(range, &new);
            } else {
                world.edit_and_undo(range, &new);
            }
        }
        counts = (counts.0 + world.counts.0, counts.1 + world.counts.1);
    }
    counts
}

#[test]
fn function_after_random_edits_is_the_one_from_scratch() {
    let mut counts = (0, 0);
    for (seed, sample) in ir_samples().iter().enumerate() {
        if Language::of_file(Path::new(&sample.name), &sample.text) == Language::Mlir
            && sample.text.len() < 16_000
        {
            let (taken, read) = check_random(&sample.text, seed as u64, 4);
            counts = (counts.0 + taken, counts.1 + read);
        }
    }
    assert!(counts.0 > counts.1 / 20, "{counts:?}: too little is taken over to say something");
}

#[test]
fn synthetic_function_after_random_edits_is_the_one_from_scratch() {
    for (seed, shape) in
        [Shape::Flat, Shape::Chain, Shape::Nest, Shape::LoadStore].into_iter().enumerate()
    {
        let (taken, read) = check_random(&mlir(shape, 60), 1000 + seed as u64, 40);
        assert!(taken > read / 20, "{}: {taken} taken over, {read} read", shape.name());
    }
}

const TEXT: &str = "\
func.func @f(%a: i32, %m: memref<4xi32>, %i: index) -> i32 {
  %0 = arith.addi %a, %a : i32
  %1 = arith.muli %0, %a : i32
  %unused = arith.constant 7 : i32
  memref.store %1, %m[%i] : memref<4xi32>
  %2 = scf.if %c -> i32 {
    %3 = arith.subi %1, %0 : i32
    %4 = arith.subi %3, %0 : i32
    scf.yield %4 : i32
  } else {
    scf.yield %0 : i32
  }
  %5 = arith.addi %2, %1 : i32
  return %5 : i32
}
";

/// Returns true if a function with the text [`TEXT`], but with a condition, is relowered incrementally when `old`
/// becomes `new`.
#[track_caller]
fn takes_over(old: &str, new: &str) -> bool {
    let text = TEXT.replace("(%a: i32", "(%c: i1, %a: i32");
    let mut world = World::new(&text);
    let at = text.find(old).expect("the text that is to be replaced");
    world.edit(at..at + old.len(), new);
    world.counts == (1, 0)
}

#[test]
fn unchanged_operations_are_reused() {
    assert!(takes_over("arith.muli", "arith.addi"));
    assert!(takes_over("7 : i32", "1234 : i32"));
    assert!(takes_over("%3, %0", "%3, %1"));
    assert!(takes_over("%unused", "%other"));
    assert!(takes_over("  %unused = arith.constant 7 : i32\n", ""));
    assert!(takes_over("  memref.store", "  %new = arith.addi %1, %1 : i32\n  memref.store"));
    assert!(takes_over("  memref.store", "  // a comment\n  memref.store"));
    assert!(takes_over("\n  memref.store", "\n\n  memref.store"));
}

#[test]
fn a_name_that_is_half_typed_costs_no_more() {
    // What nothing defines, or something behind it does.
    assert!(takes_over("%3, %0", "%3, %q"));
    assert!(takes_over("%3, %0", "%q, %q"));
    assert!(takes_over("%0, %a : i32", "%5, %2 : i32"));
    assert!(takes_over("%3, %0", "%4, %5"));
    let text = TEXT.replace("(%a: i32", "(%c: i1, %a: i32");
    let mut world = World::new(&text);
    let at = text.find("%3, %0").expect("an operand") + 5;
    // A percent sign alone is no operand: the type of the result is not known.
    world.edit(at..at + 1, "");
    assert_eq!(world.counts, (0, 1));
    world.edit(at..at, "9");
    world.edit(at + 1..at + 1, "8");
    world.edit(at..at + 2, "1");
    assert_eq!(world.counts, (3, 1));
}

#[test]
fn names_that_are_hidden_stay_so() {
    let text = "func.func @f(%a: i32) {\n  \"test.first\"() : () -> ()\n  \"flow.dispatch.workgroups\"() ({\n    %0 = \"test.make\"() : () -> i32\n    \"test.use\"(%0) : (i32) -> ()\n    flow.return\n  }) : () -> ()\n  return\n}\n";
    let mut world = World::new(text);
    let at = text.find("%0) :").expect("a use");
    world.edit(at..at + 2, "%a");
    assert!(!world.functions[0].lowered.diagnostics.is_empty());
}

#[test]
fn changed_definitions_with_other_uses_are_lowered_from_scratch() {
    // A name that others use, its type, one that is defined twice, a region, and the end of a block.
    assert!(!takes_over("%0 = ", "%q = "));
    assert!(!takes_over("%a : i32\n  %unused", "%a : i64\n  %unused"));
    assert!(!takes_over("%unused = ", "%a = "));
    assert!(!takes_over("scf.if %c", "scf.if %d"));
    assert!(!takes_over("return %5", "return %2"));
}
