package cli

import (
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"weft/internal/face/cli/exit"
)

// TestAnUnknownFlagSaysWhatIsValid: the reason why a verb lacks it, or the nearest flag of the verb.
func TestAnUnknownFlagSaysWhatIsValid(t *testing.T) {
	for _, c := range []struct{ args, want string }{
		{"run x.yaml --sed 3", "weft run has no flag --sed (did you mean --seed?)\nsee weft run --help"},
		{"run x.yaml --outt x", "(did you mean --out?)"},
		{"sm route --detail x", "(did you mean --details?)"},
		{"tune x.yaml --evaluations -1", "weft tune has no flag --evaluations\nsee weft tune --help"},
		{"run x.yaml -Q", "weft run has no flag -Q"},
		{"latency --size 4", "weft latency has no flag --size: the size of the message is --bytes"},
		{"run x.yaml --seeds 3", "weft compare FILE --seeds"},
		{"bench all-reduce --seeds 3", "weft compare FILE --seeds"},
		{"compair x.yaml --seed 3", `weft has no verb "compair" (did you mean compare?)`},
		{"sm rout --seed 3", `weft sm has no verb "rout" (did you mean route?)`},
	} {
		code, _, errs := invoke(environmentOf(strings.Fields(c.args), nil))
		if code != exit.BadInput || !strings.Contains(errs, c.want) {
			t.Errorf("weft %s: %v, %s\nwant %s", c.args, code, errs, c.want)
		}
	}
}

// TestAllErrorsOfFlagsAreReportedAtOnce: values, unknown flags, and the arguments, in the order of the command line.
func TestAllErrorsOfFlagsAreReportedAtOnce(t *testing.T) {
	for _, c := range []struct{ args, want string }{
		{"compare --seeds 0 -j x", "weft: --seeds 0: want a whole number, 1 to 1000\n--workers x: want a whole number\nweft compare needs one scenario file: weft compare FILE [flags]\nsee weft compare --help\n"},
		{"run x.yaml --seed -1 --fabrics a --jsn", "weft: --seed -1: want a whole number, at least 0\nweft run has no flag --fabrics (did you mean --fabric?)\nweft run has no flag --jsn (did you mean --json?)\nsee weft run --help\n"},
		{"run x.yaml --out", "weft: --out needs a value\nsee weft run --help\n"},
	} {
		code, _, errs := invoke(environmentOf(strings.Fields(c.args), nil))
		if code != exit.BadInput || errs != c.want {
			t.Errorf("weft %s: %v\n%s\nwant\n%s", c.args, code, errs, c.want)
		}
	}
}

// TestHelpFitsAScreen: no line of any help is wider than 100 columns, and no type of Go is in it.
func TestHelpFitsAScreen(t *testing.T) {
	seen := 0
	var visit func(c *cobra.Command)
	visit = func(c *cobra.Command) {
		for line := range strings.Lines(c.Long + "\n" + c.UsageString()) {
			seen++
			flag, _, _ := strings.Cut(strings.TrimSpace(line), "  ")
			if len([]rune(line)) > 101 && !strings.HasPrefix(line, "  weft ") || strings.HasPrefix(flag, "-") && regexp.MustCompile(` (string|strings|stringArray|u?int|float)$`).MatchString(flag) {
				t.Errorf("%s: %s", c.CommandPath(), line)
			}
		}
		for _, sub := range c.Commands() {
			visit(sub)
		}
	}
	visit(newRoot(simulatorOf(environment(nil))))
	if seen < 1000 {
		t.Errorf("only %d lines were seen", seen)
	}
}

func TestAFlagThatCannotBeReadSaysWhatItTakes(t *testing.T) {
	for _, c := range []struct{ args, want string }{
		{"cache check --number x", `--number x: want a whole number`},
		{"run x.yaml --seed -1", `want a whole number, at least 0`},
		{"run x.yaml -j 99999999999999999999", `this one is too large`},
		{"run x.yaml --json=maybe", `want true or false`},
		{"train x.yaml --seeds 1e9", `--seeds 1e9: want a whole number, 1 to 1000`},
		{"compare x.yaml --seeds -1", `--seeds -1: want a whole number, 1 to 1000`},
		{"run x.yaml --exact x", `want on, off or check`},
	} {
		code, _, errs := invoke(environmentOf(strings.Fields(c.args), nil))
		if code == exit.OK || !strings.Contains(errs, c.want) || strings.Contains(errs, "strconv") {
			t.Errorf("weft %s: %v, %s\nwant %s", c.args, code, errs, c.want)
		}
	}
}
