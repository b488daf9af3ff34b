// Package roceexport writes the configuration of a scenario's fabric for real devices: SONiC,
// Cumulus, EOS and NX-OS switches, and hosts.
//
// # The model
//
// A Plan has the settings of all devices, with the simulator's numbers. A writer expresses it in a
// device's language. A setting that a language cannot express is an error if its loss would lose
// packets or marks, and otherwise a note: nothing is rounded in silence.
//
// SONiC's configuration is complete: written, and read again by switch.sonic of a scenario, it
// gives the same numbers. The other files leave out the settings that the device makes itself, as its
// vendor recommends (NVUE's buffers), or that follow from the platform (EOS and NX-OS).
//
// # Sources
//
// SONiC: qos_config.j2 and buffers_config.j2 of sonic-buildimage for the tables, its YANG models
// for names and ranges. Cumulus: NVUE's reference, QoS. EOS: the schema of arista.avd. NX-OS:
// public configurations of Nexus 9000 for RoCE v2. Hosts: NVIDIA's pages on mlnx_qos and sysfs,
// mlx5's cong_control_r_roce_ecn_rp_bits for units.
//
// # What is left out
//
// Addresses, routing, breakouts, port numbers of devices: ports have the device's numbers for the
// link's lanes, or the caller's names.
package roceexport
