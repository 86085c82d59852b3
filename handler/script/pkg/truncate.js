// Cutting tool output at lines and bytes.
export const DEFAULT_MAX_LINES = 2000;
export const DEFAULT_MAX_BYTES = 50 * 1024;
export const GREP_MAX_LINE_LENGTH = 500;

const bytesOf = (text) => Buffer.byteLength(text, "utf8");

export function formatSize(bytes) {
  if (bytes < 1024) return `${bytes}B`;
  return bytes < 1024 * 1024 ? `${(bytes / 1024).toFixed(1)}KB` : `${(bytes / 1024 / 1024).toFixed(1)}MB`;
}

// take keeps whole lines, from the start of the list, within both limits.
function take(lines, maxLines, maxBytes) {
  const kept = [];
  let bytes = 0;
  for (const line of lines) {
    if (kept.length >= maxLines) return { kept, by: "lines" };
    const size = bytesOf(line) + (kept.length ? 1 : 0);
    if (bytes + size > maxBytes) return { kept, by: "bytes" };
    kept.push(line);
    bytes += size;
  }
  return { kept, by: null };
}

function result(content, kept, by, maxLines, maxBytes, extra) {
  const output = kept.join("\n");
  return {
    content: output, truncated: by !== null, truncatedBy: by, totalLines: content.split("\n").length, totalBytes: bytesOf(content),
    outputLines: kept.length, outputBytes: bytesOf(output), lastLinePartial: false, firstLineExceedsLimit: false, maxLines, maxBytes, ...extra,
  };
}

export function truncateHead(content, { maxLines = DEFAULT_MAX_LINES, maxBytes = DEFAULT_MAX_BYTES } = {}) {
  const lines = content.split("\n");
  const { kept, by } = take(lines, maxLines, maxBytes);
  return result(content, kept, by, maxLines, maxBytes, { firstLineExceedsLimit: by === "bytes" && kept.length === 0 });
}

export function truncateTail(content, { maxLines = DEFAULT_MAX_LINES, maxBytes = DEFAULT_MAX_BYTES } = {}) {
  const lines = content.split("\n").reverse();
  const { kept, by } = take(lines, maxLines, maxBytes);
  if (by === "bytes" && kept.length === 0) {
    const tail = Buffer.from(lines[0]).subarray(-maxBytes).toString("utf8").replace(/^\ufffd+/, "");
    return result(content, [tail], by, maxLines, maxBytes, { lastLinePartial: true });
  }
  return result(content, kept.reverse(), by, maxLines, maxBytes);
}

export function truncateLine(line, maxChars = GREP_MAX_LINE_LENGTH) {
  if (line.length <= maxChars) return { text: line, wasTruncated: false };
  return { text: `${line.slice(0, maxChars)}... [truncated]`, wasTruncated: true };
}
