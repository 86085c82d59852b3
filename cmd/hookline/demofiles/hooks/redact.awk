#!/usr/bin/awk -f
# Replaces API keys in what a tool returned, before the model sees it: the same
# as the Python one, for a machine without Python.
{
  line = $0
  if (!match(line, /"tool_response":/)) next
  rest = substr(line, RSTART + RLENGTH)
  depth = 0; quoted = 0; out = ""
  for (i = 1; i <= length(rest); i++) {
    c = substr(rest, i, 1)
    out = out c
    if (quoted) { if (c == "\\") { i++; out = out substr(rest, i, 1) } else if (c == "\"") quoted = 0; continue }
    if (c == "\"") quoted = 1
    if (c == "{" || c == "[") depth++
    if (c == "}" || c == "]") { depth--; if (depth == 0) break }
  }
  before = out
  gsub(/API_KEY=[A-Za-z0-9_-]+/, "API_KEY=[redacted]", out)
  if (out != before)
    print "{\"hookSpecificOutput\":{\"hookEventName\":\"PostToolUse\",\"updatedToolOutput\":" out ",\"additionalContext\":\"A key in the output was redacted.\"}}"
}
