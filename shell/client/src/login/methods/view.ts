import type { JSX } from "preact";
import type { CommandLine } from "../../session/sign-in.ts";
import type { PendingLink } from "../link/pending-link.ts";

/**
 * Props of a method view. `run` calls `work`, shows `name` as busy meanwhile, and shows an error as a notice. With `isLeavingPage`,
 * the view remains busy after success, because the browser leaves the page.
 */
export type MethodProps = {
  /** the offered options, such as provider ids */
  options: readonly string[];
  /** method or provider that was last used in this browser */
  last: string | null;
  next: string;
  cli: CommandLine | null;
  busy: string | null;
  run: (name: string, work: () => Promise<unknown> | undefined, isLeavingPage?: boolean) => Promise<void>;
  onSent: (pending: PendingLink) => void;
};

/** The part of the sign-in page for one method. */
export type MethodView = {
  /** forms render separately, buttons as one group */
  kind: "form" | "buttons";
  /** whether a command line tool can use the method */
  isForCli: boolean;
  View: (props: MethodProps) => JSX.Element;
};
