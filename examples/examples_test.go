package examples

import (
	"io"
	"os"
	"slices"
	"strings"
	"testing"
)

// The program carries the files of the folder, byte for byte, and each says its question in its comment.
func TestEveryExampleHasAQuestion(t *testing.T) {
	all := All()
	if len(all) < 40 {
		t.Fatalf("%d examples", len(all))
	}
	for _, e := range all {
		onDisk, err := os.ReadFile(e.Name + extension)
		if err != nil || string(onDisk) != string(e.Text) {
			t.Errorf("%s is not the file: %v", e.Name, err)
		}
		if !strings.HasSuffix(e.Question, "?") && !strings.HasSuffix(e.Question, ".") && !strings.Contains(e.Question, "? ") || len(e.Question) > 200 {
			t.Errorf("%s: the question is %q", e.Name, e.Question)
		}
		if !slices.Contains(e.Keys, "name") && !slices.Contains(e.Keys, "switches") {
			t.Errorf("%s: the keys are %v", e.Name, e.Keys)
		}
	}
}

func TestTheBeginningOfANameIsEnoughIfItIsTheOnlyOne(t *testing.T) {
	for name, want := range map[string]string{"h100-128": "H100 pod", "h100": "H100 pod", "h100-128.yaml": "H100 pod", "plan/1024": "1,024 H100"} {
		f, err := Open(name)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if text, _ := io.ReadAll(f); !strings.Contains(string(text), "name: "+want) {
			t.Errorf("%s is another example", name)
		}
	}
	for _, name := range []string{"", "serve-", "nosuch", "../go.mod"} {
		if _, err := Open(name); err == nil {
			t.Errorf("%q opens an example", name)
		}
	}
}
