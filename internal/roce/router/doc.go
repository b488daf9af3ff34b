// Package router reads what a switch's own files say of its paths: FRR's configuration (frr.conf, bgpd.conf, or the output of
// show running-config), sysctl files of Linux, and traffic.conf of Cumulus Linux.
//
// # The model
//
// BGP installs at most maximum-paths of the paths that are equally good, and without bestpath as-path multipath-relax only paths
// through the same autonomous systems. A router that is Linux chooses among them by fields of the packet that
// net.ipv4.fib_multipath_hash_policy names; a switch's chip has settings of its own, which package sonic reads.
//
// # Defaults
//
// Without maximum-paths FRR uses MULTIPATH_NUM, a number of its compilation (bgpd/bgp_mpath.c, bgp_maximum_paths_unset): 64 in
// FRR's own documentation (doc/user/ospfd.rst), 256 in its packages (redhat/frr.spec.in, debian/rules). A switch has no
// more ports, so that MaxPaths is not known then, and limits nothing. multipath-relax is off unless it is written
// (bgpd/bgp_vty.c). The kernel's policy is 0 unless it is written (Documentation/networking/ip-sysctl.rst).
//
// # What is left out
//
// Instances of BGP in a VRF, route maps, weights of paths, and other routing protocols.
package router
