/** SHA-256 (FIPS 180-4). The browser's own is asynchronous, too slow for many rows, and missing on some pages from disk. */

const primes = (): number[] => {
  const found: number[] = [];
  for (let n = 2; found.length < 64; n++) if (found.every((prime) => n % prime)) found.push(n);
  return found;
};
const fraction = (root: number): number => ((root - Math.floor(root)) * 2 ** 32) | 0;
const K = Int32Array.from(primes(), (prime) => fraction(Math.cbrt(prime)));
const START = Int32Array.from(primes().slice(0, 8), (prime) => fraction(Math.sqrt(prime)));
const turn = (x: number, n: number): number => (x >>> n) | (x << (32 - n));

/** The SHA-256 of bytes, as 32 bytes. */
export function sha256(data: Uint8Array): Uint8Array {
  const whole = new Uint8Array((((data.length + 8) >> 6) + 1) << 6);
  whole.set(data);
  whole[data.length] = 0x80;
  const view = new DataView(whole.buffer);
  view.setUint32(whole.length - 8, Math.floor(data.length / 2 ** 29));
  view.setUint32(whole.length - 4, data.length << 3);
  const state = START.slice();
  const words = new Int32Array(64);
  for (let at = 0; at < whole.length; at += 64) {
    for (let n = 0; n < 16; n++) words[n] = view.getInt32(at + 4 * n);
    for (let n = 16; n < 64; n++) {
      const early = words[n - 15]!;
      const late = words[n - 2]!;
      const s0 = turn(early, 7) ^ turn(early, 18) ^ (early >>> 3);
      const s1 = turn(late, 17) ^ turn(late, 19) ^ (late >>> 10);
      words[n] = words[n - 16]! + s0 + words[n - 7]! + s1;
    }
    let [a, b, c, d, e, f, g, h] = state as unknown as [number, number, number, number, number, number, number, number];
    for (let n = 0; n < 64; n++) {
      const t1 = (h + (turn(e, 6) ^ turn(e, 11) ^ turn(e, 25)) + ((e & f) ^ (~e & g)) + K[n]! + words[n]!) | 0;
      const t2 = ((turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)) + ((a & b) ^ (a & c) ^ (b & c))) | 0;
      h = g; g = f; f = e; e = (d + t1) | 0;
      d = c; c = b; b = a; a = (t1 + t2) | 0;
    }
    for (const [n, value] of [a, b, c, d, e, f, g, h].entries()) state[n]! += value;
  }
  const out = new DataView(new ArrayBuffer(32));
  state.forEach((value, n) => out.setInt32(4 * n, value));
  return new Uint8Array(out.buffer);
}

/** Bytes as lower-case hex. */
export const hex = (bytes: Uint8Array): string => Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
