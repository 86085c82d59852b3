package hook

import (
	"cmp"
	"path/filepath"
)

// Notification is the input of the event: the host notifies the person.
type Notification struct {
	Common
	Message          string `json:"message" doc:"the text"`
	Title            string `json:"title,omitzero" doc:"the title"`
	NotificationType string `json:"notification_type" doc:"such as permission_prompt or idle_prompt"`
}

// Event returns EventNotification.
func (in *Notification) Event() Event { return EventNotification }

// Subject returns the NotificationType.
func (in *Notification) Subject() string { return in.NotificationType }

// SubagentStart is the input of the event: a subagent starts.
type SubagentStart struct {
	Common
}

// Event returns EventSubagentStart.
func (in *SubagentStart) Event() Event { return EventSubagentStart }

// Subject returns the agent type.
func (in *SubagentStart) Subject() string { return in.AgentType }

// SubagentStop is the input of the event: a subagent is about to stop.
type SubagentStop struct {
	Common
	StopHookActive       bool      `json:"stop_hook_active" doc:"whether it goes on because of a stop hook"`
	LastAssistantMessage string    `json:"last_assistant_message,omitzero" doc:"text of its last message"`
	AgentTranscriptPath  string    `json:"agent_transcript_path,omitzero" doc:"its transcript"`
	Messages             []Message `json:"messages,omitempty" doc:"its messages"`
	BackgroundTasks      []JSON    `json:"background_tasks,omitempty" doc:"tasks that still run"`
	SessionCrons         []JSON    `json:"session_crons,omitempty" doc:"scheduled prompts"`
	// Summary says that what stops has only summarised the conversation for a compaction: such
	// an event is for the hooks of which Registration.Summaries says so.
	Summary bool `json:"-"`
}

// Event returns EventSubagentStop.
func (in *SubagentStop) Event() Event { return EventSubagentStop }

// Subject returns the agent type.
func (in *SubagentStop) Subject() string { return in.AgentType }

// TeammateIdle is the input of the event: a teammate is about to be idle.
type TeammateIdle struct {
	Common
	TeammateName string `json:"teammate_name" doc:"its name"`
	TeamName     string `json:"team_name,omitzero" doc:"its team"`
}

// Event returns EventTeammateIdle.
func (in *TeammateIdle) Event() Event { return EventTeammateIdle }

// TaskCreated is the input of the event: a task is being created.
type TaskCreated struct {
	Common
	TaskID          string `json:"task_id" doc:"id of the task"`
	TaskSubject     string `json:"task_subject" doc:"what it is about"`
	TaskDescription string `json:"task_description,omitzero" doc:"the details"`
	TeammateName    string `json:"teammate_name,omitzero" doc:"who made it"`
	TeamName        string `json:"team_name,omitzero" doc:"its team"`
}

// Event returns EventTaskCreated.
func (in *TaskCreated) Event() Event { return EventTaskCreated }

// TaskCompleted is the input of the event: a task is being marked done.
type TaskCompleted struct {
	Common
	TaskID          string `json:"task_id" doc:"id of the task"`
	TaskSubject     string `json:"task_subject" doc:"what it is about"`
	TaskDescription string `json:"task_description,omitzero" doc:"the details"`
	TeammateName    string `json:"teammate_name,omitzero" doc:"who did it"`
	TeamName        string `json:"team_name,omitzero" doc:"its team"`
}

// Event returns EventTaskCompleted.
func (in *TaskCompleted) Event() Event { return EventTaskCompleted }

// InstructionsLoaded is the input of the event: an instructions file was loaded.
type InstructionsLoaded struct {
	Common
	FilePath        string   `json:"file_path" doc:"the file"`
	MemoryType      string   `json:"memory_type" doc:"User, Project, Local or Managed"`
	LoadReason      string   `json:"load_reason" doc:"session_start, nested_traversal, path_glob_match, include or compact"`
	Globs           []string `json:"globs,omitempty" doc:"globs that matched"`
	TriggerFilePath string   `json:"trigger_file_path,omitzero" doc:"file that led to it"`
	ParentFilePath  string   `json:"parent_file_path,omitzero" doc:"file that includes it"`
}

// Event returns EventInstructionsLoaded.
func (in *InstructionsLoaded) Event() Event { return EventInstructionsLoaded }

// Subject returns the LoadReason.
func (in *InstructionsLoaded) Subject() string { return in.LoadReason }

// ResourcesDiscover is the input of the event: the host looks for skills, prompts and themes.
type ResourcesDiscover struct {
	Common
	Reason string `json:"reason" doc:"startup or reload"`
}

// Event returns EventResourcesDiscover.
func (in *ResourcesDiscover) Event() Event { return EventResourcesDiscover }

// Subject returns the Reason.
func (in *ResourcesDiscover) Subject() string { return in.Reason }

// ConfigChange is the input of the event: a settings or skills file changed during the session.
type ConfigChange struct {
	Common
	Source   string `json:"source" doc:"user_settings, project_settings, local_settings, policy_settings or skills"`
	FilePath string `json:"file_path,omitzero" doc:"the file"`
}

// Event returns EventConfigChange.
func (in *ConfigChange) Event() Event { return EventConfigChange }

// Subject returns the Source.
func (in *ConfigChange) Subject() string { return in.Source }

