// node:url, with the old url.parse family beside the standard classes.
import { URL, URLSearchParams } from "internal:url";
import { toAscii, toUnicode } from "internal:idna";
import { invalidArgType, nodeError } from "internal:errors";
import querystring from "node:querystring";
import path from "node:path";

function fileURLToPath(input, options) {
  let url = input;
  if (typeof url === "string") url = new URL(url);
  else if (!(url instanceof URL)) throw invalidArgType("path", "of type string or an instance of URL", input);
  if (url.protocol !== "file:") throw nodeError(TypeError, "ERR_INVALID_URL_SCHEME", "The URL must be of scheme file");
  const windows = options?.windows ?? path.sep === "\\";
  if ((windows ? /%2f|%5c/i : /%2f/i).test(url.pathname)) {
    const what = windows ? "must not include encoded \\ or / characters" : "must not include encoded / characters";
    throw nodeError(TypeError, "ERR_INVALID_FILE_URL_PATH", `File URL path ${what}`);
  }
  const name = decodeURIComponent(url.pathname);
  if (!windows) {
    if (url.hostname !== "") {
      throw nodeError(TypeError, "ERR_INVALID_FILE_URL_HOST", `File URL host must be "localhost" or empty on ${globalThis.process.platform}`);
    }
    return name;
  }
  const local = name.replaceAll("/", "\\");
  if (url.hostname !== "") return `\\\\${toUnicode(url.hostname)}${local}`;
  if (!/^\\[a-z]:/i.test(local)) throw nodeError(TypeError, "ERR_INVALID_FILE_URL_PATH", "File URL path must be absolute");
  return local.slice(1);
}

function pathToFileURL(file) {
  if (typeof file !== "string") throw invalidArgType("path", "of type string", file);
  let full = path.resolve(file);
  if (/[/\\]$/.test(file) && !full.endsWith(path.sep)) full += path.sep;
  if (path.sep === "\\") {
    const unc = /^\\\\([^\\]+)(\\.*)$/.exec(full);
    if (unc) full = unc[2];
    full = full.replaceAll("\\", "/");
    if (!full.startsWith("/")) full = "/" + full;
    const url = new URL("file://" + escapePath(full));
    if (unc) url.hostname = unc[1];
    return url;
  }
  return new URL("file://" + escapePath(full).replaceAll("\\", "%5C"));
}

function escapePath(name) {
  return name.replaceAll("%", "%25").replaceAll("\n", "%0A").replaceAll("\r", "%0D").replaceAll("\t", "%09")
    .replaceAll("?", "%3F").replaceAll("#", "%23");
}

function urlToHttpOptions(url) {
  const options = {
    protocol: url.protocol,
    hostname: url.hostname.replace(/^\[(.*)\]$/, "$1"),
    hash: url.hash,
    search: url.search,
    pathname: url.pathname,
    path: url.pathname + url.search,
    href: url.href,
  };
  if (url.port !== "") options.port = Number(url.port);
  if (url.username || url.password) options.auth = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`;
  return options;
}

const domainToASCII = (domain) => toAscii(String(domain)) ?? "";
const domainToUnicode = (domain) => toUnicode(toAscii(String(domain)) ?? "");

// ---- the old interface -----------------------------------------------------------
function Url() {
  Object.assign(this, {
    protocol: null, slashes: null, auth: null, host: null, port: null, hostname: null, hash: null, search: null,
    query: null, pathname: null, path: null, href: null,
  });
}

const slashed = ["http:", "https:", "ftp:", "gopher:", "file:", "ws:", "wss:"];

function parse(text, parseQuery = false, slashesDenoteHost = false) {
  if (text instanceof Url) return text;
  if (typeof text !== "string") throw invalidArgType("url", "of type string", text);
  const url = new Url();
  let rest = text.trim();
  const cut = rest.search(/[?#]/);
  rest = (cut < 0 ? rest : rest.slice(0, cut)).replaceAll("\\", "/") + (cut < 0 ? "" : rest.slice(cut));

  const hash = rest.indexOf("#");
  if (hash >= 0) [url.hash, rest] = [escapeOld(rest.slice(hash)), rest.slice(0, hash)];
  const query = rest.indexOf("?");
  if (query >= 0) {
    url.search = escapeOld(rest.slice(query));
    url.query = url.search.slice(1);
    rest = rest.slice(0, query);
  }
  const scheme = /^[a-z0-9.+-]+:/i.exec(rest)?.[0];
  if (scheme) {
    url.protocol = scheme.toLowerCase();
    rest = rest.slice(scheme.length);
  }
  const hasSlashes = rest.startsWith("//") && (scheme || slashesDenoteHost || /^\/\/[^@/]+@[^@/]+/.test(rest));
  if (hasSlashes && url.protocol !== "javascript:") {
    url.slashes = true;
    rest = parseOldAuthority(url, rest.slice(2));
  } else if (url.protocol && !slashed.includes(url.protocol) && url.protocol !== "javascript:") {
    rest = parseOldAuthority(url, rest);
  }
  if (rest !== "") url.pathname = escapeOld(rest);
  if (url.protocol && slashed.includes(url.protocol) && url.hostname && !url.pathname) url.pathname = "/";
  if (parseQuery) {
    url.query = querystring.parse(url.query ?? "");
    url.search ??= "";
  }
  if (url.pathname !== null || url.search) url.path = (url.pathname ?? "") + (url.search ?? "");
  url.href = format(url);
  return url;
}

const escapeOld = (text) => text.replace(/[\t\n\r "'<>\\^`{|}]/g, (c) => "%" + c.charCodeAt(0).toString(16).toUpperCase().padStart(2, "0"));

