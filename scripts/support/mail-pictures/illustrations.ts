// The sample pictures of the mail designs as SVG: flat shapes in the colours of each design set. Mail programs show no SVG, so
// draw.ts turns them into PNG.

/** The colours of the pictures of a design set. */
export interface Palette {
  /** background */
  air: string;
  /** large quiet shapes */
  far: string;
  /** shapes in the middle distance */
  near: string;
  ink: string;
  /** the one strong colour */
  accent: string;
  paper: string;
}

/** The colours by design set. */
export const PALETTES: Readonly<Record<string, Palette>> = {
  barebone: { air: "#eceef2", far: "#dadee5", near: "#a9b1bf", ink: "#2b2f38", accent: "#d8a15c", paper: "#ffffff" },
  matte: { air: "#e3eadf", far: "#c8d8c8", near: "#8bb29b", ink: "#1b4a37", accent: "#dba15a", paper: "#fcfbf7" },
  protocol: { air: "#e5ecfb", far: "#c6d6f7", near: "#8aabf0", ink: "#16285c", accent: "#1d4ed8", paper: "#ffffff" },
  arcane: { air: "#e6dcf8", far: "#cdbcef", near: "#977ad6", ink: "#38236e", accent: "#e6b566", paper: "#fdfbff" },
  studio: { air: "#ffe0d2", far: "#ffc3ad", near: "#f58f6f", ink: "#43201a", accent: "#e24f2a", paper: "#fff8f3" },
};

type Scene = (palette: Palette) => string;

const rect = (x: number, y: number, w: number, h: number, fill: string, r = 0): string =>
  `<rect x="${x}" y="${y}" width="${w}" height="${h}" rx="${r}" fill="${fill}"/>`;
const circle = (x: number, y: number, r: number, fill: string): string =>
  `<circle cx="${x}" cy="${y}" r="${r}" fill="${fill}"/>`;
const path = (d: string, fill: string): string => `<path d="${d}" fill="${fill}"/>`;
const line = (d: string, stroke: string, width: number): string =>
  `<path d="${d}" fill="none" stroke="${stroke}" stroke-width="${width}" stroke-linecap="round" stroke-linejoin="round"/>`;

/** A vase with a branch. Its foot stands at the point. */
const vase = (x: number, y: number, { ink, near, accent }: Palette): string =>
  line(`M${x} ${y - 70} C${x - 4} ${y - 120} ${x + 22} ${y - 140} ${x + 30} ${y - 172}`, ink, 3) +
  line(`M${x + 3} ${y - 112} C${x - 12} ${y - 122} ${x - 20} ${y - 132} ${x - 22} ${y - 148}`, ink, 3) +
  [
    [30, -172],
    [15, -148],
    [-22, -148],
    [-12, -128],
    [26, -130],
  ]
    .map(([dx = 0, dy = 0]) => circle(x + dx, y + dy, 8, accent))
    .join("") +
  path(
    `M${x - 12} ${y - 78} h24 c0 22 22 26 22 50 c0 18 -12 28 -20 28 h-28 c-8 0 -20 -10 -20 -28 c0 -24 22 -28 22 -50 z`,
    near,
  );

const carafe = (x: number, y: number, scale: number, { near, paper, ink }: Palette): string =>
  `<g transform="translate(${x} ${y}) scale(${scale})">` +
  path(
    "M-16 -128 h32 l-5 50 c28 12 37 32 37 52 c0 18 -14 26 -26 26 h-44 c-12 0 -26 -8 -26 -26 c0 -20 9 -40 37 -52 z",
    paper,
  ) +
  path("M-43 -44 h86 c4 8 5 13 5 18 c0 18 -14 26 -26 26 h-44 c-12 0 -26 -8 -26 -26 c0 -5 1 -10 5 -18 z", near) +
  rect(-19, -134, 38, 9, ink, 4) +
  "</g>";

const lamp = (x: number, y: number, scale: number, { ink, accent, paper }: Palette): string =>
  `<g transform="translate(${x} ${y}) scale(${scale})">` +
  line("M0 -4 V-86", ink, 6) +
  rect(-26, -8, 52, 8, ink, 4) +
  path("M-26 -146 h52 l22 62 h-96 z", accent) +
  path("M-48 -84 h96 l-3 -8 h-90 z", paper) +
  "</g>";

const hills: Scene = ({ air, far, near, ink, accent, paper }) =>
  rect(0, 0, 600, 300, air) +
  circle(424, 132, 62, accent) +
  path("M0 196 C110 128 210 150 320 184 S520 150 600 168 V300 H0 Z", far) +
  path("M0 240 C90 186 190 196 300 228 S500 214 600 190 V300 H0 Z", near) +
  path("M0 286 C140 226 300 258 420 262 S560 250 600 238 V300 H0 Z", ink) +
  rect(142, 196, 34, 30, paper) +
  path("M136 198 L159 178 L182 198 Z", ink);

