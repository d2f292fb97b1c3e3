import { NarrowPage } from '../../ui/narrow-page.tsx';
import { PageHeading } from '../../ui/page-heading.tsx';

export interface JoinScreenProps {
  /** From `/join/:token`; without it the screen asks for a link or code. */
  readonly token?: string;
}

export function JoinScreen({ token }: JoinScreenProps) {
  return (
    <NarrowPage>
      <PageHeading>{`Invitation ${token ?? ''}`}</PageHeading>
    </NarrowPage>
  );
}
