/** Where mails load the sample pictures of built-in designs. */
const FOLDER = "{{ system.assets_url }}/pictures/";

/** Names of the sample pictures and their sizes in px. They are drawn at twice this size for sharp screens. */
export const PICTURE_SIZES = {
  feature: [600, 300],
  welcome: [600, 300],
  season: [600, 300],
  offer: [600, 300],
  glass: [264, 180],
  arches: [264, 180],
  evening: [264, 180],
  notebook: [264, 264],
  pen: [264, 264],
  carafe: [264, 264],
  lamp: [264, 264],
} as const satisfies Record<string, readonly [width: number, height: number]>;

/** The name of a sample picture. A name is never removed or reused, because sent mails refer to it. */
export type PictureName = keyof typeof PICTURE_SIZES;

const PICTURE_PATTERN = /^\{\{ system\.assets_url \}\}\/pictures\/[a-z]+-([a-z]+)\.png$/;

/** Returns the `src` of a sample picture in the colours of a design set. */
export const pictureSource = (set: string, name: PictureName): string => `${FOLDER}${set}-${name}.png`;

/** The name of a URL variable or list field that mails show as a picture. */
export const PICTURE_NAME = "image_url";

/** The `src` of the picture of a list item. */
export const ITEM_PICTURE = `{{ item.${PICTURE_NAME} }}`;

/** Returns whether an image shows the picture of a list item. */
export const isItemPicture = (src: string): boolean => src === ITEM_PICTURE;

/** Returns whether an image shows a sample picture of a built-in design. */
export const isLibraryPicture = (src: string): boolean =>
  Object.hasOwn(PICTURE_SIZES, PICTURE_PATTERN.exec(src)?.[1] ?? "");
