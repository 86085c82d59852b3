// The agent package: what modules use of it besides types.
import { rt } from "hookline:rt";
import { homedir } from "node:os";
import { join } from "node:path";
import { CancellableLoader, Container, Spacer, Text } from "./tui_basic.js";
import { Editor } from "./tui_input.js";
import { keysOf } from "./tui_keys.js";
import { wrapTextWithAnsi } from "./tui_text.js";

export { bashExecutionToText, calculateContextTokens, convertToLlm, estimateTokens, serializeConversation } from "./conversation.js";
export { DEFAULT_MAX_BYTES, DEFAULT_MAX_LINES, formatSize, truncateHead, truncateLine, truncateTail } from "./truncate.js";
export { parseFrontmatter, stripFrontmatter } from "./frontmatter.js";
export {
  createBashTool, createBashTool as createBashToolDefinition, createCodingTools, createEditTool,
  createEditTool as createEditToolDefinition, createFindTool, createFindTool as createFindToolDefinition, createGrepTool,
  createGrepTool as createGrepToolDefinition, createLocalBashOperations, createLsTool,
  createLsTool as createLsToolDefinition, createReadOnlyTools, createReadTool,
  createReadTool as createReadToolDefinition, createWriteTool, createWriteTool as createWriteToolDefinition,
  withFileMutationQueue,
} from "./tools.js";
export { logger } from "./utils.js";
export { Type } from "./typebox.js";
export { z } from "./zod.js";

export const VERSION = "0.73.0";
export const CONFIG_DIR_NAME = rt.settings().family === "pi" ? ".pi" : ".omp";
export const getAgentDir = () => process.env.PI_CODING_AGENT_DIR ?? join(homedir(), CONFIG_DIR_NAME, "agent");

// formatReadLineRange words which lines of a file are read.
export function formatReadLineRange(offset, limit) {
  if (offset == null && limit == null) return "";
  const first = Number(offset ?? 1), last = limit == null ? undefined : first + Number(limit) - 1;
  if (!Number.isInteger(first) || last !== undefined && !Number.isInteger(last)) return "";
  return last === undefined ? `:${first}` : `:${first}-${last}`;
}

export const defineTool = (tool) => tool;
export const execCommand = (command, args, cwd, options = {}) => rt.exec(command, args, { cwd, ...options });

// Type guards over events and results.
const isResultOf = (name) => (e) => e.toolName === name;
export const isBashToolResult = isResultOf("bash");
export const isReadToolResult = isResultOf("read");
export const isEditToolResult = isResultOf("edit");
export const isWriteToolResult = isResultOf("write");
export const isGrepToolResult = isResultOf("grep");
export const isFindToolResult = isResultOf("find");
export const isLsToolResult = isResultOf("ls");
export const isToolCallEventType = (name, e) => e.toolName === name;

export function createEventBus() {
  const listeners = new Map();
  return {
    on(channel, fn) {
      if (!listeners.has(channel)) listeners.set(channel, new Set());
      listeners.get(channel).add(fn);
      return () => listeners.get(channel).delete(fn);
    },
    emit(channel, data) { for (const fn of listeners.get(channel) ?? []) fn(data); },
    clear() { listeners.clear(); },
  };
}

