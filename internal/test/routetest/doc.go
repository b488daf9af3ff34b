// Package routetest gives tests the subnets of graphs, and the fabrics, tables and verdicts of
// other programs: the dumps of OpenSM 3.3.23 over ibsim 0.10 for six fabrics, one of them real,
// and the verdicts of ibdmchk (ibutils 1.5.7) about them.
package routetest
