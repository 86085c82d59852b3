// A game in a custom component: timers, keys, colours, saved state.
import type { ExtensionAPI } from "@mariozechner/pi-coding-agent";
import { matchesKey, type TUI, visibleWidth } from "@mariozechner/pi-tui";

type Point = { x: number; y: number };
type Direction = "up" | "down" | "left" | "right";
const steps: Record<Direction, Point> = {
	up: { x: 0, y: -1 },
	down: { x: 0, y: 1 },
	left: { x: -1, y: 0 },
	right: { x: 1, y: 0 },
};

class Snake {
	private body: Point[] = [{ x: 2, y: 2 }];
	private direction: Direction = "right";
	private timer: ReturnType<typeof setInterval> | undefined;
	score = 0;

	constructor(
		private tui: TUI,
		private paint: (text: string) => string,
		private done: (score: number) => void,
		private food: Point = { x: 4, y: 2 },
	) {
		this.timer = setInterval(() => this.step(), 5);
	}

	private step(): void {
		const head = this.body[0];
		const by = steps[this.direction];
		const next = { x: head.x + by.x, y: head.y + by.y };
		if (next.x < 0 || next.y < 0 || next.x > 9 || next.y > 4) return this.end();
		this.body.unshift(next);
		if (next.x === this.food.x && next.y === this.food.y) {
			this.score++;
			this.food = { x: -1, y: -1 };
		} else this.body.pop();
		this.tui.requestRender();
	}

	handleInput(data: string): void {
		for (const direction of Object.keys(steps) as Direction[]) {
			if (matchesKey(data, direction)) this.direction = direction;
		}
		if (matchesKey(data, "escape")) this.end();
	}

	private end(): void {
		clearInterval(this.timer);
		this.done(this.score);
	}

	render(width: number): string[] {
		const lines = [`Score ${this.score}`];
		for (let y = 0; y < 5; y++) {
			let line = "";
			for (let x = 0; x < 10; x++) {
				if (this.body.some((p) => p.x === x && p.y === y)) line += this.paint("■");
				else line += this.food.x === x && this.food.y === y ? "*" : "·";
			}
			lines.push(line);
		}
		if (lines.some((l) => visibleWidth(l) > width)) return ["too narrow"];
		return lines;
	}

	invalidate(): void {}
}

export default function (pi: ExtensionAPI) {
	pi.registerCommand("snake", {
		description: "Play",
		handler: async (_args, ctx) => {
			const best = ctx.sessionManager.getEntries().filter((e) => e.type === "custom" && e.customType === "snake").length;
			const score = await ctx.ui.custom<number>((tui, theme, _keys, done) => new Snake(tui, (s) => theme.fg("accent", s), done));
			pi.appendEntry("snake", { score, best });
			ctx.ui.notify(`You scored ${score}`, score > 0 ? "info" : "warning");
		},
	});
}
