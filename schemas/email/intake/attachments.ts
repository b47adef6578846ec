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

/**
 * An attachment in a request, only for the OpenAPI document. `readAttachments` checks the fields and returns all errors
 * together.
 */
export const attachmentSchema = lazySchema(() =>
  z
    .object({
      filename: z.string().max(MAX_FILENAME).nullish().describe("required, except for an object of storage"),
      content: z
        .union([
          z.string(),
          z.array(z.int().min(0).max(255)),
          z.object({ type: z.literal("Buffer"), data: z.array(z.int().min(0).max(255)) }),
        ])
        .nullish()
        .describe("the bytes in base64, or as numbers"),
      storage: z
        .object({ bucket: z.string(), path: z.string() })
        .nullish()
        .describe("an object of the company in storage, whose bytes are copied when the request is accepted"),
      content_type: z.string().nullish().describe("default: the type of the object, or by the extension of `filename`"),
      content_id: z.string().max(128).nullish().describe("shows the file in the HTML as `cid:<content_id>`"),
    })
    .meta({
      id: "Attachment",
      example: { filename: "hello.txt", content: "SGVsbG8=", content_type: "text/plain" },
    }),
);
