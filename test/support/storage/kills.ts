/** Whether the last call before a kill still takes effect. */
export type Kill = { at: number; takesEffect: boolean };

/**
 * Returns a database and a bucket that fail from call number `at` on, as if the runtime had been killed there;
 * `takesEffect` decides about that call. `calls` counts the calls.
 */
export function killable({ DB, OBJECTS }: { DB: D1Database; OBJECTS: R2Bucket }, kill: Kill | null) {
  let calls = 0;
  const inner = new WeakMap<object, D1PreparedStatement>();
  const call = async <T>(run: () => Promise<T>): Promise<T> => {
    calls += 1;
    if (kill === null || calls < kill.at) return run();
    if (calls === kill.at && kill.takesEffect) await run();
    throw new Error("killed");
  };
  const statement = (original: D1PreparedStatement): D1PreparedStatement => {
    const wrapped = {
      bind: (...values: unknown[]) => statement(original.bind(...values)),
      all: () => call(() => original.all()),
    } as unknown as D1PreparedStatement;
    inner.set(wrapped, original);
    return wrapped;
  };
  const database = {
    withSession: (constraint: D1SessionConstraint) => {
      const session = DB.withSession(constraint);
      return {
        prepare: (text: string) => statement(session.prepare(text)),
        batch: (list: D1PreparedStatement[]) =>
          call(() => session.batch(list.map((wrapped) => inner.get(wrapped) ?? wrapped))),
        getBookmark: () => session.getBookmark(),
      };
    },
  };
  const upload = (original: R2MultipartUpload) => ({
    key: original.key,
    uploadId: original.uploadId,
    uploadPart: (...args: Parameters<R2MultipartUpload["uploadPart"]>) => call(() => original.uploadPart(...args)),
    abort: () => call(() => original.abort()),
    complete: (parts: R2UploadedPart[]) => call(() => original.complete(parts)),
  });
  const bucket = {
    put: (key: string, value: ArrayBuffer, options?: R2PutOptions) => call(() => OBJECTS.put(key, value, options)),
    get: (key: string) => call(() => OBJECTS.get(key)),
    head: (key: string) => call(() => OBJECTS.head(key)),
    delete: (key: string) => call(() => OBJECTS.delete(key)),
    createMultipartUpload: (key: string) => call(async () => upload(await OBJECTS.createMultipartUpload(key))),
    resumeMultipartUpload: (key: string, id: string) => upload(OBJECTS.resumeMultipartUpload(key, id)),
  };
  return {
    bindings: { DB: database as unknown as D1Database, OBJECTS: bucket as unknown as R2Bucket },
    calls: () => calls,
  };
}
