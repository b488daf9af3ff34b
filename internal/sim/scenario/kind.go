package scenario

import (
	"bytes"
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// documents are files that are mixed up, each with fields that it has at its top, and
// the command that reads it.
var documents = []struct {
	what, verb string
	fields     []string
}{
	{"a scenario", "weft run", []string{"cluster", "topology", "workload", "training", "nccl", "faults", "isolation", "tune"}},
	{"a request for designs", "weft plan", []string{"gpus", "gpus-later", "node", "max-oversubscription", "max-levels", "max-switches", "max-power", "max-cost"}},
	{"a profile of an organisation", "weft advise", []string{"design", "organisation", "simulate", "weights"}},
	{"a price file", "weft plan --prices", []string{"currency", "electricity", "pue", "years", "items"}},
	{"results of weft", "weft explain with the folder that they are in", []string{"version", "seed", "scenario", "ranks", "fabrics"}},
}

// otherTexts are files of other programs, by what one of their lines begins with.
var otherTexts = []struct{ begins, what, verb string }{
	{"switchguid=", "a topology of ibnetdiscover", "weft fabric inspect"},
	{"caguid=", "a topology of ibnetdiscover", "weft fabric inspect"},
	{"#       size         count", "a log of nccl-tests", "weft diagnose or weft calibrate"},
	{" #bytes ", "a log of perftest", "weft diagnose or weft calibrate"},
	{"#bytes ", "a log of perftest", "weft diagnose or weft calibrate"},
}

// mistaken is how many fields a file of another kind has at least: fewer are taken for
// wrong fields of this kind.
const mistaken = 2

// otherKind says what a file is that has the fields of another kind than t's at its
// top, or which program's where it has none; "" where it is of this kind.
func otherKind(root *node, text []byte, t reflect.Type) string {
	if root.kind != mapping {
		return otherText(text)
	}
	var unknown []string
	for _, p := range root.pairs {
		if fieldByName(t, p.key.text) < 0 {
			unknown = append(unknown, p.key.text)
		}
	}
	if 2*len(unknown) < len(root.pairs) {
		return ""
	}
	for _, d := range documents {
		var has []string
		for _, name := range unknown {
			if slices.Contains(d.fields, name) {
				has = append(has, name)
			}
		}
		if len(has) >= mistaken {
			return fmt.Sprintf("this is %s, for %s: it has the fields %s; here the fields are %s", d.what, d.verb, strings.Join(has, ", "), strings.Join(fieldNames(t), ", "))
		}
	}
	return ""
}

// otherText says which program's file a text is that cannot be read as YAML; "" where it
// is not known.
func otherText(text []byte) string {
	for line := range bytes.Lines(text) {
		for _, k := range otherTexts {
			if bytes.HasPrefix(line, []byte(k.begins)) {
				return fmt.Sprintf("this is %s, for %s", k.what, k.verb)
			}
		}
	}
	return ""
}
