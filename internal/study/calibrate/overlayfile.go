package calibrate

import (
	"fmt"
	"io"
	"slices"
	"strings"
)

// WriteOverlay writes the fitted constants as a file for --overlay, with the logs of the fit and
// the error on held-out sizes.
func (f *Fit) WriteOverlay(w io.Writer, logs []string) error {
	if f.Partial {
		return errPartialFit
	}
	var b strings.Builder
	fmt.Fprintf(&b, "# Fitted by weft calibrate to %s, on %s.\n", oneLine(strings.Join(logs, ", ")), oneLine(f.Fabric))
	fmt.Fprintf(&b, "# Root mean square of ln(predicted / measured), before and after:\n")
	for _, part := range []struct {
		name string
		held bool
	}{{"sizes of the search", false}, {"sizes held out     ", true}} {
		before, after := f.Error(part.held)
		fmt.Fprintf(&b, "#   %s  %.4f  %.4f\n", part.name, before, after)
	}
	root := &branch{}
	for _, c := range f.Constants {
		if c.Determined {
			root.put(strings.Split(c.Field, "."), fmt.Sprintf("%s # was %s; times %.2f, with 95 %% %.2f to %.2f", c.After, c.Before, c.Factor, c.Least, c.Most))
		} else {
			fmt.Fprintf(&b, "# The log does not determine %s.\n", c.Field)
		}
	}
	root.write(&b, "")
	_, err := io.WriteString(w, b.String())
	return err
}

// oneLine keeps a name within its comment.
func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// branch is a mapping of YAML.
type branch struct {
	keys []string
	leaf map[string]string
	sub  map[string]*branch
}

func (t *branch) put(path []string, value string) {
	if t.leaf == nil {
		t.leaf, t.sub = map[string]string{}, map[string]*branch{}
	}
	key := path[0]
	if !slices.Contains(t.keys, key) {
		t.keys = append(t.keys, key)
	}
	if len(path) == 1 {
		t.leaf[key] = value
		return
	}
	if t.sub[key] == nil {
		t.sub[key] = &branch{}
	}
	t.sub[key].put(path[1:], value)
}

func (t *branch) write(b *strings.Builder, indent string) {
	for _, key := range t.keys {
		if below := t.sub[key]; below != nil {
			fmt.Fprintf(b, "%s%s:\n", indent, key)
			below.write(b, indent+"  ")
			continue
		}
		fmt.Fprintf(b, "%s%s: %s\n", indent, key, t.leaf[key])
	}
}
