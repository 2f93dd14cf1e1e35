/** Drawing of graphs: on a canvas, or the same as SVG. */
import { colour, toneOf } from "../theme";
import type { Network, NetworkNode } from "../types";
import type { Spot } from "./graph-layout";

export interface Look {
  spots: Map<string, Spot>;
  kinds: string[];
  /** Pixels a unit, and the place of the unit square's corner. */
  scale: Spot;
  corner: Spot;
  chosen: string;
  labels: boolean;
  sizes: Map<string, number>;
  /** Whether links are as wide as their weight. */
  weighted?: boolean;
}

/** Corners of the shapes, one a kind of node; the first is a circle. */
const SHAPES: number[][] = [
  [],
  [-1, -1, 1, -1, 1, 1, -1, 1],
  [0, -1.25, 1.25, 0, 0, 1.25, -1.25, 0],
  [0, -1.25, 1.15, 0.85, -1.15, 0.85],
  [0, 1.25, 1.15, -0.85, -1.15, -0.85],
  [-0.6, -1.1, 0.6, -1.1, 1.2, 0, 0.6, 1.1, -0.6, 1.1, -1.2, 0],
];

export function shapePath(kind: number, x: number, y: number, size: number): string {
  const shape = SHAPES[Math.max(0, kind) % SHAPES.length]!;
  if (!shape.length) return `M${x - size} ${y}a${size} ${size} 0 1 0 ${2 * size} 0a${size} ${size} 0 1 0 ${-2 * size} 0Z`;
  const points: string[] = [];
  for (let i = 0; i < shape.length; i += 2) points.push(`${(x + shape[i]! * size).toFixed(1)} ${(y + shape[i + 1]! * size).toFixed(1)}`);
  return `M${points.join("L")}Z`;
}

const place = (look: Look, id: string): Spot => {
  const spot = look.spots.get(id)!;
  return { x: look.corner.x + spot.x * look.scale.x, y: look.corner.y + spot.y * look.scale.y };
};

export function edgeTone(graph: Network, kind: string): string {
  return graph.kinds[kind]?.tone ?? "quiet";
}

/** Ids of the chosen node and those linked to it. */
export function around(graph: Network, chosen: string): Set<string> {
  const near = new Set([chosen]);
  for (const e of graph.edges) {
    if (e.source === chosen) near.add(e.target);
    if (e.target === chosen) near.add(e.source);
  }
  return near;
}

export function drawGraph(canvas: HTMLCanvasElement, graph: Network, look: Look): void {
  const ctx = canvas.getContext("2d")!;
  const ratio = devicePixelRatio;
  ctx.setTransform(ratio, 0, 0, ratio, 0, 0);
  ctx.clearRect(0, 0, canvas.width, canvas.height);
  const near = look.chosen ? around(graph, look.chosen) : null;
  const many = graph.edges.length > 1500;
  drawEdges(ctx, graph, look, many);
  const tones = look.kinds.map((_, n) => colour(toneOf(n)));
  const ground = colour("ground");
  ctx.font = "12px system-ui, sans-serif";
  for (const node of graph.nodes) {
    const { x, y } = place(look, node.id);
    const kind = look.kinds.indexOf(node.kind);
    ctx.globalAlpha = near && !near.has(node.id) ? 0.25 : 1;
    ctx.fillStyle = tones[Math.max(0, kind)]!;
    ctx.strokeStyle = node.id === look.chosen ? colour("ink") : ground;
    ctx.lineWidth = node.id === look.chosen ? 2.5 : 1;
    const path = new Path2D(shapePath(kind, x, y, look.sizes.get(node.id) ?? 5));
    ctx.fill(path);
    ctx.stroke(path);
  }
  ctx.globalAlpha = 1;
  const named = graph.nodes.filter((node) => (near ? near.has(node.id) : look.labels));
  if (named.length <= 80) drawLabels(ctx, graph, named, look);
}

/** Most nodes whose texts begin below their labels. */
const SPOKEN = 40;
const cut = (text: string, most: number): string => (text.length > most ? `${text.slice(0, most - 1).trimEnd()}…` : text);

