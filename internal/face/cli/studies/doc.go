// Package studies has the verbs that search for a design or for settings by many simulations: plan,
// advise, sweep and tune, and cache, the results that they know already.
package studies
