package cli

import (
	"strings"
	"testing"

	"weft/internal/face/cli/exit"
)

func TestAFlagThatCannotBeReadSaysWhatItTakes(t *testing.T) {
	for _, c := range []struct{ args, want string }{
		{"cache check -n x", `"x" for "-n, --number" flag: want a whole number`},
		{"run x.yaml --seed -1", `want a whole number, at least 0`},
		{"run x.yaml -j 99999999999999999999", `this one is too large`},
		{"run x.yaml --json=maybe", `want true or false`},
		{"run x.yaml --exact x", `want on, off or check`},
	} {
		code, _, errs := invoke(environmentOf(strings.Fields(c.args), nil))
		if code == exit.OK || !strings.Contains(errs, c.want) || strings.Contains(errs, "strconv") {
			t.Errorf("weft %s: %v, %s\nwant %s", c.args, code, errs, c.want)
		}
	}
}
