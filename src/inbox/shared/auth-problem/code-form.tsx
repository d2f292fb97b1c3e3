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
  /** Whether the field has the focus at once, as the one thing that its screen asks for. Default true. */
  readonly takesFocus?: boolean;
  /** Sends the code, without spaces and dashes. */
  readonly onCode: (code: string) => Promise<unknown>;
  readonly children?: ReactNode;
}

const focus = (field: HTMLInputElement | null): void => field?.focus();

/** Asks for a one-time code. */
export function CodeForm(props: CodeFormProps) {
  const { label, digits, takesFocus = true, onCode, children, ...rest } = props;
  const rules = credentialTexts.use();
  const form = useForm({
    initial: { code: '' },
    validate: ({ code }) => ({ code: checkCode(code, rules, digits) }),
    submit: ({ code }) => runFormAction(['code'], () => onCode(compactCode(code))),
  });
  return (
    <SubmitForm form={form} {...rest}>
      {/* No length limit below the longest code that a project may configure. */}
      <CodeField
        ref={takesFocus ? focus : undefined}
        label={label}
        required
        maxLength={12}
        {...form.field('code')}
      />
      {children}
    </SubmitForm>
  );
}
