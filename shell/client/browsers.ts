/** The oldest browsers that scripts and styles are built for. */
export const browsers = ["chrome111", "firefox121", "safari16.4"];
