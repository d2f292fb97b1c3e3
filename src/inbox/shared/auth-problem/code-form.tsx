import type { ReactNode } from 'react';
import { checkCode, compactCode } from '../../ui/form/credential-rules.ts';
import { credentialTexts } from '../../ui/form/credential-texts.ts';
import { SubmitForm, type SubmitFormProps } from '../../ui/form/submit-form.tsx';
import { CodeField } from '../../ui/form/text-field.tsx';
import { useForm } from '../../ui/form/use-form.ts';
import { runFormAction } from './auth-problem.ts';

export interface CodeFormProps extends Omit<SubmitFormProps, 'form' | 'error' | 'success'> {
  readonly label: string;
  /** The usual length of the code. Default: that of a code in an email. */
  readonly digits?: number;
  /** Sends the code, without spaces and dashes. */
  readonly onCode: (code: string) => Promise<unknown>;
  readonly children?: ReactNode;
}

/** Asks for a one-time code. */
export function CodeForm({ label, digits, onCode, children, ...rest }: CodeFormProps) {
  const rules = credentialTexts.use();
  const form = useForm({
    initial: { code: '' },
    validate: ({ code }) => ({ code: checkCode(code, rules, digits) }),
    submit: ({ code }) => runFormAction(['code'], () => onCode(compactCode(code))),
  });
  return (
    <SubmitForm form={form} {...rest}>
      {/* No length limit below the longest code that a project may configure. */}
      <CodeField label={label} required maxLength={12} {...form.field('code')} />
      {children}
    </SubmitForm>
  );
}
