package cli

import (
	"cmp"
	"fmt"
	"os"
	"slices"

	"weft/internal/sm"
	"weft/internal/subnet"
	"weft/internal/subnet/partition"
	"weft/internal/subnet/qos"
	"weft/wire/mad"
)

// readPartitions reads a partitions.conf for a manager.
func readPartitions(e *Env, path string) (func(sm.EndPort) []mad.PKey, error) {
	f, err := os.Open(e.path(path))
	if err != nil {
		return nil, fmt.Errorf("the partitions cannot be read: %w", err)
	}
	defer f.Close()
	c, err := partition.Read(path, f)
	if err != nil {
		return nil, err
	}
	return partitionsOf(c), nil
}

// partitionsOf are the keys of each port, in the order of OpenSM: those that the
// file wants at the head of the table, or else that of the default partition;
// then the others by number. Of two rules for a port in one partition the later
// holds. A partition without a key gets the lowest that is free, from 1 on.
func partitionsOf(c *partition.Config) func(sm.EndPort) []mad.PKey {
	keys, taken := make([]uint16, len(c.Partitions)), map[uint16]bool{}
	for i := range c.Partitions {
		keys[i] = c.Partitions[i].Key
		taken[keys[i]] = true
	}
	for i, next := 0, uint16(1); i < len(keys); i++ {
		if keys[i] != 0 {
			continue
		}
		for taken[next] {
			next++
		}
		keys[i], taken[next] = next, true
	}
	return func(port sm.EndPort) []mad.PKey {
		memberships := map[uint16]partition.Membership{partition.Default: partition.Full}
		for i := range c.Partitions {
			if keys[i] == partition.Default {
				delete(memberships, partition.Default) // the file has its own
				break
			}
		}
		first := map[uint16]bool{}
		for i := range c.Partitions {
			for j := range c.Partitions[i].Members {
				if m := &c.Partitions[i].Members[j]; covers(m, port) {
					memberships[keys[i]] = m.Membership
					first[keys[i]] = c.Partitions[i].First
				}
			}
		}
		return ordered(memberships, first)
	}
}

// covers reports whether a rule is about a port.
func covers(m *partition.Member, port sm.EndPort) bool {
	switch m.Who {
	case partition.Port:
		return m.GUID == port.GUID
	case partition.All:
		return true
	case partition.AllAdapters:
		return port.Kind == subnet.Adapter
	case partition.AllSwitches:
		return port.Kind == subnet.Switch
	case partition.AllRouters:
		return port.Kind == subnet.Router
	case partition.Self:
		return port.Self
	}
	return false
}

// ordered is a port's table.
func ordered(memberships map[uint16]partition.Membership, first map[uint16]bool) []mad.PKey {
	keys := make([]uint16, 0, len(memberships))
	head := false
	for key := range memberships {
		keys = append(keys, key)
		head = head || first[key]
	}
	rank := func(key uint16) int {
		if first[key] || !head && key == partition.Default {
			return 0
		}
		return 1
	}
	slices.SortFunc(keys, func(a, b uint16) int { return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(a, b)) })
	var table []mad.PKey
	for _, key := range keys {
		switch memberships[key] {
		case partition.Full:
			table = append(table, mad.PKey(key)|fullMember)
		case partition.Both:
			table = append(table, mad.PKey(key)|fullMember, mad.PKey(key))
		default:
			table = append(table, mad.PKey(key))
		}
	}
	return table
}

// fullMember is the bit of a partition key that says full membership.
const fullMember mad.PKey = 0x8000

// readQoS reads the QoS keys of an opensm.conf for a manager; nil where the file
// has quality of service off.
func readQoS(e *Env, path string) (func(subnet.Kind, uint8) sm.QoS, error) {
	f, err := os.Open(e.path(path))
	if err != nil {
		return nil, fmt.Errorf("the quality of service cannot be read: %w", err)
	}
	defer f.Close()
	c, err := qos.Read(path, f)
	if err != nil || !c.Enabled {
		return nil, err
	}
	return func(kind subnet.Kind, port uint8) sm.QoS {
		class := qos.Adapters
		switch {
		case kind == subnet.Router:
			class = qos.Routers
		case kind == subnet.Switch && port == 0:
			class = qos.SwitchZero
		case kind == subnet.Switch:
			class = qos.SwitchPorts
		}
		return qosOf(c.Of(class))
	}, nil
}

func qosOf(s qos.Set) sm.QoS {
	out := sm.QoS{HighLimit: s.HighLimit, High: weights(s.High), Low: weights(s.Low)}
	if s.MaxVLs != nil {
		out.MaxVLs = *s.MaxVLs
	}
	if s.SL2VL != nil {
		table := mad.SLToVL(*s.SL2VL)
		out.SL2VL = &table
	}
	return out
}

func weights(entries []qos.Weight) []mad.VLWeight {
	var out []mad.VLWeight
	for _, w := range entries {
		out = append(out, mad.VLWeight{VL: w.VL, Weight: w.Blocks})
	}
	return out
}
