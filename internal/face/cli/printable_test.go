package cli

import (
	"strings"
	"testing"
)

// TestNoControlSequenceReachesTheTerminal: from names in scenarios, in fabric files and on
// the command line, to standard output and error.
func TestNoControlSequenceReachesTheTerminal(t *testing.T) {
	const evil = "\x1b]0;owned\x07\x1b[2J\u009b31m\r\u202e\x7f"
	yaml := func(key string) string {
		return "\"" + strings.NewReplacer("\x1b", `\e`, "\x07", `\a`, "\u009b", `\u009b`, "\r", `\r`, "\u202e", `\u202e`, "\x7f", `\x7f`).Replace(key) + "\""
	}
	for _, c := range []struct {
		args  []string
		stdin string
	}{
		{[]string{"compare", "-"}, yaml("no"+evil) + ": 1\n"},
		{[]string{"compare", "-"}, "no" + evil + ": 1\n"},
		{[]string{"compare", "-"}, "name: " + yaml("a"+evil) + "\ncluster: {nodes: 2}\n"},
		{[]string{"run", "-", "--print-scenario"}, "name: " + yaml("a"+evil) + "\n"},
		{[]string{"compare", "-"}, "cluster: {nodes: " + yaml(evil) + "}\n"},
		{[]string{"compare", "-"}, "fabrics: [{preset: infiniband-ndr, name: " + yaml(evil) + "}]\n"},
		{[]string{"compare", "-", "--set", "a" + evil + "=1"}, "cluster: {nodes: 2}\n"},
		{[]string{"compare", "-", "--fabric", evil}, "cluster: {nodes: 2}\n"},
		{[]string{"compare", evil}, ""},
		{[]string{evil}, ""},
		{[]string{"compare", "--" + evil}, ""},
		{[]string{"catalog", "switch", evil}, ""},
		{[]string{"topology", "-"}, "fabrics: [{preset: infiniband-ndr, name: " + yaml(evil) + "}]\n"},
		{[]string{"fabric", "inspect", "-"}, "vendid=0x2c9\ndevid=0x1\nsysimgguid=0x1\nswitchguid=0x1(1)\nSwitch\t2 \"S-0000000000000001\"\t\t# \"" + evil + "\" enhanced port 0 lid 1 lmc 0\n"},
		{[]string{"fabric", "health", "-"}, "Errors for \"" + evil + "\"\n   GUID 0x1 port 1: [SymbolErrorCounter == 65535] [" + evil + " == " + evil + "]\n"},
		{[]string{"fabric", "convert", "-", "--to", "ibsim"}, "Switch 2 \"" + evil + "\"\n"},
		{[]string{"diagnose", "-"}, evil + "\n"},
		{[]string{"replay", evil}, ""},
	} {
		for _, terminal := range []bool{false, true} {
			e := environment(c.args)
			e.Stdin = strings.NewReader(c.stdin)
			e.StdoutTerminal = terminal
			_, out, errs := invoke(e)
			for _, own := range []string{"\x1b[0m", "\x1b[1m", "\x1b[2m", "\x1b[3"} {
				if terminal {
					out = strings.ReplaceAll(out, own, "")
				}
			}
			if got := strings.Map(obeyed, out+errs); got != "" {
				t.Errorf("%q, terminal %v: %q reaches the terminal in\n%q\n%q", c.args, terminal, got, out, errs)
			}
			if out+errs == "" {
				t.Errorf("%q prints nothing", c.args)
			}
		}
	}
}

// obeyed keeps the characters of a text that a terminal obeys.
func obeyed(r rune) rune {
	if strings.ContainsRune("\x1b\x07\u009b\r\u202e\x7f", r) {
		return r
	}
	return -1
}
