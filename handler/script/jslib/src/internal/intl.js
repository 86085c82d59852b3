// A small Intl, English (United States) only: NumberFormat, DateTimeFormat,
// PluralRules, RelativeTimeFormat, ListFormat and Collator. Time zones come
// from the host.
import { sync } from "hookline:host";

const group = (digits) => digits.replace(/\B(?=(\d{3})+(?!\d))/g, ",");
const symbols = { USD: "$", EUR: "€", GBP: "£", JPY: "¥", CNY: "CN¥", INR: "₹", KRW: "₩", BRL: "R$", CAD: "CA$", AUD: "A$", MXN: "MX$", ILS: "₪", VND: "₫", NZD: "NZ$" };
const noCents = ["JPY", "KRW", "VND"];

// fixed writes |n| with at most max and at least min fraction digits.
function fixed(n, min, max) {
  let text = decimalRound(n, max);
  if (max > min && text.includes(".")) text = text.replace(new RegExp(`(\\.\\d{${min}}\\d*?)0+$`), "$1").replace(/\.$/, "");
  return text;
}

// decimalRound rounds half away from zero on the shortest decimal form, which
// is what people expect of 1.005.
function decimalRound(n, digits) {
  const plain = n >= 1e21 ? String(BigInt(n)) : String(n);
  if (!/^\d+(\.\d+)?$/.test(plain)) return n.toFixed(Math.min(digits, 100));
  const [whole, fraction = ""] = plain.split(".");
  if (fraction.length <= digits) return digits > 0 ? `${whole}.${fraction.padEnd(digits, "0")}` : whole;
  let scaled = BigInt(whole + fraction.slice(0, digits));
  if (fraction[digits] >= "5") scaled += 1n;
  const text = String(scaled).padStart(digits + 1, "0");
  return digits > 0 ? `${text.slice(0, -digits)}.${text.slice(-digits)}` : text;
}

function significant(n, min, max) {
  if (n === 0) return min > 1 ? "0." + "0".repeat(min - 1) : "0";
  const rounded = Number(n.toPrecision(max));
  const exponent = Math.floor(Math.log10(rounded));
  const places = Math.max(0, max - 1 - exponent);
  return fixed(rounded, Math.max(0, min - 1 - exponent), Math.min(places, 100));
}

class NumberFormat {
  #options;
  constructor(locales, options = {}) {
    const style = options.style ?? "decimal";
    const currency = options.currency?.toUpperCase();
    if (style === "currency" && !currency) throw new TypeError("Currency code is required with currency style.");
    const compact = options.notation === "compact";
    const cents = style === "currency" ? (noCents.includes(currency) ? 0 : 2) : 0;
    const min = options.minimumFractionDigits ?? Math.min(cents, options.maximumFractionDigits ?? cents);
    const max = options.maximumFractionDigits ?? Math.max(min, style === "currency" ? cents : style === "percent" || compact ? 0 : 3);
    if (min > max || min < 0 || max > 100) throw new RangeError("maximumFractionDigits value is out of range.");
    this.#options = { ...options, style, currency, min, max, compact };
    this.format = (value) => this.#text(value);
  }
  #digits(n) {
    const { min, max, minimumSignificantDigits, maximumSignificantDigits, minimumIntegerDigits = 1, useGrouping = true, compact } = this.#options;
    let text;
    if (minimumSignificantDigits || maximumSignificantDigits) text = significant(n, minimumSignificantDigits ?? 1, maximumSignificantDigits ?? 21);
    else if (compact && this.#options.maximumFractionDigits === undefined && n < 100) text = significant(n, 1, 2);
    else text = fixed(n, min, max);
    const [whole, fraction] = text.split(".");
    const padded = whole.padStart(minimumIntegerDigits, "0");
    const grouped = useGrouping === false || (compact && padded.length < 5) ? padded : group(padded);
    return grouped + (fraction ? `.${fraction}` : "");
  }
  #text(value) {
    const { style, currency, compact, signDisplay = "auto", unit } = this.#options;
    let n = value;
    let text;
    const negative = typeof value === "bigint" ? value < 0n : (n = Number(value)) < 0 || Object.is(n, -0);
    if (typeof value === "bigint") {
      text = group(String(negative ? -value : value)) + (this.#options.min > 0 ? `.${"0".repeat(this.#options.min)}` : "");
    } else if (Number.isNaN(n)) text = "NaN";
    else if (!Number.isFinite(n)) text = "∞";
    else {
      let size = Math.abs(n) * (style === "percent" ? 100 : 1);
      let suffix = "";
      if (compact) {
        for (const [limit, mark] of [[1e12, "T"], [1e9, "B"], [1e6, "M"], [1e3, "K"]]) {
          if (size >= limit) {
            size /= limit;
            suffix = mark;
            break;
          }
        }
      }
      text = this.#digits(size) + suffix;
    }
    if (style === "percent") text += "%";
    if (style === "currency") text = (this.#options.currencyDisplay === "code" ? `${currency}\u00a0` : symbols[currency] ?? `${currency}\u00a0`) + text;
    if (style === "unit") text += ` ${unit}`;
    const zero = /^[^1-9]*$/.test(text);
    if (signDisplay === "never") return text;
    if (negative && !(zero && signDisplay === "exceptZero")) return `-${text}`;
    if (signDisplay === "always" || (signDisplay === "exceptZero" && !zero)) return `+${text}`;
    return text;
  }
  resolvedOptions() {
    const { style, currency, min, max, notation = "standard" } = this.#options;
    return { locale: "en-US", numberingSystem: "latn", style, ...(currency && { currency }), minimumFractionDigits: min, maximumFractionDigits: max, notation };
  }
  static supportedLocalesOf() { return ["en-US"]; }
}

const weekdays = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];
const months = ["January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December"];
const two = (n) => String(n).padStart(2, "0");

