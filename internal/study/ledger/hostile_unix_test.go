//go:build unix

package ledger

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// Files that others have put into the folder hold nobody up: a pipe, a device, and a line without an end.
func TestWhatIsNoFileOfALedgerIsRefused(t *testing.T) {
	for want, put := range map[string]func(string) error{
		"no file":                 func(name string) error { return syscall.Mkfifo(name, 0o644) },
		"it is no file":           func(name string) error { return os.Symlink("/dev/zero", name) },
		"weft has not written it": func(name string) error { return os.Truncate(name, 1<<40) },
	} {
		dir := t.TempDir()
		l := opened(t, dir, "me")
		name := filepath.Join(dir, rowsFolder, "other.1"+rowsSuffix)
		if strings.HasPrefix(want, "weft") {
			if err := os.WriteFile(name, nil, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if err := put(name); err != nil {
			t.Fatal(err)
		}
		done := make(chan error, 1)
		go func() { done <- l.Refresh() }()
		select {
		case err := <-done:
			if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), name) {
				t.Errorf("%v, want an error with %q and %s", err, want, name)
			}
		case <-time.After(time.Minute):
			t.Fatalf("%s: it waits for ever", want)
		}
		_ = l.Close()
	}
}
