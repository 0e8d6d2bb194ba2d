package engine

import (
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/gomlx/go-xla/compute/xla"
	"github.com/gomlx/go-xla/installer"
	"github.com/sliced-wasserstein/lab/swlab/engine/internal/pluginpath"
)

// installLimit bounds the download of a plugin (about 100 MB).
const installLimit = 5 * time.Minute

// installAllowed says whether go-xla may download a plugin: not if GOMLX_NO_AUTO_INSTALL is set, to whatever value.
func installAllowed() bool {
	_, off := os.LookupEnv(xla.NoAutoInstallEnv)
	return !off
}

// install lets go-xla download its XLA CPU plugin into the repository's .plugins folder, or where there is no
// repository into go-xla's own place in the home folder, and returns the files it put there.
//
// Only the CPU plugin: go-xla would also fetch gigabytes of CUDA libraries, and not a pinned version of them.
func install() (found []plugin, err error) {
	target := filepath.Join(pluginpath.Root(), ".plugins", "go-xla")
	if pluginpath.Root() == "" {
		lib, err := installer.DefaultHomeLibPath()
		if err != nil {
			return nil, err
		}
		target = filepath.Join(lib, "go-xla")
	}
	fmt.Fprintf(os.Stderr, "swlab: no XLA plugin here; asking go-xla to download one (at most %s; GOMLX_NO_AUTO_INSTALL=1 prevents it)\n", installLimit)

	// go-xla's installer writes its progress to the standard output, which may be somebody's JSON.
	stdout := os.Stdout
	os.Stdout = os.Stderr
	defer func() { os.Stdout = stdout }()

	done := make(chan error, 1)
	go func() {
		defer func() {
			if r := recover(); r != nil {
				done <- fmt.Errorf("%v", r)
			}
		}()
		// Without the cache: an error page saved there would be unpacked, and fail, for ever after.
		done <- installer.CPUAutoInstall(target, false, installer.Quiet)
	}()
	select {
	case err = <-done:
	case <-time.After(installLimit):
		err = fmt.Errorf("gave up after %s", installLimit)
	}
	if err != nil {
		_ = os.Remove(target) // Only if empty.
		return nil, err
	}
	paths, _ := filepath.Glob(filepath.Join(target, "pjrt_c_api_cpu_*plugin.*"))
	for _, path := range paths {
		if match := pluginName.FindStringSubmatch(filepath.Base(path)); match != nil {
			found = append(found, plugin{name: match[1] + match[2], path: path})
		}
	}
	return found, nil
}
