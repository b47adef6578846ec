import type { DialogMode } from "../../overlays/dialogs.ts";
import type { Toast, ToastKind } from "../../overlays/toasts.ts";
import { handler, type Sender } from "../handler.ts";
import { compact, readFields, readNumber, readOneOf, readOptional, readText } from "../read.ts";

const kinds = ["info", "success", "warning", "error", "loading"] as const satisfies readonly ToastKind[];
const modes = ["ok", "okCancel", "delete", "confirm", "onlyCancel"] as const satisfies readonly DialogMode[];
const MAX_OPEN = 3;
const dialogAnswers = {
  ok: "PLATFORM_DIALOG_OK",
  cancel: "PLATFORM_DIALOG_CANCEL",
  secondary: "PLATFORM_DIALOG_SECONDARY",
} as const;

const text = (max: number) => (value: unknown) => readText(value, max);
const label = (value: unknown) => readText(readFields(value)?.label, 60);
const toastId = ({ frame }: Sender, id: string) => `${frame.id}:${id}`;

function readToast(payload: unknown) {
  const fields = readFields(payload) ?? {};
  const required = { id: readText(fields.id, 128), title: readText(fields.title, 200) };
  const optional = readOptional(fields, {
    description: text(1000),
    kind: (value) => readOneOf(value, kinds),
    duration: (value) => readNumber(value, 0, 600_000),
    action: label,
    cancel: label,
  });
  if (required.id === undefined || required.title === undefined || optional === undefined) return undefined;
  return { id: required.id, title: required.title, ...optional };
}

/** Shows a toast of a frame and sends the user's actions back to the frame. The frame's id is part of the toast's id. */
function showToast(sender: Sender, { id, action, cancel, ...toast }: NonNullable<ReturnType<typeof readToast>>): void {
  const { shell, frame, send } = sender;
  const sendAnswer = (answer: "ACTION" | "CANCEL" | "CLEAR") => () => send(`PLATFORM_TOAST_${answer}` as const, { id });
  const choice = (label: string | undefined, answer: "ACTION" | "CANCEL") =>
    label === undefined ? undefined : { label, onSelect: sendAnswer(answer) };
  const shellToast: Toast = {
    ...toast,
    id: toastId(sender, id),
    owner: frame.id,
    onClear: sendAnswer("CLEAR"),
    ...compact({ action: choice(action, "ACTION"), cancel: choice(cancel, "CANCEL") }),
  };
  shell.toasts.show(shellToast);
}

const isShown = (sender: Sender, id: string) =>
  sender.shell.toasts.get().some((toast) => toast.id === toastId(sender, id));

function readDialog(payload: unknown) {
  const fields = readFields(payload) ?? {};
  const required = {
    id: readText(fields.id, 128),
    title: readText(fields.title, 200),
    mode: readOneOf(fields.mode, modes),
  };
  const optional = readOptional(fields, {
    description: text(2000),
    okLabel: text(60),
    cancelLabel: text(60),
    secondaryLabel: text(60),
  });
  if (
    required.id === undefined ||
    required.title === undefined ||
    required.mode === undefined ||
    optional === undefined
  )
    return undefined;
  return { id: required.id, title: required.title, mode: required.mode, ...optional };
}

export const feedbackHandlers = {
  PLATFORM_TOAST: handler({
    read: readToast,
    run(sender, toast) {
      const open = sender.shell.toasts.get().filter(({ owner }) => owner === sender.frame.id).length;
      if (open >= MAX_OPEN && !isShown(sender, toast.id)) return "rate_limited";
      showToast(sender, toast);
      return undefined;
    },
  }),
  PLATFORM_TOAST_UPDATE: handler({
    read: readToast,
    run(sender, toast) {
      if (!isShown(sender, toast.id)) return "not_found";
      showToast(sender, toast);
      return undefined;
    },
  }),
  PLATFORM_TOAST_DISMISS: handler({
    from: "any",
    read: (payload) => readText(readFields(payload)?.id, 128),
    run: (sender, id) => sender.shell.toasts.dismiss(toastId(sender, id)),
  }),
  PLATFORM_DIALOG: handler({
    read: readDialog,
    run({ shell, frame, send }, dialog) {
      if (shell.dialogs.get() !== null) return "unavailable";
      const onAnswer = (answer: keyof typeof dialogAnswers) => send(dialogAnswers[answer], { id: dialog.id });
      shell.dialogs.set({ ...dialog, owner: frame.id, from: frame.speaker ?? frame.label, onAnswer });
      return undefined;
    },
  }),
  PLATFORM_DIALOG_UPDATE: handler({
    read: readDialog,
    run({ shell, frame }, dialog) {
      const open = shell.dialogs.get();
      if (open?.owner !== frame.id || open.id !== dialog.id) return "not_found";
      const { owner, from, onAnswer } = open;
      shell.dialogs.set({ ...dialog, owner, from, onAnswer });
      return undefined;
    },
  }),
  PLATFORM_BADGE: handler({
    from: "any",
    read: (payload) => {
      const { count } = readFields(payload) ?? {};
      if (count === null) return { count };
      return Number.isInteger(count) && readNumber(count, 0, 9999) !== undefined
        ? { count: count as number }
        : undefined;
    },
    run({ shell, frame }, { count }) {
      if (frame.kind !== "content" || frame.isAdmin) return "forbidden";
      const { [frame.key]: _, ...otherBadges } = shell.badges.get();
      shell.badges.set(count === null || count === 0 ? otherBadges : { ...otherBadges, [frame.key]: count });
      return undefined;
    },
  }),
};
