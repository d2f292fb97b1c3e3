import { html } from './html.ts';
import type { Html } from './html.ts';
import type { MailItem } from './mail-item.ts';
import type { MailTexts } from './mail-texts.ts';

export interface MailLink {
  readonly label: string;
  readonly url: string;
}

/** Mail programs show at most about this many characters after the subject. */
const preheaderLength = 140;

/** Items under one heading. */
export interface MailGroup {
  readonly heading: string;
  readonly items: readonly MailItem[];
}

/** The content of a mail, for its text and its HTML. */
export interface MailContent {
  /** The application, whose icon is the logo. */
  readonly appUrl: string;
  readonly texts: MailTexts;
  readonly timeZone: string;
  readonly title: string;
  /** A paragraph before the items; null: none. */
  readonly intro: string | null;
  readonly groups: readonly MailGroup[];
  /** The sentence about further items, below the shown ones; null: all are shown. */
  readonly more: string | null;
  readonly button: MailLink;
  readonly why: string;
  readonly footer: readonly MailLink[];
}

const darkStyle = html`<style>
  :root {
    color-scheme: light dark;
  }
  @media (prefers-color-scheme: dark) {
    .page {
      background-color: #14161a !important;
    }
    .card {
      background-color: #1d2026 !important;
      border-color: #343943 !important;
    }
    .text {
      color: #e8eaee !important;
    }
    .quiet {
      color: #aab0bb !important;
    }
    .line {
      border-color: #343943 !important;
    }
    .link {
      color: #a9c1ff !important;
    }
  }
</style>`;

export function renderHtml(content: MailContent): string {
  const { texts, title } = content;
  return html`<!doctype html>
    <html lang="${texts.language}">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="supported-color-schemes" content="light dark" />
        <title>${title}</title>
        ${darkStyle}
      </head>
      <body class="page" style="margin: 0; padding: 0; background-color: #f4f5f7">
        <div style="display: none; max-height: 0; overflow: hidden; opacity: 0">${preheaderOf(content)}</div>
        <table
          role="presentation"
          class="page"
          width="100%"
          cellpadding="0"
          cellspacing="0"
          border="0"
          style="background-color: #f4f5f7"
        >
          <tr>
            <td align="center" style="padding: 24px 8px">
              <table
                role="presentation"
                class="card"
                width="100%"
                cellpadding="0"
                cellspacing="0"
                border="0"
                style="max-width: 560px; table-layout: fixed; background-color: #ffffff; border: 1px solid #dfe2e7; border-radius: 12px"
              >
                ${renderCard(content)}
              </table>
              ${renderFooter(content)}
            </td>
          </tr>
        </table>
      </body>
    </html> `.html;
}

function renderCard(content: MailContent): Html {
  const { appUrl, title, intro, groups, more, button } = content;
  return html`<tr>
    <td
      style="padding: 24px 20px; font-family: -apple-system, 'Segoe UI', Roboto, Helvetica, Arial, sans-serif; font-size: 16px; line-height: 24px; overflow-wrap: anywhere; word-break: break-word"
    >
      <p
        class="text"
        style="margin: 0 0 20px; font-size: 16px; line-height: 24px; font-weight: 600; color: #1a1d23"
      >
        <img
          src="${appUrl}/icon-192.png"
          width="24"
          height="24"
          alt=""
          style="margin: 0 8px 0 0; border: 0; border-radius: 6px; vertical-align: -6px"
        />Tidings
      </p>
      <h1
        class="text"
        style="margin: 0 0 16px; font-size: 20px; line-height: 28px; font-weight: 600; color: #1a1d23"
      >
        ${title}
      </h1>
      ${intro === null ? '' : html` <p class="text" style="margin: 0 0 16px; color: #1a1d23">${intro}</p> `}${groups.map((group) => renderGroup(group, content))}${more === null ? '' : html` <p class="quiet" style="margin: 12px 0 16px; color: #5a6170">${more}</p> `}
      <p style="margin: 24px 0 0">
        <a
          href="${button.url}"
          style="display: inline-block; padding: 12px 24px; border-radius: 8px; background-color: #2453c9; color: #ffffff; font-weight: 600; text-decoration: none"
          >${button.label}</a
        >
      </p>
    </td>
  </tr>`;
}

