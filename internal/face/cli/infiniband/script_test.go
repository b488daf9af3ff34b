package infiniband

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"weft/internal/face/cli/process"
)

// A file of commands that is too long, missing, or a folder is refused.
func TestAScriptForTheConsoleIsBounded(t *testing.T) {
	dir := t.TempDir()
	e := &process.Env{Dir: dir}
	if err := os.WriteFile(filepath.Join(dir, "long"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(filepath.Join(dir, "long"), maxScript+1); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"long": "more than 16 MiB", ".": "it is a folder", "none": "no such file"} {
		if _, err := readScript(e, name); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", name, err, want)
		}
	}
}
