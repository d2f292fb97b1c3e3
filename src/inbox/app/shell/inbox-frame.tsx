import { useLayoutEffect, useMemo, useState, type ReactNode } from 'react';
import { useLocation } from 'wouter';
import { Bell } from '../../features/notifications/bell/bell.tsx';
import { usePageShortcuts } from '../../features/notifications/actions/use-shortcuts.ts';
import { InboxContext } from '../../features/notifications/data/inbox-context.ts';
import { InboxRail } from '../../features/notifications/screen/inbox-navigation.tsx';
import { UnreadBadge } from '../../features/notifications/bell/unread-badge.tsx';
import { PartBoundary } from '../../ui/page/part-boundary.tsx';
import { onDemand } from '../../ui/state/loader.ts';
import { useUser } from 'supabase-protocol-clients/react';
import { useClients, useConfiguration, useRest } from '../../shared/clients/clients-context.ts';
import { paths } from '../../shared/routes.ts';
import { UserDataContext } from '../data/user-data-context.ts';
import { getUserData } from '../data/get-user-data.ts';
import { PausedNotice } from './paused-notice.tsx';

export interface InboxSlots {
  readonly bell: ReactNode;
  readonly rail: ReactNode;
}

const InviteDialog = onDemand(
  async () => (await import('../../features/join/invite-dialog.tsx')).InviteDialog,
);
const FirstVisitQuestions = onDemand(async () => (await import('./first-visit.tsx')).FirstVisitQuestions);
const InvitationAnswer = onDemand(
  async () => (await import('../../features/join/invitation-answer.tsx')).InvitationAnswer,
);

/** Shows the questions of the first visit, unless they were answered or skipped. */
function FirstVisit() {
  return (
    useUser()?.user_metadata?.['first_visit'] === true && (
      <PartBoundary isOptional>
        <FirstVisitQuestions />
      </PartBoundary>
    )
  );
}

/** Provides the signed-in user's data to all pages: data cache, live notifications, bell and rail. */
export function InboxFrame({ children }: { readonly children: (slots: InboxSlots) => ReactNode }) {
  const clients = useClients();
  const rest = useRest();
  const configuration = useConfiguration();
  const { entityUrl } = configuration;
  const user = useUser();
  const [path] = useLocation();
  const [userId] = useState(user?.id ?? '');
  const userData = useMemo(
    () => getUserData(clients, rest, configuration, userId),
    [clients, rest, configuration, userId],
  );
  const isInbox = path === paths.home || path === paths.root;
  const { inbox, minuteClock } = userData;
  const services = useMemo(
    () => ({ inbox, minuteClock, entityUrl, InviteDialog, InvitationAnswer, PausedNotice, FirstVisit }),
    [inbox, minuteClock, entityUrl],
  );
  usePageShortcuts();
  // Start before paint, so that the first request is not delayed.
  useLayoutEffect(() => userData.start(), [userData]);
  return (
    <UserDataContext value={userData}>
      <InboxContext value={services}>
        <UnreadBadge />
        {children({
          // The inbox itself shows what the bell would.
          bell: isInbox ? null : <Bell />,
          rail: <InboxRail isCurrentPage={isInbox} />,
        })}
      </InboxContext>
    </UserDataContext>
  );
}
