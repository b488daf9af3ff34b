package lint

import (
	"fmt"
	"strings"

	"weft/internal/roce/host"
)

// flags are the PFC flags of eight priorities, in the form of mlnx_qos.
func flags(priorities ...int) string {
	var on [host.Priorities]bool
	for _, p := range priorities {
		if p >= 0 && p < len(on) {
			on[p] = true
		}
	}
	words := make([]string, len(on))
	for i := range on {
		words[i] = "0"
		if on[i] {
			words[i] = "1"
		}
	}
	return strings.Join(words, ",")
}

// join is a list of numbers in SONiC's form: "3,4".
func join(numbers []int) string {
	words := make([]string, len(numbers))
	for i, n := range numbers {
		words[i] = fmt.Sprint(n)
	}
	return strings.Join(words, ",")
}

// mapName is the name of a map without its table.
func mapName(full string) string {
	_, name, _ := strings.Cut(full, "|")
	return name
}
