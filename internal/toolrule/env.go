package toolrule

import (
	"slices"
	"strings"

	"github.com/hookline-dev/hookline/internal/shell"
)

// DangerousEnv reports whether setting a variable can make a harmless command
// run something else: it names a program or a file of settings, changes how
// programs are found or loaded, or says where a client connects.
func DangerousEnv(name string) bool {
	if name == "" {
		return true
	}
	upper := strings.ToUpper(name)
	if slices.Contains(dangerousEnv, upper) {
		return true
	}
	for _, prefix := range dangerousPrefixes {
		if strings.HasPrefix(upper, prefix) {
			return true
		}
	}
	for _, suffix := range []string{"PAGER", "EDITOR", "ASKPASS", "_PROXY", "_COMMAND", "_OPTIONS", "_OPTS", "BROWSER", "PRELOAD"} {
		if strings.HasSuffix(upper, suffix) {
			return true
		}
	}
	return false
}

var dangerousEnv = []string{
	"PATH", "ENV", "IFS", "SHELL", "SHELLOPTS", "BASHOPTS", "CDPATH", "FPATH", "PS0", "PS4",
	"HOME", "USERPROFILE", "PATHEXT", "COMSPEC", "VISUAL", "LESSOPEN", "LESSCLOSE", "LESS", "MORE", "GREP_OPTIONS",
	"TAR_OPTIONS", "TERMINFO", "TERMCAP", "TERMINFO_DIRS", "LOCPATH", "GCONV_PATH", "NLSPATH", "MALLOC_TRACE",
	"RIPGREP_CONFIG_PATH", "GCC_EXEC_PREFIX", "COMPILER_PATH", "CC", "CXX", "CPP", "LD", "AR", "AS", "MAKE", "MAKEFLAGS",
	"MAKEFILES", "CLASSPATH", "GOFLAGS", "GOENV", "GOROOT", "GOPATH", "GOPROXY", "GOTOOLCHAIN", "GOBIN", "GOSUMDB",
	"RSYNC_RSH", "CVS_RSH", "SVN_SSH", "KUBECONFIG", "HOSTALIASES", "ALL_PROXY", "JQ_LIBRARY_PATH", "MANPATH",
	"HISTFILE", "SSLKEYLOGFILE", "NODE_EXTRA_CA_CERTS", "SSL_CERT_FILE", "SSL_CERT_DIR", "TMPPREFIX", "ZDOTDIR", "MAIL",
}

var dangerousPrefixes = []string{
	"LD_", "DYLD_", "GIT_", "BASH_", "SSH_", "PYTHON", "PERL", "RUBY", "GEM_", "BUNDLE_", "NODE_", "NPM_", "YARN_",
	"PNPM_", "PIP_", "UV_", "JAVA_", "_JAVA_", "JDK_", "MAVEN_", "GRADLE_", "CARGO_", "RUSTC", "RUSTFLAGS", "RUSTUP_",
	"GUILE_", "LUA_", "PHP", "ELECTRON_", "DOCKER_", "BUILDKIT_", "AWS_", "AZURE_", "GOOGLE_", "ANTHROPIC_", "OPENAI_",
	"CLAUDE", "HOOKLINE_", "XDG_", "QT_", "GTK_", "GIO_", "CMAKE_", "PKG_CONFIG", "OTEL_", "VIM", "EMACS", "FZF_", "BAT_",
}

// harmlessEnv are the values with which variables that DangerousEnv names do nothing
// but turn something off, or say how much is printed; nil is any plain word.
var harmlessEnv = map[string][]string{
	"PAGER": pagers, "GIT_PAGER": pagers, "MANPAGER": pagers, "AWS_PAGER": pagers, "GH_PAGER": pagers, "SYSTEMD_PAGER": pagers,
	"EDITOR": editors, "VISUAL": editors, "GIT_EDITOR": editors, "GIT_SEQUENCE_EDITOR": editors,
	"GIT_OPTIONAL_LOCKS": {"0", "1"}, "GIT_TERMINAL_PROMPT": {"0", "1"},
	"NODE_ENV": nil, "PYTHONUNBUFFERED": nil, "PYTHONDONTWRITEBYTECODE": nil, "PYTHONIOENCODING": nil, "PYTHONUTF8": nil, "CARGO_TERM_COLOR": nil,
}

var (
	pagers  = []string{"cat", ""}
	editors = []string{"true", ":"}
)

// harmless reports an assignment of a value that is known to do no harm.
func harmless(a shell.Assign) bool {
	values, ok := harmlessEnv[a.Name]
	if !ok || !a.Value.Literal {
		return false
	}
	if values == nil {
		return strings.Trim(a.Value.Text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-") == ""
	}
	return slices.Contains(values, a.Value.Text)
}

// RiskyEnv returns the name of an assignment before a command that keeps the
// command from being allowed, "" when there is none.
func RiskyEnv(c *shell.Command) string {
	for _, e := range c.Env {
		switch {
		case e.Name == "IFS" && c.Name() == "read" || harmless(e):
			// IFS before read holds for read alone.
		case DangerousEnv(e.Name):
			return e.Name + "="
		case e.Value.Literal && (strings.Contains(e.Value.Text, "$(") || strings.Contains(e.Value.Text, "`")):
			return e.Name + " with a command in it"
		}
	}
	return ""
}
