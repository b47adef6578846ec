import type { Facts } from "../http/route-calls";
import type { Tenant, Tenants } from "./operations";

/** Returns the facts for the route check about objects and links. */
export async function objectFacts({ tenant, foreign }: Tenants): Promise<Record<string, Facts>> {
  const newObject = async () => ({ bucket: await tenant.makeBucket(), path: crypto.randomUUID() });
  const stored = async ({ bucket, put }: Tenant) => {
    const path = crypto.randomUUID();
    const response = await put(path, "hello", { bucket });
    if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
    return { bucket, path };
  };
  /** Sends a setup request about an object and returns the response body. */
  const createFor = async <T>({ storage, member }: Tenant, operationPath: string, json: object): Promise<T> => {
    const response = await storage.call(`/storage/v1/${operationPath}`, { bearer: member, json });
    if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
    return response.json();
  };
  const shared = async (tenant: Tenant) => {
    const { bucket, path } = await stored(tenant);
    return createFor<{ id: string; token: string }>(tenant, `share/${bucket}/${path}`, { max_downloads: 1_000_000 });
  };
  const signedObject = await stored(tenant);
  const signed = await createFor<{ signedURL: string }>(
    tenant,
    `object/sign/${tenant.bucket}/${signedObject.path}`,
    {},
  );

  // Every member may make these requests, so the service accepts a revoked access token for them until it expires.
  const member = { role: "member", acceptsRevokedToken: true } as const;
  const malformed = { path: "400 validation_failed" };
  const object = { ...member, companyRow: () => stored(tenant), foreign: () => stored(foreign), malformed } as const;
  const upload = {
    ...member,
    malformed,
    companyRow: newObject,
    foreign: () => stored(foreign),
    unknown: { path: "200" },
    bytes: "x",
    headers: { "content-length": "1", "content-type": "text/plain" },
  } as const;
  const bucket = { ...member, companyRow: () => tenant.bucket, foreign: () => foreign.bucket } as const;
  const invalid = "403 signed_url_invalid";
  const notPublic = "403 public_download_disabled";
  const noSignedUpload = "403 signed_upload_disabled";
  return {
    "get /storage/v1/object/{bucket}/{path}": object,
    "get /storage/v1/object/authenticated/{bucket}/{path}": object,
    "get /storage/v1/object/info/{bucket}/{path}": object,
    "get /storage/v1/object/info/authenticated/{bucket}/{path}": object,
    "delete /storage/v1/object/{bucket}/{path}": object,
    "post /storage/v1/object/{bucket}/{path}": upload,
    "put /storage/v1/object/{bucket}/{path}": upload,
    "delete /storage/v1/object/{bucket}": {
      ...bucket,
      maxBytes: 4 * 1024 * 1024,
      acceptsArray: true,
      body: () => ({ prefixes: ["gone.txt"] }),
    },
    "get /storage/v1/object/public/{bucket}/{path}": {
      role: "open",
      companyRow: newObject,
      foreign: null,
      answers: [403],
      malformed: { bucket: notPublic, path: notPublic },
      unknown: { bucket: notPublic, path: notPublic },
    },
    "post /storage/v1/object/upload/sign/{bucket}/{path}": {
      role: "open",
      companyRow: newObject,
      foreign: null,
      answers: [403],
      malformed: { bucket: noSignedUpload, path: noSignedUpload },
      unknown: { bucket: noSignedUpload, path: noSignedUpload },
    },
    "post /storage/v1/object/sign/{bucket}/{path}": { ...object, body: () => ({ expiresIn: 60 }) },
    "post /storage/v1/object/sign/{bucket}": {
      ...bucket,
      maxBytes: 4 * 1024 * 1024,
      body: () => ({ expiresIn: 60, paths: ["a.txt"] }),
    },
    // The token opens only one object, so every other path gets the same rejection.
    "get /storage/v1/object/sign/{bucket}/{path}": {
      role: "open",
      companyRow: () => signedObject,
      foreign: () => stored(foreign),
      foreignAnswer: invalid,
      search: new URL(signed.signedURL, "http://storage").searchParams.toString(),
      malformed: { bucket: invalid, path: invalid },
      unknown: { bucket: invalid, path: invalid },
    },
    "get /storage/v1/share/{bucket}/{path}": object,
    "post /storage/v1/share/{bucket}/{path}": {
      ...object,
      onlyInThisResponse: ["expires_at", "expiresAt"],
      body: () => ({ max_downloads: 3 }),
    },
    "get /storage/v1/share/link/{token}": {
      role: "open",
      companyRow: async () => (await shared(tenant)).token,
      foreign: null,
    },
    "delete /storage/v1/share/link/{token}": {
      ...member,
      companyRow: async () => (await shared(tenant)).id,
      foreign: async () => (await shared(foreign)).id,
    },
  };
}
