package scenario

import (
	"fmt"
	"strconv"
	"strings"
)

// Runs is a row of hexadecimal values in a resolved scenario, all with as many digits. Equal neighbours are VALUE*COUNT:
// "0*12 3 0*4".
type Runs string

// maxRun bounds the values of a row: the LIDs of a subnet, and the pairs of ports of a switch.
const maxRun = 1 << 16

// runsOf is the row of some values.
func runsOf(values []string) Runs {
	var b strings.Builder
	for i := 0; i < len(values); {
		n := 1
		for i+n < len(values) && values[i+n] == values[i] {
			n++
		}
		if b.Len() > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(values[i])
		if n > 1 {
			fmt.Fprintf(&b, "*%d", n)
		}
		i += n
	}
	return Runs(b.String())
}

func parseRuns(text string) (Runs, error) {
	total := 0
	for field := range strings.FieldsSeq(text) {
		value, count, times := strings.Cut(field, "*")
		n, err := 1, error(nil)
		if times {
			n, err = strconv.Atoi(count)
		}
		if err != nil || n < 1 || strings.Trim(value, "0123456789abcdef") != "" || value == "" {
			return "", fmt.Errorf("%q is no row of values: want hexadecimal values with blanks between them, equal ones as VALUE*COUNT", abridged(text))
		}
		if total += n; total > maxRun {
			return "", fmt.Errorf("%q has more than %d values", abridged(text), maxRun)
		}
	}
	return Runs(text), nil
}

// Values are the values of a row. A checked scenario has no errors.
func (r Runs) Values() (values []string) {
	for field := range strings.FieldsSeq(string(r)) {
		value, count, _ := strings.Cut(field, "*")
		n, err := strconv.Atoi(count)
		if err != nil {
			n = 1
		}
		for range min(n, maxRun) {
			values = append(values, value)
		}
	}
	return values
}
