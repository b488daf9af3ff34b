package flags

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"weft/internal/face/doc"
)

// Together makes the flags of a verb, and of the verbs below it, report all wrong values of a command line, and the
// arguments, at once. It also keeps the lines of their help as narrow as the flags', in so many columns; 0 is no terminal.
func Together(c *cobra.Command, columns int) {
	for _, sub := range c.Commands() {
		Together(sub, columns)
	}
	if columns == 0 || columns > widest {
		columns = widest
	}
	c.Long = wrapped(c.Long, columns)
	wrong := &wrongValues{}
	c.Flags().VisitAll(func(f *pflag.Flag) {
		if f.Value.Type() == "bool" {
			return
		}
		k := &kept{Value: f.Value, flag: f, wrong: wrong}
		if list, ok := f.Value.(pflag.SliceValue); ok {
			f.Value = &keptList{k, list}
		} else {
			f.Value = k
		}
	})
	arguments := c.Args
	if arguments == nil {
		return // a verb with verbs below it, and no flag of its own
	}
	c.Args = func(c *cobra.Command, given []string) error {
		return wrong.with(c, arguments(c, given))
	}
}

// usual is the width of the paragraphs of help that are kept as they are written.
const usual = 88

// wrapped fills anew each paragraph that has a line wider than usual, or than the columns. In a paragraph with
// indented lines it fills only the lines that are wider than the columns.
func wrapped(text string, columns int) string {
	var out []string
	for paragraph := range strings.SplitSeq(text, "\n\n") {
		out = append(out, filled(paragraph, columns))
	}
	return strings.Join(out, "\n\n")
}

func filled(paragraph string, columns int) string {
	lines := strings.Split(paragraph, "\n")
	indented := slices.ContainsFunc(lines, func(l string) bool { return strings.HasPrefix(l, " ") })
	if !indented && slices.ContainsFunc(lines, func(l string) bool { return len([]rune(l)) > min(usual, columns) }) {
		return doc.Wrap(paragraph, columns)
	}
	var out []string
	for _, line := range lines {
		if len([]rune(line)) > columns {
			line = doc.Wrap(line, columns)
		}
		out = append(out, line)
	}
	return strings.Join(out, "\n")
}

// wrongValues are the errors of the values that one command line gives to flags.
type wrongValues struct{ errs []error }

// with is the errors and one more, if there are any.
func (w *wrongValues) with(c *cobra.Command, err error) error {
	if len(w.errs) == 0 {
		return err
	}
	return errors.Join(append(slices.Clone(w.errs), err, fmt.Errorf("see %s --help", c.CommandPath()))...)
}

// A kept is the value of a flag that keeps the error about a wrong text until all flags are read.
type kept struct {
	pflag.Value
	flag  *pflag.Flag
	wrong *wrongValues
	given []string // the texts of the command line
}

// wrongs are the errors of the command line.
func (k *kept) wrongs() []error { return k.wrong.errs }

// A keptList is a kept value of a flag with several values.
type keptList struct {
	*kept
	pflag.SliceValue
}

// Set reads the value. It has no error: the wrong values are the error of the arguments.
func (k *kept) Set(text string) error {
	_, list := k.Value.(pflag.SliceValue)
	if len(k.given) > 0 && !list && k.Value.Type() != "count" && k.given[0] != text {
		k.wrong.errs = append(k.wrong.errs, fmt.Errorf("--%s is given twice, with %s and %s: leave one out", k.flag.Name, Abridged(k.given[0]), Abridged(text)))
	}
	k.given = append(k.given, text)
	if err := k.Value.Set(text); err != nil {
		shown := Abridged(text)
		if shown == "" || strings.Contains(shown, " ") {
			shown = fmt.Sprintf("%q", shown)
		}
		k.wrong.errs = append(k.wrong.errs, fmt.Errorf("--%s %s: %s", k.flag.Name, shown, valid(k.flag, err)))
	}
	return nil
}
