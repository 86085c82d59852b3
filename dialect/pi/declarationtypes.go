package pi

// commonTypes are types that handlers, commands and tools share.
const commonTypes = `
	export type Content = { type: "text"; text: string } | { type: "image"; data: string; mimeType: string };
	export interface Message { role: string; content?: any; customType?: string; [key: string]: any }
	export interface CustomMessage { customType: string; content: string | Content[]; display: boolean; details?: unknown }
	export interface Compaction { summary: string; firstKeptEntryId: string; tokensBefore: number; details?: unknown }
	export interface DialogOptions { signal?: AbortSignal; timeout?: number; initialIndex?: number }
	export interface UI {
		select(title: string, choices: (string | { label?: string; value?: string })[], options?: DialogOptions): Promise<string | undefined>;
		confirm(title: string, message: string, options?: DialogOptions): Promise<boolean>;
		input(title: string, placeholder?: string, options?: DialogOptions): Promise<string | undefined>;
		editor(title: string, prefill?: string, options?: DialogOptions): Promise<string | undefined>;
		custom<T = any>(factory: (tui: any, theme: any, keybindings: any, done: (value: T) => void) => any, options?: any): Promise<T>;
		notify(message: string, level?: "info" | "success" | "warning" | "error"): void;
		setStatus(key: string, text: string | undefined): void;
		setTitle(title: string): void;
		setEditorText(text: string): void;
		pasteToEditor(text: string): void;
		getEditorText(): string;
		readonly theme: any;
		getAllThemes(): { name: string; path: string | undefined }[];
		getTheme(name: string): any;
		setTheme(theme: any): { success: boolean; error?: string };
		setWidget(key: string, content: string[] | ((tui: any, theme: any) => any) | undefined, options?: { placement?: "aboveEditor" | "belowEditor" }): void;
		setFooter(content: ((tui: any, theme: any, footer: any) => any) | undefined): void;
		setHeader(content: ((tui: any, theme: any) => any) | undefined): void;
		setWorkingMessage(content?: string): void;
		setWorkingVisible(visible: boolean): void;
		setWorkingIndicator(options?: any): void;
		setHiddenThinkingLabel(label?: string): void;
		setToolsExpanded(expanded: boolean): void;
		getToolsExpanded(): boolean;
		setEditorComponent(factory: ((tui: any, theme: any, keybindings: any) => any) | undefined): void;
		getEditorComponent(): any;
		addAutocompleteProvider(factory: (...args: any[]) => any): void;
		onTerminalInput(handler: (data: string) => any): () => void;
	}
	export interface HookContext {
		ui: UI;
		hasUI: boolean;
		mode: string;
		cwd: string;
		sessionManager: any;
		modelRegistry: any;
		model?: any;
		scopedModels: readonly any[];
		thinkingLevel: string;
		isProjectTrusted(): boolean;
		signal?: AbortSignal;
		isIdle(): boolean;
		abort(): void;
		shutdown(): void;
		hasQueuedMessages(): boolean;
		hasPendingMessages(): boolean;
		getContextUsage(): any;
		getSystemPrompt(): string;
		compact(options?: string | { customInstructions?: string; onComplete?: (result: any) => void; onError?: (error: any) => void }): Promise<any>;
	}
	export interface Replaced extends HookCommandContext {
		sendMessage(message: CustomMessage, options?: Delivery): Promise<void>;
		sendUserMessage(content: string | Content[], options?: Delivery): Promise<void>;
	}
	export interface HookCommandContext extends HookContext {
		waitForIdle(): Promise<void>;
		getSystemPromptOptions(): any;
		newSession(options?: { parentSession?: string; setup?: (sm: any) => void | Promise<void>; withSession?: (ctx: Replaced) => void | Promise<void> }): Promise<{ cancelled: boolean }>;
		branch(entryId: string): Promise<{ cancelled: boolean }>;
		fork(entryId: string, options?: { position?: "before" | "at"; withSession?: (ctx: Replaced) => void | Promise<void> }): Promise<{ cancelled: boolean }>;
		navigateTree(id: string, options?: { summarize?: boolean; customInstructions?: string; replaceInstructions?: boolean; label?: string }): Promise<{ cancelled: boolean }>;
		switchSession(path: string, options?: { withSession?: (ctx: Replaced) => void | Promise<void> }): Promise<{ cancelled: boolean }>;
		reload(): Promise<void>;
	}
	export interface Tool {
		name: string; label?: string; description?: string; parameters?: any;
		execute(toolCallId: string, params: any, signal: AbortSignal | undefined, onUpdate: any, ctx: HookContext): any;
		renderCall?(args: any, theme: any, context: any): any;
		renderResult?(result: any, options: any, theme: any, context: any): any;
		[member: string]: any;
	}
	export function defineTool<T extends Tool>(tool: T): T;
	export interface ExecResult { stdout: string; stderr: string; code: number; killed: boolean; truncated: boolean }
	export type Delivery = boolean | { triggerTurn?: boolean; deliverAs?: "steer" | "followUp" | "nextTurn" };
	type Handler<E, R> = (event: E, ctx: HookContext) => R | void | Promise<R | void>;
`

