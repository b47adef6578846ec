// SHA-256 (FIPS 180-4), for pages without HTTPS, where `crypto.subtle` is missing.

const primes = (count: number): number[] => {
  const result: number[] = [];
  for (let n = 2; result.length < count; n += 1) if (result.every((prime) => n % prime !== 0)) result.push(n);
  return result;
};
const fraction = (value: number) => Math.floor((value - Math.floor(value)) * 2 ** 32) | 0;
const constants = primes(64).map((prime) => fraction(Math.cbrt(prime)));
const initial = primes(8).map((prime) => fraction(Math.sqrt(prime)));
const rotateRight = (word: number, by: number) => (word >>> by) | (word << (32 - by));

/** Returns the SHA-256 hash of `bytes`. */
export function sha256(bytes: Uint8Array): Uint8Array {
  const padded = new Uint8Array((Math.floor((bytes.length + 8) / 64) + 1) * 64);
  padded.set(bytes);
  padded[bytes.length] = 0x80;
  const view = new DataView(padded.buffer);
  view.setUint32(padded.length - 4, bytes.length * 8);
  const state = [...initial];
  const words = new Int32Array(64);
  const at = (index: number) => words[index] ?? 0;
  for (let start = 0; start < padded.length; start += 64) {
    for (let i = 0; i < 16; i += 1) words[i] = view.getInt32(start + i * 4);
    for (let i = 16; i < 64; i += 1) {
      const early = rotateRight(at(i - 15), 7) ^ rotateRight(at(i - 15), 18) ^ (at(i - 15) >>> 3);
      const late = rotateRight(at(i - 2), 17) ^ rotateRight(at(i - 2), 19) ^ (at(i - 2) >>> 10);
      words[i] = (at(i - 16) + early + at(i - 7) + late) | 0;
    }
    let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = state;
    for (let i = 0; i < 64; i += 1) {
      const high = rotateRight(e, 6) ^ rotateRight(e, 11) ^ rotateRight(e, 25);
      const first = (h + high + ((e & f) ^ (~e & g)) + (constants[i] ?? 0) + at(i)) | 0;
      const low = rotateRight(a, 2) ^ rotateRight(a, 13) ^ rotateRight(a, 22);
      const second = (low + ((a & b) ^ (a & c) ^ (b & c))) | 0;
      [h, g, f, e, d, c, b, a] = [g, f, e, (d + first) | 0, c, b, a, (first + second) | 0];
    }
    for (const [i, word] of [a, b, c, d, e, f, g, h].entries()) state[i] = ((state[i] ?? 0) + word) | 0;
  }
  const hash = new DataView(new ArrayBuffer(32));
  for (const [i, word] of state.entries()) hash.setInt32(i * 4, word);
  return new Uint8Array(hash.buffer);
}
