package scenario

import (
	"cmp"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"weft/internal/base/packed"
	"weft/internal/base/sorting"
	"weft/internal/base/wording"
	"weft/internal/roce/sonic"
	"weft/internal/sim/cabled"
	"weft/internal/sim/catalog"
	"weft/internal/sim/protocol"
)

// maxSwitchFiles bounds the configurations of a folder.
const maxSwitchFiles = 4096

// deriveSettings gives a fabric the settings of its switches' configurations: those of most ports of the first switch are the
// fabric's, and a switch or a port that differs has its own.
func (r *fabricRules) deriveSettings(folder string, placed *cabled.Placed) {
	files := r.folder(folder)
	if files == nil || !protocol.Of(r.Kind).Settings || r.stated("switches") || len(r.Switches) > 0 {
		return
	}
	d := &derivedSettings{fabricRules: r, own: map[string][]string{}, at: map[string]map[int]*sonic.Port{}}
	configs := r.configurations(filepath.ToSlash(folder), files)
	for _, sw := range configs {
		d.take(sw, placed.PortNames[sw.Hostname])
	}
	d.settle()
	d.own = map[string][]string{}
	d.pauses(placed)
	d.settle()
	d.own = map[string][]string{}
	d.derivePaths(filepath.ToSlash(folder), files, configs, placed)
	d.settle()
	d.note(folder)
}

// derivedSettings are the settings of the switches of a folder.
type derivedSettings struct {
	*fabricRules
	of    string                         // the first switch; "": none yet
	first []catalog.Fact                 // its settings
	own   map[string][]string            // by ports, which are "" for all, and the settings that differ: the switches
	like  *classNumbers                  // of the first switch
	at    map[string]map[int]*sonic.Port // by switch and number

	without int      // switches without QoS for the fabric's DSCP
	bare    int      // ports without it, of other switches
	classes int      // switches that map DSCPs to other classes, in a way that the simulator does not have
	fewer   int      // switches that use fewer paths than they have cables
	strict  int      // switches that use paths through the same systems alone
	moved   int      // switches that have the data in another queue
	alike   []string // fields in which ports differ, and cannot in the simulator
}

// settle makes entries of the settings so far, in the order of their switches.
func (d *derivedSettings) settle() {
	keys := make([]string, 0, len(d.own))
	for key := range d.own {
		keys = append(keys, key)
	}
	sorting.Func(keys, func(a, b string) int {
		return cmp.Or(wording.Natural(d.own[a][0], d.own[b][0]), strings.Compare(a, b)) // a switch before its ports
	})
	for _, key := range keys {
		ports, set, _ := strings.Cut(key, "\n")
		d.Switches = append(d.Switches, SwitchSettings{Names: d.own[key], Ports: strings.Fields(ports), Set: assignments(strings.Split(set, "\n"))})
	}
}

// portOf is a port of a switch with its settings.
type portOf struct {
	*sonic.Port
	number int // 0: not known
	facts  []catalog.Fact
}

// take adds the settings of a switch.
func (d *derivedSettings) take(sw *sonic.Switch, numbers map[string]int) {
	ports, usual := d.ports(sw, numbers)
	if usual == nil {
		d.without++
		return
	}
	if d.of == "" {
		d.of, d.first = sw.Hostname, usual
		e := catalog.Entry{Kind: "SONiC", Name: sw.File}
		for _, fact := range usual {
			if !d.wrote(fact.Field) {
				e.Facts = append(e.Facts, fact)
			}
		}
		d.facts(d.path, e, reflect.ValueOf(d.Fabric).Elem())
		d.like = &classNumbers{d.Ethernet.DataPriority, d.Ethernet.CNPPriority}
		ports, usual = d.ports(sw, numbers)
	}
	d.at[sw.Hostname] = map[int]*sonic.Port{}
	moved := false
	for i := range ports {
		d.at[sw.Hostname][ports[i].number] = ports[i].Port
		moved = moved || ports[i].ClassOf(d.Ethernet.DSCP).Queue != d.like.data
	}
	if moved {
		d.moved++
	}
	set, others := d.differences(usual, d.first, ofOneSwitch)
	d.classes += min(1, len(others))
	d.add("", set, sw.Hostname)
	byPort := map[string][]int{} // by settings that differ
	for i := range ports {
		set, others := d.differences(ports[i].facts, usual, ofOnePort)
		if slices.Contains(set, "ethernet.pfc.headroom=0B") { // it pauses nobody, so that no pause ends
			set = slices.DeleteFunc(set, func(s string) bool { return s == "ethernet.pfc.xon=0B" })
		}
		for _, field := range others {
			if !slices.Contains(d.alike, field) && field != "ethernet.shared" && field != "ethernet.pfc.headroom-pool" {
				d.alike = append(d.alike, field)
			}
		}
		if len(set) > 0 && ports[i].number > 0 {
			key := strings.Join(set, "\n")
			byPort[key] = append(byPort[key], ports[i].number)
		}
	}
	for key, numbers := range byPort {
		d.add(portPatterns(numbers), strings.Split(key, "\n"), sw.Hostname)
	}
}

func (d *derivedSettings) add(ports string, set []string, name string) {
	if len(set) > 0 {
		key := ports + "\n" + strings.Join(set, "\n")
		d.own[key] = append(d.own[key], name)
	}
}

