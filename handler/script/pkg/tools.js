// The factories of the built-in tools, for modules that wrap or replace one.
// What a tool does to files and programs can be exchanged through operations.
import { rt } from "hookline:rt";
import { spawn } from "node:child_process";
import * as fs from "node:fs/promises";
import { dirname, join, relative, resolve } from "node:path";
import { homedir } from "node:os";
import { Type } from "./typebox.js";
import { DEFAULT_MAX_BYTES, DEFAULT_MAX_LINES, formatSize, truncateHead, truncateLine, truncateTail } from "./truncate.js";

const text = (s, details) => ({ content: [{ type: "text", text: s }], details });
const expand = (path) => (path === "~" || path.startsWith("~/") ? homedir() + path.slice(1) : path.replace(/^@/, ""));
const pathIn = (cwd, path) => resolve(cwd, expand(path));
const checkAborted = (signal) => { if (signal?.aborted) throw new Error("Operation aborted"); };

// Changes of one file wait for each other.
const queues = new Map();
export function withFileMutationQueue(path, fn) {
  const key = resolve(path);
  const next = (queues.get(key) ?? Promise.resolve()).then(fn, fn);
  const settled = next.catch(() => {}).then(() => { if (queues.get(key) === settled) queues.delete(key); });
  queues.set(key, settled);
  return next;
}

// tool makes a definition whose execute takes its arguments in the order of the
// module's family.
function tool(name, description, parameters, run) {
  const execute = rt.settings().family === "pi"
    ? (id, params, signal, onUpdate) => run(params, signal, onUpdate)
    : (id, params, onUpdate, ctx, signal) => run(params, signal, onUpdate);
  return { name, label: name, description, parameters, execute: (...args) => execute(...args.map((a, n) => (n === 1 ? { ...a } : a))) };
}

export function createLocalBashOperations({ shellPath } = {}) {
  return {
    exec: (command, cwd, { onData, signal, timeout, env }) => new Promise((done, fail) => {
      const child = spawn(shellPath ?? "bash", ["-c", command], { cwd, env: env ?? process.env, stdio: ["ignore", "pipe", "pipe"], detached: true });
      let timedOut = false;
      const timer = timeout > 0 && setTimeout(() => { timedOut = true; child.kill("SIGTERM"); }, timeout * 1000);
      const onAbort = () => child.kill("SIGTERM");
      signal?.addEventListener("abort", onAbort, { once: true });
      child.stdout.on("data", onData);
      child.stderr.on("data", onData);
      child.on("error", fail);
      child.on("close", (exitCode) => {
        if (timer) clearTimeout(timer);
        signal?.removeEventListener("abort", onAbort);
        if (signal?.aborted) fail(new Error("aborted"));
        else if (timedOut) fail(new Error(`timeout:${timeout}`));
        else done({ exitCode });
      });
    }),
  };
}

export function createBashTool(cwd, options = {}) {
  const ops = options.operations ?? createLocalBashOperations(options);
  return tool("bash", "Execute a bash command in the current working directory. Returns stdout and stderr.", Type.Object({
    command: Type.String({ description: "Bash command to execute" }),
    timeout: Type.Optional(Type.Number({ description: "Timeout in seconds (optional, no default timeout)" })),
  }), async ({ command, timeout }, signal, onUpdate) => {
    let call = { command: options.commandPrefix ? `${options.commandPrefix}\n${command}` : command, cwd, env: { ...process.env } };
    call = options.spawnHook?.(call) ?? call;
    const chunks = [];
    const output = () => truncateTail(Buffer.concat(chunks).toString("utf8"));
    const onData = (data) => {
      chunks.push(Buffer.from(data));
      onUpdate?.(text(output().content));
    };
    let exitCode, failure;
    try {
      ({ exitCode } = await ops.exec(call.command, call.cwd, { onData, signal, timeout, env: call.env }));
    } catch (e) {
      if (e.message === "aborted") failure = "Command aborted";
      else if (e.message.startsWith("timeout:")) failure = `Command timed out after ${e.message.slice(8)} seconds`;
      else throw e;
    }
    const cut = output();
    let body = cut.content || "(no output)";
    if (cut.truncated) body += `\n\n[Showing the last ${cut.outputLines} of ${cut.totalLines} lines (${formatSize(cut.maxBytes)} limit)]`;
    if (exitCode) failure = `Command exited with code ${exitCode}`;
    if (failure) throw new Error(`${cut.content ? body + "\n\n" : ""}${failure}`);
    return text(body, cut.truncated ? { truncation: cut } : undefined);
  });
}

const imageTypes = { png: "image/png", jpg: "image/jpeg", jpeg: "image/jpeg", gif: "image/gif", webp: "image/webp" };
const localRead = {
  readFile: (p) => fs.readFile(p),
  access: (p) => fs.access(p),
  detectImageMimeType: async (p) => imageTypes[p.split(".").pop().toLowerCase()],
};

