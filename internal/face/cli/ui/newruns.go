package ui

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"

	"weft/internal/face/cli/overrides"
	"weft/internal/face/page"
	"weft/scenario"
)

// newRuns begins runs that users of weft ui ask for, below a folder. The scenario of run NAME is NAME.yaml.
type newRuns struct{ root string }

// check finds what is wrong with a scenario, as weft run NAME.yaml does, and with the name.
func (n newRuns) check(name string, text []byte) (faults []page.Fault) {
	for _, used := range []string{name, name + ".yaml", "." + name + ".weft-new"} {
		if _, err := os.Lstat(filepath.Join(n.root, used)); err == nil {
			return []page.Fault{{Text: "the name of the run: " + used + " exists, name a new one"}}
		}
	}
	file, err := scenario.LoadFrom(filepath.Join(n.root, name+".yaml"), bytes.NewReader(text))
	if err == nil {
		err = overrides.HasWorkload(file, name+".yaml")
	}
	var all scenario.Errors
	if err != nil && !errors.As(err, &all) {
		return []page.Fault{{Text: err.Error()}}
	}
	for _, one := range all {
		one.File = name + ".yaml"
		faults = append(faults, page.Fault{Line: one.Line, Column: one.Col, Text: one.Error()})
	}
	return faults
}

// start begins weft run in a session of its own: it ends neither with this process nor with its terminal.
func (n newRuns) start(name string, text []byte) (string, *page.Child, error) {
	file := filepath.Join(n.root, name+".yaml")
	written, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return "", nil, err
	}
	_, err = written.Write(text)
	program, unknown := os.Executable()
	said, unsaid := os.CreateTemp("", "weft-ui-*") // no pipe: a run outlives the process that reads it
	if err = errors.Join(err, written.Close(), unknown, unsaid); err != nil {
		return "", nil, errors.Join(err, os.Remove(file))
	}
	c := exec.Command(program, "run", name+".yaml", "--series", "--quiet", "--out", name)
	c.Dir, c.Stderr, c.SysProcAttr = n.root, said, ownSession()
	if err := c.Start(); err != nil {
		return "", nil, errors.Join(fmt.Errorf("the run cannot be begun: %w", err), os.Remove(file), said.Close(), os.Remove(said.Name()))
	}
	dir := filepath.Join(n.root, name)
	return dir, watched(c, said, file, dir), nil
}

// watched is a process that was begun. If it ends without a run, its scenario is removed: the name is free again.
func watched(c *exec.Cmd, said *os.File, file, dir string) *page.Child {
	_ = os.Remove(said.Name()) // both processes have it open; where this cannot be, it stays until the run ends
	ended := make(chan struct{})
	var text string
	go func() {
		defer close(ended)
		_ = c.Wait()
		text = message(said)
		if _, err := os.Stat(dir); err != nil {
			_ = os.Remove(file)
		}
		_ = said.Close()
		_ = os.Remove(said.Name())
	}()
	return &page.Child{
		Alive: func() bool {
			select {
			case <-ended:
				return false
			default:
				return true
			}
		},
		Said: sync.OnceValue(func() string {
			<-ended
			return text
		}),
	}
}

// message is what a process said. With --quiet it says why it failed, and nothing else.
func message(f *os.File) string {
	text, err := io.ReadAll(io.NewSectionReader(f, 0, 8<<10))
	if err != nil || len(text) == 0 {
		return "The run ended without a message: its process was killed."
	}
	return strings.TrimSpace(strings.TrimPrefix(string(text), "weft: "))
}
