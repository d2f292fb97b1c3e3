import { useLocation } from 'wouter';
import { links } from '../../shared/routes.ts';
import { SubmitForm } from '../../ui/form/submit-form.tsx';
import { TextField } from '../../ui/form/text-field.tsx';
import { useForm } from '../../ui/form/use-form.ts';
import { NarrowPage } from '../../ui/page/narrow-page.tsx';
import { PageHeading } from '../../ui/page/page-heading.tsx';
import { parseInvitationCode } from './invitation.ts';
import { InvitationList } from './invitation-list.tsx';
import { InvitationView } from './invitation-view.tsx';
import { joinTexts } from './join-texts.ts';

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

/** `/join` without a token: takes a pasted link or code. */
function JoinCodeForm() {
  const texts = joinTexts.use();
  const [, navigate] = useLocation();
  const form = useForm({
    initial: { code: '' },
    validate: ({ code }) => ({ code: parseInvitationCode(code) ? undefined : texts.codeInvalid }),
    async submit({ code }) {
      const token = parseInvitationCode(code);
      if (token) navigate(links.join(token));
      return undefined;
    },
  });
  return (
    <>
      <PageHeading>{texts.askTitle}</PageHeading>
      <p>{texts.askText}</p>
      <SubmitForm form={form} submit={texts.continue}>
        <TextField label={texts.code} autoComplete="off" spellCheck={false} {...form.field('code')} />
      </SubmitForm>
    </>
  );
}
