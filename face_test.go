package weft_test

import (
	"bytes"
	"go/importer"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
)

// public is package weft as the compiler sees it.
func public(t *testing.T) *types.Package {
	t.Helper()
	out, err := exec.Command("go", "list", "-export", "-deps", "-f", "{{.ImportPath}}={{.Export}}", ".").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	exports := map[string]string{}
	for line := range strings.Lines(string(out)) {
		path, file, _ := strings.Cut(strings.TrimSpace(line), "=")
		exports[path] = file
	}
	open := func(path string) (io.ReadCloser, error) { return os.Open(exports[path]) }
	pkg, err := importer.ForCompiler(token.NewFileSet(), "gc", open).Import("weft")
	if err != nil {
		t.Fatal(err)
	}
	return pkg
}

// A program outside of the module can name each type that it can reach from package weft: through
// the parameters and results of functions and methods, and through fields.
func TestEveryTypeThatAUserMeetsHasAPublicName(t *testing.T) {
	pkg := public(t)
	named := map[*types.TypeName]bool{}
	for _, name := range pkg.Scope().Names() {
		if o, ok := pkg.Scope().Lookup(name).(*types.TypeName); ok && o.Exported() {
			if n, ok := types.Unalias(o.Type()).(*types.Named); ok {
				named[n.Obj()] = true
			}
		}
	}
	if len(named) < 100 {
		t.Fatalf("%d types are public: the test does not see them", len(named))
	}
	seen := map[types.Type]bool{}
	var walk func(at string, typ types.Type)
	walk = func(at string, typ types.Type) {
		typ = types.Unalias(typ)
		if seen[typ] {
			return
		}
		seen[typ] = true
		switch typ := typ.(type) {
		case *types.Named:
			if p := typ.Obj().Pkg(); p != nil && strings.HasPrefix(p.Path(), "weft/internal/") && !named[typ.Obj()] {
				t.Errorf("%s is of type %s, which no program outside of the module can name", at, typ)
				return
			}
			if p := typ.Obj().Pkg(); p == nil || !strings.HasPrefix(p.Path(), "weft") {
				return
			}
			for m := range typ.Methods() {
				if m.Exported() {
					walk(at+"."+m.Name(), m.Type())
				}
			}
			walk(at, typ.Underlying())
		case *types.Struct:
			for f := range typ.Fields() {
				if f.Exported() {
					walk(at+"."+f.Name(), f.Type())
				}
			}
		case *types.Signature:
			walk(at, typ.Params())
			walk(at, typ.Results())
		case *types.Tuple:
			for v := range typ.Variables() {
				walk(at, v.Type())
			}
		case *types.Map:
			walk(at, typ.Key())
			walk(at, typ.Elem())
		case interface{ Elem() types.Type }: // pointers, slices, arrays
			walk(at, typ.Elem())
		}
	}
	for _, name := range pkg.Scope().Names() {
		if o := pkg.Scope().Lookup(name); o.Exported() {
			walk("weft."+name, o.Type())
		}
	}
}

// A type of which some texts are valid lists them; the schema of scenario files has the same
// list.
func TestATypeOfTextListsItsValues(t *testing.T) {
	source, err := os.ReadFile("document.go")
	if err != nil {
		t.Fatal(err)
	}
	schema, err := os.ReadFile("schema/scenario.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	schema = regexp.MustCompile(`\s+`).ReplaceAll(schema, nil)
	pkg, texts := public(t), 0
	for _, m := range regexp.MustCompile(`((?:\t// .*\n)+)\t(\w+) += scenario\.`).FindAllStringSubmatch(string(source), -1) {
		comment := strings.ReplaceAll(m[1], "\n\t// ", " ")
		basic, ok := pkg.Scope().Lookup(m[2]).Type().Underlying().(*types.Basic)
		if !ok || basic.Kind() != types.String || m[2] == "Value" {
			continue
		}
		texts++
		_, list, _ := strings.Cut(strings.TrimSuffix(strings.TrimSpace(comment), "."), "Values: ")
		if want := `"enum":["` + strings.ReplaceAll(list, ", ", `","`) + `"]`; !bytes.Contains(schema, []byte(want)) {
			t.Errorf("%s: the schema has no %s", m[2], want)
		}
	}
	if texts < 30 {
		t.Errorf("%d types of text: the test does not see them", texts)
	}
}
