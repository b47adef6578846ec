/** Version of the package, put in by the build. */
declare const PLATFORM_SDK_VERSION: string;
