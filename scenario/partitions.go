package scenario

import (
	"bytes"
	"fmt"
	"slices"

	"weft/internal/base/sorting"
	"weft/internal/ib/partition"
	"weft/internal/ib/subnet"
	"weft/units"
)

// Partition is a group of NICs of an InfiniBand fabric that may talk to each other.
// Limited members talk to full members only.
type Partition struct {
	// Name is the name of the partition, for people.
	Name string `yaml:"name,omitzero"`
	// Key is its P_Key without the bit of membership.
	Key PKey `yaml:"key" range:"0x0001..0x7fff"`
	// Index0 puts the key at the head of its members' tables: programs that do
	// not choose a P_Key take that one.
	Index0 bool `yaml:"index0,omitzero"`
	// Full are the full members: node3, node[0-7], node[0-7]/nic0, all or
	// manager.
	Full []string `yaml:"full,omitzero"`
	// Limited are the limited members. A member of both lists has both keys.
	Limited []string `yaml:"limited,omitzero"`
}

// derive reads the files of OpenSM that are named.
func (r subnetRules) derive() {
	r.deriveConf()
	r.derivePartitions()
	r.deriveQoSPolicy()
}

// derivePartitions reads the named file, and sets the default enforcement.
func (r subnetRules) derivePartitions() {
	at := "ib.partitions-conf"
	if name := r.IB.PartitionsConf; name != "" {
		if r.wrote("ib.partitions") {
			r.complain(at, "give partitions or partitions-conf, not both")
			return
		}
		if text, ok := r.readNamed(at, name); ok {
			config, err := partition.Read(name, bytes.NewReader(text))
			if err == nil {
				r.IB.Partitions, err = r.partitionsOf(config)
				if len(r.Topology.Devices) > 0 {
					r.real.notes = append(r.real.notes, "the port of the Subnet Manager is not known: SELF of "+name+" stands for none of the fabric's ports")
				}
			}
			if err != nil {
				r.complain(at, "%v", err)
			}
		}
		r.IB.PartitionsConf = ""
	}
	if len(r.IB.Partitions) > 0 && r.IB.PartitionEnforcement == "" {
		r.IB.PartitionEnforcement = EnforceBoth
	}
}

// partitionsOf converts the GUIDs of a partitions.conf to the names of NICs. Rules for switches,
// routers and multicast groups concern no data and are left out.
func (r subnetRules) partitionsOf(config *partition.Config) (out []Partition, err error) {
	for i := range config.Partitions {
		p := &config.Partitions[i]
		if p.Key == 0 {
			return nil, fmt.Errorf("line %d: the rule %q leaves its P_Key to OpenSM: state one, so that it is known which", p.Line, p.Name)
		}
		rule := Partition{Name: p.Name, Key: PKey(p.Key), Index0: p.First}
		last := make(map[string]partition.Membership)
		var order []string
		for _, m := range p.Members {
			name, err := r.memberName(m)
			if err != nil {
				return nil, fmt.Errorf("line %d: %w", p.Line, err)
			}
			if name == "" {
				continue
			}
			if _, known := last[name]; known {
				order = slices.DeleteFunc(order, func(n string) bool { return n == name })
			}
			last[name] = m.Membership
			order = append(order, name)
		}
		out = append(out, split(rule, order, last)...)
	}
	return out, nil
}

// split writes a rule as several if the order of full and limited members matters: the last rule
// for a port counts.
func split(rule Partition, order []string, of map[string]partition.Membership) (out []Partition) {
	for _, name := range order {
		m := of[name]
		if len(out) == 0 || membershipOf(&out[len(out)-1]) != m {
			out = append(out, Partition{Name: rule.Name, Key: rule.Key, Index0: rule.Index0})
		}
		p := &out[len(out)-1]
		if m != partition.Limited {
			p.Full = append(p.Full, name)
		}
		if m != partition.Full {
			p.Limited = append(p.Limited, name)
		}
	}
	if len(out) == 0 {
		out = append(out, rule)
	}
	return out
}

func membershipOf(p *Partition) partition.Membership {
	switch {
	case len(p.Full) == 0:
		return partition.Limited
	case len(p.Limited) == 0:
		return partition.Full
	}
	return partition.Both
}

