/** The name of the product. index.html, clear-cookies.html and the manifest repeat it. */
export const productName = 'Tidings';

let page = '';
let count = 0;

export function setPageTitle(title: string): void {
  page = title;
  write();
}

/** Puts the number of unread notifications before the title; 0 removes it. */
export function setTitleCount(unread: number): void {
  count = unread;
  write();
}

function write(): void {
  const title = page === '' || page === productName ? productName : `${page} · ${productName}`;
  document.title = count > 0 ? `(${count > 99 ? '99+' : count}) ${title}` : title;
}
