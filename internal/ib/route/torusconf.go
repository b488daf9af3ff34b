package route

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"

	"weft/units"
)

// TorusConf is the contents of torus-2QoS.conf (torus-2QoS.conf(5) of OpenSM).
type TorusConf struct {
	Radix [3]int  // switches along x, y and z; 1 for a missing dimension
	Open  [3]bool // a mesh: the ends of the dimension are not joined
	Seeds []TorusSeed
}

// TorusSeed ties a switch and its neighbours to directions.
type TorusSeed struct {
	From units.GUID
	// Plus and Minus are the neighbours along each dimension; 0 if the file does not name them.
	Plus, Minus [3]units.GUID
	// Dateline moves the origin, relative to From. The dateline is between the
	// switches with coordinates radix-1 and 0.
	Dateline [3]int
}

// ReadTorusConf reads torus-2QoS.conf. Keywords that do not
// affect weft's routes (portgroup_max_ports, port_order, max_changes) are not checked;
// unknown keywords are errors.
func ReadTorusConf(name string, r io.Reader) (*TorusConf, error) {
	c := &TorusConf{}
	line, in := 0, bufio.NewScanner(r)
	seed := &TorusSeed{}
	for in.Scan() {
		line++
		f := strings.Fields(in.Text())
		if len(f) == 0 || strings.HasPrefix(f[0], "#") {
			continue
		}
		if f[0] == "next_seed" {
			c.Seeds = append(c.Seeds, *seed)
			seed = &TorusSeed{}
			continue
		}
		if err := c.keyword(f, seed); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", name, line, err)
		}
	}
	if err := in.Err(); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	c.Seeds = append(c.Seeds, *seed)
	if c.Radix[0] == 0 {
		return nil, fmt.Errorf("%s: expected a line such as «torus 4 4 4»", name)
	}
	return c, nil
}

func (c *TorusConf) keyword(f []string, seed *TorusSeed) error {
	switch f[0] {
	case "torus", "mesh":
		return c.shape(f)
	case "portgroup_max_ports", "port_order", "max_changes":
		return nil
	}
	dim := strings.IndexByte("xyz", f[0][0])
	switch what := f[0][1:]; {
	case dim < 0:
	case what == "p_link", what == "m_link":
		return seed.link(f, dim, what[0] == 'p')
	case what == "_dateline":
		if len(f) < 2 {
			return fmt.Errorf("expected a position after %s", f[0])
		}
		at, err := strconv.Atoi(f[1])
		if err != nil || at < -maxRadix || at > maxRadix {
			return fmt.Errorf("expected a position from -%d to %d after %s, not %q", maxRadix, maxRadix, f[0], f[1])
		}
		seed.Dateline[dim] = at
		return nil
	}
	return fmt.Errorf("%q is no keyword of torus-2QoS.conf: expected torus, mesh, xp_link and its like, x_dateline and its like, or next_seed", f[0])
}

// maxRadix bounds a dimension: a subnet has LIDs for fewer switches in a row with a host each.
const maxRadix = 1 << 15

func (c *TorusConf) shape(f []string) error {
	if len(f) < 4 {
		return fmt.Errorf("expected three dimensions after %s, 1 for a missing dimension", f[0])
	}
	switches := 1
	for i, text := range f[1:4] {
		c.Open[i] = f[0] == "mesh"
		number := strings.TrimRight(text, "tTmM")
		if suffix := text[len(number):]; suffix != "" {
			c.Open[i] = strings.EqualFold(suffix, "m")
		}
		n, err := strconv.Atoi(number)
		if err != nil || n < 1 || n > maxRadix {
			return fmt.Errorf("expected a number of switches from 1 to %d, not %q", maxRadix, text)
		}
		c.Radix[i] = n
		if switches *= n; switches > int(units.LastUnicastLID) {
			return fmt.Errorf("a torus of %s has more switches than a subnet has LIDs", strings.Join(f[1:4], " x "))
		}
	}
	return nil
}

func (s *TorusSeed) link(f []string, dim int, plus bool) error {
	if len(f) < 3 {
		return fmt.Errorf("expected two GUIDs of switches after %s", f[0])
	}
	var guid [2]units.GUID
	for i := range guid {
		n, err := strconv.ParseUint(f[1+i], 0, 64)
		if err != nil {
			return fmt.Errorf("expected the GUID of a switch, not %q", f[1+i])
		}
		guid[i] = units.GUID(n)
	}
	if s.From != 0 && s.From != guid[0] {
		return fmt.Errorf("the links of a seed must all begin at one switch: %v, and %v before", guid[0], s.From)
	}
	s.From = guid[0]
	if plus {
		s.Plus[dim] = guid[1]
	} else {
		s.Minus[dim] = guid[1]
	}
	return nil
}
