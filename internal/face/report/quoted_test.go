package report

import "testing"

func TestANameThatReadsAsWordsIsQuoted(t *testing.T) {
	for name, want := range map[string]string{
		"roce-v2-400g":       "roce-v2-400g",
		"spx4.2_b":           "spx4.2_b",
		"no slow NIC":        `"no slow NIC"`,
		"slow NIC, PFC only": `"slow NIC, PFC only"`,
		`the "old" one`:      `"the \"old\" one"`,
		"none":               `"none"`,
		"static":             "static",
		"größer":             `"größer"`,
		"-":                  `"-"`,
		"a.":                 `"a."`,
		"":                   `""`,
	} {
		if got := quoted(name); got != want {
			t.Errorf("quoted(%q) is %s, want %s", name, got, want)
		}
	}
}
