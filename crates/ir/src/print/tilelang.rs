//! Operands of TileLang's operators as TileLang prints them: `T.region(A[i, j], access, extents…)`.

use super::Printer;
use crate::{BinaryOp, BufferId, ExprId, ExprKind};

impl Printer<'_> {
    /// A part of a buffer that an operator accesses: 1 read, 2 written, 3 both. What is no part is printed as it is.
    pub(super) fn tile_region(&mut self, part: ExprId, access: i64) {
        let text = match self.body.expr(part).kind {
            ExprKind::Buffer(buffer) => self.whole_region(buffer, access),
            ExprKind::Region(buffer, dims) => {
                self.part_region(buffer, self.body.items(dims), access)
            }
            _ => return self.expr(part),
        };
        self.out.push_str(&text);
    }

    fn whole_region(&mut self, buffer: BufferId, access: i64) -> String {
        let name = self.buffer_name(buffer);
        let shape = self.body.buffers[buffer].shape.clone();
        let zeros = vec!["0"; shape.len()].join(", ");
        let extents: String =
            shape.iter().map(|&it| format!(", {}", self.expr_string(it))).collect();
        format!("T.region({name}[{zeros}], {access}{extents})")
    }

    fn part_region(&mut self, buffer: BufferId, dims: &[ExprId], access: i64) -> String {
        let name = self.buffer_name(buffer);
        let (mut starts, mut extents) = (Vec::new(), String::new());
        for (at, &dim) in dims.iter().enumerate() {
            let (start, extent) = match self.body.expr(dim).kind {
                ExprKind::Slice { lower, upper, .. } => {
                    let whole = self.body.buffers[buffer].shape.get(at).copied();
                    let start = lower.map_or_else(|| "0".to_owned(), |it| self.expr_string(it));
                    (start, self.extent_text(lower, upper.or(whole)))
                }
                _ => (self.expr_string(dim), "1".to_owned()),
            };
            starts.push(start);
            extents.push_str(", ");
            extents.push_str(&extent);
        }
        format!("T.region({name}[{}], {access}{extents})", starts.join(", "))
    }

    /// The distance of two bounds; the second is mostly the sum of the first and the extent.
    fn extent_text(&mut self, lower: Option<ExprId>, upper: Option<ExprId>) -> String {
        let Some(upper) = upper else { return "1".to_owned() };
        let Some(lower) = lower else { return self.expr_string(upper) };
        match (self.body.expr(lower).kind, self.body.expr(upper).kind) {
            (ExprKind::Int(0), _) => self.expr_string(upper),
            (ExprKind::Int(a), ExprKind::Int(b)) => (b - a).to_string(),
            (_, ExprKind::Binary(BinaryOp::Add, a, extent)) if a == lower => {
                self.expr_string(extent)
            }
            (_, ExprKind::Binary(BinaryOp::Add, extent, a)) if a == lower => {
                self.expr_string(extent)
            }
            _ => format!("{} - ({})", self.expr_string(upper), self.expr_string(lower)),
        }
    }
}
