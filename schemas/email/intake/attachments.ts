import * as z from "zod";
import { lazySchema } from "../../lazy-schema";

/** Maximum length of a file name in characters. */
export const MAX_FILENAME = 255;

/** The extensions of files that mail providers refuse, because they can run code. */
export const REFUSED_EXTENSIONS: readonly string[] = [
  ..."ade adp apk app appinstaller appx appxbundle bas bat cab chm cmd com cpl crt csh der diagcab diskcopy dll dmg".split(
    " ",
  ),
  ..."ex ex_ exe fxp gadget hlp hta inf ins iso isp its jar jnlp js jse ksh lib lnk mad maf mag mam maq mar".split(" "),
  ..."mas mat mau mav maw mda mdb mde mdt mdw mdz msc msh msi msix msixbundle msp mst nsh ops pcd pif plg prf prg ps1".split(
    " ",
  ),
  ..."ps1xml ps2 ps2xml psc1 psc2 reg scf scr sct shb shs sys tmp url vb vbe vbp vbs vhd vhdx vps vsmacros vss vst vsw".split(
    " ",
  ),
  ..."vxd ws wsc wsf wsh xbap xll xnk".split(" "),
];

/** The media types that are refused whatever the name of the file. */
export const REFUSED_TYPES: readonly string[] = [
  "application/hta",
  "application/java-archive",
  "application/vnd.android.package-archive",
  "application/vnd.microsoft.portable-executable",
  "application/x-bat",
  "application/x-dosexec",
  "application/x-ms-installer",
  "application/x-msdos-program",
  "application/x-msdownload",
  "application/x-msi",
];

const byte = () => z.int().min(0).max(255);
const fileName = () =>
  z
    .string()
    .max(MAX_FILENAME)
    .meta({ pattern: "^[^/\\\\\\x00-\\x1f\\x7f-\\x9f\\u2028\\u2029\\u202a-\\u202e\\u2066-\\u2069]*$" });
const mediaTypePart = "[A-Za-z0-9][A-Za-z0-9!#$&^_.+-]{0,126}";

const presentation = () => ({
  content_type: z
    .string()
    .meta({ pattern: `^(?:${mediaTypePart}/${mediaTypePart}(?:;.*)?)?$` })
    .nullish()
    .describe("default: the type of the object, or by the extension of `filename`"),
  content_id: z
    .string()
    .max(130)
    .meta({ pattern: "^[A-Za-z0-9_.+%@=-]{0,128}$" })
    .nullish()
    .describe("shows the file in the HTML as `cid:<content_id>`"),
});

/**
 * An attachment in a request, only for the OpenAPI document. `readAttachments` checks the fields and returns all errors
 * together.
 */
export const attachmentSchema = lazySchema(() =>
  z
    .union([
      z.object({
        filename: fileName().min(1),
        content: z
          .union([
            z.string().meta({ pattern: "^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}(?:==)?|[A-Za-z0-9+/]{3}=?)?$" }),
            z.array(byte()),
            z.object({ type: z.literal("Buffer"), data: z.array(byte()) }),
          ])
          .describe("the bytes in base64, or as numbers"),
        ...presentation(),
      }),
      z.object({
        storage: z
          .object({ bucket: z.string().min(1).max(1024), path: z.string().min(1).max(1024) })
          .describe("an object of the company in storage, whose bytes are copied when the request is accepted"),
        filename: fileName().nullish().describe("default: the last part of the path"),
        ...presentation(),
      }),
    ])
    .meta({
      id: "Attachment",
      examples: [
        { filename: "hello.txt", content: "SGVsbG8=", content_type: "text/plain" },
        { storage: { bucket: "company", path: "reports/plan.pdf" } },
      ],
    }),
);
