import { sentLimit } from '../../platform/number-options.ts';
import { RealtimeError, requireRanges } from '../errors.ts';

/** For how long the server keeps a broadcast for `replay`: as long as it keeps any (three days), or for `ttlSeconds`. */
export type Persist =
  | true
  | {
      /** In seconds. */
      readonly ttlSeconds: number;
    };

/** @throws {RealtimeError} `invalid-payload`, `invalid-options` */
export function requirePersist(persist: Persist | undefined, isPrivate: boolean): void {
  if (persist && !isPrivate)
    throw new RealtimeError('invalid-payload', 'Only a private channel stores broadcasts');
  if (typeof persist === 'object') requireRanges(persist, { ttlSeconds: sentLimit });
}

/** Encodes `persist` for a broadcast frame. */
export const encodePersist = (persist: Persist): true | { readonly ttl: number } =>
  persist === true || { ttl: persist.ttlSeconds };
