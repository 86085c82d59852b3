// Leaves messages of the type "debug" out of what the model sees. The session keeps
// them: the rewrite holds for one call of the model.
export default function (pi) {
  pi.on("context", (event) => {
    const messages = event.messages.filter((m) => m.customType !== "debug");
    if (messages.length < event.messages.length) return { messages };
  });
}
