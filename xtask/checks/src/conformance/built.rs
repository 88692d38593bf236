//! Bodies built into a folder, for suites that run the built kernels.
//!
//! In: bodies with the files and names that they are to have in the manifest. Out: the manifest. A body's text is its
//! printed text, so a suite that is run again generates only new ones.

use std::collections::BTreeMap;
use std::io;
use std::path::Path;

use codegen::build::{Build, BuiltFile, OutputFolder, Place, Settings, SourceFunction, hash_of};
use codegen::manifest::Manifest;
use codegen::{Options, Target};
use ir::Body;

/// Builds bodies (file, name, body) for one target into the folder `out`, with the store `store`.
pub(crate) fn build_bodies<'a>(
    out: &Path,
    store: &Path,
    target: Target,
    bodies: impl IntoIterator<Item = (&'a str, &'a str, &'a Body)>,
) -> io::Result<Manifest> {
    build_bodies_with(out, store, target, Options::default(), bodies)
}

/// The same with options of code generation.
pub(crate) fn build_bodies_with<'a>(
    out: &Path,
    store: &Path,
    target: Target,
    options: Options,
    bodies: impl IntoIterator<Item = (&'a str, &'a str, &'a Body)>,
) -> io::Result<Manifest> {
    let settings =
        Settings { targets: vec![target], store: store.to_owned(), options, ..Settings::new(out) };
    let mut files: BTreeMap<&str, Vec<SourceFunction<'_>>> = BTreeMap::new();
    for (file, name, body) in bodies {
        files.entry(file).or_default().push(SourceFunction {
            name: name.to_owned(),
            text: hash_of(&[ir::print::tvmscript(body, 0).as_bytes()]),
            first_line: 0,
            name_at: Place::default(),
            body: Box::new(|| Ok(body.clone().into())),
        });
    }
    let folder = OutputFolder::open(&settings, &|| {})?;
    let build = Build::new(&settings, folder)?;
    // The manifest is to have these bodies only.
    let before = build.files_before();
    let gone = before.into_iter().filter(|it| !files.contains_key(it)).map(str::to_owned).collect();
    let built: io::Result<Vec<BuiltFile>> = files
        .iter()
        .map(|(file, functions)| {
            let texts: Vec<&[u8]> = functions.iter().map(|it| &it.text[..]).collect();
            build.parsed(file, hash_of(&texts), functions)
        })
        .collect();
    build.finish(built?, &gone)?;
    Manifest::read(&out.join(target.name()))
}
