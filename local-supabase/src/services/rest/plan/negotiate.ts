import { noMediaType } from '../request/errors.ts';
import { isSameName } from '../catalog/catalog.ts';
import type { Catalog, QualifiedName } from '../catalog/catalog.ts';
import type { ApiRequest } from '../request/api-request.ts';
import { JSON_TYPE, isKnown, mimeOf, parseMediaType } from '../request/media-type.ts';
import type { MediaType } from '../request/media-type.ts';

/** How the rows become the body of the response. */
export type BodyHandler =
  | { readonly type: 'json' | 'array-stripped' | 'csv' | 'geojson' | 'none' }
  | { readonly type: 'single'; readonly isStripped: boolean }
  | { readonly type: 'custom'; readonly function: QualifiedName; readonly target: QualifiedName | null };

export interface Negotiated {
  readonly handler: BodyHandler;
  readonly mediaType: MediaType;
}

const NO_BODY: BodyHandler = { type: 'none' };

/**
 * Returns the first acceptable media type that can be produced.
 *
 * @param source the relation or function with custom handlers; they apply only if its rows are selected whole.
 * @throws {RestError} PGRST107.
 */
export function negotiate(
  { accept, action, preferences }: ApiRequest,
  source: QualifiedName,
  catalog: Catalog,
  isWholeSelect: boolean,
  allowsPlans: boolean,
): Negotiated {
  const found = accept
    .map((type) => handlerOf(type, source, catalog, isWholeSelect, allowsPlans))
    .find((one) => one !== undefined);
  if (!found) throw noMediaType(accept);
  const isSilent =
    action.type === 'mutate'
      ? preferences.representation !== 'representation'
      : (action.type === 'read' || action.type === 'call') && action.headersOnly;
  return isSilent ? { ...found, handler: NO_BODY } : found;
}

function handlerOf(
  type: MediaType,
  source: QualifiedName,
  catalog: Catalog,
  isWholeSelect: boolean,
  allowsPlans: boolean,
): Negotiated | undefined {
  switch (type.type) {
    case 'single':
      return { handler: { type: 'single', isStripped: type.isStripped }, mediaType: type };
    case 'array-stripped':
      return { handler: { type: 'array-stripped' }, mediaType: type };
    case 'plan': {
      const planned = handlerOf(type.of, source, catalog, isWholeSelect, allowsPlans);
      return allowsPlans && planned ? { handler: planned.handler, mediaType: type } : undefined;
    }
    case 'known':
    case 'other':
      return customHandler(type, source, catalog, isWholeSelect) ?? builtInHandler(type);
  }
}

function customHandler(
  type: MediaType,
  source: QualifiedName,
  { mediaHandlers }: Catalog,
  isWholeSelect: boolean,
): Negotiated | undefined {
  const find = (isTarget: (target: QualifiedName | null) => boolean, wanted: string) =>
    mediaHandlers.find(
      ({ target, mediaType }) => isTarget(target) && mimeOf(parseMediaType(mediaType)) === wanted,
    );
  const isOwn = (target: QualifiedName | null) => target !== null && isSameName(target, source);
  const found =
    (isWholeSelect ? (find(isOwn, '*/*') ?? find(isOwn, mimeOf(type))) : undefined) ??
    find((target) => target === null, mimeOf(type));
  return (
    found && {
      handler: { type: 'custom', function: found.function, target: found.target },
      mediaType: parseMediaType(found.resolvedMediaType),
    }
  );
}

function builtInHandler(type: MediaType): Negotiated | undefined {
  if (isKnown(type, '*/*', 'application/json')) return { handler: { type: 'json' }, mediaType: JSON_TYPE };
  if (isKnown(type, 'text/csv')) return { handler: { type: 'csv' }, mediaType: type };
  if (isKnown(type, 'application/geo+json')) return { handler: { type: 'geojson' }, mediaType: type };
  return undefined;
}
