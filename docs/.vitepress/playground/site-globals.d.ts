/** The path of the site, such as `/`. */
declare const SITE_BASE: string;
/** What a start downloads, in bytes of gzip; 0 where the site was built without the playground. */
declare const PLAYGROUND_BYTES: number;
