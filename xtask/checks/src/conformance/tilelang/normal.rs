//! A printed function in a form in which names and the ways to write parameters do not count.
//!
//! Parameters are those of `match_buffer`, with row-major strides left out; names are numbered as they occur; lines of
//! no meaning to the comparison (comments, empty `T.reads()`, attributes of the function) are left out. Memory stands
//! at the head of its block, where TileLang's IR has it, and another name of memory right before its first use. A sum
//! of two constants in the extent of a loop is one constant, and memory that a statement makes has one form. What
//! TileLang binds before the loop whose variable it names (the coordinates of `T.Persistent`) is bound in the loop.
//! Layouts, swizzles and reducers of blocks are attributes in our IR and statements or objects in TileLang's: they are
//! not compared, nor are the counts of barriers. O(text).

use std::collections::BTreeMap;

/// The lines of a function of a text; none if it is not there.
pub(super) fn function(text: &str, name: &str) -> Option<Vec<String>> {
    let head = format!("def {name}(");
    let lines: Vec<&str> = text.lines().collect();
    let at = lines.iter().position(|it| it.trim_start().starts_with(&head))?;
    let indent = lines[at].len() - lines[at].trim_start().len();
    let inside = |it: &&&str| it.trim().is_empty() || it.len() - it.trim_start().len() > indent;
    let body = lines[at + 1..].iter().take_while(inside);
    let header = lines[at].trim().strip_prefix(&head)?.trim_end_matches(':').strip_suffix(')')?;
    let mut buffers = BTreeMap::new();
    let mut kept = Vec::new();
    // Scopes that say nothing to the comparison: where they begin.
    let mut scopes: Vec<usize> = Vec::new();
    for line in body {
        let line = line.get(indent..).unwrap_or_default();
        let level = line.len() - line.trim_start().len();
        scopes.retain(|it| *it < level || line.trim().is_empty());
        let line = line.get(4 * scopes.len()..).unwrap_or_default();
        if line.trim_start().starts_with(SWIZZLE) {
            scopes.push(level);
            continue;
        }
        match matched(line) {
            Some((parameter, declared)) => drop(buffers.insert(parameter, declared)),
            None if is_kept(line) => kept.push(line.to_owned()),
            None => {}
        }
    }
    let parameters = split(header).into_iter().map(|it| {
        let (name, declared) = it.split_once(": ").unwrap_or((it, ""));
        let buffer = declared.strip_prefix("T.Buffer(").map(|it| (name, it.trim_end_matches(')')));
        let known = buffers.get(name).map(|(name, it)| (name.as_str(), it.as_str()));
        match known.or(buffer) {
            Some((name, it)) => format!("{name}: T.Buffer({})", buffer_arguments(it)),
            None => it.to_owned(),
        }
    });
    let parameters: Vec<String> = parameters.collect();
    let mut all = vec![format!("def f({}):", parameters.join(", "))];
    let symbols: Vec<&str> =
        lines.iter().filter_map(|it| it.trim().strip_suffix(" = T.int32()")).collect();
    all.extend(memory_first(bound_in_loops(kept, &symbols)));
    let mut numbers = Numbers::default();
    Some(all.iter().map(|it| numbered(it, &mut numbers)).collect())
}

/// The numbers that names have, and how many there are.
#[derive(Default)]
struct Numbers {
    of: BTreeMap<String, usize>,
    count: usize,
}

impl Numbers {
    fn number(&mut self, name: &str) -> usize {
        if let Some(&number) = self.of.get(name) {
            return number;
        }
        self.of.insert(name.to_owned(), self.count);
        self.count += 1;
        self.count - 1
    }
}

/// The scope of a note about the order of blocks.
const SWIZZLE: &str = "with T.attr(None, \"threadblock_swizzle";

