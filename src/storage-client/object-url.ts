/** What the service's image renderer does to an image; sizes in pixels, quality 20–100. */
export interface ImageOptions {
  readonly width?: number;
  readonly height?: number;
  readonly resize?: 'cover' | 'contain' | 'fill';
  readonly quality?: number;
  readonly format?: 'origin';
}

export interface UrlOptions {
  /** Has browsers save the object, under this name or its own. */
  readonly download?: boolean | string;
  readonly image?: ImageOptions;
}

export function imagePath(image: ImageOptions = {}): Record<string, string> {
  return Object.fromEntries(
    Object.entries(image).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]])),
  );
}

/** Appends a query, each value percent-encoded once. */
export function withQuery(url: string, query: Readonly<Record<string, string>>): string {
  const params = Object.entries(query).map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
  return params.length ? `${url}${url.includes('?') ? '&' : '?'}${params.join('&')}` : url;
}
