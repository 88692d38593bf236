//! From a file to its units: `file_index`, the only query that reads a whole file.
//!
//! Each unit that an edit leaves alone costs it one small record: its tree is compared by address, its text is not
//! read.
//!
//! A unit is *the same* over edits of its body and of everything around it. Its identity is the path of the scopes
//! around it, its name, and, among units that share these (dumps are full of `main`), a [slot](slots) that passes from
//! version to version: to the unit with the same tree first, then in order.

use std::{
    hash::{Hash as _, Hasher as _},
    sync::Arc,
};

use frontend::tvmscript::{
    Asked, Context, Factory, FileFunctions, ForeignCall, FunctionItem, Instance,
    discover::{self, ScopeId},
};
use rustc_hash::{FxHashMap, FxHasher};
use syntax::{Form, Green, UnitKind, UnitSource, Units};

use crate::{
    Db,
    file::{form, parse},
    input::SourceFile,
    slots,
    unit::{Identity, Scope, ScopeKey, Source},
};

/// The units of a file, with their places, in text order.
#[derive(Debug)]
pub struct FileIndex {
    /// Where they are.
    pub places: Places,
    pub(crate) names: Arc<Names>,
}

/// The view of the frontend, or of the tree.
#[derive(Debug)]
pub enum Places {
    /// Functions of statements.
    Expressions(FileFunctions),
    /// Functions and programs of operations, and the frames around them.
    Operations(Units),
}

/// The names of a file, unchanged while only bodies are edited.
#[derive(Default, Debug)]
pub(crate) struct Names {
    /// Who the functions and programs are, and where what they name is looked up.
    pub(crate) functions: Vec<(Arc<Identity>, Scope)>,
    /// The identities of the frames.
    pub(crate) frames: Vec<(Arc<Identity>, Scope)>,
    /// The scopes that functions stand in, by path; several where classes or functions of one name follow another.
    scopes: FxHashMap<Box<str>, Vec<ScopeId>>,
    /// The numbers of frames, by their slots.
    frame_of_slot: FxHashMap<u32, u32>,
}

/// The factories of a file, and the calls that make instances.
#[derive(Default, PartialEq, Eq, Debug)]
pub(crate) struct Factories {
    pub(crate) factories: Vec<Factory>,
    /// The instances that calls in the file make, and those of a tuner's configurations that no call completes.
    pub(crate) called: Vec<Arc<Instance>>,
    /// The instances that tests in the file make with their cases.
    pub(crate) tested: Vec<Arc<Instance>>,
    /// The calls of functions of other files.
    pub(crate) foreign: Vec<ForeignCall>,
}

impl Factories {
    pub(crate) fn of(functions: &FileFunctions, context: Context<'_>) -> Factories {
        let factories = functions.factories(context);
        let Asked { mut called, tested } = functions.asked_instances(&factories, context);
        called.extend(functions.tuned_instances(&factories, &called));
        let [called, tested] = [called, tested].map(|it| it.into_iter().map(Arc::new).collect());
        Factories { factories, called, tested, foreign: functions.foreign_calls(context) }
    }
}

impl FileIndex {
    fn new(db: &dyn Db, file: SourceFile, last: Option<&FileIndex>) -> FileIndex {
        let parse = parse(db, file);
        match form(db, file) {
            Form::Expressions => {
                let last = last.and_then(|it| Some((it.functions()?, &it.names)));
                let functions = match last {
                    Some((last, _)) => discover::functions_after(&parse, last),
                    None => discover::functions(&parse),
                };
                let kept = last.filter(|it| it.0.differs_in_a_body_only(&functions));
                let names = match kept {
                    Some((_, names)) => names.clone(),
                    None => Arc::new(Names::of_functions(&functions, last)),
                };
                FileIndex { places: Places::Expressions(functions), names }
            }
            Form::Operations => {
                let last = last.and_then(|it| Some((it.operations()?, &it.names)));
                let units = match last {
                    Some((last, _)) => syntax::units_after(&parse, last),
                    None => syntax::units(&parse),
                };
                let kept = last.filter(|it| it.0.differs_in_a_body_only(&units));
                let names = match kept {
                    Some((_, names)) => names.clone(),
                    None => Arc::new(Names::of_operations(&units, last)),
                };
                FileIndex { places: Places::Operations(units), names }
            }
        }
    }

    /// The functions of statements, and what is around them; none of a file of operations.
    pub fn functions(&self) -> Option<&FileFunctions> {
        match &self.places {
            Places::Expressions(it) => Some(it),
            Places::Operations(_) => None,
        }
    }

    /// The units of operations; none of a file of statements.
    pub fn operations(&self) -> Option<&Units> {
        match &self.places {
            Places::Expressions(_) => None,
            Places::Operations(it) => Some(it),
        }
    }

    /// The scope of a key, if the file still has it.
    pub(crate) fn scope(&self, key: &ScopeKey) -> Option<ScopeId> {
        self.names.scopes.get(&key.path)?.get(key.ordinal as usize).copied()
    }

