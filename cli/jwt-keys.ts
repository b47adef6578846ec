import { generateKeyPairSync } from "node:crypto";

/** Generates an RSA key pair on this machine and prints both PEM values, or one JSON object when piped. */
export function generateJwtKeys(): void {
  const { privateKey, publicKey } = generateKeyPairSync("rsa", {
    modulusLength: 2048,
    publicKeyEncoding: { type: "spki", format: "pem" },
    privateKeyEncoding: { type: "pkcs8", format: "pem" },
  });
  if (!process.stdout.isTTY) {
    console.log(JSON.stringify({ command: "generate_jwt_keys", private_key: privateKey, public_key: publicKey }));
    return;
  }
  console.log(`Private key: set it as the secret JWT_PRIVATE_KEY.

${privateKey}
Public key: keep it. At the next rotation it goes into JWT_PREVIOUS_PUBLIC_KEY, so that tokens of this key stay valid.

${publicKey}`);
}
