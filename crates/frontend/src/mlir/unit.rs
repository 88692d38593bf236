//! Units: a function, or the frame of a document; from the tree of an editor, or from the steps of a parse.
//!
//! Functions see nothing of one another, so the reader of a file may have them lowered elsewhere ([`Offload`]).

use std::sync::Arc;

use parser::{
    Step,
    SyntaxKind::{self, *},
    mlir::{Piece, Shapes, Sink},
};
use syntax::{Green, GreenStep, TextRange, UnitKind};

use super::{aliases::Aliases, guarded::GuardedReader, reader::Reader, relower::Traits};
use crate::{language::TextUnit, ops::Lowered};

/// A unit of a file.
#[derive(Clone, Debug)]
pub struct Unit {
    /// The kind.
    pub kind: UnitKind,
    /// The place where it begins in the file.
    pub offset: usize,
    /// The place where it ends. The text of a frame is that of its document, functions included.
    pub end: usize,
    /// The number of its document, between `// -----` lines that have text.
    pub document: usize,
    /// The aliases of the document that a function sees. A holder of many units drops it: each following alias would
    /// make a copy.
    pub aliases: Arc<Aliases>,
    /// The unit in the IR.
    pub lowered: Lowered,
}

impl Unit {
    /// Runs `run` on it, as a unit of a text of any language of operations.
    pub fn with_text_unit<R>(&self, shapes: &Shapes, run: impl FnOnce(TextUnit<'_>) -> R) -> R {
        let reread = |text: &str| match self.kind {
            UnitKind::Frame => super::reread_frame(text, shapes),
            _ => super::reread_function(text, &self.aliases, shapes),
        };
        let range = TextRange::new((self.offset as u32).into(), (self.end as u32).into());
        run(TextUnit { kind: self.kind, range, lowered: &self.lowered, reread: &reread })
    }
}

/// Lowers a function: the green tree of its operation, and its text. `shapes` is the table that it was parsed with.
pub fn lower_function(function: &Green, text: &str, aliases: &Aliases, shapes: &Shapes) -> Lowered {
    lower_function_with_traits(function, text, aliases, shapes).0
}

/// Like [`lower_function`], with the traits that [`relower`](super::lower_after) needs.
pub fn lower_function_with_traits(
    function: &Green,
    text: &str,
    aliases: &Aliases,
    shapes: &Shapes,
) -> (Lowered, Traits) {
    lower_green(function, text, aliases, shapes, false)
}

/// Lowers the frame of a document: the green tree of its chunk, and its text. Functions stand in it without regions.
pub fn lower_frame(chunk: &Green, text: &str, aliases: &Aliases, shapes: &Shapes) -> Lowered {
    lower_green(chunk, text, aliases, shapes, true).0
}

fn lower_green(
    green: &Green,
    text: &str,
    aliases: &Aliases,
    shapes: &Shapes,
    frame: bool,
) -> (Lowered, Traits) {
    let mut reader = Reader::new(text, 0, shapes, frame);
    green.walk(|step| reader.step(step_of(step), aliases));
    reader.finish_with_traits()
}

/// A step of a tree as one of a parse.
pub(super) fn step_of(step: GreenStep<'_>) -> Step {
    match step {
        GreenStep::Enter(kind) => Step::Enter(kind),
        GreenStep::Token(kind, text) => Step::Token { kind, len: text.len() as u32 },
        GreenStep::Leave => Step::Exit,
    }
}

/// Parses and lowers a whole file, unit by unit: each function when it ends, the frame of a document behind its
/// functions. No tree is made, and no more than one function and one frame are kept.
pub fn lower_file(text: &str, shapes: &Shapes, unit: &mut dyn FnMut(Unit)) {
    let mut unit = unit;
    parser::mlir::parse_into(text, shapes, &mut FileReader::new(text, shapes, &mut unit));
}

/// As [`lower_file`], but bodies have no names of values, which printing and messages need and plans do not: a third of
/// the memory of names.
pub fn lower_file_without_names(text: &str, shapes: &Shapes, unit: &mut dyn FnMut(Unit)) {
    let mut unit = unit;
    let reader = FileReader::new(text, shapes, &mut unit);
    parser::mlir::parse_into(text, shapes, &mut reader.without_names());
}

/// A function whose steps follow.
#[derive(Clone, Debug)]
pub struct Outline {
    /// The place where it begins in the file.
    pub offset: usize,
    /// The number of its document, as in [`Unit`].
    pub document: usize,
    /// The aliases of its document that it sees.
    pub aliases: Arc<Aliases>,
}

/// Lowers a function from its steps.
pub struct FunctionReader<'t> {
    outline: Outline,
    reader: GuardedReader<'t>,
}

