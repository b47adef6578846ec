import type {
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
  /** origins that may embed the application; any, when left out */
  shellOrigins?: string[];
  /** whether the application's own routes stand in the path or behind `#/` */
  router?: "path" | "hash";
  /** ms until the application goes on alone; at most 1500 */
  timeout?: number;
};

export type DialogAnswer = "ok" | "cancel" | "secondary";
/** `okCancel` when no mode is given. */
export type DialogOptions = Omit<DialogContent, "mode"> & Partial<Pick<DialogContent, "mode">>;
/** A question that is open: its answer, and how to change it meanwhile. */
export type OpenDialog = Promise<Result<DialogAnswer>> & {
  update: (change: Partial<DialogOptions>) => Promise<Result>;
};

/** A file or folder as the storage service lists it; a folder has no `id`. */
export type StoredObject = {
  name: string;
  id?: string | null;
  updated_at?: string | null;
  metadata?: Record<string, unknown> | null;
};
export type ListOptions = { limit?: number; offset?: number; cursor?: string; search?: string };
export type UploadOptions = { contentType?: string; upsert?: boolean };

/**
 * Files of a bucket, by calls that the shell makes with the person's session: uploads go on when the application is left.
 * `data` is what the storage service answers.
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

/** Lines of the browser's console under a name; `debug` and `info` only while developer mode is on. */
export type Logger = Record<"debug" | "info" | "warn" | "error", (...parts: unknown[]) => void>;

/** The shell around a page. Nothing is sent before `init`. */
export type Platform = TinyPlatform & {
  /** Greets the shell. Calling it again changes nothing and gives the same answer. */
  init: (options?: InitOptions) => Promise<Ready>;
  /** Asks the person. X and Escape are `cancel`. One question at a time: a second one is refused with `unavailable`. */
  dialog: (options: DialogOptions) => OpenDialog;
  /** Opens a page over the shell. `url` is absolute, or a path of the shell such as `/__settings`. */
  openModal: (request: ModalRequest) => Promise<Result>;
  closeModal: () => Promise<Result>;
  openDrawer: (request: DrawerRequest) => Promise<Result>;
  closeDrawer: () => Promise<Result>;
  /** For the page inside a modal or drawer. */
  overlay: {
    /** Keeps the overlay as high as an element, `<body>` by default. `data` stops it. */
    autoSize: (element?: HTMLElement) => Promise<Result<() => void>>;
  };
  /** Opens the shell's sign-in; counts only while a person has just pressed something. */
  login: (options?: { method?: string; provider?: string; next?: string }) => Promise<Result>;
  logout: () => Promise<Result>;
  /** Changes the person's preferences in the shell; every value has to exist there. */
  updatePreferences: (change: Preferences) => Promise<Result>;
  /** The company's files, for applications at level `token`. */
  storage: { listBuckets: () => Promise<Result<{ name: string }[]>>; from: (bucket: string) => Bucket };
  /** Lets the person choose from their files. */
  selectStorage: (options?: { multiple?: boolean; mode?: SelectionMode }) => Promise<Result<Selection>>;
  /** For the files application in the window of `selectStorage`: what the person chose there; null for nothing. */
  answerSelection: (items: SelectedItem[] | null) => Promise<Result>;
  getLogger: (name: string) => Logger;
  /** version of this library */
  readonly version: string;
};