type Box = [left: number, top: number, right: number, bottom: number];
interface Label { node: NetworkNode; name: string; under: string; box: Box }
const LINE = 14;
/** Pixels that stay free at the borders. */
const FREE = 6;

/** Places of labels that overlap neither nodes nor each other, each where the fewest links pass behind it. */
function placeLabels(ctx: CanvasRenderingContext2D, graph: Network, nodes: NetworkNode[], look: Look, spoken: boolean): Label[] {
  const [right, bottom] = [ctx.canvas.width / devicePixelRatio, ctx.canvas.height / devicePixelRatio];
  const sizeOf = (node: NetworkNode): number => look.sizes.get(node.id) ?? 5;
  const taken = graph.nodes.map((node): Box => {
    const { x, y } = place(look, node.id);
    return [x - sizeOf(node), y - sizeOf(node), x + sizeOf(node), y + sizeOf(node)];
  });
  const onLinks = graph.edges.flatMap((e) => {
    const [a, b] = [place(look, e.source), place(look, e.target)];
    const parts = Math.ceil(Math.hypot(b.x - a.x, b.y - a.y) / 8) || 1;
    return Array.from({ length: parts }, (_, n) => ({ x: a.x + ((b.x - a.x) * n) / parts, y: a.y + ((b.y - a.y) * n) / parts }));
  });
  const crossed = ([l, t, r, b]: Box): number => onLinks.reduce((sum, { x, y }) => sum + Number(x > l && x < r && y > t && y < b), 0);
  const found: Label[] = [];
  const first = (node: NetworkNode): number => (node.id === look.chosen ? Infinity : sizeOf(node));
  for (const node of nodes.toSorted((a, b) => first(b) - first(a))) {
    const { x, y } = place(look, node.id);
    const name = cut(node.label, 22);
    const under = spoken && node.text !== node.label ? cut(node.text, 34) : "";
    const width = Math.max(ctx.measureText(name).width, ctx.measureText(under).width);
    const [tall, gap] = [under ? 2 * LINE : LINE, sizeOf(node) + 4];
    const corners = [[x + gap, y - LINE / 2], [x - gap - width, y - LINE / 2], [x - width / 2, y + gap], [x - width / 2, y - gap - tall]] as const;
    const boxes = corners
      .map(([left, top]): Box => [left, top, left + width, top + tall])
      .filter(([l, t, r, b]) => l > FREE && r < right - FREE && t > 0 && b < bottom && !taken.some(([l2, t2, r2, b2]) => t < b2 && t2 < b && l < r2 && l2 < r));
    if (!boxes.length) continue;
    const box = boxes.reduce((best, one) => (crossed(one) < crossed(best) ? one : best));
    taken.push(box);
    found.push({ node, name, under, box });
  }
  return found;
}

/** Names, and the beginnings of texts below them where all of them find a place. */
function drawLabels(ctx: CanvasRenderingContext2D, graph: Network, nodes: NetworkNode[], look: Look): void {
  const [ink, soft, ground] = [colour("ink"), colour("soft"), `${colour("ground")}c8`];
  const spoken = nodes.length <= SPOKEN ? placeLabels(ctx, graph, nodes, look, true) : [];
  const labels = spoken.length === nodes.length ? spoken : placeLabels(ctx, graph, nodes, look, false);
  for (const { node, name, under, box: [left, top, right, bottom] } of labels) {
    ctx.fillStyle = ground; // a ground behind the letters: their outlines would take ten times as long
    ctx.fillRect(left - 1, top, right - left + 2, bottom - top);
    ctx.fillStyle = ink;
    const before = right < place(look, node.id).x; // labels on the left end at their node
    ctx.textAlign = before ? "right" : "left";
    const from = before ? right : left;
    ctx.fillText(name, from, top + 11);
    ctx.fillStyle = soft;
    if (under) ctx.fillText(under, from, top + 11 + LINE);
  }
}

