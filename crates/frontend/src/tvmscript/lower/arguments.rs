//! Arguments of forms: their parameters in TVM's order, and the arguments of a call by the names of parameters.
//!
//! Code that reads a form by hand asks for its arguments by name only. The place of a parameter is given once, in the
//! tables here. Arguments that no parameter takes, or that have no place in the IR, are refused before anything of the
//! statement is read: none is lost.

use smallvec::SmallVec;

use super::{
    Lowerer, R,
    forms::form_parameters,
    parameters::{NAMED, Parameters, REST, forms},
};
use crate::tvmscript::ast::{Ex, ExKind, Run};

forms! {
    /// Parameters of the forms that are statements, loops and scopes. Forms of buffers have their own table; calls keep
    /// all arguments as they are written.
    fn statement_parameters, STATEMENTS {
        "func_attr" | "block_attr" | "sblock_attr" => &["attrs"],
        "reads" | "writes" => &[REST],
        "grid" => &[REST, "dtype"],
        "init" | "break_loop" | "continue_loop" => &[],
        "where" => &["predicate"],
        "evaluate" => &["value"],
        // The legacy dialect takes a type, and drops it.
        "ret" => &["val", NAMED, "value", "dtype"],
        "bind" | "Bind" => &["value", "type_annotation", NAMED, "var"],
        "LetStmt" => &["value", "type_annotation=None", NAMED, "var"],
        "let" => &["var", "value"],
        "buffer_store" => &["buffer", "value", "indices", "predicate=None"],
        "Assert" => &["condition", "message", "error_kind='RuntimeError'"],
        "launch_thread" => &["thread", "extent"],
        "env_thread" => &["thread_tag", "dtype"],
        "attr" => &["node_or_dict", "attr_key", "value", NAMED, "node"],
        "sblock" | "block" => &["name", "no_realize=False", "exec_scope=''"],
        "axis.spatial" | "axis.S" | "axis.reduce" | "axis.R" | "axis.scan" | "axis.opaque" => &["dom", "binding", "dtype='int32'"],
        "axis.remap" => &["kinds", "bindings", "dtype='int32'"],
        "local_scalar" | "shared_scalar" => &["dtype"],
        "alloc_scalar" => &["dtype", "scope"],
        "alloc_tcgen05_ldst_frag" => &["instr_shape", "tensor_shape", "dtype"],
        "alloc_cast_frag" => &["src", "dtype"],
        "range" => &["start", "stop", "step", NAMED, "annotations", "unroll"],
        "serial" | "parallel" | "vectorized" | "unroll" => &["start", "stop", NAMED, "annotations", "step", "unroll", "dtype"],
        "thread_binding" => &["start", "stop", "thread", NAMED, "annotations", "step", "unroll", "dtype"],
    }
}

/// Parameters of the forms that make buffers. Arguments without a field of their own are kept in the buffer's
/// attributes.
pub(super) fn buffer_parameters(form: &str, is_legacy: bool) -> Option<Parameters> {
    Some(match form {
        "allocate" => &["extents", "dtype", "scope", "condition", "annotations", NAMED, "shape"],
        "allocate_const" => &["data", "dtype", "extents", "annotations"],
        "match_buffer" => &[
            "param",
            "shape",
            "dtype",
            "data",
            "strides",
            "elem_offset",
            "scope",
            "align",
            "offset_factor",
            "layout",
            NAMED,
            "buffer_type",
            "axis_separators",
        ],
        "alloc_buffer" | "decl_buffer" | "buffer_decl" | "Buffer" | "buffer" if is_legacy => &[
            "shape",
            "dtype",
            "data",
            "strides",
            "elem_offset",
            "scope",
            "align",
            "offset_factor",
            "buffer_type",
            "axis_separators",
            NAMED,
            "layout",
            "extents",
            "byte_offset",
            "allocated_addr",
            "annotations",
        ],
        "alloc_local" | "alloc_shared" | "smem" | "tmem" => &[
            "shape",
            "dtype",
            "data",
            "strides",
            "elem_offset",
            "byte_offset",
            NAMED,
            "scope",
            "align",
            "offset_factor",
            "layout",
            "allocated_addr",
            "annotations",
            "extents",
        ],
        "sblock_alloc_buffer" => &[
            "shape",
            "dtype",
            "data",
            "strides",
            "elem_offset",
            "scope",
            "align",
            "offset_factor",
            "layout",
            "allocated_addr",
            NAMED,
            "extents",
            "buffer_type",
            "axis_separators",
            "annotations",
        ],
        "alloc_buffer" | "decl_buffer" | "buffer_decl" | "Buffer" | "buffer" => &[
            "shape",
            "dtype",
            "data",
            "strides",
            "elem_offset",
            "byte_offset",
            "scope",
            "align",
            "offset_factor",
            "layout",
            "allocated_addr",
            "annotations",
            NAMED,
            "extents",
            "buffer_type",
            "axis_separators",
        ],
        _ => return None,
    })
}

