// Package gemini is the dialects of Gemini CLI and of Qwen Code, which grew out of it: both
// have its tools, and Qwen the answers of Claude Code.
package gemini
