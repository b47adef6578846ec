import type { startFiles } from "./files";

type Files = Awaited<ReturnType<typeof startFiles>>;
type Init = NonNullable<Parameters<Files["storage"]["call"]>[1]>;
type Options = {
  bearer?: string;
  headers?: Record<string, string | undefined>;
  bindings?: Init["bindings"];
};

export const resumable = "/storage/v1/upload/resumable";

const base64 = (text: string) => btoa(String.fromCharCode(...new TextEncoder().encode(text)));

/** Returns the `Upload-Metadata` header for these values. */
export const metadataOf = (values: Record<string, string>): string =>
  Object.entries(values)
    .map(([key, value]) => `${key} ${base64(value)}`)
    .join(",");

/** Returns a chunked body that fails after its last byte, like a lost connection. */
export function cutBody(bytes: Uint8Array, chunk = 65_536): ReadableStream<Uint8Array> {
  let at = 0;
  return new ReadableStream({
    pull(controller) {
      if (at >= bytes.length) return controller.error(new Error("Network connection lost."));
      controller.enqueue(bytes.slice(at, at + chunk));
      at += chunk;
    },
  });
}

/** Returns helpers that send resumable uploads as a TUS client does. */
export function tusClient({ storage, member }: Files) {
  const init = (method: string, { bearer = member, headers = {}, bindings }: Options): Init => ({
    method,
    bearer,
    headers: Object.fromEntries(
      Object.entries({ "tus-resumable": "1.0.0", ...headers }).filter(([, value]) => value !== undefined),
    ) as Record<string, string>,
    ...(bindings === undefined ? {} : { bindings }),
  });
  const create = (
    path: string,
    size: number | null,
    options: Options & { values?: Record<string, string>; body?: Uint8Array | ReadableStream } = {},
  ) => {
    const metadata = metadataOf({ bucketName: "company", objectName: path, ...options.values });
    const length = size === null ? { "upload-defer-length": "1" } : { "upload-length": String(size) };
    const type = options.body === undefined ? {} : { "content-type": "application/offset+octet-stream" };
    return storage.call(resumable, {
      ...init("POST", { ...options, headers: { ...length, ...type, "upload-metadata": metadata, ...options.headers } }),
      ...(options.body === undefined ? {} : { body: options.body as BodyInit }),
    });
  };
  const head = (id: string, options: Options = {}) => storage.call(`${resumable}/${id}`, init("HEAD", options));
  return {
    create,
    /** Creates an upload, expects success and returns its id. */
    async createUpload(...args: Parameters<typeof create>): Promise<string> {
      const response = await create(...args);
      if (response.status !== 201) throw new Error(`${response.status} ${await response.text()}`);
      return response.headers.get("location")?.split("/").at(-1) ?? "";
    },
    patch: (id: string, offset: number, body: Uint8Array | ReadableStream | null, options: Options = {}) =>
      storage.call(`${resumable}/${id}`, {
        ...init("PATCH", {
          ...options,
          headers: {
            "content-type": "application/offset+octet-stream",
            "upload-offset": String(offset),
            ...(body instanceof Uint8Array ? { "content-length": String(body.length) } : {}),
            ...options.headers,
          },
        }),
        ...(body === null ? {} : { body: body as BodyInit }),
      }),
    head,
    /** Returns the offset from which a client would continue. */
    async offset(id: string): Promise<number> {
      const response = await head(id);
      if (response.status !== 200) throw new Error(String(response.status));
      return Number(response.headers.get("upload-offset"));
    },
    terminate: (id: string, options: Options = {}) => storage.call(`${resumable}/${id}`, init("DELETE", options)),
  };
}
