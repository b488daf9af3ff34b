package cli

import (
	"strings"
	"testing"

	"weft/internal/face/cli/exit"
)

// TestAnUnknownFlagSaysWhatIsValid: the reason why a verb lacks it, or the nearest flag of the verb.
func TestAnUnknownFlagSaysWhatIsValid(t *testing.T) {
	for _, c := range []struct{ args, want string }{
		{"run x.yaml --sed 3", "unknown flag: --sed (did you mean --seed?)\nsee weft run --help"},
		{"run x.yaml --outt x", "(did you mean --out?)"},
		{"sm route --detail x", "(did you mean --details?)"},
		{"tune x.yaml --evaluations -1", "unknown flag: --evaluations\nsee weft tune --help"},
		{"run x.yaml -Q", "'Q' in -Q\nsee weft run --help"},
		{"latency --size 4", "unknown flag: --size: the size of the message is --bytes"},
		{"run x.yaml --seeds 3", "weft compare FILE --seeds"},
		{"bench all-reduce --seeds 3", "weft compare FILE --seeds"},
		{"run x.yaml --html a", "report.html of --out"},
		{"compare x.yaml --html a", "report.html of --out"},
		{"compair x.yaml --seed 3", `weft has no verb "compair" (did you mean compare?)`},
		{"sm rout --seed 3", `weft sm has no verb "rout" (did you mean route?)`},
	} {
		code, _, errs := invoke(environmentOf(strings.Fields(c.args), nil))
		if code != exit.BadInput || !strings.Contains(errs, c.want) {
			t.Errorf("weft %s: %v, %s\nwant %s", c.args, code, errs, c.want)
		}
	}
}

func TestAFlagThatCannotBeReadSaysWhatItTakes(t *testing.T) {
	for _, c := range []struct{ args, want string }{
		{"cache check -n x", `"x" for "-n, --number" flag: want a whole number`},
		{"run x.yaml --seed -1", `want a whole number, at least 0`},
		{"run x.yaml -j 99999999999999999999", `this one is too large`},
		{"run x.yaml --json=maybe", `want true or false`},
		{"train x.yaml --seeds 1e9", `"1e9" for "--seeds" flag: want a whole number, 1 to 1000`},
		{"compare x.yaml --seeds -1", `"-1" for "--seeds" flag: want a whole number, 1 to 1000`},
		{"run x.yaml --exact x", `want on, off or check`},
	} {
		code, _, errs := invoke(environmentOf(strings.Fields(c.args), nil))
		if code == exit.OK || !strings.Contains(errs, c.want) || strings.Contains(errs, "strconv") {
			t.Errorf("weft %s: %v, %s\nwant %s", c.args, code, errs, c.want)
		}
	}
}