function parseOldAuthority(url, text) {
  const end = text.search(/[/?#]/);
  let authority = end < 0 ? text : text.slice(0, end);
  const at = authority.lastIndexOf("@");
  if (at >= 0) {
    url.auth = decodeURIComponent(authority.slice(0, at));
    authority = authority.slice(at + 1);
  }
  const m = /^(\[[^\]]*\]|.*?)(?::(\d*))?$/.exec(authority);
  url.port = m[2] || null;
  url.hostname = m[1].startsWith("[") ? m[1].slice(1, -1) : toAscii(m[1].toLowerCase()) ?? m[1];
  url.host = (m[1].startsWith("[") ? `[${url.hostname}]` : url.hostname) + (url.port ? `:${url.port}` : "");
  return end < 0 ? "" : text.slice(end);
}

function format(input, options) {
  if (typeof input === "string") return parse(input).href;
  if (typeof input !== "object" || input === null) throw invalidArgType("urlObject", "one of type object or string", input);
  if (input instanceof URL) {
    const copy = new URL(input.href);
    if (options?.fragment === false) copy.hash = "";
    if (options?.search === false) copy.search = "";
    if (options?.auth === false) copy.username = copy.password = "";
    if (options?.unicode) return copy.href.replace(copy.hostname, toUnicode(copy.hostname));
    return copy.href;
  }
  let protocol = input.protocol ?? "";
  if (protocol && !protocol.endsWith(":")) protocol += ":";
  const auth = input.auth ? encodeURIComponent(input.auth).replace(/%3A/i, ":") + "@" : "";
  let host = "";
  if (input.host) host = auth + input.host;
  else if (input.hostname) {
    host = auth + (input.hostname.includes(":") && !input.hostname.startsWith("[") ? `[${input.hostname}]` : input.hostname);
    if (input.port) host += `:${input.port}`;
  }
  let pathname = (input.pathname ?? "").replace(/[?#]/g, (c) => encodeURIComponent(c));
  let search = input.search ?? "";
  if (!search && typeof input.query === "object" && input.query !== null) {
    const text = querystring.stringify(input.query);
    if (text) search = `?${text}`;
  }
  if (search && search[0] !== "?") search = `?${search}`;
  let hash = input.hash ?? "";
  if (hash && hash[0] !== "#") hash = `#${hash}`;
  if (input.slashes || (slashed.includes(protocol) && (host || protocol === "file:"))) {
    if (host || input.slashes || protocol === "file:") host = `//${host}`;
    if (pathname && pathname[0] !== "/") pathname = `/${pathname}`;
  }
  return protocol + host + pathname + search.replaceAll("#", "%23") + hash;
}

function resolve(from, to) {
  const marker = "hookline-relative:";
  const base = parse(from, false, true);
  const absolute = Boolean(base.protocol);
  const prefix = absolute ? "" : base.host ? "http:" : `http://${marker.slice(0, -1)}`;
  const resolved = new URL(to, new URL(absolute ? from : prefix + (from.startsWith("/") ? from : `/${from}`)));
  if (absolute || resolved.hostname !== marker.slice(0, -1)) {
    return !absolute && resolved.protocol === "http:" && !/^[a-z]+:/i.test(to) ? resolved.href.slice(5) : resolved.href;
  }
  const out = resolved.pathname + resolved.search + resolved.hash;
  return from.startsWith("/") || to.startsWith("/") ? out : out.slice(1);
}

Url.prototype.parse = function (...args) { return Object.assign(this, parse(...args)); };
Url.prototype.format = function () { return format(this); };
Url.prototype.resolve = function (to) { return resolve(this.href, to); };
const resolveObject = (from, to) => parse(resolve(typeof from === "string" ? from : format(from), to));

export {
  URL, URLSearchParams, Url, domainToASCII, domainToUnicode, fileURLToPath, format, parse, pathToFileURL, resolve,
  resolveObject, urlToHttpOptions,
};
