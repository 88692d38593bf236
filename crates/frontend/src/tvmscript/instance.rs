//! Instances of factories: the values that the parameters of a function of Python have around a TVMScript function.
//!
//! ```python
//! def matmul(M, dtype="float16"):      # the factory
//!     @T.prim_func
//!     def main(A: T.Buffer((M,), dtype)): ...
//! kernel = matmul(1024)                # the instance `matmul(M=1024, dtype="float16")`
//! ```
//!
//! In: a call, as it is written in the workspace, in the settings or on the command line. Out: [`Arguments`], and by
//! the parameters of the factory the [`Instance`]. Nothing is executed: an argument whose value cannot be read from the
//! text makes no instance.

use std::fmt;

use super::{
    ast::{ArgNode, Ex},
    environment::Constant,
    staging,
};

/// The values of parameters of a factory.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Instance {
    factory: Box<str>,
    /// In the order of the parameters; those without a known value are left out.
    values: Box<[(Box<str>, Constant)]>,
    /// That of the factory around it, where it is made in one.
    around: Option<Box<Instance>>,
}

impl Instance {
    pub(super) fn new(factory: &str, values: Vec<(Box<str>, Constant)>) -> Instance {
        Instance { factory: factory.into(), values: values.into(), around: None }
    }

    /// The instance as one that is made in another, or in one that this is made in: in that of the innermost factory
    /// around its own.
    pub(super) fn made_in(self, outer: Option<&Instance>) -> Instance {
        let is_outer = |it: &&Instance| self.factory != it.factory && it.is_around(&self.factory);
        let outer = std::iter::successors(outer, |it| it.around.as_deref()).find(is_outer);
        Instance { around: outer.cloned().map(Box::new), ..self }
    }

    /// Returns true if it is made in `outer`: then it says all that this says.
    pub fn is_made_in(&self, outer: &Instance) -> bool {
        std::iter::successors(self.around.as_deref(), |it| it.around.as_deref())
            .any(|it| it == outer)
    }

    /// Returns the value that it, or one around it, gives a parameter of a factory.
    pub(super) fn given(&self, factory: &str, parameter: &str) -> Option<&Constant> {
        let mut all = std::iter::successors(Some(self), |it| it.around.as_deref());
        all.find(|it| *it.factory == *factory)?.value(parameter)
    }

    /// Returns the path of the factory: names of the classes and functions around it, and its own, joined by `.`.
    pub fn factory(&self) -> &str {
        &self.factory
    }

    /// Returns the value of a parameter.
    pub fn value(&self, parameter: &str) -> Option<&Constant> {
        self.values.iter().find(|it| *it.0 == *parameter).map(|it| &it.1)
    }

    /// Returns true if a function of this path stands in the factory. The path of a function is that of the scopes
    /// around it.
    pub fn is_around(&self, path: &str) -> bool {
        let rest = path.strip_prefix(&*self.factory);
        rest.is_some_and(|it| it.is_empty() || it.starts_with('.'))
    }

    /// Returns the values as a call has them: `M=1024, dtype="float16"`; those of the factory around it first.
    pub fn arguments(&self) -> String {
        let around = self.around.as_ref().map(|it| it.arguments()).filter(|it| !it.is_empty());
        let own = self.values.iter().map(|(name, value)| format!("{name}={value}"));
        around.into_iter().chain(own).collect::<Vec<_>>().join(", ")
    }
}

impl fmt::Display for Instance {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}({})", self.factory, self.arguments())
    }
}

/// The arguments of a call.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Arguments {
    /// Without a name, in order.
    pub positional: Vec<Constant>,
    /// By the names of parameters, in order.
    pub named: Vec<(Box<str>, Constant)>,
    /// Parameters with an argument of which nothing is known: they have not their defaults.
    pub(super) unknown: Vec<Box<str>>,
}

impl Arguments {
    /// Returns arguments that are all known.
    pub fn known(positional: Vec<Constant>, named: Vec<(Box<str>, Constant)>) -> Arguments {
        Arguments { positional, named, unknown: Vec::new() }
    }

    /// Reads those of a call.
    ///
    /// # Errors
    /// The first argument whose value cannot be read.
    pub(super) fn read(
        args: &[ArgNode<'_>],
        value_of: &dyn Fn(Ex) -> Constant,
    ) -> Result<Arguments, Ex> {
        let mut read = Arguments::default();
        for arg in args {
            let value = value_of(arg.value);
            let value = Some(value).filter(|it| it.is_plain() && !arg.is_splat);
            let value = value.ok_or(arg.value)?;
            match arg.keyword {
                Some((name, _)) => read.named.push((name.into(), value)),
                None => read.positional.push(value),
            }
        }
        Ok(read)
    }
}

impl fmt::Display for Constant {
    /// As Python writes it.
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Constant::None => out.write_str("None"),
            Constant::Bool(true) => out.write_str("True"),
            Constant::Bool(false) => out.write_str("False"),
            Constant::Int(it) => write!(out, "{it}"),
            Constant::Float(it) => match f64::from_bits(*it) {
                it if it.is_finite() => write!(out, "{it:?}"),
                it => write!(out, "float(\"{it}\")"),
            },
            Constant::Str(it) => quoted(it, out),
            Constant::Tuple(items) => {
                let comma = if items.len() == 1 { "," } else { "" };
                write!(out, "({}{comma})", Listed(items))
            }
            Constant::List(items) => write!(out, "[{}]", Listed(items)),
            other => out.write_str(&staging::format::repr(other).unwrap_or_default()),
        }
    }
}

/// Items with commas between; their nesting is bounded where they are read.
struct Listed<'a>(&'a [Constant]);

impl fmt::Display for Listed<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (number, item) in self.0.iter().enumerate() {
            let comma = if number == 0 { "" } else { ", " };
            write!(out, "{comma}{item}")?;
        }
        Ok(())
    }
}

fn quoted(text: &str, out: &mut fmt::Formatter<'_>) -> fmt::Result {
    out.write_str("\"")?;
    for c in text.chars() {
        match c {
            '"' | '\\' => write!(out, "\\{c}")?,
            '\n' => out.write_str("\\n")?,
            '\r' => out.write_str("\\r")?,
            '\t' => out.write_str("\\t")?,
            c if c.is_control() => write!(out, "\\x{:02x}", u32::from(c))?,
            c => write!(out, "{c}")?,
        }
    }
    out.write_str("\"")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_inside_a_factory_are_around_by_whole_names() {
        let instance = Instance::new("a.make", Vec::new());
        assert!(instance.is_around("a.make") && instance.is_around("a.make.Module"));
        assert!(!instance.is_around("a.maker") && !instance.is_around("a"));
    }
}
