package scenario

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// constantsByType are the texts of the package's constants, by the name of their type.
func constantsByType(t *testing.T) map[string][]string {
	t.Helper()
	names, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	out := map[string][]string{}
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		textsIn(file, out)
	}
	return out
}

// textsIn adds the texts of a file's constants to those of their types.
func textsIn(file *ast.File, out map[string][]string) {
	ast.Inspect(file, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok {
			return true
		}
		typ, _ := spec.Type.(*ast.Ident)
		for _, v := range spec.Values {
			if text, ok := v.(*ast.BasicLit); ok && typ != nil && text.Kind == token.STRING {
				value, _ := strconv.Unquote(text.Value)
				out[typ.Name] = append(out[typ.Name], value)
			}
		}
		return true
	})
}

// A value that is declared can be written in a scenario, and stands in the documents.
func TestEveryConstantOfAnEnumeratedTypeIsInItsList(t *testing.T) {
	constants := constantsByType(t)
	for i := range enums {
		name := enums[i].of.Name()
		for _, text := range constants[name] {
			if !slices.Contains(enums[i].values, text) {
				t.Errorf("%q is a constant of %s, and not in its list in enums.go", text, name)
			}
		}
	}
}

func TestEveryValueOfAnEnumeratedTypeIsInTheDocuments(t *testing.T) {
	docs, err := fs.Glob(os.DirFS("../docs"), "*.md")
	if err != nil {
		t.Fatal(err)
	}
	words := map[string]bool{}
	for _, name := range docs {
		text, err := os.ReadFile("../docs/" + name)
		if err != nil {
			t.Fatal(err)
		}
		for word := range strings.FieldsFuncSeq(string(text), func(r rune) bool {
			return !strings.ContainsRune("-_", r) && !('a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9')
		}) {
			words[word] = true
		}
	}
	for i := range enums {
		if enums[i].of == reflect.TypeFor[SweepQuantity]() {
			continue // SWEEPS.md has its columns in groups
		}
		for _, text := range enums[i].values {
			if !words[text] {
				t.Errorf("no document has %q, a value of %s", text, enums[i].of.Name())
			}
		}
	}
}
