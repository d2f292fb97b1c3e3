import type { Database } from '../../database/database.ts';
import type { ChannelClaims } from './tokens.ts';

/** What somebody may do in a topic. */
export interface TopicPermissions {
  readonly broadcast: Permission;
  readonly presence: Permission;
}

interface Permission {
  readonly read: boolean;
  readonly write: boolean;
}

/** Asks for what these claims allow in a topic. */
export type AskPermissions = (
  claims: ChannelClaims,
  topic: string,
  isPrivate: boolean,
) => Promise<TopicPermissions>;

const granted: Permission = { read: true, write: true };
const everything: TopicPermissions = { broadcast: granted, presence: granted };

/** In a private topic the policies on `realtime.messages` decide; in a public one everybody may do everything. */
export function createPermissions(database: Database): AskPermissions {
  return async (claims, topic, isPrivate) => {
    if (!isPrivate) return everything;
    const [answer] = await database.query<{ permissions: TopicPermissions }>(
      'select realtime.permissions($1, $2, $3) as permissions',
      [topic, claims.role, JSON.stringify(claims)],
    );
    if (!answer) throw new Error('realtime.permissions() answered nothing');
    return answer.permissions;
  };
}

export const unreadableMessage = (topic: string): string =>
  `You do not have permissions to read from this Channel topic: ${topic}`;
