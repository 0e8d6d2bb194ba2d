/* What the plugins of this folder and of gpu-kit share: loading another plugin, and ending the process with a reason. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

#include "pjrt_c_api.h"

static void fail(const char *what, const char *why, int size) {
	fprintf(stderr, "%s: %.*s\n", what, size, why);
	exit(3);
}

/* variable returns the value of an environment variable that must be set. */
static const char *variable(const char *name) {
	const char *value = getenv(name);
	if (!value || !*value) fail(name, "expected a value, found nothing", 100);
	return value;
}

static const PJRT_Api *load(const char *path) {
	void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (!library) fail(path, dlerror(), 1000);
	const PJRT_Api *(*get)(void) = (const PJRT_Api *(*)(void))dlsym(library, "GetPjrtApi");
	if (!get) fail(path, "expected a PJRT plugin, found no GetPjrtApi", 100);
	return get();
}
