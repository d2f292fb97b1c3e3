'use server';

import { refresh } from 'next/cache';
import { textOf } from '../../lib/form';
import { createActionClients } from '../../lib/supabase';

/** An action is an endpoint that anyone can call: the policies of the table decide, by the token of the cookies. */
export async function addTodo(form: FormData) {
  const { rest } = await createActionClients();
  await rest.from('todos').insert({ title: textOf(form, 'title') });
  refresh();
}

export async function setDone(form: FormData) {
  const { rest } = await createActionClients();
  await rest
    .from('todos')
    .update({ done: form.get('done') === 'yes' })
    .eq('id', Number(form.get('id')));
  refresh();
}