export function createReadTool(cwd, options = {}) {
  const ops = options.operations ?? localRead;
  return tool("read", `Read a file. Text is cut at ${DEFAULT_MAX_LINES} lines or ${DEFAULT_MAX_BYTES / 1024}KB; use offset and limit for more.`, Type.Object({
    path: Type.String({ description: "Path to the file to read (relative or absolute)" }),
    offset: Type.Optional(Type.Number({ description: "Line number to start reading from (1-indexed)" })),
    limit: Type.Optional(Type.Number({ description: "Maximum number of lines to read" })),
  }), async ({ path, offset, limit }, signal) => {
    checkAborted(signal);
    const file = pathIn(cwd, path);
    await ops.access(file);
    const mimeType = await ops.detectImageMimeType?.(file);
    const data = await ops.readFile(file);
    checkAborted(signal);
    if (mimeType) return { content: [{ type: "text", text: `Read image file [${mimeType}]` }, { type: "image", data: Buffer.from(data).toString("base64"), mimeType }], details: undefined };
    const lines = data.toString("utf8").split("\n");
    const from = offset ? Math.max(0, offset - 1) : 0;
    if (from >= lines.length) throw new Error(`Offset ${offset} is beyond end of file (${lines.length} lines total)`);
    const wanted = limit === undefined ? lines.slice(from) : lines.slice(from, from + limit);
    const cut = truncateHead(wanted.join("\n"));
    const last = from + (cut.truncated ? cut.outputLines : wanted.length);
    const more = last < lines.length ? `\n\n[${lines.length - last} more lines in file. Use offset=${last + 1} to continue.]` : "";
    return text(cut.content + more, cut.truncated ? { truncation: cut } : undefined);
  });
}

const localWrite = {
  writeFile: (p, content) => fs.writeFile(p, content, "utf8"),
  mkdir: (p) => fs.mkdir(p, { recursive: true }).then(() => {}),
};

export function createWriteTool(cwd, options = {}) {
  const ops = options.operations ?? localWrite;
  return tool("write", "Write content to a file. Creates the file and its directories, overwrites if it exists.", Type.Object({
    path: Type.String({ description: "Path to the file to write (relative or absolute)" }),
    content: Type.String({ description: "Content to write to the file" }),
  }), ({ path, content }, signal) => withFileMutationQueue(pathIn(cwd, path), async () => {
    checkAborted(signal);
    const file = pathIn(cwd, path);
    await ops.mkdir(dirname(file));
    await ops.writeFile(file, content);
    return text(`Successfully wrote ${content.length} bytes to ${path}`);
  }));
}

const localEdit = { readFile: localRead.readFile, access: localRead.access, writeFile: localWrite.writeFile };

// replaceOnce replaces text that must be there exactly once.
function replaceOnce(content, { oldText, newText }, path) {
  const at = content.indexOf(oldText);
  if (!oldText || at < 0) throw new Error(`Could not find the exact text in ${path}. The old text must match exactly including all whitespace and newlines.`);
  const count = content.split(oldText).length - 1;
  if (count > 1) throw new Error(`Found ${count} occurrences of the text in ${path}. The text must be unique.`);
  return content.slice(0, at) + newText + content.slice(at + oldText.length);
}

export function createEditTool(cwd, options = {}) {
  const ops = options.operations ?? localEdit;
  return tool("edit", "Edit a file by replacing exact text. The old text must match exactly and be unique.", Type.Object({
    path: Type.String({ description: "Path to the file to edit (relative or absolute)" }),
    oldText: Type.Optional(Type.String({ description: "Exact text to find and replace" })),
    newText: Type.Optional(Type.String({ description: "New text to replace the old text with" })),
    edits: Type.Optional(Type.Array(Type.Object({ oldText: Type.String(), newText: Type.String() }))),
  }), ({ path, oldText, newText, edits }, signal) => withFileMutationQueue(pathIn(cwd, path), async () => {
    checkAborted(signal);
    const file = pathIn(cwd, path);
    await ops.access(file);
    const raw = (await ops.readFile(file)).toString("utf8");
    const crlf = raw.includes("\r\n");
    const unix = (s) => s.replaceAll("\r\n", "\n");
    let content = unix(raw);
    for (const edit of edits ?? [{ oldText, newText }]) content = replaceOnce(content, { oldText: unix(edit.oldText ?? ""), newText: unix(edit.newText ?? "") }, path);
    if (content === unix(raw)) throw new Error(`No changes made to ${path}.`);
    await ops.writeFile(file, crlf ? content.replaceAll("\n", "\r\n") : content);
    return text(`Successfully replaced text in ${path}.`, { diff: "" });
  }));
}

const skipped = new Set([".git", "node_modules"]);
async function* walk(dir, signal) {
  checkAborted(signal);
  for (const entry of (await fs.readdir(dir, { withFileTypes: true })).sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const path = join(dir, entry.name);
    if (entry.isDirectory()) {
      if (!skipped.has(entry.name)) yield* walk(path, signal);
    } else yield path;
  }
}

