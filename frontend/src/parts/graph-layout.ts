/** Where the nodes of a graph are drawn: the same graph always gives the same picture. */
import type { Network, NetworkLink, NetworkNode } from "../types";

/** Most nodes of which all are shown at once. */
export const MOST = 300;

/** Links between clusters that are drawn. */
const STRONGEST = 36;

export interface Spot { x: number; y: number }

const GOLDEN = Math.PI * (3 - Math.sqrt(5));

/** Places in the unit square: those given, or else by forces between at most MOST nodes, or else by step and group. */
export function layout(nodes: NetworkNode[], edges: NetworkLink[]): Map<string, Spot> {
  if (nodes.length && nodes.every((n) => n.x !== null && n.y !== null))
    return new Map(nodes.map((n) => [n.id, { x: n.x!, y: n.y! }]));
  return nodes.length > MOST ? byStep(nodes) : byForce(nodes, edges);
}

function byStep(nodes: NetworkNode[]): Map<string, Spot> {
  const groups = [...new Set(nodes.map((n) => n.group || n.kind))].sort();
  const steps = Math.max(1, ...nodes.map((n) => n.step));
  const placed = new Map<string, number>();
  return new Map(
    nodes.map((node) => {
      const lane = groups.indexOf(node.group || node.kind);
      const key = `${lane} ${node.step}`;
      const n = placed.get(key) ?? 0;
      placed.set(key, n + 1);
      const spread = ((n * 0.618) % 1) - 0.5;
      return [node.id, { x: (node.step + (n % 7) * 0.09) / (steps + 1), y: (lane + 0.5 + spread * 0.8) / groups.length }];
    }),
  );
}

function byForce(nodes: NetworkNode[], edges: NetworkLink[]): Map<string, Spot> {
  const n = nodes.length;
  const order = nodes.map((_, i) => i).sort((a, b) => (nodes[a]!.group < nodes[b]!.group ? -1 : nodes[a]!.group > nodes[b]!.group ? 1 : a - b));
  const x = new Float64Array(n), y = new Float64Array(n), dx = new Float64Array(n), dy = new Float64Array(n);
  order.forEach((i, place) => {
    const far = Math.sqrt((place + 0.5) / n);
    x[i] = far * Math.cos(place * GOLDEN);
    y[i] = far * Math.sin(place * GOLDEN);
  });
  const at = new Map(nodes.map((node, i) => [node.id, i]));
  const pairs = edges.map((e) => [at.get(e.source)!, at.get(e.target)!] as const).filter(([a, b]) => a !== b);
  const apart = 1.3 / Math.sqrt(n || 1);
  const rounds = n > 150 ? 110 : 220;
  for (let round = 0; round < rounds; round++) {
    dx.fill(0);
    dy.fill(0);
    for (let a = 0; a < n; a++)
      for (let b = a + 1; b < n; b++) {
        const [ex, ey] = [x[a]! - x[b]!, y[a]! - y[b]!];
        const force = (apart * apart) / (ex * ex + ey * ey + 1e-6);
        dx[a]! += ex * force;
        dy[a]! += ey * force;
        dx[b]! -= ex * force;
        dy[b]! -= ey * force;
      }
    for (const [a, b] of pairs) {
      const [ex, ey] = [x[a]! - x[b]!, y[a]! - y[b]!];
      const force = Math.hypot(ex, ey) / apart / 2.2;
      dx[a]! -= ex * force;
      dy[a]! -= ey * force;
      dx[b]! += ex * force;
      dy[b]! += ey * force;
    }
    const most = 0.1 * (1 - round / rounds) + 0.002;
    for (let i = 0; i < n; i++) {
      const [fx, fy] = [dx[i]! - x[i]! * 0.6, dy[i]! - y[i]! * 0.6];
      const size = Math.hypot(fx, fy) || 1;
      x[i]! += (fx / size) * Math.min(size, most);
      y[i]! += (fy / size) * Math.min(size, most);
    }
  }
  return fitted(nodes, x, y);
}

