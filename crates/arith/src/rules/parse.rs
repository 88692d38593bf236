//! Reading a table of rules.
//!
//! ```text
//! # What it says.
//! name: left => right if condition, condition [flag]
//! ```
//!
//! A rule starts at the left margin and goes on on indented lines. The comment right above it is its documentation.
//! O(text).

use ir::{BinaryOp, UnaryOp};

use super::{
    Condition, Domain, Head, Rule, Sort, Term, Variable,
    text::{Token, tokens},
};

/// A defect of a table.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RuleError {
    /// Table.
    pub file: &'static str,
    /// Line.
    pub line: u32,
    /// The defect.
    pub message: String,
}

impl std::fmt::Display for RuleError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{}: {}", self.file, self.line, self.message)
    }
}

impl std::error::Error for RuleError {}

/// A rule before it is read.
struct Entry {
    line: u32,
    doc: Vec<&'static str>,
    name: &'static str,
    text: String,
}

/// The rules of one table.
pub fn parse(file: &'static str, text: &'static str) -> Result<Vec<Rule>, RuleError> {
    let entries = entries(file, text)?;
    let rule = |entry: Entry| {
        let line = entry.line;
        rule(file, entry).map_err(|message| RuleError { file, line, message })
    };
    entries.into_iter().map(rule).collect()
}

fn entries(file: &'static str, text: &'static str) -> Result<Vec<Entry>, RuleError> {
    let mut entries: Vec<Entry> = Vec::new();
    let mut doc = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let number = index as u32 + 1;
        let error = |message: &str| RuleError { file, line: number, message: message.to_owned() };
        if line.trim().is_empty() {
            doc.clear();
        } else if let Some(comment) = line.strip_prefix('#') {
            doc.push(comment.trim());
        } else if line.starts_with(' ') {
            let entry = entries.last_mut().ok_or_else(|| error("goes on without a rule"))?;
            entry.text.push(' ');
            entry.text.push_str(line.trim());
        } else {
            let (name, text) = line.split_once(':').ok_or_else(|| error("a rule has a name"))?;
            let doc = std::mem::take(&mut doc);
            entries.push(Entry { line: number, doc, name, text: text.trim().to_owned() });
        }
    }
    Ok(entries)
}

fn rule(file: &'static str, entry: Entry) -> Result<Rule, String> {
    let is_kebab = |it: char| it.is_ascii_lowercase() || it.is_ascii_digit() || it == '-';
    if entry.name.is_empty() || !entry.name.chars().all(is_kebab) {
        return Err(format!("{:?} is not in kebab-case", entry.name));
    }
    if entry.doc.is_empty() {
        return Err("says nothing in a comment above it".to_owned());
    }
    let mut parser = Parser { tokens: tokens(&entry.text)?, at: 0, variables: Vec::new() };
    let lhs = parser.level(0)?;
    let n_matched = parser.variables.len();
    parser.expect("=>")?;
    let rhs = parser.level(0)?;
    let conditions = parser.conditions()?;
    let domain = parser.domain()?;
    if let Some(word) = parser.tokens.get(parser.at) {
        return Err(format!("ends before {word:?}"));
    }
    if let Some(unbound) = parser.variables.get(n_matched) {
        return Err(format!("{} is not on the left side", unbound.name));
    }
    if Head::of(&lhs).is_none() {
        return Err("the left side has an operator at its root".to_owned());
    }
    if lhs == rhs {
        return Err("both sides are the same".to_owned());
    }
    Ok(Rule {
        name: entry.name,
        doc: entry.doc.join(" "),
        text: entry.text,
        lhs,
        rhs,
        conditions,
        domain,
        variables: parser.variables,
        file,
        line: entry.line,
    })
}

struct Parser {
    tokens: Vec<Token>,
    at: usize,
    variables: Vec<Variable>,
}

/// Binary operators by binding strength, the weakest first, as Python has them.
pub(crate) const LEVELS: &[&[(&str, BinaryOp)]] = &[
    &[("or", BinaryOp::Or)],
    &[("and", BinaryOp::And)],
    &[
        ("==", BinaryOp::Eq),
        ("!=", BinaryOp::Ne),
        ("<", BinaryOp::Lt),
        ("<=", BinaryOp::Le),
        (">", BinaryOp::Gt),
        (">=", BinaryOp::Ge),
    ],
    &[("|", BinaryOp::BitOr)],
    &[("^", BinaryOp::BitXor)],
    &[("&", BinaryOp::BitAnd)],
    &[("<<", BinaryOp::Shl), (">>", BinaryOp::Shr)],
    &[("+", BinaryOp::Add), ("-", BinaryOp::Sub)],
    &[("*", BinaryOp::Mul), ("//", BinaryOp::FloorDiv), ("%", BinaryOp::FloorMod)],
];

/// The level of the operand of `not`.
const BELOW_NOT: usize = 2;

impl Parser {
    /// Consumes the next word if it is this one, and returns true if so.
    fn eat(&mut self, word: &str) -> bool {
        let is_next = match self.tokens.get(self.at) {
            Some(Token::Name(name)) => name == word,
            Some(Token::Sign(sign)) => *sign == word,
            _ => false,
        };
        self.at += usize::from(is_next);
        is_next
    }
    fn expect(&mut self, word: &str) -> Result<(), String> {
        if self.eat(word) {
            return Ok(());
        }
        match self.tokens.get(self.at) {
            Some(found) => Err(format!("{word} expected before {found:?}")),
            None => Err(format!("{word} expected at the end")),
        }
    }

