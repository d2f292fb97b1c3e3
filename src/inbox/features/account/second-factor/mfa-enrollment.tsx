import { useRef, useState } from 'react';
import { createMfa, type EnrolledFactor } from 'supabase-protocol-clients/auth-client/mfa';
import { runFormAction } from '../../../shared/auth-problem/auth-problem.ts';
import { useClients } from '../../../shared/clients/clients-context.ts';
import { Button } from '../../../ui/button.tsx';
import { authenticatorCodeLength, checkCode, compactCode } from '../../../ui/form/credential-rules.ts';
import { credentialTexts } from '../../../ui/form/credential-texts.ts';
import { FormMessages } from '../../../ui/page/message.tsx';
import { productName } from '../../../ui/page/page-title.ts';
import { SlowNote } from '../../../ui/form/slow-note.tsx';
import { CountdownButton } from '../../../ui/form/submit-button.tsx';
import { CodeField, TextField } from '../../../ui/form/text-field.tsx';
import { useCopy } from '../../../ui/state/use-copy.ts';
import { useForm } from '../../../ui/form/use-form.ts';
import { accountTexts } from '../account-texts.ts';
import { createAccountApi } from '../account-api.ts';
import layout from '../../../ui/layout.module.css';
import styles from '../account.module.css';
import { useRecentProof } from '../proof/recent-proof.tsx';
import { takeFocus } from '../take-focus.ts';

export interface MfaEnrollmentProps {
  /** The account has no verified factor yet: recovery codes are created with it. */
  readonly isFirst: boolean;
  /** @param codes the recovery codes that were created; null: none, or their creation failed. */
  readonly onAdded: (name: string, codes: readonly string[] | null) => Promise<void>;
  readonly onCancel: () => void;
}

/** Two steps: a name, then the QR code and a code from the app as proof. */
export function MfaEnrollment({ onCancel, ...rest }: MfaEnrollmentProps) {
  const [enrolled, setEnrolled] = useState<EnrolledFactor | null>(null);
  return enrolled ? (
    <ProveStep factor={enrolled} onCancel={onCancel} {...rest} />
  ) : (
    <NameStep onEnrolled={setEnrolled} onCancel={onCancel} />
  );
}

interface NameStepProps {
  readonly onEnrolled: (factor: EnrolledFactor) => void;
  readonly onCancel: () => void;
}

function NameStep({ onEnrolled, onCancel }: NameStepProps) {
  const texts = accountTexts.use();
  const { auth } = useClients();
  const proof = useRecentProof();
  const form = useForm({
    initial: { name: texts.mfaDefaultName },
    validate: ({ name }) => ({ name: name.trim() === '' ? texts.mfaNameMissing : undefined }),
    submit: async ({ name }) => {
      if (!(await proof.request('factors'))) return undefined;
      return runFormAction(['name'], async () => {
        const mfa = createMfa(auth);
        // Remove unfinished enrollments first, since names must be unique.
        for (const { id, status, factor_type } of (await mfa.listFactors()).all) {
          if (status !== 'verified' && factor_type === 'totp') await mfa.unenroll({ factorId: id });
        }
        onEnrolled(await mfa.enroll({ factorType: 'totp', friendlyName: name.trim(), issuer: productName }));
      });
    },
  });
  return (
    <>
      <form {...form.props} className={styles.form}>
        <FormMessages error={form.problem} />
        <TextField
          ref={takeFocus}
          label={texts.mfaName}
          hint={texts.mfaNameHint}
          required
          {...form.field('name')}
        />
        <div className={layout.row}>
          <Button type="submit" look="primary" pending={form.pending}>
            {texts.mfaStart}
          </Button>
          <Button onClick={onCancel}>{texts.cancel}</Button>
        </div>
        <SlowNote pending={form.pending} />
      </form>
      {proof.dialog}
    </>
  );
}

interface ProveStepProps extends MfaEnrollmentProps {
  readonly factor: EnrolledFactor;
}

function ProveStep({ factor, isFirst, onAdded, onCancel }: ProveStepProps) {
  const texts = accountTexts.use();
  const rules = credentialTexts.use();
  const { auth, loadRest, platform } = useClients();
  /** Needs no further proof, because the session was just raised to `aal2`. */
  const createCodes = async () => {
    try {
      return await createAccountApi(await loadRest()).createRecoveryCodes();
    } catch (problem) {
      platform.report(problem);
      return null;
    }
  };
  const secret = factor.totp?.secret ?? '';
  const form = useForm({
    initial: { code: '' },
    validate: ({ code }) => ({ code: checkCode(code, rules, authenticatorCodeLength) }),
    submit: ({ code }) =>
      runFormAction(['code'], async () => {
        await createMfa(auth).challengeAndVerify({ factorId: factor.id, code: compactCode(code) });
        await onAdded(factor.friendlyName ?? texts.mfaUnnamed, isFirst ? await createCodes() : null);
      }),
  });
  const key = useRef<HTMLElement>(null);
  const { isCopied, copy } = useCopy(
    secret,
    () => key.current && getSelection()?.selectAllChildren(key.current),
  );
  return (
    <form {...form.props} className={styles.form}>
      <p ref={takeFocus} tabIndex={-1}>
        {texts.mfaScan}
      </p>
      {factor.totp && (
        <img className={styles.qr} src={factor.totp.qrCodeUrl} alt={texts.mfaQr} width="220" height="220" />
      )}
      <p>{texts.mfaSecret}</p>
      <code ref={key} className={styles.secret}>
        {inGroups(secret)}
      </code>
      <Button look="link" onClick={() => void copy()}>
        {texts.mfaCopy}
      </Button>
      <FormMessages
        error={isCopied === false && texts.mfaCopyRefused}
        success={isCopied && texts.mfaCopied}
      />
      <FormMessages error={form.problem} />
      <CodeField label={texts.mfaCode} maxLength={9} required {...form.field('code')} />
      <div className={layout.row}>
        <CountdownButton type="submit" look="primary" pending={form.pending} untilMs={form.retryAtMs}>
          {texts.mfaVerify}
        </CountdownButton>
        <Button onClick={onCancel}>{texts.cancel}</Button>
      </div>
    </form>
  );
}

/** In groups of four, for typing. */
function inGroups(secret: string): string {
  return secret.replace(/(.{4})(?=.)/g, '$1 ');
}
