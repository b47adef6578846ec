import type { JSX } from "preact";
import type { CommandLine } from "../../session/sign-in.ts";
import type { PendingLink } from "../link/pending-link.ts";

/** What a view may do: `run` shows `name` as busy and a refusal as a notice; `stays` when the page is on its way out. */
export type MethodProps = {
  /** what is offered, such as provider ids */
  options: readonly string[];
  /** used last in this browser */
  last: string | null;
  next: string;
  cli: CommandLine | null;
  busy: string | null;
  run: (name: string, work: () => Promise<unknown> | undefined, stays?: boolean) => Promise<void>;
  sent: (pending: PendingLink) => void;
};

/** What the sign-in page draws for a method. */
export type MethodView = {
  /** a form stands alone, buttons stand together */
  kind: "form" | "buttons";
  /** whether a command line can sign in by it */
  isForCli: boolean;
  View: (props: MethodProps) => JSX.Element;
};
