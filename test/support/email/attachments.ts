import type { OutgoingAttachment } from "../../../workers/email/delivery/providers/types";

type Changes = Partial<OutgoingAttachment> & { bytes?: Uint8Array; chunks?: readonly number[] };

/** Returns an attachment. Its bytes arrive in chunks of the sizes in `chunks`, by default in one chunk. */
export function createAttachment(changes: Changes = {}): OutgoingAttachment {
  const { bytes = new TextEncoder().encode("%PDF-1.7"), chunks = [bytes.length], ...fields } = changes;
  const open = async () =>
    new ReadableStream<Uint8Array>({
      start: (controller) => {
        let offset = 0;
        for (const size of chunks) {
          controller.enqueue(bytes.subarray(offset, offset + size));
          offset += size;
        }
        controller.close();
      },
    });
  return {
    filename: "invoice.pdf",
    contentType: "application/pdf",
    contentId: null,
    size: bytes.length,
    open,
    ...fields,
  };
}