/// Lines with the memory of a kernel right behind its launch.
fn memory_first(lines: Vec<String>) -> Vec<String> {
    let is_memory = |it: &String| it.contains(" = T.sblock_alloc_buffer(");
    let (memory, mut rest): (Vec<String>, Vec<String>) = lines.into_iter().partition(is_memory);
    let at = rest
        .iter()
        .position(|it| it.contains("T.sblock(\"tilelang_root\")"))
        .map_or(0, |it| it + 1);
    // Where a condition is around it in the text, too.
    let indent = rest.get(at).map_or(0, |it| it.len() - it.trim_start().len());
    let memory = memory.iter().map(|it| format!("{}{}", " ".repeat(indent), it.trim_start()));
    rest.splice(at..at, memory);
    let lines = rest.iter().map(|it| plain(it)).filter(|it| !it.is_empty()).collect();
    names_at_use(lines)
}

/// Lines with each other name of memory, `B = T.decl_buffer(…, data=A.data)`, right before the first line that uses it.
fn names_at_use(lines: Vec<String>) -> Vec<String> {
    let declared = |it: &str| -> Option<(String, String)> {
        let (name, rest) = it.trim_start().split_once(" = ")?;
        let rest =
            rest.strip_prefix("T.decl_buffer(").or_else(|| rest.strip_prefix("T.Buffer("))?;
        let rest = rest.strip_suffix(')').filter(|it| it.contains(".data"))?;
        Some((name.to_owned(), format!("{name} = T.decl_buffer({})", buffer_arguments(rest))))
    };
    let (names, mut rest): (Vec<String>, Vec<String>) =
        lines.into_iter().partition(|it| declared(it).is_some());
    for (name, text) in names.iter().filter_map(|it| declared(it)) {
        let is_use = |it: &String| words(it).any(|it| it == name);
        if let Some(at) = rest.iter().position(is_use) {
            let indent = rest[at].len() - rest[at].trim_start().len();
            rest.insert(at, format!("{}{text}", " ".repeat(indent)));
        }
    }
    rest
}

/// Lines with what is bound right before a loop, and names its variable, in the loop. A symbol has the name of the
/// variable there, which is printed with a number of its own.
fn bound_in_loops(lines: Vec<String>, symbols: &[&str]) -> Vec<String> {
    let mut out: Vec<String> = Vec::with_capacity(lines.len());
    for line in lines {
        let var = line.trim_start().strip_prefix("for ").and_then(|it| it.split_once(" in range("));
        let Some((var, _)) = var else {
            out.push(line);
            continue;
        };
        let is_of = |it: &&&str| {
            var.strip_prefix(**it).is_some_and(|rest| rest.is_empty() || rest.starts_with('_'))
        };
        let symbol = symbols.iter().find(is_of).copied();
        let names = |it: &String| {
            it.contains(": T.int32 = ")
                && symbol.is_some_and(|symbol| words(it).any(|word| word == symbol))
        };
        let first = out.iter().rposition(|it| !names(it)).map_or(0, |it| it + 1);
        let moved = out.split_off(first);
        out.push(line.clone());
        for it in moved {
            out.push(format!("    {}", renamed(&it, symbol.unwrap_or(var), var)));
        }
    }
    out
}

/// A line with another name for one of its words.
fn renamed(line: &str, from: &str, to: &str) -> String {
    let mut out = String::with_capacity(line.len());
    let is_part = |it: char| it.is_alphanumeric() || it == '_';
    let mut rest = line;
    while let Some(first) = rest.chars().next() {
        let end = match is_part(first) {
            true => rest.find(|it| !is_part(it)).unwrap_or(rest.len()),
            false => first.len_utf8(),
        };
        let (word, behind) = rest.split_at(end);
        out.push_str(if word == from { to } else { word });
        rest = behind;
    }
    out
}

/// The names and numbers of a line.
fn words(line: &str) -> impl Iterator<Item = &str> {
    line.split(|it: char| !it.is_alphanumeric() && it != '_')
}