impl<'t> FunctionReader<'t> {
    /// A reader of a function of a text that was parsed with these shapes.
    pub fn new(text: &'t str, shapes: &'t Shapes, outline: Outline) -> FunctionReader<'t> {
        let reader = GuardedReader::new(Reader::new(text, outline.offset, shapes, false));
        FunctionReader { reader, outline }
    }

    /// The same reader, for a body without names of values, as in [`lower_file_without_names`].
    #[must_use]
    pub fn without_names(self) -> FunctionReader<'t> {
        FunctionReader { reader: self.reader.without_names(), ..self }
    }

    /// The next pieces of the function.
    pub fn pieces(&mut self, pieces: &[Piece]) {
        self.reader.pieces(pieces, &self.outline.aliases);
    }

    /// The function, after its last step.
    pub fn finish(self) -> Unit {
        let Outline { offset, document, aliases } = self.outline;
        let end = self.reader.pos() as usize;
        let mut lowered = self.reader.finish();
        lowered.body.drop_indexes();
        Unit { kind: UnitKind::Function, offset, end, document, aliases, lowered }
    }
}

/// A receiver of the units of a file.
pub trait Units {
    /// A unit is ready.
    fn unit(&mut self, unit: Unit);
}

impl<F: FnMut(Unit)> Units for F {
    fn unit(&mut self, unit: Unit) {
        self(unit);
    }
}

/// A receiver that has functions lowered elsewhere, from their steps.
pub trait Offload: Units {
    /// A function begins; it will not be given as a unit.
    fn function_begins(&mut self, outline: Outline);
    /// The next pieces of the function.
    fn pieces(&mut self, pieces: &[Piece]);
    /// The function has ended.
    fn function_ends(&mut self);
}

/// The receiver of the units.
enum Receiver<'u> {
    Units(&'u mut dyn Units),
    Offload(&'u mut dyn Offload),
}

impl Receiver<'_> {
    fn unit(&mut self, unit: Unit) {
        match self {
            Receiver::Units(it) => it.unit(unit),
            Receiver::Offload(it) => it.unit(unit),
        }
    }
}

/// The number of steps after which a reader asks whether it is still wanted.
const CHECK_EVERY: usize = 1024;

/// Takes the steps of a whole file and gives its units, as [`lower_file`] does, for callers that parse themselves.
pub struct FileReader<'t, 'u> {
    text: &'t str,
    shapes: &'t Shapes,
    receiver: Receiver<'u>,
    aliases: Arc<Aliases>,
    frame: Option<GuardedReader<'t>>,
    function: Option<FunctionReader<'t>>,
    /// True if the function is lowered elsewhere.
    is_offloaded: bool,
    /// True if functions lowered elsewhere have got the aliases of this document; later functions then stay here.
    gave_aliases: bool,
    stays: bool,
    /// True if bodies of functions have the names of values.
    names: bool,
    /// The number of open functions: the outermost is the unit.
    n_functions: u32,

    pos: usize,
    depth: u32,
    document: usize,
    frame_start: usize,
    /// The alias being read: where its name and its definition begin.
    alias: Option<(usize, usize, usize)>,
}

impl Sink for FileReader<'_, '_> {
    fn takes_lines(&self) -> bool {
        true
    }

    fn pieces(&mut self, pieces: &[Piece]) {
        // The first piece that the frame has not read: it reads them in runs, each under one guard.
        let mut unread = 0;
        for (at, &piece) in pieces.iter().enumerate() {
            if at % CHECK_EVERY == 0 {
                ir::interrupt::check();
            }
            self.pos += piece.n_bytes() as usize;
            match piece {
                Piece::Step(Step::Enter(kind)) => {
                    if kind == MLIR_CHUNK && self.depth == 1 {
                        self.begin_frame();
                        unread = at;
                    }
                    self.enter(kind);
                }
                Piece::Step(Step::Token { kind, .. }) => self.alias_token(kind),
                Piece::Step(Step::Exit) => {
                    self.depth -= 1;
                    // What stands at the top of a document may be an alias, which is known from here on.
                    if self.depth <= 2 {
                        self.frame_pieces(&pieces[unread..=at]);
                        unread = at + 1;
                        self.exit();
                    }
                }
                Piece::Line { .. } => {}
            }
        }
        self.frame_pieces(&pieces[unread..]);
        if let Some(function) = &mut self.function {
            function.pieces(pieces);
        } else if self.is_offloaded
            && let Receiver::Offload(receiver) = &mut self.receiver
        {
            receiver.pieces(pieces);
        }
    }

    fn function_begins(&mut self, offset: usize) {
        self.n_functions += 1;
        if self.n_functions > 1 {
            // In a module of a function.
            return;
        }
        let aliases = Arc::clone(&self.aliases);
        let outline = Outline { offset, document: self.document, aliases };
        match &mut self.receiver {
            Receiver::Offload(receiver) if !self.stays => {
                (self.is_offloaded, self.gave_aliases) = (true, true);
                receiver.function_begins(outline);
            }
            _ => {
                let reader = FunctionReader::new(self.text, self.shapes, outline);
                self.function = Some(if self.names { reader } else { reader.without_names() });
            }
        }
    }