const renderFooter = ({ why, footer }: MailContent): Html =>
  html`<p
    class="quiet"
    style="max-width: 560px; margin: 16px 12px 0; font-family: -apple-system, 'Segoe UI', Roboto, Helvetica, Arial, sans-serif; font-size: 13px; line-height: 20px; color: #5a6170"
  >
    ${why}<br />
    ${footer.map((link, index) => html` ${index === 0 ? '' : ' · '}<a class="quiet" href="${link.url}" style="color: #5a6170">${link.label}</a> `)}
  </p>`;

function renderGroup({ heading, items }: MailGroup, content: MailContent): Html {
  return html` <h2
      class="quiet"
      style="margin: 16px 0 0; font-size: 14px; line-height: 20px; font-weight: 600; color: #5a6170"
    >
      ${heading}
    </h2>
    ${items.map((item) => renderItem(item, content))}`;
}

function renderItem(item: MailItem, { texts, timeZone }: MailContent): Html {
  return html`
    <div class="line" style="padding: 12px 0; border-bottom: 1px solid #dfe2e7">
      <a class="link" href="${item.url}" style="color: #2453c9; font-weight: 600; text-decoration: none"
        >${texts.sentence(item)}</a
      >
      ${item.text === null ? '' : html` <div class="text" style="margin-top: 4px; color: #1a1d23">${item.text}</div> `}
      <div class="quiet" style="margin-top: 4px; font-size: 13px; line-height: 20px; color: #5a6170">
        ${whenOf(item, texts, timeZone)}
      </div>
    </div>
  `;
}

/** The preview text that mail programs show after the subject: the content without the title. */
function preheaderOf({ texts, title, intro, groups }: MailContent): string {
  const parts = groups.flatMap(({ items }) =>
    items.map((item) => {
      const sentence = texts.sentence(item);
      return sentence === title ? (item.text ?? '') : sentence;
    }),
  );
  const all = [intro ?? '', ...parts].filter(Boolean).join(' · ');
  // Do not cut within a surrogate pair.
  return all.slice(0, preheaderLength).replace(/[\uD800-\uDBFF]$/, '');
}

export function renderText(content: MailContent): string {
  const { texts, title, intro, groups, more, button, why, footer } = content;
  const lines = [title, ''];
  if (intro !== null) lines.push(intro, '');
  for (const { heading, items } of groups) {
    lines.push(heading, '');
    for (const item of items) {
      lines.push(`* ${texts.sentence(item)}`);
      if (item.text !== null) lines.push(`  ${item.text}`);
      lines.push(`  ${whenOf(item, texts, content.timeZone)}`, `  ${item.url}`, '');
    }
  }
  if (more !== null) lines.push(more, '');
  lines.push(`${button.label}: ${button.url}`, '', '-- ', why);
  for (const link of footer) lines.push(`${link.label}: ${link.url}`);
  return `${lines.join('\n')}\n`;
}

/** The time of the newest event of a thread, and the number of earlier ones. */
function whenOf({ createdAtMs, earlierCount }: MailItem, texts: MailTexts, timeZone: string): string {
  const time = formatTime(createdAtMs, texts.language, timeZone);
  return earlierCount > 0 ? `${time}, ${texts.earlier(earlierCount)}` : time;
}

/** The zone as the recipient chose it; UTC where this runtime does not know it. */
export function formatTime(timeMs: number, language: string, timeZone: string): string {
  const format = (zone: string) =>
    new Intl.DateTimeFormat(language, { dateStyle: 'long', timeStyle: 'short', timeZone: zone });
  try {
    return format(timeZone).format(timeMs);
  } catch {
    return format('UTC').format(timeMs);
  }
}