// partsOf reads a moment's fields in a time zone: null for the local one.
function partsOf(date, zone) {
  const { offset, name } = zone === null
    ? { offset: -date.getTimezoneOffset(), name: "" }
    : zone === "UTC" ? { offset: 0, name: "UTC" } : sync("node.time.zone", { zone, ms: date.getTime() });
  const local = new Date(date.getTime() + offset * 60000);
  return {
    year: local.getUTCFullYear(), month: local.getUTCMonth(), day: local.getUTCDate(), weekday: local.getUTCDay(),
    hour: local.getUTCHours(), minute: local.getUTCMinutes(), second: local.getUTCSeconds(), ms: local.getUTCMilliseconds(), zoneName: name,
  };
}

const dateStyles = {
  full: { weekday: "long", year: "numeric", month: "long", day: "numeric" },
  long: { year: "numeric", month: "long", day: "numeric" },
  medium: { year: "numeric", month: "short", day: "numeric" },
  short: { year: "2-digit", month: "numeric", day: "numeric" },
};
const timeStyles = {
  full: { hour: "numeric", minute: "2-digit", second: "2-digit", timeZoneName: "short" },
  long: { hour: "numeric", minute: "2-digit", second: "2-digit", timeZoneName: "short" },
  medium: { hour: "numeric", minute: "2-digit", second: "2-digit" },
  short: { hour: "numeric", minute: "2-digit" },
};
const dateKeys = ["weekday", "year", "month", "day"];
const timeKeys = ["hour", "minute", "second", "fractionalSecondDigits"];

