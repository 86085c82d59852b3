// Adds a ticket's notes to a prompt that names the ticket: PROJ-12 in the prompt
// brings tickets/PROJ-12.md of the project along.
import { readFileSync } from "node:fs";
import { join } from "node:path";

const event = JSON.parse(readFileSync(0, "utf8"));
const notes = [];
for (const id of new Set(event.prompt.match(/\b[A-Z]{2,10}-\d{1,6}\b/g) ?? [])) {
  try {
    const text = readFileSync(join(process.env.CLAUDE_PROJECT_DIR, "tickets", `${id}.md`), "utf8");
    notes.push(`${id}:\n${text}`);
  } catch {
    // there are no notes on this ticket
  }
}
if (notes.length > 0) {
  console.log(
    JSON.stringify({
      hookSpecificOutput: { hookEventName: "UserPromptSubmit", additionalContext: notes.join("\n") },
    }),
  );
}
