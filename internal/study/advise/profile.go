package advise

import (
	"fmt"

	"weft/internal/study/plan"
	"weft/scenario"
	"weft/units"
)

// Profile is an organisation's description of itself and of its wishes.
type Profile struct {
	// Name is for headings.
	Name string `yaml:"name"`
	// Design is the purpose of the network and its constraints. Its fabrics are the fabrics
	// that are compared.
	Design plan.Request `yaml:"design"`
	// Organisation describes the team that runs the network.
	Organisation Organisation `yaml:"organisation"`
	// PriceRatio is a factor on the cost of InfiniBand by public prices: of a quote that is lower or higher.
	PriceRatio scenario.Ratio `yaml:"price-ratio"`
	// Weights are the points of each criterion.
	Weights Weights `yaml:"weights"`
	// effort is the points of each kind of work that a fabric causes.
	Effort EffortPoints `yaml:"effort"`
	// Simulate is the amount of simulation.
	Simulate Simulate `yaml:"simulate"`
}

// Organisation has the criteria that do not follow from the network's figures.
type Organisation struct {
	// Skills are the team's skills in each protocol.
	Skills Skills `yaml:"skills"`
	// Ethernet says that the cluster joins an existing routed Ethernet.
	Ethernet bool `yaml:"existing-ethernet"`
	// Monitoring is the protocols that the tools in use can watch.
	Monitoring Monitoring `yaml:"monitoring"`
	// Vendors is the policy: one maker is enough, or there must be several.
	Vendors VendorPolicy `yaml:"vendor-policy"`
	// Tenants is the number of tenants that share the cluster.
	Tenants int `yaml:"tenants" range:"1..4096"`
	// SharedStorage says that storage, reached by Ethernet, is on the same fabric.
	SharedStorage bool `yaml:"storage-on-fabric"`
	// Separation is the required separation of planes and tenants.
	Separation Separation `yaml:"separation"`
	// Weeks is the time until the network must work.
	Weeks int `yaml:"weeks-to-deploy" range:"1..520"`
	// Dedicated says that the fabric carries one cluster's training and nothing else.
	Dedicated bool `yaml:"dedicated"`
}

// Skills are a team's skills by protocol.
type Skills struct {
	InfiniBand Skill `yaml:"infiniband"`
	Ethernet   Skill `yaml:"ethernet"`
}

// Skill is a team's knowledge of a protocol.
type Skill string

// The skills.
const (
	NoSkill   Skill = "none"
	SomeSkill Skill = "some"
	Expert    Skill = "expert"
)

// Choices lists them, from the least.
func (Skill) Choices() []string { return []string{string(NoSkill), string(SomeSkill), string(Expert)} }

// Monitoring is the protocols that an organisation's tools can watch.
type Monitoring string

// The kinds of monitoring.
const (
	WatchesNothing    Monitoring = "none"
	WatchesEthernet   Monitoring = "ethernet"
	WatchesInfiniBand Monitoring = "infiniband"
	WatchesBoth       Monitoring = "both"
)

// Choices lists them.
func (Monitoring) Choices() []string {
	return []string{string(WatchesNothing), string(WatchesEthernet), string(WatchesInfiniBand), string(WatchesBoth)}
}

// VendorPolicy says whether one maker may supply everything.
type VendorPolicy string

// The policies.
const (
	OneVendor      VendorPolicy = "single"
	SeveralVendors VendorPolicy = "several"
)

// Choices lists them.
func (VendorPolicy) Choices() []string { return []string{string(OneVendor), string(SeveralVendors)} }

// Separation is the required separation of zones.
type Separation string

// The kinds of separation.
const (
	NotApart Separation = "none"
	Logical  Separation = "logical"
	Physical Separation = "physical"
)

// Choices lists them.
func (Separation) Choices() []string {
	return []string{string(NotApart), string(Logical), string(Physical)}
}

// Weights are the points that each criterion gives to the better fabric.
type Weights struct {
	Performance int `yaml:"performance" range:"0..1000"`
	Tail        int `yaml:"tail" range:"0..1000"`
	Scale       int `yaml:"scale" range:"0..1000"`
	Recovery    int `yaml:"fault-recovery" range:"0..1000"`
	Operation   int `yaml:"operation" range:"0..1000"`
	Cost        int `yaml:"cost" range:"0..1000"`
	Power       int `yaml:"power" range:"0..1000"`
	Vendors     int `yaml:"vendors" range:"0..1000"`
}

// sum is the points of all criteria.
func (w *Weights) sum() float64 {
	n := 0
	for _, r := range rules {
		n += *r.weight(w)
	}
	return float64(n)
}

// defaultWeights are the priorities of most projects: the job first, then money
// and people. They are an opinion; the profile can change them.
var defaultWeights = Weights{Performance: 25, Tail: 10, Scale: 10, Recovery: 5, Operation: 20, Cost: 15, Power: 5, Vendors: 10}

// Simulate is the amount of simulation.
type Simulate struct {
	// Nodes is the maximum number of nodes of the model.
	Nodes int `yaml:"nodes" range:"2..256"`
	// Message is the message of each NIC in the permutation that shows the tail.
	Message units.Bytes `yaml:"message" range:"4KiB..1GiB"`
	// Largest is the largest cluster, in GPUs, in the search for the size at which the choice
	// turns: larger clusters take minutes to plan.
	Largest int `yaml:"largest-gpus" range:"1..262144"`
}

// Default is an empty profile: all defaults.
func Default() Profile {
	p := Profile{
		Name: "unnamed", Design: plan.Default(), PriceRatio: scenario.Ratio{Num: 1, Den: 1},
		Organisation: Organisation{
			Skills: Skills{SomeSkill, SomeSkill}, Monitoring: WatchesNothing, Vendors: OneVendor,
			Tenants: 1, Separation: NotApart, Weeks: 26, Dedicated: true,
		},
		Weights: defaultWeights, Effort: defaultEffort, Simulate: Simulate{Nodes: 16, Message: 2 * units.MiB, Largest: 32768},
	}
	p.Design.Shapes = p.Design.Trees()
	p.Design.Job.Sizes = []units.Bytes{units.MiB, 16 * units.MiB}
	return p
}

// Read reads a profile from a file's text and from overrides.
func Read(name string, text []byte, overrides ...scenario.Override) (*Profile, error) {
	p := Default()
	doc, err := scenario.ReadDocument(name, text, &p, overrides...)
	if err != nil {
		return nil, err
	}
	if !doc.Stated("design.shapes") {
		p.Design.Shapes = p.Design.Trees()
	}
	var problems []scenario.Problem
	for _, x := range p.Design.Problems() {
		problems = append(problems, scenario.Problem{Path: "design." + x.Path, Err: x.Err})
	}
	for i, shape := range p.Design.Shapes {
		if shape == scenario.Dragonfly {
			problems = append(problems, scenario.Problem{Path: fmt.Sprintf("design.shapes[%d]", i), Err: fmt.Errorf("a dragonfly has no smaller model of the same kind to simulate: weft plan writes its scenario, and weft compare runs it beside others")})
		}
	}
	if p.PriceRatio.Num == 0 {
		problems = append(problems, scenario.Problem{Path: "price-ratio", Err: fmt.Errorf("0: want a factor on what InfiniBand costs by public prices, such as 0.8")})
	}
	if p.Organisation.SharedStorage && !doc.Stated("design.spare-ports") {
		p.Design.SparePorts = storagePorts(&p.Design)
	}
	if !doc.Stated("design.name") {
		p.Design.Name = p.Name
	}
	return &p, doc.ErrorsAt(problems)
}
