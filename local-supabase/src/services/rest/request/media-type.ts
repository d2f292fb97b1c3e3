/** A media type that PostgREST distinguishes. */
export type MediaType =
  | { readonly type: 'known'; readonly name: KnownMediaType }
  | { readonly type: 'other'; readonly name: string }
  | { readonly type: 'array-stripped' }
  | { readonly type: 'single'; readonly isStripped: boolean }
  | {
      readonly type: 'plan';
      readonly of: MediaType;
      readonly format: 'json' | 'text';
      readonly options: readonly string[];
    };

export const KNOWN_MEDIA_TYPES = [
  'application/json',
  'application/geo+json',
  'text/csv',
  'text/plain',
  'text/xml',
  'application/openapi+json',
  'application/x-www-form-urlencoded',
  'application/octet-stream',
  '*/*',
] as const;

export type KnownMediaType = (typeof KNOWN_MEDIA_TYPES)[number];

export const JSON_TYPE: MediaType = { type: 'known', name: 'application/json' };
export const ANY_TYPE: MediaType = { type: 'known', name: '*/*' };
export const OPENAPI_TYPE: MediaType = { type: 'known', name: 'application/openapi+json' };

const PLAN_OPTIONS = ['analyze', 'verbose', 'settings', 'buffers', 'wal'];

/** The media type without a charset, as in error messages. */
export function mimeOf(type: MediaType): string {
  switch (type.type) {
    case 'known':
    case 'other':
      return type.name;
    case 'array-stripped':
      return 'application/vnd.pgrst.array+json;nulls=stripped';
    case 'single':
      return `application/vnd.pgrst.object+json${type.isStripped ? ';nulls=stripped' : ''}`;
    case 'plan': {
      const options = type.options.length > 0 ? `; options=${type.options.join('|')}` : '';
      return `application/vnd.pgrst.plan+${type.format}; for="${mimeOf(type.of)}"${options}`;
    }
  }
}

export function contentTypeOf(type: MediaType): string {
  const isBare = type.type === 'other' || (type.type === 'known' && type.name === 'application/octet-stream');
  return isBare ? mimeOf(type) : `${mimeOf(type)}; charset=utf-8`;
}

export function isKnown(type: MediaType, ...names: KnownMediaType[]): boolean {
  return type.type === 'known' && names.includes(type.name);
}

const TYPE = /^[\p{L}\p{N}.*]+\/[\p{L}\p{N}.*+-]+/u;
const PARAMETER = /^\s*;\s*([\p{L}\p{N}-]+)\s*=\s*(?:"([^"]*)"|([\p{L}\p{N}|-]+))/u;

export function parseMediaType(source: string): MediaType {
  const matched = TYPE.exec(source)?.[0];
  if (matched === undefined) return { type: 'other', name: source };
  const parameters = parseParameters(source.slice(matched.length));
  const name = matched.toLowerCase();
  const known = KNOWN_MEDIA_TYPES.find((candidate) => candidate === name);
  if (known) return { type: 'known', name: known };
  const isStripped = parameters.get('nulls') === 'stripped';
  switch (name) {
    case 'application/vnd.pgrst.plan':
    case 'application/vnd.pgrst.plan+text':
      return planType('text', parameters);
    case 'application/vnd.pgrst.plan+json':
      return planType('json', parameters);
    case 'application/vnd.pgrst.object+json':
    case 'application/vnd.pgrst.object':
      return { type: 'single', isStripped };
    case 'application/vnd.pgrst.array+json':
    case 'application/vnd.pgrst.array':
      return isStripped ? { type: 'array-stripped' } : JSON_TYPE;
    default:
      return { type: 'other', name: source };
  }
}

function parseParameters(source: string): ReadonlyMap<string, string> {
  const parameters = new Map<string, string>();
  let rest = source;
  for (;;) {
    const [matched, name = '', quoted, bare = ''] = PARAMETER.exec(rest) ?? [];
    if (matched === undefined) return parameters;
    parameters.set(name.toLowerCase(), quoted ?? bare);
    rest = rest.slice(matched.length);
  }
}

function planType(format: 'json' | 'text', parameters: ReadonlyMap<string, string>): MediaType {
  const wanted = parameters.get('options')?.split('|');
  return {
    type: 'plan',
    of: parseMediaType(parameters.get('for') ?? 'application/json'),
    format,
    options: PLAN_OPTIONS.filter((option) => wanted?.includes(option)),
  };
}

/** The media types of an `Accept` header, best first: by quality, then by specificity. */
export function parseAccept(header: string | undefined): readonly MediaType[] {
  if (header === undefined) return [ANY_TYPE];
  const ranked = header.split(',').map((part) => {
    const [source = '', quality] = part.replaceAll(' ', '').split(';q=', 2);
    return { source, quality: parseQuality(quality), specificity: count(source, ';') - count(source, '*') };
  });
  return ranked
    .toSorted((a, b) => b.quality - a.quality || b.specificity - a.specificity)
    .map(({ source }) => parseMediaType(source));
}

function parseQuality(source: string | undefined): number {
  const [number] = /^\d+(?:\.\d+)?(?=;|$)/.exec(source ?? '') ?? ['1'];
  return Number(number);
}

const count = (source: string, part: string): number => source.split(part).length - 1;
