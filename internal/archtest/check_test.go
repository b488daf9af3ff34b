package archtest

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"
)

// tree is the module's Go code without its tests, by package directory.
type tree map[string]*sources

// sources is what the rules look at in one package.
type sources struct {
	imports   map[string]string // import path → where it stands first
	functions []function
}

type function struct {
	name, at string
	lines    int
}

// read parses all packages of a file system, files of every platform included.
func read(fsys fs.FS) (tree, error) {
	all := tree{}
	err := fs.WalkDir(fsys, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() {
			hidden := name != "." && strings.HasPrefix(entry.Name(), ".")
			if hidden || entry.Name() == "testdata" || entry.Name() == "node_modules" {
				return fs.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return nil
		}
		source, err := fs.ReadFile(fsys, name)
		if err != nil {
			return err
		}
		return all.add(name, source)
	})
	return all, err
}

// add parses one file into its package.
func (all tree) add(name string, source []byte) error {
	positions := token.NewFileSet()
	file, err := parser.ParseFile(positions, name, source, parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	pkg := all[path.Dir(name)]
	if pkg == nil {
		pkg = &sources{imports: map[string]string{}}
		all[path.Dir(name)] = pkg
	}
	at := func(pos token.Pos) string {
		return fmt.Sprintf("%s:%d", name, positions.Position(pos).Line)
	}
	for _, spec := range file.Imports {
		imported, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			return err
		}
		if _, known := pkg.imports[imported]; !known {
			pkg.imports[imported] = at(spec.Pos())
		}
	}
	for _, decl := range file.Decls {
		if f, ok := decl.(*ast.FuncDecl); ok {
			lines := positions.Position(f.End()).Line - positions.Position(f.Pos()).Line + 1
			pkg.functions = append(pkg.functions, function{f.Name.Name, at(f.Pos()), lines})
		}
	}
	return nil
}

// packages is the directories of all packages, sorted.
func (all tree) packages() []string {
	var names []string
	for name := range all {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// importsOf is the import paths of a package, sorted.
func (all tree) importsOf(pkg string) []string {
	var names []string
	if s := all[pkg]; s != nil {
		for name := range s.imports {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// own is the directory of an import of this module.
func own(imported string) (pkg string, ok bool) {
	if imported == module {
		return ".", true
	}
	return strings.CutPrefix(imported, module+"/")
}

// thirdParty reports whether an import is of neither this module nor the
// standard library, whose paths begin without a dot.
func thirdParty(imported string) bool {
	start, _, _ := strings.Cut(imported, "/")
	return strings.Contains(start, ".")
}

// direction finds imports of this module that the rule of the wing, or of the
// room, does not allow, and packages that stand in no wing.
func (all tree) direction() (breaches []string) {
	for _, pkg := range all.packages() {
		home, ok := wingOf(pkg)
		if !ok {
			breaches = append(breaches, fmt.Sprintf("package %s stands in no wing of rules_test.go: move it", pkg))
			continue
		}
		small := roomOf(pkg)
		for _, imported := range all.importsOf(pkg) {
			target, ok := own(imported)
			if !ok {
				continue
			}
			why := ""
			if there, _ := wingOf(target); there.dir != home.dir && !slices.Contains(home.may, there.dir) {
				why = home.why
			} else if small != nil && !slices.Contains(small.may, target) {
				why = small.why
			}
			if why != "" {
				breaches = append(breaches, fmt.Sprintf("%s: %s may not import %s: %s", all[pkg].imports[imported], pkg, target, why))
			}
		}
	}
	return breaches
}

// unused finds grants that no package makes use of, and rules about packages
// that do not exist.
func (all tree) unused() (idle []string) {
	used := map[[2]string]bool{}
	for pkg := range all {
		for imported := range all[pkg].imports {
			if target, ok := own(imported); ok {
				from, _ := wingOf(pkg)
				to, _ := wingOf(target)
				used[[2]string{from.dir, to.dir}] = true
				used[[2]string{pkg, target}] = true
			}
		}
	}
	for _, w := range wings {
		for _, target := range w.may {
			if !used[[2]string{w.dir, target}] {
				idle = append(idle, fmt.Sprintf("no package of %s imports %s: take the grant back", w.dir, target))
			}
		}
	}
	for _, r := range rooms {
		if all[r.pkg] == nil {
			idle = append(idle, fmt.Sprintf("the rule about %s is about no package", r.pkg))
		}
		for _, target := range r.may {
			if !used[[2]string{r.pkg, target}] {
				idle = append(idle, fmt.Sprintf("%s does not import %s: take the grant back", r.pkg, target))
			}
		}
	}
	return idle
}

// wingOf is the wing whose folder a package stands in.
func wingOf(pkg string) (wing, bool) {
	for _, w := range wings {
		if below(pkg, w.dir) || publicRooms[pkg] == w.dir {
			return w, true
		}
	}
	return wing{}, false
}

// roomOf is the rule of a package beyond that of its wing, nil for none.
func roomOf(pkg string) *room {
	for i := range rooms {
		if rooms[i].pkg == pkg {
			return &rooms[i]
		}
	}
	return nil
}

// linked finds third-party modules in the core, also through other packages.
func (all tree) linked() (breaches []string) {
	for _, dir := range core {
		for _, pkg := range all.packages() {
			if below(pkg, dir) {
				breaches = append(breaches, all.linkedBy(pkg, pkg, map[string]bool{})...)
			}
		}
	}
	return breaches
}

// linkedBy follows the imports of pkg on behalf of a core package.
func (all tree) linkedBy(core, pkg string, seen map[string]bool) (breaches []string) {
	for _, imported := range all.importsOf(pkg) {
		if thirdParty(imported) {
			breaches = append(breaches, fmt.Sprintf("%s: %s is in the core, which links no third-party module, but here is %s",
				all[pkg].imports[imported], core, imported))
		}
		if next, ok := own(imported); ok && !seen[next] {
			seen[next] = true
			breaches = append(breaches, all.linkedBy(core, next, seen)...)
		}
	}
	return breaches
}

// banned finds imports that are forbidden below a directory.
func (all tree) banned() (breaches []string) {
	for _, b := range append(apart(), bans...) {
		for _, pkg := range all.packages() {
			if !below(pkg, b.below) {
				continue
			}
			for _, imported := range all.importsOf(pkg) {
				if slices.ContainsFunc(b.imports, func(root string) bool {
					_, ours := own(root)
					return imported == root || !ours && below(imported, root)
				}) {
					breaches = append(breaches, fmt.Sprintf("%s: %s may not import %s: %s",
						all[pkg].imports[imported], pkg, imported, b.why))
				}
			}
		}
	}
	return breaches
}

// below reports whether a path is root or lies under it.
func below(name, root string) bool {
	return name == root || strings.HasPrefix(name, root+"/")
}

// long finds functions that no longer fit on a screen.
func (all tree) long() (breaches []string) {
	for _, pkg := range all.packages() {
		for _, f := range all[pkg].functions {
			if f.lines > maxFunctionLines {
				breaches = append(breaches, fmt.Sprintf("%s: %s has %d lines, at most %d fit on a screen",
					f.at, f.name, f.lines, maxFunctionLines))
			}
		}
	}
	return breaches
}
