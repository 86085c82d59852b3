// The block of "key: value" lines at the head of a document.

function scalar(text) {
  const s = text.trim();
  if (/^(".*"|'.*')$/.test(s)) return s.slice(1, -1);
  if (s === "true" || s === "false") return s === "true";
  if (s === "" || s === "null" || s === "~") return s === "" ? "" : null;
  if (/^-?\d+(\.\d+)?$/.test(s)) return Number(s);
  if (/^\[.*\]$/.test(s)) return s.slice(1, -1).split(",").map(scalar).filter((v) => v !== "");
  return s;
}

function parseBlock(text) {
  const out = {};
  let key;
  for (const line of text.split("\n")) {
    if (/^\s*(#|$)/.test(line)) continue;
    const pair = /^([\w.$-]+)\s*:\s*(.*)$/.exec(line);
    const item = /^\s*-\s+(.*)$/.exec(line);
    if (pair) {
      key = pair[1];
      out[key] = /^[|>][-+]?$/.test(pair[2]) ? "" : scalar(pair[2]);
    } else if (item && key) (Array.isArray(out[key]) ? out[key] : (out[key] = [])).push(scalar(item[1]));
    else if (key && typeof out[key] === "string") out[key] = (out[key] ? out[key] + "\n" : "") + line.trim();
  }
  return out;
}

export function parseFrontmatter(content) {
  const text = content.replace(/\r\n?/g, "\n");
  const found = /^---\n([\s\S]*?)\n?---[ \t]*(?:\n|$)/.exec(text);
  if (!found) return { frontmatter: {}, body: text };
  return { frontmatter: parseBlock(found[1]), body: text.slice(found[0].length).trim() };
}
export const stripFrontmatter = (content) => parseFrontmatter(content).body;
