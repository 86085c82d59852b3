// A tool with state that is rebuilt from the session, and a drawing of its own.
import type { ExtensionAPI } from "@mariozechner/pi-coding-agent";
import { StringEnum } from "@mariozechner/pi-ai";
import { Text } from "@mariozechner/pi-tui";
import { Type } from "@sinclair/typebox";

interface Todo {
	id: number;
	text: string;
	done: boolean;
}

export default function (pi: ExtensionAPI) {
	let todos: Todo[] = [];

	pi.on("session_start", (_event, ctx) => {
		for (const entry of ctx.sessionManager.getBranch()) {
			if (entry.type === "message" && entry.message.role === "toolResult" && entry.message.toolName === "todo") {
				todos = entry.message.details.todos;
			}
		}
	});

	pi.registerTool({
		name: "todo",
		label: "Todo",
		description: "Keep a list of things to do",
		parameters: Type.Object({
			action: StringEnum(["list", "add", "toggle"] as const),
			text: Type.Optional(Type.String()),
			id: Type.Optional(Type.Number()),
		}),
		async execute(_id, params, signal, onUpdate, _ctx) {
			if (signal?.aborted) throw new Error("aborted");
			if (params.action === "add") todos = [...todos, { id: todos.length + 1, text: params.text ?? "", done: false }];
			if (params.action === "toggle") {
				const todo = todos.find((t) => t.id === params.id);
				if (!todo) throw new Error(`no todo #${params.id}`);
				todo.done = !todo.done;
			}
			onUpdate?.({ content: [{ type: "text", text: `${todos.length} todos` }], details: undefined });
			const lines = todos.map((t) => `[${t.done ? "x" : " "}] #${t.id} ${t.text}`);
			return { content: [{ type: "text", text: lines.join("\n") || "nothing to do" }], details: { todos: structuredClone(todos) } };
		},
		renderResult(result, { expanded }, theme) {
			const list: Todo[] = result.details.todos;
			const shown = expanded ? list : list.filter((t) => !t.done);
			return new Text(shown.map((t) => (t.done ? theme.strikethrough(t.text) : theme.bold(t.text))).join("\n"), 0, 0);
		},
	});
}
