import type { SelectedItem, SelectionMode } from "../../../../../schemas/shell/messages.ts";
import { isTrustedAs } from "../../frames/trust.ts";
import { handler, type Send } from "../handler.ts";
import { readFields, readOneOf, readText } from "../read.ts";

const responseType = "PLATFORM_STORAGE_RESPONSE";

const modes = ["folders", "files", "any"] as const satisfies readonly SelectionMode[];

type Selection = { overlay: number; id: string; send: Send; mode: SelectionMode; multiple: boolean };
let selection: Selection | null = null;

/** Ends the open selection and sends the result to the frame that requested it. Does nothing if no selection is open. */
function finishSelection(answer: { items: SelectedItem[] } | { cancelled: true }): void {
  const open = selection;
  selection = null;
  open?.send("PLATFORM_SELECT_STORAGE_RESULT", { id: open.id, ...answer });
}

const isSelected = (item: unknown): item is SelectedItem => {
  const { bucket, path, name, kind } = readFields(item) ?? {};
  return [bucket, path, name].every((text) => typeof text === "string") && (kind === "file" || kind === "folder");
};

/** Returns whether the selected items match the requested mode and count. */
const matchesRequest = (items: SelectedItem[], { mode, multiple }: Selection) =>
  (multiple || items.length === 1) && (mode === "any" || items.every(({ kind }) => `${kind}s` === mode));

export const storageHandlers = {
  PLATFORM_SELECT_STORAGE: handler({
    level: "token",
    read: (payload) => {
      const { id, multiple, mode = "any" } = readFields(payload) ?? {};
      const request = { id: readText(id, 128), mode: readOneOf(mode, modes) };
      if (request.id === undefined || request.mode === undefined) return undefined;
      return { id: request.id, mode: request.mode, multiple: multiple === true };
    },
    run({ shell, frame, send }, { id, mode, multiple }) {
      const { filesUrl } = shell.page.get().config.storage ?? {};
      if (filesUrl === undefined) return "unavailable";
      finishSelection({ cancelled: true });
      const url = `${filesUrl}/#/select?mode=${mode}&multiple=${multiple}`;
      const title = shell.language.get().t(`storage.select.${mode}.${multiple ? "several" : "single"}`);
      const overlay = shell.overlays.open({ kind: "modal", url, title, size: "lg" }, frame, "token");
      selection = { overlay, id, send, mode, multiple };
      const unsubscribe = shell.overlays.subscribe(() => {
        if (shell.overlays.get()?.id === overlay) return;
        unsubscribe();
        if (selection?.overlay === overlay) finishSelection({ cancelled: true });
      });
      return undefined;
    },
  }),
  // The files application sends this message. The application that opened the selection receives the result with the id of its
  // own request.
  PLATFORM_SELECT_STORAGE_RESULT: handler({
    read: (payload) => {
      const { items } = readFields(payload) ?? {};
      if (items === undefined) return { cancelled: true as const };
      return Array.isArray(items) && items.length <= 1000 && items.every(isSelected) ? { items } : undefined;
    },
    run({ shell, frame }, answer) {
      if (frame.kind !== "overlay" || selection === null || shell.overlays.get()?.id !== selection.overlay)
        return "forbidden";
      if ("items" in answer && !matchesRequest(answer.items, selection)) return "invalid_payload";
      finishSelection(answer);
      shell.overlays.close();
      return undefined;
    },
  }),
  // Errors of this message are sent as storage responses, so the trust level is checked in `run`.
  PLATFORM_STORAGE_REQUEST: handler({
    from: "any",
    read: (payload) => {
      const fields = readFields(payload);
      const id = readText(fields?.id, 128);
      return fields === undefined || id === undefined ? undefined : { id, fields };
    },
    run({ shell, frame, send }, { id, fields }) {
      if (!isTrustedAs(frame.level, "token")) {
        send(responseType, { id, error: { status: 403, code: "forbidden" } });
        return;
      }
      import("../storage/storage-call.ts")
        .then(({ callStorage }) => callStorage(shell, id, fields))
        .then(
          (answer) => send(responseType, answer),
          () => send(responseType, { id, error: { status: 503, code: "service_unavailable" } }),
        );
    },
  }),
};