// Themes. Each call looks at the host's theme anew.
const fg = (color) => (text) => rt.theme().fg(color, text);
export class Theme {
  constructor(name = "", styles = {}) { Object.assign(this, rt.themed(name, styles)); }
}
export const initTheme = () => {};
export const getMarkdownTheme = () => ({
  heading: fg("mdHeading"), link: fg("mdLink"), linkUrl: fg("mdLinkUrl"), code: fg("mdCode"), codeBlock: fg("mdCodeBlock"),
  codeBlockBorder: fg("mdCodeBlockBorder"), quote: fg("mdQuote"), quoteBorder: fg("mdQuoteBorder"), hr: fg("mdHr"),
  listBullet: fg("mdListBullet"), bold: (s) => rt.theme().bold(s), italic: (s) => rt.theme().italic(s),
  underline: (s) => rt.theme().underline(s), strikethrough: (s) => rt.theme().strikethrough(s),
});
export const getSelectListTheme = () => ({
  selectedPrefix: fg("accent"), selectedText: fg("accent"), description: fg("muted"), scrollInfo: fg("muted"), noMatch: fg("muted"),
});
export const getEditorTheme = () => ({ borderColor: fg("borderMuted"), selectList: getSelectListTheme() });
export const getSettingsListTheme = () => ({
  label: (s, selected) => (selected ? rt.theme().fg("accent", s) : s), value: (s, selected) => rt.theme().fg(selected ? "accent" : "muted", s),
  description: fg("dim"), cursor: rt.theme().fg("accent", "→ "), hint: fg("dim"),
});
export const highlightCode = (code) => code.split("\n");
const languages = { ts: "typescript", tsx: "tsx", js: "javascript", mjs: "javascript", py: "python", go: "go", rs: "rust", rb: "ruby", sh: "bash", md: "markdown", yml: "yaml", yaml: "yaml", json: "json", html: "html", css: "css", c: "c", h: "c", cpp: "cpp", java: "java" };
export const getLanguageFromPath = (path) => languages[path.split(".").pop().toLowerCase()];

const keyName = (key) => key.replace(/(^|\+)\w/g, (s) => s.toUpperCase());
export const keyText = (action) => keysOf(action).map(keyName).join("/");
export const rawKeyHint = (key, description) => rt.theme().fg("dim", keyName(key)) + rt.theme().fg("muted", ` ${description}`);
export const keyHint = (action, description) => rt.theme().fg("dim", keyText(action)) + rt.theme().fg("muted", ` ${description}`);

export class DynamicBorder {
  #color;
  constructor(color = fg("border")) { this.#color = color; }
  invalidate() {}
  render(width) { return [this.#color("─".repeat(Math.max(1, width)))]; }
}

export class BorderedLoader extends Container {
  #loader;
  constructor(tui, theme, message) {
    super();
    const border = (s) => theme.fg("border", s);
    this.#loader = new CancellableLoader(tui, (s) => theme.fg("accent", s), (s) => theme.fg("muted", s), message);
    this.addChild(new DynamicBorder(border));
    this.addChild(this.#loader);
    this.addChild(new Spacer(1));
    this.addChild(new Text(keyHint("tui.select.cancel", "cancel"), 1, 0));
    this.addChild(new DynamicBorder(border));
  }
  get signal() { return this.#loader.signal; }
  set onAbort(fn) { this.#loader.onAbort = fn; }
  handleInput(data) { this.#loader.handleInput(data); }
  dispose() { this.#loader.dispose(); }
}

export class CustomEditor extends Editor {
  actionHandlers = new Map();
  constructor(tui, theme, keybindings, options) {
    super(tui, theme, options);
    this.keybindings = keybindings;
  }
  onAction(action, handler) { this.actionHandlers.set(action, handler); }
}

export function truncateToVisualLines(text, maxVisualLines, width, paddingX = 0) {
  const lines = wrapTextWithAnsi(text, Math.max(1, width - 2 * paddingX));
  return { visualLines: lines.slice(-maxVisualLines), skippedCount: Math.max(0, lines.length - maxVisualLines) };
}
export const renderDiff = (diff) => diff.split("\n").map((line) => {
  const color = { "+": "toolDiffAdded", "-": "toolDiffRemoved" }[line[0]] ?? "toolDiffContext";
  return rt.theme().fg(color, line);
}).join("\n");

// What belongs to the program itself.
const unsupported = (name) => function () { throw new rt.UnsupportedError("pi-coding-agent." + name); };
export const copyToClipboard = unsupported("copyToClipboard");
export const compact = unsupported("compact");
export const generateSummary = unsupported("generateSummary");
export const createAgentSession = unsupported("createAgentSession");
export const discoverAndLoadHooks = unsupported("discoverAndLoadHooks");
export const discoverAndLoadExtensions = unsupported("discoverAndLoadExtensions");
export const loadHooks = unsupported("loadHooks");
export const HookRunner = unsupported("HookRunner");
export const SessionManager = { create: unsupported("SessionManager.create"), open: unsupported("SessionManager.open"), inMemory: unsupported("SessionManager.inMemory"), list: unsupported("SessionManager.list") };
