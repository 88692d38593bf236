//! Makes the compact table of the dialects of the product: the files of `dialects/` and `overlays/` in, Rust out.

#[path = "src/derive.rs"]
#[allow(unreachable_pub, reason = "public in the library")]
mod derive;
#[path = "src/file.rs"]
#[allow(dead_code, unreachable_pub, reason = "public in the library; the build only reads files")]
mod file;
#[path = "src/names.rs"]
#[allow(dead_code, unreachable_pub, reason = "public in the library; the build only writes names")]
mod names;
#[path = "src/row.rs"]
#[allow(dead_code, unreachable_pub, reason = "public in the library; the build only reads files")]
mod row;

use std::{collections::BTreeMap, env, error::Error, fmt::Write as _, fs, path::Path};

use crate::row::{Dialect, Mark, Row};

fn main() -> Result<(), Box<dyn Error>> {
    let root = env::var("CARGO_MANIFEST_DIR")?;
    let root = Path::new(&root);
    let out = Path::new(&env::var("OUT_DIR")?).join("shipped.rs");
    let mut text = overlays(&read_folder(&root.join("overlays"))?);
    text.push_str(&definitions(root)?);
    let digest = digest(&text);
    writeln!(text, "pub(super) static DIGEST: u128 = {digest:#x};")?;
    fs::write(out, text)?;
    Ok(())
}

/// FNV-1a of a text, 128 bits.
fn digest(text: &str) -> u128 {
    text.bytes().fold(0x6c62_272e_07bb_0142_62b8_2175_6295_c58d, |hash, byte| {
        (hash ^ u128::from(byte)).wrapping_mul(0x0000_0000_0100_0000_0000_0000_0000_013b)
    })
}

/// The dialects of a folder, by the names of their files.
fn read_folder(folder: &Path) -> Result<Vec<(String, Dialect)>, Box<dyn Error>> {
    println!("cargo::rerun-if-changed={}", folder.display());
    let mut paths =
        fs::read_dir(folder)?.map(|it| it.map(|it| it.path())).collect::<Result<Vec<_>, _>>()?;
    paths.retain(|it| it.extension().is_some_and(|it| it == "toml"));
    paths.sort();
    let mut dialects = Vec::new();
    for path in paths {
        let text = fs::read_to_string(&path)?;
        let dialect = file::read(&text).map_err(|it| format!("{}:{it}", path.display()))?;
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        dialects.push((name, dialect));
    }
    Ok(dialects)
}

fn overlays(files: &[(String, Dialect)]) -> String {
    let mut text = String::from("pub(super) static SHAPES: &[(&str, &str)] = &[\n");
    for (name, notation) in files.iter().flat_map(|it| &it.1.shapes) {
        text.push_str(&format!("({name:?}, {notation:?}),\n"));
    }
    text.push_str("];\npub(super) static OVERLAYS: &[Overlay] = &[\n");
    for (file, dialect) in files {
        for row in &dialect.rows {
            let ops: Vec<String> = row.ops.iter().map(|it| dialect.full_name(it)).collect();
            let fields: &[_] = if row.states_effects() { &row.fields } else { &[] };
            let marks: Vec<String> = row.marks.iter().map(mark).collect();
            text.push_str(&format!(
                "Overlay {{ file: {file:?}, ops: &{ops:?}, shape: {:?}, marks: &[{}], fields: &{fields:?} }},\n",
                row.shape,
                marks.join(", "),
            ));
        }
    }
    text.push_str("];\n");
    text
}

fn mark(mark: &Mark) -> String {
    format!("crate::row::Mark::{mark:?}")
}

/// Values with numbers, in the order in which they are met.
#[derive(Default)]
struct Numbers {
    numbers: BTreeMap<String, usize>,
    values: Vec<String>,
}