/// The forms that make buffers.
pub(super) const BUFFERS: &[&str] = &[
    "allocate",
    "allocate_const",
    "match_buffer",
    "alloc_buffer",
    "decl_buffer",
    "Buffer",
    "alloc_local",
    "alloc_shared",
    "smem",
    "tmem",
    "sblock_alloc_buffer",
];

/// The parameters of a form, in whichever table it is.
pub(super) fn parameters(form: &str, is_legacy: bool) -> Option<Parameters> {
    statement_parameters(form)
        .or_else(|| buffer_parameters(form, is_legacy))
        .or_else(|| form_parameters(form))
        .or_else(|| super::tile_parameters::parameters(form))
}

/// Returns true if a name is a form of TVM that is a statement, a loop, a scope, or makes a buffer.
pub(super) fn is_form(name: &str) -> bool {
    statement_parameters(name).is_some() || buffer_parameters(name, false).is_some()
}

/// Parameters of the methods of buffers and expressions that are read by hand.
pub(super) fn method_parameters(method: &str) -> Parameters {
    match method {
        "vload" => &["begin", "dtype", "predicate"],
        "vstore" => &["begin", "value", "predicate"],
        "ptr_to" => &["indices"],
        "elem_offset_of" | "byte_offset_of" => &["indices", "inner=True"],
        "access_ptr" => &["access_mask", "ptr_type", "content_lanes", "offset", "extent"],
        "astype" => &["dtype"],
        _ => &[],
    }
}

/// Parameters of a type that is called: a constant or cast, a variable, a pointer.
pub(super) const NUMBER: Parameters = &["expr", "is_size_var", NAMED, "value", "dtype"];
pub(super) const HANDLE: Parameters = &["dtype", "storage_scope", "is_size_var=False"];

