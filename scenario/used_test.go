package scenario

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

// checkedOnly are the fields that do their work when the scenario is checked.
var checkedOnly = map[string]string{
	"Limit.Memory": "an estimate above it refuses the scenario",
}

// TestEveryFieldHasAReader looks for each field of a scenario in the code that derives,
// simulates and reports; being checked and printed is no effect. It compares names, so a
// field that is read hides a namesake that is not.
func TestEveryFieldHasAReader(t *testing.T) {
	read := selected(t, ".", "../internal")
	seen := map[reflect.Type]bool{}
	var walk func(reflect.Type)
	walk = func(s reflect.Type) {
		for s.Kind() == reflect.Slice || s.Kind() == reflect.Array {
			s = s.Elem()
		}
		if s.Kind() != reflect.Struct || seen[s] || s == ratioType {
			return
		}
		seen[s] = true
		for f := range s.Fields() {
			name := s.Name() + "." + f.Name
			if !read[f.Name] && checkedOnly[name] == "" {
				t.Errorf("no code reads %s: give %s an effect, or take it out", name, yamlName(f))
			}
			walk(f.Type)
		}
	}
	walk(reflect.TypeFor[Resolved]())
}

// selected are the names behind a dot in code below some directories, without tests and
// the scenario's checks.
func selected(t *testing.T, roots ...string) map[string]bool {
	t.Helper()
	names := map[string]bool{}
	for _, root := range roots {
		err := filepath.WalkDir(root, func(path string, _ fs.DirEntry, err error) error {
			base := filepath.Base(path)
			if err != nil || !strings.HasSuffix(base, ".go") || strings.HasSuffix(base, "_test.go") || strings.HasPrefix(base, "check") {
				return err
			}
			file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
			if err != nil {
				return err
			}
			ast.Inspect(file, func(n ast.Node) bool {
				if x, ok := n.(*ast.SelectorExpr); ok {
					names[x.Sel.Name] = true
				}
				return true
			})
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return names
}
