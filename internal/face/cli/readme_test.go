package cli

import (
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/spf13/cobra"

	"weft/scenario"
)

// root is the folder of the repository.
const root = "../../.."

// documents are the pages at the root of the repository and in docs, by their paths there.
func documents(t *testing.T) map[string]string {
	t.Helper()
	all := map[string]string{}
	for _, pattern := range []string{"*.md", "docs/*.md"} {
		paths, err := filepath.Glob(filepath.Join(root, pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range paths {
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			name, err := filepath.Rel(root, path)
			if err != nil {
				t.Fatal(err)
			}
			all[filepath.ToSlash(name)] = string(text)
		}
	}
	return all
}

// anchors are the headings of a page, as GitHub names them in links.
func anchors(text string) map[string]bool {
	all := map[string]bool{}
	for _, m := range regexp.MustCompile(`(?m)^#+ (.*)$`).FindAllStringSubmatch(text, -1) {
		heading := regexp.MustCompile(`[^\p{L}\p{N} _-]`).ReplaceAllString(strings.ToLower(m[1]), "")
		all[strings.ReplaceAll(heading, " ", "-")] = true
	}
	return all
}

// TestLinksOfTheDocumentsExist: each leads to a file of the repository, and to a heading in it.
func TestLinksOfTheDocumentsExist(t *testing.T) {
	all := documents(t)
	seen := 0
	for name, text := range all {
		for _, m := range regexp.MustCompile(`\]\(([^()\s]+)\)`).FindAllStringSubmatch(text, -1) {
			if strings.Contains(m[1], "://") {
				continue
			}
			seen++
			file, heading, _ := strings.Cut(m[1], "#")
			target := name
			if file != "" {
				target = path.Join(path.Dir(name), file)
			}
			if _, err := os.Stat(filepath.Join(root, target)); err != nil {
				t.Errorf("%s links to %s: %v", name, m[1], err)
			} else if heading != "" && !anchors(all[target])[heading] {
				t.Errorf("%s links to %s, and %s has no such heading", name, m[1], target)
			}
		}
	}
	if seen < 50 {
		t.Errorf("only %d links were found", seen)
	}
}

// TestPathsOfTheDocumentsExist: every file and folder of the code that they name in
// backquotes.
func TestPathsOfTheDocumentsExist(t *testing.T) {
	seen := 0
	for name, text := range documents(t) {
		for _, m := range regexp.MustCompile("`((?:internal|wire|verbs|units|cmd|interop|examples|schema|\\.ci)/[A-Za-z0-9._/-]*)`").FindAllStringSubmatch(text, -1) {
			seen++
			if _, err := os.Stat(filepath.Join(root, m[1])); err != nil {
				t.Errorf("%s names %s: %v", name, m[1], err)
			}
		}
	}
	if seen < 50 {
		t.Errorf("only %d paths were found", seen)
	}
}

// TestTestsOfTheDocumentsExist: every test, benchmark and fuzz target that they name, in the
// folder that they name: "`TestX` in `internal/sim`", "go test ./verbs -run X".
func TestTestsOfTheDocumentsExist(t *testing.T) {
	folders := testFunctions(t)
	in := func(folder, pattern string) bool {
		return slices.ContainsFunc(folders[folder], regexp.MustCompile(pattern).MatchString)
	}
	seen := 0
	for name, text := range documents(t) {
		for _, m := range regexp.MustCompile("`((?:Test|Benchmark|Fuzz)[A-Z]\\w*)`(?:\\s+in\\s+`([a-z][a-z0-9/]*)`)?").FindAllStringSubmatch(text, -1) {
			seen++
			if m[2] != "" && !in(m[2], "^"+m[1]+"$") {
				t.Errorf("%s names %s in %s, which does not have it", name, m[1], m[2])
			} else if m[2] == "" && !slices.ContainsFunc(slices.Collect(maps.Keys(folders)), func(f string) bool { return in(f, "^"+m[1]+"$") }) {
				t.Errorf("%s names %s, which no package has", name, m[1])
			}
		}
		for _, m := range regexp.MustCompile(`go test [^`+"`"+`#|\n]*`).FindAllString(text, -1) {
			folder := regexp.MustCompile(`\./([a-z][a-z0-9/]*)`).FindStringSubmatch(m)
			for _, flag := range regexp.MustCompile(`-(?:run|bench|fuzz) '?([^'\s/.^]+)`).FindAllStringSubmatch(m, -1) {
				if seen++; folder != nil && !in(folder[1], flag[1]) {
					t.Errorf("%s has %q, and %s has no test of this name", name, m, folder[1])
				}
			}
		}
	}
	if seen < 50 {
		t.Errorf("only %d names were found", seen)
	}
}

// TestNamesOfTheDocumentsExist: the functions, types and fields of Go that the pages for
// contributors name.
func TestNamesOfTheDocumentsExist(t *testing.T) {
	code := map[string]bool{}
	apart := func(c rune) bool { return c != '_' && !unicode.IsLetter(c) && !unicode.IsDigit(c) }
	eachGoFile(t, func(path string, text []byte) {
		if !strings.HasSuffix(path, "_test.go") {
			for word := range strings.FieldsFuncSeq(string(text), apart) {
				code[word] = true
			}
		}
	})
	all, seen := documents(t), 0
	for _, page := range []string{"CONTRIBUTING.md", "docs/HACKING.md", "docs/ARCHITECTURE.md"} {
		for _, m := range regexp.MustCompile("`(?:[a-zA-Z]+\\.)?([a-z]+[A-Z]\\w*|[A-Z][a-z]\\w*)`").FindAllStringSubmatch(all[page], -1) {
			if strings.HasPrefix(m[1], "Test") || strings.HasPrefix(m[1], "Benchmark") || strings.HasPrefix(m[1], "Fuzz") {
				continue
			}
			if seen++; !code[m[1]] {
				t.Errorf("%s names %s, which the code does not have", page, m[1])
			}
		}
	}
	if seen < 30 {
		t.Errorf("only %d names were found", seen)
	}
}

// testFunctions are the names of the tests, benchmarks and fuzz targets of each folder.
func testFunctions(t *testing.T) map[string][]string {
	t.Helper()
	all := map[string][]string{}
	eachGoFile(t, func(path string, text []byte) {
		for _, m := range regexp.MustCompile(`(?m)^func ((?:Test|Benchmark|Fuzz)\w*)\(`).FindAllStringSubmatch(string(text), -1) {
			folder := filepath.ToSlash(filepath.Dir(path))
			all[folder] = append(all[folder], m[1])
		}
	})
	return all
}

// eachGoFile calls f with each file of Go in the repository.
func eachGoFile(t *testing.T, f func(path string, text []byte)) {
	t.Helper()
	err := fs.WalkDir(os.DirFS(root), ".", func(path string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".go") {
			return err
		}
		text, err := os.ReadFile(filepath.Join(root, path))
		f(path, text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestCommandsOfTheDocumentsExist: every verb, flag and example that they name.
func TestCommandsOfTheDocumentsExist(t *testing.T) {
	named := map[string]bool{}
	for page, text := range documents(t) {
		for _, line := range commandLines(text) {
			words := strings.Fields(line)
			if behind := slices.Index(words, "--"); behind >= 0 {
				words = words[:behind] // the rest is another program's
			}
			c, rest, err := wholeRoot().Find(words)
			if err != nil || c.Name() == "weft" && !strings.HasPrefix(line, "-") {
				t.Errorf("%s: weft %s: there is no such verb (%v)", page, strings.Join(words, " "), err)
				continue
			}
			named[c.CommandPath()] = true
			for _, problem := range unknownWords(c, rest) {
				t.Errorf("%s: weft %s: %s", page, strings.Join(words, " "), problem)
			}
		}
	}
	if len(named) < 40 {
		t.Errorf("only %d verbs were found", len(named))
	}
}

// wholeRoot is the command with the verbs that its library adds when it runs.
func wholeRoot() *cobra.Command {
	c := newRoot(simulatorOf(environment(nil)))
	c.InitDefaultHelpCmd()
	c.InitDefaultHelpFlag()
	c.InitDefaultCompletionCmd()
	return c
}

// commandLines are the commands of weft that a page names in backquotes and in blocks of
// shell.
func commandLines(text string) (lines []string) {
	for i, part := range strings.Split(text, "```") {
		command := regexp.MustCompile("`weft ([^`]*)`")
		if i%2 == 1 {
			command = regexp.MustCompile(`(?m)^(?:go run \./cmd/)?weft ([^#|>\n]*)`)
			if !strings.HasPrefix(part, "sh\n") {
				continue
			}
		}
		for _, m := range command.FindAllStringSubmatch(part, -1) {
			lines = append(lines, m[1])
		}
	}
	return lines
}

// unknownWords are the flags of a command line that its verb does not have, and the
// examples that do not exist.
func unknownWords(c *cobra.Command, words []string) (problems []string) {
	for _, w := range words {
		name, isFlag := strings.CutPrefix(w, "--")
		name, _, _ = strings.Cut(name, "=")
		switch {
		case isFlag && c.Flags().Lookup(name) == nil && c.InheritedFlags().Lookup(name) == nil:
			problems = append(problems, "there is no flag --"+name)
		case !isFlag && len(w) == 2 && w[0] == '-' && c.Flags().ShorthandLookup(w[1:]) == nil:
			problems = append(problems, "there is no flag "+w)
		case strings.HasPrefix(w, "examples/"):
			if _, err := os.Stat(filepath.Join(root, w)); err != nil {
				problems = append(problems, err.Error())
			}
		}
	}
	return problems
}

// TestFabricsOfExamplesExist: each fabric that a document or the help of a verb takes from an example.
func TestFabricsOfExamplesExist(t *testing.T) {
	texts := documents(t)
	var visit func(c *cobra.Command)
	visit = func(c *cobra.Command) {
		texts["the help of "+c.CommandPath()] = c.Example
		for _, sub := range c.Commands() {
			visit(sub)
		}
	}
	visit(newRoot(simulatorOf(environment(nil))))
	seen := 0
	for where, text := range texts {
		for _, m := range regexp.MustCompile("example(?:s/|:)([\\w-]+)(?:\\.yaml)?[^\n`#|]*--fabric (?:'([^'\n]+)'|([\\w,.-]+))").FindAllStringSubmatch(text, -1) {
			file, err := scenario.Load(filepath.Join(root, "examples", m[1]+".yaml"))
			if err != nil {
				t.Fatal(err)
			}
			r, err := file.Resolve()
			if err != nil {
				t.Fatal(err)
			}
			names := map[string]bool{}
			for i := range r.Fabrics {
				names[r.Fabrics[i].Name] = true
			}
			wanted := []string{m[2]}
			if m[2] == "" {
				wanted = strings.Split(m[3], ",")
			}
			for _, name := range wanted {
				if seen++; !names[name] {
					t.Errorf("%s: %s has no fabric %s", where, m[1], name)
				}
			}
		}
	}
	if seen < 10 {
		t.Errorf("only %d fabrics were found", seen)
	}
}

// TestOutputsOfDocumentedCommandsAreIgnored: .gitignore keeps them from being committed by
// mistake.
func TestOutputsOfDocumentedCommandsAreIgnored(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("skipped: there is no git")
	}
	seen := 0
	for name, text := range documents(t) {
		for _, m := range regexp.MustCompile(`(?:--out|-o|--svg|--html|--trace|--pcap|--fixed|-cpuprofile|topo >|node >) ([a-z][A-Za-z0-9._-]*)`).FindAllStringSubmatch(text, -1) {
			file := strings.TrimRight(m[1], ".")
			if strings.HasSuffix(file, "-o") || file == "their" {
				continue
			}
			if filepath.Ext(file) == "" {
				file += "/"
			}
			seen++
			if out, err := exec.Command("git", "-C", root, "check-ignore", "--no-index", "-q", file).CombinedOutput(); err != nil {
				t.Errorf("%s has a command that writes %s, which .gitignore does not have (%v) %s", name, file, err, out)
			}
		}
	}
	if seen < 10 {
		t.Errorf("only %d outputs were found", seen)
	}
}
