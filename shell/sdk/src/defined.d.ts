/** Package version, inserted by the build. */
declare const PLATFORM_SDK_VERSION: string;
