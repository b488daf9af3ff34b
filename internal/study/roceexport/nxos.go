package roceexport

import "fmt"

// nxos writes policies of the three types for a Nexus 9000 with eight queues.
// Buffers behind a threshold follow from the platform up to 100 m of cable.
func (p *Plan) nxos() (*Output, error) {
	if err := p.ownQueues("NX-OS"); err != nil {
		return nil, err
	}
	if p.Data == 0 || p.CNP == 0 {
		return nil, fmt.Errorf("priority 0 is NX-OS's class-default: give data and notifications others (they have %d and %d)", p.Data, p.CNP)
	}
	l := &lines{}
	l.add("! weft: %s, %v, cables up to %v", p.Name, p.Speed, p.Cable)
	if p.watchdog() != nil {
		l.add("priority-flow-control watch-dog-interval on")
	}
	l.add("class-map type qos match-any ROCE")
	l.add("  match dscp %d", p.DSCP)
	l.add("class-map type qos match-any CNP")
	l.add("  match dscp %d", p.CNPDSCP)
	l.add("policy-map type qos WEFT_CLASSIFY")
	l.add("  class ROCE")
	l.add("    set qos-group %d", p.Data)
	l.add("  class CNP")
	l.add("    set qos-group %d", p.CNP)
	l.add("  class class-default")
	l.add("    set qos-group 0")
	l.add("policy-map type network-qos WEFT_NETWORK")
	for _, n := range p.priorities() {
		if n == 0 {
			return nil, fmt.Errorf("priority 0 is NX-OS's class-default, and it is lossless here: give it another")
		}
		l.add("  class type network-qos c-8q-nq%d", n)
		l.add("    pause pfc-cos %d", n)
		l.add("    mtu 9216")
	}
	l.add("  class type network-qos c-8q-nq-default")
	l.add("    mtu 9216")
	l.add("policy-map type queuing WEFT_QUEUEING")
	if err := p.nxosQueues(l); err != nil {
		return nil, err
	}
	l.add("system qos")
	l.add("  service-policy type network-qos WEFT_NETWORK")
	l.add("  service-policy type queuing output WEFT_QUEUEING")
	l.add("interface Ethernet1/1-%d", p.Ports)
	l.add("  mtu 9216")
	if len(p.priorities()) > 0 {
		l.add("  priority-flow-control mode on")
	}
	if p.watchdog() != nil {
		l.add("  priority-flow-control watch-dog-interval on")
	}
	l.add("  service-policy type qos input WEFT_CLASSIFY")
	out := &Output{Files: []File{{"nxos.cfg", l.String()}}, Notes: p.unwatched("nxos")}
	if p.watchdog() != nil {
		out.Notes = append(out.Notes, "nxos: the watchdog is turned on, with NX-OS's own times and action")
	}
	if p.lossless() {
		out.Notes = append(out.Notes, fmt.Sprintf("nxos: headroom follows from the platform; the simulation had %d bytes for %v of cable. Beyond 100 m an input queuing policy with pause buffer-size is needed, in numbers of the platform", p.headroom(), p.Cable))
	}
	return out, nil
}

// nxosQueues writes the output queues, highest first. It names all eight: an unnamed queue would
// keep its share.
func (p *Plan) nxosQueues(l *lines) error {
	shares := p.shares()
	level := 0
	for n := 7; n >= 0; n-- {
		name := fmt.Sprintf("c-out-8q-q%d", n)
		if n == 0 {
			name = "c-out-8q-q-default"
		}
		l.add("  class type queuing %s", name)
		if p.strict(n) {
			level++
			l.add("    priority level %d", level)
		} else {
			l.add("    bandwidth remaining percent %d", shares[n])
		}
		e := &p.Ethernet.ECN
		if !e.Enabled || n != p.Data {
			continue
		}
		chance, ok := percent(e.Pmax)
		if !ok || chance == 0 {
			return fmt.Errorf("ethernet.ecn.pmax is %v, and NX-OS knows whole percents from 1", e.Pmax)
		}
		l.add("    random-detect minimum-threshold %d bytes maximum-threshold %d bytes drop-probability %d weight 0 ecn", e.Kmin, e.Kmax, chance)
	}
	return nil
}
