/** A flag of a command. `name` is the name in requests, such as `batch_size`, which is `--batch-size` on the command line. */
export type FlagSpec = {
  name: string;
  kind: "integer" | "number" | "boolean" | "text" | "email" | "url" | "file";
  help: string;
  /** the only allowed values */
  choices?: readonly string[];
  /** the command line evaluates the flag and does not send it; always true for files */
  local?: true;
  /** inclusive limits for numbers */
  min?: number;
  max?: number;
  fallback?: number;
  required?: boolean;
  /** the command line takes the value as an argument instead of an option; only for required flags */
  positional?: true;
};

/**
 * A command. `operator` requires the operator key. `staff` also allows a staff session and a personal access token with write
 * access. `local` commands send no request.
 */
export type CommandSpec = {
  name: string;
  help: string;
  access: "operator" | "staff" | "local";
  flags: readonly FlagSpec[];
  /** another command of the command line calls it, so that `platform manage` does not offer it */
  internal?: true;
  /** the command processes rows, which requests send in `rows` next to `flags` */
  rows?: { max: number; maxBytes: number };
};
