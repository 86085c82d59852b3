// Host names in ASCII form: lower case, NFC, punycode. Mapping beyond that
// (the full UTS 46 table) is left out.

const base = 36;

function adapt(delta, points, first) {
  delta = first ? Math.floor(delta / 700) : delta >> 1;
  delta += Math.floor(delta / points);
  let k = 0;
  for (; delta > 455; k += base) delta = Math.floor(delta / 35);
  return k + Math.floor((36 * delta) / (delta + 38));
}

const digit = (d) => String.fromCharCode(d < 26 ? d + 97 : d + 22);
const threshold = (k, bias) => Math.min(Math.max(k - bias, 1), 26);

function punycodeEncode(label) {
  const points = Array.from(label, (c) => c.codePointAt(0));
  let out = points.filter((p) => p < 128).map((p) => String.fromCharCode(p)).join("");
  const basic = out.length;
  let done = basic;
  if (basic > 0) out += "-";
  let [n, delta, bias] = [128, 0, 72];
  while (done < points.length) {
    const next = Math.min(...points.filter((p) => p >= n));
    delta += (next - n) * (done + 1);
    n = next;
    for (const p of points) {
      if (p < n) delta++;
      if (p !== n) continue;
      let q = delta;
      for (let k = base; ; k += base) {
        const t = threshold(k, bias);
        if (q < t) break;
        out += digit(t + ((q - t) % (base - t)));
        q = Math.floor((q - t) / (base - t));
      }
      out += digit(q);
      bias = adapt(delta, done + 1, done === basic);
      delta = 0;
      done++;
    }
    delta++;
    n++;
  }
  return out;
}

function punycodeDecode(text) {
  const cut = text.lastIndexOf("-");
  const out = cut > 0 ? Array.from(text.slice(0, cut), (c) => c.codePointAt(0)) : [];
  let [n, i, bias] = [128, 0, 72];
  for (let at = cut > 0 ? cut + 1 : 0; at < text.length; ) {
    const before = i;
    let weight = 1;
    for (let k = base; ; k += base) {
      const c = text.charCodeAt(at++);
      const d = c >= 48 && c <= 57 ? c - 22 : (c | 32) >= 97 && (c | 32) <= 122 ? (c | 32) - 97 : -1;
      if (d < 0 || Number.isNaN(c)) return null;
      i += d * weight;
      const t = threshold(k, bias);
      if (d < t) break;
      weight *= base - t;
    }
    bias = adapt(i - before, out.length + 1, before === 0);
    n += Math.floor(i / (out.length + 1));
    i %= out.length + 1;
    if (n > 0x10ffff) return null;
    out.splice(i++, 0, n);
  }
  return String.fromCodePoint(...out);
}

// toAscii returns null for a name that has no ASCII form.
function toAscii(domain) {
  if (!/[^\x00-\x7f]/.test(domain)) {
    const lower = domain.toLowerCase();
    return lower.split(".").some((l) => l.startsWith("xn--") && punycodeDecode(l.slice(4)) === null) ? null : lower;
  }
  // Soft hyphens and joiners vanish; full-width forms fold under NFKC.
  const mapped = domain.replace(/[\u00ad\u200b\u2060\ufe00-\ufe0f\ufeff]/g, "").replace(/[\u3002\uff0e\uff61]/g, ".")
    .normalize("NFKC").toLowerCase().normalize("NFC");
  const labels = mapped.split(".");
  if (labels.some((l) => l.startsWith("xn--") && /[^\x00-\x7f]/.test(l))) return null;
  if (labels.some((l) => /[\ud800-\udfff\u0080-\u009f\u202a-\u202e\ufffd]/.test(l.replace(/[\ud800-\udbff][\udc00-\udfff]/g, "")))) return null;
  return labels.map((l) => (/[^\x00-\x7f]/.test(l) ? "xn--" + punycodeEncode(l) : l)).join(".");
}

function toUnicode(domain) {
  return domain.split(".").map((l) => (l.startsWith("xn--") ? punycodeDecode(l.slice(4)) ?? l : l)).join(".");
}

export { toAscii, toUnicode };
