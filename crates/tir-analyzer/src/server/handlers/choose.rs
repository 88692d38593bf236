//! The choice of what is shown: a request that changes the state, answered on the main loop.

use crate::server::{
    handlers::instances::instances, lsp::ext::ChooseInstanceParams, snapshot::Failure, state::State,
};

/// `tir-analyzer/chooseInstance`
pub(crate) fn choose_instance(
    state: &mut State,
    params: ChooseInstanceParams,
) -> Result<(), Failure> {
    let ChooseInstanceParams { text_document, factory, instance } = params;
    let unknown = |what: String| Failure::InvalidParams(what);
    let document = state.documents.get(&text_document.uri);
    let file = document.ok_or_else(|| unknown("the document is not open".to_owned()))?.file;
    let chosen = match instance {
        None => None,
        Some(arguments) => {
            let snapshot = state.snapshot();
            let found = instances(&snapshot, snapshot.document(&text_document.uri)?)?;
            let of_factory = found.iter().find(|it| *it.path == *factory);
            let all = of_factory.into_iter().flat_map(|it| &it.instances);
            let chosen = all.into_iter().find(|it| it.arguments() == arguments).cloned();
            let missing = || unknown(format!("there is no instance `{factory}({arguments})`"));
            Some(chosen.ok_or_else(missing)?)
        }
    };
    state.host_mut().choose_instance(file, &factory, chosen);
    state.refresh();
    Ok(())
}
