package codex

const Name = name
