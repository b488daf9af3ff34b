package preload

import (
	"os"
	"path/filepath"
	"testing"
)

func TestAProgramThatCannotBeRunHasAReason(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"/nonexistent/prog":  "/nonexistent/prog cannot be run: no such file or directory",
		"no-program-of-weft": "no-program-of-weft cannot be run: executable file not found in $PATH",
		file:                 file + " cannot be run: permission denied",
		filepath.Dir(file):   filepath.Dir(file) + " cannot be run: is a directory",
	} {
		if err := Exec([]string{name}, nil); err == nil || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
}
