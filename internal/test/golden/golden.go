package golden

import (
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite the golden files; then review the difference")

// Updating reports whether the test runs with -update.
func Updating() bool { return *update }

// File fails the test unless the file at path, relative to the test's package, equals got. With
// -update it writes got to the file, and makes its folder.
func File(t testing.TB, path, got string) {
	t.Helper()
	want, err := os.ReadFile(path)
	if err != nil && !(*update && errors.Is(err, fs.ErrNotExist)) {
		t.Fatal(err)
	}
	if err == nil && got == string(want) {
		return
	}
	if *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	t.Errorf("%s differs (rewrite it with go test -update, then review it): %s", path, Difference(string(want), got))
}

// Section is the text between the lines begin and end of a file. With -update it replaces that text
// by got first. It serves figures that depend a little on the machine or on the models: the test
// itself compares them with a tolerance.
func Section(t testing.TB, path, begin, end, got string) string {
	t.Helper()
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, found := strings.Cut(string(whole), begin+"\n")
	stands, after, closed := strings.Cut(rest, end+"\n")
	if !found || !closed {
		t.Fatalf("%s has no lines %q and %q", path, begin, end)
	}
	if !*update {
		return stands
	}
	File(t, path, before+begin+"\n"+got+end+"\n"+after)
	return got
}

// Difference shows the first line in which two texts differ: its number, and the line of each text.
// It is empty if the texts are equal.
func Difference(want, got string) string {
	if want == got {
		return ""
	}
	w, g := strings.Split(want, "\n"), strings.Split(got, "\n")
	line := 0
	for line < len(w) && line < len(g) && w[line] == g[line] {
		line++
	}
	return fmt.Sprintf("line %d\n got %s\nwant %s", line+1, lineOf(g, line), lineOf(w, line))
}

// longestLine is the number of characters of a line in a message; lines of a page have any length.
const longestLine = 400

// lineOf is line i as a message shows it.
func lineOf(lines []string, i int) string {
	if i >= len(lines) {
		return "(the text ends here)"
	}
	if len(lines[i]) > longestLine {
		return fmt.Sprintf("%q …", lines[i][:longestLine])
	}
	return fmt.Sprintf("%q", lines[i])
}
