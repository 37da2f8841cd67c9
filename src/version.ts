// The package's version, as validators and feed generators carry it. A test holds it equal to package.json.

/** The version of gazette. */
export const VERSION = '0.1.0';
