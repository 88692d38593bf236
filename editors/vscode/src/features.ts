// What differs from the language client's own features: commands that lenses may name.
import type { ClientCapabilities, FeatureState, StaticFeature } from 'vscode-languageclient/node';

/** The commands of lenses that this extension has. */
const LENS_COMMANDS = ['tir-analyzer.viewDeviceCode', 'tir-analyzer.chooseInstance'];

export class Commands implements StaticFeature {
  fillClientCapabilities(capabilities: ClientCapabilities): void {
    capabilities.experimental = { ...capabilities.experimental, commands: { commands: LENS_COMMANDS } };
  }
  initialize(): void {}
  getState(): FeatureState {
    return { kind: 'static' };
  }
  clear(): void {}
}