function fitted(nodes: NetworkNode[], x: Float64Array, y: Float64Array): Map<string, Spot> {
  const [x0, x1, y0, y1] = [Math.min(...x), Math.max(...x), Math.min(...y), Math.max(...y)];
  return new Map(nodes.map((node, i) => [node.id, { x: (x[i]! - x0) / (x1 - x0 || 1), y: (y[i]! - y0) / (y1 - y0 || 1) }]));
}

/** The nodes around one, nearest first, at most MOST of them. */
export function neighbourhood(graph: Network, centre: string, depth = 2): Network {
  const near = new Map<string, string[]>();
  for (const { source, target } of graph.edges) {
    for (const [a, b] of [[source, target], [target, source]] as const) {
      const list = near.get(a);
      if (list) list.push(b);
      else near.set(a, [b]);
    }
  }
  const kept = new Set([centre]);
  let ring = [centre];
  for (let far = 0; far < depth && kept.size < MOST; far++) {
    const next: string[] = [];
    for (const id of ring)
      for (const other of near.get(id) ?? [])
        if (!kept.has(other) && kept.size < MOST) {
          kept.add(other);
          next.push(other);
        }
    ring = next;
  }
  return {
    ...graph,
    nodes: graph.nodes.filter((n) => kept.has(n.id)),
    edges: graph.edges.filter((e) => kept.has(e.source) && kept.has(e.target)),
  };
}

/** A large graph as clusters: nodes of a kind that came in the same round, or else in the same of eight spans of steps. */
export function clusters(graph: Network, rounds: readonly { name: string; from: number }[] = []): { graph: Network; of: Map<string, NetworkNode[]> } {
  const kinds = [...new Set(graph.nodes.map((n) => n.kind))].sort();
  const steps = Math.max(...graph.nodes.map((n) => n.step)) + 1;
  const spans = rounds.length || Math.min(8, steps);
  const spanOf = (step: number): number =>
    rounds.length ? Math.max(0, rounds.findLastIndex((round) => round.from <= step)) : Math.min(spans - 1, Math.floor((step * spans) / steps));
  const of = new Map<string, NetworkNode[]>();
  const clusterOf = new Map<string, string>();
  for (const node of graph.nodes) {
    const id = `${node.kind} ${spanOf(node.step)}`;
    clusterOf.set(node.id, id);
    const list = of.get(id);
    if (list) list.push(node);
    else of.set(id, [node]);
  }
  const nodes = [...of].map(([id, list]): NetworkNode => {
    const span = spanOf(list[0]!.step);
    const [from, to] = [list[0]!.step, list.at(-1)!.step];
    return {
      ...list[0]!,
      id,
      label: `${list.length} ${list[0]!.kind || "nodes"}${rounds[span] ? `, ${rounds[span].name}` : ""}`,
      group: "",
      weight: list.length,
      text: `${list.length} nodes of steps ${Math.min(from, to)} to ${Math.max(from, to)}`,
      cites: [],
      x: spans > 1 ? span / (spans - 1) : 0.5,
      y: kinds.length > 1 ? kinds.indexOf(list[0]!.kind) / (kinds.length - 1) : 0.5,
    };
  });
  const sums = new Map<string, NetworkLink>();
  for (const edge of graph.edges) {
    const [source, target] = [clusterOf.get(edge.source)!, clusterOf.get(edge.target)!];
    if (source === target) continue;
    const key = `${source} ${target} ${edge.kind}`;
    const sum = sums.get(key);
    if (sum) sum.weight = sum.weight! + 1;
    else sums.set(key, { source, target, kind: edge.kind, weight: 1, step: edge.step });
  }
  const edges = [...sums.values()].sort((a, b) => b.weight! - a.weight!).slice(0, STRONGEST);
  return { graph: { ...graph, nodes, edges }, of };
}
