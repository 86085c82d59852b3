// This asks Hookline's hooks about what the agent does. # hookline bridge
// 'hookline bridge install HOOKLINE_HOST' wrote it, 'hookline bridge remove HOOKLINE_HOST' takes it away.
import { spawn } from "node:child_process"

const COMMAND = HOOKLINE_COMMAND
const EVENTS = HOOKLINE_EVENTS

// ask puts an event to the hooks and returns what they answer, null where they say nothing.
// Whatever goes wrong is thrown: nothing is allowed unasked.
function ask(event, cwd, payload) {
  if (!EVENTS.includes(event)) return null
  return new Promise((resolve, reject) => {
    const child = spawn(COMMAND[0], [...COMMAND.slice(1), "HOOKLINE_HOST", event], { cwd })
    const said = { out: "", err: "" }
    child.stdout.setEncoding("utf8").on("data", (text) => (said.out += text))
    child.stderr.setEncoding("utf8").on("data", (text) => (said.err += text))
    child.stdin.on("error", () => {}) // one that ends early is judged by its answer
    child.on("error", (e) => reject(new Error(`Hookline cannot be started (${e.message}): install it again, or run 'hookline bridge remove HOOKLINE_HOST'`)))
    child.on("close", (code) => {
      if (code !== 0) return reject(new Error(said.err.trim() || `Hookline ended with ${code}`))
      try {
        resolve(said.out.trim() ? JSON.parse(said.out) : null)
      } catch (e) {
        reject(new Error(`Hookline's answer cannot be read: ${e.message}`))
      }
    })
    child.stdin.end(JSON.stringify(payload))
  })
}
