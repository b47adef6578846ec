// The messages between the shell and the applications in its frames: the envelope, the catalogue, and the settings. The library
// for applications publishes the types of this file unchanged; its build omits the constants.

export const messageVersion = 1;

export const messageErrors = [
  "forbidden",
  "invalid_payload",
  "not_found",
  "rate_limited",
  "unavailable",
  "timeout",
] as const satisfies readonly MessageError[];

/** The envelope of a message. Messages with another version are ignored. */
export type Envelope<Type extends string = string, Payload = unknown> = { type: Type; v: 1; payload: Payload };

/** The data that a frame receives. `none`: the settings; `user`: also the signed-in user; `token`: also the access token. */
export type Level = "none" | "user" | "token";

export type MessageError = "forbidden" | "invalid_payload" | "not_found" | "rate_limited" | "unavailable" | "timeout";

// --- settings -------------------------------------------------------------------------------------------------------------

export type ColorScheme = "light" | "dark" | "system";
export type NavigationEntry = { path: string; label: string; icon: string | null };
export type AdministrationLink = NavigationEntry & { url: string; requiresStaff: boolean; openIn: string };

/**
 * The settings that a frame receives from the shell. The last three fields require the level `token`. `administration` is sent
 * only to the admin application.
 */
export type ShellSettings = {
  shell: { version: string; target: "web" | "desktop"; layout: string };
  appearance: {
    themeName: string;
    mode: "light" | "dark";
    colorScheme: ColorScheme;
    /** the chosen density; phones and touch screens are always comfortable */
    density: "comfortable" | "compact";
    /** values of the current theme: CSS colours, and `radius` as a CSS length */
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
  /** `acceptedHosts` may currently set cookies. `consentedHosts` are those for which the user has decided. */
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

/** Changes of the session. `expiresAt` is in seconds since 1970. */
export type SessionChange = { user?: ShellUser | null; accessToken?: string | null; expiresAt?: number | null };

// --- parts of payloads ----------------------------------------------------------------------------------------------------

/** An address inside an application, with the fields of its `location`. */
export type AppAddress = { pathname: string; search: string; hash: string };

export type ToastKind = "info" | "success" | "warning" | "error" | "loading";
export type ToastContent = {
  title: string;
  description?: string;
  kind?: ToastKind;
  /** Duration in ms. With 0, the toast is shown until it is dismissed. */
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

/** A named size, or a CSS length up to 80 % of the window. */
export type OverlaySize = "sm" | "md" | "lg" | "full" | `${number}${"px" | "rem" | "em" | "vw" | "vh" | "%"}`;
export type ModalRequest = {
  /** an absolute URL, or a path of the shell */
  url: string;
  title?: string;
  size?: OverlaySize;
  dismissible?: boolean;
};
export type DrawerRequest = ModalRequest & { position?: "right" | "left" | "top" | "bottom" };

/** A command in the palette of the shell. */
export type CommandContent = {
  id: string;
  title: string;
  /** path of an SVG file in `static/icons`, such as `icons/plus.svg`; default: the icon of the application's item */
  icon?: string;
  /** `mod+shift+` and a letter; `mod` is Cmd on Apple devices, else Ctrl */
  shortcut?: string;
  /** more words that the search finds */
  keywords?: string;
};

export type Preferences = { themeName?: string; language?: string; region?: string; colorScheme?: ColorScheme };

/** The operation of a storage request. The methods of the library document the fields of each operation. */
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
/** A file or folder that the user chose. */
export type SelectedItem = { bucket: string; path: string; name: string; kind: "file" | "folder"; size?: number };

// --- the catalogue --------------------------------------------------------------------------------------------------------

/** Messages from an application to the shell. Any payload may also contain `id`, which PLATFORM_ERROR then repeats. */
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
  PLATFORM_COMMANDS: { id: string; commands: CommandContent[] };
  PLATFORM_HOTKEY: { combo: string };
  PLATFORM_PREFERENCES_UPDATE: Preferences;
  PLATFORM_SESSION_REQUESTED: { id: string; minTtl?: number };
  PLATFORM_LOGIN: { method?: string; provider?: string; next?: string };
  PLATFORM_LOGOUT: object;
  PLATFORM_REFRESH_PAGE: object;
  PLATFORM_STORAGE_REQUEST: { id: string; op: StorageOperation } & Record<string, unknown>;
  PLATFORM_SELECT_STORAGE: { id: string; multiple: boolean; mode: SelectionMode };
  /** Sent by the files application in the picker: the items that the user chose, or `cancelled`. */
  PLATFORM_SELECT_STORAGE_RESULT: { items: SelectedItem[] } | { cancelled: true };
};

/** Messages from the shell to an application. */
export type ShellMessages = {
  PLATFORM_SETTINGS: { version: number; level: Level; settings: ShellSettings & SessionChange };
  /** The changed keys of the settings. Null removes a key. */
  PLATFORM_SETTINGS_UPDATED: { version: number; patch: { [Key in keyof ShellSettings]?: ShellSettings[Key] | null } };
  PLATFORM_SESSION: SessionChange & { id?: string };
  PLATFORM_NAVIGATE_TO: AppAddress;
  PLATFORM_VISIBILITY: { visible: boolean };
  PLATFORM_LAYOUT: FrameLayout;
  PLATFORM_TOAST_ACTION: { id: string };
  PLATFORM_TOAST_CANCEL: { id: string };
  PLATFORM_TOAST_CLEAR: { id: string };
  PLATFORM_DIALOG_OK: { id: string };
  PLATFORM_DIALOG_CANCEL: { id: string };
  PLATFORM_DIALOG_SECONDARY: { id: string };
  /** The user chose a command. `id` is the id of PLATFORM_COMMANDS. */
  PLATFORM_COMMAND_RUN: { id: string; command: string };
  PLATFORM_STORAGE_RESPONSE: { id: string; data: unknown } | { id: string; error: StorageFailure };
  PLATFORM_SELECT_STORAGE_RESULT: { id: string; items: SelectedItem[] } | { id: string; cancelled: true };
  PLATFORM_ERROR: { type: string; id?: string; code: MessageError };
};

/** The space that is available to a frame, in px. */
export type FrameLayout = {
  layout: string;
  viewport: { width: number; height: number };
  insets: { top: number; right: number; bottom: number; left: number };
};
