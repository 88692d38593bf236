//! Finds the units of a tree, and makes the trees of frames. One walk over green nodes outside of functions, with an
//! explicit stack.

use std::sync::Arc;

use parser::SyntaxKind::*;
use rowan::{GreenNode, GreenNodeData, NodeOrToken, TextRange, TextSize};
use rustc_hash::FxHashMap;

use super::{FrameItem, UnitItem, UnitKind, UnitSource, Units, is_operation};
use crate::{
    Green, Parse, SyntaxNode,
    builder::GreenElement,
    symbol::{symbol_name, without_quotes},
    syntax_node::{kind_from_raw, kind_to_raw},
};

pub(crate) struct Scan<'a> {
    pub(super) functions: Vec<UnitItem>,
    pub(super) frames: Vec<FrameItem>,
    parse: &'a Parse,
    /// The units of the version before, by the addresses of their trees.
    known: FxHashMap<usize, &'a Arc<UnitSource>>,
    known_chunks: FxHashMap<usize, (&'a Units, usize)>,
}

/// A node whose children are being walked.
struct Open<'a> {
    node: &'a GreenNodeData,
    children: rowan::Children<'a>,
    /// The number of walked children.
    n_walked: usize,
    /// The children of the node without the bodies of functions, once one is in it.
    kept: Option<Vec<GreenElement>>,
    /// True if it added a name to the path.
    is_named: bool,
}

/// The place where in the file and in its frame a walk is.
struct At {
    file: TextSize,
    removed: TextSize,
    start: TextSize,
    frame: u32,
}

/// Neighbouring chunks with nothing in them. They are one frame: there may be as many as lines.
#[derive(Default)]
struct Blank {
    /// The elements of the units, with the lines between them.
    chunks: Vec<GreenElement>,
    /// The elements behind the last of them.
    behind: Vec<GreenElement>,
    range: Option<TextRange>,
}

impl Blank {
    fn chunk(&mut self, node: &GreenNodeData, range: TextRange) {
        self.chunks.append(&mut self.behind);
        self.chunks.extend(node.children().map(owned));
        self.range = Some(self.range.map_or(range, |it| it.cover(range)));
    }

    fn separator(&mut self, element: GreenElement) {
        if self.range.is_some() {
            self.behind.push(element);
        }
    }
}

