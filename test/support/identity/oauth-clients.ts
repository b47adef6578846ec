import { exportPKCS8, generateKeyPair } from "jose";
import { expect } from "vitest";
import { oauth_clients } from "../../../db/identity/schema";
import { callAs, createTestUser, outcomeOf } from "./admin";
import { createCompany, createMailbox, identityEnv } from "./identity";
import { rowsOfCompany } from "./rows";

export const clientsPath = "/api/v1/oauth-clients";
export const clientSecret = "GOCSPX-raw-secret-of-this-test";
export const google = { provider: "google", client_id: "1234.apps.googleusercontent.com", client_secret: clientSecret };

/** Returns a new private key (PKCS #8) for an algorithm; Apple uses ES256. */
export const createPrivateKey = async (algorithm: string) =>
  exportPKCS8((await generateKeyPair(algorithm, { extractable: true })).privateKey);

const private_key = await createPrivateKey("ES256");
export const apple = { provider: "apple", client_id: "com.example", team_id: "T1", key_id: "K1", private_key };

/** Settings of a production deployment, which may only call public https hosts. */
export const deployment = { DEBUG: "false", JWT_ISSUER: "https://id.example.com" };
export const deployed = identityEnv(createMailbox(), deployment);

/** An OAuth client as the API returns it. */
export type Client = { id: string; provider_id: string; is_usable: boolean; has_secret: boolean; updated_at: string };

/** Creates a company with its owner, another company, and helpers for OAuth clients. */
export async function setUpClients() {
  const [company, other] = [await createCompany(), await createCompany()];
  const owner = await createTestUser(company, { owner: true });
  const storedClients = () => rowsOfCompany(oauth_clients, company.id);
  const add = async (body: Record<string, unknown>): Promise<Client> => {
    const response = await callAs(owner.bearer, "POST", clientsPath, body);
    expect(response.status).toBe(201);
    return response.json();
  };
  /** Tries to create a client, expects that nothing is stored, and returns the error. */
  const tryAdd = async (body: Record<string, unknown>): Promise<string> => {
    const before = await storedClients();
    const errorCode = await outcomeOf(callAs(owner.bearer, "POST", clientsPath, body));
    expect(await storedClients()).toEqual(before);
    return errorCode;
  };
  return { company, other, owner, storedClients, add, tryAdd };
}

/** Returns the validation error of fields in the format of `outcomeOf`. */
export const fieldError = (fields: object) => `400 validation_failed ${JSON.stringify(fields)}`;
