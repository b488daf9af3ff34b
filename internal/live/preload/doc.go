// Package preload starts programs of other people on weft's verbs: it builds the C libraries that
// such programs link, and gives a program the environment in which the dynamic linker finds them
// before the system's.
//
// The libraries are built from a checkout of weft (build.go), with Go, a C compiler and the headers of
// libibverbs and librdmacm, because the weft binary itself has no C in it. They lie in one folder, from which
// libibverbs.so.1 loads the core, libweft.so, when a program opens its first device. A program is
// started in place of weft (run.go): its signals, its terminal and its exit code are its own.
//
// A third library, libweftfiles.so, is preloaded: it shows programs the files of a kernel's device. libweftclock.so is
// preloaded if asked for: programs' wall clocks run as the clock of an emulated fabric.
//
// LD_LIBRARY_PATH names the folder. It does not reach programs with more rights than their caller, nor
// programs that name their libraries by path (DT_RPATH).
package preload
