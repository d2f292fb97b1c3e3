import { createContext, useContext, useSyncExternalStore, type ComponentType } from 'react';
import { pastMoment } from '../../../ui/list/relative-time.ts';
import { selectLocale } from '../../../ui/locale.ts';
import { useLanguage } from '../../../ui/texts.ts';
import type { InboxSnapshot } from './inbox-store.ts';
import type { Inbox } from './inbox.ts';
import type { MinuteClock } from '../../../ui/list/minute-clock.ts';

/** Services that the parts of the inbox share; provided once by the application's frame. */
export interface InboxServices {
  readonly inbox: Inbox;
  readonly minuteClock: MinuteClock;
  /** URL template of an entity's page, with `{entity_type}` and `{entity_id}`; null where entities have no pages. */
  readonly entityUrl: string | null;
  /** The dialog that sends an invitation; null where the application has no invitations. */
  readonly InviteDialog: ComponentType<{ readonly open: boolean; readonly onClose: () => void }> | null;
  /** The buttons that answer an invitation; null where the application has no invitations. */
  readonly InvitationAnswer: ComponentType<{
    readonly token: string;
    readonly title: string;
    readonly answer: 'accepted' | 'declined' | null;
    readonly onAnswer: () => void;
  }> | null;
  /** Shows that in-app notifications are off for this user. */
  readonly PausedNotice: ComponentType;
  /** Shows a new user the questions of the first visit; renders nothing for others. */
  readonly FirstVisit: ComponentType;
}

export const InboxContext = createContext<InboxServices | null>(null);

export function useInboxServices(): InboxServices {
  const services = useContext(InboxContext);
  if (!services) throw new Error('No inbox: render within <InboxContext>');
  return services;
}

export function useInbox(): Inbox {
  return useInboxServices().inbox;
}

export function useInboxSnapshot(): InboxSnapshot {
  const { subscribe, getSnapshot } = useInbox();
  return useSyncExternalStore(subscribe, getSnapshot);
}

/** Day and time of the last read of the shown list; null while no list is shown. */
export function useListAge(): string | null {
  const { asOfMs, view } = useInboxSnapshot();
  const { minuteClock } = useInboxServices();
  const nowMs = useSyncExternalStore(minuteClock.subscribe, minuteClock.getSnapshot);
  const locale = useLocale();
  return view.isLoaded && asOfMs !== null ? pastMoment(asOfMs, nowMs, locale) : null;
}

/** The locale for numbers and dates. */
export function useLocale(): string {
  return selectLocale(navigator.languages, useLanguage());
}
