package scenario

import (
	"fmt"
	"io/fs"
	"strings"

	"weft/internal/base/sorting"
	"weft/internal/base/wording"
	"weft/internal/roce/router"
	"weft/internal/roce/sonic"
	"weft/internal/sim/cabled"
)

// Paths of a real fabric: how many of the equally short paths each switch uses, and how it chooses among them.

// switchPaths are the settings of a switch about paths.
type switchPaths struct {
	name     string
	config   *sonic.Switch  // nil: it has none
	router   *router.Router // nil: no file of FRR or the kernel
	ports    int            // with a cable
	asn      uint32
	most     int
	relax    bool
	function string // of its hash; "": its own
}

// derivePaths gives switches the paths that their BGP and their hashes let them use.
func (d *derivedSettings) derivePaths(folder string, files fs.FS, configs []*sonic.Switch, placed *cabled.Placed) {
	all := pathsOf(configs, d.routers(folder, files, configs, placed), placed)
	strict, seeded := false, false
	for i := range all {
		p := &all[i]
		p.resolve()
		strict = strict || p.asn > 0 && !p.relax
		seeded = seeded || p.function != ""
	}
	for i := range all {
		p := &all[i]
		if seeded && p.function == "" && p.config != nil {
			p.function = functionOf(p.config.Hash.Algorithm, p.config.Hash.Seed)
		}
		var set []string
		add := func(field, value string) {
			if !d.wrote(field) {
				set = append(set, field+"="+value)
			}
		}
		if ports, known := p.router.HashesPorts(); known && p.config == nil {
			if hash := map[bool]HashFields{false: HashAddresses, true: HashFlow}[ports]; hash != d.Routing.Hash && (hash == HashAddresses || d.Routing.Hash != "") {
				add("routing.hash", string(hash))
			}
		}
		if seeded && p.function != "" {
			add("routing.hash-function", p.function)
		}
		if p.most > 0 && p.most < p.ports {
			add("routing.max-paths", fmt.Sprint(p.most))
			d.fewer++
		}
		if strict && p.asn > 0 {
			add("routing.asn", fmt.Sprint(p.asn))
			if p.relax {
				add("routing.multipath-relax", "true")
			} else {
				d.strict++
			}
		}
		d.add("", set, p.name)
	}
}

// routers are the files of FRR and of the kernel in a folder, by the name of the switch.
func (d *derivedSettings) routers(folder string, files fs.FS, configs []*sonic.Switch, placed *cabled.Placed) map[string]*router.Router {
	names := map[string]string{}
	for _, sw := range configs {
		names[strings.TrimPrefix(sw.File, folder+"/")] = sw.Hostname
	}
	known := func(name string) bool { _, ok := placed.PortNames[name]; return ok }
	all, lost, problems := router.Site(files, folder, names, known)
	for i, problem := range problems {
		if i == maxPathNotes {
			d.real.notes = append(d.real.notes, fmt.Sprintf("%d more such values are left out", len(problems)-i))
			break
		}
		d.real.notes = append(d.real.notes, fmt.Sprintf("%v: this value is left out", problem))
	}
	if lost > 0 {
		d.real.notes = append(d.real.notes, fmt.Sprintf("%s: %s of FRR or sysctl of no switch of the fabric: name the folder, or the file, as the switch", folder, wording.Counted(lost, "file is", "files are")))
	}
	return all
}

// maxPathNotes bounds the notes about values of routers that are not valid.
const maxPathNotes = 5

// pathsOf are the switches of a fabric that have a configuration or a router's file, in the order of their names.
func pathsOf(configs []*sonic.Switch, routers map[string]*router.Router, placed *cabled.Placed) (all []switchPaths) {
	of := map[string]*sonic.Switch{}
	for _, sw := range configs {
		of[sw.Hostname] = sw
	}
	for name, ports := range placed.PortNames {
		if p := (switchPaths{name: name, config: of[name], router: routers[name], ports: len(ports)}); p.config != nil || p.router != nil {
			all = append(all, p)
		}
	}
	sorting.Func(all, func(a, b switchPaths) int { return wording.Natural(a.name, b.name) })
	return all
}

// resolve finds what holds of a switch: FRR's running configuration before the tables from which it is made.
func (p *switchPaths) resolve() {
	if p.config != nil {
		b := &p.config.BGP
		p.asn, p.most, p.relax = b.ASN, b.MaxPaths, b.Relax
		if h := &p.config.Hash; h.Stated || h.Algorithm != "" {
			p.function = functionOf(h.Algorithm, h.Seed)
		}
	}
	r := p.router
	if r == nil {
		return
	}
	if r.ASN.Known() {
		p.asn, p.most, p.relax = r.ASN.Value, r.MaxPaths.Value, r.Relax.Value
	}
	if r.Seed.Known() {
		p.function = functionOf("", r.Seed.Value)
	}
}

// functionOf is the name of a hash by its algorithm and seed; usual is an algorithm that nobody chose.
func functionOf(algorithm string, seed uint32) string {
	if algorithm == "" {
		algorithm = "usual"
	}
	return fmt.Sprintf("%s/%d", algorithm, seed)
}
