import * as z from "zod";
import { lazySchema } from "../../../../schemas/lazy-schema";
import { ProviderCallError, type ProviderCalls } from "./calls";

const url = () => z.string().max(2048);
const texts = () => z.array(z.string()).optional();

/** The part of a discovery document that identity uses (OpenID Connect Discovery 1.0, section 3; RFC 9207). */
const discoverySchema = lazySchema(() =>
  z.object({
    issuer: url(),
    authorization_endpoint: url(),
    token_endpoint: url(),
    jwks_uri: url(),
    userinfo_endpoint: url().optional(),
    token_endpoint_auth_methods_supported: texts(),
    code_challenge_methods_supported: texts(),
    authorization_response_iss_parameter_supported: z.boolean().optional(),
  }),
);

export type Discovery = z.output<typeof discoverySchema>;

/**
 * Reads the discovery document below a base URL and checks that its endpoints may be called. The caller must check `issuer`.
 * Throws a ProviderCallError.
 */
export async function readDiscovery(base: string, calls: ProviderCalls): Promise<Discovery> {
  const response = await calls.get(`${base.replace(/\/$/, "")}/.well-known/openid-configuration`);
  const { data } = discoverySchema.safeParse(response);
  if (!data) throw new ProviderCallError("the discovery document of a provider is not complete");
  for (const endpoint of [data.authorization_endpoint, data.token_endpoint, data.jwks_uri, data.userinfo_endpoint]) {
    if (endpoint !== undefined) calls.requireUrl(endpoint);
  }
  return data;
}
