import { cleanup, fireEvent, render, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, expect, test, vi } from 'vitest';
import { Button } from '../../../src/inbox/ui/button.tsx';
import { FormMessages } from '../../../src/inbox/ui/page/message.tsx';
import { TextField } from '../../../src/inbox/ui/form/text-field.tsx';
import { useForm, type FormProblem } from '../../../src/inbox/ui/form/use-form.ts';

type Submit = (
  values: Readonly<Record<'name' | 'town', string>>,
) => Promise<FormProblem<'name' | 'town'> | undefined>;

function TestForm({ submit }: { readonly submit: Submit }) {
  const form = useForm({
    initial: { name: '', town: '' },
    validate: ({ name }) => ({ name: name === '' ? 'A name is needed.' : undefined }),
    submit,
  });
  return (
    <form {...form.props}>
      <FormMessages error={form.problem} />
      <TextField label="Name" {...form.field('name')} />
      <TextField label="Town" {...form.field('town')} />
      <Button type="submit" pending={form.pending}>
        Send
      </Button>
    </form>
  );
}

afterEach(cleanup);

test('a form sends the values of the page, also those filled without an event', async () => {
  const submit = vi.fn<Submit>().mockResolvedValue(undefined);
  render(<TestForm submit={submit} />);
  const name = screen.getByLabelText('Name');
  if (name instanceof HTMLInputElement) name.value = 'Ada';
  fireEvent.submit(screen.getByRole('button').closest('form') ?? name);
  await waitFor(() => expect(submit).toHaveBeenCalledWith({ name: 'Ada', town: '' }));
});

test('a form sends nothing while a field is invalid or a request is pending', async () => {
  let finish: (problem: undefined) => void = () => undefined;
  const submit = vi.fn<Submit>(() => new Promise((resolve) => (finish = resolve)));
  render(<TestForm submit={submit} />);
  const actor = userEvent.setup();
  await actor.click(screen.getByRole('button', { name: 'Send' }));
  expect(submit).not.toHaveBeenCalled();
  expect(document.activeElement).toBe(screen.getByLabelText('Name'));
  await actor.type(screen.getByLabelText('Name'), 'Ada{Enter}{Enter}');
  await actor.click(screen.getByRole('button', { name: 'Send' }));
  expect(submit).toHaveBeenCalledOnce();
  expect(screen.getByRole('button').getAttribute('aria-busy')).toBe('true');
  finish(undefined);
  await waitFor(() => expect(screen.getByRole('button').getAttribute('aria-busy')).toBeNull());
});

test("a form puts the server's reason on its field until the field changes", async () => {
  const submit = vi.fn<Submit>().mockResolvedValue({ fields: { town: 'No such town.' } });
  render(<TestForm submit={submit} />);
  const actor = userEvent.setup();
  await actor.type(screen.getByLabelText('Name'), 'Ada');
  const town = screen.getByLabelText('Town');
  await actor.type(town, 'Nowhere{Enter}');
  await screen.findByText('No such town.');
  await waitFor(() => expect(document.activeElement).toBe(town));
  await actor.type(town, 'x');
  expect(screen.queryByText('No such town.')).toBeNull();
});

test('a form shows no error between pointer down and click', async () => {
  const submit = vi.fn<Submit>().mockResolvedValue(undefined);
  render(<TestForm submit={submit} />);
  const actor = userEvent.setup();
  const name = screen.getByLabelText('Name');
  await actor.type(name, 'A');
  await actor.clear(name);
  await actor.type(screen.getByLabelText('Town'), 'x');
  await actor.type(name, 'B');
  await actor.pointer({ keys: '[MouseLeft>]', target: screen.getByRole('button') });
  expect(name.getAttribute('aria-invalid')).toBeNull();
  await actor.pointer({ keys: '[/MouseLeft]', target: screen.getByRole('button') });
  await waitFor(() => expect(submit).toHaveBeenCalledOnce());
});
