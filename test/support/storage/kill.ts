type Bindings = { DB: D1Database; OBJECTS: R2Bucket };

/**
 * Returns the bindings of an isolate that is killed at database or bucket call number `at` (from 1; null for never).
 * That call takes effect but throws, and all later calls throw without effect. A kill before call n equals a kill at
 * call n - 1. `calls` returns the number of calls.
 */
export function killable({ DB, OBJECTS }: Bindings, at: number | null) {
  let calls = 0;
  const guard = async <T>(call: () => Promise<T>): Promise<T> => {
    calls += 1;
    if (at === null || calls < at) return call();
    if (calls === at) await call();
    throw new Error("the isolate was killed");
  };

  const guarded = <T extends object>(
    target: T,
    names: readonly string[],
    wrap: (name: string, value: unknown) => unknown,
  ): T =>
    new Proxy(target, {
      get(object, name) {
        const value: unknown = Reflect.get(object, name);
        if (typeof value !== "function") return value;
        const bound = value.bind(object) as (...args: unknown[]) => unknown;
        const result = wrap(String(name), bound);
        if (result !== undefined) return result;
        return names.includes(String(name))
          ? (...args: unknown[]) => guard(async () => bound(...args) as Promise<unknown>)
          : bound;
      },
    });
  const unwrapped = () => undefined;

  const statement = (prepared: D1PreparedStatement): D1PreparedStatement =>
    guarded(prepared, ["all", "run", "first", "raw"], (name, value) =>
      name === "bind"
        ? (...args: unknown[]) => {
            const bound = (value as (...args: unknown[]) => D1PreparedStatement)(...args);
            const boundStatement = statement(bound);
            originals.set(boundStatement, bound);
            return boundStatement;
          }
        : undefined,
    );
  // A batch needs the original statements.
  const originals = new WeakMap<object, D1PreparedStatement>();
  const session = <T extends object>(opened: T): T =>
    guarded(opened, [], (name, value) => {
      if (name === "prepare")
        return (text: string) => statement((value as (text: string) => D1PreparedStatement)(text));
      if (name === "batch") {
        return (list: D1PreparedStatement[]) =>
          guard(async () =>
            (value as (list: D1PreparedStatement[]) => Promise<unknown>)(
              list.map((statement) => originals.get(statement) ?? statement),
            ),
          );
      }
      return undefined;
    });
  const database = guarded(DB, [], (name, value) =>
    name === "withSession"
      ? (...args: unknown[]) => session((value as (...args: unknown[]) => object)(...args))
      : undefined,
  );

  const parts = <T extends object>(upload: T): T => guarded(upload, ["uploadPart", "complete", "abort"], unwrapped);
  const bucket = guarded(OBJECTS, ["put", "get", "head", "delete", "list"], (name, value) => {
    if (name === "createMultipartUpload") {
      return (...args: unknown[]) =>
        guard(async () => parts(await (value as (...args: unknown[]) => Promise<R2MultipartUpload>)(...args)));
    }
    return name === "resumeMultipartUpload"
      ? (...args: unknown[]) => parts((value as (...args: unknown[]) => R2MultipartUpload)(...args))
      : undefined;
  });
  return { bindings: { DB: database, OBJECTS: bucket }, calls: () => calls };
}

/**
 * Calls `run` without a kill, and then once for each of its calls with a kill at that call. `run` returns its number of
 * calls. Returns the number of calls of the first run.
 */
export async function killAtEachCall(run: (at: number | null) => Promise<number>): Promise<number> {
  const calls = await run(null);
  for (let at = 1; at <= calls; at++) await run(at);
  return calls;
}
