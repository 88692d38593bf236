//! From the text of MLIR to its kernels, for a build.
//!
//! In: text. Out: each kernel (`gpu.func … kernel`, `gpu.launch`) as a function of statements, or the message why it is
//! none. A kernel depends on all of its file: its launch gives its sizes. Linear in the text.

use codegen::{
    build::{Broken, Place, SourceBody, SourceFunction, hash_of},
    reasons::HAS_ERRORS,
};
use frontend::mlir::{Shapes, Unit, UnitKind, lower_file};
use lower::from_ops::{FromOps, KernelOf};
use pipeline::{kernels::of_document, operations};
use syntax::{ColumnEncoding, LineIndex, TextSize};

use crate::source::{READER, place};

/// A file that was parsed.
pub(crate) struct OpsModule {
    lines: LineIndex,
    /// Of all of the text.
    hash: [u8; 32],
    documents: Vec<Document>,
}

/// The text between two `// -----` lines.
#[derive(Default)]
struct Document {
    functions: Vec<Unit>,
    frame: Option<Unit>,
    kernels: Vec<KernelOf>,
}

impl OpsModule {
    pub(crate) fn read(text: &str) -> OpsModule {
        let mut documents: Vec<Document> = Vec::new();
        lower_file(text, Shapes::builtin(), &mut |unit| {
            documents.resize_with(documents.len().max(unit.document + 1), Document::default);
            let document = &mut documents[unit.document];
            let unit = Unit { aliases: Default::default(), ..unit };
            match unit.kind {
                UnitKind::Frame => document.frame = Some(unit),
                _ => document.functions.push(unit),
            }
        });
        for document in &mut documents {
            let functions: Vec<_> = document.functions.iter().map(|it| &it.lowered.body).collect();
            let frame = document.frame.as_ref().map(|it| &it.lowered.body);
            document.kernels = of_document(&functions, frame, None);
        }
        OpsModule {
            lines: LineIndex::new(text),
            hash: hash_of(&[READER.as_bytes(), text.as_bytes()]),
            documents,
        }
    }

    /// The kernels, in the order of their places.
    pub(crate) fn functions(&self) -> Vec<SourceFunction<'_>> {
        let mut res = Vec::new();
        for document in &self.documents {
            for kernel in &document.kernels {
                let unit = &document.functions[kernel.function];
                let number = u64::try_from(res.len()).unwrap_or(u64::MAX);
                res.push(SourceFunction {
                    name: kernel.name.clone(),
                    text: hash_of(&[&self.hash, &number.to_le_bytes()]),
                    first_line: self.line(unit.offset) + 1,
                    name_at: self.place(unit, 0),
                    body: Box::new(|| self.body(unit, kernel)),
                });
            }
        }
        res
    }

    fn line(&self, offset: usize) -> u32 {
        let offset = TextSize::from(u32::try_from(offset).unwrap_or(u32::MAX));
        self.lines.line_col(offset, ColumnEncoding::Utf8).line
    }

    /// The place of an offset from the start of a function.
    fn place(&self, unit: &Unit, offset: usize) -> Place {
        let offset = u32::try_from(unit.offset + offset).unwrap_or(u32::MAX);
        place(&self.lines, self.line(unit.offset), TextSize::from(offset))
    }

    fn body(&self, unit: &Unit, kernel: &KernelOf) -> Result<SourceBody, Broken> {
        let lowered = &unit.lowered;
        if let Some(error) = operations::first_error(lowered) {
            return Err(Broken {
                reason: HAS_ERRORS,
                detail: error.message.clone(),
                place: Some(self.place(unit, error.range.start().into())),
            });
        }
        let place = |op| self.place(unit, lowered.source_map.op(op).start().into());
        match &kernel.kernel {
            Ok(FromOps { body, origins, .. }) => {
                let places = origins.iter().map(|&(op, source)| (op, place(source))).collect();
                Ok(SourceBody { body: body.clone(), places })
            }
            Err(refusal) => Err(Broken {
                reason: refusal.reason,
                detail: refusal.detail.clone(),
                place: refusal.op.map(place),
            }),
        }
    }
}
