package scenario

import (
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"weft/internal/base/packed"
	"weft/internal/base/wording"
	"weft/internal/roce/sonic"
	"weft/internal/sim/catalog"
	"weft/internal/sim/protocol"
)

// maxSwitchFiles bounds the configurations of a folder.
const maxSwitchFiles = 4096

// deriveSettings gives a fabric the settings of its switches' configurations: those of the first switch are the fabric's,
// as with switch.sonic, and a switch that differs has its own.
func (r *fabricRules) deriveSettings(folder string) {
	files := r.folder(folder)
	if files == nil || !protocol.Of(r.Kind).Settings || r.stated("switches") || len(r.Switches) > 0 {
		return
	}
	var first []catalog.Fact
	var of string
	own := map[string][]string{} // by the settings that differ: the switches
	without, classes := 0, 0
	for _, sw := range r.configurations(filepath.ToSlash(folder), files) {
		facts, err := sonicFacts(sw, "", r.Fabric, true)
		if err != nil {
			without++
			continue
		}
		if of == "" {
			of, first = sw.Hostname, facts
			e := catalog.Entry{Kind: "SONiC", Name: sw.File}
			for _, fact := range facts {
				if !r.wrote(fact.Field) {
					e.Facts = append(e.Facts, fact)
				}
			}
			r.facts(r.path, e, reflect.ValueOf(r.Fabric).Elem())
			continue
		}
		set, others := differences(facts, first)
		classes += min(1, others)
		if len(set) > 0 {
			key := strings.Join(set, "\n")
			own[key] = append(own[key], sw.Hostname)
		}
	}
	keys := make([]string, 0, len(own))
	for key := range own {
		keys = append(keys, key)
	}
	slices.SortFunc(keys, func(a, b string) int { return wording.Natural(own[a][0], own[b][0]) })
	for _, key := range keys {
		r.Switches = append(r.Switches, SwitchSettings{Names: own[key], Set: strings.Split(key, "\n")})
	}
	r.noteSettings(folder, of, without, classes)
}

func (r *fabricRules) noteSettings(folder, first string, without, classes int) {
	if first == "" {
		return
	}
	note := fmt.Sprintf("%s: the settings of %s are the fabric's", folder, first)
	if n := len(r.Switches); n > 0 {
		note += fmt.Sprintf(", and those that differ the switch's own (%s)", wording.Counted(n, "group", "groups"))
	}
	if without > 0 {
		note += fmt.Sprintf("; %s no QoS for the fabric's DSCP, and the fabric's settings are taken", wording.Counted(without, "configuration has", "configurations have"))
	}
	if classes > 0 {
		note += fmt.Sprintf("; %s DSCP to other classes, which is not simulated: weft roce lint finds it", wording.Counted(classes, "switch maps", "switches map"))
	}
	r.real.notes = append(r.real.notes, note)
}

// differences are the settings of facts that first does not have, as path=value, and the number of those that no single
// switch can have.
func differences(facts, first []catalog.Fact) (set []string, others int) {
	for _, fact := range facts {
		switch i := slices.IndexFunc(first, func(x catalog.Fact) bool { return x.Field == fact.Field }); {
		case i >= 0 && first[i].Value == fact.Value:
		case !ofOneSwitch(fact.Field):
			others++
		default:
			set = append(set, fact.Field+"="+fact.Value)
		}
	}
	return set, others
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
	slices.SortStableFunc(all, func(a, b *sonic.Switch) int { return wording.Natural(a.Hostname, b.Hostname) })
	return all
}
