// Package roceexport writes what a fabric of a scenario needs on real devices: the
// configuration of SONiC, Cumulus, EOS and NX-OS switches, and of hosts.
//
// # The model
//
// A Plan is what all devices are told, with the numbers that the simulator used. A
// writer says it in a device's language. What a language cannot say is refused where
// losing it would lose packets or marks, and is a note otherwise: nothing is rounded
// in silence.
//
// SONiC's is complete: written, read again and put under a scenario with
// switch.sonic it gives the same numbers. The others leave to the device what their
// vendors say to leave to it (NVUE sizes its buffers itself) or what follows from the
// platform (EOS and NX-OS).
//
// # Sources
//
// SONiC: qos_config.j2 and buffers_config.j2 of sonic-buildimage for the tables, its
// YANG models for names and ranges. Cumulus: NVUE's reference, QoS. EOS: the schema of
// arista.avd. NX-OS: public configurations of Nexus 9000 for RoCE v2. Hosts: NVIDIA's
// pages on mlnx_qos and sysfs, mlx5's cong_control_r_roce_ecn_rp_bits for units.
//
// # What is left out
//
// Addresses, routing, breakouts, port numbers of devices: ports are named as the
// device numbers them at the link's lanes, or as the caller does.
package roceexport
