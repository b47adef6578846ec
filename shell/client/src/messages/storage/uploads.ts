import type { MessageKey } from "../../i18n/translate.ts";
import { formatBytes } from "../../settings/storage/quota.ts";
import type { Shell } from "../../shell/shell.ts";
import { type Fields, readFields } from "../read.ts";

/** What a quota that refused an upload is, in bytes. */
type RefusedQuota = { used: number; max: number; requested: number };
type Problem = { code: string; quota: RefusedQuota | null };

export type Upload = {
  /** bytes that are on their way */
  progress: (sent: number) => void;
  /** it is stored, or it is not */
  end: (problem: Problem | null) => void;
};

type Followed = { name: string; size: number; sent: number; isOver: boolean; problem: Problem | null };
/** Uploads that overlap, from the first that begins to the last that ends. They are shown as one. */
type Batch = {
  files: Followed[];
  isShown: boolean;
  isHidden: boolean;
  drawn: string;
  timer: ReturnType<typeof setTimeout>;
};

/** How long uploads go on before they are shown, ms. */
const MOMENT = 800;
const toastId = "uploads";
const fullTexts = {
  company_quota_exceeded: { full: "upload.companyFull", numbers: "upload.companyUsed", advice: "upload.companyAdvice" },
  user_quota_exceeded: { full: "upload.userFull", numbers: "upload.userUsed", advice: "upload.userAdvice" },
} as const satisfies Record<string, Record<string, MessageKey>>;

const isFull = (code: string): code is keyof typeof fullTexts => Object.hasOwn(fullTexts, code);
const stay = (event: Event) => event.preventDefault();
let batch: Batch | null = null;

/** The quota that an answer of the storage tells of. */
export function readRefusedQuota(value: unknown): RefusedQuota | null {
  const { used_bytes: used, max_bytes: max, requested_bytes: requested }: Fields = readFields(value) ?? {};
  return typeof used === "number" && typeof max === "number" && typeof requested === "number"
    ? { used, max, requested }
    : null;
}

/**
 * Follows an upload of `size` bytes. What takes longer than a moment is shown with how far it is, wherever the person is meanwhile,
 * and its end is told; a quota that is full is told in any case.
 */
export function watchUpload(shell: Shell, name: string, size: number): Upload {
  const own = batch ?? begin(shell);
  const file: Followed = { name, size, sent: 0, isOver: false, problem: null };
  own.files.push(file);
  draw(shell, own);
  return {
    progress(sent) {
      file.sent = Math.min(sent, size);
      draw(shell, own);
    },
    end(problem) {
      Object.assign(file, { sent: size, isOver: true, problem });
      if (problem !== null && isFull(problem.code)) tellFull(shell, own, problem.code);
      if (own.files.every(({ isOver }) => isOver)) finish(shell, own);
      else draw(shell, own);
    },
  };
}

function begin(shell: Shell): Batch {
  const show = () => {
    own.isShown = true;
    draw(shell, own);
  };
  const own: Batch = { files: [], isShown: false, isHidden: false, drawn: "", timer: setTimeout(show, MOMENT) };
  batch = own;
  // A page that is left takes its uploads with it, so the browser asks.
  addEventListener("beforeunload", stay);
  return own;
}

/** What is going on, where it is not what stands there already. */
function draw({ toasts, language }: Shell, own: Batch): void {
  if (!own.isShown || own.isHidden) return;
  const { t, code } = language.get();
  const sum = (key: "size" | "sent") => own.files.reduce((total, file) => total + file[key], 0);
  const [total, sent] = [sum("size"), sum("sent")];
  const title = t("upload.running", valuesOf(own.files));
  const text = t("upload.sent", { sent: formatBytes(sent, code), total: formatBytes(total, code) });
  if (own.drawn === title + text) return;
  own.drawn = title + text;
  const onClear = () => {
    own.isHidden = true;
  };
  const value = total === 0 ? 0 : sent / total;
  toasts.show({ id: toastId, kind: "loading", title, progress: { value, text }, onClear });
}

function finish({ toasts, language }: Shell, own: Batch): void {
  clearTimeout(own.timer);
  removeEventListener("beforeunload", stay);
  batch = null;
  if (!own.isShown) return;
  const { t } = language.get();
  const failed = own.files.filter(({ problem }) => problem !== null && !isFull(problem.code));
  const stored = own.files.filter(({ problem }) => problem === null);
  const [first] = failed;
  if (first?.problem)
    toasts.show({
      id: toastId,
      kind: "error",
      title: t("upload.failed", valuesOf(failed)),
      description: whyOf(first.problem.code, t),
      duration: 0,
    });
  else if (stored.length > 0 && !own.isHidden)
    toasts.show({ id: toastId, kind: "success", title: t("upload.done", valuesOf(stored)) });
  else toasts.dismiss(toastId);
}

/** Which quota has no room, how much of it is used, and what to do about it. */
function tellFull({ toasts, language, page, router }: Shell, own: Batch, code: keyof typeof fullTexts): void {
  const { t, code: tag } = language.get();
  const refused = own.files.filter(({ problem }) => problem?.code === code);
  const quotas = refused.flatMap(({ problem }) => problem?.quota ?? []);
  const last = quotas.at(-1);
  const bytes = (count: number) => formatBytes(count, tag);
  const { full, numbers, advice } = fullTexts[code];
  const needed = quotas.reduce((sum, { requested }) => sum + requested, 0);
  const facts =
    last === undefined ? t(full) : t(numbers, { used: bytes(last.used), max: bytes(last.max), needed: bytes(needed) });
  toasts.show({
    id: `${toastId}:${code}`,
    kind: "error",
    title: t("upload.failed", valuesOf(refused)),
    description: `${facts} ${t(advice)}`,
    duration: 0,
    ...(page.get().config.storage?.showInSettings !== false && {
      action: { label: t("storage.show"), onSelect: () => router.navigate("/__settings/storage") },
    }),
  });
}

const valuesOf = (files: readonly Followed[]) => ({ count: files.length, name: files.at(-1)?.name ?? "" });

function whyOf(code: string, t: ReturnType<Shell["language"]["get"]>["t"]): string {
  if (code === "payload_too_large") return t("upload.tooLarge");
  if (code === "service_unavailable" || code === "timeout") return t("upload.unreachable");
  return `${t("upload.refused")} ${t("common.code", { code })}`;
}
