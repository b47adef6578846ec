import type {
  AppAddress,
  FrameLayout,
  Level,
  MessageError,
  ShellSettings,
  ShellUser,
  ToastContent,
} from "../../../schemas/shell/messages.ts";

// Types alone: the build publishes them as they stand here.

/** Why a method did nothing: a refusal of the shell, no shell around the page, or nobody signed in. */
export type Failure = {
  code: MessageError | "not_embedded" | "signed_out" | (string & {});
  /** of a call to the storage: as an HTTP status */
  status?: number;
};

/** What every method resolves with; none throws. */
export type Result<Data = null> = { data: Data; error: null } | { data: null; error: Failure };

/** What is known once the shell has answered, or has not. */
export type Welcome = {
  /** whether a shell is around the page */
  embedded: boolean;
  level: Level | null;
  settings: ShellSettings | null;
  user: ShellUser | null;
};

/** Never an error: without a shell `embedded` is false. */
export type Ready = { data: Welcome; error: null };

/** What an application can listen to. */
export type PlatformEvents = {
  /** the settings changed: theme, language, layout, navigation */
  settings: ShellSettings;
  /** someone signed in or out, or the access token is another */
  session: { user: ShellUser | null };
  /** the shell shows the application, or keeps it out of sight */
  visibility: { visible: boolean };
  layout: FrameLayout;
  /** the shell led the application to an address; its `popstate` has come just before */
  navigate: AppAddress;
  /** the shell refused something that nobody waited for */
  error: { type: string; id?: string; code: MessageError };
};

/** A button of a toast. What it does stays in the application: the shell is told its label alone. */
export type ToastChoice = { label: string; onClick?: () => void };
export type ToastOptions = ToastContent & {
  action?: ToastChoice;
  cancel?: ToastChoice;
  /** it went by its cross, by Escape, or by its time */
  onClear?: () => void;
};

/** A toast that is shown. */
export type ToastHandle = {
  id: string;
  /** Shows other contents in its place; what is not named stays. */
  update: (change: Partial<ToastOptions>) => Promise<Result>;
  dismiss: () => Promise<Result>;
};
