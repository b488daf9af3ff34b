package scenario

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

// With any bytes: no panic, no hang; an error has places within the file; an accepted
// scenario prints and reads again as itself.
func FuzzDecode(f *testing.F) {
	for _, pattern := range []string{"../examples/*.yaml", "testdata/errors/*.yaml"} {
		files, _ := filepath.Glob(pattern)
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(text)
		}
	}
	for _, text := range []string{
		"", "a", "- ", "{", "[[[[", "? a\n: b", "a: |\n  b\n", "\ufeffname: x", "%YAML 1.1\n---\n", "a: *a", "<<: {}", "\x00", "name: \"\\u0000\"",
		"cluster: {nodes: 99999999999999999999}", "topology: {shape: torus, dims: [65536, 65536, 65536]}", strings.Repeat("- ", 1000),
		strings.Repeat("a:\n ", 50), "workload: {sizes: {from: 1B, to: 1TiB, step: 1B}}", "run: {limit: {events: -9223372036854775808}}",
		"topology: {shape: torus}\ncluster: {nodes: 10000000}", "fabrics: [[infiniband-ndr]]", "fabrics: [{preset: {}}]",
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		file, err := Decode("fuzz.yaml", text)
		if err != nil {
			errs, ok := errors.AsType[Errors](err)
			if !ok || len(errs) == 0 {
				t.Fatalf("an error without a place: %v", err)
			}
			lines := strings.Count(string(text), "\n") + strings.Count(string(text), "\r") + 2
			for _, e := range errs {
				if e.Line < 1 || e.Line > lines || e.Col < 1 || e.Msg == "" {
					t.Fatalf("%d lines, and an error at %d:%d: %q", lines, e.Line, e.Col, e.Msg)
				}
			}
			return
		}
		r, err := file.Resolve()
		if err != nil {
			t.Fatalf("a printed scenario is refused: %v", err)
		}
		printed, _ := r.MarshalYAML()
		again, err := Decode("printed.yaml", printed)
		if err != nil {
			t.Fatalf("%v\nin\n%s", err, printed)
		}
		if s, err := again.Resolve(); err != nil || !reflect.DeepEqual(r, s) {
			more, _ := s.MarshalYAML()
			t.Fatalf("%v: %s", err, difference(string(printed), string(more)))
		}
	})
}
