// Part of every program of a build with sanitizers (HALYARD_SANITIZE): what its tests need of them, without settings in
// the environment.

extern "C" {

/// Memory refused is told by Halyard's own words (kernels/device/buffer.cpp), which a test reads.
const char* __asan_default_options() { return "allocator_may_return_null=1"; }

/// MPI's transports are unloaded at the end, and what they keep would then look lost, at places without a name: they
/// stay.
int dlclose(void*) { return 0; }
}
