import { describe, expect, it } from "vitest";
import { clock } from "../../workers/kit/clock";
import { restoreAfterEach } from "../support/restore";
import { checkEndedAccess } from "../support/sibling/ended-access-suite";
import { readError } from "../support/sibling/sibling";
import { startFiles } from "../support/storage/files";
import { startStorage } from "../support/storage/storage";

restoreAfterEach();

checkEndedAccess(startStorage, {
  byServiceKey: [],
  headers: { "tus-resumable": "1.0.0", "x-http-method-override": "PATCH" },
});

describe("signed URLs and share links of a removed member", () => {
  const links = async () => {
    const files = await startFiles();
    const { storage, member, companyId } = files;
    const later = clock.now() + 61_000;
    await files.put("a.txt", "hello");
    const post = async (path: string, json: object) =>
      (await storage.call(`/storage/v1/${path}/company/a.txt`, { bearer: member, json })).json();
    const { signedURL } = (await post("object/sign", {})) as { signedURL: string };
    const { path_url } = (await post("share", { max_downloads: 9 })) as { path_url: string };
    const open = async () => {
      const [signed, shared] = [await storage.call(`/storage/v1${signedURL}`), await storage.call(path_url)];
      return [
        signed.status === 200 ? 200 : await readError(signed),
        shared.status === 200 ? 200 : await readError(shared),
      ];
    };
    const passMinute = () => {
      clock.now = () => later;
    };
    return { storage, open, passMinute, remove: () => storage.removeMember(companyId, files.memberId) };
  };

  it("rejects signed URLs and share links within a minute after the member was removed", async () => {
    const { open, remove, passMinute } = await links();
    expect(await open()).toEqual([200, 200]);
    remove();
    passMinute();
    expect(await open()).toEqual([
      [403, "signed_url_invalid"],
      [410, "share_inactive"],
    ]);
  });

  it("returns 503 for signed URLs and share links while identity cannot confirm the membership", async () => {
    const { storage, open } = await links();
    storage.setIdentityAway(true);
    expect(await open()).toEqual([
      [503, "service_unavailable"],
      [503, "service_unavailable"],
    ]);
    storage.setIdentityAway(false);
    expect(await open()).toEqual([200, 200]);
  });
});
