package ibsimtest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// Preload is the library that redirects a program's InfiniBand to a simulator.
func Preload(t testing.TB) string {
	t.Helper()
	found, _ := filepath.Glob("/usr/lib/*/umad2sim/libumad2sim.so")
	if len(found) == 0 {
		missing(t, "libumad2sim.so")
	}
	return found[0]
}

// Program is the path of a program.
func Program(t testing.TB, name string) string {
	t.Helper()
	for _, dir := range append(filepath.SplitList(os.Getenv("PATH")), "/usr/sbin", "/usr/bin") {
		path := filepath.Join(dir, name)
		if info, err := os.Stat(path); err == nil && !info.IsDir() && info.Mode()&0o111 != 0 {
			return path
		}
	}
	missing(t, name)
	return ""
}

func missing(t testing.TB, what string) {
	t.Helper()
	if os.Getenv("CI") != "" {
		t.Fatalf("%s is not installed: packages opensm, ibsim-utils, infiniband-diags", what)
	}
	t.Skipf("SKIPPED: %s is not installed: packages opensm, ibsim-utils, infiniband-diags", what)
}

var sockets atomic.Int32

// SocketName is a unique name for a test's socket.
func SocketName() string { return fmt.Sprintf("weft-test-%d-%d", os.Getpid(), sockets.Add(1)) }

// Command is a program at a node of a simulator: the node's name, or H- and the digits of its GUID.
// It runs in a directory of its own below dir; OpenSM leaves its dumps in dir.
func Command(ctx context.Context, t testing.TB, dir, socket, node, name string, args ...string) *exec.Cmd {
	t.Helper()
	own, err := os.MkdirTemp(dir, name)
	if err != nil {
		t.Fatal(err)
	}
	c := exec.CommandContext(ctx, Program(t, name), args...)
	c.Dir = own
	c.Env = append(os.Environ(), "LD_PRELOAD="+Preload(t), "IBSIM_SOCKNAME="+socket, "SIM_HOST="+node,
		"OSM_TMP_DIR="+dir, "OSM_CACHE_DIR="+dir)
	c.WaitDelay = time.Second
	return c
}

// longest is the time limit of a program of infiniband-diags.
const longest = 60 * time.Second

// crashes is the number of crashes of a program that are no failure: ibqueryerrors of
// infiniband-diags 44.0 had a segmentation fault in one of some forty runs on a busy machine.
const crashes = 2

// Run runs a program and returns its output. It runs a program again after a segmentation fault,
// and notes this in the test's log.
func Run(t testing.TB, dir, socket, node, name string, args ...string) string {
	t.Helper()
	for died := 0; ; died++ {
		out, stderr, err := runOnce(t, dir, socket, node, name, args...)
		var exit *exec.ExitError
		switch {
		case err == nil:
			return out
		case died < crashes && errors.As(err, &exit) && strings.HasPrefix(exit.String(), "signal: segmentation fault"):
			t.Logf("%s %s: %v; once more", name, strings.Join(args, " "), err)
		default:
			t.Fatalf("%s %s: %v\n%s%s", name, strings.Join(args, " "), err, out, stderr)
		}
	}
}

func runOnce(t testing.TB, dir, socket, node, name string, args ...string) (stdout, stderr string, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), longest)
	defer cancel()
	c := Command(ctx, t, dir, socket, node, name, args...)
	var out, errs strings.Builder
	c.Stdout, c.Stderr = &out, &errs
	err = c.Run()
	return out.String(), errs.String(), err
}

// WaitFor waits until happened is true.
func WaitFor(t testing.TB, what string, happened func() bool) {
	t.Helper()
	for end := time.Now().Add(longest); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		if happened() {
			return
		}
	}
	t.Fatalf("%s did not happen in %v", what, longest)
}
