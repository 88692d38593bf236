//! `workspace/symbol`

use ide::WorkspacePlace;
use lsp_types as lsp;

use crate::server::{
    handlers::calls::World,
    lsp::to_proto,
    snapshot::{Failure, Snapshot},
};

/// `workspace/symbol`
pub(crate) fn workspace_symbols(
    snapshot: &Snapshot,
    params: lsp::WorkspaceSymbolParams,
) -> Result<Option<lsp::WorkspaceSymbolResponse>, Failure> {
    let found = snapshot.analysis.workspace_symbols(&params.query)?;
    let world = World::of(snapshot);
    let location = |place: WorkspacePlace| match place {
        WorkspacePlace::Open(file, range) => {
            Some(snapshot.places(world.document(file)?).location(range.0))
        }
        WorkspacePlace::Closed(file, spot) => {
            Some(lsp::Location { uri: world.closed(file)?, range: world.spot(&spot) })
        }
    };
    let symbol = |it: ide::WorkspaceSymbol| {
        let base_symbol_information = lsp::BaseSymbolInformation {
            name: it.name.into(),
            kind: to_proto::symbol_kind(it.kind),
            tags: None,
            container_name: (!it.container.is_empty()).then(|| it.container.into()),
        };
        Some(lsp::WorkspaceSymbol {
            location: location(it.place)?.into(),
            data: None,
            base_symbol_information,
        })
    };
    let symbols: Vec<_> = found.into_iter().filter_map(symbol).collect();
    Ok(Some(lsp::WorkspaceSymbolResponse::WorkspaceSymbolList(symbols)))
}
