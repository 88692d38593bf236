//! All that the index of the workspace keeps of a file: its outline, and the places of its functions and expressions.
//!
//! One slice of bytes, as a workspace has tens of thousands of files and hundreds of thousands of places, of which
//! hardly any is ever asked for: first the fingerprints of the file, each once and sorted, so that one is looked for
//! without reading the rest; then the symbols and calls; then the places, in order, as differences to the ones before.

use std::sync::Arc;

use ir::fingerprint::Fingerprint;
use syntax::{TextRange, TextSize};

use crate::{
    FileId,
    outline::Outline,
    packed::{Reader, Writer},
};

/// A place of something that is elsewhere too.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Elsewhere {
    /// The file.
    pub file: FileId,
    /// The place in it.
    pub range: TextRange,
    /// The function there.
    pub function: String,
    /// True if the whole function is equal, not one expression in it.
    pub is_function: bool,
    /// The line, from 0, in a file that the host does not have.
    pub line: Option<u32>,
}

/// All that is kept of a file.
#[derive(Clone)]
pub(crate) struct Kept {
    bytes: Arc<[u8]>,
    /// The [bits](bit) of all fingerprints: most files are passed over without looking at their bytes.
    bits: u64,
}

/// A fingerprint in bytes.
type Print = [u8; 16];

/// One of 64 bits, by a fingerprint.
fn bit(print: Print) -> u64 {
    1 << (print[15] % 64)
}

impl Kept {
    /// O(places · log places).
    pub(crate) fn new(outline: &Outline, places: &[(Fingerprint, Elsewhere)]) -> Kept {
        let mut prints: Vec<Print> = places.iter().map(|it| it.0.0).collect();
        prints.sort_unstable();
        prints.dedup();
        let mut writer = Writer::default();
        outline.write(&mut writer);
        let (mut start, mut last_line) = (0, 0);
        writer.number(places.len() as u64);
        for (fingerprint, place) in places {
            let Elsewhere { file: _, range, function, is_function, line } = place;
            let print = prints.binary_search(&fingerprint.0).unwrap_or_default();
            writer.number(
                (print as u64) << 2 | u64::from(line.is_some()) << 1 | u64::from(*is_function),
            );
            writer.near(range.start().into(), start);
            writer.number(u32::from(range.len()).into());
            if let Some(line) = *line {
                writer.near(line, last_line);
                last_line = line;
            }
            writer.text(function);
            start = range.start().into();
        }
        let rest = writer.bytes();
        let count = (prints.len() as u32).to_le_bytes();
        let bits = prints.iter().fold(0, |bits, it| bits | bit(*it));
        Kept { bytes: [&count, prints.as_flattened(), &rest].concat().into(), bits }
    }

    /// The fingerprints, and what is behind.
    fn parts(&self) -> (&[Print], &[u8]) {
        let Some((count, rest)) = self.bytes.split_first_chunk() else { return (&[], &[]) };
        let (prints, _) = rest.as_chunks();
        let prints = &prints[..prints.len().min(u32::from_le_bytes(*count) as usize)];
        (prints, &rest[prints.as_flattened().len()..])
    }

    /// Returns true if a fingerprint has places. O(log fingerprints).
    pub(crate) fn has(&self, fingerprint: Fingerprint) -> bool {
        self.bits & bit(fingerprint.0) != 0 && self.parts().0.binary_search(&fingerprint.0).is_ok()
    }

    /// The symbols and calls.
    pub(crate) fn outline(&self) -> Outline<&str> {
        Outline::read(&mut Reader::new(self.parts().1))
    }

