/**
 * Returns the first `maxBytes` bytes of a body as text and cancels the rest. Returns "" without a body. Throws errors
 * of the stream, including an abort.
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
      // Not awaited: a stalled peer must not block the reader.
      reader.cancel().catch(() => undefined);
      return text;
    }
  }
}
