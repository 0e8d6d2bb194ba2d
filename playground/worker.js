// The files that the Go program may read: the weights, and what the reader gives. A page has no file system.
globalThis.files = {};
(function () {
  "use strict";
  var open = new Map(), last = 100, fs = globalThis.fs;
  function missing(path) { return Object.assign(new Error("no such file: " + path), { code: "ENOENT" }); }
  function bytes(path) { return globalThis.files[path.replace(/^(\/|\.\/)+/, "")]; }
  function stat(size) {
    return { dev: 0, ino: 0, mode: 0o100644, nlink: 1, uid: 0, gid: 0, rdev: 0, size: size, blksize: 4096, blocks: 0,
      atimeMs: 0, mtimeMs: 0, ctimeMs: 0, isDirectory: function () { return false; } };
  }
  fs.stat = fs.lstat = function (path, then) { var b = bytes(path); if (b) then(null, stat(b.length)); else then(missing(path)); };
  fs.open = function (path, flags, mode, then) {
    var b = bytes(path);
    if (!b) return then(missing(path));
    open.set(++last, { bytes: b, at: 0 });
    then(null, last);
  };
  fs.fstat = function (fd, then) { then(null, stat(open.get(fd).bytes.length)); };
  fs.read = function (fd, buffer, offset, length, position, then) {
    var f = open.get(fd), from = position === null ? f.at : position;
    var part = f.bytes.subarray(from, from + length);
    buffer.set(part, offset);
    if (position === null) f.at += part.length;
    then(null, part.length);
  };
  fs.close = function (fd, then) { open.delete(fd); then(null); };
  globalThis.process.cwd = function () { return "/"; };
})();
// The first message starts the program.
globalThis.onmessage = async function (event) {
  globalThis.files = event.data.files;
  var go = new Go();
  var program = await WebAssembly.instantiate(event.data.wasm, go.importObject);
  go.run(program.instance);
};
