//! The place in the source that an operation was made of, as its `loc(…)` says.
//!
//! In: the tree of a unit, a range in it, and the aliases of its document. Out: a file, a line and a column, or none
//! where the location is unknown. Linear in the text of the location, up to fixed limits.
//!
//! | form | the place |
//! |---|---|
//! | `"f":3:4`, `"f":3:4 to 5:6` | line 3, column 4 of `f` |
//! | `#loc3` | that of the alias |
//! | `"name"(L)` | that of `L` |
//! | `fused<…>[L, M]` | the first that is known |
//! | `callsite(L at M)` | the innermost that is not in an installed package; else `L` |
//! | `unknown`, `"name"`, a file of standard input, line 0 | none |

use std::sync::Arc;

use ir::text::cursor::{Cursor, Token, items};
use syntax::{Green, GreenStep, SourcePlace, SyntaxKind, SyntaxNode, TextRange, TextSize};

/// Locations inside each other that are followed.
const MAX_DEPTH: u32 = 32;

/// Locations that are looked at for one place: aliases may repeat each other.
const MAX_LOCATIONS: u32 = 256;

/// Folders of packages that somebody else wrote.
const INSTALLED: [&str; 2] = ["site-packages", "dist-packages"];

/// Returns the place of the source that the innermost operation, or argument of a block, at a range was made of.
/// `alias` gives the text of `#loc3`. O(depth of the tree + location).
pub fn source_place(
    unit: &SyntaxNode,
    range: TextRange,
    alias: &dyn Fn(&str) -> Option<Arc<str>>,
) -> Option<SourcePlace> {
    if !unit.text_range().contains_range(range) {
        return None;
    }
    let at = unit.covering_element(range);
    let node = at.as_node().cloned().or_else(|| at.parent())?;
    let node = node.ancestors().find(|it| has_location(it.kind()))?;
    let location = node.children().find(|it| it.kind() == SyntaxKind::MLIR_LOCATION)?;
    let mut reader = Reader { alias, left: MAX_LOCATIONS };
    reader.attribute(&location.text(), 0).map(|it| it.place)
}

/// Returns the places that the locations of a unit name, `"f":3:4`, with their ranges relative to it, in text order.
/// Linear in the text.
pub fn named_places(unit: &Green) -> Vec<(TextRange, SourcePlace)> {
    let mut found = Vec::new();
    let mut offset = TextSize::from(0);
    // The text of the location that the walk is in, where it starts, and how many nodes are open in it.
    let mut location: Option<(String, TextSize, u32)> = None;
    unit.walk(|step| match step {
        GreenStep::Enter(kind) => match &mut location {
            Some((.., depth)) => *depth += 1,
            None if kind == SyntaxKind::MLIR_LOCATION => {
                location = Some((String::new(), offset, 0));
            }
            None => {}
        },
        GreenStep::Token(_, text) => {
            offset += TextSize::of(text);
            if let Some((inside, ..)) = &mut location {
                inside.push_str(text);
            }
        }
        GreenStep::Leave => match &mut location {
            Some((text, start, 0)) => {
                let places = places_in(text);
                found.extend(places.map(|(range, place)| (range + *start, place)));
                location = None;
            }
            Some((.., depth)) => *depth -= 1,
            None => {}
        },
    });
    found
}

/// The places that the text of a location names.
fn places_in(text: &str) -> impl Iterator<Item = (TextRange, SourcePlace)> {
    let mut cursor = Cursor::new(text);
    std::iter::from_fn(move || {
        loop {
            match cursor.next() {
                Token::End => return None,
                Token::String(file) if cursor.peek() == Token::Mark(':') => {
                    let start = cursor.pos() - file.len();
                    if let Some(it) = position(file, &mut cursor) {
                        let range =
                            TextRange::new((start as u32).into(), (cursor.pos() as u32).into());
                        return Some((range, it.place));
                    }
                }
                _ => {}
            }
        }
    })
}

fn has_location(kind: SyntaxKind) -> bool {
    use SyntaxKind::{MLIR_BLOCK_ARG, MLIR_CUSTOM_OP, MLIR_GENERIC_OP, MLIR_OPAQUE_OP};
    matches!(kind, MLIR_GENERIC_OP | MLIR_CUSTOM_OP | MLIR_OPAQUE_OP | MLIR_BLOCK_ARG)
}

