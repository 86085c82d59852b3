package sandbox_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"syscall"

	"github.com/hookline-dev/hookline/sandbox"
)

// A build may write to its own directory and nowhere else, whatever its scripts do.
func Example() {
	wall, err := sandbox.New(sandbox.Policy{Write: []string{"/src/project", os.TempDir()}})
	if errors.Is(err, sandbox.ErrNone) {
		fmt.Println("this system has no sandbox for files")
		return
	}
	if err != nil {
		fmt.Println(err)
		return
	}
	defer wall.Close()
	cmd := exec.Command("make", "-C", "/src/project")
	cmd.SysProcAttr = &syscall.SysProcAttr{}
	cmd.Path, cmd.Args = wall.Command(cmd.Path, cmd.Args, cmd.SysProcAttr)
	release, err := wall.Start(cmd.Start)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer release()
	fmt.Println(cmd.Wait())
}
