import { utf8ToBytes } from "../crypto/encoding";

/** Returns one line of a CSV file (RFC 4180), which spreadsheets do not read as formulas. */
export function csvLine(cells: readonly string[]): string {
  return `${cells.map(csvCell).join(",")}\r\n`;
}

function csvCell(value: string): string {
  const safe = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

type Rows = readonly (readonly string[])[];

/**
 * Returns a response that downloads a CSV file. It reads the next part of the rows when the client has received the previous
 * one, so the memory does not grow with the file.
 */
export function csvResponse(fileName: string, columns: readonly string[], parts: AsyncIterable<Rows>): Response {
  const iterator = parts[Symbol.asyncIterator]();
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(utf8ToBytes(csvLine(columns))),
    async pull(controller) {
      let part = await iterator.next();
      // The stream calls `pull` again only after it has received bytes.
      while (!part.done && part.value.length === 0) part = await iterator.next();
      if (part.done) controller.close();
      else controller.enqueue(utf8ToBytes(part.value.map(csvLine).join("")));
    },
    async cancel() {
      await iterator.return?.();
    },
  });
  return new Response(body, {
    headers: {
      "content-type": "text/csv; charset=utf-8",
      "content-disposition": `attachment; filename="${fileName}"`,
      "cache-control": "no-store",
    },
  });
}