// ports are the ports of a switch that are up and have QoS for the fabric's DSCP, and the settings that most of them have:
// of the cabled ones, if the file tells them apart, and of those at the rate of the fabric's link, if there are any.
func (d *derivedSettings) ports(sw *sonic.Switch, numbers map[string]int) (ports []portOf, usual []catalog.Fact) {
	cabled := slices.ContainsFunc(sw.Ports, func(p *sonic.Port) bool { return p.Up && p.Used() && numbers[p.Name] > 0 })
	count := map[string]int{}
	most := 0
	failed := 0
	for _, p := range sw.Ports {
		if !p.Up || !p.Used() || cabled && numbers[p.Name] == 0 {
			continue
		}
		facts, err := portFacts(sw, p, d.Fabric, true, d.like)
		if err != nil {
			failed++
			continue
		}
		ports = append(ports, portOf{p, numbers[p.Name], facts})
		key := fmt.Sprint(facts)
		if count[key]++; p.Speed == 0 || p.Speed == d.Link.Rate() {
			count[key] += len(sw.Ports) // before all ports of another rate
		}
		if count[key] > most {
			most, usual = count[key], facts
		}
	}
	if usual != nil && d.like != nil {
		d.bare += failed
	}
	return ports, usual
}

func (d *derivedSettings) note(folder string) {
	if d.fewer > 0 {
		d.real.notes = append(d.real.notes, fmt.Sprintf("%s: BGP of %s fewer paths than the switch has cables (maximum-paths): those at the ports with the lowest numbers", folder, wording.Counted(d.fewer, "switch uses", "switches use")))
	}
	if d.strict > 0 {
		d.real.notes = append(d.real.notes, fmt.Sprintf("%s: BGP of %s only paths through the same autonomous systems together (without bestpath as-path multipath-relax)", folder, wording.Counted(d.strict, "switch uses", "switches use")))
	}
	if d.of == "" {
		return
	}
	note := fmt.Sprintf("%s: the settings of %s are the fabric's", folder, d.of)
	ports := 0
	for i := range d.Switches {
		ports += min(1, len(d.Switches[i].Ports))
	}
	if n := len(d.Switches) - ports; n > 0 {
		note += fmt.Sprintf(", and those that differ the switch's own (%s)", wording.Counted(n, "group", "groups"))
	}
	if ports > 0 {
		note += fmt.Sprintf(", or the port's own (%s)", wording.Counted(ports, "group", "groups"))
	}
	if d.without > 0 {
		note += fmt.Sprintf("; %s no QoS for the fabric's DSCP, and the fabric's settings are taken", wording.Counted(d.without, "configuration has", "configurations have"))
	}
	if d.bare > 0 {
		note += fmt.Sprintf("; %s no QoS for the fabric's DSCP, and the settings of the switch's other ports are taken", wording.Counted(d.bare, "port has", "ports have"))
	}
	if d.moved > d.classes {
		note += fmt.Sprintf("; %s the data in other queues than %s: the settings of these queues are taken, and a pause stops what it names", wording.Counted(d.moved-d.classes, "switch has", "switches have"), d.of)
	}
	if d.classes > 0 {
		note += fmt.Sprintf("; %s DSCP to other classes, which is not simulated: weft roce lint finds it", wording.Counted(d.classes, "switch maps", "switches map"))
	}
	if len(d.alike) > 0 {
		note += "; ports of a switch differ in " + strings.Join(d.alike, ", ") + ", and all ports of a simulated switch have the same"
	}
	d.real.notes = append(d.real.notes, note)
}

// differences are the settings of facts that first does not have, as path=value, without those that the scenario states.
// others are the fields among them that may not differ.
func (d *derivedSettings) differences(facts, first []catalog.Fact, may func(field string) bool) (set, others []string) {
	for _, fact := range facts {
		switch i := slices.IndexFunc(first, func(x catalog.Fact) bool { return x.Field == fact.Field }); {
		case i >= 0 && first[i].Value == fact.Value, d.wrote(fact.Field):
		case !may(fact.Field):
			others = append(others, fact.Field)
		default:
			set = append(set, fact.Field+"="+fact.Value)
		}
	}
	for _, none := range absent {
		has := func(of []catalog.Fact) bool {
			return slices.ContainsFunc(of, func(x catalog.Fact) bool { return x.Field == none.Field })
		}
		switch {
		case !has(first) || has(facts) || d.wrote(none.Field):
		case !may(none.Field):
			others = append(others, none.Field)
		default:
			set = append(set, none.Field+"="+none.Value)
		}
	}
	return set, others
}

// absent are fields that a configuration gives only where it has them, with what it means without them.
var absent = []catalog.Fact{
	{Field: "ethernet.pfc.stops", Value: "[]"}, {Field: "ethernet.pfc.classes", Value: "[]"}, {Field: "ethernet.pfc.watchdog.enabled", Value: "false"}, {Field: "routing.hash", Value: string(HashFlow)},
}

// configurations are the switches of the config_db.json files of a folder, in the order of their names. A file that
// cannot be read has been noted when the cables were.
func (r *rules) configurations(folder string, files fs.FS) (all []*sonic.Switch) {
	files = packed.Folder(files)
	_ = fs.WalkDir(files, ".", func(name string, about fs.DirEntry, err error) error {
		if err != nil || about.IsDir() || !strings.Contains(strings.ToLower(path.Base(name)), "config_db") || len(all) == maxSwitchFiles {
			return nil
		}
		in, err := files.Open(name)
		if err != nil {
			return nil
		}
		defer func() { _ = in.Close() }()
		c, err := sonic.Read(folder+"/"+name, in)
		if err != nil {
			return nil
		}
		if sw, err := sonic.Resolve(c); err == nil && sw.Hostname != "" {
			all = append(all, sw)
		}
		return nil
	})
	sorting.StableFunc(all, func(a, b *sonic.Switch) int { return wording.Natural(a.Hostname, b.Hostname) })
	return all
}
