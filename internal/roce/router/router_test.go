package router

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

// leafConf is as vtysh prints it on a leaf with Linux' forwarding, with an instance in a VRF beside the one that counts.
const leafConf = `leaf1# show running-config
Building configuration...

Current configuration:
!
frr version 8.4.4
frr defaults datacenter
hostname leaf1
log syslog informational
!
vrf mgmt
 ip route 0.0.0.0/0 10.0.0.1
exit-vrf
!
router bgp 65101
 bgp router-id 10.255.0.1
 bgp bestpath as-path multipath-relax
 neighbor SPINE peer-group
 neighbor SPINE remote-as external
 neighbor swp51 interface peer-group SPINE
 !
 address-family ipv4 unicast
  redistribute connected
  maximum-paths 2
  maximum-paths ibgp 8
 exit-address-family
 !
 address-family ipv6 unicast
  maximum-paths 5
 exit-address-family
exit
!
router bgp 65999 vrf mgmt
 address-family ipv4 unicast
  maximum-paths 1
 exit-address-family
exit
!
end
`

func said(r *Router) string {
	relax := "?"
	if r.Relax.Known() {
		relax = fmt.Sprint(r.Relax.Value)
	}
	return fmt.Sprintf("%s %d paths %d:%d relax %s", r.Hostname, r.ASN.Value, r.MaxPaths.Value, r.MaxPaths.Line, relax)
}

// TestFRRsSettingsOfBGPAreRead of the instance without a VRF, and of the family in which hosts are reached.
func TestFRRsSettingsOfBGPAreRead(t *testing.T) {
	sonic := "!\n! template: bgpd/bgpd.main.conf.j2\n!\nhostname t1\nip prefix-list PL permit 10.1.0.1/32\n!\nrouter bgp 65100\n!\n  bgp log-neighbor-changes\n  bgp bestpath as-path multipath-relax\n!\n  neighbor 10.0.0.1 remote-as 64001\n  address-family ipv4\n    maximum-paths 514\n  exit-address-family\n  address-family ipv6\n    maximum-paths 64\n  exit-address-family\n!\nroute-map X permit 10\n maximum-paths 3\n"
	for text, want := range map[string]string{
		leafConf: "leaf1 65101 paths 2:24 relax true",
		sonic:    "t1 65100 paths 514:14 relax true",
		strings.Replace(leafConf, " bgp bestpath", " no bgp bestpath", 1):                           "leaf1 65101 paths 2:24 relax false",
		strings.Replace(leafConf, "  maximum-paths 2\n", "", 1):                                     "leaf1 65101 paths 5:28 relax true",
		strings.Replace(leafConf, "external", "internal", 1):                                        "leaf1 65101 paths 8:25 relax true",
		strings.Replace(leafConf, "external", "65101", 1):                                           "leaf1 65101 paths 8:25 relax true",
		strings.Replace(leafConf, "  maximum-paths ibgp 8", "  no maximum-paths", 1):                "leaf1 65101 paths 5:29 relax true",
		"router bgp 1.10\n maximum-paths 4\n":                                                       " 65546 paths 4:2 relax ?",
		"\ufeffhostname a\r\nrouter bgp 7\r\n address-family ipv4 unicast\r\n  maximum-paths 6\r\n": "a 7 paths 6:4 relax ?",
		"router ospf\n maximum-paths 1\n":                                                           " 0 paths 0:0 relax ?",
		"router bgp 5\n neighbor 1.1.1.1 remote-as 6\ninterface eth0\n maximum-paths 1\n":           " 5 paths 0:0 relax ?",
	} {
		r, errs := ReadFRR("frr.conf", text)
		if got := said(r); got != want || len(errs) > 0 {
			t.Errorf("%q:\n%s, want %s; %v", text, got, want, errs)
		}
	}
}

// TestWhatIsNotValidIsToldWithItsLine, and the rest is read.
func TestWhatIsNotValidIsToldWithItsLine(t *testing.T) {
	for _, c := range []struct {
		read       Reader
		text, want string
	}{
		{ReadFRR, "router bgp none\n maximum-paths 4\n", `f:1: router bgp none: want the number of an autonomous system`},
		{ReadFRR, "router bgp 1\n maximum-paths 0\n", "f:2: maximum-paths 0: want a number from 1 to 65535"},
		{ReadFRR, "router bgp 1\n maximum-paths\n", "f:2: maximum-paths : want"},
		{ReadSysctl, "\nnet.ipv4.fib_multipath_hash_policy = 4\n", `f:2: net.ipv4.fib_multipath_hash_policy is "4": valid are 0`},
		{ReadSysctl, "net.ipv4.fib_multipath_hash_fields=x\n", `f:1: net.ipv4.fib_multipath_hash_fields is "x": want a mask`},
		{ReadTraffic, "ecmp_hash_seed = random\n", `f:1: ecmp_hash_seed is "random"`},
	} {
		_, errs := c.read("f", c.text)
		if len(errs) != 1 || !strings.HasPrefix(errs[0].Error(), c.want) {
			t.Errorf("%q: %v, want %s", c.text, errs, c.want)
		}
	}
}

