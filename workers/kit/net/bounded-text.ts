/**
 * At most `maxBytes` bytes of a body as text; the rest is not read and the connection is given up. An answer without a
 * body is "". Errors of the stream, an abort among them, are thrown.
 */
export async function readBoundedText(response: Response, maxBytes: number): Promise<string> {
  if (!response.body) return "";
  const reader = response.body.getReader();
  const decoder = new TextDecoder();
  let text = "";
  let left = maxBytes;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return text + decoder.decode();
    text += decoder.decode(value.subarray(0, left), { stream: true });
    left -= value.byteLength;
    if (left <= 0) {
      // Not waited for: a peer that stalls must not hold the reader.
      reader.cancel().catch(() => undefined);
      return text;
    }
  }
}
