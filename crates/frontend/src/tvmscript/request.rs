//! Requests for instances: calls of factories that a user writes in the settings or on the command line.
//!
//! In: the text of a call. Out: a [`Request`], or the first mistake with its place. Names have the values that Python
//! gives them by itself; no file is asked.

use std::fmt;

use syntax::{TextSize, syntax_errors};

use super::{
    ast::{self, ExKind, StKind},
    discover::{Context, MODULE, Scopes},
    instance::Arguments,
};

/// An instance that a user asks for, before it is known which factory is meant.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Request {
    /// The factory: its name, or its path.
    pub function: Box<str>,
    /// The arguments.
    pub arguments: Arguments,
}

/// A mistake in the text of a [`Request`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RequestError {
    /// Its place in the text.
    pub offset: TextSize,
    /// The description of the mistake.
    pub message: String,
}

impl fmt::Display for Request {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Arguments { positional, named, .. } = &self.arguments;
        let positional = positional.iter().map(ToString::to_string);
        let named = named.iter().map(|(name, value)| format!("{name}={value}"));
        let all: Vec<String> = positional.chain(named).collect();
        write!(out, "{}({})", self.function, all.join(", "))
    }
}

impl Request {
    /// Reads a call: `matmul(1024, dtype="float16")`.
    ///
    /// # Errors
    /// The first mistake in the text.
    pub fn parse(text: &str) -> Result<Request, RequestError> {
        let code = text.trim_start();
        // Before a statement, spaces would mean something.
        let before = TextSize::of(&text[..text.len() - code.len()]);
        let mistake = |offset: TextSize, message: &str| RequestError {
            offset: before + offset,
            message: message.to_owned(),
        };
        let parse = syntax::parse(code);
        if let Some(error) = syntax_errors(&parse.syntax()).first() {
            return Err(mistake(error.range.start(), &error.message));
        }
        let ast = ast::read(parse.green());
        const FORM: &str =
            "this is no call of a factory; write one, as `matmul(M=1024, dtype=\"float16\")`";
        let [statement] = ast.root[..] else { return Err(mistake(0.into(), FORM)) };
        let StKind::Expr(ex) = ast.stmt(statement).kind else {
            return Err(mistake(0.into(), FORM));
        };
        let start = ast.range(ex).start();
        let &ExKind::Call { callee, args } = ast.kind(ex) else { return Err(mistake(start, FORM)) };
        let Some((head, rest)) = ast.dotted(callee) else { return Err(mistake(start, FORM)) };
        let args = ast.args(args);
        // Names of Python alone.
        let scopes = Scopes::default();
        let value_of = |ex| scopes.evaluate(MODULE, parse.green(), ex, Context::default());
        let arguments = Arguments::read(args, &value_of).map_err(|ex| {
            let is_splat = args.iter().any(|it| it.value == ex && it.is_splat);
            let message = match is_splat || matches!(ast.kind(ex), ExKind::Star(_)) {
                true => "arguments are written one by one here",
                false => "this is no value; write a number, a text, True, False, None, or a tuple or list of them",
            };
            mistake(ast.range(ex).start(), message)
        })?;
        let function = [head].into_iter().chain(rest).collect::<Vec<_>>().join(".");
        Ok(Request { function: function.into(), arguments })
    }

    /// Returns true if it means the factory of a path, by all of the path or by its end.
    pub fn means(&self, path: &str) -> bool {
        let rest = path.strip_suffix(&*self.function);
        rest.is_some_and(|it| it.is_empty() || it.ends_with('.'))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_are_calls_with_known_arguments() {
        let read = |text: &str| match Request::parse(text) {
            Ok(Request { function, arguments: Arguments { positional, named, .. } }) => {
                let positional = positional.iter().map(ToString::to_string);
                let named = named.iter().map(|(name, value)| format!("{name}={value}"));
                format!("{function}({})", positional.chain(named).collect::<Vec<_>>().join(", "))
            }
            Err(it) => format!("{}: {}", u32::from(it.offset), it.message),
        };
        assert_eq!(
            read("m.matmul(4 * 8, (1,), dtype='a\"b', x=-1.5, y=None)"),
            r#"m.matmul(32, (1,), dtype="a\"b", x=-1.5, y=None)"#
        );
        assert!(read("matmul").starts_with("0: this is no call"));
        assert!(read("  matmul(M=n)").starts_with("11: this is no value"));
        assert!(read("matmul(*a)").contains("one by one"));
        assert!(read("matmul(M=").contains(": "));
        assert!(read("").starts_with("0: this is no call"));
    }

    #[test]
    fn a_request_means_factories_by_whole_names() {
        let request = Request::parse("make()").unwrap();
        assert!(request.means("a.make") && request.means("make") && !request.means("remake"));
    }
}