// TestThePolicyOfTheKernelSaysWhetherPortsAreHashed: the fields of policy 3 are addresses and the protocol unless others are named.
func TestThePolicyOfTheKernelSaysWhetherPortsAreHashed(t *testing.T) {
	for text, want := range map[string][2]bool{
		"net.ipv4.fib_multipath_hash_policy = 0":                                                {false, true},
		"net.ipv4.fib_multipath_hash_policy=1 # L4":                                             {true, true},
		"net.ipv4.fib_multipath_hash_policy = 2":                                                {false, true},
		"net.ipv4.fib_multipath_hash_policy = 3":                                                {false, true},
		"net/ipv4/fib_multipath_hash_policy = 3\nnet.ipv4.fib_multipath_hash_fields = 0x0037":   {true, true},
		"-net.ipv4.fib_multipath_hash_policy = 3\nnet.ipv4.fib_multipath_hash_fields = 7":       {false, true},
		"net.ipv6.fib_multipath_hash_policy = 1":                                                {true, true},
		"net.ipv4.fib_multipath_hash_policy = 0\nnet.ipv6.fib_multipath_hash_policy = 1":        {false, true},
		"net.ipv6.fib_multipath_hash_policy = 1\nnet.ipv4.fib_multipath_hash_policy = 0":        {false, true},
		"net.ipv4.fib_multipath_hash_policy = 0\nnet.ipv4.fib_multipath_hash_policy = 1":        {true, true},
		"#net.ipv4.fib_multipath_hash_policy = 0\nnet.ipv4.ip_forward = 1\nkernel.x\n; y = 1\n": {false, false},
		"hash_config.enable = true\nhash_config.sip = true\nhash_config.sport = false":          {false, false}, // of another file
	} {
		r, errs := ReadSysctl("sysctl.conf", text)
		if ports, known := r.HashesPorts(); ports != want[0] || known != want[1] || len(errs) > 0 {
			t.Errorf("%q: ports %t, known %t, want %v; %v", text, ports, known, want, errs)
		}
	}
	for text, want := range map[string]string{
		"hash_config.enable = true\nhash_config.sport = false\necmp_hash_seed = 42":   "ports false, known true, seed 42",
		"#hash_config.enable = true\nhash_config.sport = false\n#ecmp_hash_seed = 42": "ports false, known false, seed 0",
	} {
		r, _ := ReadTraffic("traffic.conf", text)
		ports, known := r.HashesPorts()
		if got := fmt.Sprintf("ports %t, known %t, seed %d", ports, known, r.Seed.Value); got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
}

// TestTheFilesOfAFolderAreTheirSwitches: by the host name in them, or else by their folder.
func TestTheFilesOfAFolderAreTheirSwitches(t *testing.T) {
	fsys := fstest.MapFS{}
	for name, text := range map[string]string{
		"a/frr.conf":                      leafConf,
		"leaf2/frr.conf":                  "router bgp 65102\n maximum-paths 3\n",
		"leaf2/etc/sysctl.d/99-ecmp.conf": "net.ipv4.fib_multipath_hash_policy = 1\n",
		"leaf3/proc/sys/net/ipv4/fib_multipath_hash_policy": "0\n",
		"leaf3/show-running-config.txt":                     "router bgp 65103\n maximum-paths many\n",
		"leaf3/config_db.json":                              "{}",
		"leaf4/sysctl.conf":                                 "vm.swappiness = 1\n",
	} {
		fsys[name] = &fstest.MapFile{Data: []byte(text)}
	}
	got, problems := Folder(fsys, "site", func(file, hostname string) string {
		of, _, _ := strings.Cut(file, "/")
		if hostname != "" {
			of = hostname
		}
		return of
	})
	var names []string
	for name, r := range got {
		names = append(names, fmt.Sprint(name, " ", r.ASN.Value, r.MaxPaths.Value, r.Policy.Known(), r.Policy.Value))
	}
	slices.Sort(names)
	if want := []string{"leaf1 65101 2 false 0", "leaf2 65102 3 true 1", "leaf3 65103 0 true 0"}; !slices.Equal(names, want) {
		t.Errorf("%q, want %q", names, want)
	}
	if len(problems) != 1 || !strings.HasPrefix(problems[0].Error(), "site/leaf3/show-running-config.txt:2: maximum-paths many") {
		t.Errorf("problems: %v", problems)
	}
}

func FuzzReaders(f *testing.F) {
	f.Add(leafConf)
	f.Add("router bgp 1.10\n maximum-paths 4\n")
	f.Add("net.ipv4.fib_multipath_hash_policy = 3\nnet.ipv4.fib_multipath_hash_fields = 0x0037")
	f.Add("hash_config.enable = true\nhash_config.sport = false\necmp_hash_seed = 42")
	f.Fuzz(func(t *testing.T, text string) {
		for _, read := range []Reader{ReadFRR, ReadSysctl, ReadTraffic} {
			r, errs := read("f", text)
			if r.MaxPaths.Known() && (r.MaxPaths.Value < 1 || r.MaxPaths.Value > mostPaths) {
				t.Fatalf("%d paths", r.MaxPaths.Value)
			}
			for _, err := range errs {
				if !strings.HasPrefix(err.Error(), "f:") {
					t.Fatalf("no place: %v", err)
				}
			}
			r.HashesPorts()
		}
	})
}
