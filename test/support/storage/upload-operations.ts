import type { Facts } from "../http/route-calls";
import type { Tenants } from "./operations";
import { tusClient } from "./resumable";
import { bytesOf, multipartClient } from "./uploads";

/** Returns the facts for the route check about multipart and resumable uploads. */
export function uploadFacts({ tenant, foreign }: Tenants): Record<string, Facts> {
  const newPath = () => `uploads/${crypto.randomUUID()}`;
  const openUpload = (uploader: Tenants["tenant"]) => multipartClient(uploader).openUpload(newPath(), { size: 1 });
  const createUpload = (uploader: Tenants["tenant"]) => tusClient(uploader).createUpload(newPath(), 1);
  const sent = async () => {
    const id = await openUpload(tenant);
    await multipartClient(tenant).send(id, 1, bytesOf(1));
    return id;
  };
  // An upload belongs to its creator and needs no role, so the service accepts a revoked access token until it expires.
  const member = { role: "member", acceptsRevokedToken: true } as const;
  const multipart = {
    ...member,
    isPersonal: true,
    companyRow: () => openUpload(tenant),
    foreign: () => openUpload(foreign),
  } as const;
  const tus = {
    ...member,
    isPersonal: true,
    companyRow: () => createUpload(tenant),
    foreign: () => createUpload(foreign),
    headers: { "tus-resumable": "1.0.0" },
  } as const;
  const oneByte = { bytes: "x", headers: { "content-length": "1" } };
  const patch = {
    ...oneByte.headers,
    ...tus.headers,
    "content-type": "application/offset+octet-stream",
    "upload-offset": "0",
  };
  return {
    "post /storage/v1/upload/{bucket}/{path}": {
      ...member,
      companyRow: async () => ({ bucket: await tenant.makeBucket(), path: crypto.randomUUID() }),
      foreign: () => ({ bucket: foreign.bucket, path: "a.txt" }),
      malformed: { path: "400 validation_failed" },
      unknown: { path: "201" },
      body: () => ({ size: 1 }),
    },
    "get /storage/v1/upload/{id}": multipart,
    "delete /storage/v1/upload/{id}": multipart,
    "post /storage/v1/upload/{id}/complete": { ...multipart, companyRow: sent },
    "put /storage/v1/upload/{id}/{part}": {
      ...multipart,
      ...oneByte,
      companyRow: async () => ({ id: await openUpload(tenant), part: "1" }),
      foreign: async () => ({ id: await openUpload(foreign), part: "1" }),
    },
    "get /storage/v1/upload/resumable/{id}": tus,
    "post /storage/v1/upload/resumable": {
      ...member,
      headers: {
        ...tus.headers,
        "upload-length": "1",
        "upload-metadata": "bucketName Y29tcGFueQ==,objectName YS50eHQ=",
      },
    },
    "post /storage/v1/upload/resumable/{id}": {
      ...tus,
      bytes: "x",
      headers: { ...patch, "x-http-method-override": "PATCH" },
    },
    "patch /storage/v1/upload/resumable/{id}": { ...tus, bytes: "x", headers: patch },
    "delete /storage/v1/upload/resumable/{id}": tus,
  };
}
