// The terminal UI package: components that draw lines for a width.
import { rt } from "hookline:rt";
export { fuzzyFilter, fuzzyMatch, sliceByColumn, truncateToWidth, visibleWidth, wrapTextWithAnsi } from "./tui_text.js";
export {
  Key, KeybindingsManager, TUI_KEYBINDINGS, decodeKittyPrintable, getKeybindings, isKeyRelease, isKeyRepeat,
  isKittyProtocolActive, keysOf, matchesAction, matchesKey, parseKey, setKeybindings, setKittyProtocolActive,
} from "./tui_keys.js";
export { Box, CancellableLoader, Container, Image, Loader, Spacer, Text, TruncatedText } from "./tui_basic.js";
export { SelectList, SettingsList } from "./tui_lists.js";
export { CURSOR_MARKER, Editor, Input, isFocusable } from "./tui_input.js";
export { Markdown } from "./tui_markdown.js";

const unsupported = (name) => class {
  constructor() { throw new rt.UnsupportedError(name); }
};
// These own a real terminal, which is the host's.
export const TUI = unsupported("pi-tui.TUI");
export const ProcessTerminal = unsupported("pi-tui.ProcessTerminal");
export const StdinBuffer = unsupported("pi-tui.StdinBuffer");

export class CombinedAutocompleteProvider {
  constructor(commands = [], basePath = "") { Object.assign(this, { commands, basePath }); }
  async getSuggestions() { return null; }
  applyCompletion(lines, cursorLine, cursorCol) { return { lines, cursorLine, cursorCol }; }
}

export const getCapabilities = () => ({ images: null, trueColor: false, hyperlinks: false });
export const hyperlink = (text) => text;
export const imageFallback = (mime, _size, name) => `[image ${mime}${name ? " " + name : ""}]`;
