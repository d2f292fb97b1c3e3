import { sentLimit } from '../platform/number-options.ts';
import { requireRanges } from './errors.ts';

/** How the service's image renderer changes an image. */
export interface ImageOptions {
  /** In pixels, 1 to 2,500. */
  readonly width?: number;
  /** In pixels, 1 to 2,500. */
  readonly height?: number;
  /** Default `cover`. */
  readonly resize?: 'cover' | 'contain' | 'fill';
  /** 20 to 100. Default 80. */
  readonly quality?: number;
  /** `origin` keeps the image's own format. Default: a format that the browser accepts. */
  readonly format?: 'origin';
}

/** The options of an object's URL. */
export interface UrlOptions {
  /** Makes browsers save the object, under this name or its own. Default false. */
  readonly download?: boolean | string;
  /** The image as the service renders it. Default: the object unchanged. */
  readonly image?: ImageOptions;
  /** A `version` of `info` or of a listing. Default: the current version. */
  readonly versionId?: string;
  /** A text that makes caches fetch the object again. Default: none. */
  readonly cacheNonce?: string;
}

/** @throws {StorageError} `invalid-options` for values that the service's renderer refuses. */
export function requireImage(image: ImageOptions = {}): void {
  requireRanges(image, {
    width: sentLimit,
    height: sentLimit,
    quality: { min: 20, max: 100, isWhole: true },
  });
}

/** The query parameters of a request; undefined ones are omitted. */
export type Query = Readonly<Record<string, string | number | undefined>>;

/** `download=` with the name, or empty for the object's own. */
export function downloadQuery({ download }: Pick<UrlOptions, 'download'>): Query {
  return download === false ? {} : { download: download === true ? '' : download };
}

/** Encodes the characters that end a link in Markdown or in an attribute, which `encodeURIComponent` leaves. */
export const encodeLinkEnds = (encoded: string): string =>
  encoded.replaceAll(/[!'()*]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`);

/** Appends a query, each value percent-encoded once. */
export function withQuery(url: string, query: Query): string {
  const params = Object.entries(query).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}=${encodeLinkEnds(encodeURIComponent(value))}`],
  );
  return params.length ? `${url}${url.includes('?') ? '&' : '?'}${params.join('&')}` : url;
}
