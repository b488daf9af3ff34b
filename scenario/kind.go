package scenario

import (
	"bytes"
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// documents are the kinds of files that users may confuse, each with fields at its top level, and
// the command that reads it.
var documents = []struct {
	what, verb string
	fields     []string
}{
	{"a scenario", "weft run", []string{"cluster", "topology", "workload", "training", "serving", "nccl", "faults", "isolation", "tune", "sweep"}},
	{"a request for designs", "weft plan", []string{"gpus", "gpus-later", "node", "max-oversubscription", "max-levels", "max-switches", "max-power", "max-cost"}},
	{"a profile of an organisation", "weft advise", []string{"design", "organisation", "simulate", "weights"}},
	{"a price file", "weft plan --prices", []string{"currency", "electricity", "pue", "years", "items"}},
	{"results of weft", "weft explain with the folder that they are in", []string{"version", "seed", "scenario", "ranks", "fabrics"}},
}

// otherTexts are files of other programs, by the beginning of one of their lines.
var otherTexts = []struct{ begins, what, verb string }{
	{"switchguid=", "a topology of ibnetdiscover", "weft fabric inspect; weft fabric convert FILE --to scenario writes a scenario on it"},
	{"caguid=", "a topology of ibnetdiscover", "weft fabric inspect; weft fabric convert FILE --to scenario writes a scenario on it"},
	{"#       size         count", "a log of nccl-tests", "weft diagnose or weft calibrate"},
	{" #bytes ", "a log of perftest", "weft diagnose or weft calibrate"},
	{"#bytes ", "a log of perftest", "weft diagnose or weft calibrate"},
}

// mistaken is the minimum number of fields that identify a file of another kind: fewer count as
// wrong fields of this kind.
const mistaken = 2

// otherKind names the kind of a file with the top-level fields of a kind other than t's, or the
// program of a file without such fields; "" if it is of t's kind.
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

// otherText names the program of a text that cannot be read as YAML; "" if it is unknown.
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
