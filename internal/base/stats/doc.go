// Package stats computes the statistics of repeated simulations: confidence intervals and
// quantiles. It takes plain numbers and knows no simulation.
package stats
