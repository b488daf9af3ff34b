# Everything is a step of .ci/run; what people run by name is here, too.
.PHONY: interop
interop:
	bash .ci/run interop
