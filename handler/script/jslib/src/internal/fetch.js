// fetch, Request and Response. The host makes the request and checks every
// host it goes to, redirects included.
import { call, sync } from "hookline:host";
import { Blob, bytesIn } from "internal:blob";
import { bytesOf, bytesToLatin1, fromWire, latin1ToBytes, toWire, utf8Decode, utf8Encode } from "internal:encoding";
import { FormData, Headers } from "internal:headers";
import { ReadableStream } from "internal:webstreams";
import { URL, URLSearchParams } from "internal:url";

// extract turns a body argument into {bytes | stream, type}.
function extract(body) {
  if (body === null || body === undefined) return null;
  if (body instanceof ReadableStream) return { stream: body };
  if (typeof body !== "string" && typeof body[Symbol.asyncIterator] === "function") return { stream: ReadableStream.from(body) };
  if (body instanceof URLSearchParams) {
    return { bytes: utf8Encode(body.toString()), type: "application/x-www-form-urlencoded;charset=UTF-8" };
  }
  if (body instanceof FormData) return encodeForm(body);
  if (body instanceof Blob) return { bytes: bytesIn(body), type: body.type || undefined };
  if (body instanceof ArrayBuffer || ArrayBuffer.isView(body)) return { bytes: bytesOf(body).slice() };
  return { bytes: utf8Encode(String(body)), type: "text/plain;charset=UTF-8" };
}

function encodeForm(form) {
  const boundary = "----formdata-hookline-" + sync("node.crypto.uuid").replaceAll("-", "");
  const quote = (text) => text.replace(/\r\n|\r|\n/g, "%0D%0A").replaceAll('"', "%22");
  const parts = [];
  for (const [name, value] of form) {
    let head = `--${boundary}\r\nContent-Disposition: form-data; name="${quote(name)}"`;
    if (typeof value === "string") parts.push(`${head}\r\n\r\n${value.replace(/\r\n|\r|\n/g, "\r\n")}\r\n`);
    else {
      head += `; filename="${quote(value.name)}"\r\nContent-Type: ${value.type || "application/octet-stream"}`;
      parts.push(`${head}\r\n\r\n`, value, "\r\n");
    }
  }
  parts.push(`--${boundary}--\r\n`);
  return { bytes: bytesIn(new Blob(parts)), type: `multipart/form-data; boundary=${boundary}` };
}

// parseForm reads a body back into FormData.
function parseForm(bytes, type) {
  const form = new FormData();
  if (/^application\/x-www-form-urlencoded/i.test(type)) {
    for (const [k, v] of new URLSearchParams(utf8Decode(bytes))) form.append(k, v);
    return form;
  }
  const boundary = /^multipart\/form-data;.*boundary=(?:"([^"]+)"|([^;\s]+))/i.exec(type);
  if (!boundary) throw new TypeError("Failed to parse body as FormData.");
  const text = "\r\n" + bytesToLatin1(bytes);
  const parts = text.split(`\r\n--${boundary[1] ?? boundary[2]}`).slice(1, -1);
  for (const part of parts) {
    const split = part.indexOf("\r\n\r\n");
    const head = utf8Decode(latin1ToBytes(part.slice(0, split)));
    const raw = latin1ToBytes(part.slice(split + 4));
    const unquote = (t) => t.replaceAll("%22", '"').replace(/%0D%0A/gi, "\r\n");
    const name = unquote(/name="([^"]*)"/i.exec(head)?.[1] ?? "");
    const file = /filename="([^"]*)"/i.exec(head);
    if (!file) form.append(name, utf8Decode(raw));
    else form.append(name, new Blob([raw], { type: /content-type:\s*(.+)/i.exec(head)?.[1].trim() ?? "" }), unquote(file[1]));
  }
  return form;
}

class Body {
  #body = null;
  #used = false;
  #stream = null;