/// A line without annotations that the two have in different forms, and with the same name for the same operand.
fn plain(line: &str) -> String {
    let line = line.replace("T.bool(True)", "True").replace("T.bool(False)", "False");
    let line = line.replace("use_2cta=True", "use_2cta=1");
    let line = line.replace("use_tma=True", "use_tma=1").replace(", dtype=\"handle\")", ")");
    let line = one_allocation(&folded_extent(&line));
    if let Some((before, rest)) = line.split_once("T.sblock_attr({") {
        let entries = split(rest.trim_end_matches("})"));
        let threads = entries.into_iter().find(|it| it.starts_with("\"tl.launch_threads\""));
        // The number that TileLang takes where a kernel says none.
        let threads = threads.filter(|it| !it.ends_with("[128, 1, 1]"));
        return threads.map_or(String::new(), |it| format!("{before}T.sblock_attr({{{it}}})"));
    }
    if line.contains(" = T.sblock_alloc_buffer(") {
        // The handle of the data, and what is in `barrier_init` of the block in TileLang's IR.
        let left_out = ["data=", "barrier_init=", "replication=", "op="];
        let is_kept = |it: &&str| !left_out.iter().any(|left| it.starts_with(left));
        let (head, rest) = line.split_once('(').unwrap_or((&line, ""));
        let kept: Vec<&str> =
            split(rest.strip_suffix(')').unwrap_or(rest)).into_iter().filter(is_kept).collect();
        return format!("{head}({})", kept.join(", ")).replace("local.reducer", "local.fragment");
    }
    addresses(&line)
}

/// A line with each pointer to one element, as atomic operations take it, as the address of the element.
fn addresses(line: &str) -> String {
    let Some((before, rest)) = line.split_once("T.access_ptr(") else { return line.to_owned() };
    let mut depth = 1;
    let end = rest.find(|it: char| {
        depth += i32::from(matches!(it, '(' | '[')) - i32::from(matches!(it, ')' | ']'));
        depth == 0
    });
    let (inside, behind) = rest.split_at(end.unwrap_or(rest.len()));
    let behind = addresses(behind);
    match split(inside)[..] {
        [element, "1", "1" | "2" | "3"] => format!("{before}T.address_of({element}{behind}"),
        _ => format!("{before}T.access_ptr({}{behind}", addresses(inside)),
    }
}

/// A line with one form for memory that is made where it stands.
fn one_allocation(line: &str) -> String {
    let Some((name, made)) = line.split_once(" = T.") else { return line.to_owned() };
    let forms = [("decl_buffer(", ""), ("alloc_shared(", "shared"), ("alloc_local(", "local")];
    let found = forms.iter().find_map(|it| Some((made.strip_prefix(it.0)?, it.1)));
    match found {
        Some((rest, "")) if !rest.contains("data=") => format!("{name} = T.alloc_buffer({rest}"),
        Some((rest, scope)) if !scope.is_empty() && !rest.contains("scope=") => {
            let rest = rest.strip_suffix(')').unwrap_or(rest);
            format!("{name} = T.alloc_buffer({rest}, scope=\"{scope}\")")
        }
        _ => line.to_owned(),
    }
}

/// The header of a loop with `+ 4096 - 1` as one number: TVM's builder simplifies the extent when it makes the loop.
fn folded_extent(line: &str) -> String {
    let is_loop = line.trim_start().starts_with("for ") && line.contains(" in ");
    let parts = is_loop.then(|| line.split_once(" - ")).flatten();
    let Some((before, after)) = parts else { return line.to_owned() };
    let digits = |it: &str| it.chars().take_while(char::is_ascii_digit).count();
    let Some((head, added)) = before.rsplit_once(" + ") else { return line.to_owned() };
    let n = digits(after);
    match (added.parse::<i64>(), after[..n].parse::<i64>()) {
        (Ok(a), Ok(b)) if a > b => format!("{head} + {}{}", a - b, &after[n..]),
        _ => line.to_owned(),
    }
}