const room: Scene = (palette) => {
  const { air, far, near, ink, accent, paper } = palette;
  return (
    rect(0, 0, 600, 300, air) +
    path("M96 244 V112 a70 70 0 0 1 140 0 V244 Z", paper) +
    path("M96 244 v-40 c30 -30 54 -22 78 -8 s44 8 62 -6 v54 z", far) +
    circle(192, 118, 22, accent) +
    rect(0, 244, 600, 56, far) +
    rect(300, 196, 232, 12, ink, 3) +
    rect(322, 208, 9, 64, ink) +
    rect(500, 208, 9, 64, ink) +
    vase(452, 196, palette) +
    rect(338, 172, 60, 10, near, 2) +
    rect(344, 182, 60, 14, accent, 2)
  );
};

const shelf: Scene = (palette) => {
  const { air, far, near, ink, paper } = palette;
  return (
    rect(0, 0, 600, 300, air) +
    circle(300, 150, 118, far) +
    rect(60, 232, 480, 10, ink, 2) +
    vase(182, 232, palette) +
    lamp(318, 232, 1.1, palette) +
    path("M392 190 h104 c0 28 -22 42 -52 42 s-52 -14 -52 -42 z", near) +
    circle(424, 182, 17, paper) +
    circle(456, 180, 19, palette.accent)
  );
};

const feature: Scene = ({ air, far, near, ink, accent, paper }) =>
  rect(0, 0, 600, 300, air) +
  rect(84, 50, 432, 300, far, 12) +
  rect(76, 42, 432, 300, paper, 12) +
  [96, 114, 132].map((x) => circle(x, 62, 5, far)).join("") +
  rect(76, 82, 112, 260, air) +
  [104, 128, 152, 176].map((y, index) => rect(94, y, index === 1 ? 76 : 58, 8, index === 1 ? ink : far, 4)).join("") +
  rect(214, 106, 130, 14, ink, 7) +
  rect(214, 132, 216, 8, far, 4) +
  rect(214, 150, 180, 8, far, 4) +
  [52, 84, 66, 112, 92]
    .map((h, index) => rect(214 + index * 34, 300 - h, 22, h, index === 3 ? accent : near, 4))
    .join("") +
  rect(400, 220, 86, 30, accent, 8) +
  rect(418, 231, 50, 8, paper, 4);

const glass: Scene = (palette) =>
  rect(0, 0, 264, 180, palette.air) +
  rect(0, 140, 264, 40, palette.far) +
  carafe(104, 150, 0.92, palette) +
  path("M160 104 h36 l-4 46 h-28 z", palette.paper) +
  path("M162 122 h32 l-2 28 h-28 z", palette.accent) +
  path("M208 114 h30 l-3 36 h-24 z", palette.paper) +
  path("M209.500 130 h27 l-1.800 20 h-23.600 z", palette.near);

const arches: Scene = ({ air, far, near, ink, accent }) =>
  rect(0, 0, 264, 180, air) +
  circle(212, 44, 20, accent) +
  path("M24 180 V96 a36 36 0 0 1 72 0 V180 Z", far) +
  path("M84 180 V80 a44 44 0 0 1 88 0 V180 Z", near) +
  path("M104 180 V86 a24 24 0 0 1 48 0 V180 Z", ink) +
  path("M168 180 V110 a34 34 0 0 1 68 0 V180 Z", far);

const evening: Scene = ({ far, near, ink, accent, paper }) =>
  rect(0, 0, 264, 180, ink) +
  circle(186, 54, 26, accent) +
  circle(198, 46, 22, ink) +
  [
    [40, 36],
    [84, 62],
    [120, 28],
    [232, 96],
  ]
    .map(([x = 0, y = 0]) => circle(x, y, 2.5, paper))
    .join("") +
  path("M0 180 V128 L66 86 L132 128 V180 Z", near) +
  path("M110 180 V142 L174 104 L264 150 V180 Z", far) +
  rect(52, 132, 28, 30, accent) +
  rect(176, 146, 22, 24, accent);

const notebook: Scene = ({ air, near, ink, accent }) =>
  rect(0, 0, 264, 264, air) +
  `<g transform="rotate(-8 132 132)">${rect(76, 52, 120, 160, ink, 8)}${rect(70, 48, 120, 160, near, 8)}${rect(160, 48, 10, 160, accent)}${rect(90, 84, 48, 8, air, 4)}</g>`;

const pen: Scene = ({ air, far, ink, accent }) =>
  rect(0, 0, 264, 264, air) +
  `<g transform="rotate(38 132 132)">${rect(110, 34, 24, 150, accent, 10)}${path("M110 176 h24 l-12 36 z", ink)}${rect(110, 96, 24, 7, ink)}${rect(146, 60, 22, 140, far, 10)}${path("M146 190 h22 l-11 34 z", ink)}</g>`;

const onPlinth =
  (thing: (palette: Palette) => string): Scene =>
  (palette) =>
    rect(0, 0, 264, 264, palette.air) +
    circle(132, 128, 88, palette.far) +
    rect(0, 218, 264, 46, palette.far) +
    thing(palette);

/** The pictures by name. Each is drawn in the size that PICTURE_SIZES gives it. */
export const SCENES: Readonly<Record<string, Scene>> = {
  feature,
  welcome: room,
  season: hills,
  offer: shelf,
  glass,
  arches,
  evening,
  notebook,
  pen,
  carafe: onPlinth((palette) => carafe(132, 232, 1.25, palette)),
  lamp: onPlinth((palette) => lamp(132, 234, 1.2, palette)),
};
