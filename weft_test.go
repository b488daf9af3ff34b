package weft_test

import (
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"weft"
)

// compiled imports the public packages, and the packages that they import, as the compiler sees them.
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

// inside are functions and methods for packages of this module: a program outside of it can
// neither name their types nor rely on them.
var inside = regexp.MustCompile(`^(weft\.Live\.Counters|scenario\.(Fabric\.(ASIC|Protocol|Framing)|FabricKind\.Protocol|Flow\.ClassOn|NCCL\.(Figures|Rules|SetFigures)|ControlLink|ControlOf|ControllerOf|Framing|PartitionsConf|QoSConf|ValuesOf))$`)

// A program outside of the module can name each type that it can reach from the public packages:
// through the parameters and results of functions and methods, and through fields.
func TestEveryTypeThatAUserMeetsHasAPublicName(t *testing.T) {
	from, named, seen := compiled(t), map[*types.TypeName]bool{}, map[types.Type]bool{}
	var all []types.Object
	for _, path := range []string{"weft", "weft/scenario", "weft/results"} {
		pkg, err := from.Import(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range pkg.Scope().Names() {
			o := pkg.Scope().Lookup(name)
			if !o.Exported() {
				continue
			}
			all = append(all, o)
			if typ, ok := types.Unalias(o.Type()).(*types.Named); ok {
				named[typ.Obj()] = true
			}
		}
	}
	if len(named) < 100 {
		t.Fatalf("%d types are public: the test does not see them", len(named))
	}
	var walk func(at string, typ types.Type)
	walk = func(at string, typ types.Type) {
		typ = types.Unalias(typ)
		if seen[typ] || inside.MatchString(at) {
			return
		}
		seen[typ] = true
		switch typ := typ.(type) {
		case *types.Named:
			p := typ.Obj().Pkg()
			if p == nil || !strings.HasPrefix(p.Path(), "weft") {
				return
			}
			if strings.HasPrefix(p.Path(), "weft/internal/") && !named[typ.Obj()] {
				t.Errorf("%s is of type %s, which no program outside of the module can name", at, typ)
				return
			}
			name := p.Name() + "." + typ.Obj().Name()
			if p.Name() == "sim" { // weft's name for it is the same
				name = "weft." + typ.Obj().Name()
			}
			for m := range typ.Methods() {
				if m.Exported() {
					walk(name+"."+m.Name(), m.Type())
				}
			}
			walk(name, typ.Underlying())
		case *types.Struct:
			for f := range typ.Fields() {
				if f.Exported() {
					walk(at+"."+f.Name(), f.Type())
				}
			}
		case *types.Signature:
			walk(at+"()", typ.Params())
			walk(at+"()", typ.Results())
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
	for _, o := range all {
		walk(o.Pkg().Name()+"."+o.Name(), o.Type())
	}
}

// user is a program outside of this module.
const user = `package user

import (
	"context"
	"errors"

	"weft"
	"weft/results"
	"weft/scenario"
	"weft/units"
)

var fabrics = []scenario.Fabric{
	{Preset: "infiniband-ndr", Routing: scenario.Routing{Mode: "adaptive"}, IB: scenario.InfiniBand{ServiceLevels: []scenario.ServiceLevel{{SL: 1}}}},
	{Preset: "roce-v2-400g", Ethernet: scenario.Ethernet{ECN: scenario.ECN{Pmax: scenario.Ratio{Num: 1, Den: 10}}}},
}

// Slowest is the slowest fabric, and the time of its most delayed message.
func Slowest(ctx context.Context, job scenario.Workload) (name string, at units.Time, err error) {
	file, err := scenario.New("user", &scenario.Scenario{Cluster: scenario.Cluster{Nodes: 4}, Fabrics: fabrics, Workload: job})
	if err != nil {
		var all scenario.Errors
		if errors.As(err, &all) {
			name = all[0].Path
		}
		return name, 0, err
	}
	r, err := file.Resolve(scenario.Set("run.seed", 2, "user"))
	if err != nil {
		return "", 0, err
	}
	outcome, err := weft.Run(ctx, r, weft.Options{Finished: func(weft.Finished) {}})
	if err != nil {
		return "", 0, err
	}
	for _, f := range outcome.Fabrics {
		if last := longest(f.Points[0].Flows); last > at {
			name, at = f.Name, last
		}
	}
	return name, at, nil
}

func longest(d results.Distribution) units.Time { return d.Max }
`

// A module of its own takes weft from a folder, as docs/HACKING.md says, and its program uses
// public names alone.
// go doc shows no fields of a name for a type of an internal package: its comment has them.
func TestTheDocOfATypeHasItsFields(t *testing.T) {
	comments := map[string]string{}
	for _, name := range []string{"weft.go", "many.go"} {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range file.Decls {
			types, ok := d.(*ast.GenDecl)
			if !ok {
				continue
			}
			for _, s := range types.Specs {
				if spec, ok := s.(*ast.TypeSpec); ok {
					comments[spec.Name.Name] = types.Doc.Text() + spec.Doc.Text()
				}
			}
		}
	}
	for _, of := range []reflect.Type{
		reflect.TypeFor[weft.Options](), reflect.TypeFor[weft.Progress](), reflect.TypeFor[weft.Finished](),
		reflect.TypeFor[weft.CacheEntry](), reflect.TypeFor[weft.Outcome](),
	} {
		name := of.Name()
		if of == reflect.TypeFor[weft.CacheEntry]() {
			name = "CacheEntry"
		}
		for i := range of.NumField() {
			field := regexp.MustCompile(`(?m)^\s.*\b` + of.Field(i).Name + `\b`)
			if !field.MatchString(comments[name]) {
				t.Errorf("the comment of %s does not have its field %s", name, of.Field(i).Name)
			}
		}
	}
}

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
	list.Dir, list.Env = dir, append(os.Environ(), "GOWORK=off")
	if out, err := list.CombinedOutput(); err != nil || !strings.Contains(string(out), "\nweft/internal/sim\n") || !strings.HasSuffix(string(out), "\nweft\nuser\n") {
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
