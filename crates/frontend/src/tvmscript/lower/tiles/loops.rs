//! Loops: `T.Parallel`, `T.Pipelined`, `T.serial` and `T.unroll` with TileLang's arguments.

use ir::{Attr, AttrDict, ForKind};

use super::super::{Lowerer, R, arguments::Args, loops::Axis};
use crate::tvmscript::ast::Ex;

impl<'a> Lowerer<'_, '_, 'a> {
    /// The loops of a form of TileLang; none if it is no loop.
    pub(in super::super) fn tile_axes(
        &mut self,
        ex: Ex,
        form: &str,
        args: &Args<'a>,
        targets: &[Ex],
    ) -> R<Option<Vec<Axis>>> {
        Ok(Some(match form {
            "tl.Parallel" => {
                let mut axes = self.grid_axes(ex, args, targets)?;
                for axis in &mut axes {
                    axis.kind = ForKind::Parallel;
                }
                let attrs = self.notes(args, &[("loop_layout", "parallel_loop_layout")])?;
                if let Some(first) = axes.first_mut() {
                    first.attrs = attrs;
                }
                axes
            }
            "tl.Pipelined" => vec![self.tile_axis(ex, args, ForKind::Serial)?],
            "tl.serial" => vec![self.tile_axis(ex, args, ForKind::Serial)?],
            "tl.unroll" => vec![self.tile_axis(ex, args, ForKind::Unrolled)?],
            // Tiles of a domain, of which each wave of blocks takes its part.
            "tl.Persistent" => {
                self.note_kept(self.range(ex));
                return Err(super::super::Reported);
            }
            _ => return Ok(None),
        }))
    }

    fn tile_axis(&mut self, ex: Ex, args: &Args<'a>, kind: ForKind) -> R<Axis> {
        let mut axis = self.axis_by(ex, kind, args)?;
        let renamed =
            [("explicit", "pragma_unroll_explicit"), ("unroll_factor", "pragma_unroll_factor")];
        axis.attrs = self.notes(args, &renamed)?;
        Ok(axis)
    }

    /// The notes to the compiler about a loop, by the names that TileLang prints.
    fn notes(&mut self, args: &Args<'a>, renamed: &[(&str, &str)]) -> R<AttrDict> {
        let mut attrs = self.loop_attrs(args)?;
        let is_bound = |key: &str| matches!(key, "start" | "stop" | "step" | "annotations");
        let given: Vec<_> = args.named().filter(|it| !is_bound(it.0)).collect();
        for (key, value) in given {
            if self.is_none(value) {
                continue;
            }
            let key = renamed.iter().find(|it| it.0 == key).map_or(key, |it| it.1);
            let value = self.attr(value);
            // Without stages there is no pipeline, and TileLang says nothing of it.
            let is_nothing = key == "num_stages" && matches!(value, Attr::Int(0, _));
            if !matches!(value, Attr::None) && !is_nothing {
                attrs.push((key.into(), value));
            }
        }
        Ok(attrs)
    }
}
