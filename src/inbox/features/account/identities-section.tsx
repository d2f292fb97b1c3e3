import { useEffect, useRef, useState } from 'react';
import type { UnverifiedUser, UserIdentity } from 'supabase-protocol-clients/auth-client';
import { createIdentities } from 'supabase-protocol-clients/auth-client/identities';
import { runFormAction } from '../../shared/auth-problem/auth-problem.ts';
import { useClients, useConfiguration } from '../../shared/clients/clients-context.ts';
import { paths } from '../../shared/routes.ts';
import { Button } from '../../ui/button.tsx';
import { FormMessages } from '../../ui/page/message.tsx';
import { isSocialProvider, providerName } from '../../ui/provider-name.ts';
import { accountTexts, type AccountTexts } from './account-texts.ts';
import layout from '../../ui/layout.module.css';
import styles from './account.module.css';
import { ConfirmDialog } from './confirm-dialog.tsx';
import { useRecentProof, type RecentProof } from './proof/recent-proof.tsx';
import { Section } from '../../ui/section.tsx';

export interface IdentitiesSectionProps {
  readonly user: UnverifiedUser;
  readonly onChanged: () => Promise<void>;
}

export function IdentitiesSection({ user, onChanged }: IdentitiesSectionProps) {
  const texts = accountTexts.use();
  const { auth } = useClients();
  const heading = useRef<HTMLHeadingElement>(null);
  const proof = useRecentProof();
  const identities = user.identities ?? [];
  const [unlinking, setUnlinking] = useState<UserIdentity | null>(null);
  const [state, setState] = useState<{ readonly news?: string; readonly problem?: string | undefined }>({});
  const unlink = async (identity: UserIdentity) => {
    setUnlinking(null);
    if (!(await proof.request('identities'))) return;
    setState({});
    const failure = await runFormAction([], () => createIdentities(auth).unlinkIdentity(identity));
    setState(failure ? { problem: failure.message } : { news: texts.unlinked(nameOf(identity, texts)) });
    if (failure) return;
    await onChanged();
    heading.current?.focus();
  };
  const isOnly = identities.length === 1;
  return (
    <Section id="identities" title={texts.identities} headingRef={heading}>
      <FormMessages error={state.problem} success={state.news} />
      <ul className={layout.list}>
        {identities.map((identity) => (
          <li key={identity.identity_id} className={styles.item}>
            <span className={styles.itemText}>
              {nameOf(identity, texts)}
              <span className={styles.itemHint}>{addressOf(identity)}</span>
            </span>
            {!isOnly && (
              <Button
                aria-label={texts.unlinkName(nameOf(identity, texts))}
                onClick={() => setUnlinking(identity)}
              >
                {texts.unlink}
              </Button>
            )}
          </li>
        ))}
      </ul>
      <LinkButtons linked={identities.flatMap(({ provider }) => provider ?? [])} proof={proof} />
      <ConfirmDialog
        open={unlinking !== null}
        title={unlinking ? texts.unlinkTitle(nameOf(unlinking, texts)) : ''}
        action={texts.unlink}
        pending={false}
        onConfirm={() => unlinking && void unlink(unlinking)}
        onClose={() => setUnlinking(null)}
      >
        <p>{texts.unlinkText}</p>
      </ConfirmDialog>
      {proof.dialog}
    </Section>
  );
}

/** One button per enabled provider that is not linked yet. */
function LinkButtons({ linked, proof }: { readonly linked: readonly string[]; readonly proof: RecentProof }) {
  const texts = accountTexts.use();
  const { auth } = useClients();
  const configuration = useConfiguration();
  const [offered, setOffered] = useState<readonly string[]>([]);
  const [problem, setProblem] = useState<string>();
  useEffect(() => {
    const controller = new AbortController();
    auth.getSettings({ signal: controller.signal }).then(
      ({ external }) =>
        setOffered(Object.keys(external).filter((name) => external[name] && isSocialProvider(name))),
      () => undefined,
    );
    return () => controller.abort();
  }, [auth]);
  const link = async (provider: string) => {
    if (!(await proof.request('identities'))) return;
    const redirectTo = (configuration.siteUrl ?? location.origin) + paths.account;
    const failure = await runFormAction([], async () => {
      const { url } = await createIdentities(auth).linkIdentity({ provider, redirectTo });
      location.assign(url);
    });
    setProblem(failure?.message);
  };
  return (
    <>
      <FormMessages error={problem} />
      <div className={layout.row}>
        {offered
          .filter((provider) => !linked.includes(provider))
          .map((provider) => (
            <Button key={provider} onClick={() => void link(provider)}>
              {texts.link(providerName(provider))}
            </Button>
          ))}
      </div>
    </>
  );
}

function nameOf({ provider }: UserIdentity, texts: AccountTexts): string {
  return provider === 'email' ? texts.identityEmail : providerName(provider ?? '');
}

/** Empty for the account's own address, which is shown above. */
function addressOf({ identity_data, provider }: UserIdentity): string {
  const email = identity_data?.['email'];
  return typeof email === 'string' && provider !== 'email' ? email : '';
}
