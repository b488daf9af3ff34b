package cabling

import (
	"fmt"
	"strconv"
	"strings"
)

// ShortName is the site's name in the description of a managed switch: leaf7 of MF0;leaf7:MQM9700/U1. Other names stay.
func ShortName(description string) string {
	_, rest, ok := strings.Cut(description, ";")
	if !ok {
		return description
	}
	name, _, _ := strings.Cut(rest, ":")
	return name
}

// MeansNode reports whether a text that a person wrote means the node of a name: the name itself, the short name in any
// case, the name without what stands before the semicolon, or an adapter, which Linux writes gpu7 mlx5_0, and scenarios
// gpu7/mlx5_0.
func MeansNode(text, name string) bool {
	slashed := func(s string) string { return strings.ReplaceAll(s, " ", "/") }
	_, rest, described := strings.Cut(name, ";")
	return name == text || strings.EqualFold(ShortName(name), text) || described && rest == text || slashed(name) == slashed(text)
}

// Meant returns the numbers of the nodes that a text names. If nodes have exactly this name, it returns only these.
func Meant(text string, nodes int, name func(int) string) (found []int) {
	exact := false
	for i := range nodes {
		switch own := name(i); {
		case own == text && !exact:
			found, exact = []int{i}, true
		case own == text || !exact && MeansNode(text, own):
			found = append(found, i)
		}
	}
	return found
}

// Ambiguous is the error of a text that means several nodes. One of them alone is meant by each of the examples.
func Ambiguous(text string, nodes int, examples ...string) error {
	return fmt.Errorf("%q is the name of %d nodes: name one of them, such as %s", text, nodes, strings.Join(examples, " or "))
}

// SplitEnd divides what a person wrote for a port into the node and the port: leaf7:12, leaf7 port 12, leaf7:Ethernet48,
// leaf7 Ethernet48. Names of nodes have colons and blanks, too, so is says which texts mean a node.
func SplitEnd(text string, is func(node string) bool) (node, port string, ok bool) {
	for i := len(text) - 1; i > 0; i-- {
		if c := text[i]; (c == ':' || c == ' ') && is(text[:i]) {
			port = strings.TrimSpace(text[i+1:])
			if c == ' ' {
				port = strings.TrimSpace(strings.TrimPrefix(port, "port "))
			}
			return text[:i], port, port != ""
		}
	}
	return "", "", false
}

// PortNumber is the number, from 1, of the port that a text means among the names of ports; a number if there are none of
// that name. 0: none.
func PortNumber(text string, names []string) int {
	for i, name := range names {
		if name != "" && PortKey(name) == PortKey(text) {
			return i + 1
		}
	}
	if n, err := strconv.Atoi(text); err == nil && n > 0 {
		return n
	}
	return 0
}
