package flags

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"weft/internal/sim/catalog"
)

// Error completes an error about a flag that a verb does not have, or whose value is missing: what would be valid, and
// where to read on. Wrong values before it, and further flags that the verb does not have, are errors too. An unknown
// verb before the flag is the first mistake. line is the command line.
func Error(c *cobra.Command, err error, line []string) error {
	if before := c.Flags().Args(); c.HasSubCommands() && len(before) > 0 {
		if wrong := c.ValidateArgs(before); wrong != nil {
			return wrong
		}
	}
	all := &wrongValues{}
	c.Flags().VisitAll(func(f *pflag.Flag) {
		if of, ok := f.Value.(interface{ wrongs() []error }); ok && len(all.errs) == 0 {
			all.errs = append(all.errs, of.wrongs()...)
		}
	})
	all.errs = append(all.errs, problem(c, err))
	var unknown *pflag.NotExistError
	if errors.As(err, &unknown) {
		all.errs = append(all.errs, others(c, unknown.GetSpecifiedName(), line)...)
	}
	return all.with(c, nil)
}

// problem is an error of the flags in the words of weft.
func problem(c *cobra.Command, err error) error {
	var unknown *pflag.NotExistError
	var missing *pflag.ValueRequiredError
	var invalid *pflag.InvalidValueError
	switch {
	case errors.As(err, &unknown):
		if letters := unknown.GetSpecifiedShortnames(); letters != "" {
			return fmt.Errorf("%s has no flag -%s (in -%s)", c.CommandPath(), unknown.GetSpecifiedName(), Abridged(letters))
		}
		return absent(c, unknown.GetSpecifiedName())
	case errors.As(err, &missing):
		name := missing.GetSpecifiedName()
		if name == "exact" {
			return errors.New("--exact needs a value: on, off or check")
		}
		if len(name) == 1 {
			return fmt.Errorf("-%s needs a value", name)
		}
		return fmt.Errorf("--%s needs a value", name)
	case errors.As(err, &invalid):
		return fmt.Errorf("--%s %s: %s", invalid.GetFlag().Name, Abridged(invalid.GetValue()), valid(invalid.GetFlag(), invalid.Unwrap()))
	}
	return err
}

// others are the errors about the flags behind an unknown one that the verb does not have either.
func others(c *cobra.Command, first string, line []string) (errs []error) {
	seen := false
	for _, word := range line {
		name, long := strings.CutPrefix(word, "--")
		name, _, _ = strings.Cut(name, "=")
		switch {
		case word == "--":
			return errs
		case !long || name == "":
		case name == first:
			seen = true
		case seen && c.Flags().Lookup(name) == nil && c.InheritedFlags().Lookup(name) == nil:
			errs = append(errs, absent(c, name))
		}
	}
	return errs
}

// valid says why a text is no value of a flag, and what would be one.
func valid(f *pflag.Flag, err error) string {
	var number *strconv.NumError
	if !errors.As(err, &number) {
		text := err.Error()
		if f.Name == "exact" {
			text += "; the whole step in one simulation is --whole of weft train"
		}
		return text
	}
	switch kind := f.Value.Type(); {
	case kind == "bool":
		return "want true or false"
	case strings.HasPrefix(kind, "float"):
		return "want a number"
	case strings.HasPrefix(kind, "uint"):
		return "want a whole number, at least 0" + most(number)
	}
	return "want a whole number" + most(number)
}

// most says that a number has too many digits.
func most(e *strconv.NumError) string {
	if errors.Is(e, strconv.ErrRange) {
		return "; this one is too large"
	}
	return ""
}

// Why a verb has no flag for a collective or for randomness.
const (
	NoCollective = "no collective runs there"
	NoSimulation = "nothing is simulated there"
)

// Absent says why a verb lacks flags that similar verbs have, for the error about them.
func Absent(cmd *cobra.Command, why string, flags ...string) {
	if cmd.Annotations == nil {
		cmd.Annotations = map[string]string{}
	}
	for _, flag := range flags {
		cmd.Annotations["no --"+flag] = why
	}
}

// absent is the error about a flag that a verb does not have: why, or which one is near.
func absent(c *cobra.Command, name string) error {
	shown := Abridged(name)
	if why := c.Annotations["no --"+name]; why != "" {
		return fmt.Errorf("%s has no flag --%s: %s", c.CommandPath(), shown, why)
	}
	var known []string
	c.Flags().VisitAll(func(f *pflag.Flag) {
		if !f.Hidden {
			known = append(known, f.Name)
		}
	})
	if near := catalog.Nearest(name, known); near != "" {
		return fmt.Errorf("%s has no flag --%s (did you mean --%s?)", c.CommandPath(), shown, near)
	}
	return fmt.Errorf("%s has no flag --%s", c.CommandPath(), shown)
}
