//! The public names of a module of Python, with their signatures and docstrings, read from its text by lines.
//!
//! The package's sources are ours and formatted by one tool, so that lines are enough: a definition begins at the
//! margin, its signature ends at the line that ends with a colon, and its docstring follows.

use std::path::Path;

use super::read;

/// The package, from the root of the checkout.
const PACKAGE: &str = "crates/python/python/tir_analyzer";

/// The documentation of a module: each public function and class, methods below their class. `name` may list the names
/// that are shown (`tvm: Simplify`); of a module with an underscore those are that the package exports.
pub(super) fn module(root: &Path, name: &str) -> anyhow::Result<String> {
    let text = |name: &str| -> anyhow::Result<String> {
        let bytes = read(&root.join(PACKAGE).join(format!("{name}.py")))?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    };
    let (name, listed) = name.split_once(": ").unwrap_or((name, ""));
    if !listed.is_empty() {
        return Ok(documented(&text(name)?, |it| listed.split(", ").any(|name| name == it)));
    }
    if name.starts_with('_') {
        let exports = text("__init__")?;
        return Ok(documented(&text(name)?, |it| exports.contains(&format!("\"{it}\""))));
    }
    Ok(documented(&text(name)?, |_| true))
}

fn documented(text: &str, is_wanted: impl Fn(&str) -> bool) -> String {
    let lines: Vec<&str> = text.lines().collect();
    let mut out = String::new();
    let mut is_public_class = false;
    let mut at = 0;
    while at < lines.len() {
        let line = lines[at];
        let inner = line.trim_start();
        let depth = line.len() - inner.len();
        let is_definition = inner.starts_with("def ") || inner.starts_with("class ");
        if depth == 0 && is_definition {
            let is_shown = is_public(inner) && is_wanted(name_of(inner));
            is_public_class = inner.starts_with("class ") && is_shown;
        }
        let is_shown = is_definition
            && is_public(inner)
            && ((depth == 0 && is_wanted(name_of(inner)))
                || (depth == 4 && is_public_class && is_method(inner)));
        if !is_shown {
            at += 1;
            continue;
        }
        let end = (at..lines.len()).find(|it| ends_signature(lines[*it])).unwrap_or(at);
        let signature = signature(&lines[at..=end]);
        let (doc, after) = docstring(&lines, end + 1);
        let fields = match inner.starts_with("class ") {
            true => fields(&lines, after),
            false => String::new(),
        };
        let mark = if depth == 0 { "###" } else { "####" };
        let name = name_of(inner);
        out.push_str(&format!("\n{mark} {name}\n\n```python\n{signature}{fields}\n```\n\n{doc}\n"));
        at = after;
    }
    out
}

fn name_of(definition: &str) -> &str {
    let rest = definition.split_once(' ').map_or("", |it| it.1);
    rest.split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or_default()
}

fn is_public(definition: &str) -> bool {
    !name_of(definition).starts_with('_')
}

fn is_method(definition: &str) -> bool {
    definition.starts_with("def ")
}

fn ends_signature(line: &str) -> bool {
    let line = line.split("  #").next().unwrap_or(line);
    line.trim_end().ends_with(':')
}

/// The lines of a signature, moved to the margin, without the colon.
fn signature(lines: &[&str]) -> String {
    let depth = lines[0].len() - lines[0].trim_start().len();
    let all: Vec<&str> = lines
        .iter()
        .map(|it| it.get(depth..).unwrap_or_default().split("  #").next().unwrap_or_default())
        .collect();
    all.join("\n").trim_end().trim_end_matches(':').to_owned()
}

/// The docstring that begins at a line, and the line after it.
fn docstring(lines: &[&str], start: usize) -> (String, usize) {
    let Some(first) = lines.get(start).and_then(|it| it.trim().strip_prefix("\"\"\"")) else {
        return (String::new(), start);
    };
    if let Some(whole) = first.strip_suffix("\"\"\"") {
        return (whole.to_owned(), start + 1);
    }
    let end = (start + 1..lines.len()).find(|it| lines[*it].contains("\"\"\"")).unwrap_or(start);
    let mut all = vec![first];
    all.extend(lines[start + 1..end].iter().map(|it| it.trim_start()));
    let last = lines[end].trim().trim_end_matches("\"\"\"");
    all.extend((!last.is_empty()).then_some(last));
    (sections(&all), end + 1)
}

/// The lines of a docstring, with lists of arguments and errors as lists of Markdown.
fn sections(lines: &[&str]) -> String {
    let mut is_list = false;
    let mut out = String::new();
    for line in lines {
        let entry = line.split_once(": ").filter(|it| is_list && !it.0.contains(' '));
        match (entry, *line) {
            (_, "Args:" | "Raises:" | "Returns:") => {
                is_list = true;
                out.push_str(&format!("\n{line}\n\n"));
            }
            (Some((name, text)), _) => out.push_str(&format!("- `{name}`: {text}\n")),
            (None, _) => {
                is_list &= !line.is_empty();
                out.push_str(&format!("{line}\n"));
            }
        }
    }
    out.trim().to_owned()
}

/// The fields of a class: its annotated names, as they stand.
fn fields(lines: &[&str], start: usize) -> String {
    let mut out = String::new();
    for line in lines[start..].iter().skip_while(|it| it.trim().is_empty()) {
        let inner = line.trim_start();
        let is_field = line.len() - inner.len() == 4
            && inner.split_once(": ").is_some_and(|it| {
                it.0.chars().all(|c| c.is_alphanumeric() || c == '_') && !it.0.starts_with('_')
            });
        if line.len() - inner.len() < 4 && !inner.is_empty() || inner.starts_with("def ") {
            break;
        }
        if is_field {
            out.push_str(&format!("\n    {inner}"));
        }
    }
    if out.is_empty() { out } else { format!(":{out}") }
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::documented;

    #[test]
    fn public_names_have_their_docstrings() {
        let text = "\
import a

class Found(Base):
    \"\"\"What was found.\"\"\"

    rule: str
    #: the place
    at: int = 0

    def text(self) -> str:
        \"\"\"Its text.

        More of it.
        \"\"\"
        return \"\"

    def _hidden(self) -> None: ...

def _hidden(a):
    \"\"\"No.\"\"\"

def left_out(a):
    \"\"\"No.\"\"\"

def check(
    obj: Any, *, level: str = \"hint\",
) -> Found:  # noqa
    \"\"\"Checks.\"\"\"
";
        expect![[r#"

            ### Found

            ```python
            class Found(Base):
                rule: str
                at: int = 0
            ```

            What was found.

            #### text

            ```python
            def text(self) -> str
            ```

            Its text.

            More of it.

            ### check

            ```python
            def check(
                obj: Any, *, level: str = "hint",
            ) -> Found
            ```

            Checks.
        "#]]
        .assert_eq(&documented(text, |it| it != "left_out"));
    }
}