impl<'a> Scan<'a> {
    pub(super) fn new(parse: &'a Parse, previous: Option<&'a Units>) -> Scan<'a> {
        let mut known = FxHashMap::default();
        let mut known_chunks = FxHashMap::default();
        if let Some(previous) = previous {
            for item in &previous.functions {
                known.insert(item.source.green.address(), &item.source);
            }
            for (i, item) in previous.frames.iter().enumerate() {
                known_chunks.insert(item.chunk.address(), (previous, i));
            }
        }
        let (functions, frames) = (Vec::new(), Vec::new());
        Scan { functions, frames, parse, known, known_chunks }
    }

    fn green(&self, node: GreenNode) -> Green {
        Green::new(node, self.parse.green().depth_bound())
    }

    // ---- PIR ----

    /// The programs of a file of PIR, and the text around them.
    pub(crate) fn programs(&mut self) {
        let parse = self.parse;
        let root = parse.green().node();
        let (mut at, mut kept) = (TextSize::from(0), TextSize::from(0));
        let mut rest: Vec<GreenElement> = Vec::new();
        for child in root.children() {
            let len = element_len(&child);
            match child {
                NodeOrToken::Node(node) if is_program(node) => {
                    let green = self.green(node.to_owned());
                    let source = self.known(&green, "").unwrap_or_else(|| {
                        let cuts = cuts(UnitKind::Program, &green);
                        Arc::new(UnitSource {
                            kind: UnitKind::Program,
                            path: "".into(),
                            name: "".into(),
                            name_range: TextRange::empty(0.into()),
                            green,
                            cuts,
                            header: None,
                        })
                    });
                    let range = TextRange::at(at, len);
                    self.functions.push(UnitItem { source, range, frame: 0, frame_start: kept });
                }
                other => {
                    kept += len;
                    rest.push(owned(other));
                }
            }
            at += len;
        }
        let frame = GreenNode::new(root.kind(), rest);
        self.frame(parse.green().clone(), frame, TextRange::up_to(at), 0);
    }

    // ---- MLIR ----

    /// The functions of all chunks, and their frames.
    pub(crate) fn chunks(&mut self) {
        let parse = self.parse;
        let mut at = TextSize::from(0);
        let mut blank = Blank::default();
        for child in parse.green().node().children() {
            let range = TextRange::at(at, element_len(&child));
            at = range.end();
            let Some(node) = child.as_node().filter(|it| kind_from_raw(it.kind()) == MLIR_CHUNK)
            else {
                blank.separator(owned(child));
                continue;
            };
            if is_blank(node) {
                blank.chunk(node, range);
                continue;
            }
            self.end_blank(&mut blank);
            let chunk = self.green((*node).to_owned());
            match self.known_chunks.get(&chunk.address()) {
                Some(&(previous, index)) => self.take_over(previous, index, range.start()),
                None => self.chunk(node, chunk, range),
            }
        }
        self.end_blank(&mut blank);
    }

    /// A frame of neighbouring chunks with nothing in them, if there are some.
    fn end_blank(&mut self, blank: &mut Blank) {
        let Blank { chunks, range: Some(range), .. } = std::mem::take(blank) else { return };
        let node = GreenNode::new(kind_to_raw(MLIR_CHUNK), chunks);
        self.frame(self.green(node.clone()), node, range, self.functions.len() as u32);
    }

    /// A chunk that is the same as before, somewhere else perhaps.
    fn take_over(&mut self, previous: &Units, index: usize, start: TextSize) {
        let old = &previous.frames[index];
        let first = self.functions.len() as u32;
        let frame = self.frames.len() as u32;
        let old_functions = old.functions.start as usize..old.functions.end as usize;
        self.functions.extend(previous.functions[old_functions].iter().map(|item| UnitItem {
            range: TextRange::at(item.range.start() - old.range.start() + start, item.range.len()),
            frame,
            ..item.clone()
        }));
        self.frames.push(FrameItem {
            range: TextRange::at(start, old.range.len()),
            functions: first..self.functions.len() as u32,
            ..old.clone()
        });
    }

    fn frame(&mut self, chunk: Green, frame: GreenNode, range: TextRange, first: u32) {
        let green = self.green(frame);
        let source = UnitSource {
            kind: UnitKind::Frame,
            path: "".into(),
            name: "".into(),
            name_range: TextRange::empty(0.into()),
            green,
            cuts: Box::default(),
            header: None,
        };
        self.frames.push(FrameItem {
            source: Arc::new(source),
            range,
            functions: first..self.functions.len() as u32,
            chunk,
        });
    }

    fn chunk(&mut self, node: &'a GreenNodeData, chunk: Green, range: TextRange) {
        let first = self.functions.len() as u32;
        let start = range.start();
        let mut at = At { file: start, removed: 0.into(), start, frame: self.frames.len() as u32 };
        let mut path: Vec<Box<str>> = Vec::new();
        let mut stack = vec![Open::new(node, false)];
        let mut frame = None;
        while let Some(open) = stack.last_mut() {
            let Some(child) = open.children.next() else {
                let done = stack.pop().expect("the loop looked at it");
                if done.is_named {
                    path.pop();
                }
                let new = done.kept.map(|it| GreenNode::new(done.node.kind(), it));
                match stack.last_mut() {
                    Some(parent) => parent.take(done.node, new),
                    None => frame = Some(new.unwrap_or_else(|| done.node.to_owned())),
                }
                continue;
            };
            match child {
                NodeOrToken::Node(child) if is_entered(child) => {
                    let name = is_operation(kind_from_raw(child.kind()))
                        .then(|| operation_name(child))
                        .flatten();
                    if name.is_some_and(|it| self.parse.shapes().is_function(it)) {
                        let header = self.function(child, &path, &mut at);
                        open.take(child, Some(header));
                        continue;
                    }
                    let symbol = name.and_then(|_| symbol_of(child));
                    let is_named = symbol.is_some();
                    path.extend(symbol.map(|(it, _)| it));
                    stack.push(Open::new(child, is_named));
                }
                other => {
                    at.file += element_len(&other);
                    open.keep(other);
                }
            }
        }
        let frame = frame.expect("the walk ends with the chunk");
        self.frame(chunk, frame, range, first);
    }

    /// Records a function; returns the part that the frame has of it.
    fn function(&mut self, node: &GreenNodeData, path: &[Box<str>], at: &mut At) -> GreenNode {
        let green = self.green(node.to_owned());
        let path = path.join(".");
        let source = self.known(&green, &path).unwrap_or_else(|| {
            let cuts = cuts(UnitKind::Function, &green);
            let header = self.green(without_regions(node));
            let (name, name_range) =
                symbol_of(node).unwrap_or(("".into(), TextRange::empty(0.into())));
            Arc::new(UnitSource {
                kind: UnitKind::Function,
                path: path.into(),
                name,
                name_range,
                green,
                cuts,
                header: Some(header),
            })
        });
        let header = source.header.as_ref().map_or_else(|| node.to_owned(), |it| it.node().clone());
        let range = TextRange::at(at.file, node.text_len());
        let frame_start = at.file - at.start - at.removed;
        at.file += node.text_len();
        at.removed += node.text_len() - header.text_len();
        self.functions.push(UnitItem { source, range, frame: at.frame, frame_start });
        header
    }

    /// The unit of the version before that has the same tree and stands in the same symbols.
    fn known(&self, green: &Green, path: &str) -> Option<Arc<UnitSource>> {
        let known = self.known.get(&green.address())?;
        (*known.path == *path).then(|| (*known).clone())
    }
}

