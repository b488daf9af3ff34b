#!/bin/sh
# weft: roce-v2-400g. Usage: host.sh INTERFACE DEVICE, such as ens1f0np0 mlx5_0
set -eu
IF=$1 DEV=$2
mlnx_qos -i $IF --trust dscp
mlnx_qos -i $IF --dscp2prio set,34,4
mlnx_qos -i $IF --dscp2prio set,46,5
mlnx_qos -i $IF --pfc 0,0,0,0,1,0,0,0
mlnx_qos -i $IF --cable_len=40
ethtool -A $IF rx off tx off || true # fails where it is off already
cma_roce_tos -d $DEV -t 138
echo 138 > /sys/class/infiniband/$DEV/tc/1/traffic_class
echo 1 > /sys/class/net/$IF/ecn/roce_np/enable/4
echo 1 > /sys/class/net/$IF/ecn/roce_rp/enable/4
echo 46 > /sys/class/net/$IF/ecn/roce_np/cnp_dscp
echo 5 > /sys/class/net/$IF/ecn/roce_np/cnp_802p_prio
echo 4 > /sys/class/net/$IF/ecn/roce_np/min_time_between_cnps
echo 300 > /sys/class/net/$IF/ecn/roce_rp/rpg_time_reset
echo 32767 > /sys/class/net/$IF/ecn/roce_rp/rpg_byte_reset
echo 1 > /sys/class/net/$IF/ecn/roce_rp/rpg_threshold
echo 5 > /sys/class/net/$IF/ecn/roce_rp/rpg_ai_rate
echo 50 > /sys/class/net/$IF/ecn/roce_rp/rpg_hai_rate
echo 1 > /sys/class/net/$IF/ecn/roce_rp/rpg_min_rate
echo 50 > /sys/class/net/$IF/ecn/roce_rp/rpg_min_dec_fac
echo 0 > /sys/class/net/$IF/ecn/roce_rp/rate_to_set_on_first_cnp
echo 1019 > /sys/class/net/$IF/ecn/roce_rp/dce_tcp_g
echo 1 > /sys/class/net/$IF/ecn/roce_rp/dce_tcp_rtt
echo 4 > /sys/class/net/$IF/ecn/roce_rp/rate_reduce_monitor_period
echo 1023 > /sys/class/net/$IF/ecn/roce_rp/initial_alpha_value
echo 0 > /sys/class/net/$IF/ecn/roce_rp/clamp_tgt_rate
echo 1 > /sys/class/net/$IF/ecn/roce_rp/clamp_tgt_rate_after_time_inc
