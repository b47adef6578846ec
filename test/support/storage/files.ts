import { freshCompany } from "../sibling/sibling";
import { startStorage } from "./storage";

type Vars = NonNullable<Parameters<typeof startStorage>[0]>["vars"];

/** Returns the ids of a new company and its users. */
function createMembers() {
  const companyId = freshCompany();
  return { companyId, memberId: companyId, ownerId: companyId + 1_000_000_000 };
}

/** Starts storage with a new company, its member and owner, and helpers that store files. */
export async function startFiles(vars: Vars = {}, members = createMembers()) {
  const storage = await startStorage({ vars });
  const { companyId, memberId, ownerId } = members;
  const member = await storage.token({ companyId, userId: memberId, email: "mina@example.com" });
  const owner = await storage.token({ companyId, userId: ownerId, isOwner: true });

  type Options = { bearer?: string; method?: string; headers?: Record<string, string>; bucket?: string };

  /** Uploads a body with Content-Length. */
  const put = (path: string, body: string | Uint8Array, options: Options = {}) => {
    const bytes = typeof body === "string" ? new TextEncoder().encode(body) : body;
    return storage.call(`/storage/v1/object/${options.bucket ?? "company"}/${path}`, {
      method: options.method ?? "POST",
      bearer: options.bearer ?? member,
      headers: { "content-length": String(bytes.length), ...options.headers },
      body: bytes as BodyInit,
    });
  };
  const get = (path: string, options: Options = {}) =>
    storage.call(`/storage/v1/object/${options.bucket ?? "company"}/${path}`, {
      bearer: options.bearer ?? member,
      method: options.method ?? "GET",
      headers: options.headers ?? {},
    });
  return { storage, companyId, memberId, ownerId, member, owner, put, get };
}
