import type { MessageKey } from "../../i18n/translate.ts";
import { formatBytes } from "../../settings/storage/quota.ts";
import type { Shell } from "../../shell/shell.ts";
import { type Fields, readFields } from "../read.ts";

/** A quota that rejected an upload, in bytes. */
type ExceededQuota = { used: number; max: number; requested: number };
type Problem = { code: string; quota: ExceededQuota | null };

export type Upload = {
  /** called with the bytes sent so far */
  progress: (sent: number) => void;
  /** called when the upload ended; null when it succeeded */
  end: (problem: Problem | null) => void;
};

type UploadFile = { name: string; size: number; sent: number; hasEnded: boolean; problem: Problem | null };
/** Uploads that overlap in time. One toast shows all of them. */
type Batch = {
  files: UploadFile[];
  isShown: boolean;
  isHidden: boolean;
  shownText: string;
  timer: ReturnType<typeof setTimeout>;
};

/** How long uploads run before the toast appears, ms. */
const SHOW_AFTER = 800;
const toastId = "uploads";
const fullTexts = {
  company_quota_exceeded: { full: "upload.companyFull", numbers: "upload.companyUsed", advice: "upload.companyAdvice" },
  user_quota_exceeded: { full: "upload.userFull", numbers: "upload.userUsed", advice: "upload.userAdvice" },
} as const satisfies Record<string, Record<string, MessageKey>>;

const isQuotaCode = (code: string): code is keyof typeof fullTexts => Object.hasOwn(fullTexts, code);
const confirmUnload = (event: Event) => event.preventDefault();
let batch: Batch | null = null;

/** Reads the exceeded quota of a storage error. Returns null if the value is not a quota. */
export function readExceededQuota(value: unknown): ExceededQuota | null {
  const { used_bytes: used, max_bytes: max, requested_bytes: requested }: Fields = readFields(value) ?? {};
  return typeof used === "number" && typeof max === "number" && typeof requested === "number"
    ? { used, max, requested }
    : null;
}

/**
 * Tracks an upload of `size` bytes. After 800 ms, a toast shows the progress and the result on every page of the shell. An
 * exceeded quota is always shown.
 */
export function watchUpload(shell: Shell, name: string, size: number): Upload {
  const group = batch ?? startBatch(shell);
  const file: UploadFile = { name, size, sent: 0, hasEnded: false, problem: null };
  group.files.push(file);
  showProgress(shell, group);
  return {
    progress(sent) {
      file.sent = Math.min(sent, size);
      showProgress(shell, group);
    },
    end(problem) {
      Object.assign(file, { sent: size, hasEnded: true, problem });
      if (problem !== null && isQuotaCode(problem.code)) showQuotaToast(shell, group, problem.code);
      if (group.files.every(({ hasEnded }) => hasEnded)) showResult(shell, group);
      else showProgress(shell, group);
    },
  };
}

function startBatch(shell: Shell): Batch {
  const show = () => {
    group.isShown = true;
    showProgress(shell, group);
  };
  const group: Batch = {
    files: [],
    isShown: false,
    isHidden: false,
    shownText: "",
    timer: setTimeout(show, SHOW_AFTER),
  };
  batch = group;
  // Leaving the page cancels its uploads, so the browser asks first.
  addEventListener("beforeunload", confirmUnload);
  return group;
}

/** Updates the toast when its text changed. */
function showProgress({ toasts, language }: Shell, group: Batch): void {
  if (!group.isShown || group.isHidden) return;
  const { t, code } = language.get();
  const sum = (key: "size" | "sent") => group.files.reduce((total, file) => total + file[key], 0);
  const [total, sent] = [sum("size"), sum("sent")];
  const title = t("upload.running", valuesOf(group.files));
  const text = t("upload.sent", { sent: formatBytes(sent, code), total: formatBytes(total, code) });
  if (group.shownText === title + text) return;
  group.shownText = title + text;
  const onClear = () => {
    group.isHidden = true;
  };
  const value = total === 0 ? 0 : sent / total;
  toasts.show({ id: toastId, kind: "loading", title, progress: { value, text }, onClear });
}

function showResult({ toasts, language }: Shell, group: Batch): void {
  clearTimeout(group.timer);
  removeEventListener("beforeunload", confirmUnload);
  batch = null;
  if (!group.isShown) return;
  const { t } = language.get();
  const failed = group.files.filter(({ problem }) => problem !== null && !isQuotaCode(problem.code));
  const stored = group.files.filter(({ problem }) => problem === null);
  const [first] = failed;
  if (first?.problem)
    toasts.show({
      id: toastId,
      kind: "error",
      title: t("upload.failed", valuesOf(failed)),
      description: reasonOf(first.problem.code, t),
      duration: 0,
    });
  else if (stored.length > 0 && !group.isHidden)
    toasts.show({ id: toastId, kind: "success", title: t("upload.done", valuesOf(stored)) });
  else toasts.dismiss(toastId);
}

/** Shows which quota is exceeded, how much of it is used, and what the user can do. */
function showQuotaToast({ toasts, language, page, router }: Shell, group: Batch, code: keyof typeof fullTexts): void {
  const { t, code: tag } = language.get();
  const rejected = group.files.filter(({ problem }) => problem?.code === code);
  const quotas = rejected.flatMap(({ problem }) => problem?.quota ?? []);
  const last = quotas.at(-1);
  const bytes = (count: number) => formatBytes(count, tag);
  const { full, numbers, advice } = fullTexts[code];
  const needed = quotas.reduce((sum, { requested }) => sum + requested, 0);
  const facts =
    last === undefined ? t(full) : t(numbers, { used: bytes(last.used), max: bytes(last.max), needed: bytes(needed) });
  toasts.show({
    id: `${toastId}:${code}`,
    kind: "error",
    title: t("upload.failed", valuesOf(rejected)),
    description: `${facts} ${t(advice)}`,
    duration: 0,
    ...(page.get().config.storage?.showInSettings !== false && {
      action: { label: t("storage.show"), onSelect: () => router.navigate("/__settings/storage") },
    }),
  });
}

const valuesOf = (files: readonly UploadFile[]) => ({ count: files.length, name: files.at(-1)?.name ?? "" });

function reasonOf(code: string, t: ReturnType<Shell["language"]["get"]>["t"]): string {
  if (code === "payload_too_large") return t("upload.tooLarge");
  if (code === "service_unavailable" || code === "timeout") return t("upload.unreachable");
  return `${t("upload.refused")} ${t("common.code", { code })}`;
}
