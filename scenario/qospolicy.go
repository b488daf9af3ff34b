package scenario

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"weft/internal/ib/qos"
	"weft/internal/ib/subnet"
)

// deriveQoSPolicy reads service-levels from a qos-policy.conf. Its default level becomes ib.sl
// unless the scenario states that.
func (r subnetRules) deriveQoSPolicy() {
	at := "ib.qos-policy"
	name := r.IB.QoSPolicy
	if name == "" {
		return
	}
	r.IB.QoSPolicy = ""
	if r.wrote("ib.service-levels") {
		r.complain(at, "give service-levels or qos-policy, not both")
		return
	}
	text, ok := r.readNamed(at, name)
	if !ok {
		return
	}
	policy, err := qos.ReadPolicy(name, bytes.NewReader(text))
	if err != nil {
		r.complain(at, "%v", err)
		return
	}
	if !r.wrote("ib.sl") {
		if r.IB.AckSL == r.IB.SL {
			r.IB.AckSL = int(policy.Default.SL)
		}
		r.IB.SL = int(policy.Default.SL)
	}
	groups := make(map[string]*qos.PortGroup)
	for i := range policy.Groups {
		groups[policy.Groups[i].Name] = &policy.Groups[i]
	}
	for i := range policy.Rules {
		r.IB.ServiceLevels = append(r.IB.ServiceLevels, r.serviceLevels(&policy.Rules[i], groups)...)
	}
}

// serviceLevels is a rule of the policy as scenario rules: one for each partition that it names;
// none if it cannot match a path of a workload, because workloads request paths without a QoS class
// and a service ID.
func (r subnetRules) serviceLevels(m *qos.Match, groups map[string]*qos.PortGroup) (out []ServiceLevel) {
	if m.Service() {
		return nil
	}
	level := ServiceLevel{SL: int(m.Level.SL)}
	for _, side := range []struct {
		groups []string
		to     *[]string
	}{{m.Source, &level.From}, {m.Destination, &level.To}} {
		if len(side.groups) == 0 {
			continue
		}
		for _, group := range side.groups {
			*side.to = append(*side.to, r.groupNICs(groups[group])...)
		}
		if len(*side.to) == 0 {
			return nil
		}
	}
	if len(m.TargetGUIDs) > 0 {
		if level.To = r.nicsOf(m.TargetGUIDs); len(level.To) == 0 {
			return nil
		}
	}
	if len(m.PKeys) == 0 {
		return []ServiceLevel{level}
	}
	for _, key := range r.keys() {
		if qos.Holds(m.PKeys, uint64(key)) {
			level.Partition = key
			out = append(out, level)
		}
	}
	return out
}

// keys are the fabric's partitions, the default one among them, sorted.
func (f *Fabric) keys() []PKey {
	keys := []PKey{DefaultPKey}
	for i := range f.IB.Partitions {
		keys = append(keys, f.IB.Partitions[i].Key)
	}
	slices.Sort(keys)
	return slices.Compact(keys)
}

// groupNICs are the members of a port group as names. Ports that the cluster does not have are
// skipped.
func (r subnetRules) groupNICs(g *qos.PortGroup) (names []string) {
	for _, kind := range g.Kinds {
		switch kind {
		case "CA", "ALL":
			names = append(names, AllNICs)
		case "SELF":
			names = append(names, ManagerNIC)
		}
	}
	names = append(names, r.nicsOf(g.GUIDs)...)
	for _, name := range g.Names { // node description and port: node0/nic0/P1
		if i := strings.LastIndex(name, "/P"); i > 0 {
			if nics, err := r.Cluster.NICs(name[:i]); err == nil && len(nics) == 1 {
				names = append(names, name[:i])
			}
		}
	}
	for i := range r.IB.Partitions {
		p := &r.IB.Partitions[i]
		if slices.Contains(g.Partitions, p.Name) || qos.Holds(g.PKeys, uint64(p.Key)) {
			names = append(append(names, p.Full...), p.Limited...)
		}
	}
	return names
}

// nicsOf are the names of the NICs with a port GUID in the ranges.
func (r subnetRules) nicsOf(guids []qos.Range) (names []string) {
	if len(guids) == 0 {
		return nil
	}
	for nic := range r.Cluster.Endpoints() {
		if len(names) > maxList { // more than the bound of a list: the check reports it
			return names
		}
		first := r.portGUID(nic, 0)
		for port := range subnet.AdapterPorts {
			if qos.Holds(guids, uint64(first)+uint64(port)) {
				names = append(names, r.Cluster.nicName(nic))
				break
			}
		}
	}
	return names
}

// nicName is the name of a NIC of the cluster.
func (c *Cluster) nicName(nic int) string {
	nics := max(1, c.Node.NICs)
	host, adapter := c.HostName(nic/nics), fmt.Sprintf("nic%d", nic%nics)
	if nic%nics < len(c.Adapters) {
		adapter = c.Adapters[nic%nics]
	}
	return host + "/" + adapter
}
