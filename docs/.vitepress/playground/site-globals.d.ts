/** The path of the site, such as `/`. */
declare const SITE_BASE: string;
/** The download size of a start, in gzip bytes; 0 if the site was built without the playground. */
declare const PLAYGROUND_BYTES: number;
