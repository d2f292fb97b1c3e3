/** `npm run docs:embedded`: writes the table of audits into the page of the embedded Supabase. */
import { readFile, writeFile } from 'node:fs/promises';
import { auditsPage, writeAuditTable } from './audit-table.ts';

const knownFailing = await readFile('conformance/bin/local-known-failing.txt', 'utf8');
await writeFile(auditsPage, writeAuditTable(await readFile(auditsPage, 'utf8'), knownFailing));
