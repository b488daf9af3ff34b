package scenario

import (
	"fmt"

	"weft/internal/sim/cabled"
)

// rules holds the parts that all rules of a scenario share: the values, the places of fields, the
// errors and the folder of the scenario. Each duty has a type of its own. Methods whose names begin
// with derive compute values that are not stated; methods whose names begin with check report
// values that do not fit together.
type rules struct {
	*decoder
	*Resolved
	dir   string // folder for the files that the scenario names
	names int    // number of names in patterns so far
	named *[]string
	real  realFabrics
}

func newRules(f *File) *rules {
	r := &rules{decoder: newDecoder(f.Name), Resolved: &Resolved{}, dir: f.dir, named: f.named}
	r.real = realFabrics{sources: map[string]*cabled.Source{}, placed: map[string]*cabled.Placed{}, failed: map[string]bool{}}
	r.start = f.start()
	return r
}

// The rules of a section of the scenario.
type (
	clusterRules  struct{ *rules }
	workloadRules struct{ *rules }
	faultRules    struct{ *rules }
	zoneRules     struct{ *rules }
	tuneRules     struct{ *rules }
)

// fabricRules are the rules of a fabric. They name its fields without the path of the fabric.
type fabricRules struct {
	*rules
	*Fabric
	path string
}

// The rules of a part of a fabric. topologyRules name the fields of the topology.
type (
	subnetRules    struct{ *fabricRules }
	ethernetRules  struct{ *fabricRules }
	transportRules struct{ *fabricRules }
	topologyRules  struct{ *fabricRules }
	streamRules    struct{ *fabricRules }
)

// fabricAt returns the rules of the fabric at a path.
func (r *rules) fabricAt(path string, f *Fabric) *fabricRules { return &fabricRules{r, f, path} }

// ofFabric returns the rules of a fabric by its number.
func (r *rules) ofFabric(i int) *fabricRules {
	return r.fabricAt(fmt.Sprintf("fabrics[%d]", i), &r.Fabrics[i])
}

// topology returns the rules of the fabric's topology.
func (r *fabricRules) topology() topologyRules {
	return topologyRules{r.fabricAt(r.at("topology"), r.Fabric)}
}

// at is the path of a field; "" is the fabric itself.
func (r *fabricRules) at(field string) string {
	if field == "" {
		return r.path
	}
	return r.path + "." + field
}

func (r *fabricRules) complain(field, format string, args ...any) {
	r.rules.complain(r.at(field), format, args...)
}

// checkNICs reports patterns in a field of the fabric that name no NIC.
func (r *fabricRules) checkNICs(field string, patterns []string, special ...string) {
	r.rules.checkNICs(r.at(field), patterns, special...)
}

// namedNICs are the NICs of a list of names in a field of the fabric.
func (r *fabricRules) namedNICs(field string, names []string) ([]int, bool) {
	return r.rules.namedNICs(r.at(field), names)
}

// namedPairs are the pairs of NICs of fields from and to in a field of the fabric.
func (r *fabricRules) namedPairs(field string, from, to []string) ([][2]int, bool) {
	return r.rules.namedPairs(r.at(field), from, to)
}

func (r *fabricRules) stated(field string) bool { return r.rules.stated(r.at(field)) }

// wrote reports whether a user wrote the field.
func (r *fabricRules) wrote(field string) bool { return r.written[r.at(field)] }

func setZero(x *int, v int) {
	if *x == 0 {
		*x = v
	}
}

func ceilDiv(a, b int) int { return (a + b - 1) / max(1, b) }

func ceilTo(x, unit int64) int64 { return (x + unit - 1) / unit * unit }
