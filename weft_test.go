package weft_test

import (
	"bytes"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// compiled imports package weft, and the packages that it imports, as the compiler sees them.
func compiled(t *testing.T) types.Importer {
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
	return importer.ForCompiler(token.NewFileSet(), "gc", open)
}

func public(t *testing.T) *types.Package {
	t.Helper()
	pkg, err := compiled(t).Import("weft")
	if err != nil {
		t.Fatal(err)
	}
	return pkg
}

// inside are methods for packages of this module: a program outside of it can neither name their
// result types nor rely on them.
var inside = map[string]bool{"Fabric.ASIC": true, "Fabric.Protocol": true, "Fabric.Framing": true, "FabricKind.Protocol": true, "Flow.ClassOn": true, "Live.Counters": true, "NCCL.Figures": true, "NCCL.Rules": true, "NCCL.SetFigures": true}

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
				if m.Exported() && !inside[typ.Obj().Name()+"."+m.Name()] {
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

// The comment of a type of text lists its valid values, and the schema of scenario files has the
// same list. Congestion controls are left out: each file of one adds a value.
func TestATypeOfTextListsItsValues(t *testing.T) {
	source, err := os.ReadFile("weft.go")
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
		if !ok || basic.Kind() != types.String || m[2] == "Value" || m[2] == "CCAlgorithm" {
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

// user is a program outside of this module.
const user = `package user

import (
	"context"
	"errors"

	"weft"
	"weft/units"
)

var fabrics = []weft.Fabric{
	{Preset: "infiniband-ndr", Routing: weft.Routing{Mode: "adaptive"}, IB: weft.InfiniBand{ServiceLevels: []weft.ServiceLevel{{SL: 1}}}},
	{Preset: "roce-v2-400g", Ethernet: weft.Ethernet{ECN: weft.ECN{Pmax: weft.Ratio{Num: 1, Den: 10}}}},
}

// Slowest is the slowest fabric, and the time of its most delayed message.
func Slowest(ctx context.Context, job weft.Workload) (name string, at units.Time, err error) {
	file, err := weft.New("user", &weft.Scenario{Cluster: weft.Cluster{Nodes: 4}, Fabrics: fabrics, Workload: job})
	if err != nil {
		var all weft.Errors
		if errors.As(err, &all) {
			name = all[0].Path
		}
		return name, 0, err
	}
	r, err := file.Resolve(weft.Set("run.seed", 2, "user"))
	if err != nil {
		return "", 0, err
	}
	results, err := weft.Run(ctx, r, weft.Options{Finished: func(weft.Finished) {}})
	if err != nil {
		return "", 0, err
	}
	for _, f := range results.Fabrics {
		if last := longest(f.Points[0].Flows); last > at {
			name, at = f.Name, last
		}
	}
	return name, at, nil
}

func longest(d weft.MessageTimes) units.Time { return d.Max }
`

// A module of its own takes weft from a folder, as docs/HACKING.md says, and its program uses
// public names alone.
func TestAnotherModuleBuildsAScenarioInGo(t *testing.T) {
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	sums, err := os.ReadFile("go.sum")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.sum":  string(sums),
		"go.mod":  "module user\n\ngo 1.26\n\nrequire weft v0.0.0\n\nreplace weft => " + here + "\n",
		"user.go": user,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	list := exec.Command("go", "list", "-mod=mod", "-deps", ".")
	list.Dir, list.Env = dir, append(os.Environ(), "GOPROXY=off", "GOWORK=off")
	if out, err := list.CombinedOutput(); err != nil || !strings.Contains(string(out), "\nweft/internal/sim\nweft\nuser\n") {
		t.Fatalf("the imports of the module: %v\n%s", err, out)
	}
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, "user.go", user, 0)
	if err != nil {
		t.Fatal(err)
	}
	// To compile all of weft as a part of another module would take half a minute.
	if _, err := (&types.Config{Importer: compiled(t)}).Check("user", files, []*ast.File{file}, nil); err != nil {
		t.Error(err)
	}
}
