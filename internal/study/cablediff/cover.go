package cablediff

import (
	"fmt"

	"weft/internal/base/cabling"
	"weft/internal/base/wording"
)

// class is what sort of devices a cable joins.
type class uint8

const (
	hostClass       class = iota // a host and something else
	switchClass                  // two switches
	insideClass                  // two chips of one housing
	managementClass              // an out-of-band device
	otherClass
	classes
)

var classNames = [classes]string{"cables of hosts", "cables between switches", "links inside of directors", "cables of the management network", "other cables"}

// roleOf is the role of a device, by the real fabric if it says it.
func roleOf(t *site) cabling.Role {
	actual, plan := t, t.mate
	if !t.real {
		actual, plan = t.mate, t
	}
	if actual != nil && actual.role != cabling.Unknown || plan == nil {
		return actual.role
	}
	return plan.role
}

func classOf(c *cable) class {
	a, b := c.ends[0].site, c.ends[1].site
	ra, rb := roleOf(a), roleOf(b)
	switch {
	case a == b && len(a.devices) > 1 && ra == cabling.Switch:
		return insideClass
	case ra == cabling.Management || rb == cabling.Management:
		return managementClass
	case ra == cabling.Host || rb == cabling.Host:
		return hostClass
	case ra == cabling.Switch && rb == cabling.Switch:
		return switchClass
	}
	return otherClass
}

// cover is what a fabric's list covers of the other's cables.
type cover struct {
	all   [2][classes]int            // cables of the plan, of the real fabric
	sites map[*site]*[2][classes]int // the same by planned site
	whole [classes]bool              // the plan has nearly all cables of the class
}

// coverOf counts the cables of both sides by device.
func coverOf(plan, actual *side) *cover {
	c := &cover{sites: map[*site]*[2][classes]int{}}
	for side, s := range [2]*side{plan, actual} {
		for _, k := range s.cables {
			k.class = classOf(k)
			c.all[side][k.class]++
			for i, e := range k.ends {
				t := e.site
				if side == 1 {
					t = t.mate
				}
				if t == nil || i == 1 && k.ends[0].site == e.site {
					continue
				}
				if c.sites[t] == nil {
					c.sites[t] = &[2][classes]int{}
				}
				c.sites[t][side][k.class]++
			}
		}
	}
	for k := range classes {
		c.whole[k] = c.all[0][k] > 0 && 10*c.all[0][k] >= 9*c.all[1][k]
	}
	return c
}

// covers is whether the plan would have a real cable: it has nearly all of the sort, or most of those of one of its
// devices.
func (c *cover) covers(k *cable) bool {
	if c.whole[k.class] {
		return true
	}
	for _, e := range k.ends {
		if t := e.site.mate; t != nil && !t.partial {
			if n := c.sites[t]; n != nil && mostOf(n, k.class) {
				return true
			}
		}
	}
	return false
}

// mostOf is whether a plan has at least three quarters of the cables of a class at a device.
func mostOf(n *[2][classes]int, k class) bool { return n[0][k] > 0 && 4*n[0][k] >= 3*n[1][k] }

// heard is whether one of the devices at a cable's ends would have told of it.
func heard(ends ...*site) bool {
	for _, t := range ends {
		if t != nil && !t.partial {
			return true
		}
	}
	return false
}

// text says what the plan covers, if it is not everything.
func (c *cover) text() (lines []string) {
	for k := range classes {
		if c.whole[k] || c.all[1][k] == 0 {
			continue
		}
		if c.all[0][k] == 0 {
			lines = append(lines, fmt.Sprintf("the plan has none of the %d %s", c.all[1][k], classNames[k]))
			continue
		}
		devices := 0
		for _, n := range c.sites {
			if mostOf(n, k) {
				devices++
			}
		}
		lines = append(lines, fmt.Sprintf("the plan has %d of %s, with nearly all of %s: a cable that is not planned is found there alone",
			c.all[0][k], counted(c.all[1][k], k), wording.Counted(devices, "device", "devices")))
	}
	return lines
}

func counted(n int, k class) string { return fmt.Sprintf("%d %s", n, classNames[k]) }
