//! TileLang: launches, tiles and operations on them, to the IR that TileLang itself makes of the text.
//!
//! A form of its own is called `tl.NAME` (`tvmscript::vocabulary`). An operation is a call of that name with the
//! operands in the order in which TileLang prints them; a part of a buffer is a region, whose extents follow from the
//! other side where only its start is written. A name is bound once (`x = e`), but a variable of `T.alloc_var` is
//! stored to. What TileLang only notes (layouts, swizzles, hints to its compiler) is kept as attributes of the kernel.

mod functions;
mod launch;
mod layouts;
mod loops;
mod memory;
mod names;
mod operations;
mod regions;
mod signature;

pub(super) use launch::Launch;

use super::{
    Lowerer, R,
    arguments::Args,
    value::{Ev, Val},
};
use crate::tvmscript::ast::{Ex, ExKind};

impl<'a> Lowerer<'_, '_, 'a> {
    /// Returns true if the text is a kernel as people write it in TileLang, whose body is executed as Python; false of
    /// what TileLang prints.
    pub(super) fn is_tile_source(&self) -> bool {
        self.s.is_tile_source
    }

    /// Calls of TileLang that are statements; false if this is none that differs from a call in an expression.
    pub(super) fn tile_statement(&mut self, ex: Ex, form: &str, args: &Args<'a>) -> R<bool> {
        let Some(name) = form.strip_prefix("tl.") else { return Ok(false) };
        if is_note(name) {
            self.check_note(name, args);
            self.note_of_kernel(ex, name);
            return Ok(true);
        }
        match name {
            "copy" if args.keywords.is_empty() => self.copied_element(ex, args),
            "Kernel" | "ClusterKernel" => Err(super::Reported),
            _ => Ok(false),
        }
    }

    /// Calls of TileLang in expressions.
    pub(super) fn tile_call(&mut self, ex: Ex, form: &str, args: &Args<'a>) -> R<Ev> {
        let name = form.strip_prefix("tl.").unwrap_or(form);
        if let Some(ev) = self.launch_value(ex, name, args)? {
            return Ok(ev);
        }
        if let Some(ev) = self.launch_extent(ex, name, args)? {
            return Ok(ev);
        }
        if let Some((form, spec)) = self.tile_memory(ex, name, args)? {
            let (buffer, _) = self.new_buffer(super::views::NAMELESS, form, spec);
            let src = self.leaf(ex);
            return Ok(Ev { val: Val::Buffer(buffer), src });
        }
        if let Some(ev) = self.size(ex, name, args)? {
            return Ok(ev);
        }
        if name == "index_to_coordinates"
            && let Some(ev) = self.coordinates(ex, args)?
        {
            return Ok(ev);
        }
        if let Some(tx) = self.of_function(ex, name, args)? {
            return Ok(Ev { val: Val::Expr(tx.id), src: tx.src });
        }
        if let Some(tx) = self.tile_operation(ex, name, args)? {
            return Ok(Ev { val: Val::Expr(tx.id), src: tx.src });
        }
        self.generic_call(ex, form, args)
    }

    /// Keeps a note to the compiler about a kernel, by its text: it computes nothing.
    fn note_of_kernel(&mut self, ex: Ex, name: &str) {
        let text = self.kept_text(ex).split_whitespace().collect::<Vec<_>>().join(" ");
        let note = (format!("tl.{name}").into(), ir::Attr::Text(text.into()));
        match &mut self.s.launch {
            Some(launch) => launch.notes.push(note),
            None => self.s.body.attrs.push(note),
        }
    }

    /// The arguments in the brackets of `T.Tensor[[M, K], dtype]`.
    pub(super) fn bracket_args(&mut self, form: &str, index: Ex) -> Args<'a> {
        let ast = self.ast;
        let is_list =
            |it: Ex| matches!(ast.kind(it), ExKind::List(_) | ExKind::Tuple(_) | ExKind::Str(_));
        let one = [index];
        let items = match *ast.kind(index) {
            // Without a list or a type all of it is the shape.
            ExKind::Tuple(run) => {
                let items = ast.exs(run);
                let is_shape = !items.iter().any(|&it| is_list(it) || self.may_be_type(it));
                if is_shape { &one[..] } else { items }
            }
            _ => &one[..],
        };
        self.subscript_args(form, items)
    }

    /// Returns true if an item in brackets is a type, or a value that is not known and may be one.
    fn may_be_type(&mut self, ex: Ex) -> bool {
        let mark = self.mark();
        let ev = self.eval(ex);
        self.undo(mark);
        let val = ev.map(|it| it.val);
        matches!(val, Ok(Val::Type(_) | Val::Unknown(_) | Val::Intrinsic(_)))
            || matches!(val, Ok(Val::Const(crate::tvmscript::Constant::Str(_))))
    }
}

/// Returns true if a call only tells TileLang's compiler something.
fn is_note(name: &str) -> bool {
    let is_call = matches!(name, "annotate_producer_reg_dealloc" | "annotate_consumer_reg_alloc");
    name.starts_with("annotate_") && !is_call
        || matches!(name, "use_swizzle" | "import_source" | "type_annotation")
}
