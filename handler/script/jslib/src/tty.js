// node:tty. What a module writes goes to the host, so nothing of it is a terminal.
const isatty = () => false;

export { isatty };
export default { isatty };
