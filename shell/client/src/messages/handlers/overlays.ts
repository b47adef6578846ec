import type { OverlayRequest, OverlaySize } from "../../overlays/overlays.ts";
import { handler, ignorePayload, type Sender } from "../handler.ts";
import { readFields, readNumber, readOneOf, readOptional, readText } from "../read.ts";

const sizes = ["sm", "md", "lg", "full"] as const;
const positions = ["right", "left", "top", "bottom"] as const;

/** Reads a named size or a plain CSS length. */
function readSize(value: unknown): OverlaySize | undefined {
  const sizeName = readOneOf(value, sizes);
  if (sizeName !== undefined) return sizeName;
  return typeof value === "string" && /^\d{1,4}(\.\d{1,3})?(px|rem|em|vw|vh|%)$/.test(value)
    ? (value as OverlaySize)
    : undefined;
}

const readOpen =
  (kind: "modal" | "drawer") =>
  (payload: unknown): OverlayRequest | undefined => {
    const fields = readFields(payload) ?? {};
    const url = readText(fields.url, 4096);
    const options = readOptional(fields, {
      title: (value) => readText(value, 200),
      size: readSize,
      position: (value) => readOneOf(value, positions),
    });
    if (url === undefined || options === undefined) return undefined;
    return { kind, url, ...options, dismissible: fields.dismissible !== false };
  };

const open = (kind: "modal" | "drawer") =>
  handler({ read: readOpen(kind), run: ({ shell, frame }, request) => shell.overlays.open(request, frame) });

/** Only the overlay itself and the frame that opened it may close it. */
const canClose = ({ shell, frame }: Sender) => {
  const overlay = shell.overlays.get();
  return overlay !== null && (frame.kind === "overlay" || overlay.opener === frame);
};

const close = handler({
  from: "any",
  read: ignorePayload,
  run(sender) {
    if (!canClose(sender)) return "forbidden";
    sender.shell.overlays.close();
    return undefined;
  },
});

export const overlayHandlers = {
  PLATFORM_OPEN_MODAL: open("modal"),
  PLATFORM_OPEN_DRAWER: open("drawer"),
  PLATFORM_CLOSE_MODAL: close,
  PLATFORM_CLOSE_DRAWER: close,
  PLATFORM_OVERLAY_SIZE: handler({
    read: (payload) => {
      const { height, width } = readFields(payload) ?? {};
      const parsedHeight = readNumber(height, 1, 100_000);
      return parsedHeight === undefined ? undefined : { height: parsedHeight, width: readNumber(width, 1, 100_000) };
    },
    run({ shell, frame }, { height, width }) {
      if (frame.kind !== "overlay") return "forbidden";
      shell.overlays.resize(height, width);
      return undefined;
    },
  }),
};
