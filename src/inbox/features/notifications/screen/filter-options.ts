import { registeredKinds } from '../../../shared/registered-kinds.ts';
import { notificationKinds, type Notification } from '../model/notification.ts';
import type { InboxTexts } from '../texts/inbox-texts.ts';
import { kindsName, notificationActor, notificationEntity } from '../texts/notification-words.ts';

/** The kinds that have a filter, with their names: the built-in ones, then those that the team registered. */
export function listKinds(texts: InboxTexts): readonly (readonly [kind: string, name: string])[] {
  const named = (kind: string) => [kind, kindsName(kind, texts)] as const;
  const registered = [...registeredKinds.getSnapshot().keys()].filter((kind) => kind !== 'system').map(named);
  registered.sort(([, one], [, other]) => one.localeCompare(other, texts.language));
  return [...notificationKinds.map(named), ...registered];
}

export function personName(rows: readonly Notification[], person: string): string | null {
  const row = rows.find(({ senderId }) => senderId === person);
  return row ? notificationActor(row) : null;
}

/** The name of a thread's entity, from a loaded row. */
export function placeName(rows: readonly Notification[], place: string): string | null {
  const row = rows.find(({ thread }) => thread === place);
  return row ? notificationEntity(row) : null;
}