    /// The places of a fingerprint in the file, which is this one. O(size).
    pub(crate) fn places(&self, fingerprint: Fingerprint, file: FileId) -> Vec<Elsewhere> {
        let (prints, rest) = self.parts();
        let Ok(print) = prints.binary_search(&fingerprint.0) else { return Vec::new() };
        let mut reader = Reader::new(rest);
        Outline::read(&mut reader);
        let (mut start, mut last_line) = (0, 0);
        let mut places = Vec::new();
        for _ in 0..reader.number() {
            let head = reader.number();
            start = reader.near(start);
            let range = TextRange::at(start.into(), TextSize::new(reader.number() as u32));
            let line = (head & 2 != 0).then(|| reader.near(last_line));
            last_line = line.unwrap_or(last_line);
            let function = reader.text();
            if head >> 2 == print as u64 {
                let is_function = head & 1 != 0;
                let function = function.to_owned();
                places.push(Elsewhere { file, range, function, is_function, line });
            }
        }
        places
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use syntax::Language;

    use super::*;
    use crate::{ClosedFile, outline::ClosedSymbol};

    const FILE: FileId = FileId(9);

    fn owned(it: &ClosedSymbol<&str>) -> ClosedSymbol {
        let ClosedSymbol { name, container, kind, spot } = it.clone();
        ClosedSymbol { name: name.into(), container: container.into(), kind, spot }
    }

    /// Checks that all that was read of a file is kept; the number of places.
    fn check(language: Language, text: &str) -> usize {
        let ClosedFile { places, outline, .. } =
            ClosedFile::read(FILE, language, text, &mut || true).unwrap();
        let kept = Kept::new(&outline, &places);
        let found = kept.outline();
        assert_eq!(found.symbols.iter().map(owned).collect::<Vec<_>>(), outline.symbols);
        let expected = outline.calls.iter().map(|it| (&*it.path, it.caller.clone(), it.spot));
        let calls = found.calls.iter().map(|it| (it.path, it.caller.as_ref().map(owned), it.spot));
        assert_eq!(calls.collect::<Vec<_>>(), expected.collect::<Vec<_>>());
        let mut by_print: BTreeMap<Fingerprint, Vec<Elsewhere>> = BTreeMap::new();
        for (fingerprint, place) in &places {
            by_print.entry(*fingerprint).or_default().push(place.clone());
        }
        for (fingerprint, places) in by_print {
            assert!(kept.has(fingerprint));
            assert_eq!(kept.places(fingerprint, FILE), places);
        }
        assert!(!kept.has(Fingerprint([7; 16])));
        assert_eq!(kept.places(Fingerprint([7; 16]), FILE), []);
        places.len()
    }

    #[test]
    fn all_that_was_read_of_a_file_is_kept() {
        let samples = test_utils::sample_files();
        let n_places: usize = samples.iter().map(|it| check(Language::TvmScript, &it.text)).sum();
        assert!(n_places > 1000, "{n_places}");
    }

    #[test]
    fn columns_are_kept_in_each_encoding() {
        let text = "from ops.gemm import matmul\nfrom tvm.script import tirx as T\n\n\
                    @T.prim_func\ndef f(A: T.Buffer((4,), \"int32\")):\n    A[0] = 1\n\n\
                    def g():\n    s = \"𝔸ß\"; matmul(s)\n\nmatmul(\"top\")\n";
        assert!(check(Language::TvmScript, text) > 0);
        let mlir = "module {\n  func.func @\"𝔸ß\"(%a: i32) -> i32 {\n    return %a : i32\n  }\n}\n";
        assert!(check(Language::Mlir, mlir) > 0);
    }

    #[test]
    fn a_function_takes_few_bytes() {
        let function = |number: usize| {
            format!(
                "@T.prim_func\ndef kernel_{number}(A: T.Buffer((64,), \"float32\")):\n    \
                 for i in range(16):\n        A[i * 4 + 1] = A[i * 4 + 1] * T.float32({number})\n\n"
            )
        };
        let functions: String = (2..102).map(function).collect();
        let text = format!("from tvm.script import tirx as T\n\n{functions}");
        let read = ClosedFile::read(FILE, Language::TvmScript, &text, &mut || true).unwrap();
        let kept = Kept::new(&read.outline, &read.places);
        assert_eq!(read.places.len(), 400);
        assert!(kept.bytes.len() < 100 * 90, "{}", kept.bytes.len());
    }
}