// memberName is the scenario's name of a member of a partitions.conf, "" for a member that sends no
// data.
func (r subnetRules) memberName(m partition.Member) (string, error) {
	switch m.Who {
	case partition.All, partition.AllAdapters:
		return AllNICs, nil
	case partition.Self:
		if len(r.Topology.Devices) > 0 {
			return "", nil // PKeyTables: the manager's port is not known
		}
		return ManagerNIC, nil
	case partition.AllSwitches, partition.AllRouters:
		return "", nil
	}
	nic, ok := r.nicWith(m.GUID, r.Cluster.Endpoints())
	switch {
	case ok && nic < r.Cluster.Endpoints():
		return r.Cluster.nicName(nic), nil
	case ok: // of a host that is no node of the cluster
		return "", nil
	case len(r.Topology.Devices) > 0:
		r.real.notes = append(r.real.notes, fmt.Sprintf("%s: the fabric has no port with the GUID %v: the member is left out", r.at("ib.partitions-conf"), m.GUID))
		return "", nil
	}
	return "", fmt.Errorf("the cluster has no port with the GUID %v: its first is %v, and each NIC after it is 0x10 above", m.GUID, subnet.AdapterPort(0, 0))
}

// PartitionsConf is the fabric's partitions as a partitions.conf, with the GUIDs that weft assigns
// to NICs; nil if the fabric has none. The last rule for a port counts: all comes first, so that a
// rule with the port's name overrides it.
func PartitionsConf(r *Resolved, f *Fabric) *partition.Config {
	if len(f.IB.Partitions) == 0 {
		return nil
	}
	c := &partition.Config{}
	for i := range f.IB.Partitions {
		p := &f.IB.Partitions[i]
		rule := partition.Partition{Name: p.Name, Key: uint16(p.Key), First: p.Index0}
		of := make(map[string]partition.Membership)
		names := Expand(p.Limited)
		for _, name := range names {
			of[name] = partition.Limited
		}
		for _, name := range Expand(p.Full) {
			if _, limited := of[name]; limited {
				of[name] = partition.Both
				continue
			}
			of[name] = partition.Full
			names = append(names, name)
		}
		sorting.StableFunc(names, func(a, b string) int { return order(a) - order(b) })
		for _, name := range slices.Compact(names) {
			rule.Members = append(rule.Members, r.members(f, name, of[name])...)
		}
		c.Partitions = append(c.Partitions, rule)
	}
	c.BothKeys = c.Both() // the scenario names a member twice: it means both keys
	return c
}

// order puts all in front of names.
func order(name string) int {
	if name == AllNICs {
		return 0
	}
	return 1
}

// members are the ports with a name.
func (r *Resolved) members(f *Fabric, name string, m partition.Membership) (out []partition.Member) {
	switch name {
	case AllNICs:
		return []partition.Member{{Who: partition.AllAdapters, Membership: m}}
	case ManagerNIC:
		return []partition.Member{{Who: partition.Self, Membership: m}}
	}
	nics, _ := r.Cluster.NICs(name)
	for _, nic := range nics {
		for port := range max(1, f.NIC.Ports) {
			out = append(out, partition.Member{Who: partition.Port, GUID: f.portGUID(nic, port), Membership: m})
		}
	}
	return out
}

// PKeyTables are the P_Key tables of a fabric with the given number of NICs, the fabric
// management's NICs last; the manager is one of them. All ports of a NIC have the same table. The
// error names a port without room for all of its keys.
func (r *Resolved) PKeyTables(f *Fabric, nics, manager int) ([][]uint16, error) {
	ports := make([]units.GUID, nics)
	for i := range ports {
		ports[i] = f.portGUID(i, 0)
	}
	if len(f.Topology.Devices) > 0 { // no file says where the manager of a real fabric is: none of these ports
		tables, err := partition.Tables(PartitionsConf(r, f), append(ports, 0), nics)
		if err != nil {
			return nil, err
		}
		return tables[:nics], nil
	}
	return partition.Tables(PartitionsConf(r, f), ports, manager)
}

// checkPartitions checks that members are NICs of the cluster.
func (r subnetRules) checkPartitions() {
	keys := make(map[PKey]string)
	for i := range r.IB.Partitions {
		p := &r.IB.Partitions[i]
		at := fmt.Sprintf("ib.partitions[%d]", i)
		if p.Key == 0 {
			r.complain(at, "the partition %q has no key: want key: 0x0001 to 0x7fff", p.Name)
			continue
		}
		if name, known := keys[p.Key]; known && name != p.Name {
			r.complain(at, "the partitions %q and %q have one key, %s: they are one partition", name, p.Name, p.Key.Exact())
		}
		keys[p.Key] = p.Name
		r.checkNICs(at+".full", p.Full, AllNICs, ManagerNIC)
		r.checkNICs(at+".limited", p.Limited, AllNICs, ManagerNIC)
	}
	if r.IB.PartitionEnforcement != "" && len(r.IB.Partitions) == 0 {
		r.complain("ib.partition-enforcement", "there is nothing to enforce: give partitions or partitions-conf")
	}
}
