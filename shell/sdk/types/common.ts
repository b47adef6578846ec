import type {
  AppAddress,
  FrameLayout,
  Level,
  MessageError,
  ShellSettings,
  ShellUser,
  ToastContent,
} from "../../../schemas/shell/messages.ts";

// Types only: the build publishes this file unchanged.

/** The reason why a method failed: an error of the shell, no shell around the page, or nobody signed in. */
export type Failure = {
  code: MessageError | "not_embedded" | "signed_out" | (string & {});
  /** HTTP status of a storage operation */
  status?: number;
};

/** Result of every method. Methods never throw. */
export type Result<Data = null> = { data: Data; error: null } | { data: null; error: Failure };

/** State after the shell responded or the timeout passed. */
export type Welcome = {
  /** whether a shell embeds the page */
  embedded: boolean;
  level: Level | null;
  settings: ShellSettings | null;
  user: ShellUser | null;
};

/** The result of `ready`. It is never an error; without a shell, `embedded` is false. */
export type Ready = { data: Welcome; error: null };

/** Events that an application can listen to. */
export type PlatformEvents = {
  /** the settings changed: theme, language, layout, navigation */
  settings: ShellSettings;
  /** a user signed in or out, or the access token changed */
  session: { user: ShellUser | null };
  /** the shell shows or hides the application */
  visibility: { visible: boolean };
  layout: FrameLayout;
  /** the shell navigated the application; `popstate` fires just before */
  navigate: AppAddress;
  /** the shell rejected a message that no caller waits for */
  error: { type: string; id?: string; code: MessageError };
};

/** A toast button. Its callback runs in the application. The shell receives only the label. */
export type ToastChoice = { label: string; onClick?: () => void };
export type ToastOptions = ToastContent & {
  action?: ToastChoice;
  cancel?: ToastChoice;
  /** called when the toast was closed by its close button, Escape or a timeout */
  onClear?: () => void;
};

/** A toast that was shown. */
export type ToastHandle = {
  id: string;
  /** Changes the given options. Other options remain. */
  update: (change: Partial<ToastOptions>) => Promise<Result>;
  dismiss: () => Promise<Result>;
};
