import type { ReactNode } from 'react';
import { FormMessages, type FormMessagesProps } from '../page/message.tsx';
import { SubmitButton, type SubmitButtonProps } from './submit-button.tsx';
import type { Form } from './use-form.ts';
import styles from './field.module.css';

export interface SubmitFormProps
  extends FormMessagesProps, Pick<SubmitButtonProps, 'className' | 'look' | 'wide'> {
  readonly form: Pick<Form<never>, 'props' | 'pending' | 'problem' | 'retryAtMs'>;
  /** The label of the button. */
  readonly submit: string;
  readonly children?: ReactNode;
}

/** A form: its messages, its fields and its main button. `error` is the form's own problem by default. */
export function SubmitForm(props: SubmitFormProps) {
  const { form, submit, className = styles.form, children, ...rest } = props;
  const { error = form.problem, success, ...button } = rest;
  return (
    <form {...form.props} className={className}>
      <FormMessages error={error} success={success} />
      {children}
      <SubmitButton {...button} pending={form.pending} untilMs={form.retryAtMs}>
        {submit}
      </SubmitButton>
    </form>
  );
}
