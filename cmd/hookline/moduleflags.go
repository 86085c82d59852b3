package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/hookline-dev/hookline/handler/script"
)

// moduleFlag is the hidden flag that stands for those of script modules: which there are
// is known only when the modules are loaded.
const moduleFlag = "module-flag"

// moduleFlags are the flags of script modules that were given. One without a value is "".
type moduleFlags map[string]string

var _ pflag.Value = moduleFlags(nil)

func (f moduleFlags) String() string { return "" }

// Type is what the help calls the value.
func (f moduleFlags) Type() string { return "NAME=VALUE" }

// Set takes over a flag.
func (f moduleFlags) Set(s string) error {
	name, value, _ := strings.Cut(s, "=")
	if name == "" {
		return errors.New("write NAME or NAME=VALUE")
	}
	f[name] = value
	return nil
}

// check holds the flags that were given against those that modules register, and fills in
// the values of those that need none.
func (f moduleFlags) check(cmd *cobra.Command, modules []*script.Module) error {
	known := map[string]string{}
	for _, m := range modules {
		for _, flag := range m.Info().Flags {
			known[flag.Name] = flag.Type
		}
	}
	for name, value := range f {
		kind, ok := known[name]
		switch {
		case !ok:
			return flagError(cmd, fmt.Errorf("unknown flag: --%s", name))
		case kind == "string" && value == "":
			return usagef("--%s needs a value: --%s=VALUE", name, name)
		case kind != "string" && value != "" && value != "true" && value != "false":
			return usagef("--%s is on or off, and takes no value %q", name, value)
		}
	}
	return nil
}

// withModuleFlags hands long flags that a command does not know to the one that stands for
// flags of modules. Where the command takes no text, the word behind such a flag is its
// value, as it is with "=" everywhere.
func withModuleFlags(root *cobra.Command, args []string) []string {
	cmd, _, err := root.Find(args)
	if err != nil || cmd.Flags().Lookup(moduleFlag) == nil {
		return args
	}
	cmd.InitDefaultHelpFlag()
	takesText := cmd.ValidateArgs([]string{"text"}) == nil
	out := make([]string, 0, len(args))
	for i := 0; i < len(args); i++ {
		arg := args[i]
		if arg == "--" {
			return append(out, args[i:]...)
		}
		name, value, valued := strings.Cut(arg, "=")
		long, isLong := strings.CutPrefix(name, "--")
		flag := lookupFlag(cmd, name)
		next := i+1 < len(args) && (flag != nil || !strings.HasPrefix(args[i+1], "-"))
		switch {
		case isLong && flag == nil:
			if !valued && next && !takesText {
				i++
				value = args[i]
			}
			out = append(out, "--"+moduleFlag+"="+long+"="+value)
		case flag != nil && flag.NoOptDefVal == "" && !valued && next && (isLong || len(name) == 2):
			out = append(out, arg, args[i+1])
			i++
		default:
			out = append(out, arg)
		}
	}
	return out
}

// lookupFlag finds the flag that an argument names, nil for none.
func lookupFlag(cmd *cobra.Command, arg string) *pflag.Flag {
	for _, set := range []*pflag.FlagSet{cmd.Flags(), cmd.InheritedFlags()} {
		var found *pflag.Flag
		switch name := strings.TrimLeft(arg, "-"); {
		case strings.HasPrefix(arg, "--"):
			found = set.Lookup(name)
		case strings.HasPrefix(arg, "-") && name != "":
			found = set.ShorthandLookup(name[:1])
		}
		if found != nil {
			return found
		}
	}
	return nil
}
