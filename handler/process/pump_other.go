//go:build !linux

package process

import "os"

func (p *Process) canPump() bool { return false }

func (p *Process) attend() (*os.ProcessState, error) { return awaitExit(p.cmd) }

func (p *Process) pumpRest() {}
