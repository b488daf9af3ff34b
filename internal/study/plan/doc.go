// Package plan makes designs of a cluster's network: from a number of GPUs and
// constraints to complete candidates, each a fabric, a topology, models of switch
// and NIC, an oversubscription, with its bill of materials, its power and its cost.
//
// A candidate is a scenario first: its text is what weft compare runs, and all
// counts are those of the graph that internal/base/topology builds of it and validates.
// Nothing is counted a second time.
//
// What the catalog does not know is not computed with. A sum says of which parts the
// number is unknown, and that what it states is a lower bound. No price comes from
// here: prices are the user's file.
//
// The search is exhaustive over what the constraints allow, in the order of the
// catalog, without a clock or a random number. Where no design meets the constraints,
// the search is made again without them, and each design says which it breaks and
// what it would need: the fewest broken, by the least, is what to relax.
package plan
