import { PageHeading } from '../../ui/page-heading.tsx';

export function InboxScreen() {
  return <PageHeading>Inbox</PageHeading>;
}
