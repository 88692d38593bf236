//! A part of a build that another machine does: what travels there, and what is done with that which comes back.
//!
//! In: settings; the texts of some files; then the entries that somebody made of them. Out: which files are worth
//! sending; which of the entries are in the store now. What comes is held to what cached entries are held to: its
//! checksum binds it to its kind and key. Only entries that these files need are taken, none takes the place of one
//! that is there, and those of a file are taken all or none. Linear in the files and their functions.

use std::{collections::BTreeMap, io, sync::Arc};

use ir::effects::{EffectRows, EffectTable};
use serde::{Deserialize, Serialize};
use transform::passes::Pass;

use super::{
    Build, Settings,
    output::Output,
    record::{FunctionRecord, Meaning, TextRecord},
};
use crate::{
    Options, Target, TargetOptions,
    artifact::{
        action::Action,
        key::{GENERATOR, Key},
        store::{Kind, Read, pack::Pack},
    },
};

/// All that another machine has to know besides the texts.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Order {
    /// A hash of the versions of the generator and of the reader with its settings.
    version: String,
    targets: Vec<String>,
    options: Options,
    devices: BTreeMap<String, TargetOptions>,
    /// The rows of users about calls.
    effects: Vec<EffectRows>,
    /// The instances that are asked for, as calls.
    pub instances: Vec<String>,
    /// The code without `cse` is wanted, too.
    compares: bool,
}

impl Order {
    /// The order of a build with these settings.
    pub fn new(settings: &Settings, instances: Vec<String>) -> Order {
        let device = |it: &Target| Some((it.name().to_owned(), settings.devices.get(it)?.clone()));
        Order {
            version: version(&settings.reader),
            targets: settings.targets.iter().map(|it| it.name().to_owned()).collect(),
            options: settings.options.clone(),
            devices: settings.targets.iter().filter_map(device).collect(),
            effects: settings.options.effects.added_rows().to_vec(),
            instances,
            compares: settings.compile.as_ref().is_some_and(|it| it.compare),
        }
    }

    /// As bytes.
    pub fn write(&self) -> Vec<u8> {
        serde_json::to_vec(self).expect("plain data has a JSON form")
    }

    /// Reads bytes.
    ///
    /// # Errors
    /// If they are no order of this version.
    pub fn read(bytes: &[u8]) -> Result<Order, String> {
        serde_json::from_slice(bytes).map_err(|it| format!("this is no order of a build: {it}"))
    }

    /// Returns true if this program gives the entries that are wanted. `reader` is [`Settings::reader`] here.
    pub fn is_for(&self, reader: &str) -> bool {
        self.version == version(reader)
    }

    /// The settings of the builds that make all that is wanted, one after the other.
    ///
    /// # Errors
    /// If there is something unknown in them.
    pub fn settings(&self, base: &Settings) -> Result<Vec<Settings>, String> {
        let target = |it: &String| Target::parse(it).ok_or_else(|| format!("no target `{it}`"));
        let targets = self.targets.iter().map(target).collect::<Result<Vec<_>, _>>()?;
        let device = |(name, options): (&String, &TargetOptions)| {
            Ok::<_, String>((target(name)?, options.clone()))
        };
        let devices = self.devices.iter().map(device).collect::<Result<_, _>>()?;
        let over = |table: EffectTable, rows| table.overlay(rows).map_err(|it| it.to_string());
        let effects = match &self.effects[..] {
            [] => EffectTable::shared(),
            rows => Arc::new(rows.iter().try_fold(EffectTable::builtin().clone(), over)?),
        };
        let options = Options { effects, ..self.options.clone() };
        let first = Settings { targets, devices, options, ..base.clone() };
        let mut all = vec![first];
        if self.compares {
            let mut plain = all[0].clone();
            plain.targets.retain(|it| it.is_compiled());
            plain.options.passes.retain(|it| it != Pass::Cse.name());
            all.push(plain);
        }
        Ok(all)
    }
}

fn version(reader: &str) -> String {
    Key::of(&[GENERATOR.as_bytes(), reader.as_bytes()]).to_string()
}

impl Build<'_> {
    /// Returns true if something of a file would have to be made: it does not stand as the last build left it, and the
    /// store lacks what its text remembers, or code.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn is_lacking(&self, name: &str, text: [u8; 32]) -> io::Result<bool> {
        if self.outputs.iter().all(|it| it.kept(name, text).is_some()) {
            return Ok(false);
        }
        let store = &self.kernels.layers.store;
        let action = Action::of_text(&text, &self.settings.reader);
        let Some(record) = read(store.read(Kind::Text, action.key())?) else { return Ok(true) };
        Ok(self.code(&record).any(|it| !store.has(Kind::Kernel, it.key())))
    }

    /// Takes entries that `worker` made of files with these texts; for each file, whether all that it needs is there
    /// now.
    ///
    /// # Errors
    /// If the store cannot be read or written.
    pub fn lend(
        &self,
        texts: &[[u8; 32]],
        pack: &Pack,
        worker: &Arc<str>,
    ) -> io::Result<Vec<bool>> {
        texts.iter().map(|it| self.lend_text(it, pack, worker)).collect()
    }

    fn lend_text(&self, text: &[u8; 32], pack: &Pack, worker: &Arc<str>) -> io::Result<bool> {
        let layers = &self.kernels.layers;
        let action = Action::of_text(text, &self.settings.reader);
        let known = read(layers.store.read(Kind::Text, action.key())?);
        let sent = pack.get(Kind::Text, action.key());
        let is_new = known.is_none();
        let decoded = || postcard::from_bytes::<TextRecord>(sent?.1).ok();
        let Some(record) = known.or_else(decoded) else { return Ok(false) };
        if record.functions.iter().any(FunctionRecord::is_mistaken) {
            return Ok(false);
        }
        let mut code = Vec::new();
        for action in self.code(&record) {
            if layers.store.has(Kind::Kernel, action.key()) {
                continue;
            }
            let Some((packed, _)) = pack.get(Kind::Kernel, action.key()) else { return Ok(false) };
            code.push((action, packed));
        }
        for (action, packed) in code {
            layers.lend(Kind::Kernel, action.key(), packed, worker)?;
        }
        // Last: what it names is there.
        if let Some((packed, _)) = sent.filter(|_| is_new) {
            layers.lend(Kind::Text, action.key(), packed, worker)?;
        }
        Ok(true)
    }

    /// The actions of the code of all functions that have a body, for all outputs.
    fn code<'r>(&'r self, record: &'r TextRecord) -> impl Iterator<Item = Action> + 'r {
        let of_output = move |output: &'r Output| {
            let plain = output.plain_options();
            let has_body = |it: &&FunctionRecord| matches!(it.meaning, Meaning::Body { .. });
            record.functions.iter().filter(has_body).flat_map(move |function| {
                let usual = function.action(output.target, &output.options);
                let plain = plain.as_ref().map(|it| function.action(output.target, it));
                [Some(usual), plain].into_iter().flatten()
            })
        };
        self.outputs.iter().flat_map(of_output)
    }
}

/// A record that was read.
fn read(read: Read) -> Option<TextRecord> {
    match read {
        Read::Found(bytes) => postcard::from_bytes(&bytes).ok(),
        Read::Absent | Read::Corrupt => None,
    }
}