/// A place, and whether its file belongs to an installed package.
struct Found {
    place: SourcePlace,
    is_installed: bool,
}

struct Reader<'a> {
    alias: &'a dyn Fn(&str) -> Option<Arc<str>>,
    left: u32,
}

impl Reader<'_> {
    /// `loc(L)`
    fn attribute(&mut self, text: &str, depth: u32) -> Option<Found> {
        let inner = text.trim().strip_prefix("loc")?.trim().strip_prefix('(')?;
        self.location(inner.trim_end().strip_suffix(')')?, depth)
    }

    fn location(&mut self, text: &str, depth: u32) -> Option<Found> {
        self.left = self.left.checked_sub(1)?;
        if depth > MAX_DEPTH {
            return None;
        }
        let mut cursor = Cursor::new(text);
        match cursor.next() {
            Token::Name(name) if name.starts_with('#') => {
                let text = (self.alias)(name)?;
                self.attribute(&text, depth + 1)
            }
            Token::String(file) => match cursor.peek() {
                Token::Mark(':') => position(file, &mut cursor),
                Token::Mark('(') => self.location(group(&mut cursor)?, depth + 1),
                _ => None,
            },
            Token::Word("fused") => {
                if cursor.at('<') {
                    cursor.skip_group();
                }
                let list = items(cursor_rest(&cursor));
                list.into_iter().find_map(|it| self.location(it, depth + 1))
            }
            Token::Word("callsite") => self.call(group(&mut cursor)?, depth),
            // An attribute of a location is written with its word.
            Token::Word("loc") => self.attribute(text, depth + 1),
            _ => None,
        }
    }

    /// `L at M`
    fn call(&mut self, text: &str, depth: u32) -> Option<Found> {
        let mut cursor = Cursor::new(text);
        let end = loop {
            match cursor.peek() {
                Token::Word("at") => break cursor.pos(),
                Token::End => return None,
                Token::Mark('(' | '[' | '<') => cursor.skip_group(),
                _ => {
                    cursor.next();
                }
            }
        };
        cursor.next();
        let callee = self.location(&text[..end], depth + 1);
        if callee.as_ref().is_some_and(|it| !it.is_installed) {
            return callee;
        }
        let caller = self.location(cursor_rest(&cursor), depth + 1);
        match caller.as_ref().is_some_and(|it| !it.is_installed) {
            true => caller,
            false => callee.or(caller),
        }
    }
}

/// The text that a cursor has not passed.
fn cursor_rest<'t>(cursor: &Cursor<'t>) -> &'t str {
    &cursor.text()[cursor.pos()..]
}

/// The text in the brackets at a cursor.
fn group<'t>(cursor: &mut Cursor<'t>) -> Option<&'t str> {
    cursor.space();
    let start = cursor.pos();
    cursor.skip_group();
    let text = cursor.since(start);
    text.get(1..text.len().checked_sub(1)?)
}

/// `:3:4` behind the name of a file.
fn position(file: &str, cursor: &mut Cursor<'_>) -> Option<Found> {
    let path = unquoted(file)?;
    let mut number = || {
        if !cursor.eat(':') {
            return None;
        }
        match cursor.next() {
            Token::Number(text) => text.parse().ok(),
            _ => None,
        }
    };
    let (line, column): (u32, u32) = (number()?, number()?);
    let is_file = !path.is_empty() && path != "-" && !path.starts_with('<');
    if !is_file || line == 0 {
        return None;
    }
    let is_installed = path.split(['/', '\\']).any(|it| INSTALLED.contains(&it));
    let place = SourcePlace { path: path.into(), line, column: column.max(1) };
    Some(Found { place, is_installed })
}

