package main

import (
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
)

// version is the released version; the build may set it.
var version = ""

type versionInfo struct {
	Version  string `json:"version"`
	Revision string `json:"revision,omitzero"`
	Modified bool   `json:"modified,omitzero"`
	Go       string `json:"go"`
	Platform string `json:"platform"`
}

func currentVersion() versionInfo {
	v := versionInfo{Version: version, Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return v
	}
	if v.Version == "" {
		v.Version = info.Main.Version
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			v.Revision = s.Value
		case "vcs.modified":
			v.Modified = s.Value == "true"
		}
	}
	return v
}

// versionOptions are the flags of version.
type versionOptions struct{ asJSON bool }

func newVersionCmd(a *app) *cobra.Command {
	var o versionOptions
	cmd := &cobra.Command{
		Use:     "version",
		Short:   "Print the version",
		Example: "  hookline version --json",
		Args:    cobra.NoArgs,
		RunE:    func(*cobra.Command, []string) error { return runVersion(a, o) },
	}
	cmd.Flags().BoolVar(&o.asJSON, "json", false, "print JSON")
	return cmd
}

func runVersion(a *app, o versionOptions) error {
	v := currentVersion()
	if o.asJSON {
		return a.printJSON(v)
	}
	a.printf("hookline %s %s %s\n", v.Version, v.Go, v.Platform)
	if v.Revision != "" {
		a.printf("revision %s\n", v.Revision)
	}
	return nil
}
