// Each guide runs as one bash script. ```sh run blocks and `<!-- run … -->` comments (manual steps of the reader, and
// expected results) run in order. ```ts file=name.ts blocks are files that the script uses. Other blocks do not run.

/** The files of a guide by name, and the script of its blocks, or null if no block runs. */
export type GuideScript = { files: ReadonlyMap<string, string>; script: string | null };

const block = /^```(\w+)((?: [\w=./-]+)*)\n([\s\S]*?)^```$|^<!-- run\n([\s\S]*?)^-->$/gm;

// A reader fills in the value of a line such as `export CODE=…`. The script runs `read_value CODE` instead.
const placeholder = /^export (\w+)=\S*….*$/gm;

/** The functions at the start of the script. The output of the whole script goes to `out.log`. */
const prelude = `set -euo pipefail
trap 'kill $(jobs -p) 2>/dev/null || true' EXIT
npx() { shift; node "$REPOSITORY/cli/platform.mjs" "$@"; }
last() { grep -oE "$1" out.log | tail -1; }
expect() { grep -qE -- "$1" out.log || { echo "expected $1 in the output" >&2; exit 1; }; }
read_value() {
  case $1 in
    CODE) curl -sf "$USER_URL/code" ;;
    SERVICE_KEY) last 'esk_[A-Za-z0-9_-]{43}' ;;
    TOKEN) last '"access_token": ?"[^"]+"' | cut -d'"' -f4 ;;
    WEBHOOK_SECRET) last 'whsec_[A-Za-z0-9+/=]+' ;;
    PUBLIC_KEY) last 'nl_[A-Za-z0-9_-]{24}' ;;
    SCIM_TOKEN) last 'pst_[A-Za-z0-9_-]{43}' ;;
    MEMBER) last '"id": ?"[0-9]+"' | grep -oE '[0-9]+' ;;
    GROUP) last '"id": ?"[0-9a-f-]{36}"' | grep -oE '[0-9a-f-]{36}' ;;
    MESSAGE) last 'msg_[0-9a-f]{32}' ;;
    DESIGN | RULE) last '"id": ?[0-9]+' | grep -oE '[0-9]+$' ;;
    TEMPLATE) last '"template_id": ?[0-9]+' | grep -oE '[0-9]+$' ;;
    VERSION) last '"number": ?[0-9]+' | grep -oE '[0-9]+$' ;;
    *) echo "no value for $1" >&2; exit 1 ;;
  esac
}
`;

/** Parses the blocks of a guide. */
export function readGuide(markdown: string): GuideScript {
  const files = new Map<string, string>();
  let script = "";
  for (const [, , info = "", code = "", comment] of markdown.matchAll(block)) {
    const file = / file=(\S+)/.exec(info)?.[1];
    if (file !== undefined) files.set(file, code);
    const commands = comment ?? (info.split(" ").includes("run") ? code : "");
    script += commands.replace(placeholder, (_line, name: string) => `${name}="$(read_value ${name})"; export ${name}`);
  }
  return { files, script: script === "" ? null : prelude + script };
}
