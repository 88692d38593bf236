//! The part of a form that is being written: the text so far is matched with the format.
//!
//! In: parts of a format, the text behind the operation's name. Out: the number of the parameter. All ways to read the
//! text are followed at once, the more likely ones first; code that prints a part of the form may print anything.
//! Nothing where the ways disagree. O(tokens · parts).

use rustc_hash::FxHashSet;

use super::format::{Definition, Kind, Part, bare};

/// Texts of more tokens are not matched.
const MOST_TOKENS: usize = 512;

/// Guesses of one way that are counted.
const MOST_GUESSED: u8 = 4;

/// The words and marks that the text of code may begin with, and whether it always prints something.
#[derive(Clone, Copy)]
struct Beginning {
    tokens: &'static [&'static str],
    is_always: bool,
}

/// The beginnings of directives of MLIR that hide operands.
const BEGINNINGS: [(&str, Beginning); 2] = [
    ("AsyncDependencies", Beginning { tokens: &["async", "["], is_always: false }),
    ("DynamicIndexList", Beginning { tokens: &["["], is_always: true }),
];

/// A step through a form.
enum Step<'f> {
    Literal(&'f str),
    Variable(Option<usize>, Kind),
    /// Text of code; what it begins with, if that is known. `is_type`: it names no values.
    Wild {
        parameter: Option<usize>,
        begins: Option<Beginning>,
        is_type: bool,
    },
    Dict,
    /// Both ways, the first one first.
    Split(usize, usize),
    Jump(usize),
    End,
}

/// A way to read the text.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Way {
    step: usize,
    progress: Progress,
    /// Brackets that are open within the step.
    depth: u32,
    /// How often it takes as one thing what is more likely several.
    n_guessed: u8,
}

impl Way {
    /// With one guess more, if it is one.
    fn guessed(self, is_guess: bool) -> Way {
        Way { n_guessed: (self.n_guessed + u8::from(is_guess)).min(MOST_GUESSED), ..self }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Progress {
    Before,
    Behind,
    /// Behind a comma in a list.
    Next,
}

/// An opinion about the parameter at the end of the text.
struct Opinion {
    parameter: Option<usize>,
    is_wild: bool,
    is_next: bool,
    n_guessed: u8,
}

/// The steps through a form.
pub(super) struct Program<'f> {
    steps: Vec<Step<'f>>,
}

impl<'f> Program<'f> {
    /// The steps of some parts; `parameter` numbers the names.
    pub(super) fn new(
        parts: &[Part<'f>],
        definition: &Definition,
        parameter: &dyn Fn(&str) -> Option<usize>,
    ) -> Program<'f> {
        let mut res = Program { steps: Vec::new() };
        res.add(parts, definition, parameter);
        res.steps.push(Step::End);
        res
    }

