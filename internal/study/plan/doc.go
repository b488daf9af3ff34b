// Package plan makes designs of a cluster's network: from a number of GPUs and constraints to
// complete candidates. Each has a fabric, a topology, models of switch and NIC, an
// oversubscription, a bill of materials, its power and its cost.
//
// A candidate is a scenario: weft compare runs its text, and all counts come from the graph that
// internal/base/topology builds of it and validates. Nothing is counted a second time.
//
// Figures missing from the catalog are not guessed. A sum names the parts with an unknown figure, and is then a lower bound, with an
// upper one if each of them has a bound (bounds.go). Prices come from the user's file, or are ranges of public ones with their year
// (public.go).
//
// A design grows in stages (growth.go, stages.go): parts of the later network (part.go), and the cables that are added and moved
// between them (recable.go). Figures beyond counts are in merits.go. A model of the first designs is simulated (model.go, prove.go).
// Nodes of other kinds have ports and parts, and no traffic (others.go). A user's devices are entries of the catalog of the process
// (devices.go).
//
// The search is exhaustive over what the constraints allow, in the order of the catalog, without a
// clock or a random number. If no design meets the constraints, the search runs again without them,
// and each design names the constraints that it breaks and its needs. The proposal to relax has the
// fewest broken constraints, then the smallest amounts.
package plan
