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

// Error completes an error about a flag: what would be valid, and where to read on. An unknown verb
// before the flag is the first mistake.
func Error(c *cobra.Command, err error) error {
	if before := c.Flags().Args(); c.HasSubCommands() && len(before) > 0 {
		if wrong := c.ValidateArgs(before); wrong != nil {
			return wrong
		}
	}
	text, _, _ := strings.Cut(err.Error(), ": strconv.") // the rest is for programmers
	return fmt.Errorf("%s%s%s\nsee %s --help", text, validValue(err), aboutExact(c, text)+aboutUnknown(c, err), c.CommandPath())
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
		cmd.Annotations["no --"+flag] = why
	}
}

// aboutUnknown completes an error about a flag that a verb does not have: why, or which one is near.
func aboutUnknown(c *cobra.Command, err error) string {
	var unknown *pflag.NotExistError
	if !errors.As(err, &unknown) {
		return ""
	}
	name := unknown.GetSpecifiedName()
	if why := c.Annotations["no --"+name]; why != "" {
		return ": " + why
	}
	if unknown.GetSpecifiedShortnames() != "" {
		return "" // every letter is near
	}
	var known []string
	c.Flags().VisitAll(func(f *pflag.Flag) {
		if !f.Hidden {
			known = append(known, f.Name)
		}
	})
	if near := catalog.Nearest(name, known); near != "" {
		return fmt.Sprintf(" (did you mean --%s?)", near)
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