impl<'a> Open<'a> {
    fn new(node: &'a GreenNodeData, is_named: bool) -> Open<'a> {
        Open { node, children: node.children(), n_walked: 0, kept: None, is_named }
    }

    /// A child stays as it is.
    fn keep(&mut self, child: NodeOrToken<&GreenNodeData, &rowan::GreenTokenData>) {
        self.n_walked += 1;
        if let Some(kept) = &mut self.kept {
            kept.push(owned(child));
        }
    }

    /// A child has been walked; `new` is there if it lost something.
    fn take(&mut self, old: &GreenNodeData, new: Option<GreenNode>) {
        let Some(new) = new else { return self.keep(NodeOrToken::Node(old)) };
        let (node, n_walked) = (self.node, self.n_walked);
        let kept =
            self.kept.get_or_insert_with(|| node.children().take(n_walked).map(owned).collect());
        kept.push(NodeOrToken::Node(new));
        self.n_walked += 1;
    }
}

/// Returns true if a chunk or program is empty: no operation, and no unreadable text.
fn is_blank(node: &GreenNodeData) -> bool {
    node.children().all(|it| it.as_node().is_none() && kind_from_raw(it.kind()) != ERROR)
}

/// Returns true if a function or program is still a unit.
pub(super) fn is_unit(green: &Green) -> bool {
    green.kind() != PIR_BLOCK || is_program(green.node())
}

/// Returns true if a node is a program. An empty one is not, and stays with the text around programs.
fn is_program(node: &GreenNodeData) -> bool {
    kind_from_raw(node.kind()) == PIR_BLOCK && !is_blank(node)
}

/// Returns true if a node may contain functions.
fn is_entered(node: &GreenNodeData) -> bool {
    let kind = kind_from_raw(node.kind());
    let is_inside = |kind| {
        matches!(kind, MLIR_REGION_LIST | MLIR_REGION | MLIR_BLOCK | MLIR_UNREAD | ERROR_NODE)
    };
    is_operation(kind) || is_inside(kind)
}

fn owned(element: NodeOrToken<&GreenNodeData, &rowan::GreenTokenData>) -> GreenElement {
    match element {
        NodeOrToken::Node(node) => NodeOrToken::Node(node.to_owned()),
        NodeOrToken::Token(token) => NodeOrToken::Token(token.to_owned()),
    }
}

fn element_len(element: &NodeOrToken<&GreenNodeData, &rowan::GreenTokenData>) -> TextSize {
    match element {
        NodeOrToken::Node(node) => node.text_len(),
        NodeOrToken::Token(token) => token.text_len(),
    }
}

/// The name of an operation, with its row in the table of shapes.
fn operation_name(node: &GreenNodeData) -> Option<&str> {
    let wanted = if kind_from_raw(node.kind()) == MLIR_GENERIC_OP { STRING } else { IDENT };
    let mut tokens = node.children().filter_map(NodeOrToken::into_token);
    tokens.find(|it| kind_from_raw(it.kind()) == wanted).map(|it| it.text().trim_matches('"'))
}

/// The symbol that an operation of MLIR defines, without `@` and quotes, and where it is written.
pub fn symbol_of_node(node: &SyntaxNode) -> Option<(Box<str>, TextRange)> {
    symbol_of(node.green()).map(|(name, range)| (name, range + node.text_range().start()))
}

/// The symbol that an operation defines: `@name` in its pretty form, `sym_name = "name"` in its attributes.
fn symbol_of(node: &GreenNodeData) -> Option<(Box<str>, TextRange)> {
    let mut at = TextSize::from(0);
    for child in node.children() {
        let len = element_len(&child);
        if let NodeOrToken::Node(child) = child {
            let found = match kind_from_raw(child.kind()) {
                MLIR_SYMBOL_DEF | MLIR_SYMBOL_REF if is_definition(node, child) => {
                    child.children().find_map(NodeOrToken::into_token).map(|it| {
                        let name = symbol_name(it.text()).into();
                        (name, TextRange::at(0.into(), it.text_len()))
                    })
                }
                MLIR_PROPERTIES | MLIR_ATTR_DICT => attribute_symbol(child),
                _ => None,
            };
            if let Some((name, range)) = found {
                return Some((name, range + at));
            }
        }
        at += len;
    }
    None
}

/// Of an operation without shape, the first symbol counts.
fn is_definition(operation: &GreenNodeData, symbol: &GreenNodeData) -> bool {
    kind_from_raw(symbol.kind()) == MLIR_SYMBOL_DEF
        || kind_from_raw(operation.kind()) == MLIR_OPAQUE_OP
}

/// The value of `sym_name`, without its quotes.
fn attribute_symbol(node: &GreenNodeData) -> Option<(Box<str>, TextRange)> {
    let mut stack = vec![(node, node.children(), TextSize::from(0))];
    while let Some((parent, children, at)) = stack.last_mut() {
        let Some(child) = children.next() else {
            stack.pop();
            continue;
        };
        let (parent, start) = (*parent, *at);
        *at += element_len(&child);
        match child {
            NodeOrToken::Node(node) => match kind_from_raw(node.kind()) {
                MLIR_ATTR_DICT | MLIR_ATTR_ENTRY => stack.push((node, node.children(), start)),
                MLIR_STRING_ATTR if is_sym_name(parent) => {
                    let text = node.children().find_map(NodeOrToken::into_token)?.text();
                    let inner = without_quotes(text);
                    let quote = TextSize::from(u32::from(inner.len() < text.len()));
                    let range = TextRange::at(start + quote, TextSize::of(inner));
                    return Some((symbol_name(text).into(), range));
                }
                _ => {}
            },
            // Only the entry `sym_name` is of interest.
            NodeOrToken::Token(_) if kind_from_raw(parent.kind()) == MLIR_ATTR_ENTRY => {
                if !is_sym_name(parent) {
                    stack.pop();
                }
            }
            NodeOrToken::Token(_) => {}
        }
    }
    None
}

fn is_sym_name(entry: &GreenNodeData) -> bool {
    let first = entry.children().find_map(NodeOrToken::into_token);
    kind_from_raw(entry.kind()) == MLIR_ATTR_ENTRY
        && first.is_some_and(|it| it.text().trim_matches('"') == "sym_name")
}

/// Returns the ranges of a unit that its frame does not have: its regions; all of a program.
pub(super) fn cuts(kind: UnitKind, green: &Green) -> Box<[TextRange]> {
    if kind != UnitKind::Function {
        return [TextRange::up_to(green.text_len())].into();
    }
    let mut res = Vec::new();
    let mut at = TextSize::from(0);
    for child in green.node().children() {
        if let NodeOrToken::Node(node) = child {
            match kind_from_raw(node.kind()) {
                MLIR_REGION => res.push(TextRange::at(at, node.text_len())),
                MLIR_REGION_LIST => {
                    let mut inner = at;
                    for child in node.children() {
                        let len = element_len(&child);
                        let is_region = child.kind() == kind_to_raw(MLIR_REGION);
                        if is_region {
                            res.push(TextRange::at(inner, len));
                        }
                        inner += len;
                    }
                }
                _ => {}
            }
        }
        at += element_len(&child);
    }
    res.into()
}

/// A function as it stands in its frame.
fn without_regions(node: &GreenNodeData) -> GreenNode {
    let mut kept: Vec<GreenElement> = Vec::new();
    for child in node.children() {
        match child {
            NodeOrToken::Node(it) if kind_from_raw(it.kind()) == MLIR_REGION => {}
            NodeOrToken::Node(it) if kind_from_raw(it.kind()) == MLIR_REGION_LIST => {
                let is_region = |it: &NodeOrToken<&GreenNodeData, _>| {
                    it.as_node().is_some_and(|it| kind_from_raw(it.kind()) == MLIR_REGION)
                };
                let rest = it.children().filter(|it| !is_region(it)).map(owned);
                let rest: Vec<GreenElement> = rest.collect();
                kept.push(NodeOrToken::Node(GreenNode::new(it.kind(), rest)));
            }
            other => kept.push(owned(other)),
        }
    }
    GreenNode::new(node.kind(), kept)
}

/// The chunk that has a range, or the file of PIR.
pub(super) fn chunk_at(parse: &Parse, range: TextRange) -> Option<Green> {
    let root = parse.green();
    if root.kind() == PIR_FILE {
        return Some(root.clone());
    }
    let mut at = TextSize::from(0);
    for child in root.node().children() {
        let len = element_len(&child);
        if let NodeOrToken::Node(node) = child
            && TextRange::at(at, len) == range
            && kind_from_raw(node.kind()) == MLIR_CHUNK
        {
            return Some(Green::new(node.to_owned(), root.depth_bound()));
        }
        at += len;
    }
    None
}
