package flags

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// Error completes an error about a flag: what would be valid, and where to read on.
func Error(c *cobra.Command, err error) error {
	text, _, _ := strings.Cut(err.Error(), ": strconv.") // the rest is for programmers
	return fmt.Errorf("%s%s%s\nsee %s --help", text, validValue(err), aboutExact(c, text)+whyAbsent(c, text), c.CommandPath())
}

// validValue says which values a flag takes if it could not read one as a number; the values of other flags say it
// themselves.
func validValue(err error) string {
	var invalid *pflag.InvalidValueError
	var number *strconv.NumError
	if !errors.As(err, &invalid) || !errors.As(err, &number) {
		return ""
	}
	kind := invalid.GetFlag().Value.Type()
	switch {
	case kind == "bool":
		return ": want true or false"
	case strings.HasPrefix(kind, "float"):
		return ": want a number"
	case strings.HasPrefix(kind, "uint"):
		return ": want a whole number, at least 0" + most(number)
	}
	return ": want a whole number" + most(number)
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
		cmd.Annotations["unknown flag: --"+flag] = why
	}
}

// whyAbsent completes an error about a flag that a verb does not have.
func whyAbsent(c *cobra.Command, text string) string {
	if why := c.Annotations[text]; why != "" {
		return ": " + why
	}
	return ""
}

// aboutExact completes an error about --exact, which once was what --whole is.
func aboutExact(c *cobra.Command, text string) string {
	switch {
	case !strings.Contains(text, "--exact"):
		return ""
	case c.Flags().Lookup("whole") != nil:
		return "\n--exact takes on, off or check; the whole step in one simulation is --whole"
	case strings.HasPrefix(text, "flag needs an argument"):
		return ": on, off or check"
	}
	return ""
}
