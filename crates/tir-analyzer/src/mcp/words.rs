//! The arguments of a call as the words of a command line.

use serde_json::{Map, Value};

use super::{
    inside::Root,
    tools::{Kind, Parameter, Tool},
};
use crate::suggest::{did_you_mean, near};

/// A command, ready to run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Words {
    /// Its words, without the name of the program.
    pub(super) words: Vec<String>,
    /// Its standard input.
    pub(super) stdin: String,
}

/// Returns the words for a call.
///
/// # Errors
///
/// The first argument that is not possible, and what is.
pub(super) fn words(
    tool: &Tool,
    arguments: &Map<String, Value>,
    root: &Root,
) -> Result<Words, String> {
    let names = || tool.parameters.iter().map(|it| it.name);
    if let Some(unknown) = arguments.keys().find(|it| !names().any(|name| name == *it)) {
        let like = did_you_mean(&near(unknown, names()));
        return Err(format!("`{}` has no parameter `{unknown}`{like}", tool.name));
    }
    let mut words: Vec<String> = tool.command.iter().map(|it| (*it).to_owned()).collect();
    let mut plain = Vec::new();
    let mut stdin = String::new();
    for parameter in tool.parameters {
        let given = arguments.get(parameter.name).filter(|it| !it.is_null());
        let values = match given {
            Some(value) => parameter.texts(value)?,
            None if parameter.is_required => {
                return Err(format!("`{}` is needed: {}", parameter.name, parameter.doc));
            }
            None => parameter.default.into_iter().map(str::to_owned).collect(),
        };
        parameter.add(values, root, &mut words, &mut plain, &mut stdin)?;
    }
    // Behind this nothing is an option.
    words.push("--".to_owned());
    words.append(&mut plain);
    Ok(Words { words, stdin })
}

impl Parameter {
    /// The texts of a value of this kind.
    fn texts(&self, value: &Value) -> Result<Vec<String>, String> {
        let wrong = |wanted: &str| format!("`{}` is {wanted}, not `{value}`", self.name);
        match (self.kind, value) {
            (Kind::Number, Value::Number(it)) if it.is_u64() => Ok(vec![it.to_string()]),
            (Kind::Number, _) => Err(wrong("a whole number")),
            (Kind::Flag, Value::Bool(it)) => Ok(it.then(String::new).into_iter().collect()),
            (Kind::Flag, _) => Err(wrong("true or false")),
            (Kind::Choice(of), Value::String(it)) if of.contains(&it.as_str()) => {
                Ok(vec![it.clone()])
            }
            (Kind::Choice(of), _) => Err(wrong(&format!("one of {}", of.join(", ")))),
            (Kind::Texts | Kind::Names | Kind::Arrays, Value::Array(items)) => {
                let text = |it: &Value| it.as_str().map(str::to_owned);
                items
                    .iter()
                    .map(text)
                    .collect::<Option<_>>()
                    .ok_or_else(|| wrong("a list of strings"))
            }
            // One of a list, as models write it.
            (Kind::Texts | Kind::Names | Kind::Arrays, Value::String(it)) => Ok(vec![it.clone()]),
            (Kind::Texts | Kind::Names | Kind::Arrays, _) => Err(wrong("a list of strings")),
            (_, Value::String(it)) => Ok(vec![it.clone()]),
            _ => Err(wrong("a string")),
        }
    }

    /// Adds its values to the words with options, to those without, or to the standard input.
    fn add(
        &self,
        values: Vec<String>,
        root: &Root,
        words: &mut Vec<String>,
        plain: &mut Vec<String>,
        stdin: &mut String,
    ) -> Result<(), String> {
        for mut value in values {
            match self.kind {
                Kind::Path => value = root.inside(&value)?,
                Kind::Place => value = root.place_inside(&value)?,
                Kind::PlaceOrRule if value.contains([':', '/', '.']) => {
                    value = root.place_inside(&value)?;
                }
                Kind::Arrays => {
                    let inside = |it: &str| match it.ends_with(".npy") {
                        true => root.inside(it),
                        false => Ok(it.to_owned()),
                    };
                    let parts: Result<Vec<String>, String> = value.split(',').map(inside).collect();
                    value = parts?.join(",");
                }
                Kind::Stdin => {
                    *stdin = value;
                    words.extend(self.option.map(str::to_owned));
                    continue;
                }
                Kind::Flag => {
                    words.extend(self.option.map(str::to_owned));
                    continue;
                }
                Kind::Text
                | Kind::PlaceOrRule
                | Kind::Number
                | Kind::Choice(_)
                | Kind::Texts
                | Kind::Names => {}
            }
            match self.option {
                Some(option) => words.push(format!("{option}={value}")),
                None => plain.push(value),
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};
    use serde_json::json;

    use super::*;
    use crate::mcp::tools::TOOLS;

    fn check(tool: &str, arguments: Value, expected: Expect) {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("a.py"), "").unwrap();
        let root = Root::new(folder.path()).unwrap();
        let tool = TOOLS.iter().find(|it| it.name == tool).unwrap();
        let outcome = match words(tool, arguments.as_object().unwrap(), &root) {
            Ok(it) => format!("{} <<< {:?}", it.words.join(" "), it.stdin),
            Err(why) => why,
        };
        expected.assert_eq(&outcome);
    }

    #[test]
    fn arguments_become_options() {
        check(
            "check",
            json!({ "path": "a.py", "level": "error", "limit": 3, "at_source": true }),
            expect![[
                r#"check --format=json --quiet --level=error --limit=3 --at-source -- a.py <<< """#
            ]],
        );
        check(
            "check",
            json!({ "text": "x = 1\n", "filename": "k.py", "at_source": false }),
            expect![[
                r#"check --format=json --quiet --stdin --stdin-filename=k.py --level=hint --limit=50 -- <<< "x = 1\n""#
            ]],
        );
        check(
            "simplify",
            json!({ "expr": "-x", "given": ["x > 0", "x < 4"], "sizes": ["n", "m"] }),
            expect![[
                r#"simplify --facts --format=json --given=x > 0 --given=x < 4 --size=n --size=m -- -x <<< """#
            ]],
        );
        check(
            "explain",
            json!({ "what": "may-trap" }),
            expect![[r#"explain --format=json -- may-trap <<< """#]],
        );
    }

    #[test]
    fn what_is_not_possible_is_told() {
        check(
            "check",
            json!({ "levels": "error" }),
            expect!["`check` has no parameter `levels`; did you mean `level`?"],
        );
        check(
            "check",
            json!({ "level": "loud" }),
            expect![[r#"`level` is one of error, warning, info, hint, not `"loud"`"#]],
        );
        check("check", json!({ "limit": -1 }), expect!["`limit` is a whole number, not `-1`"]);
        check("facts", json!({}), expect!["`place` is needed: `FILE:LINE`, from 1."]);
        check(
            "facts",
            json!({ "place": "a.py" }),
            expect!["`a.py` is no place: write `FILE:LINE` or `FILE:LINE:COLUMN`"],
        );
    }
}
