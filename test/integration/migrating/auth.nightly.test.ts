import { accountRows } from './auth-account.ts';
import { eventRows } from './auth-events.ts';
import { signInRows } from './auth-sign-in.ts';
import { createAuthTools } from './auth-tools.ts';
import { testRows } from './page.ts';

const tools = createAuthTools();

testRows('Auth', [...eventRows(tools), ...signInRows(tools), ...accountRows(tools)], tools);