    fn conditions(&mut self) -> Result<Vec<Condition>, String> {
        let mut conditions = Vec::new();
        if !self.eat("if") {
            return Ok(conditions);
        }
        loop {
            conditions.push(if self.eat("no_overflow") {
                Condition::NoOverflow(self.argument()?)
            } else if self.eat("no_event") {
                Condition::NoEvent(self.argument()?)
            } else {
                // `and` is written as a comma.
                match self.level(BELOW_NOT)? {
                    term @ Term::Binary(op, ..) if op.is_comparison() => Condition::Holds(term),
                    _ => return Err("a condition is a comparison".to_owned()),
                }
            });
            if !self.eat(",") {
                return Ok(conditions);
            }
        }
    }
    fn argument(&mut self) -> Result<Term, String> {
        self.expect("(")?;
        let term = self.level(0)?;
        self.expect(")")?;
        Ok(term)
    }
    fn domain(&mut self) -> Result<Domain, String> {
        if !self.eat("[") {
            return Ok(Domain::Int);
        }
        let flags =
            [("wrapping", Domain::Wrapping), ("float", Domain::Float), ("any", Domain::Any)];
        let domain = flags.iter().find(|it| self.eat(it.0));
        let domain = domain.ok_or("the flags are wrapping, float and any")?.1;
        self.expect("]")?;
        Ok(domain)
    }

    fn level(&mut self, level: usize) -> Result<Term, String> {
        let Some(operators) = LEVELS.get(level) else { return self.unary() };
        let mut left = self.level(level + 1)?;
        while let Some(&(_, op)) = operators.iter().find(|it| self.eat(it.0)) {
            let right = self.level(level + 1)?;
            left = Term::Binary(op, left.into(), right.into());
        }
        Ok(left)
    }
    fn unary(&mut self) -> Result<Term, String> {
        if self.eat("-") {
            return Ok(match self.unary()? {
                Term::Int(value) => Term::Int(-value),
                Term::Float(value) => Term::Float(-value),
                term => Term::Binary(BinaryOp::Sub, Term::Int(0).into(), term.into()),
            });
        }
        if self.eat("not") {
            return Ok(Term::Unary(UnaryOp::Not, self.level(BELOW_NOT)?.into()));
        }
        if self.eat("~") {
            return Ok(Term::Unary(UnaryOp::BitNot, self.unary()?.into()));
        }
        self.primary()
    }
    fn primary(&mut self) -> Result<Term, String> {
        if self.eat("(") {
            let inner = self.level(0)?;
            self.expect(")")?;
            return Ok(inner);
        }
        let token = self.tokens.get(self.at).cloned().ok_or("ends too early")?;
        self.at += 1;
        match token {
            Token::Int(value) => Ok(Term::Int(value)),
            Token::Float(value) => Ok(Term::Float(value)),
            Token::Sign(sign) => Err(format!("{sign} where a term should be")),
            Token::Name(name) if name == "true" || name == "false" => {
                Ok(Term::Bool(name == "true"))
            }
            Token::Name(name) if self.eat("(") => self.call(&name),
            Token::Name(name) => Ok(Term::Var(self.variable(name))),
        }
    }
    fn variable(&mut self, name: String) -> usize {
        if let Some(known) = self.variables.iter().position(|it| it.name == name) {
            return known;
        }
        let is_numbered = name[1..].bytes().all(|it| it.is_ascii_digit());
        let sort = match name.as_bytes()[0] {
            b'c' if is_numbered => Sort::Constant,
            b'b' if is_numbered => Sort::Bool,
            _ => Sort::Value,
        };
        self.variables.push(Variable { name, sort });
        self.variables.len() - 1
    }
    fn call(&mut self, name: &str) -> Result<Term, String> {
        let mut args = vec![self.level(0)?];
        while self.eat(",") {
            args.push(self.level(0)?);
        }
        self.expect(")")?;
        let op = match name {
            "min" => Some(BinaryOp::Min),
            "max" => Some(BinaryOp::Max),
            "truncdiv" | "div" => Some(BinaryOp::Div),
            "truncmod" => Some(BinaryOp::Mod),
            _ => None,
        };
        let n = args.len();
        let error = move || format!("{name} of {n} is not known");
        if let Some(op) = op {
            let [a, b] = <[Term; 2]>::try_from(args).map_err(|_| error())?;
            return Ok(Term::Binary(op, a.into(), b.into()));
        }
        match name {
            "gcd" => {
                let [a, b] = <[Term; 2]>::try_from(args).map_err(|_| error())?;
                Ok(Term::Gcd(a.into(), b.into()))
            }
            "select" => {
                Ok(Term::Select(Box::new(<[Term; 3]>::try_from(args).map_err(|_| error())?)))
            }
            "if_then_else" => {
                Ok(Term::IfThenElse(Box::new(<[Term; 3]>::try_from(args).map_err(|_| error())?)))
            }
            _ => Err(error()),
        }
    }
}
