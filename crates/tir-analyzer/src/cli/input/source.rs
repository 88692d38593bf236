//! The text of a file whatever its bytes are, and the way back to the bytes.
//!
//! A tree holds text. A byte that belongs to no UTF-8 character is read as U+FFFD, and its place is remembered, so that
//! edits are made on the bytes of the file and nothing else changes. O(bytes), and no second copy of valid text.

use std::io::Write;

use crate::cli::input::files::InputFile;
use anyhow::{Context as _, bail};
use syntax::{ColumnEncoding, Edit, LineCol, LineIndex, TextRange, TextSize};

/// A file's text.
#[derive(Debug)]
pub(crate) struct Source {
    /// A string of its own: shared text would be a copy of the file, of hundreds of megabytes.
    pub(crate) text: String,
    /// The bytes, where they are not those of the text.
    bytes: Option<Vec<u8>>,
    /// Offsets in the text of the characters that replace bytes of invalid UTF-8.
    replaced: Vec<u32>,
}

/// The most bytes of a file.
pub(crate) const MAX_LEN: u64 = (syntax::MAX_TEXT_LEN / REPLACEMENT.len()) as u64;

/// The bytes with which MLIR's bytecode begins.
const MLIR_BYTECODE: &[u8] = b"ML\xefR";

/// The character that replaces a wrong byte, which is longer than the byte.
const REPLACEMENT: &str = "\u{fffd}";
const EXCESS: usize = REPLACEMENT.len() - 1;

impl Source {
    /// Reads a file: any kind if the user named it, and regular files of a folder. The error has the path and a way
    /// out.
    pub(crate) fn read(file: &InputFile) -> anyhow::Result<Source> {
        let bytes = match &file.found_in {
            None => files::read_named(&file.path, MAX_LEN),
            Some(root) => files::read_within(root, &file.path, MAX_LEN),
        };
        let context = || format!("cannot read {}", file.shown);
        Source::new(bytes.with_context(context)?).with_context(context)
    }

    /// Takes bytes.
    pub(crate) fn new(bytes: Vec<u8>) -> anyhow::Result<Source> {
        // A wrong byte may grow to three.
        if bytes.len() as u64 >= MAX_LEN {
            bail!("the file has more than 1.4 GB; split the module into several files");
        }
        if bytes.starts_with(MLIR_BYTECODE) {
            bail!(
                "it is MLIR's bytecode, not its text: `mlir-opt FILE`, or the tool of its project, prints the text"
            );
        }
        match String::from_utf8(bytes) {
            Ok(text) => Ok(Source { text, bytes: None, replaced: Vec::new() }),
            Err(error) => Ok(Source::of_invalid(error.into_bytes())),
        }
    }

    fn of_invalid(bytes: Vec<u8>) -> Source {
        let mut text = String::with_capacity(bytes.len() + bytes.len() / 8);
        let mut replaced = Vec::new();
        for chunk in bytes.utf8_chunks() {
            text.push_str(chunk.valid());
            for _ in chunk.invalid() {
                // Shorter than 4 GiB by the check above.
                replaced.push(text.len() as u32);
                text.push_str(REPLACEMENT);
            }
        }
        Source { text, bytes: Some(bytes), replaced }
    }

    /// The bytes of the file.
    pub(crate) fn bytes(&self) -> &[u8] {
        self.bytes.as_deref().unwrap_or(self.text.as_bytes())
    }

    /// The offset in the bytes of an offset in the text.
    pub(crate) fn byte_offset(&self, offset: TextSize) -> usize {
        let before = self.replaced.partition_point(|it| *it < u32::from(offset));
        usize::from(offset) - before * EXCESS
    }

    /// The bytes that a text of this file stands for: `text` is [`Source::text`], made again in some way.
    pub(crate) fn restore(&self, text: &str) -> Vec<u8> {
        let Some(bytes) = &self.bytes else { return text.as_bytes().to_vec() };
        let mut out = Vec::with_capacity(bytes.len());
        let mut done = 0;
        for &at in &self.replaced {
            let at = at as usize;
            out.extend_from_slice(&text.as_bytes()[done..at]);
            out.push(bytes[self.byte_offset(TextSize::from(at as u32))]);
            done = at + REPLACEMENT.len();
        }
        out.extend_from_slice(&text.as_bytes()[done..]);
        out
    }

    /// The bytes after edits of the text, which are sorted and do not overlap.
    pub(crate) fn edited(&self, edits: &[Edit]) -> anyhow::Result<Vec<u8>> {
        let grown: usize = edits.iter().map(|it| it.text.len()).sum();
        let mut out = Vec::with_capacity(self.bytes().len() + grown);
        self.write_edited(edits.iter().map(|it| (it.range, &*it.text)), &mut out)?;
        Ok(out)
    }

    /// Writes the bytes after edits, piece by piece. Nothing is written where they cannot be made.
    pub(crate) fn write_edited<'e>(
        &self,
        edits: impl Iterator<Item = (TextRange, &'e str)> + Clone,
        out: &mut dyn Write,
    ) -> anyhow::Result<()> {
        let copies_wrong_byte = |it: &(TextRange, &str)| it.1.contains(REPLACEMENT);
        if !self.replaced.is_empty()
            && let Some((range, _)) = edits.clone().find(copies_wrong_byte)
        {
            bail!(
                "line {} is to be copied, and has a byte that is not UTF-8; save the file as UTF-8",
                self.line_col(&LineIndex::new(&self.text), range.start()).line
            );
        }
        let bytes = self.bytes();
        let mut done = 0;
        for (range, text) in edits {
            out.write_all(&bytes[done..self.byte_offset(range.start())])?;
            out.write_all(text.as_bytes())?;
            done = self.byte_offset(range.end());
        }
        out.write_all(&bytes[done..])?;
        Ok(())
    }

    /// Line and column of an offset as users count: from 1, in characters.
    pub(crate) fn line_col(&self, lines: &LineIndex, offset: TextSize) -> LineCol {
        let at = lines.line_col(offset, ColumnEncoding::Utf32);
        LineCol { line: at.line + 1, col: at.col + 1 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytecode_is_no_text() {
        let error = Source::new(b"ML\xefR\x0dMLIR24".to_vec()).unwrap_err();
        assert!(error.to_string().contains("bytecode"), "{error}");
        assert!(Source::new(b"ML\xefX".to_vec()).is_ok());
    }

    #[test]
    fn bytes_that_are_no_text_come_back() {
        let bytes = b"a\xff\xfeb\xc3(\xe2\x82 end \xf0\x9f".to_vec();
        let source = Source::new(bytes.clone()).unwrap();
        assert_eq!(source.restore(&source.text), bytes);
        assert_eq!(source.bytes(), bytes);
    }

    #[test]
    fn edits_beside_wrong_bytes_change_nothing_else() {
        let source = Source::new(b"\xffab\xfe".to_vec()).unwrap();
        let range = TextRange::new(4.into(), 5.into());
        let edited = source.edited(&[Edit::replace(range, "xyz")]).unwrap();
        assert_eq!(edited, b"\xffaxyz\xfe");
        let error = source.edited(&[Edit::replace(range, "\u{fffd}")]).unwrap_err();
        assert!(error.to_string().contains("not UTF-8"), "{error}");
    }
}