function drawEdges(ctx: CanvasRenderingContext2D, graph: Network, look: Look, many: boolean): void {
  for (const kind of new Set(graph.edges.map((e) => e.kind))) {
    const tone = colour(edgeTone(graph, kind));
    const faded = new Path2D(), lit = new Path2D(), heads = new Path2D();
    for (const e of graph.edges) {
      if (e.kind !== kind) continue;
      const [a, b] = [place(look, e.source), place(look, e.target)];
      const on = !look.chosen || e.source === look.chosen || e.target === look.chosen;
      const path = on ? lit : faded;
      path.moveTo(a.x, a.y);
      path.lineTo(b.x, b.y);
      if (on && !many) addHead(heads, a, b, (look.sizes.get(e.target) ?? 5) + 1);
    }
    ctx.strokeStyle = ctx.fillStyle = tone;
    ctx.setLineDash(graph.kinds[kind]?.dash ? [5, 4] : []);
    ctx.lineWidth = many ? 0.6 : 1.3;
    ctx.globalAlpha = many ? 0.35 : 0.8;
    if (look.weighted) strokeByWeight(ctx, graph, look, kind);
    else ctx.stroke(lit);
    ctx.fill(heads);
    ctx.globalAlpha = 0.1;
    ctx.stroke(faded);
  }
  ctx.setLineDash([]);
  ctx.globalAlpha = 1;
}

function strokeByWeight(ctx: CanvasRenderingContext2D, graph: Network, look: Look, kind: string): void {
  const most = Math.max(...graph.edges.map((e) => e.weight ?? 0)) || 1;
  for (const e of graph.edges) {
    if (e.kind !== kind) continue;
    const [a, b] = [place(look, e.source), place(look, e.target)];
    ctx.lineWidth = 0.5 + 5 * ((e.weight ?? 0) / most) ** 2;
    ctx.beginPath();
    ctx.moveTo(a.x, a.y);
    ctx.lineTo(b.x, b.y);
    ctx.stroke();
  }
}

function addHead(heads: Path2D, a: Spot, b: Spot, gap: number): void {
  const far = Math.hypot(b.x - a.x, b.y - a.y);
  if (far < gap + 6) return;
  const [ux, uy] = [(b.x - a.x) / far, (b.y - a.y) / far];
  const [x, y] = [b.x - ux * gap, b.y - uy * gap];
  heads.moveTo(x, y);
  heads.lineTo(x - ux * 7 - uy * 3, y - uy * 7 + ux * 3);
  heads.lineTo(x - ux * 7 + uy * 3, y - uy * 7 - ux * 3);
  heads.closePath();
}

const safe = (text: string): string => text.replace(/[&<>"]/g, (c) => `&#${c.charCodeAt(0)};`);

export function graphSvg(graph: Network, look: Look, width: number, height: number): string {
  const edges = graph.edges.map((e) => {
    const [a, b] = [place(look, e.source), place(look, e.target)];
    const dash = graph.kinds[e.kind]?.dash ? ' stroke-dasharray="5 4"' : "";
    return `<path stroke="${colour(edgeTone(graph, e.kind))}"${dash} opacity="0.8" d="M${a.x.toFixed(1)} ${a.y.toFixed(1)}L${b.x.toFixed(1)} ${b.y.toFixed(1)}"><title>${safe(e.kind)}</title></path>`;
  });
  const nodes = graph.nodes.map((node) => {
    const { x, y } = place(look, node.id);
    const kind = look.kinds.indexOf(node.kind);
    const size = look.sizes.get(node.id) ?? 5;
    const label = look.labels ? `<text x="${(x + size + 4).toFixed(1)}" y="${(y + 4).toFixed(1)}">${safe(node.label)}</text>` : "";
    return `<path fill="${colour(toneOf(Math.max(0, kind)))}" d="${shapePath(kind, x, y, size)}"><title>${safe(`${node.label}: ${node.text}`)}</title></path>${label}`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" font-family="sans-serif" font-size="12" fill="${colour("ink")}"><rect width="${width}" height="${height}" fill="${colour("ground")}"/><g fill="none">${edges.join("")}</g>${nodes.join("")}</svg>`;
}
