package host

import (
	"strconv"
	"strings"
)

// GID is an entry of an adapter's table of GIDs.
type GID struct {
	V1        bool // of RoCE v1, which has no IP header and so no DSCP
	LinkLocal bool // the address of the link, which no router forwards
}

// showGIDs reads the output of show_gids: DEV, PORT, INDEX, GID, perhaps an address of IPv4, VER and
// DEV.
func (r *reader) showGIDs() {
	for line := range r.rest() {
		words := strings.Fields(line)
		if len(words) < 5 || !strings.Contains(words[3], ":") {
			continue // a heading, or a line of the terminal
		}
		n, err := strconv.Atoi(words[2])
		if err != nil || n < 0 {
			r.fail("the index of a GID is %q: valid is a whole number from 0", words[2])
			return
		}
		version := ""
		for _, w := range words[4:] {
			if strings.EqualFold(w, "v1") || strings.EqualFold(w, "v2") {
				version = strings.ToLower(w)
			}
		}
		if version == "" {
			r.fail("the GID of index %d has no version: valid are v1 and v2", n)
			return
		}
		r.gid(n, version == "v1", words[3])
	}
}

// gid notes an entry of the table. Tables of several adapters have the same order.
func (r *reader) gid(n int, v1 bool, address string) {
	g := r.host.GIDs[n]
	g.V1 = v1
	g.LinkLocal = g.LinkLocal || strings.HasPrefix(strings.ToLower(address), "fe80:")
	r.host.GIDs[n] = g
}

// gidAttribute takes a file of sysfs with the type or the value of a GID: .../gid_attrs/types/3,
// .../gids/3. ok is false for other files.
func (r *reader) gidAttribute(name, value string) (ok bool) {
	for _, dir := range []string{"gid_attrs/types/", "gids/"} {
		_, index, found := strings.Cut(name, dir)
		n, err := strconv.Atoi(index)
		if !found || err != nil {
			continue
		}
		g, had := r.host.GIDs[n]
		if dir == "gids/" {
			g.LinkLocal = strings.HasPrefix(strings.ToLower(value), "fe80:")
		} else {
			g.V1, had = strings.HasSuffix(value, "v1"), true
		}
		if had {
			r.host.GIDs[n] = g
		}
		return true
	}
	return false
}