impl Numbers {
    fn of(&mut self, value: String) -> usize {
        let next = self.values.len();
        *self.numbers.entry(value.clone()).or_insert_with(|| {
            self.values.push(value);
            next
        })
    }

    fn list(&self) -> String {
        self.values.iter().map(|it| format!("{it},\n")).collect()
    }
}

/// The tables that the entries of operations refer to.
#[derive(Default)]
struct Tables {
    formats: Numbers,
    parts: Numbers,
    stated: Numbers,
    traits: Numbers,
}

fn definitions(root: &Path) -> Result<String, Box<dyn Error>> {
    let files = read_folder(&root.join("dialects"))?;
    let defaults: BTreeMap<String, Vec<(String, String)>> = read_folder(&root.join("overlays"))?
        .into_iter()
        .map(|(_, it)| (it.name, it.defaults))
        .filter(|it| !it.1.is_empty())
        .collect();
    let mut tables = Tables::default();
    let mut operations = BTreeMap::new();
    let mut dialects = String::new();
    for (number, (_, dialect)) in files.iter().enumerate() {
        let none = Vec::new();
        let defaults = defaults.get(&dialect.name).unwrap_or(&none);
        let mut n = 0;
        for row in &dialect.rows {
            let numbers = tables.numbers(row, defaults);
            for op in &row.ops {
                n += 1;
                if operations.insert(dialect.full_name(op), (number, numbers)).is_some() {
                    let name = dialect.full_name(op);
                    return Err(format!("line {}: `{name}` is defined twice", row.line).into());
                }
            }
        }
        writeln!(
            dialects,
            "Definition {{ dialect: {:?}, source: {:?}, n_operations: {n} }},",
            dialect.name, dialect.source
        )?;
    }
    let mut text = format!("pub(super) static DEFINITIONS: &[Definition] = &[\n{dialects}];\n");
    write!(text, "pub(super) static FORMATS: &[Format] = &[\n{}];\n", tables.formats.list())?;
    write!(text, "pub(super) static PARTS: &[&str] = &[\n{}];\n", tables.parts.list())?;
    write!(text, "pub(super) static STATED: &[Stated] = &[\n{}];\n", tables.stated.list())?;
    write!(text, "pub(super) static TRAITS: &[&str] = &[\n{}];\n", tables.traits.list())?;
    text.push_str(&entries(&operations)?);
    Ok(text)
}

impl Tables {
    /// The numbers of form, parts, effects and traits of a row. A form has its parts with it.
    fn numbers(&mut self, row: &Row, defaults: &[(String, String)]) -> [usize; 4] {
        let parts = row.parts.to_text();
        let (format, parts) = match &row.format {
            Some(it) => {
                (self.formats.of(format!("Format {{ text: {it:?}, parts: {parts:?} }}")) + 1, 0)
            }
            None if parts.is_empty() => (0, 0),
            None => (0, self.parts.of(format!("{parts:?}")) + 1),
        };
        let fields = derive::effect_fields(row, defaults).unwrap_or_default();
        let stated = row.effects.join(", ");
        let stated = self.stated.of(format!("Stated {{ text: {stated:?}, fields: &{fields:?} }}"));
        [format, parts, stated, self.traits.of(format!("{:?}", row.traits.join(", ")))]
    }
}

/// The names, and the entries of their numbers.
fn entries(operations: &BTreeMap<String, (usize, [usize; 4])>) -> Result<String, Box<dyn Error>> {
    let names = names::write(operations.keys().map(String::as_str))?;
    let mut entries = String::new();
    for (dialect, [format, parts, stated, traits]) in operations.values() {
        writeln!(
            entries,
            "Entry {{ dialect: {dialect}, format: {format}, parts: {parts}, stated: {stated}, traits: {traits} }},",
        )?;
    }
    Ok(format!(
        "pub(super) static NAMES: Names = Names {names};\n\
         pub(super) static ENTRIES: &[Entry] = &[\n{entries}];\n"
    ))
}
