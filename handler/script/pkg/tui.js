// The terminal UI package: components that draw lines for a width.
import { Image } from "./tui_basic.js";
import { Editor } from "./tui_input.js";
import { KeybindingsManager } from "./tui_keys.js";
import { guard, lacks } from "./tui_stand_in.js";
import * as self from "./tui.js";
export { fuzzyFilter, fuzzyMatch, sliceByColumn, truncateToWidth, visibleWidth, wrapTextWithAnsi } from "./tui_text.js";
export {
  Key, KeybindingsManager, TUI_KEYBINDINGS, decodeKittyPrintable, getKeybindings, isKeyRelease, isKeyRepeat,
  isKittyProtocolActive, matchesKey, parseKey, setKittyProtocolActive,
} from "./tui_keys.js";
export { Box, CancellableLoader, Container, Image, Loader, Spacer, Text, TruncatedText, imageFallback } from "./tui_basic.js";
export { SelectList, SettingsList } from "./tui_lists.js";
export { CURSOR_MARKER, Editor, Input, isFocusable } from "./tui_input.js";
export { Markdown } from "./tui_markdown.js";

// renderFakeCursor marks a text as the place of the cursor.
export const renderFakeCursor = (text) => `\u001b[7m${text}\u001b[27m`;
export const getCapabilities = () => ({ images: null, trueColor: false, hyperlinks: false });
export const hyperlink = (text, url) => `\u001b]8;;${url}\u001b\\${text}\u001b]8;;\u001b\\`;

lacks(Editor, "getAutocompleteMaxVisible", "setAutocompleteMaxVisible", "setAutocompleteProvider");
lacks(Image, "getImageId");
lacks(KeybindingsManager, "getDefinition", "getConflicts", "setUserBindings", "getUserBindings", "getResolvedBindings");
guard("", self);
