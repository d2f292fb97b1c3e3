/** `npm run docs:audits`: writes the page of audits. */
import { writeFile } from 'node:fs/promises';
import { auditsPage, formatAuditList } from './audit-list.ts';

await writeFile(new URL(`../${auditsPage}`, import.meta.url), formatAuditList());