/// The first line that differs.
pub(super) fn difference(theirs: &[String], ours: &[String]) -> Option<(String, String)> {
    let longest = theirs.len().max(ours.len());
    let line =
        |of: &[String], at: usize| of.get(at).map_or(String::new(), |it| it.trim().to_owned());
    let at = (0..longest).find(|&it| theirs.get(it) != ours.get(it))?;
    Some((line(theirs, at), line(ours, at)))
}

/// `A = T.match_buffer(a, …)`: the parameter, and the name and description of its buffer.
fn matched(line: &str) -> Option<(String, (String, String))> {
    let (name, rest) = line.trim().split_once(" = T.match_buffer(")?;
    let (parameter, rest) = rest.strip_suffix(')')?.split_once(", ")?;
    Some((parameter.to_owned(), (name.to_owned(), rest.to_owned())))
}

fn is_kept(line: &str) -> bool {
    let line = line.trim();
    let is_size = line.ends_with("(is_size_var=True)") || line.ends_with("= T.int32()");
    let is_handle = line.split_once(" = T.handle(").is_some_and(|it| !it.0.contains(':'));
    let left_out =
        ["#", "T.reads(", "T.writes(", "T.func_attr(", "T.attr(None, \"threadblock_swizzle"];
    !line.is_empty() && !is_size && !is_handle && !left_out.iter().any(|it| line.starts_with(it))
}

/// Shape and type of a buffer, without what is so if nothing is said.
fn buffer_arguments(text: &str) -> String {
    let parts = split(text);
    let shape = parts.first().copied().unwrap_or_default();
    let inside = |it: &str| -> Vec<String> {
        let it = it.trim_matches(['(', ')']);
        split(it)
            .into_iter()
            .map(|it| it.trim_matches('"').to_owned())
            .filter(|it| !it.is_empty())
            .collect()
    };
    let dims = inside(shape);
    let mut kept = vec![format!("({})", dims.join(", "))];
    for part in &parts[1.min(parts.len())..] {
        let is_row_major =
            part.strip_prefix("strides=").is_some_and(|it| is_row_major(&dims, &inside(it)));
        if !is_row_major && *part != "\"float32\"" {
            kept.push((*part).to_owned());
        }
    }
    kept.join(", ")
}

/// True if strides are those of an array without gaps, as far as they are numbers.
fn is_row_major(dims: &[String], strides: &[String]) -> bool {
    let mut product = Some(1_i128);
    dims.len() == strides.len()
        && dims.iter().zip(strides).rev().all(|(dim, stride)| {
            let expected = product;
            product = product.zip(dim.parse().ok()).map(|(a, b): (i128, i128)| a * b);
            expected.zip(stride.parse::<i128>().ok()).is_none_or(|(a, b)| a == b)
        })
}