    fn add(
        &mut self,
        parts: &[Part<'f>],
        definition: &Definition,
        parameter: &dyn Fn(&str) -> Option<usize>,
    ) {
        for part in parts {
            match part {
                Part::Literal(text) => {
                    self.steps.extend(tokens(text).into_iter().map(|it| Step::Literal(it.text)));
                }
                Part::Variable(name) => {
                    let kind = definition.kind(name);
                    self.steps.push(Step::Variable(parameter(name), kind));
                }
                Part::Group(first, other) => self
                    .either(&mut |it| it.add(first, definition, parameter), &mut |it| {
                        it.add(other, definition, parameter)
                    }),
                Part::Custom(name, variables, _) => {
                    let mut shown =
                        variables.iter().filter(|it| definition.kind(it) != Kind::Attribute);
                    let only = shown.next().filter(|_| shown.next().is_none());
                    let begins = BEGINNINGS.iter().find(|it| it.0 == *name).map(|it| it.1);
                    let is_type = definition.operands.is_some() && only.is_none();
                    let parameter = only.and_then(|it| parameter(it));
                    self.steps.push(Step::Wild { parameter, begins, is_type });
                }
                Part::Types(_) => {
                    let step = Step::Wild { parameter: None, begins: None, is_type: true };
                    self.steps.push(step);
                }
                Part::Dict => self.steps.push(Step::Dict),
                Part::Operands => self.add_operands(definition, parameter),
                Part::Successors => {
                    self.steps.push(Step::Variable(parameter("successors"), Kind::Successors));
                }
                Part::Clauses(clauses) => self.repeated(&mut |it| {
                    it.alternatives(clauses, definition, parameter);
                }),
            }
        }
    }

    /// All operands with commas between, as far as it is said which is which.
    fn add_operands(&mut self, definition: &Definition, parameter: &dyn Fn(&str) -> Option<usize>) {
        let Some(operands) = &definition.operands else {
            self.steps.push(Step::Variable(parameter("operands"), Kind::Operands));
            return;
        };
        for (at, operand) in operands.iter().enumerate() {
            let name = bare(operand);
            let kind = definition.kind(name);
            let variable = Step::Variable(parameter(name), kind);
            let is_last = at + 1 == operands.len();
            match kind {
                Kind::Operand => {
                    self.steps.extend((at > 0).then_some(Step::Literal(",")));
                    self.steps.push(variable);
                }
                _ if is_last && at > 0 => {
                    let mut variable = Some(variable);
                    self.either(
                        &mut |it| {
                            it.steps.push(Step::Literal(","));
                            it.steps.extend(variable.take());
                        },
                        &mut |_| {},
                    );
                }
                _ if is_last => self.steps.push(variable),
                _ => {
                    let step = Step::Wild { parameter: None, begins: None, is_type: false };
                    self.steps.push(step);
                    return;
                }
            }
        }
    }

    fn either(&mut self, first: &mut dyn FnMut(&mut Self), other: &mut dyn FnMut(&mut Self)) {
        let split = self.steps.len();
        self.steps.push(Step::End);
        first(self);
        let jump = self.steps.len();
        self.steps.push(Step::End);
        self.steps[split] = Step::Split(split + 1, jump + 1);
        other(self);
        self.steps[jump] = Step::Jump(self.steps.len());
    }

    fn repeated(&mut self, body: &mut dyn FnMut(&mut Self)) {
        let split = self.steps.len();
        self.steps.push(Step::End);
        body(self);
        self.steps.push(Step::Jump(split));
        self.steps[split] = Step::Split(split + 1, self.steps.len());
    }

    fn alternatives(
        &mut self,
        clauses: &[Vec<Part<'f>>],
        definition: &Definition,
        parameter: &dyn Fn(&str) -> Option<usize>,
    ) {
        let mut jumps = Vec::new();
        for (at, clause) in clauses.iter().enumerate() {
            let split = self.steps.len();
            let is_last = at + 1 == clauses.len();
            if !is_last {
                self.steps.push(Step::End);
            }
            self.add(clause, definition, parameter);
            jumps.push(self.steps.len());
            self.steps.push(Step::End);
            if !is_last {
                self.steps[split] = Step::Split(split + 1, self.steps.len());
            }
        }
        let end = self.steps.len();
        jumps.into_iter().for_each(|it| self.steps[it] = Step::Jump(end));
    }

    /// The number of the parameter at the end of a text.
    pub(super) fn active(&self, written: &str) -> Option<usize> {
        let tokens = tokens(written);
        if tokens.len() > MOST_TOKENS {
            return None;
        }
        let is_open = |it: &&Token<'_>| it.end == written.len() && !it.is_mark();
        let open = tokens.last().filter(is_open);
        let whole = &tokens[..tokens.len() - usize::from(open.is_some())];
        let start = Way { step: 0, progress: Progress::Before, depth: 0, n_guessed: 0 };
        let mut ways = self.closed([start]);
        for token in whole {
            let next: Vec<Way> = ways.iter().filter_map(|it| self.after(*it, token)).collect();
            ways = self.closed(next);
        }
        let opinions: Vec<Opinion> = ways.iter().filter_map(|it| self.opinion(*it, open)).collect();
        let least = opinions.iter().map(|it| it.n_guessed).min()?;
        let mut counted = opinions.iter().filter(|it| it.n_guessed == least);
        let first = counted.next()?;
        let is_certain = counted.all(|it| {
            it.parameter == first.parameter || !(it.is_wild || first.is_wild || it.is_next)
        });
        first.parameter.filter(|_| is_certain)
    }

    /// All ways that some lead to without a token, in order.
    fn closed(&self, ways: impl IntoIterator<Item = Way>) -> Vec<Way> {
        let mut res = Vec::new();
        let mut seen = FxHashSet::default();
        let mut todo: Vec<Way> = ways.into_iter().collect();
        todo.reverse();
        while let Some(way) = todo.pop() {
            if !seen.insert(way) {
                continue;
            }
            let to = |step| Way { step, progress: Progress::Before, depth: 0, ..way };
            let next = to(way.step + 1);
            match self.steps[way.step] {
                Step::Split(first, other) => todo.extend([to(other), to(first)]),
                Step::Jump(target) => todo.push(to(target)),
                Step::End | Step::Literal(_) => res.push(way),
                Step::Variable(_, kind) => {
                    let may_be_empty = match way.progress {
                        Progress::Before => {
                            matches!(
                                kind,
                                Kind::Operands | Kind::OptionalOperand | Kind::Successors
                            )
                        }
                        Progress::Behind => way.depth == 0,
                        Progress::Next => false,
                    };
                    res.push(way);
                    todo.extend(may_be_empty.then_some(next));
                    let may_be_a_list = kind == Kind::Unknown && way.progress == Progress::Before;
                    todo.extend(may_be_a_list.then_some(next.guessed(true)));
                }
                Step::Wild { begins, .. } => {
                    res.push(way);
                    let must_begin =
                        way.progress == Progress::Before && begins.is_some_and(|it| it.is_always);
                    todo.extend((way.depth == 0 && !must_begin).then_some(next));
                }
                Step::Dict => {
                    res.push(way);
                    todo.extend((way.depth == 0).then_some(next));
                }
            }
        }
        res
    }

    /// The way after a token; none if the token does not fit.
    fn after(&self, way: Way, token: &Token<'_>) -> Option<Way> {
        if let Step::Literal(text) = self.steps[way.step] {
            let next = Way { step: way.step + 1, progress: Progress::Before, depth: 0, ..way };
            return (text == token.text).then_some(next);
        }
        let depth = match token.text {
            "(" | "[" | "{" | "<" => way.depth + 1,
            // It closes what stands around.
            ")" | "]" | "}" | ">" => way.depth.checked_sub(1)?,
            _ => way.depth,
        };
        let behind = Way { progress: Progress::Behind, depth, ..way };
        match self.steps[way.step] {
            Step::Variable(_, kind) => match way.progress {
                Progress::Before | Progress::Next => token.begins(kind).then_some(behind),
                Progress::Behind if way.depth > 0 => Some(behind),
                Progress::Behind => {
                    let is_list = matches!(kind, Kind::Operands | Kind::Successors | Kind::Unknown);
                    let is_attribute = matches!(kind, Kind::Attribute | Kind::Unknown);
                    match token.text {
                        "," if is_list => {
                            let next = Way { progress: Progress::Next, ..way };
                            Some(next.guessed(kind == Kind::Unknown))
                        }
                        "<" if is_attribute => Some(behind),
                        _ => None,
                    }
                }
            },
            Step::Wild { begins, is_type, .. } => {
                if way.depth > 0 {
                    return Some(behind);
                }
                let is_first = way.progress == Progress::Before;
                let fits = begins.is_none_or(|it| !is_first || it.tokens.contains(&token.text));
                let is_value = token.text.starts_with(['%', '^']);
                let is_guess = !is_first && (!is_type || token.text == ",");
                (fits && !(is_type && is_value)).then_some(behind.guessed(is_guess))
            }
            Step::Dict => match (way.depth, token.text) {
                (0, "{" | "<") if way.progress == Progress::Before => Some(behind),
                (0, "attributes") if way.progress == Progress::Before => Some(way),
                (0, _) => None,
                _ => Some(behind),
            },
            Step::Literal(_) | Step::Split(..) | Step::Jump(_) | Step::End => None,
        }
    }

    /// The parameter that a way has at the end, where a token may be open.
    fn opinion(&self, way: Way, open: Option<&Token<'_>>) -> Option<Opinion> {
        let after = match open {
            Some(token) => self.after(way, token)?,
            None => way,
        };
        let is_waiting = open.is_none() && way.progress == Progress::Behind && way.depth == 0;
        let parameter = match self.steps[way.step] {
            Step::Variable(..) if is_waiting => return None,
            Step::Variable(parameter, _) => parameter,
            Step::Wild { parameter, .. } => parameter,
            Step::Literal(_) | Step::Dict if open.is_some() => None,
            _ => return None,
        };
        Some(Opinion {
            parameter,
            is_wild: matches!(self.steps[way.step], Step::Wild { .. }),
            is_next: way.progress == Progress::Next,
            n_guessed: after.n_guessed,
        })
    }
}

/// A token of the text.
pub(super) struct Token<'t> {
    /// Its text.
    pub(super) text: &'t str,
    /// Where it ends.
    pub(super) end: usize,
}

impl Token<'_> {
    /// True for a mark, which ends where it stands.
    fn is_mark(&self) -> bool {
        let first = self.text.chars().next().unwrap_or(' ');
        !(first.is_ascii_alphanumeric()
            || matches!(first, '_' | '"' | '%' | '^' | '@' | '#' | '!')
            || first == '-' && self.text != "->")
    }

