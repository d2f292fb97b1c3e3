/**
 * jsdom matches its whole style sheet against the element at every call of `getComputedStyle`, and finding by role calls it
 * for each element of the page. The application's styles are not loaded here, so `display`, `visibility` and
 * `pointer-events`, which are all that Testing Library reads, follow from the kind of the element and inline styles.
 */
export function cacheComputedStyles(document: Document): void {
  const page = document.defaultView;
  if (!page) return;
  const compute = page.getComputedStyle.bind(page);
  const byKind = new Map<string, CSSStyleDeclaration>();
  page.getComputedStyle = (element, pseudoElement) => {
    if (pseudoElement || document.styleSheets.length > 0 || hasOwnVisibility(element))
      return compute(element, pseudoElement);
    const kind = kindOf(element);
    const known = byKind.get(kind) ?? compute(element);
    byKind.set(kind, known);
    return known;
  };
}

/** The attributes on which `display` depends in jsdom's style sheet. */
function kindOf(element: Element): string {
  const isOpen = element.hasAttribute('open');
  const isHidden = element.hasAttribute('hidden');
  return `${element.localName} ${isOpen} ${isHidden} ${element.getAttribute('type') ?? ''}`;
}

function hasOwnVisibility(element: Element): boolean {
  if (/display/.test(element.getAttribute('style') ?? '')) return true;
  for (let each: Element | null = element; each; each = each.parentElement)
    if (/visibility|pointer-events/.test(each.getAttribute('style') ?? '')) return true;
  return false;
}
