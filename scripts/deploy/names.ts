/** The name of the deployment whose resources have the names of the wrangler.toml files. */
export const defaultName = "platform";

const prefix = `${defaultName}-`;
const MAX_LENGTH = 20;

/** Returns why a text cannot be the name of a deployment, or null. */
export function nameProblem(name: string): string | null {
  if (name.length <= MAX_LENGTH && /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(name)) return null;
  return `--name takes at most ${MAX_LENGTH} lower-case letters, digits and single hyphens, not "${name}".`;
}

/**
 * Returns the name that a resource of a wrangler.toml has in a deployment: `platform-staging-email` for `platform-email`, and
 * `platform-staging-email-auth` for `email-auth`. The default deployment keeps the names.
 */
export function nameIn(deployment: string, resource: string): string {
  if (deployment === defaultName) return resource;
  return `${prefix}${deployment}-${resource.startsWith(prefix) ? resource.slice(prefix.length) : resource}`;
}

/** Returns the name of the dead letter queue of a queue. */
export function deadLetterQueue(queue: string): string {
  return `${queue}-dead`;
}
