// node:os
import { sync } from "hookline:host";

let known;
const info = () => (known ??= sync("node.os.info"));
const live = () => sync("node.os.info");

const arch = () => info().arch;
const platform = () => info().platform;
const type = () => info().type;
const release = () => info().release;
const version = () => info().version;
const machine = () => info().machine;
const hostname = () => info().hostname;
const endianness = () => info().endianness;
const homedir = () => globalThis.process.env[platform() === "win32" ? "USERPROFILE" : "HOME"] || info().homedir;
function tmpdir() {
  const { env } = globalThis.process;
  const dir = platform() === "win32" ? env.TEMP || env.TMP || info().tmpdir : env.TMPDIR || env.TMP || env.TEMP || "/tmp";
  return dir.length > 1 ? dir.replace(/(?<!:)[/\\]$/, "") : dir;
}
const cpus = () => info().cpus.map((cpu) => ({ ...cpu, times: { user: 0, nice: 0, sys: 0, idle: 0, irq: 0 } }));
const availableParallelism = () => info().cpus.length;
const totalmem = () => info().totalmem;
const freemem = () => live().freemem;
const uptime = () => live().uptime;
const loadavg = () => live().loadavg;
const networkInterfaces = () => ({});
const userInfo = () => ({ ...info().user });
const getPriority = () => 0;
const setPriority = () => {};

const EOL = info().platform === "win32" ? "\r\n" : "\n";
const devNull = info().platform === "win32" ? "\\\\.\\nul" : "/dev/null";
const constants = {
  signals: info().signals,
  errno: Object.fromEntries(Object.entries(sync("node.os.errnos")).map(([name, e]) => [name, e.errno])),
  priority: { PRIORITY_LOW: 19, PRIORITY_BELOW_NORMAL: 10, PRIORITY_NORMAL: 0, PRIORITY_ABOVE_NORMAL: -7, PRIORITY_HIGH: -14, PRIORITY_HIGHEST: -20 },
};
for (const fn of [arch, platform, type, release, version, machine, hostname, homedir, tmpdir, endianness]) {
  fn[Symbol.toPrimitive] = () => fn();
}

export {
  EOL, arch, availableParallelism, constants, cpus, devNull, endianness, freemem, getPriority, homedir, hostname, loadavg,
  machine, networkInterfaces, platform, release, setPriority, tmpdir, totalmem, type, uptime, userInfo, version,
};