/// The text of a string without quotes and escapes; none if it is no text of characters.
fn unquoted(text: &str) -> Option<String> {
    let inner = text.strip_prefix('"')?.strip_suffix('"')?;
    if !inner.contains('\\') {
        return Some(inner.to_owned());
    }
    let mut bytes = Vec::with_capacity(inner.len());
    let mut rest = inner.as_bytes();
    while let Some((&byte, tail)) = rest.split_first() {
        rest = tail;
        if byte != b'\\' {
            bytes.push(byte);
            continue;
        }
        let hex = rest.get(..2).and_then(|it| std::str::from_utf8(it).ok());
        let code = hex.and_then(|it| u8::from_str_radix(it, 16).ok());
        match (rest.first().copied()?, code) {
            (b'\\' | b'"', _) => {
                bytes.push(rest[0]);
                rest = &rest[1..];
            }
            (_, Some(code)) => {
                bytes.push(code);
                rest = &rest[2..];
            }
            (b'n', None) => {
                bytes.push(b'\n');
                rest = &rest[1..];
            }
            _ => return None,
        }
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};
    use syntax::Language;

    use super::*;

    /// The place of each operation of a text whose name is `a.b`, one a line.
    fn check(text: &str, expect: Expect) {
        let tree = syntax::parse_as(Language::Mlir, text);
        let root = tree.syntax();
        let alias = |name: &str| {
            let line = text.lines().find_map(|it| it.strip_prefix(name)?.strip_prefix(" = "))?;
            Some(Arc::from(line))
        };
        let places = text.match_indices("a.b").map(|(at, _)| {
            let range = TextRange::at((at as u32).into(), 3.into());
            match source_place(&root, range, &alias) {
                Some(it) => format!("{}:{}:{}\n", it.path, it.line, it.column),
                None => "none\n".to_owned(),
            }
        });
        expect.assert_eq(&places.collect::<String>());
    }

    #[test]
    fn locations_are_followed() {
        check(
            r##"
#loc = loc("k.py":1:2)
#loc1 = loc("x"(#loc))
#loc2 = loc(callsite(#loc1 at "main.py":9:1))
#lib = loc(callsite("/v/site-packages/t/standard.py":4:4 at callsite("/v/site-packages/t/math.py":1:1 at #loc)))
#self = loc("x"(#self))
func.func @f() {
  "a.b"() : () -> () loc("k.py":3:4)
  "a.b"() : () -> () loc("k.py":3:4 to :8)
  "a.b"() : () -> () loc(#loc1)
  "a.b"() : () -> () loc(fused<{x = "]"}>[unknown, #loc1])
  "a.b"() : () -> () loc(#loc2)
  "a.b"() : () -> () loc(#lib)
  "a.b"() : () -> () loc("na\5Cme"("with \22 and \C3\A4.py":3:4))
  return loc(#loc)
} loc("f.py":7:7)
"##,
            expect![[r#"
                k.py:3:4
                k.py:3:4
                k.py:1:2
                k.py:1:2
                k.py:1:2
                k.py:1:2
                with " and ä.py:3:4
            "#]],
        );
    }

    #[test]
    fn places_in_locations_have_their_ranges() {
        let text = r##"
#loc = loc("k.py":1:2)
#loc1 = loc(fused<"a":1>[callsite("x"("l.py":3:4) at "m.py" : 5 : 6), "k.py":0:0, "-":1:1])
func.func @f() {
  "a.b"() {path = "n.py":7:8} : () -> () loc("k.py":3:4 to :8)
} loc("f.py":7:7
"##;
        let tree = syntax::parse_as(Language::Mlir, text);
        let places = named_places(&Green::of(&tree.syntax()));
        let line = |(range, it): &(TextRange, SourcePlace)| {
            format!("{} is {}:{}:{}\n", &text[*range], it.path, it.line, it.column)
        };
        let found: String = places.iter().map(line).collect();
        expect![[r#"
            "k.py":1:2 is k.py:1:2
            "l.py":3:4 is l.py:3:4
            "m.py" : 5 : 6 is m.py:5:6
            "k.py":3:4 is k.py:3:4
            "f.py":7:7 is f.py:7:7
        "#]]
        .assert_eq(&found);
    }

    #[test]
    fn unknown_locations_have_no_place() {
        check(
            r##"
#self = loc("x"(#self))
func.func @f() {
  "a.b"() : () -> () loc(unknown)
  "a.b"() : () -> () loc("only a name")
  "a.b"() : () -> () loc(#self)
  "a.b"() : () -> () loc(#missing)
  "a.b"() : () -> () loc("-":1:2)
  "a.b"() : () -> () loc("<stdin>":1:2)
  "a.b"() : () -> () loc("k.py":0:0)
  "a.b"() : () -> ()
  return
} loc("f.py":7:7)
"##,
            expect![[r#"
                none
                none
                none
                none
                none
                none
                none
                none
            "#]],
        );
    }
}
