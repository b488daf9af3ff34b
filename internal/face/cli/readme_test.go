package cli

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// documents are the README and the pages of docs.
func documents(t *testing.T) map[string]string {
	t.Helper()
	paths, err := filepath.Glob("../../../docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]string{}
	for _, path := range append(paths, "../../../README.md") {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		all[filepath.Base(path)] = string(text)
	}
	return all
}

// TestCommandsOfTheREADMEExist: every verb, flag and example that it names.
func TestCommandsOfTheREADMEExist(t *testing.T) {
	text := documents(t)["README.md"]
	commands := regexp.MustCompile("(?m)`(?:[a-z]+ > [a-z.]+`, `)?weft ([^`]*)`|^go run ./cmd/weft (.*)$").FindAllStringSubmatch(text, -1)
	if len(commands) < 30 {
		t.Fatalf("only %d commands were found", len(commands))
	}
	for _, m := range commands {
		words := strings.Fields(m[1] + m[2])
		c, rest, err := newRoot(environment(nil)).Find(words)
		if err != nil || c.Name() == "weft" {
			t.Errorf("weft %s: there is no such verb (%v)", strings.Join(words, " "), err)
			continue
		}
		for _, w := range rest {
			name, isFlag := strings.CutPrefix(w, "--")
			switch {
			case isFlag && c.Flags().Lookup(name) == nil && c.InheritedFlags().Lookup(name) == nil:
				t.Errorf("weft %s: there is no flag --%s", strings.Join(words, " "), name)
			case !isFlag && len(w) == 2 && w[0] == '-' && c.Flags().ShorthandLookup(w[1:]) == nil:
				t.Errorf("weft %s: there is no flag %s", strings.Join(words, " "), w)
			case strings.HasPrefix(w, "examples/"):
				if _, err := os.Stat(filepath.Join("../../..", w)); err != nil {
					t.Errorf("weft %s: %v", strings.Join(words, " "), err)
				}
			}
		}
	}
}

// TestWhatDocumentedCommandsWriteIsIgnored: who follows the documents in a clone of the
// repository has nothing to commit by mistake.
func TestWhatDocumentedCommandsWriteIsIgnored(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("skipped: there is no git")
	}
	seen := 0
	for name, text := range documents(t) {
		for _, m := range regexp.MustCompile(`(?:--out|-o|--svg|--html|--trace|--pcap|--fixed|-cpuprofile|topo >|node >) ([a-z][A-Za-z0-9._-]*)`).FindAllStringSubmatch(text, -1) {
			path := strings.TrimRight(m[1], ".")
			if strings.HasSuffix(path, "-o") || path == "their" {
				continue
			}
			if filepath.Ext(path) == "" {
				path += "/"
			}
			seen++
			if out, err := exec.Command("git", "-C", "../../..", "check-ignore", "--no-index", "-q", path).CombinedOutput(); err != nil {
				t.Errorf("%s has a command that writes %s, which .gitignore does not have (%v) %s", name, path, err, out)
			}
		}
	}
	if seen < 10 {
		t.Errorf("only %d outputs were found", seen)
	}
}
