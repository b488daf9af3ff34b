// Package door is what the listeners of weft's programs have in common: a listener goes on when the
// machine has no descriptor for a caller, and who calls is asked of the kernel.
//
// # Users
//
// A process in a user namespace sees each user who has no number there as the overflow user, 65534
// (user_namespaces(7)). So in a namespace this number stands for strangers, also where it is the
// process's own. Only where every number is mapped, as outside of all namespaces, is it a user.
package door
