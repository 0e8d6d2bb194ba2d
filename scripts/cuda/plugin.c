/* A PJRT plugin that stands in for XLA's CUDA plugin on a machine without an NVIDIA device. go-xla builds the programs of
 * a plugin whose file is called pjrt_c_api_cuda_plugin.so in the form for CUDA, and so does this project.
 *
 *   CUDA_FORM_CPU     XLA's CPU plugin. It holds the buffers and, without the variables below, runs the programs: the tests
 *                     then check the numbers of the form for CUDA (make test-cuda-form).
 *   CUDA_FORM_CUDA    XLA's CUDA plugin. It compiles every program for the device that CUDA_FORM_TARGET, a text of XLA's
 *                     GpuTargetConfigProto, describes. A program is not run: its outputs are zeros (make check-cuda).
 *   CUDA_FORM_REPORT  gets a line of JSON for every program compiled, with its memory in bytes, and for every call. A
 *                     program that does not compile ends the process.
 */
#include <string.h>

#include "plugin.h"

#define ARGS(type) .struct_size = type##_STRUCT_SIZE

static PJRT_Api api;          /* What the caller sees: the CPU plugin's functions, some of them replaced. */
static const PJRT_Api *cpu;
static const PJRT_Api *cuda;  /* NULL: programs run on the CPU. */
static const PJRT_TopologyDescription *target;
static PJRT_Client *client;

/* check ends the process if a call to that plugin returned an error. */
static void check(const PJRT_Api *of, const char *what, PJRT_Error *error) {
	if (!error) return;
	PJRT_Error_Message_Args m = {ARGS(PJRT_Error_Message_Args), .error = error};
	of->PJRT_Error_Message(&m);
	fail(what, m.message, (int)m.message_size);
}

/* report opens the file of the report, at its end. */
static FILE *report(void) {
	FILE *file = fopen(variable("CUDA_FORM_REPORT"), "a");
	if (!file) fail("CUDA_FORM_REPORT", "expected a file that can be written", 100);
	return file;
}

static PJRT_Executable_Name_Args name_of(PJRT_Executable *e) {
	PJRT_Executable_Name_Args n = {ARGS(PJRT_Executable_Name_Args), .executable = e};
	check(cuda, "name of the program", cuda->PJRT_Executable_Name(&n));
	return n;
}

static PJRT_Error *create_client(PJRT_Client_Create_Args *args) {
	PJRT_Client_Create_Args without = *args; /* The CPU plugin refuses the options of the CUDA plugin. */
	without.create_options = NULL;
	without.num_options = 0;
	PJRT_Error *error = cpu->PJRT_Client_Create(&without);
	client = args->client = without.client;
	return error;
}

/* compile_for_target returns the compiled program under the name of a loaded one: nothing is loaded. */
static PJRT_Error *compile_for_target(PJRT_Client_Compile_Args *args) {
	PJRT_Compile_Args c = {ARGS(PJRT_Compile_Args), .topology = target, .program = args->program,
		.compile_options = args->compile_options, .compile_options_size = args->compile_options_size};
	check(cuda, "compiling for the target", cuda->PJRT_Compile(&c));
	PJRT_Executable_Name_Args n = name_of(c.executable);
	PJRT_Executable_GetCompiledMemoryStats_Args m = {ARGS(PJRT_Executable_GetCompiledMemoryStats_Args), .executable = c.executable};
	check(cuda, "memory of the program", cuda->PJRT_Executable_GetCompiledMemoryStats(&m));
	FILE *file = report();
	fprintf(file, "{\"compiled\": \"%.*s\", \"temporary\": %lld, \"arguments\": %lld, \"outputs\": %lld}\n", (int)n.executable_name_size, n.executable_name,
		(long long)m.temp_size_in_bytes, (long long)m.argument_size_in_bytes, (long long)m.output_size_in_bytes);
	fclose(file);
	args->executable = (PJRT_LoadedExecutable *)c.executable;
	return NULL;
}

static PJRT_Error *get_executable(PJRT_LoadedExecutable_GetExecutable_Args *args) {
	args->executable = (PJRT_Executable *)args->loaded_executable;
	return NULL;
}

/* destroy_loaded leaves the program alone: it is freed as the executable that get_executable returned. */
static PJRT_Error *destroy_loaded(PJRT_LoadedExecutable_Destroy_Args *args) {
	(void)args;
	return NULL;
}

static size_t size_of(PJRT_Buffer_Type type) {
	switch (type) {
	case PJRT_Buffer_Type_PRED: case PJRT_Buffer_Type_S8: case PJRT_Buffer_Type_U8: return 1;
	case PJRT_Buffer_Type_S16: case PJRT_Buffer_Type_U16: case PJRT_Buffer_Type_F16: case PJRT_Buffer_Type_BF16: return 2;
	case PJRT_Buffer_Type_S32: case PJRT_Buffer_Type_U32: case PJRT_Buffer_Type_F32: return 4;
	case PJRT_Buffer_Type_S64: case PJRT_Buffer_Type_U64: case PJRT_Buffer_Type_F64: return 8;
	default: fail("output of a program", "expected numbers of 1, 2, 4 or 8 bytes", 100); return 0;
	}
}

