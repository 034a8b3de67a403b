// SPDX-License-Identifier: Apache-2.0
#include "taihu/noc/output/animation.h"

namespace taihu::noc {

namespace {

constexpr std::size_t most_moves = 200000;  ///< a page of some megabytes; later moves are left out

constexpr const char* page_script = R"js(
const canvas = document.getElementById('net'), pen = canvas.getContext('2d');
const cell = Math.max(14, Math.min(64, 640 / Math.max(width, height)));
canvas.width = width * cell + 20; canvas.height = height * cell + 20;
const colours = ['#888', '#a60', '#999', '#d22', '#28a', '#28a', '#2a2'];
const dx = [1, 0, -1, 0, 0], dy = [0, 1, 0, -1, 0];
let now = 0, playing = true;
const byCycle = new Map(moves.map(m => [m[0], m[1]]));
const last = moves.length ? moves[moves.length - 1][0] + 4 : 0;
function draw() {
  pen.clearRect(0, 0, canvas.width, canvas.height);
  for (let r = 0; r < width * height; r++) {
    const x = 10 + (r % width) * cell, y = 10 + Math.floor(r / width) * cell;
    pen.fillStyle = levels[r] == 1 ? '#fd8' : levels[r] == 2 ? '#def' : '#eee';
    pen.fillRect(x, y, cell * 0.5, cell * 0.5);
    pen.strokeRect(x, y, cell * 0.5, cell * 0.5);
  }
  for (let back = 3; back >= 0; back--)
    for (const [link, kind] of byCycle.get(now - back) || []) {
      const r = Math.floor(link / 5), port = link % 5, part = 0.15 + back * 0.2;
      const x = 10 + (r % width + 0.25 + dx[port] * part) * cell;
      const y = 10 + (Math.floor(r / width) + 0.25 + dy[port] * part) * cell;
      pen.fillStyle = colours[kind];
      pen.beginPath();
      pen.arc(x, y, port == 4 ? cell * 0.2 : cell * 0.09, 0, 7);
      pen.fill();
    }
  document.getElementById('time').textContent = 'cycle ' + now;
  document.getElementById('slide').value = now;
}
document.getElementById('slide').max = last;
document.getElementById('slide').oninput = e => { now = +e.target.value; draw(); };
document.getElementById('play').onclick = () => { playing = !playing; };
setInterval(() => { if (playing) { now = now >= last ? 0 : now + 1; draw(); } }, 120);
draw();
)js";

}  // namespace

void Animation::cycle() {
  if (!moves.empty() && recorded_ < most_moves) {
    const Cycle cycle = network_.now() - 1;
    if (first_ < 0) first_ = cycle;
    frames_ += (frames_.empty() ? "[" : ",[") + std::to_string(cycle - first_) + ",[";
    bool first = true;
    for (const FlitMove& move : moves) {
      if (move.port == FlitMove::from_core) continue;
      frames_ += (first ? "[" : ",[") + std::to_string(move.router * output_ports + move.port) + "," +
                 std::to_string(static_cast<int>(network_.packet(slot_of(move.flit)).kind)) + "]";
      first = false;
    }
    frames_ += "]]\n";
    recorded_ += moves.size();
  }
  moves.clear();
}

std::string Animation::to_html() const {
  const Mesh& mesh = network_.config().mesh;
  std::string levels;
  for (int router = 0; router < mesh.nodes(); ++router) {
    const auto& all = network_.config().levels;
    levels +=
        (router == 0 ? "" : ",") + std::to_string(all.empty() ? 0 : all[static_cast<std::size_t>(router)]);
  }
  return "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>" + mesh.describe() +
         "</title></head>\n<body style=\"font-family: sans-serif\">\n<p>" + mesh.describe() +
         ": orange routers are level 1, blue ones level 2. Dots are flits: red contributions, green "
         "broadcasts, blue "
         "gathers, brown learning, grey others; a large dot goes to the core.</p>\n<canvas "
         "id=\"net\"></canvas>\n"
         "<p><button id=\"play\">play / stop</button> <input id=\"slide\" type=\"range\" min=\"0\" "
         "style=\"width: "
         "400px\"> <span id=\"time\"></span></p>\n<script>\nconst width = " +
         std::to_string(mesh.width()) + ", height = " + std::to_string(mesh.height()) + ", levels = [" +
         levels + "];\nconst moves = [" + frames_ + "];\n" + page_script + "</script>\n</body></html>\n";
}

}  // namespace taihu::noc
