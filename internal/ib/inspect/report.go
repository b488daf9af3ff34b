package inspect

import "slices"

// Family is the kind of network that the switches form.
type Family string

// The families.
const (
	NoSwitch     Family = "no switch"
	SingleSwitch Family = "single switch"
	FatTree      Family = "fat tree"
	Tree         Family = "tree" // one switch at the top, so one path to each host
	Torus        Family = "torus"
	Mesh         Family = "mesh"
	Dragonfly    Family = "dragonfly"
	DragonflyUp  Family = "dragonfly+"
	Irregular    Family = "irregular"
)

// Report is the description of a subnet.
type Report struct {
	Switches int `json:"switches"`
	Hosts    int `json:"hosts"`
	Adapters int `json:"adapters"` // ports of hosts that have a cable
	Routers  int `json:"routers"`  // on Ethernet also devices whose role is not known
	// Ethernet says that the fabric is no InfiniBand subnet.
	Ethernet bool `json:"-"`
	// Aggregation is the number of aggregation nodes (SHARP).
	Aggregation int `json:"aggregation_nodes"`
	Cables      int `json:"cables"`

	Islands []Island `json:"islands"` // the largest first
	Rails   *Rails   `json:"rails,omitempty"`
	// Planes is the parts without a cable between them on which the ports of one adapter are, as with
	// XDR; 0 if they are on one.
	Planes   int       `json:"planes,omitempty"`
	Housings []Housing `json:"housings,omitempty"` // several switch chips in one: directors, or switches with planes
	Links    []Links   `json:"links"`
	Findings []Finding `json:"findings"` // errors first, then warnings, then notes

	LinksJudged int      `json:"links_judged"` // cables whose speed was compared
	PairsJudged int      `json:"pairs_judged"` // pairs of switches whose number of cables was compared
	NotJudged   []string `json:"not_judged,omitempty"`
}

// Blank reports whether nothing was judged and nothing is wrong: then the lack of findings is no good news.
func (r *Report) Blank() bool { return !r.Faulty() && r.LinksJudged == 0 && r.PairsJudged == 0 }

// Faulty reports whether there is an error or a warning.
func (r *Report) Faulty() bool {
	return slices.ContainsFunc(r.Findings, func(f Finding) bool { return f.Severity != Note })
}

// Island is a part of the subnet without a cable to the rest.
type Island struct {
	Family Family `json:"family"`
	// What is the family with its dimensions: "three-level fat tree, 8 pods".
	What string `json:"what"`
	// But is where the part differs from that: "3 hosts on spines".
	But      []string `json:"but,omitempty"`
	Switches int      `json:"switches"`
	Adapters int      `json:"adapters"`
	Levels   []Level  `json:"levels,omitempty"` // of trees, leaves first
	Size     []int    `json:"size,omitempty"`   // of a torus or mesh, by dimension
	// Members is the switches of a small island without a known family.
	Members []Member `json:"members,omitempty"`
	// Diameter is the most switch-to-switch links between any two switches,
	// -1 if there are too many switches to try all pairs.
	Diameter int `json:"diameter"`
}

// Member is a switch and its neighbours.
type Member struct {
	Switch string   `json:"switch"`
	Hosts  int      `json:"host_ports"`
	Free   int      `json:"free_ports"`
	To     []Bundle `json:"to"`
}

// Bundle is the cables between two switches.
type Bundle struct {
	Switch string `json:"switch"`
	Cables int    `json:"cables"`
}

// maxMembers is the largest number of switches in an island that is listed in full.
const maxMembers = 24

// Level is the switches at one distance from the hosts.
type Level struct {
	Name     string `json:"name"` // leaf, spine, core
	Switches int    `json:"switches"`
	Ports    int    `json:"ports"`      // usual number per switch
	Hosts    int    `json:"host_ports"` // in all
	Down     int    `json:"down"`       // cables to hosts and lower switches, in all
	Up       int    `json:"up"`         // cables to higher switches, in all
	Free     int    `json:"free_ports"` // in all
	// Oversubscription is the data rate down divided by the data rate up for the whole level. Worst
	// is the highest value of one switch. Both are 0 without cables up.
	Oversubscription float64 `json:"oversubscription"`
	Worst            float64 `json:"worst_oversubscription"`
	WorstSwitch      string  `json:"worst_switch,omitempty"`
	UpEach           int     `json:"-"` // cables up at most switches; -1: no usual number
	DownEach         int     `json:"-"`
}

// Rails is the rails of a fabric: each has the adapters of one label on leaves of its own.
type Rails struct {
	Count  int      `json:"count"`
	Labels []string `json:"labels"` // by rail: label of its adapters
	// Islands is the number of islands that the rails form: 1 if spines join them.
	Islands int `json:"islands"`
}

// Housing is several switch chips with one SystemImageGUID: a director, or a switch with planes.
type Housing struct {
	GUID  string `json:"guid"`
	Chips int    `json:"chips"`
	// Planes says that each chip is on another plane: no path goes from one to another.
	Planes bool     `json:"planes,omitempty"`
	Names  []string `json:"names"`
}

// Links is the number of cables of one sort with one width and speed.
type Links struct {
	Sort  string `json:"sort"` // host, switch, aggregation or router
	Link  string `json:"link"` // 4xNDR
	Count int    `json:"count"`
}

// Severity says how much a finding matters.
type Severity string

// The severities.
const (
	Error   Severity = "error"   // the subnet cannot work like this
	Warning Severity = "warning" // a part differs from its peers
	Note    Severity = "note"    // worth knowing
)

// Finding is a fact about the subnet for its operator.
type Finding struct {
	Severity Severity `json:"severity"`
	Kind     string   `json:"kind"` // such as missing-cable or slow-link
	Text     string   `json:"text"`
	Ports    []string `json:"ports,omitempty"` // the ports concerned
}

// maxNotJudged is the number of parts of a fabric that are named as not judged.
const maxNotJudged = 6

// maxOfKind is the number of findings of one kind that are listed; the rest is counted.
const maxOfKind = 20