class DateTimeFormat {
  #options;
  #zone;
  constructor(locales, options = {}, defaults = "date") {
    const { dateStyle, timeStyle, timeZone } = options;
    let fields = { ...options, ...dateStyles[dateStyle], ...timeStyles[timeStyle] };
    if (![...dateKeys, ...timeKeys].some((key) => fields[key] !== undefined)) {
      if (defaults !== "time") fields = { ...fields, year: "numeric", month: "numeric", day: "numeric" };
      if (defaults !== "date") fields = { ...fields, hour: "numeric", minute: "2-digit", second: "2-digit" };
    }
    this.#options = { ...fields, joiner: dateStyle === "full" || dateStyle === "long" ? " at " : ", " };
    this.#zone = timeZone === undefined ? null : /^(utc|gmt|etc\/utc)$/i.test(timeZone) ? "UTC" : timeZone;
    if (this.#zone) partsOf(new Date(0), this.#zone);
    this.format = (value) => this.#text(value === undefined ? new Date() : new Date(value));
  }
  #date(p) {
    const o = this.#options;
    const year = o.year && (o.year === "2-digit" ? two(p.year % 100) : String(p.year));
    const day = o.day && (o.day === "2-digit" ? two(p.day) : String(p.day));
    const weekday = o.weekday && (o.weekday === "long" ? weekdays[p.weekday] : weekdays[p.weekday].slice(0, o.weekday === "short" ? 3 : 1));
    if (o.month === "long" || o.month === "short" || o.month === "narrow") {
      const month = o.month === "long" ? months[p.month] : months[p.month].slice(0, o.month === "short" ? 3 : 1);
      const monthDay = [month, day].filter(Boolean).join(" ");
      return [weekday, day ? [monthDay, year].filter(Boolean).join(", ") : [month, year].filter(Boolean).join(" ")].filter(Boolean).join(", ");
    }
    const month = o.month && (o.month === "2-digit" ? two(p.month + 1) : String(p.month + 1));
    return [weekday, [month, day, year].filter(Boolean).join("/")].filter(Boolean).join(", ");
  }
  #time(p) {
    const o = this.#options;
    const half = o.hour12 ?? (o.hourCycle ? o.hourCycle.startsWith("h1") : true);
    const pieces = [];
    if (o.hour) {
      const h = half ? p.hour % 12 || 12 : p.hour;
      pieces.push(o.hour === "2-digit" || !half ? two(h) : String(h));
    }
    if (o.minute) pieces.push(o.hour || o.second || o.minute === "2-digit" && o.hour ? two(p.minute) : String(p.minute));
    if (o.second) pieces.push((o.minute ? two(p.second) : String(p.second)) + (o.fractionalSecondDigits ? "." + String(p.ms).padStart(3, "0").slice(0, o.fractionalSecondDigits) : ""));
    let text = pieces.join(":");
    if (o.hour && half) text += p.hour < 12 ? " AM" : " PM";
    if (o.timeZoneName && text) text += ` ${p.zoneName || zoneNow()}`;
    return text;
  }
  #text(date) {
    if (Number.isNaN(date.getTime())) throw new RangeError("Invalid time value");
    const p = partsOf(date, this.#zone);
    return [this.#date(p), this.#time(p)].filter(Boolean).join(this.#options.joiner);
  }
  resolvedOptions() {
    return { locale: "en-US", calendar: "gregory", numberingSystem: "latn", timeZone: this.#zone ?? zoneNow() };
  }
  static supportedLocalesOf() { return ["en-US"]; }
}
const zoneNow = () => sync("node.time.local");

class PluralRules {
  #ordinal;
  constructor(locales, { type } = {}) { this.#ordinal = type === "ordinal"; }
  select(n) {
    if (!this.#ordinal) return n === 1 ? "one" : "other";
    const [ten, hundred] = [n % 10, n % 100];
    if (ten === 1 && hundred !== 11) return "one";
    if (ten === 2 && hundred !== 12) return "two";
    return ten === 3 && hundred !== 13 ? "few" : "other";
  }
}

class RelativeTimeFormat {
  #auto;
  constructor(locales, { numeric } = {}) { this.#auto = numeric === "auto"; }
  format(value, unit) {
    unit = String(unit).replace(/s$/, "");
    if (this.#auto && unit === "day" && Math.abs(value) <= 1) return { "-1": "yesterday", 0: "today", 1: "tomorrow" }[value + 0];
    if (this.#auto && unit === "second" && value === 0) return "now";
    if (this.#auto && Math.abs(value) <= 1) return { "-1": `last ${unit}`, 0: `this ${unit}`, 1: `next ${unit}` }[value + 0];
    const size = Math.abs(value);
    const text = `${new NumberFormat().format(size)} ${unit}${size === 1 ? "" : "s"}`;
    return value < 0 || Object.is(value, -0) ? `${text} ago` : `in ${text}`;
  }
}

class ListFormat {
  #word;
  constructor(locales, { type = "conjunction" } = {}) { this.#word = { conjunction: "and", disjunction: "or" }[type] ?? ""; }
  format(list) {
    const items = [...list];
    if (items.length < 2) return items.join("");
    const word = this.#word && `${this.#word} `;
    if (items.length === 2) return this.#word ? `${items[0]} ${word}${items[1]}` : items.join(", ");
    return `${items.slice(0, -1).join(", ")}, ${word}${items.at(-1)}`;
  }
}

class Collator {
  #options;
  constructor(locales, options = {}) {
    this.#options = options;
    this.compare = (a, b) => this.#compare(String(a), String(b));
  }
  #compare(a, b) {
    const { numeric, sensitivity = "variant" } = this.#options;
    const fold = (s) => s.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();
    const order = numeric ? compareNumeric(fold(a), fold(b)) : compareText(fold(a), fold(b));
    if (order !== 0 || sensitivity === "base") return order;
    if (sensitivity === "accent") return compareText(a.toLowerCase(), b.toLowerCase());
    // Lower case goes first among equals.
    return -compareText(a, b);
  }
}
const compareText = (a, b) => (a < b ? -1 : a > b ? 1 : 0);
function compareNumeric(a, b) {
  const [x, y] = [a, b].map((s) => s.split(/(\d+)/));
  for (let i = 0; i < Math.min(x.length, y.length); i++) {
    const order = i % 2 ? Math.sign(Number(x[i]) - Number(y[i])) : compareText(x[i], y[i]);
    if (order !== 0) return order;
  }
  return Math.sign(x.length - y.length);
}

const Intl = {
  NumberFormat, DateTimeFormat, PluralRules, RelativeTimeFormat, ListFormat, Collator,
  getCanonicalLocales: (locales) => (locales === undefined ? [] : [].concat(locales)),
};
// Intl's constructors may be called without new.
for (const name of ["NumberFormat", "DateTimeFormat", "Collator"]) {
  Intl[name] = new Proxy(Intl[name], { apply: (target, thisArg, args) => new target(...args) });
}
Object.defineProperty(Intl, Symbol.toStringTag, { value: "Intl" });

const dateText = (defaults) => function (locales, options) {
  if (Number.isNaN(this.getTime())) return "Invalid Date";
  return new DateTimeFormat(locales, options, defaults).format(this);
};
const localized = {
  toLocaleString(locales, options) { return new NumberFormat(locales, options).format(this.valueOf()); },
  toLocaleDateTimeString: dateText("both"),
  toLocaleDateString: dateText("date"),
  toLocaleTimeString: dateText("time"),
};

export { Intl, localized };
