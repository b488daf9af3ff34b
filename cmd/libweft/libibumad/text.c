/* Names of what datagrams have, and their bytes, for people. */
#include <stdio.h>

#include "umad.h"

static int level;

int umad_debug(int to)
{
	if (to >= 0)
		level = to;
	return level;
}

void umad_addr_dump(ib_mad_addr_t *a)
{
	fprintf(stderr, "qpn %u, qkey 0x%x, lid %u, sl %u, pkey index %u, %s GRH\n", be32toh(a->qpn), be32toh(a->qkey), be16toh(a->lid), a->sl,
		a->pkey_index, a->grh_present ? "with" : "without");
}

void umad_dump(void *umad)
{
	struct ib_user_mad *u = umad;
	fprintf(stderr, "agent %u, status %u, timeout %u ms\n", u->agent_id, u->status, u->timeout_ms);
	umad_addr_dump(&u->addr);
	for (int i = 0; i < mad_bytes; i++)
		fprintf(stderr, "%02x%s", u->data[i], i % 32 == 31 ? "\n" : " ");
}

struct name {
	unsigned of;
	const char *text;
};

static const char *find(const struct name *all, unsigned of, const char *otherwise)
{
	for (; all->text; all++)
		if (all->of == of)
			return all->text;
	return otherwise;
}

/* Classes (IBA vol. 1, 13.4.4). */
const char *umad_class_str(uint8_t mgmt_class)
{
	static const struct name all[] = {
		{0x01, "Subn"}, {0x81, "Subn"}, {0x03, "SubnAdm"}, {0x04, "Perf"}, {0x05, "BM"}, {0x06, "DevMgt"}, {0x07, "ComMgt"},
		{0x08, "SNMP"}, {0x10, "DevAdm"}, {0x11, "BootMgt"}, {0x12, "BIS"}, {0x21, "CongestionManagment"}, {0, NULL},
	};
	return find(all, mgmt_class, "<unknown>");
}

/* Methods (13.4.5, 15.2.2). */
const char *umad_method_str(uint8_t mgmt_class, uint8_t method)
{
	static const struct name all[] = {
		{0x01, "Get"}, {0x02, "Set"}, {0x81, "GetResp"}, {0x03, "Send"}, {0x05, "Trap"}, {0x06, "Report"}, {0x86, "ReportResp"},
		{0x07, "TrapRepress"}, {0x12, "GetTable"}, {0x92, "GetTableResp"}, {0x13, "GetTraceTable"}, {0x14, "GetMulti"},
		{0x94, "GetMultiResp"}, {0x15, "Delete"}, {0x95, "DeleteResp"}, {0, NULL},
	};
	return find(all, method, "<unknown>");
}

/* Statuses (13.4.7). The program gives them as they are in the datagram. */
const char *umad_common_mad_status_str(__be16 status)
{
	static const struct name all[] = {
		{0, "Success"}, {1, "Busy"}, {2, "Redirect"}, {4, "Bad Version"}, {8, "Unsupported Method"}, {12, "Unsupported Method/Attribute"},
		{28, "Invalid Value"}, {0, NULL},
	};
	return find(all, be16toh(status) & 0xff, "<undefined>");
}

/* Statuses of subnet administration (15.2.1.2). */
const char *umad_sa_mad_status_str(__be16 status)
{
	static const struct name all[] = {
		{0, "Success"}, {1, "No Resources"}, {2, "Request Invalid"}, {3, "No Records"}, {4, "Too Many Records"}, {5, "Invalid GID"},
		{6, "Insufficient Components"}, {7, "Request Denied"}, {0, NULL},
	};
	return find(all, be16toh(status) >> 8, "Undefined Error");
}

/* Attributes of subnet management and administration (14.2.5, 15.2.5). */
const char *umad_attribute_str(uint8_t mgmt_class, __be16 attribute)
{
	static const struct name subnet[] = {
		{0x01, "ClassPortInfo"}, {0x02, "Notice"}, {0x10, "NodeDescription"}, {0x11, "NodeInfo"}, {0x12, "SwitchInfo"}, {0x14, "GUIDInfo"},
		{0x15, "PortInfo"}, {0x16, "P_KeyTable"}, {0x17, "SLtoVLMappingTable"}, {0x18, "VLArbitrationTable"}, {0x19, "LinearForwardingTable"},
		{0x1b, "MulticastForwardingTable"}, {0x20, "SMInfo"}, {0, NULL},
	};
	static const struct name records[] = {
		{0x01, "ClassPortInfo"}, {0x02, "Notice"}, {0x03, "InformInfo"}, {0x11, "NodeRecord"}, {0x12, "PortInfoRecord"}, {0x20, "LinkRecord"},
		{0x31, "ServiceRecord"}, {0x33, "P_KeyTableRecord"}, {0x35, "PathRecord"}, {0x38, "MCMemberRecord"}, {0, NULL},
	};
	return find(mgmt_class == 0x03 ? records : subnet, be16toh(attribute), "<unknown>");
}
