import { useState } from 'react';
import { useLocation } from 'wouter';
import { AuthError } from 'supabase-protocol-clients/auth-client';
import { runFormAction } from '../../../shared/auth-problem/auth-problem.ts';
import { useAuth } from 'supabase-protocol-clients/react';
import { useClients } from '../../../shared/clients/clients-context.ts';
import { withoutMailLink, type MailLink } from '../../../shared/mail-link.ts';
import { paths, type LoginNotice } from '../../../shared/routes.ts';
import { Button } from '../../../ui/button.tsx';
import { useForm } from '../../../ui/form/use-form.ts';
import { toasts } from '../../../ui/state/toasts.ts';
import { Message } from '../../../ui/page/message.tsx';
import { AuthPage } from '../auth-page.tsx';
import { authTexts } from '../auth-texts.ts';
import { lastMailedEmail } from './last-emails.ts';
import { isSpentLink } from './link-problem.tsx';
import { SubmitForm } from '../../../ui/form/submit-form.tsx';

/**
 * The page behind every mail link. Opening it sends nothing, so that a mail scanner neither spends nor confirms the link;
 * the button POSTs to /verify. Works in any browser, and replaces a session only by that button.
 */
export function MailLinkScreen({ link }: { readonly link: MailLink }) {
  const texts = authTexts.use();
  const { auth } = useClients();
  const { user } = useAuth();
  const [, navigate] = useLocation();
  const [isHalf, setHalf] = useState(false);
  const { type, tokenHash } = link;
  const name = user?.email ?? user?.phone;

  const leave = (notice: LoginNotice | null = null) => {
    // A spent link on a private page leads a signed-out reader to /login, which offers a new mail.
    const isRecovery = type === 'recovery';
    const target =
      notice === null ? withoutMailLink(location.href) : isRecovery ? paths.resetPassword : paths.login;
    navigate(target, { replace: true, state: notice });
  };
  const form = useForm({
    initial: {},
    validate: () => ({}),
    submit: () =>
      runFormAction([], async () => {
        try {
          const { session } = await auth.verifyOtp({ type, tokenHash });
          lastMailedEmail.forget();
          if (session === null) return setHalf(true);
          toasts.show(texts.linkNow(session.user.email ?? session.user.phone ?? ''));
          leave();
        } catch (problem) {
          const isSpent = problem instanceof AuthError && isSpentLink(problem.code);
          if (!isSpent || user) throw problem;
          leave('link-expired');
        }
      }),
  });
  if (isHalf) {
    return (
      <AuthPage key="half" title={texts.linkTitle[type]}>
        <Message tone="success">{texts.linkHalf}</Message>
        <Button look="primary" wide onClick={() => leave()}>
          {name ? texts.goOn : texts.signIn}
        </Button>
      </AuthPage>
    );
  }
  return (
    <AuthPage title={texts.linkTitle[type]} intro={texts.linkText[type]}>
      {name && <Message>{texts.linkReplaces(name)}</Message>}
      <SubmitForm form={form} submit={texts.linkAction[type]} />
      {name && (
        <Button wide onClick={() => leave()}>
          {texts.linkStay(name)}
        </Button>
      )}
    </AuthPage>
  );
}
