package cache

import (
	"errors"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// fullVariable makes a test run in a mount namespace of its own.
const fullVariable = "WEFT_TEST_FULL"

// onSmallDisk runs a test in a mount namespace of its own, where its folder is a disk of so many bytes.
func onSmallDisk(t *testing.T, bytes string, test func(dir string)) {
	t.Helper()
	if os.Getenv(fullVariable) == "" {
		c := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$")
		c.Env = append(os.Environ(), fullVariable+"=1")
		c.SysProcAttr = &syscall.SysProcAttr{Unshareflags: unix.CLONE_NEWNS}
		out, err := c.CombinedOutput()
		if errors.Is(err, unix.EPERM) {
			t.Skip("a mount namespace needs root")
		}
		if err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		return
	}
	dir := t.TempDir()
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		t.Fatal(err)
	}
	if err := unix.Mount("tmpfs", dir, "tmpfs", 0, "size="+bytes); err != nil {
		t.Fatal(err)
	}
	defer unix.Unmount(dir, 0)
	test(dir)
}

func TestClearingMakesRoomOnAFullDisk(t *testing.T) {
	onSmallDisk(t, "400k", func(dir string) {
		var told []string
		c := Open(dir, options(&told))
		for i := 0; i < 1000 && len(told) == 0; i++ {
			c.Put(keyOf(i), entryOf(i))
		}
		if len(told) != 1 || !strings.Contains(told[0], "the disk is full; the run goes on without what is known; weft cache clear empties it") {
			t.Errorf("told %q, want once that the disk is full, and what helps", told)
		}
		early := Open(dir, options(&told))
		if n := knows(t, early, 1000); n == 0 || n == 1000 {
			t.Errorf("%d results are known to another process, want those before the disk was full", n)
		}
		if bytes, err := Clear(dir); err != nil || bytes < 100_000 {
			t.Errorf("%d bytes are free: %v", bytes, err)
		}
		told = nil
		c = Open(dir, options(&told))
		c.Put(keyOf(1), entryOf(1))
		if _, known := c.Get(keyOf(1)); !known || len(told) > 0 {
			t.Errorf("after it a result is known: %t; told %q", known, told)
		}
	})
}
