//! A whole function as one kernel, for languages whose functions the host calls.
//!
//! In: a function that launches nothing. Out: a [`Split`] of one kernel without thread axes: all of the function. Its
//! parameters are the function's own, in order, also those that it does not use; after them the symbols of shapes,
//! strides and offsets that it names, in order of first use. Its allocations are its own memory. Linear.

use super::*;
use crate::reasons;

/// The function as one kernel. All that the function does is moved inside of one operation without meaning, which the
/// kernel names.
pub(crate) fn whole(body: &mut Body) -> Result<Split> {
    let Some(op) = enclose(body) else {
        return Err(Refusal::new(reasons::CONTROL_FLOW, "a function of several blocks"));
    };
    let mut splitter = Splitter::new(body);
    let (kernel, params) = splitter.whole(op)?;
    Ok(Split {
        kernels: vec![kernel],
        host: vec![HostStep::Launch(0)],
        params,
        symbols: splitter.symbols,
        ..Split::default()
    })
}

/// Moves all operations of the function into the region of a new one.
fn enclose(body: &mut Body) -> Option<OpId> {
    let [block] = body.regions[body.root].blocks[..] else { return None };
    let ops = std::mem::take(&mut body.blocks[block].ops);
    let op = body.push_op(block, OpKind::AttrDict, &[]);
    let region = body.push_region(op);
    let inner = body.entry(region);
    for &it in &ops {
        body.ops[it].parent = inner;
    }
    body.blocks[inner].ops = ops;
    Some(op)
}

impl Splitter<'_> {
    fn whole(&mut self, op: OpId) -> Result<(Kernel, Vec<FunctionParam>)> {
        let body = self.body;
        self.check_names()?;
        let mut params = Vec::new();
        for param in &body.params {
            params.push(self.function_param(param)?);
        }
        let mut uses = Uses::of_function(body, op)?;
        let arguments = self.all_params(&params, &mut uses)?;
        let kernel = Kernel {
            op,
            index: 0,
            params: arguments,
            launch: Vec::new(),
            thread_vars: FxHashMap::default(),
            roots: uses.roots,
            noalias: is_true(body, "tirx.noalias") || is_true(body, "tir.noalias"),
        };
        Ok((kernel, params))
    }

    /// The parameters of the function, used or not, then the remaining scalars.
    fn all_params(
        &mut self,
        params: &[FunctionParam],
        uses: &mut Uses<'_>,
    ) -> Result<Vec<KernelParam>> {
        let mut arguments = Vec::new();
        let mut scalars = std::mem::take(&mut uses.scalars);
        for param in params {
            let root = match param.buffer {
                Some(buffer) => Root::Param(buffer),
                None if param.dtype == DataType::HANDLE => Root::Handle(param.value),
                None => {
                    let source = ScalarSource::Value(param.value);
                    scalars.retain(|it| *it != source);
                    arguments.push(self.scalar(source)?);
                    continue;
                }
            };
            if !uses.pointer(root) {
                let dtype = match param.buffer {
                    Some(_) => param.dtype.element(),
                    None => DataType::uint(8),
                };
                uses.roots.push(RootUse {
                    root,
                    space: Space::Global,
                    dtypes: vec![dtype],
                    written: false,
                    has_pointer: false,
                });
            }
            arguments.push(KernelParam::Pointer(root));
        }
        for scalar in scalars {
            arguments.push(self.scalar(scalar)?);
        }
        Ok(arguments)
    }
}
