// Package sonic reads and writes the configuration of SONiC switches as far as lossless Ethernet
// goes: buffers, priorities, schedulers, WRED, PFC and its watchdog, in config_db.json and in the
// qos.json and buffers.json that are parts of it. It simulates nothing: it turns the configuration
// into a Switch. Examine lists invalid values and goes on; Resolve returns them as an error.
//
// # The model
//
// A Config is the whole file, table by table in its own order, with the line of every value, so
// that a finding can name it and tables that weft does not know survive being written again. A
// Switch is the meaning of all tables together: every port with its priority groups, queues, maps
// and thresholds. References are resolved, in the present form ("profile": "name") and in the older
// form ("profile": "[BUFFER_PROFILE|name]").
//
// # Units
//
// SONiC's values are strings: sizes in bytes, speeds in Mb/s, cables as "40m", dynamic thresholds
// as exponents (alpha = 2^dynamic_th), drop probabilities in percent, times of the watchdog in ms.
//
// # Sources
//
// sonic-buildimage: files/build_templates/qos_config.j2 and buffers_config.j2, and its YANG models
// (sonic-buffer-*.yang, sonic-wred-profile.yang, …) for the names and ranges of fields; sonic-swss:
// cfgmgr and orchagent for their effect.
//
// # What is left out
//
// Templates (.j2), other network systems, multi-ASIC name spaces.
package sonic
