//! Hover: a name's kind and type, or an expression's type, value, occurrences and what was decided about it.

use db::{RootDatabase, SourceFile};
use frontend::tvmscript::{Definition, DefinitionKind};
use syntax::{TextRange, TextSize};

use crate::{
    explain::{Explanation, explain},
    navigation::mention_at,
    plan_text::PlanText,
};

/// What is shown about a place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Hover {
    /// What it is about.
    pub range: TextRange,
    /// What it says.
    pub markdown: String,
}

pub(crate) fn hover(db: &RootDatabase, file: SourceFile, offset: TextSize) -> Option<Hover> {
    let mention = mention_at(db, file, offset).map(|it| {
        let text = PlanText::new(db, it.at.function);
        let markdown = definition_text(&text, it.map.definition(it.definition));
        Hover { range: it.at.to_file(it.range), markdown }
    });
    let expression = explain(db, file, offset);
    match (mention, expression) {
        (Some(mention), Some(expression)) if expression.range != mention.range => {
            let markdown = format!("{}\n\n---\n\n{}", mention.markdown, text_of(&expression));
            Some(Hover { range: mention.range, markdown })
        }
        (Some(mention), _) => Some(mention),
        (None, Some(expression)) => {
            Some(Hover { range: expression.range, markdown: text_of(&expression) })
        }
        (None, None) => None,
    }
}

fn definition_text(text: &PlanText<'_>, definition: &Definition) -> String {
    let kind = match definition.kind {
        DefinitionKind::Param => "parameter",
        DefinitionKind::Index => "index",
        DefinitionKind::Binding => "immutable binding",
        DefinitionKind::Cell => "mutable scalar",
        DefinitionKind::Buffer => "buffer",
        DefinitionKind::Symbol => "shape variable",
        DefinitionKind::Meta => "compile-time name",
        DefinitionKind::Captured => "captured from Python",
    };
    let ty = match (definition.buffer, definition.value) {
        (Some(buffer), _) => {
            let buffer = &text.body.buffers[buffer];
            let shape: Vec<String> = buffer.shape.iter().map(|&it| expr_text(text, it)).collect();
            let comma = if shape.len() == 1 { "," } else { "" };
            format!(": T.Buffer(({}{comma}), \"{}\")", shape.join(", "), buffer.dtype)
        }
        (None, Some(value)) => format!(": {}", text.ty(text.body.values[value].ty)),
        (None, None) => String::new(),
    };
    format!("```python\n{}{ty}\n```\n{kind}", definition.name)
}

fn expr_text(text: &PlanText<'_>, expr: ir::ExprId) -> String {
    const MAX_NODES: u32 = 64;
    if text.body.expr(expr).size > MAX_NODES {
        return "…".to_owned();
    }
    ir::print::expr_text(text.body, expr)
}

fn text_of(it: &Explanation) -> String {
    let times = match it.n_occurrences {
        1 => "computed once".to_owned(),
        n => format!("computed {n} times"),
    };
    let text = it.text.replace('`', "'");
    format!(
        "`{text}`: {} · value {} · {times}\n\n{}",
        it.ty,
        it.value_number,
        it.reasons.join("\n\n")
    )
}
