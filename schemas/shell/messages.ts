// What the shell and the applications in its frames say to each other: the envelope, the catalogue, and what the settings hold.
// The types are also published with the library for applications, unchanged; its build leaves the constants out.

export const messageVersion = 1;

export const messageErrors = [
  "forbidden",
  "invalid_payload",
  "not_found",
  "rate_limited",
  "unavailable",
  "timeout",
] as const satisfies readonly MessageError[];

/** Messages of another version are ignored. */
export type Envelope<Type extends string = string, Payload = unknown> = { type: Type; v: 1; payload: Payload };

/** How much a frame receives: only the appearance, also the signed-in user, also the access token. */
export type Level = "none" | "user" | "token";

export type MessageError = "forbidden" | "invalid_payload" | "not_found" | "rate_limited" | "unavailable" | "timeout";

// --- settings -------------------------------------------------------------------------------------------------------------

export type ColorScheme = "light" | "dark" | "system";
export type NavigationEntry = { path: string; label: string; icon: string | null };
export type AdministrationLink = NavigationEntry & { url: string; requiresStaff: boolean; openIn: string };

/** The state that a frame receives from the shell. The last three fields require level `token`; `administration` goes only to the admin application. */
export type ShellSettings = {
  shell: { version: string; target: "web" | "desktop"; layout: string };
  appearance: {
    themeName: string;
    mode: "light" | "dark";
    colorScheme: ColorScheme;
    /** values of the theme that is shown: CSS colours, and `radius` as a CSS length */
    tokens: Record<string, string>;
    fonts: {
      body?: string;
      heading?: string;
      files?: string[];
      letterSpacing?: string;
      lineHeight?: string | number;
    };
  };
  language: { code: string; dir: "ltr" | "rtl"; available: string[] };
  region: { timeZone: string };
  navigation: NavigationEntry[];
  /** hosts that may set cookies now, and those of them that a person decided on */
  cookieConsent: { acceptedHosts: string[]; consentedHosts: string[] };
  developer: { enabled: boolean };
  backend?: { type: "platform" | "supabase"; url: string; companyId: number | null };
  storage?: { url: string; filesUrl: string | null };
  administration?: { title: string; navigation: AdministrationLink[] };
};

/** The signed-in user, for levels `user` and `token`. */
export type ShellUser = {
  id: string;
  email: string;
  name: string | null;
  avatarUrl: string | null;
  provider: string | null;
  groups: string[];
  isStaff: boolean;
  isCompanyOwner: boolean;
  companyId: number | null;
};

/** `expiresAt` in seconds since 1970. */
export type SessionNews = { user?: ShellUser | null; accessToken?: string | null; expiresAt?: number | null };

// --- parts of payloads ----------------------------------------------------------------------------------------------------

/** An address inside an application, as its own `location` has it. */
export type AppAddress = { pathname: string; search: string; hash: string };

export type ToastKind = "info" | "success" | "warning" | "error" | "loading";
export type ToastContent = {
  title: string;
  description?: string;
  kind?: ToastKind;
  /** ms; 0 stays until it is dismissed */
  duration?: number;
};
export type DialogMode = "ok" | "okCancel" | "delete" | "confirm" | "onlyCancel";
export type DialogContent = {
  title: string;
  description?: string;
  mode: DialogMode;
  okLabel?: string;
  cancelLabel?: string;
  secondaryLabel?: string;
};

/** One of the named sizes, or a CSS length up to 80 % of the window. */
export type OverlaySize = "sm" | "md" | "lg" | "full" | `${number}${"px" | "rem" | "em" | "vw" | "vh" | "%"}`;
export type ModalRequest = {
  /** absolute, or a path of the shell */
  url: string;
  title?: string;
  size?: OverlaySize;
  dismissible?: boolean;
};
export type DrawerRequest = ModalRequest & { position?: "right" | "left" | "top" | "bottom" };

export type Preferences = { themeName?: string; language?: string; region?: string; colorScheme?: ColorScheme };

