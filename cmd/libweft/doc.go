//go:build cgo && linux

// Command libweft is the core of weft's libibverbs.so.1 and librdmacm.so.1: the devices of package
// verbs behind a table of C functions (core.h). It is built as a C shared library, libweft.so.
//
// The libraries that programs link, in the folders below, are plain C. They load the core when a
// program opens its first device. A program that forks before that, as daemons do, forks no Go
// runtime.
//
// Folder libibverbs has the verbs, folder librdmacm the connections (cm.go), folder files the paths of a kernel's device,
// folder clock the clocks of an emulated fabric.
//
// Objects have numbers here. Memory goes by address, in place: registered memory, and the rings of
// completion queues, which C reads without a call. `weft verbs build` builds all of it.
package main
