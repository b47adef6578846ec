import type { Result, ToastHandle, ToastOptions } from "../types/common.ts";
import { safely } from "./events.ts";
import type { Link } from "./link.ts";
import { done } from "./result.ts";

/** Shows a toast in the shell. The shell receives only the labels of the buttons; their callbacks run in this page. */
export async function showToast(link: Link, initialOptions: string | ToastOptions): Promise<Result<ToastHandle>> {
  const id = link.newId();
  let options: ToastOptions = typeof initialOptions === "string" ? { title: initialOptions } : initialOptions;
  const content = () => {
    const { onClear: _, action, cancel, ...rest } = options;
    return {
      ...rest,
      id,
      ...(action && { action: { label: action.label } }),
      ...(cancel && { cancel: { label: cancel.label } }),
    };
  };
  const onMessage = ({ type }: { type: string }) => {
    const { action, cancel, onClear } = options;
    const answers: Record<string, (() => void) | undefined> = {
      PLATFORM_TOAST_ACTION: action?.onClick,
      PLATFORM_TOAST_CANCEL: cancel?.onClick,
      PLATFORM_TOAST_CLEAR: onClear,
    };
    link.forget(id);
    const run = answers[type];
    if (run !== undefined) safely(run);
  };
  const sendToast = (type: "PLATFORM_TOAST" | "PLATFORM_TOAST_UPDATE") => link.send(type, content(), id, onMessage);
  const { error } = await sendToast("PLATFORM_TOAST");
  if (error !== null) return { data: null, error };
  return done({
    id,
    update(change) {
      options = { ...options, ...change };
      return sendToast("PLATFORM_TOAST_UPDATE");
    },
    dismiss: () => link.send("PLATFORM_TOAST_DISMISS", { id }, id),
  });
}