    /// True if a part of a kind may begin with it.
    fn begins(&self, kind: Kind) -> bool {
        let first = self.text.chars().next().unwrap_or(' ');
        match kind {
            Kind::Operand | Kind::OptionalOperand | Kind::Operands => first == '%',
            Kind::Successors => first == '^',
            Kind::Attribute => {
                !matches!(first, '%' | '^') && (!self.is_mark() || matches!(first, '[' | '{'))
            }
            Kind::Unknown => !self.is_mark() || matches!(first, '[' | '{'),
        }
    }
}

/// The tokens of a text.
pub(super) fn tokens(text: &str) -> Vec<Token<'_>> {
    let mut res = Vec::new();
    let mut at = 0;
    while let Some(first) = text[at..].chars().next() {
        let rest = &text[at..];
        let is_of_name =
            |it: char| it.is_ascii_alphanumeric() || matches!(it, '_' | '$' | '.' | '-');
        let name = |from: usize| {
            rest[from..].find(|it: char| !is_of_name(it)).map_or(rest.len(), |it| from + it)
        };
        let len = match first {
            _ if first.is_whitespace() => {
                at += first.len_utf8();
                continue;
            }
            '"' => string_end(rest),
            '@' => symbol_end(rest),
            '%' => {
                let end = name(1);
                let n_of = rest[end..].strip_prefix('#').map_or(0, |it| {
                    1 + it.find(|it: char| !it.is_ascii_digit()).unwrap_or(it.len())
                });
                end + n_of
            }
            '^' | '#' | '!' => name(1),
            '-' if rest.starts_with("->") => 2,
            ':' if rest.starts_with("::") => 2,
            '-' if rest[1..].starts_with(|it: char| it.is_ascii_digit()) => name(1),
            _ if first.is_ascii_alphanumeric() || first == '_' => {
                let is_end = |it: char| !(is_of_name(it) && it != '-');
                rest.find(is_end).unwrap_or(rest.len())
            }
            _ => first.len_utf8(),
        };
        at += len;
        res.push(Token { text: &rest[..len], end: at });
    }
    res
}

/// The end of a text in quotes, at the start of another.
fn string_end(text: &str) -> usize {
    let mut is_escaped = false;
    for (at, it) in text.char_indices().skip(1) {
        match it {
            '"' if !is_escaped => return at + 1,
            _ => is_escaped = it == '\\' && !is_escaped,
        }
    }
    text.len()
}

/// The end of a name of a symbol with those in it, at the start of a text.
fn symbol_end(text: &str) -> usize {
    let mut end = 1;
    loop {
        let rest = &text[end..];
        end += match rest.starts_with('"') {
            true => string_end(rest),
            false => {
                let is_end =
                    |it: char| !(it.is_ascii_alphanumeric() || matches!(it, '_' | '$' | '.' | '-'));
                rest.find(is_end).unwrap_or(rest.len())
            }
        };
        match text[end..].starts_with("::@") {
            true => end += 3,
            false => return end,
        }
    }
}