/// The parts of a list at its commas, not those in brackets or strings.
fn split(text: &str) -> Vec<&str> {
    let (mut depth, mut is_string, mut start, mut parts) = (0, false, 0, Vec::new());
    for (at, c) in text.char_indices() {
        match c {
            '"' => is_string = !is_string,
            _ if is_string => {}
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth -= 1,
            ',' if depth == 0 => {
                parts.push(text[start..at].trim());
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(text[start..].trim());
    parts.retain(|it| !it.is_empty());
    parts
}

const WORDS: &[&str] = &[
    "T", "def", "for", "in", "with", "if", "else", "elif", "while", "and", "or", "not", "True",
    "False", "None", "range", "break", "continue", "pass", "return", "f", "assert", "as",
];

/// A line with its names numbered; members, keywords of calls and strings stay.
fn numbered(line: &str, numbers: &mut Numbers) -> String {
    // The variable of a loop is another one, whatever had its name before.
    let variable = line.trim_start().strip_prefix("for ").and_then(|it| it.split_once(" in "));
    if let Some((variable, _)) = variable {
        numbers.of.remove(variable);
    }
    let mut out = String::with_capacity(line.len());
    let mut rest = line;
    while let Some(c) = rest.chars().next() {
        if c == '"' {
            let end = rest[1..].find('"').map_or(rest.len(), |it| it + 2);
            out.push_str(&rest[..end]);
            rest = &rest[end..];
        } else if c.is_alphabetic() || c == '_' {
            let end =
                rest.find(|it: char| !it.is_alphanumeric() && it != '_').unwrap_or(rest.len());
            let word = &rest[..end];
            rest = &rest[end..];
            let is_keyword = rest.starts_with('=') && !rest.starts_with("==");
            if out.ends_with('.') || is_keyword || WORDS.contains(&word) {
                out.push_str(word);
            } else {
                out.push_str(&format!("v{}", numbers.number(word)));
            }
        } else if c.is_ascii_digit() {
            let end =
                rest.find(|it: char| !it.is_alphanumeric() && it != '.').unwrap_or(rest.len());
            match rest[..end].parse::<f64>() {
                // As many digits as it needs.
                Ok(it) if rest[..end].contains('.') => out.push_str(&format!("{it:?}")),
                _ => out.push_str(&rest[..end]),
            }
            rest = &rest[end..];
        } else {
            out.push(c);
            rest = &rest[c.len_utf8()..];
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::*;

    #[test]
    fn names_and_the_form_of_parameters_do_not_count() {
        let theirs = "@T.prim_func\ndef main(A: T.handle, n: T.int32):\n    A_1 = T.match_buffer(A, (8, 4), \"float16\", strides=(4, 1))\n    # with T.sblock(\"root\"):\n    for i in range(8):\n        A_1[i, 0] = T.max(n, i, is_x=True)\n";
        let ours = "def main(x: T.Buffer((8, 4), \"float16\"), m: T.int32):\n    for j in range(8):\n        x[j, 0] = T.max(m, j, is_x=True)\n\nother = 1\n";
        let theirs = function(theirs, "main").unwrap();
        expect![[r#"
            def f(v0: T.Buffer((8, 4), "float16"), v1: T.int32):
                for v2 in range(8):
                    v0[v2, 0] = T.max(v1, v2, is_x=True)"#]]
        .assert_eq(&theirs.join("\n"));
        assert_eq!(difference(&theirs, &function(ours, "main").unwrap()), None);
        let other = function(&ours.replace("(m, j", "(j, m"), "main").unwrap();
        let found = difference(&theirs, &other).unwrap();
        assert_eq!(found.1, "v0[v2, 0] = T.max(v2, v1, is_x=True)");
        assert_eq!(function(ours, "f"), None);
    }

    #[test]
    fn memory_under_a_condition_and_extents_of_loops_do_not_count() {
        let theirs = "def f(A: T.Buffer((8, 4), \"float16\")):\n    with T.sblock(\"tilelang_root\"):\n        B = T.sblock_alloc_buffer((4,), scope=\"local\")\n        if 0 < 1:\n            for i in range((A[0, 0] + 4095) // 4096):\n                B[i] = A[0, i]\n";
        let ours = "def f(A: T.Buffer((8, 4), \"float16\")):\n    with T.sblock(\"tilelang_root\"):\n        if 0 < 1:\n            B = T.sblock_alloc_buffer((4,), scope=\"local\")\n            for i in range((A[0, 0] + 4096 - 1) // 4096):\n                B[i] = A[0, i]\n";
        let theirs = function(theirs, "f").unwrap();
        assert_eq!(difference(&theirs, &function(ours, "f").unwrap()), None);
        let other = ours.replace("- 1", "- 2");
        assert!(difference(&theirs, &function(&other, "f").unwrap()).is_some());
    }

    #[test]
    fn coordinates_are_bound_in_the_loop_that_they_name() {
        let theirs = "def f(A: T.Buffer((8, 4))):\n    w = T.int32()\n    by: T.int32 = w * 3 + 1\n    x: T.int32 = 7\n    by: T.int32 = w * 3\n    for w_1 in range(8):\n        if w_1 < 4:\n            A[by, 0] = x\n";
        let ours = "def f(A: T.Buffer((8, 4))):\n    x: T.int32 = 7\n    for w in range(8):\n        by: T.int32 = w * 3\n        if w < 4:\n            A[by, 0] = x\n";
        let theirs = function(&theirs.replace("    by: T.int32 = w * 3 + 1\n", ""), "f").unwrap();
        assert_eq!(difference(&theirs, &function(ours, "f").unwrap()), None);
    }

    #[test]
    fn a_scope_of_a_note_does_not_count() {
        let theirs = "def f(A: T.Buffer((8, 4))):\n    for i in range(8):\n        with T.attr(None, \"threadblock_swizzle_pattern\", 1):\n            A[i, 0] = 1\n            A[i, 1] = 1\n    A[0, 0] = 1\n";
        let ours = "def f(A: T.Buffer((8, 4))):\n    for i in range(8):\n        A[i, 0] = 1\n        A[i, 1] = 1\n    A[0, 0] = 1\n";
        let theirs = function(theirs, "f").unwrap();
        assert_eq!(difference(&theirs, &function(ours, "f").unwrap()), None);
    }

    #[test]
    fn variables_of_loops_are_new_and_pointers_to_one_element_are_addresses() {
        let theirs = "def f(A: T.Buffer((8, 4))):\n    for i in range(8):\n        A[i, 0] = 1\n    for j in range(8):\n        T.store(T.access_ptr(A[j, 0], 1, 2), T.access_ptr(A[j, T.max(0, 1)], 8, 1), 1, 3)\n";
        let ours = "def f(A: T.Buffer((8, 4))):\n    for i in range(8):\n        A[i, 0] = 1\n    for i in range(8):\n        T.store(T.address_of(A[i, 0]), T.access_ptr(A[i, T.max(0, 1)], 8, 1), 1, 3)\n";
        let theirs = function(theirs, "f").unwrap();
        assert_eq!(difference(&theirs, &function(ours, "f").unwrap()), None);
        let other = ours.replace("max(0, 1)], 8", "max(0, 1)], 4");
        assert!(difference(&theirs, &function(&other, "f").unwrap()).is_some());
    }

    #[test]
    fn memory_of_a_statement_has_one_form() {
        let one = |it: &str| one_allocation(&format!("    A = T.{it}"));
        assert_eq!(one("decl_buffer((4,), \"int8\")"), one("alloc_buffer((4,), \"int8\")"));
        assert_eq!(one("alloc_shared((4,))"), one("alloc_buffer((4,), scope=\"shared\")"));
        assert_eq!(
            one("decl_buffer((4,), data=B.data)"),
            "    A = T.decl_buffer((4,), data=B.data)"
        );
    }

    #[test]
    fn other_names_of_memory_stand_before_their_first_use() {
        let theirs = "def f(A: T.Buffer((8, 4))):\n    for i in range(8):\n        B = T.Buffer((32,), data=A.data, strides=(1,))\n        B[i] = T.float32(0.088388347648318447)\n";
        let ours = "def f(A: T.Buffer((8, 4))):\n    B = T.decl_buffer((32,), data=A.data)\n    for i in range(8):\n        B[i] = T.float32(0.08838834764831845)\n";
        let theirs = function(theirs, "f").unwrap();
        expect![[r#"
            def f(v0: T.Buffer((8, 4))):
                for v1 in range(8):
                    v2 = T.decl_buffer((32), data=v0.data)
                    v2[v1] = T.float32(0.08838834764831845)"#]]
        .assert_eq(&theirs.join("\n"));
        assert_eq!(difference(&theirs, &function(ours, "f").unwrap()), None);
    }
}