  static _set(target, body) { target.#body = body; }
  static _get(target) { return target.#body; }
  static _stream(target) { return target.#stream; }
  static _use(target) { target.#used = true; }

  get body() {
    if (this.#body === null) return null;
    this.#stream ??= this.#body.stream ?? new Blob([this.#body.bytes]).stream();
    return this.#stream;
  }
  get bodyUsed() { return this.#used; }

  async #read() {
    if (this.#used || this.#stream?.locked) throw new TypeError("Body is unusable: Body has already been read");
    this.#used = this.#body !== null;
    if (this.#body === null) return new Uint8Array(0);
    if (this.#stream === null && this.#body.bytes) return this.#body.bytes;
    const chunks = [];
    for await (const chunk of this.body) chunks.push(chunk);
    return bytesIn(new Blob(chunks));
  }
  async arrayBuffer() { return (await this.#read()).slice().buffer; }
  async bytes() { return (await this.#read()).slice(); }
  async text() { return utf8Decode(await this.#read()).replace(/^\ufeff/, ""); }
  async json() { return JSON.parse(await this.text()); }
  async blob() { return new Blob([await this.#read()], { type: this.headers.get("content-type") ?? "" }); }
  async formData() {
    const type = this.headers.get("content-type") ?? "";
    return parseForm(await this.#read(), type);
  }
}
const { _set: setBody, _get: getBody, _stream: streamOf, _use: useBody } = Body;
for (const name of ["_set", "_get", "_stream", "_use"]) delete Body[name];

// share lets a clone read the same body.
function share(from, to) {
  if (from.bodyUsed || streamOf(from)?.locked) throw new TypeError("Response.clone: Body has already been consumed.");
  const body = getBody(from);
  if (body?.stream) {
    const [a, b] = body.stream.tee();
    setBody(from, { ...body, stream: a });
    setBody(to, { ...body, stream: b });
  } else setBody(to, body);
}

const methodName = (method) => {
  const upper = method.toUpperCase();
  return ["DELETE", "GET", "HEAD", "OPTIONS", "POST", "PUT"].includes(upper) ? upper : method;
};

class Request extends Body {
  constructor(input, init = {}) {
    super();
    const from = input instanceof Request ? input : null;
    let url;
    try {
      url = new URL(from ? from.url : String(input));
    } catch (cause) {
      throw new TypeError(`Failed to parse URL from ${input}`, { cause });
    }
    if (url.username || url.password) throw new TypeError(`Request cannot be constructed from a URL that includes credentials: ${url.href}`);
    const method = methodName(String(init.method ?? from?.method ?? "GET"));
    if (!/^[!#$%&'*+\-.^_`|~\w]+$/.test(method)) throw new TypeError(`'${method}' is not a valid HTTP method.`);
    if (/^(connect|trace|track)$/i.test(method)) throw new TypeError(`'${method}' HTTP method is unsupported.`);
    const body = init.body !== undefined ? extract(init.body) : from ? getBody(from) : null;
    if (body && (method === "GET" || method === "HEAD")) throw new TypeError("Request with GET/HEAD method cannot have body.");
    if (from && init.body === undefined && body) useBody(from);
    setBody(this, body);
    const headers = new Headers(init.headers ?? from?.headers);
    if (body?.type && !headers.has("content-type")) headers.set("content-type", body.type);
    const signal = init.signal !== undefined ? init.signal : from?.signal;
    Object.defineProperties(this, Object.fromEntries(Object.entries({
      url: url.href, method, headers, redirect: init.redirect ?? from?.redirect ?? "follow",
      signal: signal ?? new globalThis.AbortController().signal, credentials: init.credentials ?? "same-origin",
      mode: init.mode ?? "cors", cache: init.cache ?? "default", referrer: "about:client", integrity: init.integrity ?? "",
      keepalive: Boolean(init.keepalive), duplex: "half",
    }).map(([key, value]) => [key, { value, enumerable: true, configurable: true }])));
  }
  clone() {
    const copy = new Request(this.url, this);
    share(this, copy);
    return copy;
  }
  get [Symbol.toStringTag]() { return "Request"; }
}

class Response extends Body {
  #type = "default";
  #url = "";
  #redirected = false;
  #status;
  #statusText;
  #headers;
  constructor(body = null, init = {}) {
    super();
    const status = init?.status ?? 200;
    if (!(status >= 200 && status <= 599)) throw new RangeError('init["status"] must be in the range of 200 to 599, inclusive.');
    this.#status = Math.trunc(status);
    this.#statusText = String(init?.statusText ?? "");
    this.#headers = new Headers(init?.headers);
    const extracted = extract(body);
    if (extracted && [204, 205, 304].includes(this.#status)) throw new TypeError(`Response constructor: Invalid response status code ${this.#status}`);
    setBody(this, extracted);
    if (extracted?.type && !this.#headers.has("content-type")) this.#headers.set("content-type", extracted.type);
  }
  static _received(raw, stream) {
    const response = new Response(null);
    response.#status = raw.status;
    response.#statusText = raw.statusText;
    response.#headers = new Headers(raw.headers);
    response.#url = raw.url;
    response.#redirected = raw.redirected;
    response.#type = raw.opaque ? "opaqueredirect" : "basic";
    setBody(response, stream && { stream });
    return response;
  }
  static json(data, init = {}) {
    const response = new Response(JSON.stringify(data), init);
    if (!new Headers(init.headers).has("content-type")) response.headers.set("content-type", "application/json");
    return response;
  }
  static error() {
    const response = new Response(null);
    response.#type = "error";
    response.#status = 0;
    return response;
  }
  static redirect(url, status = 302) {
    if (![301, 302, 303, 307, 308].includes(status)) throw new RangeError(`Invalid status code ${status}`);
    return new Response(null, { status, headers: { location: new URL(url).href } });
  }
  get type() { return this.#type; }
  get url() { return this.#url; }
  get redirected() { return this.#redirected; }
  get status() { return this.#status; }
  get ok() { return this.#status >= 200 && this.#status <= 299; }
  get statusText() { return this.#statusText; }
  get headers() { return this.#headers; }
  clone() {
    const copy = new Response(null);
    copy.#status = this.#status;
    copy.#statusText = this.#statusText;
    copy.#headers = new Headers(this.#headers);
    copy.#url = this.#url;
    copy.#redirected = this.#redirected;
    copy.#type = this.#type;
    share(this, copy);
    return copy;
  }
  get [Symbol.toStringTag]() { return "Response"; }
}
const received = Response._received;
delete Response._received;

// An answer nobody reads is closed when its Response is collected.
const abandoned = typeof FinalizationRegistry === "function" ? new FinalizationRegistry((id) => sync("node.fetch.close", { id })) : null;

function bodyStream(id, signal) {
  const stream = new ReadableStream({
    async pull(controller) {
      const chunk = await call("node.fetch.read", { id }, { signal });
      if (chunk === null) controller.close();
      else controller.enqueue(fromWire(chunk));
    },
    cancel: () => sync("node.fetch.close", { id }),
  }, { highWaterMark: 0 });
  abandoned?.register(stream, id);
  return stream;
}

function dataResponse(url) {
  const m = /^data:([^,]*?)(;base64)?,(.*)$/is.exec(url);
  if (!m) throw new TypeError("fetch failed", { cause: new Error("invalid data: URL") });
  const raw = decodeURIComponent(m[3].replace(/%(?![0-9a-f]{2})/gi, "%25"));
  const bytes = m[2] ? latin1ToBytes(globalThis.atob(raw)) : utf8Encode(raw);
  return new Response(bytes, { headers: { "content-type": m[1] || "text/plain;charset=US-ASCII" } });
}

async function fetch(input, init) {
  const request = new Request(input, init);
  const { signal } = request;
  signal.throwIfAborted();
  const { protocol } = new URL(request.url);
  if (protocol === "data:") return dataResponse(request.url);
  if (protocol !== "http:" && protocol !== "https:") {
    throw new TypeError("fetch failed", { cause: new Error(`unknown scheme ${protocol}`) });
  }
  const body = getBody(request) && toWire(await request.bytes());
  let raw;
  try {
    raw = await call("node.fetch.start", {
      url: request.url, method: request.method, headers: [...request.headers], body, redirect: request.redirect,
    }, { signal });
  } catch (err) {
    if (signal.aborted) throw signal.reason;
    if (err.code === "ERR_ACCESS_DENIED") throw err;
    throw new TypeError("fetch failed", { cause: err });
  }
  return received(raw, raw.id === undefined || raw.id === null ? null : bodyStream(raw.id, signal));
}

export { fetch, Headers, Request, Response, FormData };
