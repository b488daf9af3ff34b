// Package counters reads what InfiniBand's tools print about ports and cables: ibqueryerrors, perfquery,
// iblinkinfo, ibdiagnet's files, ibswinfo, UFM's JSON, the log of OpenSM, node-name-map and
// error_thresholds. Each format has one source file, and all fill a portstate.Set.
//
// A counter has the name of the specification (IBA vol. 1, 16.1.3.5 and 16.1.4), whatever name its tool
// gives it. The sum that a switch makes of its ports (port ALL, port 255) is no port and is left out.
// A counter at the highest value of its width is saturated, unless the tool shows that it has 64 bits.
//
// Sources: infiniband-diags of rdma-core; NVIDIA's manuals of ibdiagnet 2.8 to 2.24 and of UFM's REST
// API 6.11 to 6.23; public readers of ibdiagnet's files where the manuals do not show a header.
package counters
