import { useMemo, useState } from 'react';
import type { Session } from '../../auth-client/index.ts';
import { createMfa } from '../../auth-client/mfa.ts';
import { attempt } from '../../app/auth-problem.ts';
import { useClients } from '../../app/clients-context.ts';
import { Button } from '../../ui/button.tsx';
import { Choice } from '../../ui/choice.tsx';
import { checkCode, compactCode } from '../../ui/credential-rules.ts';
import { credentialTexts } from '../../ui/credential-texts.ts';
import { FormMessages } from '../../ui/message.tsx';
import { SubmitButton } from '../../ui/submit-button.tsx';
import { CodeField } from '../../ui/text-field.tsx';
import { useForm } from '../../ui/use-form.ts';
import { AuthPage } from './auth-page.tsx';
import { followUpTexts } from './follow-up-texts.ts';
import styles from './auth-page.module.css';

/** The second step of a sign-in. Where it succeeds, the session rises to `aal2` and the gate leads on. */
export function MfaChallenge({ session }: { readonly session: Session }) {
  const texts = followUpTexts.use();
  const rules = credentialTexts.use();
  const { auth } = useClients();
  const mfa = useMemo(() => createMfa(auth), [auth]);
  const factors = (session.user.factors ?? []).filter(
    ({ status, factor_type }) => status === 'verified' && factor_type === 'totp',
  );
  const [factorId, setFactorId] = useState(factors[0]?.id ?? '');
  const form = useForm({
    initial: { code: '' },
    validate: ({ code }) => ({ code: checkCode(code, rules) }),
    submit: ({ code }) =>
      attempt(['code'], () => mfa.challengeAndVerify({ factorId, code: compactCode(code) })),
  });
  return (
    <AuthPage title={texts.mfaTitle} intro={texts.mfaIntro}>
      <form {...form.props} className={styles.form}>
        <FormMessages error={form.problem} />
        {factors.length > 1 && (
          <Choice
            label={texts.mfaFactor}
            value={factorId}
            options={factors.map(({ id, friendly_name }) => [id, friendly_name || texts.mfaUnnamed] as const)}
            onChange={setFactorId}
          />
        )}
        <CodeField label={texts.mfaCode} required maxLength={9} {...form.field('code')} />
        <SubmitButton pending={form.pending} untilMs={form.retryAtMs}>
          {texts.confirm}
        </SubmitButton>
      </form>
      <Button look="link" onClick={() => void attempt([], () => auth.signOut({ scope: 'local' }))}>
        {texts.mfaOtherAccount}
      </Button>
    </AuthPage>
  );
}
