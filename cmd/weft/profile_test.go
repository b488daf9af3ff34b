package main

import (
	"compress/gzip"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"
)

// funcName is the name of a function of weft in a profile: package, receiver, name.
var funcName = regexp.MustCompile(`^weft/([a-z0-9/]+)\.(?:\(?\*?([A-Z]\w*|[a-z]\w*)(?:\[[^\]]*\])?\)?\.)?(\w+)(?:\.func.*)?$`)

// The compiler looks functions of the profile up by package, receiver and name. A function
// that was moved or renamed is compiled without the profile, and nothing says so.
func TestTheProfileNamesFunctionsThatExist(t *testing.T) {
	exist := map[string]map[string]bool{} // by package
	var all int
	var gone []string
	for _, text := range stringTable(t) {
		m := funcName.FindStringSubmatch(text)
		if m == nil || strings.HasSuffix(text, ".go") {
			continue
		}
		all++
		if exist[m[1]] == nil {
			exist[m[1]] = functions(t, m[1])
		}
		if !exist[m[1]][m[2]+"."+m[3]] {
			gone = append(gone, text)
		}
	}
	slices.Sort(gone)
	if all < 100 || len(gone)*20 > all {
		t.Errorf("%d of %d functions of release.pgo exist no more: make it anew as docs/PERFORMANCE.md says, or rename them in it\n%s",
			len(gone), all, strings.Join(gone, "\n"))
	}
}

// stringTable is the strings of release.pgo: field 6 of the message Profile of pprof.
func stringTable(t *testing.T) (table []string) {
	t.Helper()
	f, err := os.Open("release.pgo")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	b, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	for len(b) > 0 {
		number, kind, n := protowire.ConsumeTag(b)
		size := protowire.ConsumeFieldValue(number, kind, b[max(n, 0):])
		if n < 0 || size < 0 {
			t.Fatal("release.pgo is no profile")
		}
		if number == 6 {
			text, _ := protowire.ConsumeString(b[n:])
			table = append(table, text)
		}
		b = b[n+size:]
	}
	return table
}

// functions are the functions of a package, as "receiver.name".
func functions(t *testing.T, pkg string) map[string]bool {
	t.Helper()
	names := map[string]bool{}
	files, _ := filepath.Glob("../../" + pkg + "/*.go")
	for _, file := range files {
		tree, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, decl := range tree.Decls {
			f, ok := decl.(*ast.FuncDecl)
			if !ok {
				continue
			}
			receiver := ""
			if f.Recv != nil {
				ast.Inspect(f.Recv.List[0].Type, func(n ast.Node) bool {
					if id, ok := n.(*ast.Ident); ok && receiver == "" {
						receiver = id.Name
					}
					return true
				})
			}
			names[receiver+"."+f.Name.Name] = true
		}
	}
	return names
}
