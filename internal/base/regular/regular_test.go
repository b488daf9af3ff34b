//go:build unix

package regular

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// Only regular files, and links to them, are read, and never more than the bound.
func TestOnlyRegularFilesAreRead(t *testing.T) {
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	for name, text := range map[string]string{"fits": "12345678", "long": "123456789", "empty": ""} {
		if err := os.WriteFile(in(name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	sparse, err := os.Create(in("sparse"))
	if err == nil {
		err = errors.Join(sparse.Truncate(1<<40), sparse.Close())
	}
	err = errors.Join(err, syscall.Mkfifo(in("pipe"), 0o644), os.Mkdir(in("folder"), 0o755))
	for name, to := range map[string]string{"link": "fits", "zero": "/dev/zero", "to-pipe": "pipe", "circle": "circle", "nowhere": "nothing"} {
		err = errors.Join(err, os.Symlink(to, in(name)))
	}
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"fits": "12345678", "link": "12345678", "empty": "", "long": "more than 8 bytes", "sparse": "more than 8 bytes",
		"pipe": "no file", "to-pipe": "no file", "zero": "no file", "folder": "no file", "circle": "too many levels", "nowhere": "no such file",
	} {
		text, err := Read(in(name), 8)
		if err != nil {
			text = []byte(err.Error())
		}
		if ok := name == "fits" || name == "link" || name == "empty"; ok != (err == nil) || !strings.Contains(string(text), want) {
			t.Errorf("%s: %q, %v; want %q", name, text, err, want)
		}
	}
}
