import { randomFillSync } from "node:crypto";
import { gzipSync } from "node:zlib";

const BLOCK = 512;

function header(path: string, size: number): Buffer {
  const block = Buffer.alloc(BLOCK);
  block.write(path, 0);
  block.write("0000644\0", 100);
  block.write(`${size.toString(8).padStart(11, "0")}\0`, 124);
  block.write("00000000000\0", 136);
  block.write("0", 156);
  block.write("ustar\0", 257);
  block.write("00", 263);
  block.fill(" ", 148, 156);
  const sum = block.reduce((total: number, byte: number) => total + byte, 0);
  block.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148);
  return block;
}

/** Returns a gzip tar archive of random files, which cannot be compressed: `count` files with `bytes` in total. */
export function randomArchive(count: number, bytes: number): Uint8Array {
  const size = Math.floor(bytes / count);
  const parts: Buffer[] = [];
  for (let index = 0; index < count; index++) {
    const body = randomFillSync(Buffer.alloc(size));
    const path = index === 0 ? "index.html" : `assets/file-${index}.bin`;
    parts.push(header(path, size), body, Buffer.alloc((BLOCK - (size % BLOCK)) % BLOCK));
  }
  return gzipSync(Buffer.concat([...parts, Buffer.alloc(2 * BLOCK)]), { level: 1 });
}
