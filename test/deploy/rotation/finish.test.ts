import { readFileSync, writeFileSync } from "node:fs";
import { expect, it } from "vitest";
import { sealPrefix } from "../../../scripts/deploy/rotation/finish.ts";
import { DAY_MS, HOUR_MS, openDeployment } from "../../support/cloudflare/rotations.ts";

it("keeps the previous pepper while a suppression may need it", async (context) => {
  const { rotate, stored, database } = await openDeployment(context);
  const former = stored().email?.EMAIL_HASH_PEPPER;
  await rotate("pepper");
  expect(stored().email?.EMAIL_HASH_PEPPER_PREVIOUS).toBe(former);
  await expect(rotate("pepper")).rejects.toThrow(/^rotation-unfinished: email/);
  database("email").exec(
    "INSERT INTO unsubscribes (company_id, email_hmac, category, source, created_at) VALUES (1, 'x', 'news', 'owner', 0)",
  );
  await expect(rotate("pepper", { isFinished: true })).rejects.toThrow(/^pepper-needed: 1 /);
  database("email").exec("DELETE FROM unsubscribes");
  await rotate("pepper", { isFinished: true });
  expect(stored().email).not.toHaveProperty("EMAIL_HASH_PEPPER_PREVIOUS");
});

it("removes the previous signing key when no token needs it", async (context) => {
  const { rotate, read, copy, stored, database, pass } = await openDeployment(context);
  const addToken = (id: string, createdAt: number) =>
    database("identity").exec(
      `INSERT INTO personal_access_tokens (id, company_id, user_id, jti, created_at, expires_at)
        VALUES ('${id}', 1, 1, '${id}', ${createdAt}, ${createdAt + 30 * DAY_MS})`,
    );
  await expect(rotate("jwt", { isFinished: true })).rejects.toThrow(/^nothing-to-finish: /);
  await rotate("jwt");
  const { identity } = stored();
  await expect(rotate("jwt", { isFinished: true })).rejects.toThrow(/^too-early: Access tokens/);
  pass(2 * HOUR_MS);
  addToken("old", Date.now() - DAY_MS);
  addToken("new", Date.now() + HOUR_MS);
  await expect(rotate("jwt", { isFinished: true })).rejects.toThrow(/^tokens-left: 1 personal access tokens/);
  const { rotated_at: _, ...untimed } = read();
  const timed = readFileSync(copy, "utf8");
  writeFileSync(copy, JSON.stringify(untimed));
  await expect(rotate("jwt", { isFinished: true })).rejects.toThrow(/^time-unknown: /);
  writeFileSync(copy, timed);
  expect(stored().identity).toEqual(identity);
  database("identity").exec("UPDATE personal_access_tokens SET revoked_at = 1 WHERE id = 'old'");
  await rotate("jwt", { isFinished: true });
  expect(stored().identity).not.toHaveProperty("JWT_PREVIOUS_PUBLIC_KEY");
});

it("removes the previous SECRET_KEY when sessions have ended and no provider secret is sealed with it", async (context) => {
  const { rotate, stored, database, pass } = await openDeployment(context);
  const former = stored().identity?.SECRET_KEY ?? "";
  await rotate("seal");
  const account = stored();
  await expect(rotate("seal", { isFinished: true })).rejects.toThrow(/^too-early: Sessions/);
  pass(8 * DAY_MS);
  const seal = (id: string, key: string) =>
    database("identity").exec(
      `INSERT OR REPLACE INTO oauth_clients (id, company_id, provider, provider_id, client_id, secret_sealed, created_at, updated_at)
        VALUES ('${id}', 7, '${id}', '${id}', 'c', '${sealPrefix(key)}iv.text', 0, 0)`,
    );
  seal("google", former);
  seal("github", account.identity?.SECRET_KEY ?? "");
  await expect(rotate("seal", { isFinished: true })).rejects.toThrow(/^values-left: .*: google of company 7\./);
  expect(stored()).toEqual(account);
  seal("google", account.identity?.SECRET_KEY ?? "");
  await rotate("seal", { isFinished: true });
  expect(stored().identity).not.toHaveProperty("SECRET_KEY_PREVIOUS");
});

it("waits for sessions and signed URLs as long as the deployment lets them live", async (context) => {
  const { rotate, pass, bench } = await openDeployment(context);
  await bench.run(["--yes", "--set", "identity.JWT_REFRESH_TOKEN_LIFETIME=20d"]);
  await rotate("seal");
  pass(19 * DAY_MS);
  await expect(rotate("seal", { isFinished: true })).rejects.toThrow(/^too-early: /);
  pass(2 * DAY_MS);
  await rotate("seal", { isFinished: true });
});
