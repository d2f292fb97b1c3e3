import { PageHeading } from '../../ui/page-heading.tsx';

export function PreferencesScreen() {
  return <PageHeading>Inbox</PageHeading>;
}
