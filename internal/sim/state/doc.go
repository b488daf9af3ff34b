// Package state compares two states of a simulation, and moves a state on in time.
//
// A simulation whose traffic repeats itself comes back to an earlier state, but for the time and
// for counters. All that lies between the two states is then a period, and what follows is a copy
// of it. A [Walk] visits every field of the state in a fixed order. It records the state as a list
// of words, compares a later state with the record, or moves the state on by a number of periods.
//
// The walk finds fields by reflection. A struct tag says what a field is:
//
//	(none)          its value is the same in equal states. Of a [units.Time]: its distance from
//	                now is. 0 and [units.Forever] are no times, they are the same in equal states.
//	state:"fixed"   a time that is the same in equal states, like a duration
//	state:"until"   a time until which something holds: all times before now are equal
//	state:"idle"    a time of a connection that is used with something in flight alone: without it may stay the same
//	state:"bound"   a lower bound of times in the state, at which nothing happens but that it is set
//	                anew: it may differ in equal states
//	state:"number"  a message sequence number (MSN): see below
//	state:"bytes"   a number of bytes of a message that have gone or come: see below
//	state:"count"   a counter on which nothing in the simulation depends: equal states may differ,
//	                and a period adds to it what it added before
//	state:"-"       not a part of the state: it never changes, or nothing depends on it
//
// A field without a tag must be equal. So a forgotten tag can hide a period, but cannot make two
// different states equal. The tags that leave something out must be right: until, idle, bound, count, number, bytes and -.
//
// A type with a method WalkState visits itself: a queue from its head to its tail, a heap in the
// order of its elements. It may be embedded; the struct around it cannot have a method of its own.
//
// Sequence numbers count modulo a power of two, and only their differences matter: between equal states, all
// numbers of a group have moved by the same distance ([Walk.Group]). A [units.PSN] is such a number, and so is
// a field with the tag number. A move takes them along ([Walk.Sequence]).
//
// A message is another one in equal states, whose first number has moved with the others. Or it is the same, and its packets
// in flight have moved within it: the number stays ([Walk.Posted]), and bytes of the message move on (tag bytes). Then the
// message's end bounds the periods ([Walk.AtMost]).
package state
