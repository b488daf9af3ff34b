// Package topologytest draws random fabrics for property tests.
package topologytest
