package hooktest

// Rule is one thing that a kind of hook, a host or a codec must do.
type Rule struct {
	Name string
	// Why is the reason for the rule: what goes wrong where it is broken.
	Why string
}

// The rules for kinds of hooks.
var (
	ruleSilent   = Rule{"silence means no opinion", "most hooks have nothing to say most of the time; a host that takes silence for consent lets a guard be passed by one that forgot to answer"}
	ruleDeny     = Rule{"deny beats allow in every order", "a guard must hold wherever it stands among other hooks"}
	ruleReason   = Rule{"the reason of a deny arrives", "a model that is not told why it was refused tries the same thing again"}
	ruleAsk      = Rule{"ask beats allow", "one hook's convenience must not overrule another's doubt"}
	ruleFailOpen = Rule{"failure is not consent", "a guard that crashed has not approved anything, and the record must say that it failed"}
	ruleClosed   = Rule{"a closed guard that fails denies", "whoever asked for failing closed did so because going on is worse than stopping"}
	ruleGarbage  = Rule{"garbage is a failure", "an answer that cannot be read may have been a deny"}
	ruleTimeout  = Rule{"a hanging hook costs its own time only", "an agent that waits for ever for a hook is an agent that hooks can switch off"}
	ruleCancel   = Rule{"cancellation is neither failure nor timeout", "a person who gave up must not read that a hook is broken"}
	ruleOthers   = Rule{"one failure does not stop the others", "an audit hook must see the call that made another hook crash"}
	ruleContext  = Rule{"context is delivered", "what a hook wants the model to know is the point of many hooks"}
	ruleRewrite  = Rule{"a rewrite is seen by later hooks and the caller", "a hook that checks what will not run checks nothing"}
	ruleRaw      = Rule{"untouched input keeps its bytes", "a 64-bit id that was rounded on its way through a hook names another record"}
	ruleAsync    = Rule{"going asynchronous starts nothing twice", "a hook that sends a mail must not send two"}
	ruleParallel = Rule{"runs do not share state", "the hooks of two tool calls at once must each see their own call"}
	ruleIgnored  = Rule{"what has no effect is on record", "an author who is not told that a field did nothing believes that it worked"}
)

// The rules for hosts.
var (
	ruleHostDeny     = Rule{"a denied call does not run", "this is what hooks are for"}
	ruleHostReason   = Rule{"the model is told why", "a model that is not told why it was refused tries the same thing again"}
	ruleHostRewrite  = Rule{"what runs is the rewritten input", "a rewrite that is only recorded protects nobody"}
	ruleHostFailed   = Rule{"a closed guard that failed stops the call", "the call must not slip through when the guard is broken"}
	ruleHostOpen     = Rule{"an open hook that failed does not", "a broken formatter must not stop the work"}
	ruleHostContext  = Rule{"context reaches the model exactly once", "twice costs tokens and confuses; never makes the hook useless"}
	ruleHostPost     = Rule{"a finished call fires PostToolUse with its result", "audit and redaction hang on it"}
	ruleHostFailure  = Rule{"a failed call fires PostToolUseFailure instead", "a hook that reacts to success must not react to failure"}
	ruleHostOutput   = Rule{"updated output is what the model sees", "a redaction that the model does not see redacts nothing"}
	ruleHostPrompt   = Rule{"a blocked prompt is not sent", "the prompt may hold what must not leave the machine"}
	ruleHostRePrompt = Rule{"a rewritten prompt is what is sent", "the same"}
	ruleHostStop     = Rule{"a stop hook keeps the agent going", "a hook that runs the tests before the agent may stop depends on it"}
	ruleHostActive   = Rule{"the second stop in a row says so", "without stop_hook_active a stop hook cannot avoid going on for ever"}
	ruleHostHalt     = Rule{"continue no ends the run", "it is the emergency brake"}
)

// KindRules, HostRules and CodecRules return the rules that the tests check.
func KindRules() []Rule {
	return []Rule{
		ruleSilent, ruleDeny, ruleReason, ruleAsk, ruleFailOpen, ruleClosed, ruleGarbage, ruleTimeout, ruleCancel,
		ruleOthers, ruleContext, ruleRewrite, ruleRaw, ruleAsync, ruleParallel, ruleIgnored,
	}
}

// HostRules returns the rules that TestHost checks.
func HostRules() []Rule {
	return []Rule{
		ruleHostDeny, ruleHostReason, ruleHostRewrite, ruleHostFailed, ruleHostOpen, ruleHostContext, ruleHostPost,
		ruleHostFailure, ruleHostOutput, ruleHostPrompt, ruleHostRePrompt, ruleHostStop, ruleHostActive, ruleHostHalt,
	}
}

// CodecRules returns the rules that TestCodec checks.
func CodecRules() []Rule {
	return []Rule{ruleCodecInput, ruleCodecOutcome, ruleCodecDeny, ruleCodecGarbage}
}
