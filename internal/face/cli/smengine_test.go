package cli

import (
	"strings"
	"testing"

	"weft/internal/face/cli/exit"
)

func TestAManagerRefusesUnknownEnginesAndMissingFiles(t *testing.T) {
	for _, c := range []struct{ flag, value, want string }{
		{"--engine", "fat", "--engine fat: there is no such routing engine; valid are auto, minhop"},
		{"--roots", "none.txt", "none.txt"},
		{"--torus-config", "none.conf", "none.conf"},
		{"--lanes", "16", "--lanes 16: valid are 1 to 15"},
	} {
		out := &liveOutput{}
		e := environment([]string{"sm", "run", "--ibsim", c.flag, c.value})
		e.Dir, e.Stdout, e.Stderr = t.TempDir(), out, out
		if code := Main(t.Context(), e); code != exit.BadInput || !strings.Contains(out.String(), c.want) {
			t.Errorf("%s %s: %d, %s", c.flag, c.value, code, out)
		}
	}
}