    /// The number of the frame of a document.
    pub(crate) fn frame(&self, document: u32) -> Option<usize> {
        self.names.frame_of_slot.get(&document).map(|it| *it as usize)
    }

    /// The texts of functions and programs, and those of frames.
    pub(crate) fn sources(&self) -> (Vec<Source>, Vec<Source>) {
        match &self.places {
            Places::Expressions(it) => {
                let sources = it.functions.iter().map(|it| Source::Function(it.source.clone()));
                (sources.collect(), Vec::new())
            }
            Places::Operations(it) => {
                let functions = it.functions.iter().map(|it| &it.source);
                let frames = it.frames.iter().map(|it| &it.source);
                let source = |it: &Arc<UnitSource>| Source::Operations(it.clone());
                (functions.map(source).collect(), frames.map(source).collect())
            }
        }
    }
}

/// The units of a file with their places.
#[salsa::tracked(returns(ref), no_eq)]
pub fn file_index(db: &dyn Db, file: SourceFile) -> Arc<FileIndex> {
    let last = db.history().index(file);
    let index = Arc::new(FileIndex::new(db, file, last.as_deref()));
    db.history().set_index(file, &index);
    index
}

impl Names {
    fn of_functions(
        functions: &FileFunctions,
        last: Option<(&FileFunctions, &Arc<Names>)>,
    ) -> Names {
        fn name(item: &FunctionItem) -> slots::Name<'_> {
            (&item.source.key.path, &item.source.key.name)
        }
        let old = last.into_iter().flat_map(|(last, names)| {
            let items = last.functions.iter().zip(&names.functions);
            items.map(|(item, (identity, _))| (name(item), &item.source.green, identity.slot))
        });
        let new = functions.functions.iter().map(|item| (name(item), &item.source.green));
        let slots = slots::assign(new, old, Green::text_hash);
        let mut names = Names::default();
        for (item, slot) in functions.functions.iter().zip(slots) {
            let key = &item.source.key;
            let of_path = match names.scopes.get_mut(&key.path) {
                Some(it) => it,
                None => names.scopes.entry(key.path.clone()).or_default(),
            };
            let ordinal = of_path.iter().position(|it| *it == item.scope).unwrap_or_else(|| {
                of_path.push(item.scope);
                of_path.len() - 1
            });
            let (path, name) = (key.path.clone(), key.name.clone());
            let (form, is_frame) = (Form::Expressions, false);
            let identity = Identity { form, is_frame, path, name, slot, instance: None };
            let scope = ScopeKey { path: key.path.clone(), ordinal: ordinal as u32 };
            names.functions.push((Arc::new(identity), Scope::Python(Arc::new(scope))));
        }
        names
    }

    fn of_operations(units: &Units, last: Option<(&Units, &Arc<Names>)>) -> Names {
        let functions = identities(
            units.functions.iter().map(|it| &it.source),
            last.map(|it| (it.0.functions.iter().map(|it| &it.source), &it.1.functions)),
        );
        let frames = identities(
            units.frames.iter().map(|it| &it.source),
            last.map(|it| (it.0.frames.iter().map(|it| &it.source), &it.1.frames)),
        );
        let frame_of_slot = frames.iter().enumerate().map(|(i, it)| (it.slot, i as u32)).collect();
        let document = |number: u32| Scope::Document(frames[number as usize].slot);
        let of_functions = units.functions.iter().map(|it| document(it.frame));
        Names {
            functions: functions.into_iter().zip(of_functions).collect(),
            frame_of_slot,
            frames: frames.iter().map(|it| (it.clone(), Scope::Document(it.slot))).collect(),
            ..Names::default()
        }
    }
}

fn identities<'a>(
    new: impl Iterator<Item = &'a Arc<UnitSource>> + Clone,
    old: Option<(
        impl Iterator<Item = &'a Arc<UnitSource>> + Clone,
        &'a Vec<(Arc<Identity>, Scope)>,
    )>,
) -> Vec<Arc<Identity>> {
    fn name(source: &UnitSource) -> slots::Name<'_> {
        (&source.path, &source.name)
    }
    let old = old.into_iter().flat_map(|(sources, identities)| sources.zip(identities));
    let slots = slots::assign(
        new.clone().map(|it| (name(it), &**it)),
        old.map(|(it, (identity, _))| (name(it), &**it, identity.slot)),
        content_hash,
    );
    let identity = |(source, slot): (&Arc<UnitSource>, u32)| {
        let (path, name) = (source.path.clone(), source.name.clone());
        let (form, is_frame) = (Form::Operations, source.kind == UnitKind::Frame);
        Arc::new(Identity { form, is_frame, path, name, slot, instance: None })
    };
    new.zip(slots).map(identity).collect()
}

/// Returns the hash that distinguishes units of one name. The lines between documents may move from one frame to
/// another.
fn content_hash(source: &UnitSource) -> u128 {
    if source.kind != UnitKind::Frame {
        return source.green.text_hash();
    }
    let mut hasher = FxHasher::default();
    source.green.text().trim().hash(&mut hasher);
    hasher.finish().into()
}
