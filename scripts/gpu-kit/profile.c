/* A PJRT plugin that passes everything on to another one, and has that one's profiler record some turns of a loop over programs.
 *
 *   PROFILE_PLUGIN  the plugin that runs the programs.
 *   PROFILE_BY      the plugin whose profiler records; default: the same. Only XLA's CUDA plugin has one.
 *   PROFILE_OUT     the file for what it recorded, an XSpace (tsl/profiler/protobuf/xplane.proto).
 *   PROFILE_CALLS   "41 10": recording begins before call 41 of a program and ends when that program is called for the 10th time after it.
 *
 * The profiler is an extension of the PJRT C API; its structures are those of xla/backends/profiler/plugin/profiler_c_api.h.
 */
#include <stdint.h>
#include <string.h>

#include "../cuda/plugin.h"

typedef struct { size_t struct_size; void *priv; void *error; const char *message; size_t message_size; } message_args;
typedef struct { size_t struct_size; const char *options; size_t options_size; void *profiler; } create_args;
typedef struct { size_t struct_size; void *profiler; } profiler_args;
typedef struct { size_t struct_size; void *profiler; uint8_t *buffer; size_t buffer_size; } collect_args;
typedef struct {
	size_t struct_size;
	void *priv;
	void *error_destroy;
	void (*error_message)(message_args *);
	void *error_code;
	void *(*create)(create_args *);
	void *(*destroy)(profiler_args *);
	void *(*start)(profiler_args *);
	void *(*stop)(profiler_args *);
	void *(*collect)(collect_args *);
} profiler_api;
typedef struct { PJRT_Extension_Base base; profiler_api *api; int64_t traceme; } profiler_extension;

static PJRT_Api api; /* What the caller sees: the plugin's functions, one of them replaced. */
static const PJRT_Api *plugin;
static profiler_api *profiler;
static void *session;
static PJRT_LoadedExecutable *first; /* The program whose call began the recording. */
static int calls, from, turns;

/* check ends the process if the profiler returned an error. */
static void check(const char *what, void *error) {
	if (!error) return;
	message_args m = {.struct_size = sizeof m, .error = error};
	profiler->error_message(&m);
	fail(what, m.message, (int)m.message_size);
}

static void begin(void) {
	/* ProfileOptions with host_tracer_level 1, device_tracer_level 1, version 1. */
	create_args c = {.struct_size = sizeof c, .options = "\x10\x01\x18\x01\x28\x01", .options_size = 6};
	check("making a profiler", profiler->create(&c));
	session = c.profiler;
	profiler_args p = {sizeof p, session};
	check("starting the profiler", profiler->start(&p));
}

static void end(void) {
	profiler_args p = {sizeof p, session};
	check("stopping the profiler", profiler->stop(&p));
	collect_args c = {.struct_size = sizeof c, .profiler = session};
	check("collecting the profile", profiler->collect(&c));
	if (!c.buffer && c.buffer_size) { /* The first call gave the size only. */
		c.buffer = calloc(c.buffer_size, 1);
		if (!c.buffer) fail("PROFILE_OUT", "no memory", 100);
		check("collecting the profile", profiler->collect(&c));
	}
	const char *path = variable("PROFILE_OUT");
	FILE *file = fopen(path, "wb");
	if (!file || fwrite(c.buffer, 1, c.buffer_size, file) != c.buffer_size || fclose(file)) fail(path, "expected a file that can be written", 100);
}

static PJRT_Error *execute(PJRT_LoadedExecutable_Execute_Args *args) {
	if (first == args->executable && turns > 0 && --turns == 0) end();
	if (++calls == from) {
		first = args->executable;
		begin();
	}
	return plugin->PJRT_LoadedExecutable_Execute(args);
}

const PJRT_Api *GetPjrtApi(void) {
	if (plugin) return &api;
	plugin = load(variable("PROFILE_PLUGIN"));
	const char *by = getenv("PROFILE_BY");
	for (PJRT_Extension_Base *e = (by ? load(by) : plugin)->extension_start; e; e = e->next) {
		if (e->type == PJRT_Extension_Type_Profiler) profiler = ((profiler_extension *)e)->api;
	}
	if (!profiler) fail("the plugin", "expected one with a profiler, such as XLA's for CUDA", 100);
	if (sscanf(variable("PROFILE_CALLS"), "%d %d", &from, &turns) != 2) fail("PROFILE_CALLS", "expected two numbers", 100);
	size_t size = plugin->struct_size < sizeof api ? plugin->struct_size : sizeof api; /* The plugin may be newer than the header. */
	memcpy(&api, plugin, size);
	api.struct_size = size;
	api.PJRT_LoadedExecutable_Execute = execute;
	return &api;
}