// CwdChanged is the input of the event: the working directory changed.
type CwdChanged struct {
	Common
	OldCWD string `json:"old_cwd" doc:"directory before"`
	NewCWD string `json:"new_cwd" doc:"directory now"`
}

// Event returns EventCwdChanged.
func (in *CwdChanged) Event() Event { return EventCwdChanged }

// DirectoryAdded is the input of the event: a directory was added to the session.
type DirectoryAdded struct {
	Common
	Directory string `json:"directory" doc:"the directory"`
	Source    string `json:"source" doc:"slash_command or register_repo_root"`
}

// Event returns EventDirectoryAdded.
func (in *DirectoryAdded) Event() Event { return EventDirectoryAdded }

// Subject returns the Source.
func (in *DirectoryAdded) Subject() string { return in.Source }

// FileChanged is the input of the event: a watched file changed on disk.
type FileChanged struct {
	Common
	FilePath string `json:"file_path" doc:"the file"`
	Change   string `json:"event" doc:"change, add or unlink"`
}

// Event returns EventFileChanged.
func (in *FileChanged) Event() Event { return EventFileChanged }

// Subject returns the base name of the file.
func (in *FileChanged) Subject() string { return filepath.Base(in.FilePath) }

// WorktreeCreate is the input of the event: a worktree is asked for.
type WorktreeCreate struct {
	Common
	Name string `json:"name" doc:"its name"`
}

// Event returns EventWorktreeCreate.
func (in *WorktreeCreate) Event() Event { return EventWorktreeCreate }

// WorktreeRemove is the input of the event: a worktree is removed.
type WorktreeRemove struct {
	Common
	WorktreePath string `json:"worktree_path" doc:"its path"`
}

// Event returns EventWorktreeRemove.
func (in *WorktreeRemove) Event() Event { return EventWorktreeRemove }

// ToolOffered is the input of the event: an MCP server offers a tool, before a model learns of it.
type ToolOffered struct {
	Common
	ToolName string `json:"tool_name" doc:"name of the tool"`
	Tool     JSON   `json:"tool" doc:"what the server says of it: description, inputSchema and so on; updated_input changes it"`
	Change   string `json:"change,omitzero" doc:"new or changed, when it is not what was approved of this server"`
	Approved JSON   `json:"approved_tool,omitzero" doc:"what was approved, of a tool that has changed"`
}

// Event returns EventToolOffered.
func (in *ToolOffered) Event() Event { return EventToolOffered }

// Subject returns the ToolName.
func (in *ToolOffered) Subject() string { return in.ToolName }

func (in *ToolOffered) cells() cells { return cells{input: &in.Tool} }

// LeftOut says why the tool that the server calls name is not offered, after hooks were asked
// about it; "" when it is, as Tool has it now.
func (in *ToolOffered) LeftOut(name string, out *Outcome, err error) string {
	switch {
	case err != nil:
		return "the hooks that guard tools could not be asked: " + err.Error()
	case out.Halt:
		return cmp.Or(out.StopReason, "a hook ended the run")
	case out.Decision == DecisionDeny:
		return cmp.Or(out.Reason, "a hook refused it")
	case in.Tool.String("name") != name:
		return "a hook gave it another name, which the server does not know"
	}
	return ""
}

// Elicitation is the input of the event: an MCP server asks the user for input.
type Elicitation struct {
	Common
	MCPServerName   string `json:"mcp_server_name" doc:"the server"`
	Message         string `json:"message" doc:"what it asks"`
	Mode            string `json:"mode,omitzero" doc:"form or url"`
	URL             string `json:"url,omitzero" doc:"page to open"`
	ElicitationID   string `json:"elicitation_id,omitzero" doc:"id of the question"`
	RequestedSchema JSON   `json:"requested_schema,omitzero" doc:"schema of the answer"`
}

// Event returns EventElicitation.
func (in *Elicitation) Event() Event { return EventElicitation }

// Subject returns the MCPServerName.
func (in *Elicitation) Subject() string { return in.MCPServerName }

// ElicitationResult is the input of the event: the user answered an MCP server.
type ElicitationResult struct {
	Common
	MCPServerName string `json:"mcp_server_name" doc:"the server"`
	Mode          string `json:"mode,omitzero" doc:"form or url"`
	Action        string `json:"action" doc:"accept, decline or cancel"`
	Content       JSON   `json:"content,omitzero" doc:"the answer"`
	ElicitationID string `json:"elicitation_id,omitzero" doc:"id of the question"`
}

// Event returns EventElicitationResult.
func (in *ElicitationResult) Event() Event { return EventElicitationResult }

// Subject returns the MCPServerName.
func (in *ElicitationResult) Subject() string { return in.MCPServerName }

// DialogStart is the input of the event: a hook begins to wait for an answer of the person.
type DialogStart struct {
	Common
	Kind  string `json:"kind" doc:"select, confirm, input, editor or custom"`
	Title string `json:"title,omitzero" doc:"the question"`
}

// Event returns EventDialogStart.
func (in *DialogStart) Event() Event { return EventDialogStart }

// DialogEnd is the input of the event: that wait is over.
type DialogEnd struct {
	Common
	Kind  string `json:"kind" doc:"select, confirm, input, editor or custom"`
	Title string `json:"title,omitzero" doc:"the question"`
}

// Event returns EventDialogEnd.
func (in *DialogEnd) Event() Event { return EventDialogEnd }