/** Parameters of a storage request; the methods of the library document which fields each operation uses. */
export type StorageOperation =
  | "listBuckets"
  | "list"
  | "upload"
  | "download"
  | "move"
  | "remove"
  | "createFolder"
  | "removeFolder"
  | "folderStats"
  | "get";
export type StorageFailure = { status: number; code: string };
export type SelectionMode = "folders" | "files" | "any";
/** A file or folder that a person chose. */
export type SelectedItem = { bucket: string; path: string; name: string; kind: "file" | "folder"; size?: number };

// --- the catalogue --------------------------------------------------------------------------------------------------------

/** Application to shell. Any payload may also carry `id`, which a refusal names. */
export type AppMessages = {
  PLATFORM_SETTINGS_REQUESTED: { sdk: string; router?: "path" | "hash" };
  PLATFORM_INITIALIZED: object;
  PLATFORM_URL_CHANGED: AppAddress & { replace?: boolean };
  PLATFORM_TITLE_CHANGED: { title: string };
  PLATFORM_NAVIGATE: { url: string; replace?: boolean };
  PLATFORM_OPEN_MODAL: ModalRequest;
  PLATFORM_OPEN_DRAWER: DrawerRequest;
  PLATFORM_CLOSE_MODAL: object;
  PLATFORM_CLOSE_DRAWER: object;
  PLATFORM_OVERLAY_SIZE: { height: number; width?: number };
  PLATFORM_TOAST: ToastContent & { id: string; action?: { label: string }; cancel?: { label: string } };
  PLATFORM_TOAST_UPDATE: AppMessages["PLATFORM_TOAST"];
  PLATFORM_TOAST_DISMISS: { id: string };
  PLATFORM_DIALOG: DialogContent & { id: string };
  PLATFORM_DIALOG_UPDATE: DialogContent & { id: string };
  PLATFORM_BADGE: { count: number | null };
  PLATFORM_HOTKEY: { combo: string };
  PLATFORM_PREFERENCES_UPDATE: Preferences;
  PLATFORM_SESSION_REQUESTED: { id: string; minTtl?: number };
  PLATFORM_LOGIN: { method?: string; provider?: string; next?: string };
  PLATFORM_LOGOUT: object;
  PLATFORM_REFRESH_PAGE: object;
  PLATFORM_STORAGE_REQUEST: { id: string; op: StorageOperation } & Record<string, unknown>;
  PLATFORM_SELECT_STORAGE: { id: string; multiple: boolean; mode: SelectionMode };
  /** of the files application in the picker: what the person chose, or that nothing was */
  PLATFORM_SELECT_STORAGE_RESULT: { items: SelectedItem[] } | { cancelled: true };
};

/** Shell to application. */
export type ShellMessages = {
  PLATFORM_SETTINGS: { version: number; level: Level; settings: ShellSettings & SessionNews };
  /** changed keys of the settings; null takes one away */
  PLATFORM_SETTINGS_UPDATED: { version: number; patch: { [Key in keyof ShellSettings]?: ShellSettings[Key] | null } };
  PLATFORM_SESSION: SessionNews & { id?: string };
  PLATFORM_NAVIGATE_TO: AppAddress;
  PLATFORM_VISIBILITY: { visible: boolean };
  PLATFORM_LAYOUT: FrameLayout;
  PLATFORM_TOAST_ACTION: { id: string };
  PLATFORM_TOAST_CANCEL: { id: string };
  PLATFORM_TOAST_CLEAR: { id: string };
  PLATFORM_DIALOG_OK: { id: string };
  PLATFORM_DIALOG_CANCEL: { id: string };
  PLATFORM_DIALOG_SECONDARY: { id: string };
  PLATFORM_STORAGE_RESPONSE: { id: string; data: unknown } | { id: string; error: StorageFailure };
  PLATFORM_SELECT_STORAGE_RESULT: { id: string; items: SelectedItem[] } | { id: string; cancelled: true };
  PLATFORM_ERROR: { type: string; id?: string; code: MessageError };
};

/** Room a frame has, in px. */
export type FrameLayout = {
  layout: string;
  viewport: { width: number; height: number };
  insets: { top: number; right: number; bottom: number; left: number };
};
