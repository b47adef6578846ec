import type {
  CommandContent,
  DialogContent,
  DrawerRequest,
  ModalRequest,
  Preferences,
  SelectedItem,
  SelectionMode,
} from "../../../schemas/shell/messages.ts";
import type { Ready, Result } from "./common.ts";
import type { TinyPlatform } from "./tiny.ts";

export type InitOptions = {
  /** origins that may embed the application; default: any */
  shellOrigins?: string[];
  /** whether the application's routes are in the path or follow `#/` */
  router?: "path" | "hash";
  /** ms until the application continues without a shell; at most 1500 */
  timeout?: number;
};

/** A command in the palette of the shell. Its callback runs in the application. */
export type Command = CommandContent & { onRun: () => void };

export type DialogAnswer = "ok" | "cancel" | "secondary";
/** The default mode is `okCancel`. */
export type DialogOptions = Omit<DialogContent, "mode"> & Partial<Pick<DialogContent, "mode">>;
/** An open dialog: its result, and a method that changes it. */
export type OpenDialog = Promise<Result<DialogAnswer>> & {
  update: (change: Partial<DialogOptions>) => Promise<Result>;
};

/** A file or folder as the storage service lists it. A folder has no `id`. */
export type StoredObject = {
  name: string;
  id?: string | null;
  updated_at?: string | null;
  metadata?: Record<string, unknown> | null;
};
export type ListOptions = { limit?: number; offset?: number; cursor?: string; search?: string };
export type UploadOptions = { contentType?: string; upsert?: boolean };

/**
 * Operations on the files of a bucket. The shell runs them with the user's session, so uploads continue when the user leaves
 * the application. `data` is the response of the storage service.
 */
export type Bucket = {
  list: (prefix?: string, options?: ListOptions) => Promise<Result<StoredObject[]>>;
  get: (path: string) => Promise<Result<StoredObject>>;
  download: (path: string) => Promise<Result<Blob>>;
  upload: (path: string, body: Blob | ArrayBuffer | string, options?: UploadOptions) => Promise<Result<unknown>>;
  move: (from: string, to: string, options?: { upsert?: boolean }) => Promise<Result<unknown>>;
  remove: (paths: string | string[]) => Promise<Result<unknown>>;
  createFolder: (path: string) => Promise<Result<unknown>>;
  removeFolder: (path: string) => Promise<Result<unknown>>;
  folderStats: (path?: string) => Promise<Result<unknown>>;
};
export type Selection = { cancelled: boolean; items: SelectedItem[] };

/** A console logger with a name. `debug` and `info` write only in developer mode. */
export type Logger = Record<"debug" | "info" | "warn" | "error", (...parts: unknown[]) => void>;

/** The full SDK. It sends nothing before `init`. */
export type Platform = TinyPlatform & {
  /** Connects to the shell. Repeated calls return the same result. */
  init: (options?: InitOptions) => Promise<Ready>;
  /**
   * Shows a dialog. If the user closes the dialog or presses Escape, the answer is `cancel`. Fails with `unavailable` while
   * another dialog is open.
   */
  dialog: (options: DialogOptions) => OpenDialog;
  /** Opens a page over the shell. `url` is absolute, or a path of the shell such as `/__settings`. */
  openModal: (request: ModalRequest) => Promise<Result>;
  closeModal: () => Promise<Result>;
  openDrawer: (request: DrawerRequest) => Promise<Result>;
  closeDrawer: () => Promise<Result>;
  /** For the page inside a modal or drawer. */
  overlay: {
    /** Keeps the overlay as high as an element, `<body>` by default. `data` is a function that stops the resizing. */
    autoSize: (element?: HTMLElement) => Promise<Result<() => void>>;
  };
  commands: {
    /**
     * Replaces the application's commands in the palette, at most 50. The palette shows them, and their shortcuts work, while the
     * application is open. An empty list removes them.
     */
    set: (commands: readonly Command[]) => Promise<Result>;
  };
  /** Opens the shell's sign-in. Requires a recent user gesture. */
  login: (options?: { method?: string; provider?: string; next?: string }) => Promise<Result>;
  logout: () => Promise<Result>;
  /** Changes the user's preferences in the shell. Fails if the shell does not offer a value. */
  updatePreferences: (change: Preferences) => Promise<Result>;
  /** The company's files, for applications with the trust level `token`. */
  storage: { listBuckets: () => Promise<Result<{ name: string }[]>>; from: (bucket: string) => Bucket };
  /** Lets the user select files or folders. */
  selectStorage: (options?: { multiple?: boolean; mode?: SelectionMode }) => Promise<Result<Selection>>;
  /** For the files application in the window of `selectStorage`: sends the selection. null cancels the selection. */
  answerSelection: (items: SelectedItem[] | null) => Promise<Result>;
  getLogger: (name: string) => Logger;
  /** version of this SDK */
  readonly version: string;
};