/* return_zeros gives every output as a buffer of zeros. */
static PJRT_Error *return_zeros(PJRT_LoadedExecutable_Execute_Args *args) {
	PJRT_Executable *e = (PJRT_Executable *)args->executable;
	PJRT_Executable_OutputDimensions_Args d = {ARGS(PJRT_Executable_OutputDimensions_Args), .executable = e};
	PJRT_Executable_OutputElementTypes_Args t = {ARGS(PJRT_Executable_OutputElementTypes_Args), .executable = e};
	PJRT_Client_AddressableDevices_Args devices = {ARGS(PJRT_Client_AddressableDevices_Args), .client = client};
	PJRT_Executable_NumOutputs_Args n = {ARGS(PJRT_Executable_NumOutputs_Args), .executable = e};
	check(cuda, "number of outputs", cuda->PJRT_Executable_NumOutputs(&n));
	d.num_outputs = n.num_outputs;
	check(cuda, "shapes of outputs", cuda->PJRT_Executable_OutputDimensions(&d));
	check(cuda, "types of outputs", cuda->PJRT_Executable_OutputElementTypes(&t));
	check(cpu, "devices", cpu->PJRT_Client_AddressableDevices(&devices));
	PJRT_Device *device = args->execute_device ? args->execute_device : devices.addressable_devices[0];
	const int64_t *dims = d.dims;
	for (size_t i = 0; i < n.num_outputs; i++) {
		size_t bytes = size_of(t.output_types[i]);
		for (size_t k = 0; k < d.dim_sizes[i]; k++) bytes *= dims[k];
		void *zeros = calloc(bytes ? bytes : 1, 1);
		if (!zeros) fail("output of a program", "no memory", 100);
		PJRT_Client_BufferFromHostBuffer_Args b = {ARGS(PJRT_Client_BufferFromHostBuffer_Args), .client = client, .data = zeros,
			.type = t.output_types[i], .dims = dims, .num_dims = d.dim_sizes[i],
			.host_buffer_semantics = PJRT_HostBufferSemantics_kImmutableOnlyDuringCall, .device = device};
		PJRT_Error *error = cpu->PJRT_Client_BufferFromHostBuffer(&b);
		free(zeros);
		if (error) return error;
		args->output_lists[0][i] = b.buffer;
		if (args->device_complete_events && i == n.num_outputs - 1) {
			args->device_complete_events[0] = b.done_with_host_buffer;
		} else {
			PJRT_Event_Destroy_Args x = {ARGS(PJRT_Event_Destroy_Args), .event = b.done_with_host_buffer};
			cpu->PJRT_Event_Destroy(&x);
		}
		dims += d.dim_sizes[i];
	}
	PJRT_Executable_Name_Args name = name_of(e);
	FILE *file = report();
	fprintf(file, "{\"called\": \"%.*s\"}\n", (int)name.executable_name_size, name.executable_name);
	fclose(file);
	return NULL;
}

/* text reads a file whole, and ends it with a zero. */
static char *text(const char *path, size_t *size) {
	FILE *file = fopen(path, "rb");
	if (!file) fail(path, "expected a file that can be read", 100);
	fseek(file, 0, SEEK_END);
	*size = ftell(file);
	rewind(file);
	char *all = calloc(*size + 1, 1);
	if (!all || fread(all, 1, *size, file) != *size) fail(path, "expected a file that can be read", 100);
	fclose(file);
	return all;
}

/* aim makes programs be compiled by the CUDA plugin, for a device that is not there. */
static void aim(void) {
	cuda = load(variable("CUDA_FORM_CUDA"));
	PJRT_Plugin_Initialize_Args init = {ARGS(PJRT_Plugin_Initialize_Args)};
	check(cuda, "initialising the CUDA plugin", cuda->PJRT_Plugin_Initialize(&init));
	size_t size;
	const char *config = text(variable("CUDA_FORM_TARGET"), &size), *grid = "1x1x1";
	PJRT_NamedValue options[] = {
		{ARGS(PJRT_NamedValue), .name = "target_config", .name_size = 13, .type = PJRT_NamedValue_kString, .string_value = config, .value_size = size},
		{ARGS(PJRT_NamedValue), .name = "topology", .name_size = 8, .type = PJRT_NamedValue_kString, .string_value = grid, .value_size = strlen(grid)},
	};
	PJRT_TopologyDescription_Create_Args t = {ARGS(PJRT_TopologyDescription_Create_Args), .topology_name = "gpu", .topology_name_size = 3, .create_options = options, .num_options = 2};
	check(cuda, "describing the target", cuda->PJRT_TopologyDescription_Create(&t));
	target = t.topology;
	api.PJRT_Client_Compile = compile_for_target;
	api.PJRT_LoadedExecutable_GetExecutable = get_executable;
	api.PJRT_LoadedExecutable_Destroy = destroy_loaded;
	api.PJRT_LoadedExecutable_Execute = return_zeros;
	api.PJRT_Executable_Destroy = cuda->PJRT_Executable_Destroy;
	api.PJRT_Executable_Name = cuda->PJRT_Executable_Name;
	api.PJRT_Executable_NumOutputs = cuda->PJRT_Executable_NumOutputs;
	api.PJRT_Executable_GetCompiledMemoryStats = cuda->PJRT_Executable_GetCompiledMemoryStats;
}

const PJRT_Api *GetPjrtApi(void) {
	if (!cpu) {
		cpu = load(variable("CUDA_FORM_CPU"));
		size_t size = cpu->struct_size < sizeof api ? cpu->struct_size : sizeof api; /* The plugin may be newer than the header. */
		memcpy(&api, cpu, size);
		api.struct_size = size;
		api.PJRT_Client_Create = create_client;
		if (getenv("CUDA_FORM_CUDA")) aim();
	}
	return &api;
}