// globToRegExp understands *, **, ? and {a,b}.
function globToRegExp(glob) {
  const source = glob.replace(/\*\*\/|\*\*|\*|\?|\{([^}]*)\}|[.+^$()|[\]\\]/g, (m, list) => {
    if (m === "**/") return "(?:.*/)?";
    if (m === "**") return ".*";
    if (m === "*") return "[^/]*";
    if (m === "?") return "[^/]";
    if (list !== undefined) return "(?:" + list.split(",").map((p) => globToRegExp(p).source.slice(1, -1)).join("|") + ")";
    return "\\" + m;
  });
  return new RegExp(`^${source}$`);
}
const matcher = (glob) => {
  const re = globToRegExp(glob);
  return (path) => re.test(path) || (!glob.includes("/") && re.test(path.split("/").pop()));
};
const listing = (lines, limit, none) => {
  if (!lines.length) return text(none);
  const cut = truncateHead(lines.slice(0, limit).join("\n"), { maxLines: Infinity });
  const note = lines.length > limit ? `\n\n[${limit} results limit reached]` : "";
  return text(cut.content + note, cut.truncated ? { truncation: cut } : undefined);
};
const rel = (root, path) => relative(root, path).split("\\").join("/");

export function createFindTool(cwd) {
  return tool("find", "Search for files by glob pattern.", Type.Object({
    pattern: Type.String({ description: "Glob pattern to match files, e.g. '*.ts' or 'src/**/*.test.ts'" }),
    path: Type.Optional(Type.String({ description: "Directory to search in (default: current directory)" })),
    limit: Type.Optional(Type.Number({ description: "Maximum number of results (default: 1000)" })),
  }), async ({ pattern, path = ".", limit = 1000 }, signal) => {
    const root = pathIn(cwd, path), matches = matcher(pattern), found = [];
    for await (const file of walk(root, signal)) {
      if (matches(rel(root, file))) found.push(rel(root, file));
      if (found.length > limit) break;
    }
    return listing(found, limit, "No files found matching pattern");
  });
}

export function createGrepTool(cwd) {
  return tool("grep", "Search file contents for a pattern.", Type.Object({
    pattern: Type.String({ description: "Search pattern (regex or literal string)" }),
    path: Type.Optional(Type.String({ description: "Directory or file to search (default: current directory)" })),
    glob: Type.Optional(Type.String({ description: "Filter files by glob pattern, e.g. '*.ts'" })),
    ignoreCase: Type.Optional(Type.Boolean()), literal: Type.Optional(Type.Boolean()),
    context: Type.Optional(Type.Number()), limit: Type.Optional(Type.Number()),
  }), async ({ pattern, path = ".", glob, ignoreCase, literal, context = 0, limit = 100 }, signal) => {
    const root = pathIn(cwd, path);
    const re = new RegExp(literal ? pattern.replace(/[.*+?^${}()|[\]\\]/g, "\\$&") : pattern, ignoreCase ? "iu" : "u");
    const wanted = glob ? matcher(glob) : () => true;
    const single = (await fs.stat(root)).isFile(), lines = [];
    let found = 0;
    for await (const file of single ? [root] : walk(root, signal)) {
      const name = single ? path : rel(root, file);
      if (!wanted(name) || found > limit) continue;
      const all = (await fs.readFile(file)).toString("utf8").split("\n");
      if (all[0].includes("\0")) continue;
      for (let n = 0; n < all.length && found <= limit; n++) {
        if (!re.test(all[n])) continue;
        if (++found > limit) break;
        for (let k = Math.max(0, n - context); k <= Math.min(all.length - 1, n + context); k++) {
          lines.push(`${name}${k === n ? ":" : "-"}${k + 1}${k === n ? ":" : "-"} ${truncateLine(all[k]).text}`);
        }
      }
    }
    return listing(lines, Infinity, "No matches found");
  });
}

export function createLsTool(cwd) {
  return tool("ls", "List directory contents, directories with a trailing slash.", Type.Object({
    path: Type.Optional(Type.String({ description: "Directory to list (default: current directory)" })),
    limit: Type.Optional(Type.Number({ description: "Maximum number of entries to return (default: 500)" })),
  }), async ({ path = ".", limit = 500 }, signal) => {
    checkAborted(signal);
    const entries = await fs.readdir(pathIn(cwd, path), { withFileTypes: true });
    const names = entries.map((e) => e.name + (e.isDirectory() ? "/" : ""));
    return listing(names.sort((a, b) => (a.toLowerCase() < b.toLowerCase() ? -1 : 1)), limit, "(empty directory)");
  });
}

export const createCodingTools = (cwd, o = {}) => [createReadTool(cwd, o.read), createBashTool(cwd, o.bash), createEditTool(cwd), createWriteTool(cwd)];
export const createReadOnlyTools = (cwd, o = {}) => [createReadTool(cwd, o.read), createGrepTool(cwd), createFindTool(cwd), createLsTool(cwd)];
