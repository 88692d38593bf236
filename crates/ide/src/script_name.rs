//! Names of the script (`T.exp`, `Tx.copy`): the signature, what it does, of which types, the effects, and what the
//! targets make of it. For hovers, signatures and completion.
//!
//! In: a place, or a namespace and a name. Out: text. It comes from the tables of `frontend`, of effects and of
//! `codegen`; nothing is lowered. O(tables).

use codegen::Target;
use db::{RootDatabase, SourceFile};
use frontend::tvmscript::{
    Capture, Namespace, discover::callees::words, script_names, script_words,
};
use ir::{
    DataType,
    effects::{
        EffectTable, MatchKind, Namespace as Effects, TileLangResult, tilelang_op, tvm_op,
        tvm_ops_printed_as,
    },
};
use syntax::{SyntaxKind as K, SyntaxNode, TextRange, TextSize};

use crate::{hover::effects_text, units::function_at};

/// A name of the script where it is written.
pub(crate) struct ScriptName {
    /// The range of all of it in the file, with what `T` is called.
    pub(crate) range: TextRange,
    /// The range of the call of it in the file, if it is called.
    pub(crate) call: Option<TextRange>,
    /// As it is written: `T.exp`.
    pub(crate) text: String,
    pub(crate) space: Namespace,
    /// Without the namespace: `exp`.
    pub(crate) name: String,
}

/// The name of the script at an offset: the last word of a dotted name, or one before it.
pub(crate) fn at(db: &RootDatabase, file: SourceFile, offset: TextSize) -> Option<ScriptName> {
    let (at, inner) = function_at(db, file, offset)?;
    let root = at.unit.green(db).syntax();
    let is_ours = |it: &SyntaxNode| it.kind() == K::ATTRIBUTE_EXPR;
    let token = root.token_at_offset(inner).find(|it| it.kind() == K::IDENT)?;
    let dotted = token.parent()?.ancestors().skip(1).take_while(is_ours).last()?;
    let (words, _) = words(&dotted)?;
    let (head, rest) = words.split_first()?;
    let Capture::Namespace(space) = db::meaning(db, at.unit, head) else { return None };
    let range = at.to_file(dotted.text_range());
    let call = dotted.parent().filter(|it| it.kind() == K::CALL_EXPR);
    let call = call.filter(|it| it.first_child().as_ref() == Some(&dotted));
    let call = call.map(|it| at.to_file(it.text_range()));
    Some(ScriptName { range, call, text: words.join("."), space, name: rest.join(".") })
}

impl ScriptName {
    /// Returns true for TileLang's launch of a kernel.
    pub(crate) fn is_launch(&self) -> bool {
        self.space == Namespace::TileLang && self.name == "Kernel"
    }

    /// The signature, and all that is known; none for a name of which nothing is.
    pub(crate) fn markdown(&self, table: &EffectTable) -> Option<String> {
        let sentence = script_words::sentence(self.space, &self.name)?;
        let parameters = script_names::parameters(self.space, &self.name);
        let signature = match parameters {
            Some(it) => format!("{}({})", self.text, it.join(", ")),
            None => self.text.clone(),
        };
        let mut parts = vec![format!("```python\n{signature}\n```\n{sentence}")];
        let Some(form) = script_names::form(self.space, &self.name) else { return parts.pop() };
        let facts: Vec<String> = types(&form).into_iter().chain(effects(table, &form)).collect();
        if !facts.is_empty() {
            parts.push(facts.join(" · "));
        }
        parts.extend(targets(&form));
        Some(parts.join("\n\n"))
    }
}

/// The effects of a form, if the table knows it.
pub(crate) fn effects(table: &EffectTable, form: &str) -> Option<String> {
    let is_known = table.explain(Effects::Tir, form).kind != MatchKind::Default;
    is_known.then(|| effects_text(table, Effects::Tir, form))
}

/// The words of the registries about the operands and the type of a call.
fn types(form: &str) -> Vec<String> {
    let mut said = Vec::new();
    if let Some(op) = tilelang_op(form).filter(|_| form.starts_with("tl.")) {
        said.extend(regions(&op.regions));
        match op.result {
            TileLangResult::Operand(number) => {
                said.push(format!("has the type of operand {}", number + 1));
            }
            TileLangResult::Named => said.push("its first operand names the type".to_owned()),
            TileLangResult::Fixed(DataType::VOID) => said.push("a statement".to_owned()),
            TileLangResult::Fixed(dtype) => said.push(format!("gives `{dtype}`")),
            TileLangResult::Unknown => {}
        }
    } else if let Some(op) = tvm_op(form) {
        let forms = tvm_ops_printed_as(form).count();
        if forms > 1 {
            said.push(format!("{forms} forms, told by the operands"));
        } else if let Some(dtype) = op.result {
            said.push(format!("gives `{dtype}`"));
        }
        if op.vectorizable {
            said.push("of vectors lane by lane".to_owned());
        }
    }
    said
}

/// How the operands that are parts of buffers are accessed.
fn regions(access: &[u8]) -> Option<String> {
    let of = |wanted: u8| -> Vec<String> {
        let numbers = access.iter().enumerate().filter(|(_, it)| **it == wanted);
        numbers.map(|(number, _)| (number + 1).to_string()).collect()
    };
    let said = [(1, "reads"), (2, "writes"), (3, "reads and writes")].map(|(wanted, what)| {
        let numbers = of(wanted);
        let plural = if numbers.len() == 1 { "" } else { "s" };
        (!numbers.is_empty()).then(|| format!("{what} tile{plural} {}", numbers.join(", ")))
    });
    let said: Vec<String> = said.into_iter().flatten().collect();
    (!said.is_empty()).then(|| said.join(", "))
}

/// The spelling of a function by target; none for forms that are no functions there.
fn targets(form: &str) -> Option<String> {
    let mut groups: Vec<(Option<String>, Vec<&'static str>)> = Vec::new();
    for target in Target::ALL {
        let spelling = target.spelling(form);
        match groups.iter_mut().find(|(it, _)| *it == spelling) {
            Some((_, targets)) => targets.push(target.name()),
            None => groups.push((spelling, vec![target.name()])),
        }
    }
    groups.iter().any(|(it, _)| it.is_some()).then(|| {
        let rows = groups.iter().map(|(spelling, targets)| match spelling {
            Some(it) => format!("- {}: `{it}`", targets.join(", ")),
            None => format!("- {}: none", targets.join(", ")),
        });
        let rows: Vec<String> = rows.collect();
        format!("In device code (of 32-bit numbers):\n\n{}", rows.join("\n"))
    })
}
