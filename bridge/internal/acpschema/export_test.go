package acpschema

const Variable = variable