// apiMembers are the members of what a module gets, besides on.
const apiMembers = `		sendMessage(message: CustomMessage, options?: Delivery): void;
		sendUserMessage(content: string | Content[], options?: Delivery): void;
		appendEntry<T = any>(customType: string, data?: T): void;
		registerMessageRenderer<T = any>(customType: string, renderer: (message: any, options: { expanded: boolean }, theme: any) => any): void;
		registerEntryRenderer<T = any>(customType: string, renderer: (entry: any, options: { expanded: boolean }, theme: any) => any): void;
		registerAssistantThinkingRenderer(renderer: (...args: any[]) => any): void;
		registerCommand(name: string, command: { description?: string; getArgumentCompletions?(prefix: string): any; handler(args: string, ctx: HookCommandContext): any }): void;
		registerShortcut(key: string, shortcut: { description?: string; handler(ctx: HookCommandContext): any }): void;
		registerFlag(name: string, options?: { description?: string; type?: "boolean" | "string"; default?: boolean | string }): void;
		getFlag(name: string): boolean | string | undefined;
		registerTool(tool: Tool): void;
		registerProvider(name: string, config: any): void;
		unregisterProvider(name: string): void;
		registerVirtualModel(...args: any[]): void;
		unregisterVirtualModel(...args: any[]): void;
		registerMcpServer(...args: any[]): void;
		unregisterMcpServer(...args: any[]): void;
		getMcpServers(): any[];
		getSettings(): any;
		registerToolRenderer(...args: any[]): void;
		registerMarkdownTransformer(...args: any[]): void;
		setLabel(entryId: string, label?: string): void;
		setSessionName(name: string): void;
		getSessionName(): string | undefined;
		getActiveTools(): string[];
		getAllTools(): any[];
		setActiveTools(names: string[]): void;
		getCommands(): any[];
		setModel(model: any): Promise<boolean>;
		getThinkingLevel(): any;
		setThinkingLevel(level: string): void;
		exec(command: string, args: string[], options?: { signal?: AbortSignal; timeout?: number; cwd?: string }): Promise<ExecResult>;
		events: { on(channel: string, listener: (data: any) => any): () => void; emit(channel: string, data?: unknown): void };
		logger: { debug(...args: any[]): void; info(...args: any[]): void; warn(...args: any[]): void; error(...args: any[]): void };
		typebox: any;
		zod: any;
		pi: any;
`

// looseTypes are types of the host's packages by which modules annotate what is any here.
var looseTypes = map[string]string{
	"pi-coding-agent": `Theme BashOperations ReadOperations WriteOperations EditOperations FindOperations GrepOperations LsOperations
		KeybindingsManager SessionEntry SessionMessageEntry SessionBeforeSwitchEvent TruncationResult ToolExecutionMode ToolInfo SlashCommandInfo
		BuildSystemPromptOptions WorkingIndicatorOptions BashToolDetails EditToolDetails ReadToolDetails GrepToolDetails GrepToolInput LsToolDetails FindToolDetails
		ToolDefinition ToolCallEvent ToolResultEvent SessionManager ReadonlySessionManager ModelRegistry ProjectTrustEventResult`,
	"pi-tui": `Component TUI Focusable AutocompleteItem AutocompleteProvider AutocompleteSuggestions OverlayHandle OverlayOptions OverlayAnchor
		SelectItem SelectListTheme SettingItem EditorTheme EditorComponent EditorOptions MarkdownTheme KeyId Terminal`,
	"pi-ai": `Message AssistantMessage UserMessage ToolResultMessage TextContent ImageContent ThinkingContent ToolCall Tool Model Api Context Usage StopReason
		Provider KnownProvider ThinkingLevel OAuthCredentials OAuthLoginCallbacks SimpleStreamOptions StreamOptions AssistantMessageEvent AssistantMessageEventStream`,
	"pi-agent-core": `AgentMessage AgentTool AgentToolResult AgentToolUpdateCallback ThinkingLevel AgentState AgentEvent`,
}
