// Package hpcc reads and writes the files of the simulator published with HPCC (Li et al., "HPCC:
// High Precision Congestion Control", SIGCOMM 2019; repository
// alibaba-edu/High-Precision-Congestion-Control, and the same model in
// astra-sim/astra-network-ns3): config.txt, topology.txt and flow.txt in, fct.txt and pfc.txt out.
//
// It is a codec, not a model: a [Case] has the values of the files, and the simulator's defaults
// for missing ones. The caller builds a simulation from it. Three things of that simulator are
// reproduced because the files cannot be understood without them:
//
//   - names: the address of a host ([hostIP]), the source port of a flow, the
//     number of an interface (from 1, in the order of topology.txt);
//   - routes: the equal-cost next hops in the order of its tables ([NextHops])
//     and the hash that picks one ([Hash], [Routes.Pick]);
//   - baselines: the base round trip, the bandwidth-delay product and the
//     completion time of a flow alone ([Case.Baselines]), which fct.txt repeats
//     and which size the window.
//
// # Files
//
// All three are words separated by blanks. config.txt has one key a line, its values, and perhaps a
// remark in braces. topology.txt starts with `nodes switches links`, then the ids of the switches,
// then per link `a b rate delay loss`. flow.txt starts with the number of flows, then has per flow
// `src dst priority dport bytes start`, the start in seconds and never earlier than the line
// before. What follows the announced number of records is ignored there, and the published examples
// end in a paragraph that explains them: it is ignored here too, and listed in [Case.Ignored].
//
// fct.txt has per completed flow, in the order of completion, `sip dip sport dport bytes start fct
// standalone`, addresses in hexadecimal and times in nanoseconds. pfc.txt has per PFC frame, when
// it is received, `time node nodetype ifindex type`.
//
// # Units
//
// Times are exact to the picosecond, rates are bits per second; nothing passes through a float.
// That simulator's clock ticks in nanoseconds, and so do the two files it writes.
//
// # Left out
//
// trace.txt and the binary packet trace are neither read nor written. The parameters of HPCC,
// TIMELY, DCTCP and PINT are read, not judged. Equal-cost next hops have the order of a run in
// which switches were created at falling addresses, as glibc's allocator does for objects of their
// size; it is verified on two-level fabrics, the only ones whose paths are at hand.
package hpcc
