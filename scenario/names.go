package scenario

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// expand is the names that match a pattern, in its order: node[0-2,7]/nic0 is node0/nic0,
// node1/nic0, node2/nic0 and node7/nic0; gpu[01-10] is gpu01 to gpu10. A text without brackets is one name.
func expand(pattern string) ([]string, error) {
	before, rest, found := strings.Cut(pattern, "[")
	if !found {
		if pattern == "" || strings.Contains(pattern, "]") {
			return nil, fmt.Errorf("%q is no name: want one such as node3, node[0-7] or node[0-7]/nic0", abridged(pattern))
		}
		return []string{pattern}, nil
	}
	set, after, closed := strings.Cut(rest, "]")
	if !closed || strings.Contains(before, "]") {
		return nil, fmt.Errorf("%q has a bracket without its other half", abridged(pattern))
	}
	numbers, err := numberSet(set)
	if err != nil {
		return nil, fmt.Errorf("%q: %w", abridged(pattern), err)
	}
	tails := []string{""}
	if after != "" {
		if tails, err = expand(after); err != nil {
			return nil, err
		}
	}
	if len(numbers)*len(tails) > maxList {
		return nil, fmt.Errorf("%q stands for %d names: at most %d are read", abridged(pattern), len(numbers)*len(tails), maxList)
	}
	names := make([]string, 0, len(numbers)*len(tails))
	for _, n := range numbers {
		for _, tail := range tails {
			names = append(names, before+n+tail)
		}
	}
	return names, nil
}

// numberSet is the numbers of 0-3,7 as texts. A range that begins with zeros keeps its width: 001-064.
func numberSet(set string) (numbers []string, err error) {
	for part := range strings.SplitSeq(set, ",") {
		from, to, isRange := strings.Cut(part, "-")
		first, err1 := strconv.ParseUint(from, 10, 31)
		last, err2 := first, error(nil)
		if isRange {
			last, err2 = strconv.ParseUint(to, 10, 31)
		}
		switch {
		case err1 != nil || err2 != nil || last < first:
			return nil, fmt.Errorf("%q is no range of numbers: want 0-7 or 0-3,7", abridged(part))
		case len(numbers)+int(last-first) >= maxList:
			return nil, fmt.Errorf("more than %d names", maxList)
		}
		width := 0
		if len(from) > 1 && from[0] == '0' {
			width = len(from)
		}
		for n := first; n <= last; n++ {
			numbers = append(numbers, fmt.Sprintf("%0*d", width, n))
		}
	}
	return numbers, nil
}

// Names for sets of NICs, and for a special NIC.
const (
	// AllNICs is every NIC, the fabric manager's included.
	AllNICs = "all"
	// ManagerNIC is the NIC of the Subnet Manager: the NIC that the topology reserves for it
	// (topology.ufm), or else the cluster's first.
	ManagerNIC = "manager"
)

// HostName is the name of a node: the site's, or node0 and so on.
func (c *Cluster) HostName(node int) string {
	if node < len(c.Hosts) {
		return c.Hosts[node]
	}
	return fmt.Sprintf("node%d", node)
}

// NICs are the NICs with a name, counted over the cluster: node3 is all of the node's, node3/nic1
// is one.
func (c *Cluster) NICs(name string) ([]int, error) {
	host, adapter, one := strings.Cut(name, "/")
	node := slices.Index(c.Hosts, host) // a site's node1 need not be weft's
	ok := node >= 0 && node < c.Nodes
	if !ok {
		node, ok = numbered(host, "node", c.Nodes)
		ok = ok && !slices.Contains(c.Hosts, host)
	}
	if !ok {
		return nil, fmt.Errorf("%q is no NIC of the cluster: want node0 to node%d, or node0/nic0 to node%d/nic%d", abridged(name), c.Nodes-1, c.Nodes-1, c.Node.NICs-1)
	}
	if one {
		nic := slices.Index(c.Adapters, adapter)
		ok := nic >= 0
		if !ok {
			nic, ok = numbered(adapter, "nic", c.Node.NICs)
		}
		if !ok {
			return nil, fmt.Errorf("%q is no NIC of a node: want nic0 to nic%d", abridged(name), c.Node.NICs-1)
		}
		return []int{node*c.Node.NICs + nic}, nil
	}
	var all []int
	for nic := range c.Node.NICs {
		all = append(all, node*c.Node.NICs+nic)
	}
	return all, nil
}

// numbered is the number after a prefix, below a count.
func numbered(text, prefix string, count int) (n int, ok bool) {
	digits, ok := strings.CutPrefix(text, prefix)
	if !ok || len(digits) > 1 && digits[0] == '0' {
		return 0, false
	}
	x, err := strconv.ParseUint(digits, 10, 31)
	return int(x), err == nil && int(x) < count
}

// Expand is the names of a list of patterns. The patterns of a checked scenario have no errors.
func Expand(patterns []string) (names []string) {
	for _, p := range patterns {
		more, _ := expand(p)
		names = append(names, more...)
	}
	return names
}

// checkNICs reports patterns whose names are not NICs. special are additional valid names.
func (r *rules) checkNICs(path string, patterns []string, special ...string) {
	for i, p := range patterns {
		names, err := r.counted(p)
		for _, name := range names {
			if err == nil && !slices.Contains(special, name) {
				_, err = r.Cluster.NICs(name)
			}
		}
		if err != nil {
			r.complain(fmt.Sprintf("%s[%d]", path, i), "%v", err)
			return
		}
	}
}

// checkPatterns reports patterns that cannot be read. Their names are looked up with the fabric.
func (r zoneRules) checkPatterns(path string, patterns []string) {
	for _, p := range patterns {
		if _, err := r.counted(p); err != nil {
			r.complain(path, "%v", err)
			return
		}
	}
}

// counted is expand within the bound for all patterns of a file.
func (r *rules) counted(pattern string) ([]string, error) {
	if r.names > maxNames {
		return nil, fmt.Errorf("the patterns of the file stand for more than %d names", maxNames)
	}
	names, err := expand(pattern)
	r.names += len(names)
	return names, err
}
