package plugin_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"testing"

	"github.com/hookline-dev/hookline/plugin"
)

// childVar makes the test binary act as a program that changes a store:
// "install" or "remove".
const childVar = "PLUGIN_TEST_CHILD"

// crashed is the exit code of a child that died where it was told to.
const crashed = 17

// child runs one operation and dies before the step whose number it is given.
func child() int {
	s := &plugin.Store{Places: plugin.Places{ProjectDir: os.Getenv("PLUGIN_TEST_PROJECT")}}
	if os.Getenv("PLUGIN_TEST_NO_EXCHANGE") != "" {
		s.SetNoExchange()
	}
	dieAt, err := strconv.Atoi(os.Getenv("PLUGIN_TEST_DIE_AT"))
	if err == nil {
		n := 0
		s.SetStep(func(string) {
			if n == dieAt {
				os.Exit(crashed)
			}
			n++
		})
	}
	if err := operate(s, os.Getenv(childVar), os.Getenv("PLUGIN_TEST_SOURCE")); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// operate installs or removes acme/tools.
func operate(s *plugin.Store, op, spec string) error {
	ctx := context.Background()
	if op == "remove" {
		_, err := s.Remove(ctx, []string{"acme/tools"}, plugin.RemoveOptions{})
		return err
	}
	src, err := plugin.ParseSource(spec, plugin.SourceOptions{})
	if err != nil {
		return err
	}
	_, err = s.Install(ctx, []plugin.Source{src}, plugin.InstallOptions{Force: true})
	return err
}

// command makes a child process.
func command(t testing.TB, s *plugin.Store, op, spec string, env ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(os.Args[0], "-test.run=^$")
	cmd.Env = append(os.Environ(), append([]string{childVar + "=" + op, "PLUGIN_TEST_PROJECT=" + s.ProjectDir, "PLUGIN_TEST_SOURCE=" + spec}, env...)...)
	return cmd
}
