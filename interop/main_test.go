//go:build linux

package interop

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

const (
	// imageVar names the directory of an image. Where the test runs in its own network namespace,
	// insideVar is the program under test, and librariesVar the folder of its libraries.
	imageVar, insideVar, librariesVar = "WEFT_INTEROP", "WEFT_INTEROP_INSIDE", "WEFT_INTEROP_LIBRARIES"

	tap       = "weft0"
	hostAddr  = "10.77.0.1"
	guestAddr = "10.77.0.2"
	prefix    = "/24"
	mtu       = "1500"
)

// machine is the guest, for all tests: it takes seconds to start.
var machine *vm

func TestMain(m *testing.M) {
	code, err := run(m)
	if err != nil {
		fmt.Fprintln(os.Stderr, "interop:", err)
		code = 1
	}
	os.Exit(code)
}

func run(m *testing.M) (code int, err error) {
	switch {
	case os.Getenv(imageVar) == "":
		return m.Run(), nil // every test is skipped
	case os.Getenv(insideVar) == "":
		return enter()
	}
	for _, line := range []string{
		"ip link set lo up",
		"ip tuntap add dev " + tap + " mode tap",
		"ip link set " + tap + " mtu " + mtu,
		"ip addr add " + hostAddr + prefix + " dev " + tap,
		"ip link set " + tap + " up",
	} {
		args := strings.Fields(line)
		if out, err := exec.Command(args[0], args[1:]...).CombinedOutput(); err != nil {
			return 0, fmt.Errorf("%s: %w: %s", line, err, out)
		}
	}
	if machine, err = boot(os.Getenv(imageVar)); err != nil {
		return 0, err
	}
	defer machine.halt()
	return m.Run(), nil
}

// enter builds weft, which needs the network of the machine at most for modules,
// and runs this program again in a network namespace of its own.
func enter() (code int, err error) {
	dir, err := os.MkdirTemp("", "weft-interop")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(dir)
	weft, libraries := filepath.Join(dir, "weft"), filepath.Join(dir, "libraries")
	for _, build := range []*exec.Cmd{
		exec.Command("go", "build", "-o", weft, "weft/cmd/weft"),
		exec.Command(weft, "verbs", "build", "--source", "..", "--to", libraries),
	} {
		if out, err := build.CombinedOutput(); err != nil {
			return 0, fmt.Errorf("%v: %w: %s", build, err, out)
		}
	}
	self, err := os.Executable()
	if err != nil {
		return 0, err
	}
	cmd := exec.Command(self, os.Args[1:]...)
	cmd.Env = append(os.Environ(), insideVar+"="+weft, librariesVar+"="+libraries)
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNET, Pdeathsig: syscall.SIGKILL}
	err = cmd.Run()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return exit.ExitCode(), nil
	}
	return 0, err
}
