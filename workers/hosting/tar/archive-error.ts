/** An archive that cannot be deployed. `path` is the entry with the problem, or empty; `message` is a sentence for its author. */
export class ArchiveError extends Error {
  override readonly name = "ArchiveError";

  constructor(
    message: string,
    readonly path = "",
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}
