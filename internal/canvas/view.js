  // Shared by the pages that turn: a card in the place of the message, and a canvas on it.
  var FONT = "Liberation Sans,Arial,Helvetica,sans-serif";
  function bytes(text) {
    var s = atob(text), b = new Uint8Array(s.length);
    for (var i = 0; i < s.length; i++) b[i] = s.charCodeAt(i);
    return b;
  }
  // Coordinates are little-endian 16-bit numbers, 32767 for 1.
  function coordinates(text) {
    var b = bytes(text || ""), v = new DataView(b.buffer), out = new Float32Array(b.length >> 1);
    for (var i = 0; i < out.length; i++) out[i] = v.getInt16(2 * i, true) / 32767;
    return out;
  }
  function add(parent, tag, style) {
    var e = document.createElement(tag);
    e.style.cssText = style;
    parent.appendChild(e);
    return e;
  }
  // The data of the page, and its card: with replace it hides the picture above it in a notebook, with title it begins with that.
  function open(root) {
    root.setAttribute("data-ready", "1");
    var message = root.querySelector(".swlab-message");
    if (message) message.remove();
    var card = add(root, "div", "box-sizing:border-box;background:#fff;color:#1f2328;border:1px solid #c9ced4;" +
      "border-radius:9px;padding:16px 18px 12px;font:14px/1.4 " + FONT);
    var data = JSON.parse(root.querySelector(".swlab-data").textContent);
    if (data.replace && root.closest) {
      var output = root.closest(".jp-OutputArea-child, .output_area"), above = output && output.previousElementSibling;
      if (above && above.querySelector("img")) above.style.display = "none";
    }
    if (data.title) add(card, "div", "font-weight:bold;font-size:16px;margin-bottom:4px").textContent = data.title;
    return { card: card, data: data };
  }
  function range(parent, label, last, color) {
    var e = add(parent, "input", "flex:1;min-width:120px;accent-color:" + color);
    e.type = "range"; e.min = 0; e.max = last; e.step = 1; e.value = 0;
    e.setAttribute("aria-label", label);
    return e;
  }
  // A canvas that turns by dragging and with the arrow keys; Home turns back. Angles are in degrees. draw(view) draws: it calls view.clear
  // with the height it wants and sets view.radius, the pixels that a drag of one radian takes.
  function turning(card, label, azimuth, elevation, draw) {
    var canvas = add(card, "canvas", "display:block;width:100%;cursor:grab;touch-action:none;border-radius:6px");
    canvas.tabIndex = 0;
    canvas.setAttribute("role", "img");
    canvas.setAttribute("aria-label", label + ". Drag or use the arrow keys to turn; Home turns back.");
    var g = canvas.getContext("2d"), asked = false, held = null, width = 0;
    var view = { g: g, radius: 100, azimuth: azimuth, elevation: elevation };
    view.width = function () { return canvas.clientWidth || 520; };
    view.clear = function (height) {
      var ratio = window.devicePixelRatio || 1, w = view.width();
      canvas.style.height = height + "px"; canvas.width = w * ratio; canvas.height = height * ratio;
      g.setTransform(ratio, 0, 0, ratio, 0, 0); g.clearRect(0, 0, w, height);
    };
    // To the right, up and towards the reader, where the third axis points up.
    view.frame = function () {
      var a = view.azimuth * Math.PI / 180, e = view.elevation * Math.PI / 180;
      var ca = Math.cos(a), sa = Math.sin(a), ce = Math.cos(e), se = Math.sin(e);
      return { right: [-sa, ca, 0], up: [-se * ca, -se * sa, ce], fore: [ce * ca, ce * sa, se] };
    };
    view.redraw = function () {
      if (asked) return;
      asked = true;
      requestAnimationFrame(function () { asked = false; draw(view); });
    };
    function turn(da, de) {
      view.azimuth += da; view.elevation = Math.max(-90, Math.min(90, view.elevation + de));
      view.redraw();
    }
    canvas.addEventListener("pointerdown", function (e) { held = [e.clientX, e.clientY]; canvas.setPointerCapture(e.pointerId); canvas.style.cursor = "grabbing"; canvas.focus({ preventScroll: true }); });
    canvas.addEventListener("pointermove", function (e) {
      if (!held) return;
      turn(-(e.clientX - held[0]) * 57 / view.radius, (e.clientY - held[1]) * 57 / view.radius);
      held = [e.clientX, e.clientY];
    });
    ["pointerup", "pointercancel"].forEach(function (n) { canvas.addEventListener(n, function () { held = null; canvas.style.cursor = "grab"; }); });
    canvas.addEventListener("keydown", function (e) {
      var step = { ArrowLeft: [-6, 0], ArrowRight: [6, 0], ArrowUp: [0, 6], ArrowDown: [0, -6], Home: [azimuth - view.azimuth, elevation - view.elevation] }[e.key];
      if (!step) return;
      turn(step[0], step[1]);
      e.preventDefault(); e.stopPropagation();
    });
    if (window.ResizeObserver) new ResizeObserver(function () { if (canvas.clientWidth !== width) { width = canvas.clientWidth; view.redraw(); } }).observe(canvas);
    return view;
  }
