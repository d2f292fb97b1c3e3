'use server';

import { refresh } from 'next/cache';
import { textOf } from '../../lib/form';
import { createActionClients } from '../../lib/supabase';

/** An action is a public endpoint: the table's policies control access, with the token from the cookies. */
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
