package route

import (
	"fmt"
	"slices"

	"weft/internal/ib/inspect"
	"weft/internal/ib/subnet"
	"weft/units"
)

// attempt is an engine that Auto tries.
type attempt struct {
	name Name
	with string // its options in words; "" for none
	last bool   // only if the engine refuses the fabric without these options
	poor bool   // only if nothing else is proven
	slow bool   // seconds for thousands of ends, tens of seconds for ten thousand
	note string // OpenSM's options for the same routes; "" if -R and the name are enough
	opt  Options
}

// attempts is the engines that Auto tries: engines for trees first, then the engine for the
// fabric's shape, then engines for any shape, last a slow engine that is always free of deadlock.
func attempts(f *fabric, o Options) []attempt {
	l := inspect.Lay(f.sub)
	sets := f.rootSets(l, o)
	all := []attempt{{name: "ftree", opt: o}}
	for _, roots := range sets {
		a := attempt{name: "ftree", with: fmt.Sprintf("with %d roots", len(roots)), opt: o, last: true}
		a.note = "OpenSM needs -R ftree -a with the roots' NodeGUIDs, which weft fabric convert --to roots writes"
		a.opt.Roots = roots
		if len(o.ComputeNodes) == 0 {
			if a.opt.ComputeNodes = f.mostOnOneLevel(roots); a.opt.ComputeNodes != nil {
				a.note += ", and -u with the port GUIDs of the hosts on leaves"
			}
		}
		if len(o.Roots) == 0 || a.opt.ComputeNodes != nil && len(o.ComputeNodes) == 0 {
			all = append(all, a)
		}
	}
	all = append(all, madeFor(f.sub, l, o)...)
	all = append(all, attempt{name: "updn", opt: o})
	if len(o.Roots) == 0 && len(sets) > 1 { // updn detects the last set itself
		all = append(all, attempt{
			name: "updn", with: fmt.Sprintf("with %d roots", len(sets[0])), opt: o,
			note: "OpenSM needs -R updn -a with the roots' NodeGUIDs, which weft fabric convert --to roots writes",
		})
		all[len(all)-1].opt.Roots = sets[0]
	}
	around := attempt{
		name: "updn", with: "around one switch", opt: o, poor: true,
		note: "OpenSM needs -R updn -a with the NodeGUID of the switch in the middle",
	}
	around.opt.Roots = f.middle()
	return append(all, attempt{name: "minhop", opt: o},
		attempt{name: "dfsssp", opt: o, slow: true}, attempt{name: "lash", opt: o, slow: true}, around)
}

// middle is the switch with the least distance to its farthest switch.
func (f *fabric) middle() []units.GUID {
	j := &job{fabric: f, cores: 1}
	var middle []units.GUID
	least := noPath + 1
	hops := j.shortestPaths().hops
	for _, i := range f.order {
		if far := int(slices.Max(hops[i])); far < least {
			least, middle = far, []units.GUID{f.sw[i].guid}
		}
	}
	return middle
}

// rootSets is the sets of switches that may be the top of a tree, each once: the topmost
// switches, and the switches with the same hops to nearly all hosts. If the user names
// roots, they are the only set.
func (f *fabric) rootSets(l *inspect.Layout, o Options) [][]units.GUID {
	if len(o.Roots) > 0 {
		return [][]units.GUID{o.Roots}
	}
	top := []units.GUID{}
	if len(l.Report.Islands) == 1 && (l.Report.Islands[0].Family == inspect.FatTree || l.Report.Islands[0].Family == inspect.Tree) {
		highest := slices.Max(l.Level)
		for i := range f.sub.Nodes {
			if l.Level[i] == highest {
				top = append(top, f.sub.Nodes[i].GUID)
			}
		}
	}
	j := &job{fabric: f, cores: 1}
	central := []units.GUID{}
	for _, i := range j.detectRoots(j.shortestPaths()) {
		central = append(central, f.sw[i].guid)
	}
	slices.Sort(top)
	slices.Sort(central)
	sets := [][]units.GUID{top, central}
	if slices.Equal(top, central) {
		sets = sets[1:]
	}
	return slices.DeleteFunc(sets, func(set []units.GUID) bool { return len(set) == 0 || len(set) == len(f.sw) })
}

// mostOnOneLevel is the port GUIDs of the ends on the level below roots with most ends; nil if all
// ends are there.
func (f *fabric) mostOnOneLevel(roots []units.GUID) []units.GUID {
	j := &job{fabric: f, opt: Options{Roots: roots}}
	level := j.ranks(j.namedRoots())
	var at [noPath + 1][]units.GUID
	all, leaf := 0, 0
	for i := range f.ends {
		if e := &f.ends[i]; e.sw >= 0 {
			rank := int(level[e.sw])
			at[rank] = append(at[rank], e.guid)
			if all++; len(at[rank]) > len(at[leaf]) {
				leaf = rank
			}
		}
	}
	if len(at[leaf]) == all {
		return nil
	}
	return at[leaf]
}

// madeFor is the engine for the recognised shape of the fabric, if there is one.
func madeFor(s *subnet.Subnet, l *inspect.Layout, o Options) []attempt {
	if len(l.Report.Islands) != 1 {
		return nil
	}
	if torus := torusOf(s, l); torus != nil {
		if o.Torus == nil {
			o.Torus = torus
		}
		return []attempt{{
			name: "torus-2QoS", opt: o,
			note: "OpenSM needs -R torus-2QoS -Q and this torus' torus-2QoS.conf, which weft fabric convert --to torus-2QoS writes; without, it takes minhop",
		}}
	}
	if l.Report.Islands[0].Family == inspect.Dragonfly {
		return []attempt{{
			name: "dragonfly", opt: o,
			note: "OpenSM has no engine for dragonflies; the nearest is -R dfsssp -Q, by default it takes minhop",
		}}
	}
	return nil
}
