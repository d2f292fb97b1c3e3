import { utf8Length } from '../../platform/bytes.ts';

export const sendText = (text: string, status: number): Response =>
  new Response(text, {
    status,
    headers: { 'content-type': 'text/plain; charset=utf-8', 'content-length': String(utf8Length(text)) },
  });