    fn function_ends(&mut self, _: usize) {
        self.n_functions -= 1;
        if self.n_functions > 0 {
            return;
        }
        if let Some(function) = self.function.take() {
            self.receiver.unit(function.finish());
        } else if std::mem::take(&mut self.is_offloaded)
            && let Receiver::Offload(receiver) = &mut self.receiver
        {
            receiver.function_ends();
        }
    }
}

impl<'t, 'u> FileReader<'t, 'u> {
    /// A reader of a text that was parsed with these shapes.
    pub fn new(text: &'t str, shapes: &'t Shapes, units: &'u mut dyn Units) -> Self {
        FileReader::with(text, shapes, Receiver::Units(units))
    }

    /// A reader that lowers the text around functions; its own units have no names of values.
    pub fn offloading(text: &'t str, shapes: &'t Shapes, divert: &'u mut dyn Offload) -> Self {
        FileReader { names: false, ..FileReader::with(text, shapes, Receiver::Offload(divert)) }
    }

    /// The same reader, for bodies without names of values.
    pub(super) fn without_names(self) -> Self {
        FileReader { names: false, ..self }
    }

    /// The same reader, for a text in front of which these aliases are defined.
    pub(super) fn with_aliases(self, aliases: Arc<Aliases>) -> Self {
        FileReader { aliases, ..self }
    }

    fn with(text: &'t str, shapes: &'t Shapes, receiver: Receiver<'u>) -> Self {
        FileReader {
            text,
            shapes,
            receiver,
            aliases: Arc::default(),
            frame: None,
            function: None,
            is_offloaded: false,
            gave_aliases: false,
            stays: false,
            names: true,
            n_functions: 0,
            pos: 0,
            depth: 0,
            document: 0,
            frame_start: 0,
            alias: None,
        }
    }

    fn begin_frame(&mut self) {
        self.frame_start = self.pos;
        let reader = Reader::new(self.text, self.pos, self.shapes, true);
        self.frame = Some(GuardedReader::new(reader));
    }

    fn frame_pieces(&mut self, pieces: &[Piece]) {
        if let Some(reader) = self.frame.as_mut().filter(|_| !pieces.is_empty()) {
            reader.pieces(pieces, &self.aliases);
        }
    }

    fn enter(&mut self, kind: SyntaxKind) {
        if self.depth == 2 && matches!(kind, MLIR_ATTR_ALIAS_DEF | MLIR_TYPE_ALIAS_DEF) {
            self.alias = Some((self.pos, 0, 0));
        }
        self.depth += 1;
    }

    fn alias_token(&mut self, kind: SyntaxKind) {
        if let Some(alias) = &mut self.alias {
            match kind {
                ATTR_ID | TYPE_ID if alias.1 == 0 => alias.1 = self.pos,
                EQ if alias.2 == 0 => alias.2 = self.pos,
                _ => {}
            }
        }
    }

    fn exit(&mut self) {
        match self.depth {
            2 => {
                if let Some((start, name_end, body)) = self.alias.take()
                    && body > 0
                {
                    let (name, text) = (&self.text[start..name_end], &self.text[body..self.pos]);
                    // Functions elsewhere see what came before them; a copy for each alias would not be linear.
                    self.stays |= self.gave_aliases;
                    Arc::make_mut(&mut self.aliases).define(name, text.trim());
                }
            }
            1 => {
                if let Some(reader) = self.frame.take() {
                    let lowered = reader.finish();
                    let (offset, document) = (self.frame_start, self.document);
                    let (kind, end) = (UnitKind::Frame, self.pos);
                    let aliases = std::mem::take(&mut self.aliases);
                    self.receiver.unit(Unit { kind, offset, end, document, aliases, lowered });
                    self.document += 1;
                    (self.gave_aliases, self.stays) = (false, false);
                }
            }
            _ => {}
        }
    }
}

/// The aliases of a document, from the tree of its frame; none in a language without aliases.
pub fn aliases_of(frame: &Green) -> Aliases {
    use syntax::ast::{AstNode, mlir::Chunk};
    Chunk::cast(frame.syntax()).map(|it| aliases(&it)).unwrap_or_default()
}

/// The aliases of a document, from the tree of its chunk.
pub fn aliases(chunk: &syntax::ast::mlir::Chunk) -> Aliases {
    use syntax::ast::AstNode;
    let mut res = Aliases::default();
    for node in chunk.syntax().children() {
        if !matches!(node.kind(), MLIR_ATTR_ALIAS_DEF | MLIR_TYPE_ALIAS_DEF) {
            continue;
        }
        let text = node.text().to_string();
        if let Some((name, body)) = text.split_once('=') {
            res.define(name.trim(), body.trim());
        }
    }
    res
}
