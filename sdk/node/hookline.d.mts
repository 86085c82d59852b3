/** The input of an event in canonical form; docs/events.md has the members of each. */
export interface Event {
  hook_event_name: string;
  session_id: string;
  transcript_path: string;
  cwd: string;
  permission_mode?: string;
  agent_id?: string;
  agent_type?: string;
  tool_name?: string;
  tool_input?: any;
  tool_use_id?: string;
  tool_response?: any;
  prompt?: string;
  [member: string]: any;
}

/** A hook's answer; docs/worker-protocol.md has all members. */
export interface Result {
  decision?: "allow" | "ask" | "defer" | "deny" | "none";
  reason?: string;
  continue?: boolean;
  stop_reason?: string;
  system_message?: string;
  notice?: string;
  suppress_output?: boolean;
  context?: string[];
  context_files?: string[];
  updated_input?: object | null;
  input_patch?: boolean;
  updated_output?: unknown;
  is_error?: boolean;
  updated_prompt?: string;
  messages?: Message[];
  inject?: { custom_type: string; content?: unknown; display?: boolean; details?: unknown };
  follow_ups?: string[];
  cancel?: boolean;
  skip_conversation_restore?: boolean;
  compaction?: { summary: string; first_kept_entry_id: string; tokens_before?: number; details?: unknown };
  summary?: { summary: string; details?: unknown };
  compacting?: { context?: string[]; prompt?: string; preserve_data?: unknown };
  permission_updates?: object[];
  interrupt?: boolean;
  session_title?: string;
  initial_user_message?: string;
  watch_paths?: string[];
  reload_skills?: boolean;
  suppress_original_prompt?: boolean;
  system_prompt?: string;
  handled?: boolean;
  retry?: boolean;
  display_content?: string;
  worktree_path?: string;
  elicitation_action?: "accept" | "decline" | "cancel";
  elicitation_content?: unknown;
  classifier_context?: string;
  terminal_sequence?: string;
  resource_paths?: unknown;
  message?: Message;
}

export interface Message {
  role: string;
  content?: unknown;
  [member: string]: unknown;
}

export interface ExecResult {
  code: number;
  stdout: string;
  stderr: string;
  timed_out?: boolean;
  truncated?: boolean;
}

/** What a handler may ask of the host while it works on a call. */
export interface Context {
  /** Aborts when the host takes the call back. */
  readonly signal: AbortSignal;
  /** How long the host will wait, in seconds; undefined is for ever. */
  readonly timeout?: number;
  /** Asks yes or no; false when nobody is there. */
  confirm(title: string, message?: string): Promise<boolean>;
  /** Offers options; null when none is taken. */
  select(title: string, options: string[]): Promise<string | null>;
  /** Asks for a line of text; null when there is none. */
  input(title: string, placeholder?: string): Promise<string | null>;
  notify(message: string, level?: "info" | "warning" | "error"): Promise<null>;
  /** Runs a program on the host; no shell sees it. */
  exec(command: string, args?: string[], options?: { dir?: string; stdin?: string; timeout?: number }): Promise<ExecResult>;
  messages(): Promise<Message[]>;
  metadata(key: string): Promise<unknown>;
  log(message: string, level?: "debug" | "info" | "warning" | "error"): void;
  progress(text: string): void;
}

export interface HookOptions {
  /** Pattern for the event's subject, such as the tool's name. */
  match?: string;
  name?: string;
  /** Deadline in seconds; 0 is none, 30 is the default. */
  timeout?: number;
  priority?: number;
  /** It only watches. */
  observe?: boolean;
  /** It must have seen the final input, and fails closed by default. */
  guard?: boolean;
  once?: boolean;
  onFailure?: "open" | "closed" | "ask" | "default";
}

export interface Background {
  readonly timeout?: number;
}

type Answer = Result | Background | null | undefined | void;
export type Handler = (event: Event, ctx: Context) => Answer | Promise<Answer>;

/** Registers a handler for an event. */
export function hook(event: string, handler: Handler): Handler;
export function hook(event: string, options: HookOptions, handler: Handler): Handler;

/** Go on without asking. */
export function allow(reason?: string, more?: Result): Result;
/** Do not do it. The model is told the reason. */
export function deny(reason: string, more?: Result): Result;
/** Ask the person. */
export function ask(reason?: string, more?: Result): Result;
/** Add lines to what the model reads next. */
export function context(...lines: string[]): Result;
/** Go on in the background; what comes of rest is delivered late. timeout is in seconds. */
export function background(rest: Promise<Result | null | undefined | void> | (() => Answer | Promise<Answer>), timeout?: number): Background;

/** The host could not do what ctx asked for. */
export class HostError extends Error {}

/** Says hello and answers calls until the host shuts the worker down. */
export function run(options?: { name?: string; version?: string; concurrency?: number }): void;
