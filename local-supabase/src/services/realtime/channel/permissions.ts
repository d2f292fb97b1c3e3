import type { Database } from '../../../database/database.ts';
import type { ChannelClaims } from '../subscription/tokens.ts';

export interface TopicPermissions {
  readonly broadcast: Permission;
  readonly presence: Permission;
}

interface Permission {
  readonly read: boolean;
  readonly write: boolean;
}

export type EvaluatePermissions = (
  claims: ChannelClaims,
  topic: string,
  isPrivate: boolean,
) => Promise<TopicPermissions>;

const granted: Permission = { read: true, write: true };
const everything: TopicPermissions = { broadcast: granted, presence: granted };

/** The policies on `realtime.messages` decide about a private topic; a public one allows everything. */
export function createPermissionEvaluator(database: Database): EvaluatePermissions {
  return async (claims, topic, isPrivate) => {
    if (!isPrivate) return everything;
    const [row] = await database.query<{ permissions: TopicPermissions }>(
      'select realtime.permissions($1, $2, $3) as permissions',
      [topic, String(claims.role), JSON.stringify(claims)],
    );
    if (!row) throw new Error('realtime.permissions() returned no row');
    return row.permissions;
  };
}

/** The granted permissions to read; presence is null if the join did not enable it. */
export interface ReadPermissions {
  readonly broadcast: boolean;
  readonly presence: boolean | null;
}

export const unreadableMessage = (topic: string): string =>
  `You do not have permissions to read from this Channel topic: ${topic}`;

export const revokedMessage = (topic: string): string =>
  `You no longer have permission to read from this Channel topic: ${topic}`;