/// The arguments of a call: as written, and by the names of parameters.
pub(super) struct Args<'a> {
    pub(super) positional: SmallVec<[Ex; 4]>,
    pub(super) keywords: SmallVec<[(&'a str, Ex); 4]>,
    parameters: Parameters,
}

impl<'a> Args<'a> {
    /// The argument of a parameter, wherever it is written.
    pub(super) fn get(&self, name: &str) -> Option<Ex> {
        let at = self.positions().position(|it| is_named(it, name));
        at.and_then(|at| self.positional.get(at).copied()).or_else(|| self.keyword(name))
    }

    pub(super) fn keyword(&self, name: &str) -> Option<Ex> {
        self.keywords.iter().find(|(key, _)| *key == name).map(|(_, ex)| *ex)
    }

    /// The arguments whose parameters have names, in order, by these names.
    pub(super) fn named(&self) -> impl Iterator<Item = (&'a str, Ex)> {
        let names = self.positions().map(|it| -> &'a str { name_of(it) });
        let positional = names.zip(self.positional.iter().copied());
        positional.chain(self.keywords.iter().copied())
    }

    /// The parameters that have a position.
    fn positions(&self) -> impl Iterator<Item = &'static str> + use<> {
        self.parameters.iter().copied().take_while(|it| !matches!(*it, NAMED | REST))
    }
}

impl<'a> Lowerer<'_, '_, 'a> {
    pub(super) fn args(&mut self, run: Run) -> Args<'a> {
        let (positional, keywords) = (SmallVec::new(), SmallVec::new());
        let mut args = Args { positional, keywords, parameters: &[] };
        for arg in self.ast.args(run) {
            match arg.keyword {
                Some((name, _)) => args.keywords.push((name, arg.value)),
                None if arg.is_splat && self.is_empty_spread(arg.value) => {}
                None if arg.is_splat => args.keywords.push(("**", arg.value)),
                None => args.positional.push(arg.value),
            }
        }
        args
    }

    /// The arguments of a form that is read by hand.
    pub(super) fn form_args(&mut self, form: &str, run: Run) -> Args<'a> {
        let args = self.args(run);
        Args { parameters: self.parameters_of(form), ..args }
    }

    /// The items of a subscript as arguments of a form: `T.Buffer[(16,), "float32"]`.
    pub(super) fn subscript_args(&self, form: &str, items: &[Ex]) -> Args<'a> {
        let positional = items.iter().copied().collect();
        Args { positional, keywords: SmallVec::new(), parameters: self.parameters_of(form) }
    }

    fn parameters_of(&self, form: &str) -> Parameters {
        parameters(form, self.is_legacy()).unwrap_or_default()
    }

    /// The arguments of something else, all of which must have a place.
    pub(super) fn args_of(&mut self, parameters: Parameters, run: Run) -> R<Args<'a>> {
        let args = Args { parameters, ..self.args(run) };
        self.check_args(&args, None)?;
        Ok(args)
    }

    /// Refuses arguments that a form would lose. Of a form that is read as a call, nothing is.
    pub(super) fn check_form(&mut self, form: &str, args: &Args<'_>) -> R<()> {
        if statement_parameters(form).is_some() || buffer_parameters(form, false).is_some() {
            self.check_args(args, None)?;
        }
        Ok(())
    }

    /// Refuses arguments that no parameter takes, or that have no place in the IR; `dropped` is a keyword that TVM
    /// drops.
    pub(super) fn check_args(&mut self, args: &Args<'_>, dropped: Option<&str>) -> R<()> {
        let n_positions = args.positions().count();
        if !args.parameters.contains(&REST) {
            for (index, &ex) in args.positional.iter().enumerate() {
                // Behind all others there is a place for a span.
                let is_span = index == n_positions && self.is_none(ex);
                if matches!(self.ast.kind(ex), ExKind::Star(_)) {
                    return Err(self.unsupported(ex, "a list of arguments"));
                }
                if index >= n_positions && !is_span {
                    return Err(self.unsupported(ex, &format!("argument {}", index + 1)));
                }
            }
        }
        let positional = args.positions().zip(&args.positional);
        let positional = positional.map(|(parameter, &ex)| (parameter, ex, Some(parameter), false));
        let keywords = args.keywords.iter().map(|&(name, ex)| {
            let parameter = args.parameters.iter().copied().find(|it| is_named(it, name));
            let mut given = args.positions().take(args.positional.len());
            (name, ex, parameter, given.any(|it| is_named(it, name)))
        });
        for (name, ex, parameter, is_twice) in positional.chain(keywords) {
            let is_known = match parameter.map(default_of) {
                Some(None) => !is_twice && !matches!(name, NAMED | REST),
                Some(Some(default)) => !is_twice && self.is_written(ex, default),
                None => dropped == Some(name) || name == "span" && self.is_none(ex),
            };
            if !is_known {
                let what = match name {
                    "**" => {
                        // One that is not known may have the right keys: it gives the benefit of doubt.
                        self.eval(ex)?;
                        "a dictionary of arguments".to_owned()
                    }
                    _ => format!("the argument `{}`", name_of(name)),
                };
                return Err(self.unsupported(ex, &what));
            }
        }
        Ok(())
    }

    /// Returns true if an argument is this constant.
    fn is_written(&self, ex: Ex, constant: &str) -> bool {
        match self.ast.kind(ex) {
            ExKind::None => constant == "None",
            ExKind::Bool(it) => constant == if *it { "True" } else { "False" },
            ExKind::Str(it) => {
                constant.trim_matches('\'') == self.ast.string(*it) && constant.starts_with('\'')
            }
            _ => false,
        }
    }
}

/// The name of a parameter that is written with its only value: `no_realize=False`.
fn name_of(parameter: &str) -> &str {
    parameter.split_once('=').map_or(parameter, |(name, _)| name)
}

fn is_named(parameter: &str, name: &str) -> bool {
    let rest = parameter.strip_prefix(name);
    rest.is_some_and(|it| it.is_empty() || it.starts_with('='))
}

/// The only value that a parameter may be given, if it has no place in the IR.
fn default_of(parameter: &'static str) -> Option<&'static str> {
    let at = parameter.bytes().position(|it| it == b'=')?;
    Some(&parameter[at + 1..])
}
