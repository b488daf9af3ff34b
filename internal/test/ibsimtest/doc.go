// Package ibsimtest runs the real programs of InfiniBand in tests: OpenSM, ibsim
// and infiniband-diags, from Debian's packages opensm, ibsim-utils and
// infiniband-diags. Continuous integration has them, and a test that lacks one
// fails there; elsewhere it is skipped.
package ibsimtest
