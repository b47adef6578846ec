import type { HeaderRule, ManifestFiles, RedirectRule } from "../../../schemas/hosting/manifest";
import { blobKey } from "../files/keys";
import { parseHeaders } from "./header-rules";
import { parseRedirects } from "./redirect-rules";
import type { RuleFile, RuleWarning } from "./warnings";

/** Maximum size of each file. It has room for the maximum number of lines of the maximum length. */
const MAX_RULE_FILE_BYTES = 3 * 1024 * 1024;

/** The rules of a deployment, and the lines that were ignored. */
export type Rules = { headers: HeaderRule[]; redirects: RedirectRule[]; warnings: RuleWarning[] };

/**
 * Reads `_headers` and `_redirects` of a manifest from R2 and parses them. Files of more than 3 MiB are ignored with a warning.
 * Throws when a file cannot be read.
 */
export async function readRules(
  { files: bucket }: { files: R2Bucket },
  companyId: number,
  files: ManifestFiles,
): Promise<Rules> {
  const [headers, redirects] = await Promise.all([
    readRuleFile(bucket, companyId, files, "_headers"),
    readRuleFile(bucket, companyId, files, "_redirects"),
  ]);
  const headerRules = parseHeaders(headers.text);
  const redirectRules = parseRedirects(redirects.text);
  return {
    headers: headerRules.rules,
    redirects: redirectRules.rules,
    warnings: [...headers.warnings, ...headerRules.warnings, ...redirects.warnings, ...redirectRules.warnings],
  };
}

/** Returns the text of a file; a file that is missing or too large has no text. */
async function readRuleFile(
  bucket: R2Bucket,
  companyId: number,
  files: ManifestFiles,
  file: RuleFile,
): Promise<{ text: string; warnings: RuleWarning[] }> {
  const entry = Object.hasOwn(files, file) ? files[file] : undefined;
  if (entry === undefined) return { text: "", warnings: [] };
  if (entry.size > MAX_RULE_FILE_BYTES) {
    const reason = `The file has more than ${MAX_RULE_FILE_BYTES} bytes and was ignored.`;
    return { text: "", warnings: [{ file, line: 0, text: "", reason }] };
  }
  const object = await bucket.get(blobKey(companyId, entry.sha256));
  if (object === null) throw new Error(`the file ${file} of a manifest is missing`);
  return { text: await object.text(), warnings: [] };
}
