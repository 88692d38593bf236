//! [`Language`]: which grammar a text is read with.

mod first_words;

use std::path::Path;

use parser::SyntaxKind;

/// A language of this workspace.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Language {
    /// TVM's Python dialect.
    TvmScript,
    /// MLIR, with any dialects.
    Mlir,
    /// Printed programs of Paddle.
    Pir,
}

impl Language {
    /// All of them.
    pub const ALL: [Language; 3] = [Language::TvmScript, Language::Mlir, Language::Pir];

    /// The language of a file, by the end of its name; `None` where that does not say it.
    pub fn of_path(path: &Path) -> Option<Language> {
        match path.extension()?.to_str()? {
            "py" | "pyi" => Some(Language::TvmScript),
            "mlir" | "ttir" | "ttgir" => Some(Language::Mlir),
            "pir" => Some(Language::Pir),
            _ => None,
        }
    }

    /// The language of a file of any name, by its first words; `None` where they look like neither MLIR nor PIR.
    pub fn of_text(text: &str) -> Option<Language> {
        first_words::of_text(text)
    }

    /// The language of a file: by the end of its name, else by its text, else TVMScript.
    pub fn of_file(path: &Path, text: &str) -> Language {
        Language::of_path(path).or_else(|| Language::of_text(text)).unwrap_or(Language::TvmScript)
    }

    /// The language that an editor names, if it is one of these.
    pub fn of_id(id: &str) -> Option<Language> {
        match id {
            "python" => Some(Language::TvmScript),
            "mlir" | "ttir" | "ttgir" => Some(Language::Mlir),
            "pir" => Some(Language::Pir),
            _ => None,
        }
    }

    /// The language of the trees in which such a node stands. Nodes that are shared count as TVMScript's.
    pub(crate) fn of_kind(kind: SyntaxKind) -> Language {
        if kind >= SyntaxKind::PIR_FILE {
            Language::Pir
        } else if kind >= SyntaxKind::MLIR_FILE {
            Language::Mlir
        } else {
            Language::TvmScript
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_of_a_file_decides_before_its_text() {
        let of = |name: &str, text| Language::of_file(Path::new(name), text);
        assert_eq!(of("a.ttgir", ""), Language::Mlir);
        assert_eq!(of("a.pir", "module {}"), Language::Pir);
        assert_eq!(of("a.py", "{}"), Language::TvmScript);
        assert_eq!(
            of("a.txt", "{\n    (%0) = \"pd_op.data\" () {} : () -> tensor<f32>\n}"),
            Language::Pir
        );
        assert_eq!(
            of("dump", "// IR dump\n#map = affine_map<() -> ()>\nmodule {}"),
            Language::Mlir
        );
        assert_eq!(of("a.txt", "x = 1"), Language::TvmScript);
    }
}
