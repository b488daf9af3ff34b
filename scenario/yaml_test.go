package scenario

import (
	"strings"
	"testing"
)

func TestEachErrorOfYAMLHasItsPlaceAndItsReason(t *testing.T) {
	const anchors = "anchors, aliases and merge keys are not read: write the value out, or use a preset"
	for text, want := range map[string]string{
		"cluster:\n\tnodes: 4\n":               "2:1: this is not YAML: nothing begins with a tab, @, ` or %: indent by spaces, and put such a text into quotation marks",
		"name: a: b\n":                         "1:8: this is not YAML: mapping values are not allowed in this context",
		"name: \"abc\n":                        "2:1: this is not YAML: while scanning a quoted scalar that begins at 1:7: found unexpected end of stream",
		"fabrics:\n-infiniband-ndr\n":          "3:1: this is not YAML: while scanning a simple key that begins at 2:1: could not find expected ':'",
		"cluster:\n  nodes: 4\n node: x":       "3:2: this is not YAML: while parsing a block mapping that begins at 1:1: did not find expected key",
		"name: \"héé\"\ncl: {é: 1, é: 2}":      "2:12: \"é\" is given twice: first on line 2",
		"\ufeffname: a\r\nname: b\r\n":         "2:1: \"name\" is given twice: first on line 1",
		"name: a\x00b\n":                       "1:8: the character U+0000 is not read: write the text without it",
		"# ok\nname: \u2028\n":                 "2:7: the character U+2028 is not read: write the text without it",
		"name: a\n--- # again\nname: b\n":      "2:1: a second document: want one in a file",
		"[a]: b\n":                             "1:1: a key is a list: want a name",
		"name: &x a\n":                         "1:7: " + anchors,
		"cluster:\n  <<: {nodes: 4}\n":         "2:3: " + anchors,
		"name: !!str a\n":                      "1:7: tags are not read: write the value without it",
		"run:\n  seed: >-\n    4\n":            "2:9: blocks of text are not read: write the value on one line",
		"a: " + strings.Repeat("[", 40):        "1:28: this is nested too deeply: want less than 24 levels",
		strings.Repeat("- ", 40) + "x":         "1:49: this is nested too deeply: want less than 24 levels",
		strings.Repeat("#\n", maxFile/2) + "#": "1:1: the file is longer than 16777216 bytes, the most that is read",
	} {
		if _, errs := parse("f", []byte(text)); len(errs) != 1 || errs[0].Error() != "f:"+want {
			t.Errorf("%.60q: %v\nwant f:%s", text, errs, want)
		}
	}
}

// Ten lines that YAML would expand to a billion values.
func TestAliasesAreNotExpanded(t *testing.T) {
	var text strings.Builder
	text.WriteString("a: &a [1, 2, 3, 4, 5, 6, 7, 8, 9]\n")
	for c := byte('b'); c < 'j'; c++ {
		text.WriteString(string(c) + ": &" + string(c) + " [" + strings.Repeat("*"+string(c-1)+", ", 9) + "]\n")
	}
	root, errs := parse("f", []byte(text.String()))
	if len(root.pairs) != 0 || len(errs) != 9 {
		t.Errorf("%d values and %d errors, want an error for each of 9 anchors", len(root.pairs), len(errs))
	}
}

// YAML's other types do not exist here: a value is the text in the file, or nothing.
func TestAPlainValueIsTheTextOfTheFile(t *testing.T) {
	for _, text := range []string{"on", "yes", "010", "0o10", "0x10", "1_0", "99999999999999999999999", "4.0", "4e0", ".inf", "2024-01-01", "1:30", "a#b", "="} {
		root, errs := parse("f", []byte("a: "+text+" # not this\n"))
		if len(errs) > 0 || root.pairs[0].val.kind != scalar || root.pairs[0].val.text != text || !root.pairs[0].val.plain {
			t.Errorf("%s is read as %+v, %v", text, root.pairs[0].val, errs)
		}
	}
	for _, text := range []string{"", "~", "null"} {
		root, errs := parse("f", []byte("a: "+text+"\n---\n"))
		if len(errs) > 0 || root.pairs[0].val.kind != null {
			t.Errorf("%q is read as %+v, %v", text, root.pairs[0].val, errs)
		}
	}
}
