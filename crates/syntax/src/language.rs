//! [`Language`]: which grammar a text is read with; [`LanguageSupport`]: what follows from that.

mod first_words;
mod table;

use std::path::Path;

use parser::SyntaxKind;

pub use self::table::{Form, Format, LanguageSupport};

/// A language of this workspace. All that depends on it is in its row of the table ([`Language::support`]).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum Language {
    /// TVM's Python dialect; the language of a file of which nothing says another.
    #[default]
    TvmScript,
    /// MLIR, with any dialects.
    Mlir,
    /// Printed programs of Paddle.
    Pir,
}

impl Language {
    /// All of them.
    pub const ALL: [Language; 3] = [Language::TvmScript, Language::Mlir, Language::Pir];

    /// The languages whose row has a property, in their order.
    pub fn with(is_so: impl Fn(&LanguageSupport) -> bool) -> Vec<Language> {
        Language::ALL.into_iter().filter(|it| is_so(it.support())).collect()
    }

    /// The language of a file, by the end of its name; `None` where that does not say it.
    pub fn of_path(path: &Path) -> Option<Language> {
        let extension = path.extension()?.to_str()?;
        Language::ALL.into_iter().find(|it| it.support().extensions.contains(&extension))
    }

    /// The language of a file of any name, by its first words; `None` where they look like none that has such words.
    pub fn of_text(text: &str) -> Option<Language> {
        Language::ALL.into_iter().find(|it| (it.support().begins)(text))
    }

    /// The language of a file: by the end of its name, else by its text, else the default.
    pub fn of_file(path: &Path, text: &str) -> Language {
        Language::of_path(path).or_else(|| Language::of_text(text)).unwrap_or_default()
    }

    /// The language that an editor names, if it is one of these.
    pub fn of_id(id: &str) -> Option<Language> {
        Language::ALL.into_iter().find(|it| it.support().editor_ids.contains(&id))
    }

    /// The language of the trees in which such a node stands. Nodes that are shared count as the default's.
    pub(crate) fn of_kind(kind: SyntaxKind) -> Language {
        let languages = Language::ALL.into_iter().filter(|it| it.support().first_kind <= kind);
        languages.max_by_key(|it| it.support().first_kind).unwrap_or_default()
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

    #[test]
    fn names_and_words_are_of_one_language() {
        for language in Language::ALL {
            let row = language.support();
            for extension in row.extensions {
                assert_eq!(Language::of_path(Path::new(&format!("a.{extension}"))), Some(language));
            }
            for id in row.editor_ids {
                assert_eq!(Language::of_id(id), Some(language));
            }
            assert_eq!(crate::parse_as(language, "").language(), language);
        }
    }
}
