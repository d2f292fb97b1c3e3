import { NarrowPage } from '../../ui/page/narrow-page.tsx';
import { InvitationList } from './invitation-list.tsx';
import { InvitationView } from './invitation-view.tsx';
import { JoinCodeForm } from './join-code-form.tsx';

/** `/join` and `/join/:token`. The URL is a secret: no referrer, no indexing. */
export function JoinScreen({ token }: { readonly token?: string }) {
  return (
    <NarrowPage>
      <meta name="referrer" content="no-referrer" />
      <meta name="robots" content="noindex" />
      {token ? (
        <InvitationView key={token} token={token} />
      ) : (
        <>
          <JoinCodeForm />
          <InvitationList />
        </>
      )}
    </NarrowPage>
  );
}
