package cli

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// flagError completes an error about a flag: what would be valid, and where to read on.
func flagError(c *cobra.Command, err error) error {
	text, _, _ := strings.Cut(err.Error(), ": strconv.") // the rest is for programmers
	return fmt.Errorf("%s%s%s\nsee %s --help", text, validValue(err), aboutExact(c, text)+aboutAbsent(c, text), c.CommandPath())
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
