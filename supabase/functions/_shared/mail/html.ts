/** HTML that needs no escaping. */
export interface Html {
  readonly html: string;
}

type Part = string | Html | readonly Html[];

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** A template: inserted text is escaped, inserted HTML is not. */
export function html(strings: TemplateStringsArray, ...parts: readonly Part[]): Html {
  const rendered = strings.map((text, index) => text + renderPart(parts[index] ?? ''));
  return { html: rendered.join('') };
}

function renderPart(part: Part): string {
  if (typeof part === 'string') return part.replace(/[&<>"']/g, (character) => entities[character] ?? '');
  return 'html' in part ? part.html : part.map((item) => item.html).join('');
}
