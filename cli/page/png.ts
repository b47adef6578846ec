import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";

/** Draws an SVG as PNG in its own size. It shows no text, because no fonts are loaded. */
export async function drawPng(svg: string): Promise<Uint8Array> {
  const { initWasm, Resvg } = await import("@resvg/resvg-wasm");
  await startWasm(initWasm);
  return new Resvg(svg).render().asPng();
}

let started: Promise<void> | undefined;

/** Loads the WebAssembly module once per process. */
function startWasm(initWasm: (module: Uint8Array) => Promise<void>): Promise<void> {
  started ??= initWasm(readFileSync(wasmFile()));
  return started;
}

function wasmFile(): string | URL {
  const packed = new URL("./resvg.wasm", import.meta.url);
  return existsSync(packed) ? packed : createRequire(import.meta.url).resolve("@resvg/resvg-wasm/index_bg.wasm");
}
