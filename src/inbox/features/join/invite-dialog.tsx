import { useRef, useState } from 'react';
import { useClients, useConfiguration, useRest } from '../../shared/clients/clients-context.ts';
import { links } from '../../shared/routes.ts';
import { Button, buttonClass } from '../../ui/button.tsx';
import { Dialog } from '../../ui/overlay/dialog.tsx';
import { FormMessages } from '../../ui/page/message.tsx';
import { EmailField, TextField } from '../../ui/form/text-field.tsx';
import { useCopy } from '../../ui/state/use-copy.ts';
import { useForm } from '../../ui/form/use-form.ts';
import { createInvitationsApi, type CreatedInvitation } from './invitations-api.ts';
import layout from '../../ui/layout.module.css';
import { joinTexts } from './join-texts.ts';
import { SubmitForm } from '../../ui/form/submit-form.tsx';

export interface InviteDialogProps {
  readonly open: boolean;
  readonly onClose: () => void;
}

interface Sent extends CreatedInvitation {
  readonly email: string;
}

/** Creates an invitation and shows its link for sharing. */
export function InviteDialog({ open, onClose }: InviteDialogProps) {
  const texts = joinTexts.use();
  const [sent, setSent] = useState<Sent | null>(null);
  const close = () => {
    setSent(null);
    onClose();
  };
  return (
    <Dialog
      open={open}
      sheet
      onClose={close}
      title={sent ? texts.invitedTitle(sent.email) : texts.inviteTitle}
      closeLabel={texts.close}
    >
      {sent ? <SentView sent={sent} onAnother={() => setSent(null)} /> : <InviteForm onSent={setSent} />}
    </Dialog>
  );
}

function InviteForm({ onSent }: { readonly onSent: (sent: Sent) => void }) {
  const texts = joinTexts.use();
  const { platform } = useClients();
  const rest = useRest();
  const form = useForm({
    initial: { email: '', entityName: '' },
    validate: ({ email }) => ({
      email: /^[^@\s]+@[^@\s]+\.[^@\s]+$/.test(email.trim()) ? undefined : texts.emailInvalid,
    }),
    async submit({ email, entityName }) {
      try {
        const created = await createInvitationsApi(rest).create({
          email: email.trim(),
          entityName: entityName.trim(),
        });
        onSent({ ...created, email: email.trim() });
        return undefined;
      } catch (problem) {
        const reason = problem instanceof Error ? problem.message : '';
        if (reason === 'invitation_to_yourself') return { fields: { email: texts.toYourself } };
        if (reason === 'invitation_email_invalid') return { fields: { email: texts.emailInvalid } };
        if (reason === 'invitation_limit_exceeded') return { message: texts.tooMany };
        platform.report(problem);
        return { message: texts.inviteFailed };
      }
    },
  });
  return (
    <SubmitForm form={form} submit={texts.send}>
      <EmailField label={texts.email} {...form.field('email')} autoComplete="off" />
      <TextField label={texts.entity} hint={texts.entityHint} {...form.field('entityName')} />
    </SubmitForm>
  );
}

function SentView({ sent, onAnother }: { readonly sent: Sent; readonly onAnother: () => void }) {
  const texts = joinTexts.use();
  const configuration = useConfiguration();
  const field = useRef<HTMLInputElement>(null);
  const url = (configuration.siteUrl ?? location.origin) + links.join(sent.token);
  const mail = new URLSearchParams({ subject: texts.mailSubject, body: texts.mailBody(url) });
  // Mail programs do not decode a plus as a space.
  const mailto = `mailto:${encodeURIComponent(sent.email)}?${mail.toString().replaceAll('+', '%20')}`;
  const { isCopied, copy } = useCopy(url, () => field.current?.select());
  return (
    <div className={layout.stack}>
      <FormMessages
        error={isCopied === false && texts.copyRefused}
        success={sent.isRenewed ? texts.invitedAgain : texts.invitedNew}
      />
      <TextField ref={field} label={texts.link} readOnly value={url} />
      <div className={layout.row}>
        <Button look="primary" onClick={() => void copy()}>
          {isCopied ? texts.copied : texts.copy}
        </Button>
        <a className={buttonClass('secondary')} href={mailto}>
          {texts.mail}
        </a>
      </div>
      <p className={layout.hint}>{texts.invitedText(sent.email)}</p>
      <Button look="link" onClick={onAnother}>
        {texts.inviteAnother}
      </Button>
    </div>
  );
}
