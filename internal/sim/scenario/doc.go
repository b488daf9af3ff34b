// Package scenario is what a user writes: a YAML file that says which
// machines, which fabrics, which workload; its strict decoding with a place
// for every error; the defaults; and Resolved, the same with every number
// present, which is all that the simulator sees.
//
// A preset (a node, a NIC, a fabric) is an entry of internal/sim/catalog whose
// facts are laid into the same types, field by field, before what the user
// wrote is. What neither says is derived (derive.go), each rule with its
// reason. Checks that span fields are in check.go.
package scenario
