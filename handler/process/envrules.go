package process

// EnvClass says what kind of harm a variable may do in a child.
type EnvClass string

// The classes.
const (
	EnvCredential  EnvClass = "credential"  // holds a secret
	EnvGit         EnvClass = "git"         // points git at other files, programs or settings
	EnvLoader      EnvClass = "loader"      // makes the dynamic loader take other code
	EnvInterpreter EnvClass = "interpreter" // makes an interpreter run other code at its start
	EnvTelemetry   EnvClass = "telemetry"   // steers the engine's own telemetry
)

// EnvRule is one row of the table that [Environ] works by.
type EnvRule struct {
	// Pattern is the name in capitals; "*" stands for any characters.
	Pattern string
	Class   EnvClass
	// Pass says that the row lets through what another one would drop.
	Pass bool
	// Why says in a few words what the variable is.
	Why string
}

// Matches reports whether a name, in capitals, is one of the row's.
func (r EnvRule) Matches(name string) bool { return matchName(r.Pattern, name) }

// EnvRules returns the table, in the order of its documentation. The slice is
// the caller's own.
func EnvRules() []EnvRule {
	return []EnvRule{
		{"*_TOKEN", EnvCredential, false, "access tokens"},
		{"*_TOKENS", EnvCredential, false, "access tokens"},
		{"TOKEN", EnvCredential, false, "an access token"},
		{"*_KEY", EnvCredential, false, "API and private keys"},
		{"*_KEYS", EnvCredential, false, "API and private keys"},
		{"*_KEY_ID", EnvCredential, false, "the public half of an access key pair"},
		{"*_KEY_BASE64", EnvCredential, false, "encoded keys"},
		{"*APIKEY*", EnvCredential, false, "API keys"},
		{"*API_KEY*", EnvCredential, false, "API keys, numbered or with a suffix"},
		{"*PRIVATE_KEY*", EnvCredential, false, "private keys, however they go on"},
		{"*SECRET*", EnvCredential, false, "secrets"},
		{"*PASSWORD*", EnvCredential, false, "passwords"},
		{"*PASSWD*", EnvCredential, false, "passwords"},
		{"*PASSPHRASE*", EnvCredential, false, "passphrases"},
		{"*_PASS", EnvCredential, false, "passwords"},
		{"MYSQL_PWD", EnvCredential, false, "the MySQL client's password"},
		{"*_PAT", EnvCredential, false, "personal access tokens"},
		{"*CREDENTIAL*", EnvCredential, false, "credentials, or the file that has them"},
		{"*_AUTH", EnvCredential, false, "authorisation values, such as a registry's"},
		{"*_AUTH_HEADER", EnvCredential, false, "authorisation headers"},
		{"*_AUTH_CONFIG", EnvCredential, false, "a container registry's logins"},
		{"*_CUSTOM_HEADERS", EnvCredential, false, "model providers' headers, which carry keys"},
		{"*_BEARER*", EnvCredential, false, "bearer tokens"},
		{"*_COOKIE", EnvCredential, false, "session cookies"},
		{"DATABASE_URL", EnvCredential, false, "a connection string with a password"},
		{"*_DATABASE_URL", EnvCredential, false, "a connection string with a password"},
		{"*_DSN", EnvCredential, false, "a connection string with a password or key"},
		{"*CONNECTION_STRING*", EnvCredential, false, "a connection string with a password or key"},
		{"*_WEBHOOK_URL", EnvCredential, false, "an address whose knowledge is the permission"},

		{"GIT_AUTHOR_*", EnvGit, true, "who commits; steers nothing"},
		{"GIT_COMMITTER_*", EnvGit, true, "who commits; steers nothing"},
		{"GIT_*", EnvGit, false, "other repositories, settings, helpers, hooks and editors for git"},

		{"LD_*", EnvLoader, false, "libraries to load first, and where from"},
		{"DYLD_*", EnvLoader, false, "libraries to load first, and where from"},
		{"GCONV_PATH", EnvLoader, false, "character set modules of the C library"},

		{"NODE_OPTIONS", EnvInterpreter, false, "modules Node loads first"},
		{"BASH_ENV", EnvInterpreter, false, "a file bash runs first"},
		{"ENV", EnvInterpreter, false, "a file sh runs first"},
		{"BASH_FUNC_*", EnvInterpreter, false, "shell functions in place of commands"},
		{"SHELLOPTS", EnvInterpreter, false, "shell options, such as tracing"},
		{"BASHOPTS", EnvInterpreter, false, "shell options"},
		{"PS4", EnvInterpreter, false, "a prompt that a tracing shell expands"},
		{"PROMPT_COMMAND", EnvInterpreter, false, "a command of interactive shells"},
		{"PYTHONSTARTUP", EnvInterpreter, false, "a file Python runs first"},
		{"PYTHONHOME", EnvInterpreter, false, "another standard library for Python"},
		{"PERL5OPT", EnvInterpreter, false, "options and modules of every perl"},
		{"PERL5DB", EnvInterpreter, false, "code a debugging perl runs"},
		{"RUBYOPT", EnvInterpreter, false, "options and libraries of every ruby"},
		{"JAVA_TOOL_OPTIONS", EnvInterpreter, false, "agents every Java machine loads"},
		{"_JAVA_OPTIONS", EnvInterpreter, false, "options of every Java machine"},
		{"JDK_JAVA_OPTIONS", EnvInterpreter, false, "options of every java command"},
		{"DOTNET_STARTUP_HOOKS", EnvInterpreter, false, "code every .NET program runs first"},
		{"COR_PROFILER*", EnvInterpreter, false, "a library every .NET program loads"},
		{"CORECLR_PROFILER*", EnvInterpreter, false, "a library every .NET program loads"},

		{"OTEL_*", EnvTelemetry, false, "where telemetry goes, with which headers"},
	}
}
