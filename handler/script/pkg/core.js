// The agent loop itself is the host's; modules import types from here, and
// these few values.
export const ThinkingLevel = { Off: "off", Minimal: "minimal", Low: "low", Medium: "medium", High: "high", XHigh: "xhigh" };
